/** A clock that runs with the wall clock, ahead of it by an offset that the sandbox moves and the store keeps. */
import { Clock, Context, Duration, Effect, Layer, Schedule } from "effect"
import { adapter, type ClockAdapter } from "../../engine/ports/Adapter.ts"
import { LAST_INSTANT, ServiceClock } from "../../engine/ports/ServiceClock.ts"
import { Storage } from "../../engine/ports/Storage.ts"
import { ahead, WallTime } from "../../engine/ports/Time.ts"

const settingKey = "clock_offset_ms"

/** How often another node's move is looked for. */
const refreshMs = 1000

const read = (text: string | undefined): number => {
  const offset = Number(text ?? "0")
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0
}

/** Provides Effect's Clock, the wall time behind it, and the {@link ServiceClock} that moves it. */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const storage = yield* Storage
    const base = yield* Clock.Clock
    let offset = read(yield* storage.setting(settingKey))
    /** Of two nodes that move at once, one may have stored less than the other shows: who shows more stores it again. */
    const refresh = Effect.gen(function* () {
      const stored = read(yield* storage.setting(settingKey))
      if (stored < offset) yield* storage.assign(settingKey, String(offset))
      else offset = stored
    })
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(refresh), Schedule.spaced(Duration.millis(refreshMs))))
    const moveTo = Effect.fnUntraced(function* (at: number) {
      yield* refresh
      // The clock tells whole milliseconds: ids, times in a store and nanoseconds are made of nothing else.
      const wanted = Math.ceil(at - base.currentTimeMillisUnsafe())
      if (wanted <= offset) return
      offset = wanted
      yield* storage.assign(settingKey, String(wanted))
    })
    return Context.make(
      Clock.Clock,
      ahead(base, () => offset, LAST_INSTANT)
    ).pipe(Context.add(WallTime, base.currentTimeMillis), Context.add(ServiceClock, ServiceClock.of({ moveTo })))
  })
)

/** A clock that the sandbox can move forward. */
export const movableClock = (): ClockAdapter => adapter("clock", layer)
