/** A progress bar on the terminal of a command that takes long. */
import { Clock, Effect, Fiber, Schedule } from "effect"
import { Process } from "./process.ts"

const barWidth = 24

/**
 * Draws the progress on a terminal, at each report and each half second, because a step may take long. The returned function
 * takes the share that is done, from 0 to 1, and the current step. Without a terminal, nothing is drawn.
 */
export const drawProgress = Effect.fnUntraced(function* () {
  const { columns, status } = yield* Process
  const began = yield* Clock.currentTimeMillis
  let at = { done: 0, about: "" }
  const draw = Effect.map(Clock.currentTimeMillis, (now) => {
    const filled = Math.floor(at.done * barWidth)
    const bar = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`
    const seconds = Math.floor((now - began) / 1000)
    status?.(`${bar} ${Math.floor(at.done * 100)} %  ${seconds} s  ${at.about}`.slice(0, columns - 1))
  })
  const ticking = yield* Effect.forkChild(Effect.repeat(draw, Schedule.spaced("500 millis")))
  return {
    progress: (done: number, about: string): void => void (at = { done, about }),
    end: Effect.andThen(
      Fiber.interrupt(ticking),
      Effect.sync(() => status?.(""))
    )
  }
})
