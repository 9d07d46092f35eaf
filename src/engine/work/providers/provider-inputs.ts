/**
 * The two ways by which a provider's events enter: callbacks, which the provider signs (OPERATOR-5), and events that are made
 * in this process. Every entry point uses these.
 */
import { Effect } from "effect"
import { decode } from "../../input/validation.ts"
import {
  AuthenticationFailed,
  BadRequest,
  ExternalServiceUnavailable,
  makeFieldRefusal,
  type InvalidInput,
  NotFound,
  type ProviderFault,
  type Unavailable
} from "../../ports/errors.ts"
import { eventIdOf } from "../../input/unreadable-event.ts"
import { type Provider, Providers, type UnreadableEvent } from "../../ports/Provider.ts"
import { ProviderEvent } from "../../ports/provider-events.ts"
import { Inbox } from "./Inbox.ts"

/**
 * What became of an event. `applied`: it had its effect. `ignored`: it fits no resource or not its state, and is recorded for
 * the operator if it may concern money or could not be read. `duplicate`: its id was handled before. `none`: it says nothing of what the
 * engine sent.
 */
export interface ReceivedEvent {
  /** The provider's id of the event. Null: the content is no event, and has none that can be read. */
  readonly event_id: string | null
  readonly result: "applied" | "ignored" | "duplicate" | "none"
}

const findProvider = Effect.fnUntraced(function* (
  name: string
): Effect.fn.Return<Provider["Service"], NotFound, Providers> {
  const provider = (yield* Providers).byName(name)
  if (provider === undefined) return yield* new NotFound({ message: `There is no provider ${JSON.stringify(name)}.` })
  return provider
})

const toUnavailable = ({ message }: ProviderFault): ExternalServiceUnavailable =>
  new ExternalServiceUnavailable({ message: `Nothing was written. ${message}` })

/** Checks that a provider has said which connector it is: before that, its events may be another's. */
const requireAdmission = ({
  admission = Effect.void
}: Provider["Service"]): Effect.Effect<void, ExternalServiceUnavailable> => Effect.mapError(admission, toUnavailable)

const receiveEvent = (
  provider: string,
  event: ProviderEvent | UnreadableEvent
): Effect.Effect<ReceivedEvent, Unavailable, Inbox> =>
  Effect.flatMap(Inbox, (inbox) =>
    Effect.map(inbox.receive(provider, event), (result) => ({
      event_id: eventIdOf(event?._tag === "unreadable" ? event.content : event),
      result
    }))
  )

/**
 * Handles a callback. `headers` have lower-case names; `body` reads the bytes as they were sent. A signed body that is no event
 * is recorded as an exception and acknowledged (PROTOCOL-10).
 *
 * Errors: `NotFound` for an unknown provider; `AuthenticationFailed` if the signature is invalid; `ExternalServiceUnavailable` or `StorageFault` if nothing was written, and the provider must send it again.
 */
export const receiveCallback = <E>(
  name: string,
  headers: { readonly [name: string]: string | undefined },
  body: Effect.Effect<Uint8Array, E>
): Effect.Effect<ReceivedEvent, E | NotFound | AuthenticationFailed | Unavailable, Inbox | Providers> =>
  Effect.gen(function* () {
    const provider = yield* findProvider(name)
    const bytes = yield* body
    const text = new TextDecoder().decode(bytes)
    const event = yield* (provider.events?.decode?.(headers, text, bytes) ?? Effect.succeed(undefined)).pipe(
      Effect.mapError(toUnavailable)
    )
    if (event === undefined)
      return yield* new AuthenticationFailed({
        message: "The signature is invalid, or the provider sends no callbacks."
      })
    // After the signature: a caller without the secret causes no request to the connector.
    yield* requireAdmission(provider)
    if (event._tag === "none") return { event_id: null, result: "none" as const }
    return yield* receiveEvent(provider.name, event)
  })

const tags: ReadonlyArray<string> = ProviderEvent.members.map(({ fields }) => fields._tag.literal)

/** Decodes a provider event. Errors: `BadRequest` with each invalid member; without its kind, the kind alone. */
const decodeEvent = (event: unknown): Effect.Effect<ProviderEvent, BadRequest | InvalidInput> => {
  const tag = (event as { readonly _tag?: unknown } | null)?._tag
  if (typeof event !== "object" || tags.includes(tag as string)) return decode(ProviderEvent, event, "body", true)
  const found = typeof tag === "string" ? JSON.stringify(tag.slice(0, 80)) : tag === undefined ? "not set" : typeof tag
  return Effect.fail(
    new BadRequest(makeFieldRefusal("_tag", "invalid_value", `_tag is ${found}; it takes ${tags.join(", ")}`))
  )
}

/**
 * Handles an event that this process has learned of a provider by other means, such as its own queue.
 *
 * Errors: `NotFound` for an unknown provider; `BadRequest` for an event with invalid or unknown members, all of which it
 * names; `ExternalServiceUnavailable` or `StorageFault` if nothing was written, and the event must be told again.
 */
export const receiveToldEvent = (
  name: string,
  event: unknown
): Effect.Effect<ReceivedEvent, NotFound | BadRequest | InvalidInput | Unavailable, Inbox | Providers> =>
  Effect.gen(function* () {
    const provider = yield* findProvider(name)
    yield* requireAdmission(provider)
    return yield* receiveEvent(provider.name, yield* decodeEvent(event))
  })
