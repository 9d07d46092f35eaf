/** Shrinks a failing program: leaves out operations and faults as long as the same violation is found. */
import type { Faults, Op, Program } from "./program/program.ts"
import { live, type LiveOptions, type Report } from "./simulate.ts"

/**
 * The rest of a program: the numbers of its operations, and the omitted faults (`slow`, `crash:0`). `always`: faults
 * that occur at every opportunity. `salt`: changes all random draws, because a smaller program may need others; 0: no
 * change.
 */
export interface Reduction {
  readonly keep: ReadonlyArray<number>
  readonly without: ReadonlyArray<string>
  readonly always: ReadonlyArray<string>
  readonly salt: number
}

/** Salts that are tried for each smaller program. */
const salts = [0, 1, 2, 3]

const lists = { crash: "crashes", pause: "pauses", leap: "leaps" } as const

/** Lists the faults of a program that can be omitted, by the names that `without` takes. */
export const faultsIn = ({ faults }: Program): ReadonlyArray<string> => [
  ...Object.entries(lists).flatMap(([name, list]) => faults[list].map((_, index) => `${name}:${index}`)),
  ...(faults.nodes.length > 1 ? ["nodes"] : []),
  ...(Object.keys(faults.receivers).length > 0 ? ["receivers"] : []),
  ...Object.entries(faults).flatMap(([name, rate]) =>
    typeof rate === "number" && rate > 0 && name !== "delay_ms" ? [name] : []
  )
]

/** Removes operations and faults from a program. Errors: throws `RangeError` for a fault that the program does not have. */
export const reduceProgram = (program: Program, { always, keep, salt, without }: Reduction): Program => {
  const known = new Set(faultsIn(program))
  const unknown = [...without, ...always].find((name) => !known.has(name))
  if (unknown !== undefined) throw new RangeError(`the program has no fault named ${unknown}`)
  const { faults } = program
  const left = new Set(without)
  const kept = new Set(keep)
  const isRate = (name: string): boolean => typeof faults[name as keyof Faults] === "number"
  const rates = Object.fromEntries([
    ...without.filter(isRate).map((name) => [name, 0]),
    ...always.filter(isRate).map((name) => [name, 1])
  ])
  const of = <A>(name: keyof typeof lists, list: ReadonlyArray<A>): ReadonlyArray<A> =>
    list.filter((_, index) => !left.has(`${name}:${index}`))
  return {
    ...program,
    seed: program.seed + salt * 1_000_000_007,
    ops: program.ops.filter(({ n }) => kept.has(n)),
    faults: {
      ...faults,
      ...rates,
      nodes: left.has("nodes") ? faults.nodes.slice(0, 1) : faults.nodes,
      receivers: left.has("receivers") ? {} : faults.receivers,
      crashes: of("crash", faults.crashes),
      pauses: of("pause", faults.pauses),
      leaps: of("leap", faults.leaps)
    } satisfies Faults
  }
}

/** Reduces a violation to its kind: its message without ids and numbers, which change as operations are omitted. */
export const toViolationKind = (found: string): string =>
  found
    .replace(/\b[a-z]+_[0-9a-z]{26}\b/g, "…")
    .replace(/\b[0-9a-z]{26}\b/g, "…")
    .replace(/\d+/g, "n")
    .slice(0, 160)

/** Removes the operations that refer to removed ones. */
const removeDangling = (ops: ReadonlyArray<Op>): ReadonlyArray<Op> => {
  const known = new Set<number>()
  return ops.filter((op) => {
    const references = [
      ...(op.as === null ? [] : [op.as]),
      ...[...JSON.stringify(op.args).matchAll(/"@(\d+)\./g)].map(([, n]) => Number(n))
    ]
    if (!references.every((n) => known.has(n))) return false
    known.add(op.n)
    return true
  })
}

export interface Shrunk {
  readonly reduction: Reduction
  readonly program: Program
  readonly report: Report
  /** Number of simulations that were simulated. */
  readonly runs: number
}

/**
 * Searches the smallest program, within `runsMax` simulations, with the same violation as `report`. Removes operations by halves
 * and then by ever smaller parts (delta debugging), and faults one by one.
 */
export const shrink = async (report: Report, options: LiveOptions = {}, runsMax = 1000): Promise<Shrunk> => {
  const whole = report.program
  const kind = toViolationKind(report.found[0] ?? "")
  let best: Shrunk = {
    reduction: { keep: whole.ops.map(({ n }) => n), without: [], always: [], salt: 0 },
    program: whole,
    report,
    runs: 0
  }
  let runs = 0
  const lives = async (reduction: Reduction): Promise<boolean> => {
    if (runs >= runsMax) return false
    runs++
    const program = reduceProgram(whole, reduction)
    const lived = await live(program, options)
    if (!lived.found.some((found) => toViolationKind(found) === kind)) return false
    best = { reduction, program, report: lived, runs }
    return true
  }
  const fails = async ({ keep, salt, ...rest }: Reduction): Promise<boolean> => {
    const wanted = new Set(keep)
    const ops = removeDangling(whole.ops.filter(({ n }) => wanted.has(n))).map(({ n }) => n)
    for (const other of salts) if (await lives({ ...rest, keep: ops, salt: salt ^ other })) return true
    return false
  }
  const without = async (names: ReadonlyArray<string>): Promise<void> => {
    for (const name of names)
      if (!best.reduction.without.includes(name))
        await fails({ ...best.reduction, without: [...best.reduction.without, name] })
  }
  const amplify = async (): Promise<void> => {
    for (const name of faultsIn(whole))
      if (!best.reduction.without.includes(name) && !name.includes(":") && !["nodes", "receivers"].includes(name))
        await fails({ ...best.reduction, always: [...best.reduction.always, name] })
  }
  const cut = async (): Promise<void> => {
    for (let parts = 2; parts <= best.reduction.keep.length; ) {
      const { keep } = best.reduction
      const size = Math.ceil(keep.length / parts)
      let smaller = false
      // From the end: most operations depend on earlier ones.
      for (let at = keep.length - size; at > -size && !smaller; at -= size)
        smaller = await fails({ ...best.reduction, keep: keep.filter((_, index) => index < at || index >= at + size) })
      if (!smaller && size === 1) return
      parts = smaller ? Math.max(2, parts - 1) : Math.min(parts * 2, Math.max(keep.length, 2))
    }
  }
  // Operations after the violation cannot have caused it.
  const last = whole.ops.filter(({ at }) => at <= report.age).map(({ n }) => n)
  await lives({ keep: last, without: [], always: [], salt: 0 })
  await without(faultsIn(whole))
  await amplify()
  await cut()
  await without(faultsIn(whole).filter((name) => !best.reduction.always.includes(name)))
  return { ...best, runs }
}
