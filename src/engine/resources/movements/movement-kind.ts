/** What the kinds of the four movements have in common: how they are listed, found and counted, and their commands. */
import { Effect } from "effect"
import type { ActSum } from "../../../machines/controls/approval-rule.ts"
import type { Exchange } from "../../../machines/kernel/exchange.ts"
import type { Counted, Payout } from "../../../machines/kernel/payout.ts"
import { atMid } from "../../../machines/kernel/pricing.ts"
import type {
  BeneficiarySummary,
  MovementOriginator,
  PayoutParties,
  PostalAddress
} from "../../../machines/parties/summaries.ts"
import { isAmountKey } from "../../calls/ActiveLimits.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { Measured } from "../../commit/index-keys.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import type { RowAction } from "../../commit/row-act.ts"
import { statementReferenceOf } from "../../input/statement-reference.ts"
import type { ConversionCommand, PayoutCommand } from "../../ports/Provider.ts"
import type { Row, RowWrite } from "../../ports/Storage.ts"
import { currencyOf, displayAmount } from "../../reference/currencies.ts"

/** The index keys of a movement's source and destination currencies. Lists filter by either. */
export const currencyKeys = (sides: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(sides)].map((currency) => `currency=${currency}`)

/** Minor units, and their currency. */
type Sum = readonly [minor: string, currency: string]

/** What a movement takes, and what its recipient receives. Without the second, the recipient receives the first. */
export type Sums = readonly [taken: Sum, received?: Sum]

/** What an exchange comes to: limits count what it takes, fees included, at its rate, rounded up (LIMITS-2). */
export const exchangeSum = ({
  destination_currency,
  quoted_received_amount,
  rate,
  source_amount,
  source_currency
}: Pick<
  Exchange,
  "source_amount" | "source_currency" | "destination_currency" | "rate" | "quoted_received_amount"
>): ActSum => ({
  taken: [source_amount, source_currency],
  received: [quoted_received_amount, destination_currency],
  worth: [
    atMid(
      BigInt(source_amount),
      [currencyOf(source_currency), "1"],
      [currencyOf(destination_currency), rate]
    ).toString(),
    destination_currency
  ]
})

/** A payout as an act, which it is when it is made. It waits as what it is: its money is reserved, and nothing is submitted (APPROVAL-4). */
export const payoutAct =
  <Data>(word: "transfer" | "offramp", field: string, sumOf: (data: Data) => ActSum) =>
  ({ customer_id, data, version }: RowWrite<Data & PayoutParties>): RowAction | undefined =>
    version > 1
      ? undefined
      : {
          words: [word, "payout"],
          sums: [sumOf(data)],
          customer_id,
          wallet_id: data.wallet_id,
          beneficiary_id: data.beneficiary_id,
          field,
          waits: true
        }

/** The `/v1` statuses of a payout that the provider processes, or may have received. */
export const underWayStatuses: Readonly<Record<string, string>> = {
  submitting: "processing",
  unknown: "temporary_failure",
  waiting: "temporary_failure",
  rerouted: "processing"
}

interface Moved extends Payout {
  readonly reference: string
  readonly originator: MovementOriginator
}

/**
 * `keys`: the index keys of the wallets and credentials that money leaves or reaches. `fees`: what the movement earns if it succeeds.
 */
export const movementKind = <Data extends Moved>(
  kind: string,
  sums: (data: Data) => Sums,
  keys: (data: Data) => ReadonlyArray<string>,
  fees: (data: Data) => NonNullable<Measured["fees"]> = () => []
) =>
  ({
    kind,
    status: (state) => underWayStatuses[state] ?? state,
    indexKeys: (data) => [
      ...keys(data),
      `reference=${data.reference}`,
      `type=${kind}`,
      `source_type=${kind}`,
      `source_currency=${sums(data)[0][1]}`,
      ...currencyKeys(sums(data).flatMap((sum) => (sum === undefined ? [] : [sum[1]])))
    ],
    searchValues: (data) => ({
      title: data.reference,
      references: [data.reference],
      amounts: sums(data) as ReadonlyArray<Sum>
    }),
    statistics: (data) => {
      const [[amount, source_currency], [, destination_currency] = ["", source_currency]] = sums(data)
      return { source_currency, destination_currency, amount, fees: fees(data) }
    }
  }) satisfies Partial<ResourceKind<Data>>

/** The members of every command of a movement. */
const commandMembers = <Kind extends string>({ kind, merchant_id, id: resource_id, data }: Row<Moved>, id: string) => ({
  id,
  statement_reference: statementReferenceOf(id),
  merchant_id,
  resource_id,
  kind: kind as Kind,
  originator: data.originator,
  reference: data.reference,
  attempt: data.attempts - 1
})

/** The recipient's address, but for the members that are not given. */
const toPostalAddress = (address: BeneficiarySummary["address"]): PostalAddress | null =>
  address === undefined || address === null
    ? null
    : (Object.fromEntries(Object.entries(address).filter(([, value]) => value !== null)) as unknown as PostalAddress)

/** The payout of what the recipient receives. `narration`: the text that the recipient's bank shows. */
export const payoutOf = (
  row: Row<Moved & PayoutParties>,
  id: string,
  [taken, received = taken]: Sums,
  narration: string | null
): PayoutCommand => ({
  ...commandMembers(row, id),
  amount: displayAmount(...received),
  currency: received[1],
  source_amount: displayAmount(...taken),
  source_currency: taken[1],
  destination: row.data.destination,
  beneficiary: {
    ...{ id: row.data.beneficiary_id, name: row.data.beneficiary.name },
    address: toPostalAddress(row.data.beneficiary.address)
  },
  purpose_code: row.data.beneficiary.purpose_code ?? null,
  narration
})

/** The exchange of what is given, after the gateway fee, for what is due. */
export const exchangeCommandOf = (
  row: Row<Moved>,
  id: string,
  given: readonly [minor: bigint, currency: string],
  due: Sum,
  rate: string
): ConversionCommand => ({
  ...commandMembers(row, id),
  source_amount: displayAmount(...given),
  source_currency: given[1],
  destination_amount: displayAmount(...due),
  destination_currency: due[1],
  rate
})

/** Whether a movement is at an end at which nothing of it has moved, as far as this service knows. */
const isUnmoved = ({ data, status }: Row<Payout>): boolean =>
  (status === "failed" || status === "returned") && data.failure_reason !== "refund_failed"

/** What an onramp is for, and what was paid. Other movements move what they are for. */
interface Funded {
  readonly quoted?: { readonly source_amount: string }
  readonly funded_amount?: string | null
}

/** What is counted of another amount than was quoted: its share, rounded up. */
const scaleToArrival =
  ({ funded_amount, quoted }: Funded) =>
  (one: Counted): Counted => {
    if (typeof funded_amount !== "string" || quoted === undefined || !isAmountKey(one.key)) return one
    const [paid, due] = [BigInt(funded_amount), BigInt(quoted.source_amount)]
    return { ...one, add: ((BigInt(one.add) * paid + due - 1n) / due).toString() }
  }

/** What a movement counts: over a limit, when it is approved; of an onramp that was paid, what was paid. */
const countsOf = (row: Row<Payout & Funded>): ReadonlyArray<Counted> => {
  const { awaiting = 0, counted = [], over } = row.data
  return isUnmoved(row) ? [] : [...counted, ...(awaiting > 0 ? [] : (over?.counts ?? []))].map(scaleToArrival(row.data))
}

/** What a counter gets when one thing is counted in place of another. It is never refused: what moved has moved. */
export const replaceCounts = (was: ReadonlyArray<Counted>, is: ReadonlyArray<Counted>): ReadonlyArray<ChangeSet> => {
  const sums = new Map<string, { readonly key: string; readonly bucket: number; by: bigint }>()
  for (const [all, sign] of [
    [was, -1n],
    [is, 1n]
  ] as const)
    for (const { add, bucket, key } of all) {
      const sum = sums.get(`${key}@${bucket}`) ?? { key, bucket, by: 0n }
      sum.by += sign * BigInt(add)
      sums.set(`${key}@${bucket}`, sum)
    }
  const changed = [...sums.values()].filter(({ by }) => by !== 0n)
  return changed.length === 0
    ? []
    : [{ counters: changed.map(({ bucket, by, key }) => ({ key, bucket, from: null, add: by.toString(), max: null })) }]
}

/**
 * The derived write of each movement (LIMITS-4): what it counts is given back in the commit of its end. A payout that comes back after its success
 * was moved, and stays counted. A failed onramp that goes on is counted again: an operator decided that. One that is paid with another amount
 * than was quoted counts what was paid, from then on. A payout over a limit that asks for approval counts there in the commit of its last
 * approval.
 */
export const limitRelease = <Data extends Payout>(
  before: Row<Data>,
  after: RowWrite<Data>
): Effect.Effect<ReadonlyArray<ChangeSet>> => {
  const { counted, over } = after.data
  if ((counted === undefined && over === undefined) || before.status === "success") return Effect.succeed([])
  return Effect.succeed(replaceCounts(countsOf(before), countsOf(after)))
}
