/** The types of the client: each line with an expectation is a mistake that the compiler must find. `npm run check:types` does. */
import { describe, expect, expectTypeOf, it } from "vitest"
import {
  type Corridor,
  type CorridorOperator,
  createClient,
  createOperatorClient,
  type ErrorCode,
  type Feed,
  type List,
  type Transfer,
  type WebhookEvent
} from "../../src/client/index.ts"
import { makeScriptedFetch, success } from "../support/http/scripted-fetch.ts"
import { covers } from "../support/repository/covers.ts"

const { fetch } = makeScriptedFetch(success({}))
const corridor: Corridor = createClient({ baseUrl: "https://a.example", apiKey: "sk_1", fetch })
const operator: CorridorOperator = createOperatorClient({ baseUrl: "https://a.example", token: "op_1", fetch })

/** `event_type` narrows an event: its object then has the members of that resource. */
const amountOf = (event: WebhookEvent): string => {
  switch (event.event_type) {
    case "transfer.success":
      return event.event_object.amount
    case "deposit.confirmed":
      return event.event_object.source_amount ?? ""
    case "kyc.approved":
      return event.event_object_status
    default:
      return event.event_object_id
  }
}

/** Calls that do not type-check. They are compiled and never run. */
const mistakes = (): ReadonlyArray<unknown> => [
  // @ts-expect-error -- the amount is a decimal text
  corridor.transfers.create({ wallet_id: "wal_1", beneficiary_id: "ben_1", amount: 25 }),
  // @ts-expect-error -- no currency is on this network
  corridor.wallets.create({ currency: "USDC", network: "bsae" }),
  // @ts-expect-error -- a required member is missing
  corridor.transfers.create({ wallet_id: "wal_1", amount: "25.00" }),
  // @ts-expect-error -- no transfer is ever returned
  corridor.transfers.list({ status: "returned" }),
  // @ts-expect-error -- a creation has no version
  corridor.transfers.create({ wallet_id: "wal_1", beneficiary_id: "ben_1", amount: "1" }, { ifMatch: "1" }),
  // @ts-expect-error -- a change has no idempotency key
  corridor.wallets.update("wal_1", {}, { idempotencyKey: "12345678" }),
  // @ts-expect-error -- an id is required
  corridor.transfers.get(),
  // @ts-expect-error -- both ids are required
  corridor.depositAddresses.get("wal_1"),
  // @ts-expect-error -- operators have no transfers to create
  operator.transfers,
  // @ts-expect-error -- merchants have no ledger
  corridor.ledger,
  // @ts-expect-error -- a member that there is not
  corridor.transfers.get("tfr_1").then(({ price }) => price),
  // @ts-expect-error -- an operator has a token
  createOperatorClient({ baseUrl: "https://a.example", apiKey: "sk_1" })
]

describe("the types of the client", () => {
  covers("CLIENT-6")
  it("are those of the document", () => {
    expectTypeOf(corridor.transfers.get).returns.toEqualTypeOf<Promise<Transfer>>()
    expectTypeOf(corridor.transfers.list).returns.toEqualTypeOf<List<Transfer>>()
    expectTypeOf(corridor.events.feed).returns.toExtend<Feed<object>>()
    expectTypeOf<Transfer["status"]>().toEqualTypeOf<"processing" | "success" | "failed">()
    expectTypeOf<Transfer["amount"]>().toEqualTypeOf<string>()
    expectTypeOf<ErrorCode>().toExtend<string>()
    expectTypeOf<"rate_limited">().toExtend<ErrorCode>()
    expectTypeOf(corridor.webhooks.verify).returns.toEqualTypeOf<Promise<WebhookEvent>>()
    expectTypeOf<Extract<WebhookEvent, { event_type: "transfer.success" }>["event_object"]>().toExtend<{
      amount: string
    }>()
    expectTypeOf<WebhookEvent["event_type"]>().toExtend<`${string}.${string}`>()
    expectTypeOf<"kyc.approved">().toExtend<WebhookEvent["event_type"]>()
    expectTypeOf(operator.merchants.apiKeys.create).parameter(0).toEqualTypeOf<string>()
    expect(amountOf).toBeTypeOf("function")
    expect(mistakes).toBeTypeOf("function")
  })
})
