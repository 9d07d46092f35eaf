/** Callbacks, which are a reason to look up, and the sweep, which needs none of them. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Effect, Schema } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { EventSources, NoEvent, ProviderEvent, UnreadableEvent } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { keptText, readJson } from "../company/client.ts"
import type { Reports } from "../company/reports.ts"
import type { PaystackCalls } from "./calls.ts"
import { commandOf } from "./mapping.ts"
import type { PaystackKey } from "./options.ts"
import type { PaystackPayins } from "./payins.ts"
import { lookAgain, type PaystackParts } from "./payouts.ts"

const Callback = Schema.Struct({
  event: Schema.String,
  data: Schema.Struct({
    reference: Schema.optionalKey(Schema.NullOr(Schema.String)),
    currency: Schema.optionalKey(Schema.NullOr(Schema.String)),
    customer: Schema.optionalKey(Schema.Unknown)
  })
})

const callbackIn = Schema.decodeUnknownOption(Callback)

/** The hex HMAC-SHA512 of the raw bytes, with the secret key itself. */
const isSigned = (keys: ReadonlyArray<PaystackKey>, signature: string | undefined, body: Uint8Array): boolean => {
  if (signature === undefined || !/^[0-9a-f]{128}$/i.test(signature)) return false
  const given = Buffer.from(signature, "hex")
  return keys
    .flatMap(({ secrets }) => secrets)
    .map((secret) => timingSafeEqual(createHmac("sha512", secret).update(body).digest(), given))
    .includes(true)
}

const none: NoEvent = { _tag: "none" }

/** Money that was paid may come back so long after, milliseconds. */
const returnsMs = 35 * 24 * 3_600_000
/** The most open commands that one sweep asks about; the others are asked about by the next ones. */
const askedMax = 50

/** A sweep ends before the engine gives up the reading, milliseconds: what it found until then is told. */
const sweepMs = 20_000

export const makeEvents = (
  parts: PaystackParts,
  all: ReadonlyArray<PaystackCalls>,
  keys: ReadonlyArray<PaystackKey>,
  payins: PaystackPayins,
  reports: Reports,
  interval_ms: number
): EventSources => {
  const { callsOf, submissions } = parts
  /** Asks about a transfer, if it is of a command of ours. */
  const lookUpTransfer = Effect.fnUntraced(function* (reference: string) {
    const sent = yield* submissions.find(commandOf(reference))
    return sent === undefined ? null : yield* lookAgain(parts, sent)
  })

  const eventOf = Effect.fnUntraced(function* (
    body: string
  ): Effect.fn.Return<ProviderEvent | UnreadableEvent | NoEvent, ProviderFault> {
    const json = readJson(body)
    const read = callbackIn(json)
    if (read._tag === "None")
      return { _tag: "unreadable", content: json ?? keptText(body, 2000), fault: "it is no event of Paystack's" }
    const { data, event } = read.value
    const { currency, customer, reference } = data
    if (typeof reference !== "string") return none
    if (event.startsWith("transfer.")) return (yield* lookUpTransfer(reference)) ?? none
    if (event !== "charge.success") return none
    const email = (customer as { readonly email?: unknown } | null | undefined)?.email
    return (yield* payins.lookUp(currency ?? "", reference, typeof email === "string" ? email : "")) ?? none
  })

  const since = Effect.map(wallNow, (now) => now - returnsMs)
  const reversedIn = Effect.fnUntraced(function* (calls: PaystackCalls) {
    for (const { reference } of yield* calls.transfers("reversed", yield* since)) {
      const sent = yield* submissions.find(commandOf(reference))
      if (sent !== undefined && sent.state !== "reversed" && callsOf(sent.currency) === calls)
        yield* lookAgain(parts, sent)
    }
  })

  /** Where the next sweep begins among the open commands, so that each has its turn. */
  let turn = 0
  const openCommands = Effect.gen(function* () {
    const open = (yield* submissions.open).filter(({ company_id, sent_at }) => sent_at !== null || company_id !== null)
    const from = open.length <= askedMax ? 0 : turn % open.length
    turn = from + askedMax
    return [...open.slice(from), ...open.slice(0, from)].slice(0, askedMax)
  })
  /** What one part cannot read holds up no other. Returns why the first of them failed. */
  const sweep = Effect.gen(function* () {
    const open = yield* openCommands
    const looks = [...open.map((sent) => lookAgain(parts, sent)), ...all.map(reversedIn), payins.sweep(all)]
    const ends = yield* Effect.forEach(looks, (part) => Effect.result<unknown, ProviderFault, never>(part), {
      concurrency: 4
    })
    return ends.flatMap((end) => (end._tag === "Failure" ? [end.failure.message] : []))[0]
  })
  const swept = Effect.timeoutOption(sweep, sweepMs).pipe(
    Effect.map((end) => (end._tag === "Some" ? end.value : `the sweep did not end within ${sweepMs} ms`)),
    Effect.catch(({ message }) => Effect.succeed(message))
  )

  return {
    decode: (headers, body, bytes) =>
      isSigned(keys, headers["x-paystack-signature"], bytes ?? Buffer.from(body))
        ? eventOf(body)
        : Effect.succeed(undefined),
    after: Effect.fnUntraced(function* (cursor: string | null) {
      const fault = yield* swept
      return { ...(yield* reports.after(cursor)), fault }
    }),
    interval_ms
  }
}
