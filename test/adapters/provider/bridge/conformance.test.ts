/** The cases of the conformance kit that are about money, against the provider through the fake. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import type { Statements } from "../../../../src/engine/ports/Provider.ts"
import { bridgeWorld, type BridgeWorld, iban, routingNumber } from "../../../support/companies/bridge-world.ts"
import { connectorOf } from "../../../support/companies/connector-of.ts"
import { check } from "../../../support/connectors/conformance.ts"
import { secretOf } from "../../../support/protocol/scripted-connector.ts"
import { covers } from "../../../support/repository/covers.ts"

const kept = [
  ...["at-once", "many-at-once", "repeat", "repeat-in-other-form", "cut-after-sending", "cut-within-body", "ends"],
  ...["settled-stays", "unknown-is-absent", "absent-is-final"]
].map((name) => `payouts/${name}`)
/** What the fake's banks were paid, for the kit, which counts with it how often each command was executed. The connector has no statements. */
const paidBy = ({ fake }: BridgeWorld, currency: string): Statements => ({
  balances: Effect.succeed([{ currency, network: null, available: "0.00", pending: "0.00" }]),
  lines: (after) => {
    const from = Number(after ?? 0)
    const paid = fake.transfers.filter(({ money }) => money === "bank")
    const lines = paid.slice(from).map(({ at, id, reference, units }) => ({
      ...{ id, booked_at: at, direction: "debit" as const, amount: (Number(units) / 1e6).toFixed(2), currency },
      ...{ command_id: reference, payin_id: null, provider_reference: id, transaction_hash: null, narration: null }
    }))
    return Effect.succeed({ lines, cursor: String(paid.length) })
  }
})

const areas = ["amounts", "events", "directory"]

describe("Bridge", () => {
  covers("BRIDGE-1", "COMPANY-1", "COMPANY-2", "COMPANY-10")
  for (const [currency, account] of [
    ["USD", `country_code=US,account_number=000123456789,bank_code=${routingNumber}`],
    ["EUR", `country_code=DE,account_number=${iban}`]
  ] as const)
    it.live(
      `passes the cases of the conformance kit that are about money, in ${currency}`,
      () =>
        Effect.scoped(
          Effect.gen(function* () {
            const us_banks = currency === "USD" ? [{ routing_number: routingNumber, name: "A Bank" }] : []
            const world = yield* bridgeWorld({ currencies: [currency], us_banks })
            world.fake.first = "payment_processed"
            const { provider } = yield* world.start()
            const secret = secretOf(3)
            const { url } = yield* connectorOf({ ...provider, statements: paidBy(world, currency) }, secret, world)
            const { errors, out } = yield* Effect.promise(() =>
              check([
                ...["--url", url, "--secret", secret, "--currency", currency, "--account", account],
                ...["--callbacks", "off", "--watch", "50", "--settle-within", "5", "--max-amount", "50.00", "--json"],
                ...[...kept, ...areas].flatMap((name) => ["--only", name])
              ])
            )
            assert.deepStrictEqual(errors, [])
            const { verdicts } = JSON.parse(out) as {
              readonly verdicts: ReadonlyArray<{
                readonly id: string
                readonly status: string
                readonly found?: string
              }>
            }
            const failed = verdicts.filter(({ status }) => status === "failed" || status === "not-run")
            assert.deepStrictEqual(failed, [])
            const passed = verdicts.filter(({ status }) => status === "passed").map(({ id }) => id)
            for (const id of kept) assert.include(passed, id)
            assert.deepStrictEqual(world.fake.invalid, [])
          })
        ),
      { timeout: 300_000 }
    )
})
