/** A sweep: what no callback tells is found by looking at what is open, and at what else a connector lists. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandEntry } from "./entries.ts"
import type { CompanySubmissions } from "./submissions.ts"

/** The most open commands that one sweep asks about; the others are asked about by the next ones. */
const askedMax = 50
/** What failed is looked at for so many days, so many commands at a sweep: a company may pay it afterwards, and no callback may tell it. */
const failedDays = 3
const failedMax = 20
/** A sweep ends before the engine gives up the reading, milliseconds: what it found until then is told. */
const sweepMs = 20_000

/**
 * Looks at each of the items: what one cannot read holds up no other.
 *
 * Errors: the first fault, with the name of its item, after all of them.
 */
export const lookAtEach = Effect.fnUntraced(function* <A>(
  items: ReadonlyArray<A>,
  nameOf: (item: A) => string,
  look: (item: A) => Effect.Effect<unknown, ProviderFault>,
  concurrency = 1
) {
  const ends = yield* Effect.forEach(items, (item) => Effect.result(Effect.asVoid(look(item))), { concurrency })
  const at = ends.findIndex(({ _tag }) => _tag === "Failure")
  const end = ends[at]
  if (end?._tag === "Failure")
    return yield* new ProviderFault({ message: `${nameOf(items[at]!)}: ${end.failure.message}`, cause: end.failure })
})

/** Looks at the next of a list that each sweep reads anew, so many at a sweep, so that each has its turn. */
export const makeTurns = <E extends { readonly command_id: string }>(
  list: Effect.Effect<ReadonlyArray<E>, ProviderFault>,
  most: number,
  look: (item: E) => Effect.Effect<unknown, ProviderFault>
) => {
  let turn = 0
  return Effect.gen(function* () {
    const all = yield* list
    const next = all.slice(turn, turn + most)
    turn = turn + most < all.length ? turn + most : 0
    yield* lookAtEach(next, ({ command_id }) => command_id, look)
  })
}

/**
 * Sweeps: asks with `lookAgain` about the open commands, and about those that failed in the last days, and beside them runs the `others`, each
 * with a time of its own. What one part cannot read holds up no other. Returns why the first of them failed; undefined: none did.
 */
export const makeSweep = (
  submissions: CompanySubmissions,
  lookAgain: (sent: CommandEntry) => Effect.Effect<unknown, ProviderFault>,
  others: ReadonlyArray<Effect.Effect<unknown, ProviderFault>>
): Effect.Effect<string | undefined> => {
  /** Where the next sweep begins among the open commands, so that each has its turn. */
  let turn = 0
  const lookAtOpen = Effect.gen(function* () {
    const listed = yield* submissions.open(turn, askedMax)
    const open = listed.length === 0 && turn > 0 ? yield* submissions.open(0, askedMax) : listed
    turn = open.length < askedMax ? 0 : (open === listed ? turn : 0) + askedMax
    yield* lookAtEach(open, ({ command_id }) => command_id, lookAgain, 4)
  })
  const lookAtFailed = makeTurns(submissions.endedWithin(failedDays), failedMax, lookAgain)
  const parts = [...others, lookAtFailed, lookAtOpen].map((part) =>
    Effect.timeoutOption(Effect.result(Effect.asVoid(part)), sweepMs).pipe(
      Effect.map((end) =>
        end._tag === "None"
          ? [`a part of the sweep did not end within ${sweepMs} ms`]
          : end.value._tag === "Failure"
            ? [end.value.failure.message]
            : []
      )
    )
  )
  return Effect.map(Effect.all(parts, { concurrency: "unbounded" }), (faults) => faults.flat()[0])
}
