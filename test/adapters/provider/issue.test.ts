/** Addresses, accounts and payment instructions of the simulated provider. */
import { methodsOf } from "../../support/engines/provider-methods.ts"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { addressFault } from "../../../src/engine/input/addresses.ts"
import { type IssueCommand, Provider } from "../../../src/engine/ports/Provider.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { receivedEvents, summaryOf } from "./scheduled-events.ts"
import { auto, manual, wait, words } from "./bank.ts"

const issue: IssueCommand = {
  id: "da_1.issue",
  merchant_id: "mer_1",
  kind: "deposit_address",
  resource_id: "da_1",
  type: "crypto",
  currency: "USDC",
  country_code: null,
  network: "solana",
  holder: "Amara Okafor"
}

describe("the simulated provider, asked for an address", () => {
  const ask = Effect.flatMap(Provider, (service) => methodsOf(service).issue(issue))

  auto(
    "reports it ready once, after its delay, however often it is requested",
    Effect.gen(function* () {
      yield* ask
      yield* ask
      assert.deepStrictEqual(yield* wait(999), [])
      yield* TestClock.adjust(1)
      const events = yield* receivedEvents()
      assert.deepStrictEqual(events.map(summaryOf), ["issued"])
      const [event] = events
      assert.isTrue(event?._tag === "issued" && addressFault("solana", event.target) === null)
      yield* ask
      assert.deepStrictEqual(yield* wait("1 day"), [])
    })
  )

  manual(
    "has it ready at once in manual mode",
    Effect.gen(function* () {
      yield* ask
      assert.deepStrictEqual(yield* words, ["issued"])
    })
  )

  auto(
    "gives the sandbox the same one, before or after the request",
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const early = yield* sandbox.issued(issue)
      yield* early.done
      yield* ask
      assert.deepStrictEqual(yield* wait("1 second"), [])
      const late = yield* sandbox.issued(issue)
      yield* late.done
      assert.deepStrictEqual(late.event, early.event)
      assert.deepStrictEqual(yield* wait("1 second"), [])
    })
  )
})

manual(
  "the simulated provider has one account per country and currency, and one reference per onramp, both deterministic",
  Effect.gen(function* () {
    const { instruct } = methodsOf(yield* Provider)
    const asked = (n: number, country_code = "SN") =>
      instruct!({
        id: `onr_${n}.instruction`,
        merchant_id: "mer_1",
        resource_id: `onr_${n}`,
        amount: "100",
        currency: "XOF",
        country_code,
        expires_at: 0
      })
    const first = yield* asked(1)
    assert.deepStrictEqual(yield* asked(1), first)
    assert.match(first.depositReference, /^[0-9A-HJKMNP-TV-Z]{16}$/)
    const references = yield* Effect.forEach(
      Array.from({ length: 2000 }, (_, n) => n),
      (n) => Effect.map(asked(n), (one) => one.depositReference)
    )
    assert.strictEqual(new Set(references).size, 2000)
    assert.strictEqual((yield* asked(2)).accountNumber, first.accountNumber)
    assert.notStrictEqual((yield* asked(1, "CI")).accountNumber, first.accountNumber)
  })
)
