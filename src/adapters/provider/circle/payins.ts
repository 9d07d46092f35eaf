/** Deposit addresses, and what is paid to them on a chain. */
import { Effect, Result } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandStatus, IssueCommand, IssueResult, SubmissionResult } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { dataOf, entryKey } from "../chain/books.ts"
import { keptText } from "../company/client.ts"
import type { IssuedAccount } from "../company/entries.ts"
import { idempotencyKey } from "../company/idempotency.ts"
import type { Reports } from "../company/reports.ts"
import { addressOf, amountOf, type ChainTransfer, type PaymentKind, unitsOf } from "./mapping.ts"
import { chains, type CircleNetwork } from "./options.ts"
import type { CircleParts } from "./payouts.ts"

/** An address, and the command that it was issued for. */
interface IssuedAddress extends IssuedAccount {
  readonly command_id: string
}

/** Deposits that were listed and are not final, by Circle's ids. */
interface WaitingDeposits {
  readonly ids: ReadonlyArray<string>
}

/** Deposits are listed again for so long, milliseconds: one may be listed later than others that came after it. */
const overlapMs = 3_600_000
/** A deposit that is not final is waited for so long, milliseconds. */
const waitMs = 35 * 24 * 3_600_000

/** Whether a transfer came from a blockchain, and has neither been credited nor failed. */
export const isOpen = ({ status }: { readonly status: string }): boolean => status !== "complete" && status !== "failed"
export const isDeposit = ({ source }: ChainTransfer): boolean => source.type === "blockchain"

/** What is said of listed items that cannot be read; undefined: there are none. */
export const unreadFault = (kind: PaymentKind, ids: ReadonlyArray<string>): string | undefined =>
  ids.length === 0
    ? undefined
    : `Circle lists ${ids.length === 1 ? `a ${kind}` : `${ids.length} ${kind}s`} that cannot be read: ${ids.slice(0, 3).join(", ")}`

/** Fails with the first fault of parts that were all tried. */
export const failWith = (
  ends: ReadonlyArray<Result.Result<unknown, ProviderFault>>,
  also: string | undefined
): Effect.Effect<void, ProviderFault> => {
  const message = ends.flatMap((end) => (Result.isFailure(end) ? [end.failure.message] : []))[0] ?? also
  return message === undefined ? Effect.void : Effect.fail(new ProviderFault({ message }))
}

export const makePayins = ({ books, calls, config, entries, key }: CircleParts, reports: Reports) => {
  const waitingKey = entryKey("circle_waiting", key)
  const accountKey = (chain: string, address: string) => entries.keys.account(`${chain}/${addressOf(address)}`)

  /** Reports a deposit to an address that was issued here. Null: it is none, or it is not final. */
  const report = Effect.fnUntraced(function* (transfer: ChainTransfer) {
    const { amount, createDate, destination, id, source, status, transactionHash } = transfer
    const units = amount.currency === "USD" ? unitsOf(amount.amount) : undefined
    const network = config.networks.find((one) => chains[one] === source.chain)
    const { address } = destination
    if (!isDeposit(transfer) || status !== "complete" || units === undefined || network === undefined) return null
    if (typeof address !== "string") return null
    const account = yield* books.read<IssuedAddress>(accountKey(chains[network], address))
    if (account === undefined) return null
    const at = Date.parse(createDate)
    return yield* reports.payin({
      ...{ _tag: "payin", event_id: `payin/${id}`, payin_id: id, stage: "confirmed", target: account.target },
      ...{ amount: amountOf(units), currency: "USDC", network, sender: null, narration: null },
      ...{ transaction_hash: keptText(transactionHash, 100), from_address: keptText(source.address, 100) },
      observed_at: Number.isNaN(at) ? yield* wallNow : at
    })
  })

  return {
    issue: Effect.fnUntraced(function* ({
      currency,
      id,
      network,
      type
    }: IssueCommand): Effect.fn.Return<IssueResult, ProviderFault> {
      const served = config.networks.find((one): one is CircleNetwork => one === network)
      if (type !== "crypto" || currency !== "USDC" || served === undefined)
        return { _tag: "rejected", reason: `Circle issues addresses for USDC, and none for ${currency} on ${network}` }
      const { address, id: given } = yield* calls.createAddress(idempotencyKey(id), chains[served])
      const account = accountKey(chains[served], address)
      // Before anybody can pay to it. Circle may give one address again: whose money would it be?
      const owner = yield* books.amend([account], ([row]) => {
        const owner = dataOf<IssuedAddress>(row)?.command_id
        const data: IssuedAddress = { target: address, command_id: id }
        return { entries: owner === undefined ? [{ key: account, data }] : [], result: owner ?? id }
      })
      if (owner !== id)
        return { _tag: "rejected", reason: `Circle has one address on ${network}, which was issued for ${owner}` }
      const resource = typeof given === "string" ? given : address
      return {
        _tag: "issued",
        issued: { provider_resource_id: resource, target: address, details: { network, address } }
      }
    }),
    instruct: () => Effect.fail(new ProviderFault({ message: "Circle has no references for one payment" })),
    refund: (): Effect.Effect<SubmissionResult> =>
      Effect.succeed({
        ...{ _tag: "rejected", refundable: true },
        reason: "Circle returns no deposit: pay it to an approved address by a transfer"
      }),
    lookupRefund: (): Effect.Effect<CommandStatus> => Effect.succeed({ _tag: "absent" }),
    report,
    /**
     * Lists the deposits since the last sweep, with an overlap, asks about those that were not final, and reports what is new. One that
     * cannot be read is asked about until it can be: it is named, and holds up no other.
     */
    sweep: Effect.gen(function* () {
      const began = yield* wallNow
      const from = ((yield* reports.payinsAt) ?? began) - overlapMs
      const { items, unread } = yield* calls.readable("transfer", { from })
      const listed = items.filter(isDeposit)
      const waiting = (yield* books.read<WaitingDeposits>(waitingKey))?.ids ?? []
      const unlisted = waiting.filter((id) => !listed.some((one) => one.id === id))
      // One that cannot be asked about now waits on, and holds up no other.
      const asked = yield* Effect.forEach(unlisted, (id) => Effect.result(calls.transfer(id)), { concurrency: 4 })
      const deposits = [...listed, ...asked.flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))]
      const known = yield* reports.reported(deposits.map(({ id }) => id))
      const fresh = deposits.filter(({ id }) => !known.has(id))
      const reported = yield* Effect.forEach(fresh, (transfer) => Effect.result(report(transfer)))
      const failed = fresh.flatMap(({ id }, at) => (Result.isFailure(reported[at]!) ? [id] : []))
      const isAwaited = (one: ChainTransfer): boolean => isOpen(one) && Date.parse(one.createDate) > began - waitMs
      const open = [...deposits.filter(isAwaited).map(({ id }) => id), ...unread, ...failed]
      const ended = new Set(deposits.filter((one) => !isAwaited(one)).map(({ id }) => id))
      yield* books.amend([waitingKey], ([row]) => {
        const before = dataOf<WaitingDeposits>(row)?.ids ?? []
        const ids = [...new Set([...before.filter((id) => !ended.has(id)), ...open])]
        const isSame = ids.length === before.length && ids.every((id) => before.includes(id))
        return { entries: isSame ? [] : [{ key: waitingKey, data: { ids } }], result: undefined }
      })
      yield* reports.listedTo(began)
      yield* failWith([...reported, ...asked], unreadFault("transfer", unread))
    })
  }
}

export type CirclePayins = ReturnType<typeof makePayins>
