/**
 * Whatever a bank says and people decide and undo, in any order: what accounts for lines sums to them, once, and what is open has a break.
 * The laws are read from rows and postings, and know none of the rules of matching.
 */
import { Clock, Effect } from "effect"
import { expect, it } from "vitest"
import { readAllRows } from "../../src/engine/calls/reads.ts"
import { type Row, Storage } from "../../src/engine/ports/Storage.ts"
import { Exceptions } from "../../src/engine/resources/deposits/exceptions.ts"
import { Closings } from "../../src/engine/resources/reconciliation/closing.ts"
import type { AdjustingEntryData } from "../../src/machines/reconciliation/adjusting-entry.ts"
import type { BreakData } from "../../src/machines/reconciliation/break.ts"
import type { StatementLineData } from "../../src/machines/reconciliation/statement-line.ts"
import { Chance } from "../../src/testing/program/random.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../support/merchants/merchant-at-work.ts"
import { covers } from "../support/repository/covers.ts"
import { matchingDesk } from "../support/statements/desk.ts"
import { readable } from "../support/statements/readable.ts"

const world = "world:simulated"
const runs = 200
const acts = 45

type Line = Row<StatementLineData>

const isAccounted = ({ data, state }: Line): boolean =>
  (state === "matched" || state === "explained") && data.amount !== "0"
const signed = ({ data }: Line): bigint => (data.direction === "debit" ? 1n : -1n) * BigInt(data.amount)
const sumOf = (values: Iterable<bigint>): bigint => [...values].reduce((sum, one) => sum + one, 0n)

/** The rows of a kind, and what each step has moved at the account, out of it: by `resource@version`. */
const state = Effect.gen(function* () {
  const storage = yield* Storage
  const all = <Data>(kind: string) =>
    readAllRows(storage, { kinds: [kind], index_keys: [] }, () => true) as Effect.Effect<ReadonlyArray<Row<Data>>>
  const { items } = yield* storage.entries(world, 0, 1_000)
  const steps = new Map<string, bigint>()
  for (const { amount, credit, currency, resource_id, version } of items) {
    if (currency !== "USDC") continue
    const key = `${resource_id}@${version}`
    steps.set(key, (steps.get(key) ?? 0n) + (credit === world ? 1n : -1n) * BigInt(amount))
  }
  const entries = yield* all<AdjustingEntryData>("adjusting_entry")
  const made = [...(yield* all<object>("exception")), ...(yield* all<object>("deposit"))]
  return {
    lines: yield* all<StatementLineData>("statement_line"),
    breaks: yield* all<BreakData>("break"),
    steps,
    isVoid: (id: string): boolean =>
      entries.some((one) => one.id === id && (one.state === "reversed" || one.data.reverses !== null)),
    /** What money in suspense became: it is no movement. */
    isSuspended: (id: string, moved: bigint): boolean =>
      made.some(({ data, ...one }) => {
        const { action, from_suspense } = data as { readonly action?: string; readonly from_suspense?: true }
        return one.id === id && (from_suspense === true || (action === "credit" && moved > 0n))
      })
  }
})
type State = Effect.Success<typeof state>

const stepsIn = ({ data }: Line): ReadonlyArray<string> =>
  data.matches.map(({ resource_id, version }) => (version === undefined ? resource_id : `${resource_id}@${version}`))

/** The lines that are one booking together: they share steps, or are each other. */
const groupsOf = (lines: ReadonlyArray<Line>): ReadonlyArray<ReadonlyArray<Line>> => {
  const left = new Set(lines.filter(isAccounted))
  const groups: Array<ReadonlyArray<Line>> = []
  for (const first of left) {
    const names = new Set([first.id])
    const group = new Set<Line>()
    for (let size = -1; size < group.size; ) {
      size = group.size
      for (const one of left)
        if (names.has(one.id) || stepsIn(one).some((name) => names.has(name))) {
          group.add(one)
          for (const name of [one.id, ...stepsIn(one)]) names.add(name)
        }
    }
    for (const one of group) left.delete(one)
    groups.push([...group])
  }
  return groups
}

/** The steps that lines or breaks account for, each with what does. */
const accountedIn = ({ breaks, lines }: State): ReadonlyMap<string, ReadonlyArray<string>> => {
  const alone = breaks.filter(
    ({ data, state }) => state === "resolved" && data.action === "explain" && data.settled_lines.length === 0
  )
  const named = [
    ...groupsOf(lines).flatMap((group) => group.flatMap(stepsIn).map((step) => [step, group[0]!.id] as const)),
    ...alone.flatMap(({ data, id }) =>
      data.movements.map(({ resource_id, version }) => [`${resource_id}@${version}`, id] as const)
    )
  ]
  return new Map(
    [...Map.groupBy(named, ([step]) => step)].map(([step, by]) => [step, [...new Set(by.map(([, one]) => one))]])
  )
}

/** What is wrong with what accounts for lines. */
const wrongSums = (now: State): ReadonlyArray<string> => {
  const { breaks, lines, steps } = now
  const idOf = (step: string): string => step.split("@")[0]!
  const groups = groupsOf(lines).flatMap((group) => {
    const moved = sumOf([...new Set(group.flatMap(stepsIn))].map((step) => steps.get(step) ?? 0n))
    const booked = sumOf(group.map(signed))
    return booked === moved
      ? []
      : [`${group.map(({ id }) => id).join()} sum to ${booked}, and what they are to ${moved}`]
  })
  const twice = [...accountedIn(now)].flatMap(([step, by]) =>
    by.length > 1 || now.isVoid(idOf(step)) ? [`${step} is accounted for by ${by.join()}`] : []
  )
  const settled = new Set(lines.filter((line) => isAccounted(line)).map(({ id }) => id))
  const over = breaks.filter(
    ({ data: { kind, line_ids }, state }) =>
      state === "open" &&
      kind !== "missing_on_statement" &&
      line_ids.length > 0 &&
      line_ids.every((id) => settled.has(id))
  )
  const accounted = accountedIn(now)
  const idle = breaks.filter(
    ({ data: { action, adjusting_entry_id }, state }) =>
      state === "resolved" && action === "explain" && !accounted.has(`${adjusting_entry_id}@1`)
  )
  // Of what is missing, one break is of people's: another may have lines that they have taken from others.
  const missing = breaks.filter(
    ({ data: { kind, line_ids }, state }) =>
      state === "open" && kind === "missing_on_statement" && line_ids.length === 0
  )
  const named = Map.groupBy(
    missing.flatMap(({ data }) => data.movements),
    ({ resource_id, version }) => `${resource_id}@${version}`
  )
  return [
    ...groups,
    ...twice,
    ...over.map(({ id }) => `${id} is open, and its lines are accounted for`),
    ...idle.map(({ id }) => `${id} ended with an entry that accounts for nothing`),
    ...[...named].flatMap(([step, all]) => (all.length > 1 ? [`${step} is missing in ${all.length} breaks`] : []))
  ]
}

const openSteps = (now: State): ReadonlyArray<readonly [step: string, moved: bigint]> => {
  const accounted = accountedIn(now)
  return [...now.steps].filter(([step, moved]) => {
    const id = step.split("@")[0]!
    return moved !== 0n && !accounted.has(step) && !now.isVoid(id) && !now.isSuspended(id, moved)
  })
}

/** What is open, and has no break that a person could act on, or has dismissed. */
const hiddenIn = (now: State): ReadonlyArray<string> => {
  const visible = now.breaks.filter(({ data, state }) => state === "open" || data.action === "dismiss")
  const lines = now.lines.filter(
    (line) =>
      line.data.amount !== "0" && !isAccounted(line) && !visible.some(({ data }) => data.line_ids.includes(line.id))
  )
  const movements = openSteps(now).filter(([step]) => {
    const id = step.split("@")[0]!
    return !visible.some(({ data }) =>
      [...data.resource_ids, ...[...data.movements, ...data.candidates].map((one) => one.resource_id)].includes(id)
    )
  })
  return [...lines.map(({ id }) => id), ...movements.map(([step]) => step)]
}

/** What a bank says, and what people do. An act that is refused changes nothing. */
const worldOf = Effect.fnUntraced(function* (chance: Chance) {
  const desk = yield* matchingDesk
  const m = yield* merchantAtWork("5000")
  const exceptions = yield* Exceptions
  const amounts = ["10", "20", "30"]
  const known = new Map<string, string>()
  const entered = (id: string | null) =>
    id === null ? Effect.void : Effect.map(desk.entryOf(id), ({ amount }) => void known.set(id, amount))
  const sides = (account: string) => (chance.happens(0.5) ? { from: account, to: world } : { from: world, to: account })
  const linesNow = Effect.map(state, ({ lines }) => lines)
  const reports = (id: string, amount: string) => {
    const [word, more] = chance.pick([
      ["success", 0],
      ["success", 0],
      ["success", -1],
      ["failed", 0],
      ["refund_failed", 0],
      ["reversed", 0]
    ] as const)
    return m.says(id, word, more === 0 ? {} : { amount: `${Number(amount) + more}` })
  }
  /** Two lines that sum to something that is known, with it: a person finds such. */
  const pairAmong = (lines: ReadonlyArray<Line>) => {
    const free = lines.filter((line) => line.state === "unmatched" || line.state === "proposed")
    const pairs = free.flatMap((first, n) =>
      free.slice(n + 1).flatMap((second) => {
        const sum = Number(signed(first) + signed(second)) / 1e6
        const of = [...known].filter(([, amount]) => Number(amount) === sum)
        return of.map(([id]) => ({ line_ids: [first.id, second.id], resource_ids: [id] }))
      })
    )
    return pairs.length === 0 ? {} : chance.pick(pairs)
  }
  const one = Effect.fnUntraced(function* (status: "open" | "resolved") {
    const found = (yield* desk.breaks({ status })).filter(({ actions }) => actions.length > 0)
    return found.length === 0 ? undefined : chance.pick(found)
  })
  return {
    desk,
    pays: Effect.gen(function* () {
      const amount = chance.pick(amounts)
      const { id } = yield* m.transfer(amount)
      known.set(id, amount)
      yield* m.settle
      if (chance.happens(0.8)) yield* reports(id, amount)
    }),
    word: Effect.suspend(() => {
      const sent = [...known].filter(([id]) => id.startsWith("tfr_"))
      return sent.length === 0 ? Effect.void : reports(...chance.pick(sent))
    }),
    deposit: Effect.suspend(() => m.deposit({ amount: chance.pick(amounts) })),
    line: Effect.gen(function* () {
      const date = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
      const [id, due] = known.size > 0 && chance.happens(0.7) ? chance.pick([...known]) : [`X${chance.bits()}`, "10"]
      const amount = chance.happens(0.7) ? due : chance.pick([...amounts, "0"])
      const direction = chance.happens(0.75) ? ("debit" as const) : ("credit" as const)
      const bank_reference = chance.happens(0.5) ? `R${chance.between(1, 5)}` : null
      const own = { amount, direction, bank_reference, booked_on: date, value_on: date }
      const named = { ...own, remittance: chance.happens(0.5) ? id : `${id} ${chance.bits()}` }
      yield* desk.says(chance.happens(0.2) ? [named, named] : [named], { from: date, to: date })
    }),
    entry: Effect.gen(function* () {
      const lines = yield* linesNow
      const line = lines.length > 0 && chance.happens(0.4) ? chance.pick(lines) : undefined
      const named = line === undefined ? {} : { line_id: line.id }
      const amount = line === undefined ? chance.pick(amounts) : `${Number(line.data.amount) / 1e6}`
      const money = { ...sides("losses"), amount, currency: "USDC", note: "fee" }
      yield* entered((yield* desk.entries.create(desk.operator, { ...money, ...named })).id)
    }),
    reverse: Effect.suspend(() => {
      const entries = [...known.keys()].filter((id) => id.startsWith("adj_"))
      return entries.length === 0
        ? Effect.void
        : desk.entries.reverse(desk.operator, chance.pick(entries), { note: "in error" })
    }),
    resolve: Effect.gen(function* () {
      const found = yield* one("open")
      if (found === undefined) return
      const action = chance.pick(found.actions.filter((word) => word !== "unmatch"))
      const lines = yield* linesNow
      const more = chance.happens(0.3) && lines.length > 0 ? { line_ids: [...found.lines, chance.pick(lines).id] } : {}
      const ids = [...known.keys()]
      const resource_ids = ids.length === 0 ? [] : [chance.pick(ids), chance.pick(ids)].slice(chance.between(0, 1))
      const input =
        action === "explain"
          ? sides("losses")
          : action === "match"
            ? {
                ...more,
                ...(chance.happens(0.6) ? { resource_ids } : {}),
                ...(chance.happens(0.5) ? pairAmong(lines) : {})
              }
            : {}
      yield* entered((yield* desk.resolve(found.id, { action, ...input })).adjusting_entry_id)
    }),
    undo: Effect.gen(function* () {
      const found = yield* one(chance.happens(0.7) ? "resolved" : "open")
      const undoing = (found?.actions ?? []).filter((word) => word === "unmatch" || word === "reopen")
      if (found === undefined || undoing.length === 0) return
      const lines = yield* linesNow
      const more = lines.length > 0 && chance.happens(0.4) ? { line_ids: [chance.pick(lines).id] } : {}
      yield* desk.resolve(found.id, { action: chance.pick(undoing), ...more })
    }),
    exception: Effect.gen(function* () {
      const open = yield* m.exceptions
      if (open.length === 0) return
      const { actions, id } = chance.pick(open)
      yield* exceptions.resolve(desk.operator, id, { action: chance.pick(actions), note: "seen" })
      yield* m.settle
    }),
    days: Effect.suspend(() => m.advance(86_400 * chance.between(1, 3))),
    end: Effect.andThen(m.advance(10 * 86_400), m.advance(86_400))
  }
})

const outstandingAt = (external_account_id: string) =>
  Effect.flatMap(Closings, (closings) =>
    Effect.map(closings.reconciliation({ external_account_id }), ({ items }) => items[0]!.outstanding)
  )

covers("BREAK-1", "BREAK-4", "BREAK-6", "ADJUST-2", "CLOSE-4")
it.each(Array.from({ length: runs }, (_, n) => n))("nothing is hidden and nothing counts twice: history %d", (seed) =>
  Effect.gen(function* () {
    const chance = new Chance(`reconciliation ${seed}`)
    const { desk, end, ...all } = yield* worldOf(chance)
    const { days, deposit, entry, exception, line, pays, resolve, reverse, undo, word } = all
    const weights = [pays, pays, word, deposit, line, line, line, entry, entry, reverse, undo, undo, exception, days]
    for (let n = 0; n < acts; n++) {
      yield* Effect.result(
        chance.pick<Effect.Effect<unknown, unknown>>([...weights, resolve, resolve, resolve] as never)
      )
      expect(wrongSums(yield* state)).toEqual([])
    }
    yield* end
    yield* desk.match
    const last = yield* state
    expect(wrongSums(last)).toEqual([])
    expect(hiddenIn(last)).toEqual([])
    const open = sumOf(openSteps(last).map(([, moved]) => moved))
    expect(Math.round(Number(yield* outstandingAt(desk.id)) * 1e6)).toBe(Number(-open))
  }).pipe(Effect.provide(readable), Effect.provide(makeSimulatedEngine()), Effect.runPromise)
)
