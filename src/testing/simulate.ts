/** A seed's life, from its program to what was found. */
import type { Layer } from "effect"
import { SimulatedProvider } from "../adapters/provider/simulated.ts"
import { MemoryStorage } from "../adapters/storage/memory.ts"
import type { StorageFault } from "../engine/ports/errors.ts"
import type { Storage } from "../engine/ports/Storage.ts"
import { Auditor } from "./auditor.ts"
import { Coverage } from "./coverage.ts"
import { programOf } from "./generate.ts"
import type { ProviderLayer } from "./outside.ts"
import type { Program } from "./program.ts"
import { type Log, World, type WorldOptions } from "./world.ts"

/** What takes part in a simulation beside the engine. */
export interface Adapters {
  /** A store, empty and of its own for each run; the memory store by default. */
  readonly storage?: Layer.Layer<Storage, StorageFault>
  /** A provider and the sandbox that makes it speak; the simulated one by default. */
  readonly provider?: ProviderLayer
  readonly engine?: WorldOptions["engine"]
}

export interface LiveOptions extends Adapters {
  readonly coverage?: Coverage
  /** Takes everything that happens; `narrated` makes lines of it. */
  readonly log?: Log
}

/** How a world ended. */
export interface Report {
  readonly program: Program
  /** What was wrong, in the order it was found; empty: nothing. */
  readonly found: ReadonlyArray<string>
  /** Of everything that happened, in order: equal for equal programs, in every process. */
  readonly hash: string
  readonly commits: number
  /** When it ended: milliseconds since its beginning. */
  readonly age: number
}

/** Lives through a program. */
export const live = async (program: Program, options: LiveOptions = {}): Promise<Report> => {
  const {
    coverage = new Coverage(),
    log,
    storage = MemoryStorage.layer,
    provider = SimulatedProvider.layer({ mode: "auto", delay_ms: program.faults.delay_ms, payshap: true }),
    engine
  } = options
  const auditor = new Auditor(coverage, log)
  const world = new World({
    program,
    storage,
    provider,
    witness: auditor,
    stop: () => auditor.found.length > 0,
    end: () => auditor.close(),
    ...(engine === undefined ? {} : { engine })
  })
  auditor.watch(world)
  await world.live()
  return { program, found: auditor.found, hash: world.hash, commits: auditor.commits, age: world.age }
}

export interface SimulateOptions extends LiveOptions {
  readonly seed: number
}

/** Lives through the world of a seed. */
export const simulate = ({ seed, ...options }: SimulateOptions): Promise<Report> => live(programOf(seed), options)
