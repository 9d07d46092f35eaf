/** What the items of Circle's lists are on a statement. Pure. */
import type { StatementLine } from "../../../engine/ports/Provider.ts"
import { makeLine } from "../company/statement.ts"
import type { CircleDeposit } from "./calls.ts"
import { type BankPayout, type ChainTransfer, feesOf, formatPaymentAmount, returnOf, usdIn } from "./mapping.ts"
import { isDeposit, isPendingTransfer } from "./payins.ts"

/**
 * Something that moves money. `key`: `KIND/ID`, of a return `payout/ID/return`. `at`: when it, or the payout of the return, was made, epoch
 * milliseconds. Open: it is not final. Failed: it has moved nothing, and Circle may still say otherwise.
 */
export interface StatementItem {
  readonly key: string
  readonly at: number
  readonly state: "open" | "failed" | "final"
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
        : [makeLine({ id, booked_at: at, direction, amount: formatPaymentAmount(units), currency, ...over, ...of })]
  return { credit: line("credit"), debit: line("debit") }
}
const fee = { command_id: null, payin_id: null, narration: "fee" }

const makeItem = (
  key: string,
  at: number,
  status: string,
  hasMoved: boolean,
  lines: ReadonlyArray<StatementLine>
): StatementItem => ({
  ...{ key, at, lines: hasMoved ? lines : [] },
  state: hasMoved ? "final" : isPendingTransfer({ status }) ? "open" : "failed"
})

export const transferItem = (transfer: ChainTransfer, command_id: string | null): StatementItem => {
  const { amount, createDate, id, status, transactionHash } = transfer
  const hash = typeof transactionHash === "string" ? transactionHash : null
  const at = Date.parse(createDate)
  const { credit, debit } = linesAt(at, { transaction_hash: hash })
  const key = `transfer/${id}`
  const moved = isDeposit(transfer)
    ? credit(key, usdIn(amount), "USDC", { payin_id: id })
    : [...debit(key, usdIn(amount), "USDC", { command_id }), ...debit(`${key}/fee`, feesOf(transfer), "USDC", fee)]
  return makeItem(key, at, status, status === "complete", moved)
}

/** A payout redeems USDC and pays the USD. What comes back of it is an item of its own. */
export const payoutItem = (payout: BankPayout, command_id: string | null): StatementItem => {
  const { amount, createDate, errorCode, id, status } = payout
  const key = `payout/${id}`
  const at = Date.parse(createDate)
  const units = usdIn(amount)
  const { credit, debit } = linesAt(at)
  return makeItem(key, at, status, status === "complete" || errorCode === "transaction_returned", [
    ...debit(`${key}/redeemed`, units, "USDC", { narration: "redeemed" }),
    ...credit(`${key}/redeemed/usd`, units, "USD", { narration: "redeemed" }),
    ...debit(key, units, "USD", { command_id }),
    ...debit(`${key}/fee`, feesOf(payout), "USDC", fee)
  ])
}

/** A wire of the platform pays USD in, for which USDC is minted. */
export const depositItem = ({ amount, createDate, id, status, ...deposit }: CircleDeposit): StatementItem => {
  const at = Date.parse(createDate)
  const { credit, debit } = linesAt(at)
  const key = `deposit/${id}`
  const units = usdIn(amount)
  return makeItem(key, at, status, status === "complete", [
    ...credit(key, units, "USD"),
    ...debit(`${key}/minted/usd`, units, "USD", { narration: "minted" }),
    ...credit(`${key}/minted`, units, "USDC", { narration: "minted" }),
    ...debit(`${key}/fee`, usdIn(deposit.fees) + usdIn(deposit.fee), "USDC", fee)
  ])
}

/** A return, and when it began. `item` is undefined: it cannot be read. Null: nothing came back. */
export const returnItem = (payout: BankPayout, command_id: string | null) => {
  const back = returnOf(payout)
  if (back === null) return null
  const { amount, began_at, status } = back
  const booked_at = Number.isNaN(back.at) ? began_at : back.at
  const isReadable = !Number.isNaN(booked_at) && (status !== "complete" || amount > 0n)
  const key = `payout/${payout.id}`
  const { credit, debit } = linesAt(booked_at)
  const lines = [
    ...credit(`${key}/return`, amount, "USD", { command_id }),
    ...debit(`${key}/minted/usd`, amount, "USD", { narration: "minted" }),
    ...credit(`${key}/minted`, amount, "USDC", { narration: "minted" }),
    ...debit(`${key}/return/fee`, back.fee, "USDC", fee)
  ]
  const item = makeItem(`${key}/return`, Date.parse(payout.createDate), status, status === "complete", lines)
  return { began_at: Number.isNaN(began_at) ? booked_at : began_at, item: isReadable ? item : undefined }
}
