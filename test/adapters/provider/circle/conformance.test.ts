/** The cases of the conformance kit that are about money, against the provider through the fake. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { circleWorld, approved } from "../../../support/companies/circle-world.ts"
import { connectorOf } from "../../../support/companies/connector-of.ts"
import { check } from "../../../support/connectors/conformance.ts"
import { secretOf } from "../../../support/protocol/scripted-connector.ts"
import { covers } from "../../../support/repository/covers.ts"

/** Of the others, see the conformance test of Paystack. The fake connector in between issues no addresses. */
const kept = [
  ...["at-once", "many-at-once", "repeat", "repeat-in-other-form", "cut-after-sending", "cut-within-body", "ends"],
  ...["settled-stays", "unknown-is-absent", "absent-is-final"]
].map((name) => `payouts/${name}`)
const areas = ["amounts", "books", "events"]

describe("Circle", () => {
  covers("CIRCLE-1", "COMPANY-1", "COMPANY-2", "COMPANY-10")
  it.live(
    "passes the cases of the conformance kit that are about money",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const world = yield* circleWorld({ networks: ["base"], bank_countries: [] })
          world.fake.first = "complete"
          const { provider } = yield* world.start()
          const secret = secretOf(3)
          const { url } = yield* connectorOf(provider, secret, world)
          const { errors, out } = yield* Effect.promise(() =>
            check([
              ...[
                "--url",
                url,
                "--secret",
                secret,
                "--currency",
                "USDC",
                "--account",
                `network=base,address=${approved}`
              ],
              ...["--callbacks", "off", "--watch", "50", "--settle-within", "5", "--max-amount", "50.00", "--json"],
              ...[...kept, ...areas].flatMap((name) => ["--only", name])
            ])
          )
          assert.deepStrictEqual(errors, [])
          const { verdicts } = JSON.parse(out) as {
            readonly verdicts: ReadonlyArray<{ readonly id: string; readonly status: string; readonly found?: string }>
          }
          const failed = verdicts.filter(({ status }) => status === "failed" || status === "not-run")
          assert.deepStrictEqual(failed, [])
          const passed = verdicts.filter(({ status }) => status === "passed").map(({ id }) => id)
          for (const id of kept) assert.include(passed, id)
        })
      ),
    { timeout: 300_000 }
  )
})
