/**
 * Model-based properties: commands drawn at random are run on the engine and on a plain model of it, and whatever the two
 * say differently fails. A failure is shrunk to few commands, and prints what replays it:
 *
 *     REPLAY='{"seed":-1819918769,"path":"3:1:0","replayPath":"AAAB:F"}' npm test -- test/property/quotes.test.ts
 */
import fc from "fast-check"

interface Replay {
  readonly seed?: number
  readonly path?: string
  readonly replayPath?: string
}

const { replayPath, ...seeded } = JSON.parse(process.env["REPLAY"] ?? "{}") as Replay

export interface Begun<Model extends object, Real> {
  readonly model: Model
  readonly real: Real
  /** Lets go of what the run held. */
  readonly end: () => Promise<void>
}

export interface Runs {
  readonly numRuns: number
  readonly maxCommands?: number
}

/** Holds the engine against its model, from a new beginning for each run. */
export const agrees = async <Model extends object, Real>(
  begin: () => Promise<Begun<Model, Real>>,
  commands: Array<fc.Arbitrary<fc.AsyncCommand<Model, Real>>>,
  { numRuns, maxCommands = 30 }: Runs
): Promise<void> => {
  const drawn = fc.commands(commands, { maxCommands, size: "max", ...(replayPath === undefined ? {} : { replayPath }) })
  await fc.assert(
    fc.asyncProperty(drawn, async (run) => {
      const begun = await begin()
      try {
        await fc.asyncModelRun(() => begun, run)
      } finally {
        await begun.end()
      }
    }),
    { numRuns, ...seeded }
  )
}

/** A command that is always possible, unless `check` says when it is. */
export const command = <Model extends object, Real>(
  name: string,
  run: (model: Model, real: Real) => Promise<void>,
  check: (model: Readonly<Model>) => boolean = () => true
): fc.AsyncCommand<Model, Real> => ({ check, run, toString: () => name })
