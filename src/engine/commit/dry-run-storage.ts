/** The store, as what serves a call sees it: in a dry run nothing is written, whatever asks, and what would have been is read (DRYRUN-2, DRYRUN-6). */
import { Effect, Layer } from "effect"
import { DryRun } from "../ports/dry-run.ts"
import { InvariantViolation } from "../ports/errors.ts"
import { Storage } from "../ports/Storage.ts"
import { viewing, viewOf } from "./dry-run-view.ts"

type Store = Storage["Service"]

/** The methods that write. `take` is one of them unless it peeks, and the executor alone calls it, before a dry run begins. */
const writes = [
  "commit",
  "reindex",
  "claim",
  "heartbeat",
  "forget",
  "define",
  "assign",
  "replaceResponse",
  "recordIdentity"
] as const satisfies ReadonlyArray<keyof Store>

type Method = (...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>

const forbidInDryRun =
  (name: string, method: Method): Method =>
  (...args) =>
    Effect.withFiber((fiber) =>
      fiber.getRef(DryRun) === undefined
        ? method(...args)
        : Effect.die(new InvariantViolation(`a dry run does not ${name}`))
    )

const reads = [
  "trialCommit",
  "get",
  "find",
  "list",
  "matches",
  "accounts",
  "counters",
  "uniqueKeyOwner",
  "lookup"
] as const

/** A read of the store as the dry run of a fiber has left it. */
const readInDryRun =
  (storage: Store, name: (typeof reads)[number]): Method =>
  (...args) =>
    Effect.withFiber((fiber) => {
      const view = viewOf(fiber.getRef(DryRun))
      const method = (view === undefined ? storage : viewing(storage, view))[name] as unknown as Method
      return method(...args)
    })

/** Replaces the store by one that dies, as a defect, when a dry run writes to it. */
export const dryRunStorage: Layer.Layer<Storage, never, Storage> = Layer.effect(
  Storage,
  Effect.map(Storage, (storage) =>
    Storage.of({
      ...storage,
      ...(Object.fromEntries([
        ...writes.map((name) => [name, forbidInDryRun(name, storage[name] as unknown as Method)]),
        ...reads.map((name) => [name, readInDryRun(storage, name)])
      ]) as Pick<Store, (typeof writes)[number] | (typeof reads)[number]>)
    })
  )
)
