/** Which provider screens a beneficiary, and what its result at the call itself means (BENEFICIARY-7). */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { listBanks } from "../../../src/adapters/provider/simulated/banks.ts"
import { Provider, type ScreeningResult } from "../../../src/engine/ports/Provider.ts"
import { Beneficiaries } from "../../../src/engine/resources/parties/beneficiary.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const provider_id = listBanks("NG")[0]!.id
const naira = {
  type: "fiat",
  name: "Chidi",
  currency: "NGN",
  details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id }
} as const
const coin = {
  type: "crypto",
  name: "Chidi",
  currency: "USDC",
  details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
} as const

/** A provider that screens destinations on one network, and what it was asked. */
const screener = (name: string, network: string, result: () => ScreeningResult) => {
  const asked: Array<string> = []
  const provider = Provider.of({
    name,
    manifest: { offers: [{ operation: "screening", network }] },
    screening: {
      screen: (command) => Effect.sync(() => (asked.push(command.destination.network), result()))
    }
  })
  return { asked, provider }
}

/** The simulated provider, which screens nobody. */
const unscreening = ({ screening: _, ...inner }: Provider["Service"]): Provider["Service"] => Provider.of(inner)

const statuses = { cleared: "active", held: "pending", refused: "blocked" } as const

onMemory("a screening result at the call itself", (run) => {
  covers("BENEFICIARY-7")
  it.each(Object.entries(statuses))(
    "%s: the beneficiary is %s, when it is created and when it is changed",
    (word, status) => {
      const answers: { result: ScreeningResult } = { result: word as ScreeningResult }
      const { provider } = screener("bank", "bank", () => answers.result)
      return run(
        Effect.gen(function* () {
          const m = yield* merchantAtWork()
          const beneficiaries = yield* Beneficiaries
          assert.strictEqual((yield* beneficiaries.create(m.caller, naira)).status, status)
          answers.result = "cleared"
          const { id } = yield* beneficiaries.create(m.caller, naira)
          answers.result = word as ScreeningResult
          const changed = yield* beneficiaries.update(m.caller, id, { details: { account_number: "0123456780" } })
          assert.strictEqual(changed.status, status)
        }),
        { around: unscreening, others: [provider] }
      )
    }
  )

  it("is that of the provider which screens the destination; where none does, the beneficiary is active", () => {
    const banks = screener("banks", "bank", () => "refused")
    const chains = screener("chains", "base", () => "refused")
    return run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const beneficiaries = yield* Beneficiaries
        assert.strictEqual((yield* beneficiaries.create(m.caller, naira)).status, "blocked")
        assert.strictEqual((yield* beneficiaries.create(m.caller, coin)).status, "active")
        assert.deepEqual([banks.asked, chains.asked], [["bank"], []])
      }),
      { around: unscreening, others: [chains.provider, banks.provider] }
    )
  })
})
