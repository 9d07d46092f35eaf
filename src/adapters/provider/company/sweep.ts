/** A sweep: what no callback tells is found by looking at what is open, and at what else a connector lists. */
import { Effect, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { EventSources, ProviderEvent } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { readJson, toStorableText } from "./client.ts"
import type { CommandEntry } from "./entries.ts"
import type { Reports } from "./reports.ts"
import type { CompanySubmissions } from "./submissions.ts"
import type { CompanyRounds, Rounds } from "./windows.ts"

/** The most open commands that one sweep asks about; the others are asked about by the next ones. */
const openMax = 50
/** What failed is looked at for so many days, so many commands at a sweep: a company may pay it afterwards, and no callback may tell it. */
export const failedDays = 3
const endedMax = 20
/** A sweep ends before the engine gives up the reading, milliseconds: what it found until then is told. */
const sweepMs = 20_000

/** A part of a sweep. A fault that it returns, as one by which it fails, is told. */
export type SweepPart = Effect.Effect<unknown, ProviderFault>

/** Looks at each of the items: what one cannot read holds up no other. Returns the first fault, with the name of its item; undefined: there was none. */
export const lookAtEach = <A>(
  items: ReadonlyArray<A>,
  nameOf: (item: A) => string,
  look: (item: A) => SweepPart,
  concurrency = 1
): Effect.Effect<ProviderFault | undefined> =>
  Effect.map(
    Effect.forEach(items, (item) => Effect.result(Effect.asVoid(look(item))), { concurrency }),
    (ends) => {
      const at = ends.findIndex(({ _tag }) => _tag === "Failure")
      const end = ends[at]
      return end?._tag !== "Failure"
        ? undefined
        : new ProviderFault({ message: `${nameOf(items[at]!)}: ${end.failure.message}`, cause: end.failure })
    }
  )

export const failWith = (fault: ProviderFault | undefined): Effect.Effect<void, ProviderFault> =>
  fault === undefined ? Effect.void : Effect.fail(fault)

/** Money that was paid may come back, and what is not final become so, so many days after. */
export const returnDays = 35
export const returnsMs = returnDays * 24 * 3_600_000

/** A list in which it is seen that what had ended has another state. */
export interface ReturnsList<A> extends Pick<Rounds<A>, "name" | "list" | "isBegun"> {
  readonly nameOf: (item: A) => string
  /** The command that an item is of. Undefined: none of ours, or the item says nothing new. */
  readonly commandOf: (item: A) => Effect.Effect<CommandEntry | undefined, ProviderFault>
  readonly stateOf: (item: A) => unknown
}

/** Lists the last five weeks in rounds, and looks at each command that is in another state than its item. */
export const makeReturnsSweep = <A>(
  rounds: CompanyRounds,
  { commandOf, nameOf, stateOf, ...which }: ReturnsList<A>,
  lookAgain: (sent: CommandEntry) => SweepPart
): SweepPart => {
  const look = Effect.fnUntraced(function* (item: A) {
    const sent = yield* commandOf(item)
    if (sent !== undefined && sent.state !== stateOf(item)) yield* lookAgain(sent)
  })
  return rounds.read<A>({ ...which, long_ms: returnsMs, read: (items) => lookAtEach(items, nameOf, look) })
}

/** Something that is looked at in turns. */
interface Turns<A> {
  /** The index keys of its rows. */
  readonly keys: Effect.Effect<ReadonlyArray<string>>
  readonly list: (
    index_key: string,
    page: { readonly from: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<A>, ProviderFault>
  /** How many are looked at in a sweep. */
  readonly most: number
  readonly nameOf: (item: A) => string
  readonly look: (item: A) => SweepPart
}

/** Looks at the next rows, so many at a sweep, so that each has its turn. It reads no others. */
export const makeTurns = <A>({ keys, list, look, most, nameOf }: Turns<A>): SweepPart => {
  let place = { key: 0, from: 0 }
  const take = Effect.fnUntraced(function* () {
    const all = yield* keys
    const next: Array<A> = []
    let { from, key } = place
    while (next.length < most && key < all.length) {
      const some = yield* list(all[key]!, { from, limit: most - next.length })
      next.push(...some)
      if (next.length < most) key++
      from = next.length < most ? 0 : from + some.length
    }
    place = key < all.length ? { key, from } : { key: 0, from: 0 }
    return next
  })
  return Effect.gen(function* () {
    const isAtStart = place.key === 0 && place.from === 0
    const next = yield* take()
    return yield* lookAtEach(next.length === 0 && !isAtStart ? yield* take() : next, nameOf, look, 4)
  })
}

/** The turns of commands. */
export const turnsOf = (
  { list }: CompanySubmissions,
  keys: Turns<CommandEntry>["keys"],
  look: (sent: CommandEntry) => SweepPart,
  most = endedMax
): SweepPart => makeTurns({ keys, list, look, most, nameOf: ({ command_id }) => command_id })

/**
 * Sweeps: asks with `lookAgain` about the open commands, and about those that failed in the last days, and beside them runs the `others`, each
 * with a time of its own; then the `last` ones. What one part cannot read holds up no other. Returns why the first of them failed; undefined: none did.
 */
export const makeSweep = (
  submissions: CompanySubmissions,
  lookAgain: (sent: CommandEntry) => SweepPart,
  others: ReadonlyArray<SweepPart>,
  last: ReadonlyArray<SweepPart> = []
): Effect.Effect<string | undefined> => {
  const lookAtFailed = turnsOf(submissions, submissions.endedWithin(failedDays, "failedOn"), lookAgain)
  const lookAtOpen = turnsOf(submissions, submissions.open, lookAgain, openMax)
  const runPart = (part: SweepPart): Effect.Effect<ReadonlyArray<string>> =>
    Effect.map(Effect.timeoutOption(Effect.result(part), sweepMs), (end) => {
      if (end._tag === "None") return [`a part of the sweep did not end within ${sweepMs} ms`]
      const found = end.value._tag === "Failure" ? end.value.failure : end.value.success
      return found instanceof ProviderFault ? [found.message] : []
    })
  const all = (parts: ReadonlyArray<SweepPart>) => Effect.all(parts.map(runPart), { concurrency: "unbounded" })
  return Effect.map(Effect.zip(all([...others, lookAtFailed, lookAtOpen]), all(last)), (faults) => faults.flat(2)[0])
}

/** Where the engine learns what became of commands: from callbacks, if `decode` is given, and from sweeps, which need none. */
export const makeEventSources = (
  decode: EventSources["decode"] | undefined,
  swept: Effect.Effect<string | undefined>,
  reports: Reports,
  interval_ms: number
): EventSources => ({
  ...(decode && { decode }),
  after: Effect.fnUntraced(function* (cursor: string | null) {
    const fault = yield* swept
    return { ...(yield* reports.after(cursor)), fault }
  }),
  interval_ms
})

/** Callbacks that count: those that are signed, over the raw bytes. */
export const makeDecoder =
  (
    isSigned: (headers: { readonly [name: string]: string | undefined }, bytes: Uint8Array, now: number) => boolean,
    read: (text: string) => ReturnType<NonNullable<EventSources["decode"]>>
  ): EventSources["decode"] =>
  (headers, body, bytes) =>
    Effect.flatMap(wallNow, (now) =>
      isSigned(headers, bytes ?? Buffer.from(body), now) ? read(body) : Effect.undefined
    )

/** Reads the text of a callback, which is a reason to look up. `what`: it should be, for an operator. */
export const makeCallbackReader = <A>(
  schema: Schema.Decoder<A>,
  what: string,
  lookUp: (callback: A) => Effect.Effect<ProviderEvent | null, ProviderFault>
) => {
  const read = Schema.decodeUnknownOption(schema)
  return Effect.fnUntraced(function* (text: string) {
    const json = readJson(text)
    const found = read(json)
    if (found._tag === "None")
      return { _tag: "unreadable", content: json ?? toStorableText(text, 2000), fault: `it is no ${what}` } as const
    return (yield* lookUp(found.value)) ?? ({ _tag: "none" } as const)
  })
}
