/** What the kinds of the four movements have in common: how they are listed, found and counted, and their commands. */
import type { ActSum } from "../../../machines/controls/approval-rule.ts"
import type { Exchange } from "../../../machines/kernel/exchange.ts"
import type { Payout } from "../../../machines/kernel/payout.ts"
import { atMid } from "../../../machines/kernel/pricing.ts"
import type { RowAction } from "../../commit/row-act.ts"
import type { Measured } from "../../commit/measures.ts"
import type {
  BeneficiarySummary,
  MovementOriginator,
  PayoutParties,
  PostalAddress
} from "../../../machines/parties/summaries.ts"
import type { ResourceKind } from "../../commit/kind.ts"
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
