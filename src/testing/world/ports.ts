/** The small ports of a simulated process: ids, a cipher and a movable clock, all derived from the seed. */
import { Clock, Effect, Layer } from "effect"
import { Cipher } from "../../engine/ports/Cipher.ts"
import { Ids } from "../../engine/ports/Ids.ts"
import { ServiceClock } from "../../engine/ports/ServiceClock.ts"
import { WallTime } from "../../engine/ports/Time.ts"
import type { Chance } from "../program/random.ts"
import type { SimulatedProcess } from "./virtual-time.ts"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const encodeBase32 = (value: number, length: number): string => {
  let text = ""
  for (let left = value, i = 0; i < length; i++, left = Math.floor(left / 32)) text = alphabet[left % 32]! + text
  return text
}

/** Makes the layer of ids in ULID form with a random part from the seed. The ids of one process sort in the order of their creation. */
export const makeIdsLayer = (chance: Chance): Layer.Layer<Ids> =>
  Layer.sync(Ids, () => {
    let last = 0
    let count = 0
    return Ids.of({
      make: (prefix) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          count = now > last ? 0 : count + 1
          last = Math.max(now, last)
          return `${prefix}_${encodeBase32(last, 10)}${encodeBase32(count, 4)}${encodeBase32(chance.bits(), 6)}${encodeBase32(chance.bits(), 6)}`
        }),
      secret: (length) => Effect.sync(() => Uint8Array.from({ length }, () => chance.bits() & 255))
    })
  })

const key = "simulated"
const mark = `${key}:`

/** A cipher that reverses texts, so that sealed and plain texts are distinguishable. It protects nothing. */
export const cipher: Layer.Layer<Cipher> = Layer.succeed(
  Cipher,
  Cipher.of({
    keys: [key],
    seal: (plain) => Effect.succeed(mark + [...plain].toReversed().join("")),
    open: (sealed) =>
      sealed.startsWith(mark)
        ? Effect.succeed([...sealed.slice(mark.length)].toReversed().join(""))
        : Effect.die(new Error("the text was not sealed by this cipher"))
  })
)

/** Makes the layers of the clocks. All processes share the service clock, and any of them can move it. */
export const makeClockLayers = (process: SimulatedProcess) =>
  Layer.mergeAll(
    Layer.succeed(
      WallTime,
      Effect.sync(() => process.wall)
    ),
    Layer.succeed(
      ServiceClock,
      ServiceClock.of({
        moveTo: (at) =>
          Effect.sync(() => {
            const { timeline } = process
            timeline.ahead = Math.max(timeline.ahead, at - process.wall)
          })
      })
    )
  )
