/** Calls at once under one reference, each with an idempotency key of its own, through every entry point. */
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { effects, http, promises } from "../../support/engines/entry-points.ts"
import { covers } from "../../support/repository/covers.ts"

/** A store whose commits take a turn of the event loop, so that calls decide at once. */
const slow = Layer.effect(
  Storage,
  Effect.map(Storage, (storage) => ({
    ...storage,
    commit: (change) =>
      Effect.andThen(
        Effect.promise(() => new Promise(setImmediate)),
        storage.commit(change)
      )
  }))
).pipe(Layer.provide(MemoryStorage.layer))

covers("REFERENCE-3", "IDEM-1")
it.each([
  ["promises", promises],
  ["effects", effects],
  ["HTTP", http]
] as const)(
  "%s: calls overtaken by another with their reference return the movement that was made",
  async (_, open) => {
    const entryPoint = await open(slow)
    try {
      const { merchant } = await entryPoint.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
      const lagos = entryPoint.as(merchant.id)
      const wallet = await lagos.wallets.create({ currency: "USDC" })
      const funding = { wallet_id: wallet.id, source_currency: "NGN", source_amount: "150000" } as const
      const numbers = Array.from({ length: 6 }, (_, n) => n)
      const quotes = await Promise.all(numbers.map(() => lagos.quotes.onramp(funding)))
      const create = (n: number) =>
        lagos.onramps.create({ quote_id: quotes[n]!.id, reference: "TOP/UP 1" }, { idempotencyKey: `overtaken-${n}` })
      const returned = await Promise.all(numbers.map(create))
      const { items } = await lagos.onramps.list()
      expect(items).toHaveLength(1)
      expect(returned).toEqual(numbers.map(() => items[0]))
      expect(await Promise.all(numbers.map(create))).toEqual(returned)
    } finally {
      await entryPoint.close()
    }
  }
)
