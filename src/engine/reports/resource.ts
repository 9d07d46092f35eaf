/** Any resource by its id, for the operator: its `/v1` body, and the resources that it is related to (OPERATOR-10). */
import { Context, Effect, Layer, Struct } from "effect"
import type { MerchantData } from "../../machines/access/merchant.ts"
import { toRefundName } from "../../machines/kernel/lifecycle.ts"
import { commandName } from "../../machines/kernel/payout.ts"
import type { Call } from "../commit/call.ts"
import { isSubmitted, type Kind, Kinds } from "../commit/kind.ts"
import { listReports } from "../commit/reported-outcomes.ts"
import { jobId } from "../commit/steps.ts"
import { deriveStatementReference } from "../input/statement-reference.ts"
import { NotFound, type StorageFault } from "../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../ports/Storage.ts"
import { accessRequestBody } from "../representations/access/access-request.ts"
import { apiKeyBody, merchantBody } from "../representations/access/merchant.ts"
import { operatorBody } from "../representations/access/operator.ts"
import { approvalBody } from "../representations/controls/approval.ts"
import { approvalRuleBody } from "../representations/controls/approval-rule.ts"
import { limitBody } from "../representations/controls/limit.ts"
import { batchBody } from "../representations/movements/batch.ts"
import { brakeBody } from "../representations/movements/brake.ts"
import { feeScheduleBody } from "../representations/movements/fee-schedule.ts"
import { isTransactionId } from "../representations/movements/transaction.ts"
import type { ResourceBody } from "../representations/timeline.ts"
import { webhookEndpointBody } from "../representations/webhooks/webhook-endpoint.ts"
import { BreakKind } from "../resources/reconciliation/break.ts"
import { ExceptionKind } from "../resources/deposits/exception.ts"
import { Exceptions } from "../resources/deposits/exceptions.ts"
import { Conversions } from "../resources/movements/conversion.ts"
import { executedScope } from "../resources/movements/creation.ts"
import { Offramps } from "../resources/movements/offramp.ts"
import { Onramps } from "../resources/movements/onramp.ts"
import { Quotes } from "../resources/movements/quote.ts"
import { Transfers } from "../resources/movements/transfer.ts"
import { Beneficiaries } from "../resources/parties/beneficiary.ts"
import { breakBody } from "../representations/reconciliation/break.ts"
import { adjustingEntryBody } from "../representations/reconciliation/adjusting-entry.ts"
import { externalAccountBody } from "../representations/reconciliation/external-account.ts"
import { bankStatementBody } from "../representations/reconciliation/statement.ts"
import { closingBody } from "../representations/reconciliation/closing.ts"
import { statementMappingBody } from "../representations/reconciliation/statement-mapping.ts"
import { bankStatementLineBody } from "../representations/reconciliation/statement-line.ts"
import { Customers } from "../resources/parties/customer.ts"
import { Senders } from "../resources/parties/sender.ts"
import { Verifications } from "../resources/parties/verification.ts"
import { DepositAddresses } from "../resources/wallets/deposit-address.ts"
import { WalletCredentials } from "../resources/wallets/wallet-credential.ts"
import { Wallets } from "../resources/wallets/wallet.ts"
import { findAnywhere } from "./find.ts"
import { Transactions } from "./transaction.ts"
import { timesOf } from "../representations/members.ts"

/** The most exceptions, and breaks, that are listed with a resource. */
const EXCEPTIONS_MAX = 50

/** Kinds whose body is made of the row alone. */
const ofRow: Readonly<Record<string, (row: Row<any>) => unknown>> = {
  merchant: merchantBody,
  api_key: apiKeyBody,
  access_request: accessRequestBody,
  operator: operatorBody,
  batch: batchBody,
  brake: brakeBody,
  approval: approvalBody,
  approval_rule: approvalRuleBody,
  fee_schedule: feeScheduleBody,
  limit: limitBody,
  break: breakBody,
  adjusting_entry: adjustingEntryBody,
  external_account: externalAccountBody,
  statement: bankStatementBody,
  closing: closingBody,
  statement_mapping: statementMappingBody,
  statement_line: bankStatementLineBody,
  webhook_endpoint: webhookEndpointBody
}

/** Makes the reader of a resource's body from the operation by which its merchant reads it. */
const makeBodyReader =
  <Body, E, R>(get: (call: Call, row: Row<any>) => Effect.Effect<{ readonly body: Body }, E, R>) =>
  (call: Call, row: Row<any>) =>
    Effect.map(get(call, row), ({ body }) => body)

/** The others, as their merchant reads them. A link that opens a customer's verification is a secret. */
const ofMerchant = {
  customer: makeBodyReader((call, { id }) => Customers.use((s) => s.get(call, id))),
  verification: (call: Call, { data, id }: Row<any>) =>
    Effect.map(
      Verifications.use((s) => s.get(call, data.customer_id, id)),
      ({ body }) => ({ ...body, hosted_url: null })
    ),
  wallet: makeBodyReader((call, { id }) => Wallets.use((s) => s.get(call, id))),
  wallet_credential: makeBodyReader((call, { data, id }) =>
    WalletCredentials.use((s) => s.get(call, data.wallet_id, id))
  ),
  deposit_address: makeBodyReader((call, { data, id }) => DepositAddresses.use((s) => s.get(call, data.wallet_id, id))),
  beneficiary: makeBodyReader((call, { id }) => Beneficiaries.use((s) => s.get(call, id))),
  sender: makeBodyReader((call, { id }) => Senders.use((s) => s.get(call, id))),
  quote: makeBodyReader((call, { id }) => Quotes.use((s) => s.get(call, id))),
  onramp: makeBodyReader((call, { id }) => Onramps.use((s) => s.get(call, id))),
  offramp: makeBodyReader((call, { id }) => Offramps.use((s) => s.get(call, id))),
  conversion: makeBodyReader((call, { id }) => Conversions.use((s) => s.get(call, id))),
  transfer: makeBodyReader((call, { id }) => Transfers.use((s) => s.get(call, id))),
  exception: (_: Call, { id }: Row<any>) => Exceptions.use((s) => s.get(id)),
  deposit: makeBodyReader((call, { id }) => Transactions.use((s) => s.get(call, id)))
} as const

/** Reads the body of a resource. Errors: `NotFound` for a kind that has none. */
const readResourceBody = (call: Call, row: Row<any>) => {
  const made = ofRow[row.kind]
  if (made !== undefined) return Effect.succeed(made(row))
  if (row.kind in ofMerchant) return ofMerchant[row.kind as keyof typeof ofMerchant](call, row)
  return Effect.fail(new NotFound({ message: `There is no resource ${JSON.stringify(row.id)}.` }))
}

/** The state of a resource whose money is on its way back to its payer. */
const refundingState = "refunding"

/** Lists the ids of the commands that move the money of a row: its payout, and the refunds that were reported or are under way. */
const listCommandIds = (kinds: Kinds["Service"], row: Row): ReadonlyArray<string> => {
  const kind = kinds.byName.get(row.kind)
  if (kind?.refund === undefined && !isSubmitted(kind)) return []
  const reported = listReports(row).map(({ command_id }) => command_id)
  const { refunds = 1 } = row.data as { readonly refunds?: number }
  const underWay = row.state === refundingState ? [jobId(row.id, toRefundName(refunds))] : []
  return [...new Set([...(isSubmitted(kind) ? [jobId(row.id, commandName)] : []), ...reported, ...underWay])]
}

type Related = ResourceBody["related"][number]
type Relation = Omit<Related, "title">

/** Lists the resources that the data of a row names: `quote_id` names a quote. */
const listRelations = (kinds: Kinds["Service"], { data, id: self }: Row): ReadonlyArray<Relation> =>
  Object.entries(data as object).flatMap(([name, id]): ReadonlyArray<Relation> => {
    const kind = typeof id === "string" && name.endsWith("_id") && !isTransactionId(id) ? kinds.ofId(id) : undefined
    return kind === undefined || id === self ? [] : [{ id, kind: kind.kind, relation: name.slice(0, -"_id".length) }]
  })

const readTitle = (kinds: Kinds["Service"], { data, kind }: Row): string | null =>
  (kinds.byName.get(kind) as Kind | undefined)?.searchValues?.(data).title ?? null

export class Resources extends Context.Service<Resources>()("corridor/engine/Resources", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const kinds = yield* Kinds

    const relatedTo = Effect.fnUntraced(function* (row: Row): Effect.fn.Return<ReadonlyArray<Related>, StorageFault> {
      const { customer_id, id, kind, merchant_id, root_id } = row
      const [children, exceptions, breaks, movement] = yield* Effect.all(
        [
          storage.descendants(merchant_id, [id]),
          storage.list({
            merchant_id,
            kinds: [ExceptionKind.kind],
            index_keys: [`resource_id=${id}`],
            offset: 0,
            limit: EXCEPTIONS_MAX
          }),
          storage.list({
            merchant_id: PLATFORM_MERCHANT,
            kinds: [BreakKind.kind],
            index_keys: [`resource_id=${id}`],
            offset: 0,
            limit: EXCEPTIONS_MAX
          }),
          kind === "quote" ? storage.uniqueKeyOwner(merchant_id, executedScope.name, id) : Effect.undefined
        ],
        { concurrency: 4 }
      )
      const named_ = listRelations(kinds, row)
      const of = (other: string | null | undefined, relation: string): ReadonlyArray<Relation> => {
        const found = other === null || other === undefined ? undefined : kinds.ofId(other)
        return found === undefined || other === id ? [] : [{ id: other!, kind: found.kind, relation }]
      }
      const all = [
        ...of(customer_id, "customer"),
        ...named_,
        ...of(root_id, "root"),
        ...of(movement, "movement"),
        ...children.flatMap((child) => of(child.id, "child")),
        ...exceptions.items.flatMap((exception) => of(exception.id, "exception")),
        ...breaks.items.flatMap((one) => of(one.id, "break"))
      ]
      const once = all.filter((one, at) => all.findIndex((other) => other.id === one.id) === at)
      const rows = yield* storage.get(
        once.map((one) => ({ ...one, merchant_id: one.kind === BreakKind.kind ? PLATFORM_MERCHANT : merchant_id }))
      )
      const titles = new Map(rows.map((found) => [found.id, readTitle(kinds, found)]))
      return once.map((one) => ({ ...one, title: titles.get(one.id) ?? null }))
    })

    return {
      /** Errors: `NotFound`, also for a record without a representation. */
      get: Effect.fnUntraced(function* (operator: Call, id: string) {
        const row = yield* findAnywhere(storage, kinds, id)
        const { merchant_id } = row
        const [related, merchant, resource] = yield* Effect.all(
          [relatedTo(row), storage.find("merchant", merchant_id), readResourceBody({ ...operator, merchant_id }, row)],
          { concurrency: 3 }
        )
        return {
          ...Struct.pick(row, ["id", "kind", "customer_id", "status", "state", "machine"]),
          merchant_id,
          merchant_name: (merchant?.data as MerchantData | undefined)?.name ?? null,
          ...timesOf(row),
          commands: listCommandIds(kinds, row).map((id) => ({
            command_id: id,
            statement_reference: deriveStatementReference(id)
          })),
          resource: resource as ResourceBody["resource"],
          related
        } satisfies ResourceBody
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
