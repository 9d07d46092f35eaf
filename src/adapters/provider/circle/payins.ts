/** Deposit addresses, and what is paid to them on a chain. */
import { Effect } from "effect"
import type { CommandStatus, SubmissionResult } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { entryKey } from "../chain/books.ts"
import { toStorableText } from "../company/client.ts"
import { idempotencyKey } from "../company/idempotency.ts"
import { makeIssue, type OwnedAccount } from "../company/issues.ts"
import { makePayinSweeps } from "../company/payins.ts"
import { returnsMs } from "../company/sweep.ts"
import { readerOf } from "../company/answers.ts"
import { unreadFault } from "./calls.ts"
import { ChainTransfer, formatPaymentAmount, parsePaymentUnits, toComparableAddress } from "./mapping.ts"
import { chains, type CircleNetwork } from "./options.ts"
import type { CircleParts } from "./payouts.ts"

/** A deposit may be listed so long after others that came after it, milliseconds. */
const lateMs = 3_600_000

/** Whether a transfer came from a blockchain, and has neither been credited nor failed. */
export const isPendingTransfer = ({ status }: { readonly status: string }): boolean =>
  status !== "complete" && status !== "failed"
export const isDeposit = ({ source }: ChainTransfer): boolean => source.type === "blockchain"

const readTransfer = readerOf(ChainTransfer)
const allNetworks = Object.keys(chains) as ReadonlyArray<CircleNetwork>

export const makePayins = (parts: CircleParts) => {
  const { books, calls, config, entries, key, reports, rounds } = parts
  const accountKey = (chain: string, address: string) =>
    entries.keys.account(`${chain}/${toComparableAddress(address)}`)

  /** Reports a deposit to an address that was issued here, whatever networks the options have now. Null: it is none, or it is not final. */
  const report = Effect.fnUntraced(function* (transfer: ChainTransfer) {
    const { amount, createDate, destination, id, source, status, transactionHash } = transfer
    const units = amount.currency === "USD" ? parsePaymentUnits(amount.amount) : undefined
    const network = allNetworks.find((one) => chains[one] === source.chain)
    const { address } = destination
    if (!isDeposit(transfer) || status !== "complete" || units === undefined || network === undefined) return null
    if (typeof address !== "string") return null
    const account = yield* books.read<OwnedAccount>(accountKey(chains[network], address))
    if (account === undefined) return null
    return yield* reports.payin({
      ...{ payin_id: id, target: account.target, amount: formatPaymentAmount(units), currency: "USDC", network },
      ...{ transaction_hash: toStorableText(transactionHash, 100), from_address: toStorableText(source.address, 100) },
      observed_at: Date.parse(createDate)
    })
  })

  /** Whether a deposit need not be looked at any more, after it is reported if it is final. */
  const look = Effect.fnUntraced(function* (transfer: ChainTransfer) {
    yield* report(transfer)
    return !isPendingTransfer(transfer) || Date.parse(transfer.createDate) <= (yield* wallNow) - returnsMs
  })

  return {
    issue: makeIssue<{ readonly chain: string }>(parts, {
      company: "Circle",
      ask: ({ currency, network, type }, before) => {
        const served = config.networks.find((one) => one === network)
        const isServed = type === "crypto" && currency === "USDC" && served !== undefined
        const why = `Circle issues addresses for USDC, and none for ${currency} on ${network}`
        return Effect.succeed(before ?? (isServed ? { chain: chains[served] } : why))
      },
      make: ({ id, network }, { chain }) =>
        Effect.map(calls.createAddress(idempotencyKey(id), chain), ({ address: target, id: given }) => ({
          accounts: [accountKey(chain, target)],
          issued: {
            ...{ provider_resource_id: typeof given === "string" ? given : target, target },
            details: { network: network!, address: target }
          }
        }))
    }),
    refund: (): Effect.Effect<SubmissionResult> =>
      Effect.succeed({
        ...{ _tag: "rejected", refundable: true },
        reason: "Circle returns no deposit: pay it to an approved address by a transfer"
      }),
    lookupRefund: (): Effect.Effect<CommandStatus> => Effect.succeed({ _tag: "absent" }),
    report,
    /** Finds deposits that no notification told. */
    sweeps: makePayinSweeps(books, rounds, {
      ...{ name: "payins", list: calls.listed("transfer"), late_ms: lateMs, read_to: reports.payinsAt },
      waiting: entryKey("circle_waiting", key),
      look: (id) => Effect.flatMap(calls.transfer(id), look),
      read: Effect.fnUntraced(function* (all) {
        const listed = all.map((item) => ({ item, transfer: readTransfer(item) }))
        const deposits = listed.filter(({ transfer }) => transfer === undefined || isDeposit(transfer))
        const known = yield* reports.reported(deposits.map(({ item }) => item.id))
        return deposits
          .filter(({ item }) => !known.has(item.id))
          .map(({ item, transfer }) => ({
            id: item.id,
            look: transfer === undefined ? Effect.fail(unreadFault("transfer", item)) : look(transfer)
          }))
      })
    })
  }
}

export type CirclePayins = ReturnType<typeof makePayins>
