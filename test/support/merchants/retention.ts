/** A day of a merchant's traffic, and the sweep that forgets what is old of it. */
import assert from "node:assert/strict"
import { Effect } from "effect"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import type { MovementEvent } from "../../../src/engine/ports/Provider.ts"
import { Retention } from "../../../src/engine/work/upkeep/Retention.ts"
import { Transfers } from "../../../src/engine/resources/movements/transfer.ts"
import { WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { type MerchantAtWork } from "./merchant-at-work.ts"
import { call } from "../engines/simulated-engine.ts"

export const DAY = 86_400
export const keeping = { deliveries: 30, providerEvents: 60, events: 90 }

export const swept = Effect.flatMap(Retention, ({ sweep }) => Effect.repeat(sweep, { while: (more) => more }))

export const makeSuccess = (merchant_id: string, resource_id: string, event_id: string): MovementEvent => ({
  _tag: "movement",
  event_id,
  merchant_id,
  resource_id,
  outcome: "success",
  reason: null,
  transaction_hash: "0xfeed"
})

/** A transfer of 1 under a key of the day, and its success; a deposit of 1. */
export const dayOf = Effect.fnUntraced(function* (m: MerchantAtWork, day: number) {
  const inbox = yield* Inbox
  const transfers = yield* Transfers
  const caller = yield* call(m.merchant_id, { key: `day-${day}-transfer`, fingerprint: `${day}` })
  const { id } = yield* transfers.create(caller, {
    wallet_id: m.wallet.id,
    beneficiary_id: m.beneficiary,
    amount: "1",
    reference: `day-${day}`
  })
  yield* m.settle
  assert.equal(yield* inbox.receive("simulated", makeSuccess(m.merchant_id, id, `their-${day}`)), "applied")
  yield* m.deposit({ amount: "1", payin_id: `payin-${day}` })
  yield* m.settle
  return id
})

export const subscribe = Effect.fnUntraced(function* (m: MerchantAtWork) {
  const endpoints = yield* WebhookEndpoints
  const { id } = yield* endpoints.create(m.caller, { url: "https://receiver.example/" })
  yield* endpoints.update(m.caller, id, { active: true })
  return id
})
