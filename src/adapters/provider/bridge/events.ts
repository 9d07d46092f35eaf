/** Webhooks, which are a reason to look up, and the sweep, which needs none of them. */
import { createHash, type KeyObject, verify } from "node:crypto"
import { Effect, Schema } from "effect"
import type { EventSources } from "../../../engine/ports/Provider.ts"
import { Loose, isPlainId, PlainId } from "../company/answers.ts"
import { makeCallbackReader, makeDecoder, makeEventSources, makeSweep, returnDays, turnsOf } from "../company/sweep.ts"
import type { BridgePayins } from "./payins.ts"
import type { BridgeParts, BridgeTransfers } from "./payouts.ts"

const Webhook = Schema.Struct({
  event_category: Schema.String,
  event_object_id: Schema.optionalKey(Schema.NullOr(PlainId)),
  event_object: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ client_reference_id: Loose, virtual_account_id: Loose, deposit_id: Loose }))
  )
})

/** A webhook is taken so long before and after its time, milliseconds: each time that it is sent again, it is signed anew. */
const toleranceMs = 10 * 60_000

/** RSA with SHA-256 over the SHA-256 digest of the time and the raw bytes: Bridge hashes twice. */
const isSigned = (keys: ReadonlyArray<KeyObject>, header: string | undefined, bytes: Uint8Array, now: number) => {
  const [, at, signature] = /^t=(\d{1,16}),v0=([A-Za-z0-9+/]{1,2000}={0,2})$/.exec(header ?? "") ?? []
  if (at === undefined || signature === undefined || Math.abs(now - Number(at)) > toleranceMs) return false
  const digest = createHash("sha256").update(`${at}.`).update(bytes).digest()
  return keys.some((key) => verify("sha256", digest, key, Buffer.from(signature, "base64")))
}

export const makeEvents = (
  { config, reports, submissions }: BridgeParts,
  { lookAgain, ofPayment }: BridgeTransfers,
  payins: BridgePayins
): EventSources => {
  const report = makeCallbackReader(
    Webhook,
    "webhook of Bridge's",
    Effect.fnUntraced(function* ({ event_category, event_object, event_object_id: id }) {
      const { client_reference_id: reference, deposit_id, virtual_account_id } = event_object ?? {}
      if (event_category === "virtual_account.activity")
        return isPlainId(virtual_account_id) && isPlainId(deposit_id)
          ? yield* payins.lookUp(virtual_account_id, deposit_id)
          : null
      if (event_category !== "transfer" || id === undefined || id === null) return null
      // It may come before the answer that has the id.
      const sent =
        (yield* ofPayment(id)) ?? (typeof reference === "string" ? yield* submissions.find(reference) : undefined)
      return sent === undefined ? null : yield* lookAgain(sent, id)
    })
  )
  const decode = makeDecoder(
    (headers, bytes, now) => isSigned(config.webhook_keys, headers["x-webhook-signature"], bytes, now),
    report
  )
  const lookAtPaid = turnsOf(submissions, submissions.endedWithin(returnDays, "paidOn"), (sent) => lookAgain(sent))
  const swept = makeSweep(submissions, (sent) => lookAgain(sent), [...payins.sweeps, lookAtPaid], [payins.judge])
  const isDecoding = config.webhook_keys.length > 0
  return makeEventSources(isDecoding ? decode : undefined, swept, reports, config.events_interval_ms)
}
