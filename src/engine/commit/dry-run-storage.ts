/** The store, as what serves a call sees it: nothing is written to it in a dry run, whatever asks (DRYRUN-2). */
import { Effect, Layer } from "effect"
import { DryRun } from "../ports/dry-run.ts"
import { InvariantViolation } from "../ports/errors.ts"
import { Storage } from "../ports/Storage.ts"

type Store = Storage["Service"]

/** The methods that write. `take` is one of them unless it peeks, and the executor alone calls it, before a dry run begins. */
const writes = [
  "commit",
  "reindex",
  "claim",
  "beat",
  "forget",
  "define",
  "assign",
  "replaceResponse",
  "recordIdentities"
] as const satisfies ReadonlyArray<keyof Store>

type Method = (...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>

const guarded =
  (name: string, method: Method): Method =>
  (...args) =>
    Effect.withFiber((fiber) =>
      fiber.getRef(DryRun) === undefined
        ? method(...args)
        : Effect.die(new InvariantViolation(`a dry run does not ${name}`))
    )

/** Replaces the store by one that dies, as a defect, when a dry run writes to it. */
export const dryRunStorage: Layer.Layer<Storage, never, Storage> = Layer.effect(
  Storage,
  Effect.map(Storage, (storage) =>
    Storage.of({
      ...storage,
      ...(Object.fromEntries(writes.map((name) => [name, guarded(name, storage[name] as unknown as Method)])) as Pick<
        Store,
        (typeof writes)[number]
      >)
    })
  )
)
