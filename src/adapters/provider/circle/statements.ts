/** Balances, and what moved as a statement: Circle has no ledger, so its lists are merged. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { StatementLine, StatementPage, Statements } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { amountOf, feesOf, type Payment, returnOf, type ChainTransfer, usdIn } from "./mapping.ts"
import { isDeposit, isOpen } from "./payins.ts"
import type { CircleParts } from "./payouts.ts"

/** Before this no account has a payment, epoch milliseconds. */
const beginning = Date.UTC(2018, 0)
/** The first window; while windows are empty, they grow. */
const windowMs = 24 * 3_600_000
/** Payments as young as this may not all be listed yet. */
const unsettledMs = 60_000
/** The most windows of one read. */
const windowsMax = 8
/** A payout may come back so long after, milliseconds. */
const returnsMs = 35 * 24 * 3_600_000
/** The most payments that a cursor remembers as not final. */
const openMax = 100

/** Read up to `at`, but for what was `open` then, whose oldest was made at `from`. Epoch milliseconds. */
interface Cursor {
  readonly at: number
  readonly from: number
  readonly open: ReadonlyArray<string>
}

const cursorIn = (text: string | null): Cursor => {
  try {
    const { at, from, open } = JSON.parse(text ?? "") as Cursor
    if (Number.isSafeInteger(at) && Number.isSafeInteger(from) && Array.isArray(open)) return { at, from, open }
  } catch {}
  return { at: beginning, from: beginning, open: [] }
}

/** Something that moves money, of any list. */
interface Item {
  readonly key: string
  readonly at: number
  readonly isOpen: boolean
  readonly lines: ReadonlyArray<StatementLine>
}

type Currency = "USD" | "USDC"

/** The lines of what moved: those of zero are left out. */
const linesAt = (at: number, over: Partial<StatementLine> = {}) => {
  const line =
    (direction: StatementLine["direction"]) =>
    (id: string, units: bigint, currency: Currency, of: object = {}) =>
      units <= 0n
        ? []
        : [
            {
              ...{ id, booked_at: at, direction, amount: amountOf(units), currency, command_id: null, payin_id: null },
              ...{ provider_reference: null, transaction_hash: null, narration: null, ...over, ...of }
            } satisfies StatementLine
          ]
  return { credit: line("credit"), debit: line("debit") }
}
const fee = { command_id: null, payin_id: null, narration: "fee" }

const transferItem = (transfer: ChainTransfer, command_id: string | null): Item => {
  const { amount, createDate, id, status, transactionHash } = transfer
  const hash = typeof transactionHash === "string" ? transactionHash : null
  const at = Date.parse(createDate)
  const { credit, debit } = linesAt(at, { transaction_hash: hash })
  const key = `transfer/${id}`
  const moved = isDeposit(transfer)
    ? credit(key, usdIn(amount), "USDC", { payin_id: id })
    : [...debit(key, usdIn(amount), "USDC", { command_id }), ...debit(`${key}/fee`, feesOf(transfer), "USDC", fee)]
  return { key, at, isOpen: isOpen({ status }), lines: status === "complete" ? moved : [] }
}

/** A payout redeems USDC and pays the USD; what comes back of it is another item, of its own time. */
const payoutItems = (payout: Payment, command_id: string | null): ReadonlyArray<Item> => {
  const { amount, createDate, errorCode, id, status } = payout
  const key = `payout/${id}`
  const at = Date.parse(createDate)
  const units = usdIn(amount)
  const hasLeft = status === "complete" || errorCode === "transaction_returned"
  const { credit, debit } = linesAt(at)
  const back = returnOf(payout)
  const returned = linesAt(back?.at ?? at)
  const paid = [
    ...debit(`${key}/redeemed`, units, "USDC", { narration: "redeemed" }),
    ...credit(`${key}/redeemed/usd`, units, "USD", { narration: "redeemed" }),
    ...debit(key, units, "USD", { command_id }),
    ...debit(`${key}/fee`, feesOf(payout), "USDC", fee)
  ]
  const item: Item = { key, at, isOpen: isOpen({ status }), lines: hasLeft ? paid : [] }
  if (back?.status !== "complete") return [item]
  const lines = [
    ...returned.credit(`${key}/return`, back.amount, "USD", { command_id }),
    ...returned.debit(`${key}/minted/usd`, back.amount, "USD", { narration: "minted" }),
    ...returned.credit(`${key}/minted`, back.amount, "USDC", { narration: "minted" }),
    ...returned.debit(`${key}/return/fee`, back.fee, "USDC", fee)
  ]
  return [item, { key: `${key}/return`, at: back.at, isOpen: false, lines }]
}

export const makeStatements = ({ books, calls, entries }: CircleParts): Statements => {
  /** The commands of payments, by Circle's ids. */
  const commandsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const keyOf = (id: string) => entries.keys.payment("payout", id)
    const rows = yield* books.get(ids.map(keyOf))
    const byKey = new Map(rows.map(({ data, id }) => [id, (data as { readonly command_id: string }).command_id]))
    return (id: string): string | null => byKey.get(keyOf(id).id) ?? null
  })

  /** What moved, by when it was made, oldest first. Undefined: a list is too long. */
  const itemsIn = Effect.fnUntraced(function* (from: number, to: number) {
    const transfers = yield* calls.transfersIn({ from, to }, true)
    const payouts = yield* calls.payoutsIn({ from: from - returnsMs, to }, true)
    const deposits = yield* calls.depositsIn({ from, to }, true)
    if (transfers === undefined || payouts === undefined || deposits === undefined) return undefined
    const commandOf = yield* commandsOf([...transfers, ...payouts].map(({ id }) => id))
    const wires = deposits.map(({ amount, createDate, id, status, ...deposit }): Item => {
      const at = Date.parse(createDate)
      const { credit, debit } = linesAt(at)
      const key = `deposit/${id}`
      const units = usdIn(amount)
      const lines = [
        ...credit(key, units, "USD"),
        ...debit(`${key}/minted/usd`, units, "USD", { narration: "minted" }),
        ...credit(`${key}/minted`, units, "USDC", { narration: "minted" }),
        ...debit(`${key}/fee`, usdIn(deposit.fees) + usdIn(deposit.fee), "USDC", fee)
      ]
      return { key, at, isOpen: isOpen({ status }), lines: status === "complete" ? lines : [] }
    })
    const items = [
      ...transfers.map((one) => transferItem(one, commandOf(one.id))),
      ...payouts.flatMap((one) => payoutItems(one, commandOf(one.id))),
      ...wires
    ]
    return items.filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at)
  })

  return {
    balances: Effect.map(calls.balances, ({ available, unsettled }) => {
      const sum = (all: typeof available) => amountOf(all.reduce((units, one) => units + usdIn(one), 0n))
      // What Circle calls USD is USDC: it is one balance, and is counted once.
      return [{ currency: "USDC", network: null, available: sum(available), pending: sum(unsettled) }]
    }),
    lines: Effect.fnUntraced(function* (after: string | null): Effect.fn.Return<StatementPage, ProviderFault> {
      const cursor = cursorIn(after)
      const end = (yield* wallNow) - unsettledMs
      let to = cursor.at
      let width = windowMs
      let found: ReadonlyArray<Item> = []
      for (let n = 0; n < windowsMax && to < end; n++) {
        const last = Math.min(to + width, end)
        const listed = yield* itemsIn(cursor.open.length === 0 ? to : Math.min(cursor.from, to), last)
        if (listed === undefined) {
          if (width <= 1000)
            return yield* new ProviderFault({
              message: `the statement cannot go on after ${new Date(to).toISOString()}: Circle lists more than can be read at once`
            })
          width = Math.max(1000, Math.floor(width / 8))
          continue
        }
        const from = to
        found = listed.filter(({ at, key }) => at >= from || cursor.open.includes(key))
        to = last
        if (found.some(({ isOpen, lines }) => lines.length > 0 || isOpen)) break
        width *= 4
      }
      const open = found.filter((item) => item.isOpen)
      // Beyond what a cursor remembers, the statement waits.
      const at = open.length > openMax ? open[openMax]!.at : to
      const kept = open.slice(0, openMax)
      const lines = found.flatMap((item) => (item.at < at ? item.lines : []))
      const next: Cursor = { at, from: kept[0]?.at ?? at, open: kept.map(({ key }) => key) }
      return { lines, cursor: at > cursor.at || after === null ? JSON.stringify(next) : after }
    })
  }
}
