/** A memory store that remembers what changed it, so that it can be had again and again as it was. */
import { Context, Effect, Layer } from "effect"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"

type Write = (storage: Storage["Service"]) => Effect.Effect<unknown, unknown>

/** A store that can be had again as it is: another with the same contents, which goes its own way from there. */
export interface Repeatable {
  readonly storage: Storage["Service"]
  readonly again: () => Promise<Repeatable>
  readonly close: () => Promise<void>
}

const writing = ["commit", "claim", "forget", "take", "define", "assign"] as const

const over = (bare: Storage["Service"], before: ReadonlyArray<Write>): Repeatable => {
  const writes: Array<Write> = [...before]
  const kept = Object.fromEntries(
    writing.map((name) => [
      name,
      (...args: ReadonlyArray<never>) =>
        Effect.suspend(() => {
          const write: Write = (storage) =>
            (storage[name] as unknown as (...given: typeof args) => ReturnType<Write>)(...args)
          writes.push(write)
          return write(bare)
        })
    ])
  )
  return { storage: Storage.of({ ...bare, ...kept }), again: () => replayWrites(writes), close: async () => {} }
}

const replayWrites = async (writes: ReadonlyArray<Write>): Promise<Repeatable> => {
  const bare = await Effect.runPromise(
    Effect.scoped(Effect.map(Layer.build(Layer.fresh(MemoryStorage.layer)), (context) => Context.get(context, Storage)))
  )
  await Effect.runPromise(Effect.forEach(writes, (write) => write(bare), { discard: true }))
  return over(bare, writes)
}

/** A store with nothing in it. */
export const makeJournaledStore = (): Promise<Repeatable> => replayWrites([])
