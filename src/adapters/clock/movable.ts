/** A clock that adds an offset to the wall clock. The sandbox increases the offset, and the store keeps it. */
import { Clock, Context, Duration, Effect, Layer, Schedule } from "effect"
import { adapter, type ClockAdapter } from "../../engine/ports/adapter.ts"
import { LAST_INSTANT, ServiceClock } from "../../engine/ports/ServiceClock.ts"
import { Storage } from "../../engine/ports/Storage.ts"
import { makeAheadClock, WallTime } from "../../engine/ports/Time.ts"

const settingKey = "clock_offset_ms"

/** Interval at which a node reads the offset that other nodes may have changed, in milliseconds. */
const refreshMs = 1000

const parseOffset = (text: string | undefined): number => {
  const offset = Number(text ?? "0")
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0
}

/** Provides Effect's Clock, the wall time behind it, and the {@link ServiceClock} that moves it. */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const storage = yield* Storage
    const base = yield* Clock.Clock
    let offset = parseOffset(yield* storage.setting(settingKey))
    /**
     * When two nodes move the clock at once, the store may end up with the smaller offset. The node with the larger
     * offset then stores its own again.
     */
    const refresh = Effect.gen(function* () {
      const stored = parseOffset(yield* storage.setting(settingKey))
      if (stored < offset) yield* storage.assign(settingKey, String(offset))
      else offset = stored
    })
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(refresh), Schedule.spaced(Duration.millis(refreshMs))))
    const moveTo = Effect.fnUntraced(function* (at: number) {
      yield* refresh
      // The clock shows whole milliseconds; ids, stored times and nanosecond readings depend on it.
      const wanted = Math.ceil(at - base.currentTimeMillisUnsafe())
      if (wanted <= offset) return
      offset = wanted
      yield* storage.assign(settingKey, String(wanted))
    })
    return Context.make(
      Clock.Clock,
      makeAheadClock(base, () => offset, LAST_INSTANT)
    ).pipe(Context.add(WallTime, base.currentTimeMillis), Context.add(ServiceClock, ServiceClock.of({ moveTo })))
  })
)

/** A clock that the sandbox can advance. */
export const movableClock = (): ClockAdapter => adapter("clock", layer)
