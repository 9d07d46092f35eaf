/** The ledger of Paystack where one hour of it is longer than one read. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import type { StatementPage } from "../../../../src/engine/ports/Provider.ts"
import { minutes, paystackWorld } from "../../../support/companies/paystack-world.ts"
import { covers } from "../../../support/repository/covers.ts"

describe("an hour with 7,000 rows", () => {
  covers("COMPANY-18", "COMPANY-23")
  it.live("is listed again by pages of few requests each, and has what was listed late", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { fake, inWorld, pass, start } = yield* paystackWorld()
        yield* inWorld(
          Effect.gen(function* () {
            const { provider } = yield* start()
            pass(minutes(60))
            for (let n = 0; n < 7000; n++) {
              fake.pay("0000000000", 100n)
              if (n % 3 === 0) pass(1000)
            }
            let cursor: string | null = null
            let most = 0
            const read = Effect.gen(function* () {
              const before = fake.requests.length
              const page: StatementPage = yield* provider.statements!.lines(cursor)
              most = Math.max(most, fake.requests.length - before)
              const isMore = page.cursor !== cursor
              cursor = page.cursor
              return { page, isMore }
            })
            const readAll = Effect.gen(function* () {
              const ids = new Set<string>()
              for (let pages = 0; pages < 200; pages++) {
                const { isMore, page } = yield* read
                for (const { id } of page.lines) ids.add(id)
                if (!isMore) return ids
              }
              return ids
            })
            const hidden = fake.lastBooked.id
            fake.isListed = ({ id }) => id !== hidden
            pass(minutes(5))
            assert.strictEqual((yield* readAll).size, 6999)
            pass(minutes(60 * 3))
            assert.strictEqual((yield* readAll).size, 0)
            fake.isListed = () => true
            pass(minutes(60 * 3))
            // The hour is there again, and each line has its id.
            const again = yield* readAll
            assert.isTrue(again.has(`NGN/${hidden}`))
            assert.isAtMost(most, 60)
          })
        )
      })
    )
  )
})
