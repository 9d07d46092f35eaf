/** How much is read to end the payouts to one beneficiary that may not be paid any more. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

onEveryStore(
  "a beneficiary that is blocked",
  (run) => {
    covers("APPROVAL-17", "BENEFICIARY-7")
    it("has its waiting payouts ended by reads of its own, however many others wait", () =>
      run(
        Effect.gen(function* () {
          const storage = yield* Storage
          const sandbox = yield* SandboxOperations
          const { list } = storage
          let read = 0
          Object.assign(storage, {
            list: (query: Parameters<typeof list>[0]) =>
              Effect.tap(list(query), ({ items }) =>
                Effect.sync(() => {
                  if (query.kinds.includes("transfer")) read += items.length
                })
              )
          })
          const reads: Array<number> = []
          for (const others of [5, 30]) {
            const m = yield* merchantAtWork("1000")
            yield* m.behaves("hold")
            for (let n = 0; n < others; n++) yield* m.transfer("1")
            const blocked = yield* m.crypto()
            const { id } = yield* m.transfer("1", { beneficiary_id: blocked })
            yield* m.settle
            read = 0
            yield* sandbox.screenBeneficiary(m.caller, blocked, { outcome: "refused" })
            yield* m.settle
            reads.push(read)
            assert.strictEqual(yield* m.status(id), "failed")
            yield* m.behaves("accept")
            for (let left = yield* m.underWay; left.length > 0; left = yield* m.underWay) {
              yield* m.settle
              for (const one of left) yield* m.says(one, "failed")
            }
          }
          Object.assign(storage, { list })
          assert.strictEqual(reads[0], reads[1])
        })
      ))
  },
  ["memory"]
)
