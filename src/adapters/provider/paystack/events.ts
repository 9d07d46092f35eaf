/** Callbacks, which are a reason to look up, and the sweep, which needs none of them. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Effect, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { EventSources, NoEvent, ProviderEvent, UnreadableEvent } from "../../../engine/ports/Provider.ts"
import { keptText, readJson } from "../company/client.ts"
import type { Reports } from "../company/reports.ts"
import { lookAtEach, makeSweep } from "../company/sweep.ts"
import { type ListedItem, nameOf, type PaystackCalls } from "./calls.ts"
import { commandOf } from "./mapping.ts"
import type { PaystackKey } from "./options.ts"
import type { PaystackPayins } from "./payins.ts"
import { commandOfRefund, lookAgain, type PaystackParts } from "./payouts.ts"

const Callback = Schema.Struct({
  event: Schema.String,
  data: Schema.Struct({
    reference: Schema.optionalKey(Schema.NullOr(Schema.String)),
    transaction_reference: Schema.optionalKey(Schema.NullOr(Schema.String)),
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

export const makeEvents = (
  parts: PaystackParts,
  all: ReadonlyArray<PaystackCalls>,
  keys: ReadonlyArray<PaystackKey>,
  payins: PaystackPayins,
  reports: Reports,
  interval_ms: number
): EventSources => {
  const { callsOf, owners, round, submissions } = parts
  /** Asks about a transfer, if it is of a command of ours. */
  const lookUpTransfer = Effect.fnUntraced(function* (reference: string) {
    const sent = yield* submissions.find(commandOf(reference))
    return sent === undefined ? null : yield* lookAgain(parts, sent)
  })

  /** Asks about the refunds of a pay-in. A sweep reports all of them; the callback, the last one that has an outcome. */
  const lookUpRefunds = Effect.fnUntraced(function* (reference: string | null | undefined) {
    let found: ProviderEvent | null = null
    if (typeof reference === "string")
      for (const sent of yield* payins.refundsOf(reference)) found = (yield* lookAgain(parts, sent)) ?? found
    return found
  })

  const eventOf = Effect.fnUntraced(function* (
    body: string
  ): Effect.fn.Return<ProviderEvent | UnreadableEvent | NoEvent, ProviderFault> {
    const json = readJson(body)
    const read = callbackIn(json)
    if (read._tag === "None")
      return { _tag: "unreadable", content: json ?? keptText(body, 2000), fault: "it is no event of Paystack's" }
    const { data, event } = read.value
    const { currency, customer, reference, transaction_reference } = data
    if (event.startsWith("refund.")) return (yield* lookUpRefunds(transaction_reference ?? reference)) ?? none
    if (typeof reference !== "string") return none
    if (event.startsWith("transfer.")) return (yield* lookUpTransfer(reference)) ?? none
    if (event !== "charge.success") return none
    const email = (customer as { readonly email?: unknown } | null | undefined)?.email
    return (yield* payins.lookUp(currency ?? "", reference, typeof email === "string" ? email : "")) ?? none
  })

  /** Looks at each item of a list of the last five weeks: one that cannot be read is a fault, and holds up no other. */
  const lookAtList = Effect.fnUntraced(function* (
    name: string,
    list: PaystackCalls["reversed"],
    look: (item: ListedItem) => Effect.Effect<unknown, ProviderFault>
  ) {
    let fault: ProviderFault | undefined
    yield* round({
      ...{ name, list, fromOf: (_, now) => Effect.succeed(now - returnsMs) },
      read: (items) =>
        Effect.map(Effect.result(lookAtEach(items, nameOf, look)), (end) => {
          if (end._tag === "Failure") fault ??= end.failure
        })
    })
    if (fault !== undefined) return yield* fault
  })
  const lookAtReversed = (calls: PaystackCalls) =>
    lookAtList(`returns/${calls.currency}`, calls.reversed, ({ reference }) =>
      Effect.gen(function* () {
        if (typeof reference !== "string")
          return yield* new ProviderFault({ message: "a transfer that came back has no reference that can be read" })
        const sent = yield* submissions.find(commandOf(reference))
        if (sent !== undefined && sent.state !== "reversed" && callsOf(sent.currency) === calls)
          yield* lookAgain(parts, sent)
      })
    )
  /** Refunds whose state is another one than was last seen: one that was processed may fail. */
  const lookAtRefunds = (calls: PaystackCalls) =>
    lookAtList(`refunds/${calls.currency}`, calls.refunds, (item) =>
      Effect.gen(function* () {
        const sent = yield* commandOfRefund(parts, item)
        if (sent !== undefined && sent.state !== item.status && callsOf(sent.currency) === calls)
          yield* lookAgain(parts, sent)
      })
    )
  const checkKey = Effect.fnUntraced(function* (calls: PaystackCalls) {
    const refusal = yield* owners.refusal(calls)
    if (refusal !== undefined) return yield* new ProviderFault({ message: refusal })
  })
  const refunding = all.filter(({ currency }) => payins.serves(currency))
  const swept = makeSweep(submissions, (sent) => lookAgain(parts, sent), [
    ...all.map(checkKey),
    ...all.map(lookAtReversed),
    ...refunding.map(lookAtRefunds),
    ...payins.sweeps(all)
  ])

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
