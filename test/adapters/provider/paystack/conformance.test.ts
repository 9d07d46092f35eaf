/** The cases of the conformance kit that are about money, against the provider through the fake. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { connectorOf } from "../../../support/companies/connector-of.ts"
import { ngnKey } from "../../../support/companies/fake-paystack.ts"
import { paystackWorld } from "../../../support/companies/paystack-world.ts"
import { check } from "../../../support/connectors/conformance.ts"
import { covers } from "../../../support/repository/covers.ts"
import { secretOf } from "../../../support/protocol/scripted-connector.ts"

/**
 * Of the others, `late-request`, `conflict`, `conflict-at-once` and `never-absent` are about the signed requests of a connector, which this is not,
 * and `different-ids` and `contents` name commands by ids that the engine never makes.
 */
const kept = [
  ...["at-once", "many-at-once", "repeat", "repeat-in-other-form", "cut-after-sending", "cut-within-body", "ends"],
  ...["settled-stays", "unknown-is-absent", "absent-is-final"]
].map((name) => `payouts/${name}`)
const areas = ["amounts", "books", "directory", "events", "manifest"]

describe("Paystack", () => {
  covers("COMPANY-1", "COMPANY-2", "COMPANY-10")
  it.live(
    "passes the cases of the conformance kit that are about money",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const world = yield* paystackWorld({ keys: { NGN: ngnKey } })
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
                "NGN",
                "--account",
                "account_number=0001234567,bank_code=044"
              ],
              ...["--callbacks", "off", "--watch", "50", "--settle-within", "5", "--max-amount", "50.00", "--json"],
              ...[...kept, ...areas].flatMap((name) => ["--only", name])
            ])
          )
          assert.deepStrictEqual(errors, [])
          const { verdicts } = JSON.parse(out) as {
            readonly verdicts: ReadonlyArray<{ readonly id: string; readonly status: string; readonly found?: string }>
          }
          assert.deepStrictEqual(
            verdicts.filter(({ status }) => status === "failed" || status === "not-run"),
            []
          )
          const passed = verdicts.filter(({ status }) => status === "passed").map(({ id }) => id)
          for (const id of kept) assert.include(passed, id)
          assert.isAtLeast(passed.length, kept.length + 12)
        })
      ),
    { timeout: 300_000 }
  )
})
