/** Deposit addresses, and what is paid to them on a chain. */
import { Effect, Result } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandStatus, IssueCommand, IssueResult, SubmissionResult } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { dataOf, entryKey } from "../chain/books.ts"
import { toStorableText } from "../company/client.ts"
import type { IssuedAccount } from "../company/entries.ts"
import { idempotencyKey } from "../company/idempotency.ts"
import type { Reports } from "../company/reports.ts"
import type { ListedPart } from "./calls.ts"
import {
  toComparableAddress,
  formatPaymentAmount,
  type ChainTransfer,
  type PaymentKind,
  parsePaymentUnits
} from "./mapping.ts"
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
/** The most deposits that one sweep asks about, and how many are written down together. */
const askedMax = 200
const askedAtOnce = 20

/** Whether a transfer came from a blockchain, and has neither been credited nor failed. */
export const isPendingTransfer = ({ status }: { readonly status: string }): boolean =>
  status !== "complete" && status !== "failed"
export const isDeposit = ({ source }: ChainTransfer): boolean => source.type === "blockchain"

/** What is said of listed items that cannot be read: nothing, if there are none. */
export const unreadFaults = (kind: PaymentKind, ids: ReadonlyArray<string>): ReadonlyArray<string> =>
  ids.length === 0
    ? []
    : [
        `Circle lists ${ids.length === 1 ? `a ${kind}` : `${ids.length} ${kind}s`} that cannot be read: ${ids.slice(0, 3).join(", ")}`
      ]

/** The faults of parts that were all tried. */
export const faultsOf = (ends: ReadonlyArray<Result.Result<unknown, ProviderFault>>): ReadonlyArray<string> =>
  ends.flatMap((end) => (Result.isFailure(end) ? [end.failure.message] : []))

/** Fails with the first of the faults. */
export const failWithFirst = ([message]: ReadonlyArray<string>): Effect.Effect<void, ProviderFault> =>
  message === undefined ? Effect.void : Effect.fail(new ProviderFault({ message }))

/** Finds deposits that no notification told. `report`: reports one, if it is final and to an address that was issued here. */
const makeDepositSweeps = (
  { books, calls, key, round }: CircleParts,
  reports: Reports,
  report: (transfer: ChainTransfer) => Effect.Effect<unknown, ProviderFault>
): ReadonlyArray<Effect.Effect<void, ProviderFault>> => {
  const waitingKey = entryKey("circle_waiting", key)

  /**
   * Reports what is new of deposits. Those that are not final, or cannot be read, are written down before the list counts as read, and are asked
   * about until they are. Returns what could not be read.
   */
  const take = Effect.fnUntraced(function* (deposits: ReadonlyArray<ChainTransfer>, unread: ReadonlyArray<string>) {
    const since = (yield* wallNow) - waitMs
    const known = yield* reports.reported(deposits.map(({ id }) => id))
    const fresh = deposits.filter(({ id }) => !known.has(id))
    const reported = yield* Effect.forEach(fresh, (transfer) => Effect.result(report(transfer)))
    const failed = fresh.flatMap(({ id }, at) => (Result.isFailure(reported[at]!) ? [id] : []))
    const isAwaited = (one: ChainTransfer): boolean => isPendingTransfer(one) && Date.parse(one.createDate) > since
    const open = [...deposits.filter(isAwaited).map(({ id }) => id), ...unread, ...failed]
    const ended = new Set(deposits.filter((one) => !isAwaited(one)).map(({ id }) => id))
    yield* books.amend([waitingKey], ([row]) => {
      const before = dataOf<WaitingDeposits>(row)?.ids ?? []
      const ids = [...new Set([...before.filter((id) => !ended.has(id)), ...open])]
      const isSame = ids.length === before.length && ids.every((id) => before.includes(id))
      return { entries: isSame ? [] : [{ key: waitingKey, data: { ids } }], result: undefined }
    })
    return faultsOf(reported)
  })

  /** Lists the deposits since the last round, with an overlap. One that cannot be read is named, and holds up no other. */
  const list = Effect.gen(function* () {
    const faults: Array<string> = []
    yield* round<ListedPart<ChainTransfer>>({
      name: "payins",
      fromOf: (before, now) =>
        Effect.map(before === null ? reports.payinsAt : Effect.succeed(before), (at) => (at ?? now) - overlapMs),
      list: calls.readable("transfer"),
      read: Effect.fnUntraced(function* ({ items, unread }) {
        faults.push(...(yield* take(items.filter(isDeposit), unread)), ...unreadFaults("transfer", unread))
      })
    })
    yield* failWithFirst(faults)
  })

  /** Where the next sweep begins among those that wait. */
  let turn = 0
  /** Asks about the next of the deposits that wait. One that cannot be asked about now waits on, and holds up no other. */
  const askWaiting = Effect.gen(function* () {
    const waiting = (yield* books.read<WaitingDeposits>(waitingKey))?.ids ?? []
    const next = waiting.slice(turn, turn + askedMax)
    turn = turn + askedMax < waiting.length ? turn + askedMax : 0
    const faults: Array<string> = []
    for (let at = 0; at < next.length; at += askedAtOnce) {
      const ids = next.slice(at, at + askedAtOnce)
      const asked = yield* Effect.forEach(ids, (id) => Effect.result(calls.transfer(id)), { concurrency: 4 })
      const deposits = asked.flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))
      faults.push(...(yield* take(deposits, [])), ...faultsOf(asked))
    }
    yield* failWithFirst(faults)
  })

  return [list, askWaiting]
}

export const makePayins = (parts: CircleParts, reports: Reports) => {
  const { books, calls, config, entries } = parts
  const accountKey = (chain: string, address: string) =>
    entries.keys.account(`${chain}/${toComparableAddress(address)}`)

  /** Reports a deposit to an address that was issued here. Null: it is none, or it is not final. */
  const report = Effect.fnUntraced(function* (transfer: ChainTransfer) {
    const { amount, createDate, destination, id, source, status, transactionHash } = transfer
    const units = amount.currency === "USD" ? parsePaymentUnits(amount.amount) : undefined
    const network = config.networks.find((one) => chains[one] === source.chain)
    const { address } = destination
    if (!isDeposit(transfer) || status !== "complete" || units === undefined || network === undefined) return null
    if (typeof address !== "string") return null
    const account = yield* books.read<IssuedAddress>(accountKey(chains[network], address))
    if (account === undefined) return null
    const at = Date.parse(createDate)
    return yield* reports.payin({
      ...{ _tag: "payin", event_id: `payin/${id}`, payin_id: id, stage: "confirmed", target: account.target },
      ...{ amount: formatPaymentAmount(units), currency: "USDC", network, sender: null, narration: null },
      ...{ transaction_hash: toStorableText(transactionHash, 100), from_address: toStorableText(source.address, 100) },
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
    /** Finds deposits that no notification told. */
    sweeps: makeDepositSweeps(parts, reports, report)
  }
}

export type CirclePayins = ReturnType<typeof makePayins>
