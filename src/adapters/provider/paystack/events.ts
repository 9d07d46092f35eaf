/** Callbacks, which are a reason to look up, and the sweep, which needs none of them. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Effect, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { EventSources, ProviderEvent } from "../../../engine/ports/Provider.ts"
import { Loose, memberOf } from "../company/answers.ts"
import type { CommandEntry } from "../company/entries.ts"
import {
  makeCallbackReader,
  makeDecoder,
  makeEventSources,
  makeReturnsSweep,
  makeSweep,
  type ReturnsList
} from "../company/sweep.ts"
import { describeItem, type PaystackItem, listsOf, type PaystackCalls } from "./calls.ts"
import { toCommandId } from "./mapping.ts"
import type { PaystackKey } from "./options.ts"
import type { PaystackPayins } from "./payins.ts"
import { commandOfRefund, type PaystackParts, type PaystackPayouts } from "./payouts.ts"

const Name = Schema.optionalKey(Schema.NullOr(Schema.String))
const Callback = Schema.Struct({
  event: Schema.String,
  data: Schema.Struct({ reference: Name, transaction_reference: Name, currency: Name, customer: Loose })
})

/** Whether the signature is the hexadecimal HMAC-SHA512 of the raw bytes under the secret of any key. */
const isSigned = (keys: ReadonlyArray<PaystackKey>, signature: string | undefined, body: Uint8Array): boolean => {
  if (signature === undefined || !/^[0-9a-f]{128}$/i.test(signature)) return false
  const given = Buffer.from(signature, "hex")
  return keys
    .flatMap(({ secrets }) => secrets)
    .map((secret) => timingSafeEqual(createHmac("sha512", secret).update(body).digest(), given))
    .includes(true)
}

export const makeEvents = (
  parts: PaystackParts,
  { lookAgain }: Pick<PaystackPayouts, "lookAgain">,
  all: ReadonlyArray<PaystackCalls>,
  keys: ReadonlyArray<PaystackKey>,
  payins: PaystackPayins,
  interval_ms: number
): EventSources => {
  const { callsOf, owners, reports, rounds, submissions } = parts

  /** What a callback is a reason to look up. Of the refunds of a pay-in, a sweep reports all; the callback, the last one that has an outcome. */
  const lookUp = Effect.fnUntraced(function* ({
    data,
    event
  }: typeof Callback.Type): Effect.fn.Return<ProviderEvent | null, ProviderFault> {
    const { currency, customer, transaction_reference } = data
    const reference = event.startsWith("refund.") ? (transaction_reference ?? data.reference) : data.reference
    if (typeof reference !== "string") return null
    if (event.startsWith("refund.")) {
      let found: ProviderEvent | null = null
      for (const sent of yield* payins.refundsOf(reference)) found = (yield* lookAgain(sent)) ?? found
      return found
    }
    if (event.startsWith("transfer.")) {
      const sent = yield* submissions.find(toCommandId(reference))
      return sent === undefined ? null : yield* lookAgain(sent)
    }
    const email = memberOf(customer, "email")
    return event === "charge.success" && typeof email === "string"
      ? yield* payins.lookUp(currency ?? "", reference, email)
      : null
  })
  const read = makeCallbackReader(Callback, "event of Paystack's", lookUp)

  const lookAtList = (calls: PaystackCalls, list: Omit<ReturnsList<PaystackItem>, "nameOf" | "stateOf">) =>
    makeReturnsSweep(
      rounds,
      {
        ...{ ...list, nameOf: describeItem, stateOf: ({ status }: PaystackItem) => status },
        commandOf: (item) =>
          Effect.map(list.commandOf(item), (sent) => (sent && callsOf(sent.currency) === calls ? sent : undefined))
      },
      lookAgain
    )
  const lookAtReversed = (calls: PaystackCalls) =>
    lookAtList(calls, {
      ...{ name: `returns/${calls.currency}`, list: calls.reversed },
      commandOf: ({ reference }) =>
        typeof reference === "string"
          ? submissions.find(toCommandId(reference))
          : Effect.fail(new ProviderFault({ message: "a transfer that came back has no reference that can be read" }))
    })
  /** One that was processed may fail. */
  const lookAtRefunds = (calls: PaystackCalls) =>
    lookAtList(calls, {
      ...{ name: listsOf(calls).refunds, list: calls.refunds, isBegun: payins.issues(calls.currency) },
      commandOf: (item) => commandOfRefund(parts, item)
    })
  const checkKey = Effect.fnUntraced(function* (calls: PaystackCalls) {
    const refusal = yield* owners.refusal(calls)
    if (refusal !== undefined) return yield* new ProviderFault({ message: refusal })
  })
  /** Without a key nothing can be asked: the start says so once, and names what waits for it. */
  const lookAtSent = (sent: CommandEntry) => (callsOf(sent.currency) === undefined ? Effect.void : lookAgain(sent))
  const swept = makeSweep(submissions, lookAtSent, [
    ...all.map(checkKey),
    ...all.map(lookAtReversed),
    ...all.map(lookAtRefunds),
    ...payins.sweeps(all)
  ])

  const decode = makeDecoder((headers, bytes) => isSigned(keys, headers["x-paystack-signature"], bytes), read)
  return makeEventSources(decode, swept, reports, interval_ms)
}
