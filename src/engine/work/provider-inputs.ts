/**
 * The two ways by which a provider's events enter: callbacks, which the provider signs (OPERATOR-5), and events that are made
 * in this process. Every entry point uses these.
 */
import { Effect } from "effect"
import { decode } from "../input/validation.ts"
import {
  AuthenticationFailed,
  BadRequest,
  field,
  type InvalidInput,
  NotFound,
  type Unavailable
} from "../ports/errors.ts"
import { type Provider, type ProviderEvent, Providers } from "../ports/Provider.ts"
import { Event } from "../ports/provider-schemas.ts"
import { Inbox } from "./Inbox.ts"

/**
 * What became of an event. `applied`: it had its effect. `ignored`: it fits no resource or not its state, and is recorded for
 * the operator if it may concern money. `duplicate`: its id was handled before.
 */
export interface ReceivedEvent {
  readonly event_id: string
  readonly result: "applied" | "ignored" | "duplicate"
}

const named = (name: string): Effect.Effect<Provider["Service"], NotFound, Providers> =>
  Effect.flatMap(Providers, (providers) => {
    const provider = providers.named(name)
    return provider === undefined
      ? Effect.fail(new NotFound({ message: `There is no provider ${JSON.stringify(name)}.` }))
      : Effect.succeed(provider)
  })

const received = (provider: string, event: ProviderEvent): Effect.Effect<ReceivedEvent, Unavailable, Inbox> =>
  Effect.flatMap(Inbox, (inbox) =>
    Effect.map(inbox.receive(provider, event), (result) => ({ event_id: event.event_id, result }))
  )

/**
 * Handles a callback. `headers` have lower-case names; `body` reads the text as it was sent.
 *
 * Errors: `NotFound` for an unknown provider; `AuthenticationFailed` if the signature is invalid or the body is not an event
 * of the provider; `ExternalServiceUnavailable` or `StorageFault` if nothing was written, and the provider must send it again.
 */
export const receiveCallback = <E>(
  name: string,
  headers: { readonly [name: string]: string | undefined },
  body: Effect.Effect<string, E>
): Effect.Effect<ReceivedEvent, E | NotFound | AuthenticationFailed | Unavailable, Inbox | Providers> =>
  Effect.gen(function* () {
    const provider = yield* named(name)
    const event = yield* provider.events?.decode?.(headers, yield* body) ?? Effect.succeed(undefined)
    if (event === undefined) {
      return yield* new AuthenticationFailed({
        message: "The signature is invalid, or the body is not an event of this provider."
      })
    }
    return yield* received(name, event)
  })

const tags: ReadonlyArray<string> = Event.members.map(({ fields }) => fields._tag.literal)

/** The event that a value is. Without its kind, none of its other members can be named. */
const read = (event: unknown): Effect.Effect<ProviderEvent, BadRequest | InvalidInput> => {
  const tag = (event as { readonly _tag?: unknown } | null)?._tag
  if (typeof event !== "object" || tags.includes(tag as string)) return decode(Event, event, "body", true)
  const found = typeof tag === "string" ? JSON.stringify(tag.slice(0, 80)) : tag === undefined ? "not set" : typeof tag
  return Effect.fail(new BadRequest(field("_tag", "invalid_value", `_tag is ${found}; it takes ${tags.join(", ")}`)))
}

/**
 * Handles an event that this process has learned of a provider by other means, such as its own queue.
 *
 * Errors: `NotFound` for an unknown provider; `BadRequest` for an event with invalid or unknown members, all of which it
 * names; `ExternalServiceUnavailable` or `StorageFault` if nothing was written, and the event must be told again.
 */
export const tellEvent = (
  name: string,
  event: unknown
): Effect.Effect<ReceivedEvent, NotFound | BadRequest | InvalidInput | Unavailable, Inbox | Providers> =>
  Effect.gen(function* () {
    yield* named(name)
    return yield* received(name, yield* read(event))
  })
