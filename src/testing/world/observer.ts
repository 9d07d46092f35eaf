/** Who watches a simulation, and what is watched: its processes and the answers of their operations. */
import type { Context, Layer } from "effect"
import type { Calls } from "../../embedded/calls.ts"
import type * as Engine from "../../engine/Engine.ts"
import type { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import type { Change, Job, ListQuery, Row, Storage, CommitResult } from "../../engine/ports/Storage.ts"
import type { PeopleCalls } from "./people.ts"
import type { Watch } from "./third-parties.ts"
import type { Op } from "../program/program.ts"
import type { SimulatedProcess } from "./virtual-time.ts"

/** Receives log entries: `age` is milliseconds since the beginning, `about` is JSON. */
export type Log = (age: number, what: string, about: unknown) => void

/** Observes the simulation. Each method is called right after the event that it names. */
export interface Observer extends Omit<Watch, "stormy" | "callback"> {
  /** Called after every commit that the store has decided, whether or not the process received the verdict. */
  readonly committed: (
    process: SimulatedProcess,
    change: Change,
    verdict: CommitResult,
    store: Storage["Service"]
  ) => void | Promise<void>
  readonly claimed: (process: SimulatedProcess, jobs: ReadonlyArray<Job>) => void
  readonly read: (process: SimulatedProcess, rows: ReadonlyArray<Row>) => void
  /** A process could not read a list. */
  readonly unlisted: (process: SimulatedProcess, query: ListQuery) => void
  /** The result of an operation. `attempts`: the number of calls. */
  readonly concluded: (op: Op, answer: Answered, attempts: number) => void
  /** The engine logged an error, or one of its fibers ended in a defect. */
  readonly defect: (message: string) => void
  readonly log: Log | undefined
}

export type Answered =
  | { readonly _tag: "success"; readonly body: unknown }
  | { readonly _tag: "refused"; readonly error: { readonly _tag: string; readonly message: string } }
  | { readonly _tag: "unknown" }

/** The services of a started process. */
export type ObservedServices =
  | Layer.Success<typeof Engine.layer>
  | Layer.Success<typeof Engine.sandbox>
  | Calls
  | PeopleCalls
  | Storage
  | JobNotifier

/** A process that runs the engine. */
export interface Node {
  readonly number: number
  readonly process: SimulatedProcess
  context: Context.Context<ObservedServices> | undefined
}
