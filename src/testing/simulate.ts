/** Runs a simulation, from the program of a seed to its violations. */
import type { Layer } from "effect"
import { SimulatedProvider } from "../adapters/provider/simulated.ts"
import { MemoryStorage } from "../adapters/storage/memory.ts"
import type { StorageFault } from "../engine/ports/errors.ts"
import type { Storage } from "../engine/ports/Storage.ts"
import { Auditor } from "./audit/auditor.ts"
import { Coverage } from "./audit/coverage.ts"
import { programOf } from "./program/generate.ts"
import type { SimulatedProviderLayer } from "./world/third-parties.ts"
import type { Program } from "./program/program.ts"
import type { Log } from "./world/observer.ts"
import { Simulation, type SimulationOptions } from "./world/simulation.ts"

export interface Adapters {
  /** A new, empty store for each run. Default: the memory store. */
  readonly storage?: Layer.Layer<Storage, StorageFault>
  /** A provider and its sandbox. Default: the simulated provider. */
  readonly provider?: SimulatedProviderLayer
  readonly engine?: SimulationOptions["engine"]
}

export interface LiveOptions extends Adapters {
  readonly coverage?: Coverage
  /** Receives everything that happens. `narrated` formats it. */
  readonly log?: Log
}

/** The result of a run. */
export interface Report {
  readonly program: Program
  /** Violations, in the order in which they were found. */
  readonly found: ReadonlyArray<string>
  /** A hash of the log: equal for equal programs, in every process. */
  readonly hash: string
  readonly commits: number
  /** The end of the simulation, in milliseconds since its beginning. */
  readonly age: number
}

/** Runs a program in a simulation, and reports its violations. */
export const live = async (program: Program, options: LiveOptions = {}): Promise<Report> => {
  const {
    coverage = new Coverage(),
    log,
    storage = MemoryStorage.layer,
    provider = SimulatedProvider.layer({ mode: "auto", delay_ms: program.faults.delay_ms, payshap: true }),
    engine
  } = options
  const auditor = new Auditor(coverage, log)
  const simulation = new Simulation({
    program,
    storage,
    provider,
    observer: auditor,
    stop: () => auditor.found.length > 0,
    end: () => auditor.close(),
    ...(engine === undefined ? {} : { engine })
  })
  auditor.watch(simulation)
  await simulation.live()
  return { program, found: auditor.found, hash: simulation.hash, commits: auditor.commits, age: simulation.age }
}

export interface SimulateOptions extends LiveOptions {
  readonly seed: number
}

/** Generates and runs the simulation of a seed. */
export const simulate = ({ seed, ...options }: SimulateOptions): Promise<Report> => live(programOf(seed), options)
