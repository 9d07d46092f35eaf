/** Any resource by its id, for the operator: its `/v1` body, and the resources that it is related to (OPERATOR-10). */
import { Context, Effect, Layer } from "effect"
import type { MerchantData } from "../../machines/access/merchant.ts"
import type { Call } from "../commit/call.ts"
import { Kinds } from "../commit/Kinds.ts"
import { NotFound, type StorageFault } from "../ports/errors.ts"
import { type Row, Storage } from "../ports/Storage.ts"
import { iso } from "../ports/Time.ts"
import { accessRequestBody } from "../representations/access/access-request.ts"
import { apiKeyBody, merchantBody } from "../representations/access/merchant.ts"
import { operatorBody } from "../representations/access/operator.ts"
import { brakeBody } from "../representations/movements/brake.ts"
import { isTransactionId } from "../representations/movements/transaction.ts"
import type { ResourceBody } from "../representations/timeline.ts"
import { webhookEndpointBody } from "../representations/webhooks/webhook-endpoint.ts"
import { ExceptionKind } from "../resources/deposits/exception.ts"
import { exceptionBody } from "../resources/deposits/exceptions.ts"
import { Conversions } from "../resources/movements/conversion.ts"
import { executedScope } from "../resources/movements/execution.ts"
import { Offramps } from "../resources/movements/offramp.ts"
import { Onramps } from "../resources/movements/onramp.ts"
import { Quotes } from "../resources/movements/quote.ts"
import { Transfers } from "../resources/movements/transfer.ts"
import { Beneficiaries } from "../resources/parties/beneficiary.ts"
import { adjustingEntryBody } from "../representations/reconciliation/adjusting-entry.ts"
import { externalAccountBody } from "../representations/reconciliation/external-account.ts"
import { Customers } from "../resources/parties/customer.ts"
import { Senders } from "../resources/parties/sender.ts"
import { Verifications } from "../resources/parties/verification.ts"
import { DepositAddresses } from "../resources/wallets/deposit-address.ts"
import { WalletCredentials } from "../resources/wallets/wallet-credential.ts"
import { Wallets } from "../resources/wallets/wallet.ts"
import { findAnywhere } from "./find.ts"
import { Transactions } from "./transaction.ts"

/** The most exceptions that are listed with a resource. */
const EXCEPTIONS_MAX = 50

/** The body of a resource, read as its merchant reads it. A link that opens a customer's verification is a secret. */
const bodyOf = (call: Call, row: Row<any>) => {
  const { id, data } = row
  switch (row.kind) {
    case "merchant":
      return Effect.succeed(merchantBody(row))
    case "api_key":
      return Effect.succeed(apiKeyBody(row))
    case "access_request":
      return Effect.succeed(accessRequestBody(row))
    case "operator":
      return Effect.succeed(operatorBody(row))
    case "brake":
      return Effect.succeed(brakeBody(row))
    case "exception":
      return Effect.succeed(exceptionBody(row))
    case "adjusting_entry":
      return Effect.succeed(adjustingEntryBody(row))
    case "external_account":
      return Effect.succeed(externalAccountBody(row))
    case "webhook_endpoint":
      return Effect.succeed(webhookEndpointBody(row))
    case "customer":
      return Effect.map(
        Customers.use((s) => s.get(call, id)),
        bodyIn
      )
    case "verification":
      return Effect.map(
        Verifications.use((s) => s.get(call, data.customer_id, id)),
        ({ body }) => ({
          ...body,
          hosted_url: null
        })
      )
    case "wallet":
      return Effect.map(
        Wallets.use((s) => s.get(call, id)),
        bodyIn
      )
    case "wallet_credential":
      return Effect.map(
        WalletCredentials.use((s) => s.get(call, data.wallet_id, id)),
        bodyIn
      )
    case "deposit_address":
      return Effect.map(
        DepositAddresses.use((s) => s.get(call, data.wallet_id, id)),
        bodyIn
      )
    case "beneficiary":
      return Effect.map(
        Beneficiaries.use((s) => s.get(call, id)),
        bodyIn
      )
    case "sender":
      return Effect.map(
        Senders.use((s) => s.get(call, id)),
        bodyIn
      )
    case "quote":
      return Effect.map(
        Quotes.use((s) => s.get(call, id)),
        bodyIn
      )
    case "onramp":
      return Effect.map(
        Onramps.use((s) => s.get(call, id)),
        bodyIn
      )
    case "offramp":
      return Effect.map(
        Offramps.use((s) => s.get(call, id)),
        bodyIn
      )
    case "conversion":
      return Effect.map(
        Conversions.use((s) => s.get(call, id)),
        bodyIn
      )
    case "transfer":
      return Effect.map(
        Transfers.use((s) => s.get(call, id)),
        bodyIn
      )
    case "deposit":
      return Effect.map(
        Transactions.use((s) => s.get(call, id)),
        bodyIn
      )
    default:
      return Effect.fail(new NotFound({ message: `There is no resource ${JSON.stringify(id)}.` }))
  }
}

const bodyIn = <Body>({ body }: { readonly body: Body }): Body => body

type Related = ResourceBody["related"][number]

/** The resources that the data of a row names: `quote_id` names a quote. */
const named = (kinds: Kinds["Service"], { data, id: self }: Row): ReadonlyArray<Related> =>
  Object.entries(data as object).flatMap(([name, id]): ReadonlyArray<Related> => {
    const kind = typeof id === "string" && name.endsWith("_id") && !isTransactionId(id) ? kinds.ofId(id) : undefined
    return kind === undefined || id === self ? [] : [{ id, kind: kind.kind, relation: name.slice(0, -"_id".length) }]
  })

export class Resources extends Context.Service<Resources>()("corridor/engine/Resources", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const kinds = yield* Kinds

    const relatedTo = Effect.fnUntraced(function* (row: Row): Effect.fn.Return<ReadonlyArray<Related>, StorageFault> {
      const { customer_id, id, kind, merchant_id, root_id } = row
      const [children, exceptions, movement] = yield* Effect.all(
        [
          storage.descendants(merchant_id, [id]),
          storage.list({
            merchant_id,
            kinds: [ExceptionKind.kind],
            index_keys: [`resource_id=${id}`],
            offset: 0,
            limit: EXCEPTIONS_MAX
          }),
          kind === "quote" ? storage.uniqueKeyOwner(merchant_id, executedScope.name, id) : Effect.undefined
        ],
        { concurrency: 3 }
      )
      const named_ = named(kinds, row)
      const of = (other: string | null | undefined, relation: string): ReadonlyArray<Related> => {
        const found = other === null || other === undefined ? undefined : kinds.ofId(other)
        return found === undefined || other === id ? [] : [{ id: other!, kind: found.kind, relation }]
      }
      const all = [
        ...of(customer_id, "customer"),
        ...named_,
        ...of(root_id, "root"),
        ...of(movement, "movement"),
        ...children.flatMap((child) => of(child.id, "child")),
        ...exceptions.items.flatMap((exception) => of(exception.id, "exception"))
      ]
      return all.filter((one, at) => all.findIndex((other) => other.id === one.id) === at)
    })

    return {
      /** Errors: `NotFound`, also for a record without a representation. */
      get: Effect.fnUntraced(function* (operator: Call, id: string) {
        const row = yield* findAnywhere(storage, kinds, id)
        const { merchant_id } = row
        const [related, merchant, resource] = yield* Effect.all(
          [relatedTo(row), storage.find("merchant", merchant_id), bodyOf({ ...operator, merchant_id }, row)],
          { concurrency: 3 }
        )
        return {
          id: row.id,
          kind: row.kind,
          merchant_id,
          merchant_name: (merchant?.data as MerchantData | undefined)?.name ?? null,
          customer_id: row.customer_id,
          status: row.status,
          state: row.state,
          machine: row.machine,
          created_at: iso(row.created_at),
          updated_at: iso(row.updated_at),
          resource: resource as ResourceBody["resource"],
          related
        } satisfies ResourceBody
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
