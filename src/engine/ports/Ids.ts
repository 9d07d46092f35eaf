import { Clock, Context, Effect, Layer } from "effect"
import { monotonicFactory } from "ulid"

/** The part of an id after its prefix. Resources and their transaction share it. */
export const stem = (id: string): string => id.slice(id.indexOf("_") + 1)

/** What the ids of an event's deliveries begin with: a store finds by it those that are still to bring the event. */
export const deliveryPrefix = (event_id: string): string => `dlv_${stem(event_id).slice(0, 10)}`

/** The id of one more delivery of an event, out of a new one that is nobody's. */
export const redeliveryId = (event_id: string, delivery_id: string): string =>
  `${deliveryPrefix(event_id)}${stem(delivery_id).slice(10)}`

/** Random bytes kept ready for ids: asking the platform for one at a time costs more than the id. */
const pool = new Uint8Array(4096)
let left = 0

/** A fraction in [0, 1) of one random byte, which is all that a character of a ULID takes. */
const fraction = (): number => {
  if (left === 0) {
    crypto.getRandomValues(pool)
    left = pool.length
  }
  return pool[--left]! / 256
}

const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

/** A request id for an answer that must be given although the port has failed: it asks no clock. */
export const spareRequestId = (): string =>
  `req_0${Array.from({ length: 25 }, () => crockford[Math.floor(fraction() * crockford.length)]).join("")}`

/**
 * Makes ids and secrets.
 *
 * Laws: an id is `prefix_` and a ULID in lower case, never given twice; ids made later by one process sort later.
 */
export class Ids extends Context.Service<
  Ids,
  {
    /** A new id. A resource's takes the prefix of its kind; what is no resource (a request, an event) names its own. */
    readonly make: (prefix: string) => Effect.Effect<string>
    /** `length` bytes nobody can guess, for keys, tokens and secrets. */
    readonly secret: (length: number) => Effect.Effect<Uint8Array>
  }
>()("corridor/engine/Ids") {
  static readonly layer = Layer.sync(Ids, () => {
    const next = monotonicFactory(fraction)
    return Ids.of({
      make: (prefix) => Effect.map(Clock.currentTimeMillis, (now) => `${prefix}_${next(now).toLowerCase()}`),
      secret: (length) => Effect.sync(() => crypto.getRandomValues(new Uint8Array(length)))
    })
  })
}
