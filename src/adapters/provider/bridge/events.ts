/** Webhooks, which are a reason to look up, and the sweep, which needs none of them. */
import { createHash, type KeyObject, verify } from "node:crypto"
import { Effect, Schema } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { EventSources, NoEvent, ProviderEvent, UnreadableEvent } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { toStorableText, readJson } from "../company/client.ts"
import type { Reports } from "../company/reports.ts"
import { makeSweep, makeTurns } from "../company/sweep.ts"
import { BridgeId } from "./mapping.ts"
import type { BridgePayins } from "./payins.ts"
import type { BridgeParts, BridgeTransfers } from "./transfers.ts"

const Loose = Schema.optionalKey(Schema.Unknown)
const webhookIn = Schema.decodeUnknownOption(
  Schema.Struct({
    event_category: Schema.String,
    event_object_id: Schema.optionalKey(Schema.NullOr(BridgeId)),
    event_object: Schema.optionalKey(
      Schema.NullOr(Schema.Struct({ client_reference_id: Loose, virtual_account_id: Loose, deposit_id: Loose }))
    )
  })
)
const isId = Schema.is(BridgeId)
const none: NoEvent = { _tag: "none" }

/** A webhook is taken so long before and after its time, milliseconds: each time that it is sent again, it is signed anew. */
const toleranceMs = 10 * 60_000

/** RSA with SHA-256 over the SHA-256 digest of the time and the raw bytes: Bridge hashes twice. */
const isSigned = (keys: ReadonlyArray<KeyObject>, header: string | undefined, bytes: Uint8Array, now: number) => {
  const [, at, signature] = /^t=(\d{1,16}),v0=([A-Za-z0-9+/]{1,2000}={0,2})$/.exec(header ?? "") ?? []
  if (at === undefined || signature === undefined || Math.abs(now - Number(at)) > toleranceMs) return false
  const digest = createHash("sha256").update(`${at}.`).update(bytes).digest()
  return keys.some((key) => verify("sha256", digest, key, Buffer.from(signature, "base64")))
}

/** What was paid may come back so many days after. So many are looked at in a sweep. */
const returnDays = 35
const lookedAtMax = 20

export const makeEvents = (
  { config, entries, submissions }: BridgeParts,
  { lookAgain, ofTransfer }: BridgeTransfers,
  payins: BridgePayins,
  reports: Reports
): EventSources => {
  const report = Effect.fnUntraced(function* (
    text: string
  ): Effect.fn.Return<ProviderEvent | UnreadableEvent | NoEvent, ProviderFault> {
    const json = readJson(text)
    const found = webhookIn(json)
    if (found._tag === "None")
      return { _tag: "unreadable", content: json ?? toStorableText(text, 2000), fault: "it is no webhook of Bridge's" }
    const { event_category, event_object, event_object_id: id } = found.value
    if (event_category === "virtual_account.activity") {
      const { deposit_id, virtual_account_id } = event_object ?? {}
      return isId(virtual_account_id) && isId(deposit_id)
        ? ((yield* payins.lookUp(virtual_account_id, deposit_id)) ?? none)
        : none
    }
    if (event_category !== "transfer" || id === undefined || id === null) return none
    const reference = event_object?.client_reference_id
    // It may come before the answer that has the id.
    const sent =
      (yield* ofTransfer(id)) ?? (typeof reference === "string" ? yield* submissions.find(reference) : undefined)
    return sent === undefined ? none : ((yield* lookAgain(sent, id)) ?? none)
  })

  const swept = makeSweep(submissions, (sent) => lookAgain(sent), [
    ...payins.sweeps,
    makeTurns(submissions.endedWithin(returnDays, entries.index.paidOn), lookedAtMax, (sent) => lookAgain(sent))
  ])

  return {
    ...(config.webhook_keys.length > 0 && {
      decode: (headers: { readonly [name: string]: string | undefined }, body: string, bytes?: Uint8Array) =>
        Effect.flatMap(wallNow, (now) =>
          isSigned(config.webhook_keys, headers["x-webhook-signature"], bytes ?? Buffer.from(body), now)
            ? report(body)
            : Effect.succeed(undefined)
        )
    }),
    after: Effect.fnUntraced(function* (cursor: string | null) {
      const fault = yield* swept
      const judged = yield* Effect.result(payins.judge)
      const faults = [
        ...(fault === undefined ? [] : [fault]),
        ...(judged._tag === "Failure" ? [judged.failure.message] : [])
      ]
      return { ...(yield* reports.after(cursor)), fault: faults[0] }
    }),
    interval_ms: config.events_interval_ms
  }
}
