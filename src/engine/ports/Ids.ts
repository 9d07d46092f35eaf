import { Clock, Context, Effect, Layer } from "effect"
import { decodeTime, monotonicFactory } from "ulid"

/** Cuts the prefix off an id. The stem is left, which a resource and its transaction have in common. */
export const cutStem = (id: string): string => id.slice(id.indexOf("_") + 1)

/** The first characters of a stem: the time at which the id was made. */
export const stemTimeLength = 10

/**
 * Reads the time at which an id was made from the first characters of its stem, in capitals: epoch milliseconds. Throws for other texts.
 */
export const parseTime = (beginning: string): number => decodeTime(beginning.padEnd(26, "0"))

/** The time at which an id was made: epoch milliseconds. Undefined for a text that is no id. */
export const creationTimeOf = (id: string): number | undefined =>
  /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(cutStem(id))
    ? parseTime(cutStem(id).slice(0, stemTimeLength).toUpperCase())
    : undefined

/** The prefix of the ids of an event's deliveries. A store uses it to find the deliveries that still need the event. */
export const deliveryPrefix = (event_id: string): string => `dlv_${cutStem(event_id).slice(0, 10)}`

/** Makes the id of a repeated delivery of an event. `delivery_id`: a new id, of no other delivery. */
export const deriveRedeliveryId = (event_id: string, delivery_id: string): string =>
  `${deliveryPrefix(event_id)}${cutStem(delivery_id).slice(10)}`

/** The text by which `ClaimQuery.released` names a job. Ids of jobs are unique only within a merchant. */
export const nameReleasedJob = (token: string, job: { readonly merchant_id: string; readonly id: string }): string =>
  `${token}/${job.merchant_id}/${job.id}`

/** A pool of random bytes for ids: one call per byte costs more than the id. */
const pool = new Uint8Array(4096)
let left = 0

/** A fraction in [0, 1) from one random byte, which is enough for one character of a ULID. */
const drawFraction = (): number => {
  if (left === 0) {
    crypto.getRandomValues(pool)
    left = pool.length
  }
  return pool[--left]! / 256
}

const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

/** A request id for a response that must be sent although the `Ids` port failed. It does not read the clock. */
export const makeSpareRequestId = (): string =>
  `req_0${Array.from({ length: 25 }, () => crockford[Math.floor(drawFraction() * crockford.length)]).join("")}`

/**
 * Makes ids and secrets.
 *
 * Laws: an id is `prefix_` and a ULID in lower case, and is unique; ids made later by one process sort later.
 */
export class Ids extends Context.Service<
  Ids,
  {
    /**
     * A new id. The prefix of a resource's id is that of its kind; requests, events and the like have their own
     * prefixes.
     */
    readonly make: (prefix: string) => Effect.Effect<string>
    /** `length` random bytes from a secure source, for keys, tokens and secrets. */
    readonly secret: (length: number) => Effect.Effect<Uint8Array>
  }
>()("corridor/engine/Ids") {
  static readonly layer = Layer.sync(Ids, () => {
    const next = monotonicFactory(drawFraction)
    return Ids.of({
      make: (prefix) =>
        Clock.clockWith((clock) => Effect.succeed(`${prefix}_${next(clock.currentTimeMillisUnsafe()).toLowerCase()}`)),
      secret: (length) => Effect.sync(() => crypto.getRandomValues(new Uint8Array(length)))
    })
  })
}
