/** Movements of 100 by a merchant that has 1000, and how their stories are told: for scenarios of transfers and offramps. */
import assert from "node:assert/strict"
import { Effect } from "effect"
import { type MerchantAtWork, eventLine } from "./merchant-at-work.ts"
import { Beneficiaries } from "../../../src/engine/resources/parties/beneficiary.ts"

/** What was published of a resource, a line for each event. */
export const story = (m: MerchantAtWork, id: string) => Effect.map(m.published(id), (events) => events.map(eventLine))

export const untouched = { available: "1000.00", reserved: "0.00", held: "0.00" }
export const less = (available: string) => ({ ...untouched, available })

export const movements = ["transfer", "offramp"] as const
export type Movement = (typeof movements)[number]

/** A movement of 100 that has been submitted and waits for its outcome. */
export const submitMovement = Effect.fnUntraced(function* (
  m: MerchantAtWork,
  kind: Movement,
  more: { readonly retry_on_failure?: boolean } = {}
) {
  const { id } = yield* kind === "transfer" ? m.transfer("100", more) : m.offramp("100", more)
  yield* m.settle
  return id
})

/** The lines of a movement that is submitted. */
export const begun: Readonly<Record<Movement, ReadonlyArray<string>>> = {
  transfer: ["1 transfer.processing null>processing"],
  offramp: [
    "1 offramp.created null>created",
    "2 offramp.funds_received =created",
    "3 offramp.processing created>processing"
  ]
}

/** Those, and the last one: `processing>failed`. */
export const ending = (kind: Movement, change: string): ReadonlyArray<string> => {
  const status = change.slice(change.indexOf(">") + 1)
  return [...begun[kind], `${begun[kind].length + 1} ${kind}.${status} ${change}`]
}

/** The one reversal of a returned offramp: a confirmed deposit below it, with nothing published of it. */
export const reversalOf = Effect.fnUntraced(function* (m: MerchantAtWork, id: string) {
  const parent = id.replace("ofr_", "txn_")
  const reversals = (yield* m.transactions).filter(({ source_type }) => source_type === "offramp_reversal")
  assert.strictEqual(reversals.length, 1)
  assert.partialDeepStrictEqual(reversals[0]!, {
    type: "deposit",
    status: "confirmed",
    source_id: id,
    parent_transaction_id: parent,
    root_transaction_id: parent,
    destination_amount: "100.00",
    received_amount: "100.00",
    to_wallet_id: m.wallet.id
  })
  assert.deepStrictEqual(
    reversals[0]!.related_transactions.map(({ id, type }) => ({ id, type })),
    [{ id: parent, type: "offramp" }]
  )
  const offramp = yield* m.body(parent)
  assert.deepStrictEqual(
    offramp["related_transactions"].map(({ id }: { id: string }) => id),
    [reversals[0]!.id]
  )
  assert.deepStrictEqual(yield* m.published(reversals[0]!.id), [])
})

/** A beneficiary whose screening is deferred: its address ends so. */
export const createUnscreened = Effect.fnUntraced(function* (m: MerchantAtWork) {
  return yield* (yield* Beneficiaries).create(m.caller, {
    type: "crypto",
    name: "Chidi",
    currency: "USDC",
    details: { network: "base", address: "0x52908400098527886e0f7030069857d2e416dead" }
  })
})
