/** Measures two contenders in one run, in alternating rounds. The machine is noisy, and noise then affects both. */

import { type Asked, startLoader } from "./load.ts"

/** The times of a run, in milliseconds: the whole run and each operation. */
export interface Taken {
  readonly elapsed_ms: number
  readonly latencies_ms: ReadonlyArray<number>
}

/**
 * One way of doing the work. `run` performs `count` operations, as fast as possible or, where supported, at a fixed
 * rate. Preparation is not timed.
 */
export interface Contender {
  readonly run: (count: number, rate_per_s?: number) => Promise<Taken>
  readonly close: () => Promise<void>
}

export interface Figures {
  /** Median over the rounds. */
  readonly per_s: number
  readonly p50_ms: number
  readonly p99_ms: number
}

export interface Comparison {
  readonly ours: Figures | null
  readonly floor: Figures | null
}

/** A contender whose operations are calls, `inFlight` of them at once. */
export const calls = (
  operate: (serial: number) => Promise<unknown>,
  inFlight: number,
  close: () => Promise<void>
): Contender => {
  let serial = 0
  return {
    run: async (count) => {
      const latencies_ms: Array<number> = []
      let left = count
      const began = performance.now()
      const caller = async (): Promise<void> => {
        while (left > 0) {
          left--
          const start = performance.now()
          await operate(serial++)
          latencies_ms.push(performance.now() - start)
        }
      }
      await Promise.all(Array.from({ length: inFlight }, caller))
      return { elapsed_ms: performance.now() - began, latencies_ms }
    },
    close
  }
}

/** A contender whose operations are HTTP requests from another process. */
export const loaded = (
  url: string,
  connections: number,
  asked: (serial: number) => Asked,
  close: () => Promise<void>
): Contender => {
  const loader = startLoader(url, connections)
  let serial = 0
  return {
    run: (count, rate_per_s) =>
      loader.run(
        Array.from({ length: count }, () => asked(serial++)),
        rate_per_s
      ),
    close: () => {
      loader.close()
      return close()
    }
  }
}

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

const ascending = (numbers: ReadonlyArray<number>): ReadonlyArray<number> => numbers.toSorted((a, b) => a - b)

/** The median rate of several runs, and the percentiles over all their operations. */
export const figuresOf = (runs: ReadonlyArray<Taken>): Figures => {
  const latencies = ascending(runs.flatMap(({ latencies_ms }) => latencies_ms))
  const rates = runs.map(({ elapsed_ms, latencies_ms }) => (latencies_ms.length / elapsed_ms) * 1000)
  return {
    per_s: percentile(ascending(rates), 0.5),
    p50_ms: percentile(latencies, 0.5),
    p99_ms: percentile(latencies, 0.99)
  }
}

/** Warms both up, then runs them in alternating rounds with alternating order. */
export const compare = async (
  contenders: { readonly ours: Contender | null; readonly floor: Contender | null },
  counts: { readonly warmup: number; readonly count: number; readonly rounds: number }
): Promise<Comparison> => {
  const sides = (["floor", "ours"] as const).flatMap((side) => {
    const contender = contenders[side]
    return contender === null ? [] : [{ side, contender, runs: [] as Array<Taken> }]
  })
  for (const { contender } of sides) await contender.run(counts.warmup)
  for (let round = 0; round < counts.rounds; round++) {
    for (const { contender, runs } of round % 2 === 0 ? sides : sides.toReversed()) {
      runs.push(await contender.run(counts.count))
    }
  }
  const of = (wanted: "ours" | "floor"): Figures | null => {
    const found = sides.find(({ side }) => side === wanted)
    return found === undefined ? null : figuresOf(found.runs)
  }
  return { ours: of("ours"), floor: of("floor") }
}
