/** The oracles can fail: each adapter that breaks one law is found. */
import { methodsOf, type ProviderMethods, withMethods } from "../support/engines/provider-methods.ts"
import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { SimulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../src/adapters/storage/memory.ts"
import { Provider } from "../../src/engine/ports/Provider.ts"
import { Sandbox } from "../../src/engine/ports/Sandbox.ts"
import { type Change, Storage } from "../../src/engine/ports/Storage.ts"
import { type Adapters, simulate } from "../../src/testing/index.ts"

type Commit = Storage["Service"]["commit"]

/** A memory store with wrapped commits. */
const committing = (through: (commit: Commit) => Commit): Adapters => ({
  storage: Layer.effect(
    Storage,
    Effect.map(Storage, (storage) => Storage.of({ ...storage, commit: through(storage.commit) }))
  ).pipe(Layer.provide(MemoryStorage.layer))
})

/** A store that alters Changes. */
const changing = (change: (given: Change) => Change): Adapters =>
  committing((commit) => (given) => commit(change(given)))

const submitting = (through: (provider: ProviderMethods) => Partial<ProviderMethods>): Adapters => ({
  provider: Layer.effectContext(
    Effect.gen(function* () {
      const provider = yield* Provider
      return Context.make(Provider, withMethods(provider, through(methodsOf(provider)))).pipe(
        Context.add(Sandbox, yield* Sandbox)
      )
    })
  ).pipe(Layer.provide(SimulatedProvider.layer({ mode: "auto", delay_ms: 5000, payshap: true })))
})

const isMovement = (id: string): boolean => /^(?:tfr|ofr|con|onr)_/.test(id)

const broken: Readonly<Record<string, Adapters>> = {
  "a store that loses a posting": changing((given) => ({
    ...given,
    postings: given.postings.filter(({ debit }) => !debit.startsWith("reserved"))
  })),
  "a store that says it wrote what it did not": committing(
    (commit) => (given) =>
      given.events.some(({ type }) => type === "transfer.success")
        ? Effect.succeed({ _tag: "Committed" } as const)
        : commit(given)
  ),
  "a store that forgets what it has applied": committing((commit) => {
    let count = 0
    return (given) => {
      const key = given.idempotency?.key ?? ""
      return commit(
        key.startsWith("provider/")
          ? { ...given, idempotency: { ...given.idempotency!, key: `${key}/${count++}` } }
          : given
      )
    }
  }),
  "a store that drops the deliveries of an event": changing((given) => ({
    ...given,
    events: given.events.filter(({ type }) => type !== "offramp.success")
  })),
  "a store that loses look-ups": changing((given) => ({
    ...given,
    jobs: given.jobs.filter(({ body }) => body["operation"] !== "lookup")
  })),
  "a provider that executes every attempt": submitting((provider) => ({
    submit: (command) => provider.submit({ ...command, id: `${command.id}-${command.attempt}` })
  })),
  "a provider that says no, and pays": submitting((provider) => ({
    submit: (command) =>
      Effect.as(provider.submit(command), { _tag: "rejected", reason: "failed", refundable: true } as const)
  })),
  "a provider that does not know what it was asked": submitting(() => ({
    lookup: ({ resource_id }) => Effect.succeed({ _tag: isMovement(resource_id) ? "absent" : "pending" } as const)
  }))
}

describe("a simulation finds", () => {
  it.each(Object.entries(broken))("%s", async (_, adapters) => {
    let found: ReadonlyArray<string> = []
    let seed = 0
    while (found.length === 0 && ++seed <= 30) found = (await simulate({ seed, ...adapters })).found
    expect(found, `nothing in ${seed} seeds`).not.toEqual([])
  })
})
