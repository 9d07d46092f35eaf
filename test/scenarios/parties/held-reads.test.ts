/** What a commit reads that releases held deposits: as many rows, however many deposits are held (TIER-2). */
import { Clock, Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { HeldDeposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { addressAt, freshAddress, payinEvent } from "../../support/merchants/payins.ts"
import { verifying } from "../../support/merchants/verification.ts"
import { covers } from "../../support/repository/covers.ts"

onMemory("an approval", (run) => {
  covers("TIER-2")
  it("reads as many held deposits as it releases, and a few", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const inbox = yield* Inbox
        const storage = yield* Storage
        const wallet = yield* (yield* Wallets).create(m.caller, { currency: "USDC", customer_id: m.customer })
        let read = 0
        const counting: Storage["Service"] = {
          ...storage,
          get: (keys) => Effect.tap(storage.get(keys), (rows) => Effect.sync(() => void (read += rows.length))),
          list: (query) =>
            Effect.tap(storage.list(query), ({ items }) => Effect.sync(() => void (read += items.length)))
        }
        const layer = Layer.fresh(HeldDeposits.layer).pipe(Layer.provide(Layer.succeed(Storage, counting)))
        const deposits = yield* Effect.provide(HeldDeposits, layer)
        const reads: Array<number> = []
        let held = 0
        for (const more of [150, 150]) {
          for (let n = 0; n < more; n++) {
            const target = freshAddress()
            const id = `held ${target}`
            yield* addressAt({ ...m, wallet } as never, target, "base", wallet.id)
            yield* inbox.receive(
              "simulated",
              payinEvent({ event_id: id, payin_id: id, target, network: "base", amount: "2000" })
            )
          }
          held += more
          read = 0
          const released = yield* deposits.release(m.merchant_id, m.customer, "tier_2", yield* Clock.currentTimeMillis)
          assert.isTrue(released.more)
          reads.push(read)
        }
        assert.strictEqual(reads[0], reads[1], `of ${held} held`)
        assert.isAtMost(reads[0]!, 201)
      })
    ))
})
