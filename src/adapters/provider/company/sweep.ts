/** A sweep: what no callback tells is found by looking at what is open, and at what else a connector lists. */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandEntry } from "./entries.ts"
import type { CompanySubmissions } from "./submissions.ts"

/** The most open commands that one sweep asks about; the others are asked about by the next ones. */
const askedMax = 50
/** A sweep ends before the engine gives up the reading, milliseconds: what it found until then is told. */
const sweepMs = 20_000

/**
 * Sweeps: asks about the open commands with `lookAgain`, and runs the `others`. What one part cannot read holds up no other. Returns why the
 * first of them failed; undefined: none did.
 */
export const makeSweep = (
  submissions: CompanySubmissions,
  lookAgain: (sent: CommandEntry) => Effect.Effect<unknown, ProviderFault>,
  others: ReadonlyArray<Effect.Effect<unknown, ProviderFault>>
): Effect.Effect<string | undefined> => {
  /** Where the next sweep begins among the open commands, so that each has its turn. */
  let turn = 0
  const openCommands = Effect.gen(function* () {
    const open = (yield* submissions.open).filter(({ company_id, sent_at }) => sent_at !== null || company_id !== null)
    const from = open.length <= askedMax ? 0 : turn % open.length
    turn = from + askedMax
    return [...open.slice(from), ...open.slice(0, from)].slice(0, askedMax)
  })
  const sweep = Effect.gen(function* () {
    const looks = [...(yield* openCommands).map(lookAgain), ...others]
    const ends = yield* Effect.forEach(looks, (part) => Effect.result<unknown, ProviderFault, never>(part), {
      concurrency: 4
    })
    return ends.flatMap((end) => (end._tag === "Failure" ? [end.failure.message] : []))[0]
  })
  return Effect.timeoutOption(sweep, sweepMs).pipe(
    Effect.map((end) => (end._tag === "Some" ? end.value : `the sweep did not end within ${sweepMs} ms`)),
    Effect.catch(({ message }) => Effect.succeed(message))
  )
}
