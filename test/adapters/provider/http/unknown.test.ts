/** Answers that do not count, over real sockets, and what the engine makes of them: the outcome is unknown. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ProviderFault } from "../../../../src/engine/ports/errors.ts"
import { examples } from "../../../../scripts/provider-protocol/examples.ts"
import { fullManifest, startProvider } from "../../../support/protocol/http-provider.ts"
import { type Exchange, makeScriptedConnector } from "../../../support/protocol/scripted-connector.ts"
import { wrongAnswers } from "../../../support/protocol/wrong-answers.ts"
import { makeSimulatedEngine } from "../../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../../support/merchants/merchant-at-work.ts"
import { covers } from "../../../support/repository/covers.ts"

const command = { id: examples.payout.id!, ...examples.payout.input } as never

const scripted =
  (script: (exchange: Exchange) => void) =>
  (exchange: Exchange): void =>
    exchange.request.operation === "manifest" ? exchange.answer(fullManifest) : script(exchange)

const refused = [
  [
    "that says conflict",
    ({ answer, request }: Exchange) =>
      answer({ status: request.operation.endsWith("_status") ? "unsupported" : "conflict" })
  ],
  ["that says unsupported", ({ answer }: Exchange) => answer({ status: "unsupported" })]
] as const
const unknown = [...wrongAnswers.map(([title, , script]) => [title, script] as const), ...refused]

/** Short enough for a test, and long enough for a busy machine. */
const timeout_ms = 300

describe("an answer that does not count", () => {
  covers("PROTOCOL-2", "PROTOCOL-4")

  it.live.each(unknown)("leaves a submission, a look-up and a refund unknown: one %s", ([, script]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(scripted(script))
        const { payouts, payins } = yield* startProvider(connector.url, { timeout_ms })
        const refund = { id: "dep_1.refund", ...examples.refund.input }
        const calls: ReadonlyArray<Effect.Effect<unknown, ProviderFault>> = [
          payouts!.submit(command),
          payouts!.lookup(command),
          payins!.refund(refund),
          payins!.lookupRefund(refund)
        ]
        for (const call of calls) {
          const fault = yield* Effect.flip(call)
          assert.strictEqual(fault._tag, "ProviderFault")
          assert.match(fault.message, /^bank: (payout|refund)/)
        }
      })
    )
  )

  it.live.each(unknown)(
    "keeps the money where it is until a definite answer, and it is paid once: one %s",
    ([, script]) =>
      Effect.scoped(
        Effect.gen(function* () {
          const connector = yield* makeScriptedConnector(scripted(script))
          const bank = yield* startProvider(connector.url, { timeout_ms })
          yield* Effect.gen(function* () {
            const m = yield* merchantAtWork("100")
            const { id } = yield* m.transfer("10")
            yield* m.advance(400)
            const asked = connector.received.filter(({ operation }) => operation.startsWith("payout"))
            assert.isAbove(asked.filter(({ operation }) => operation === "payout_status").length, 1)
            assert.lengthOf(
              asked.filter(({ operation }) => operation === "payout"),
              1
            )
            assert.strictEqual(yield* m.status(id), "processing")
            assert.deepStrictEqual(yield* m.balance, { available: "90.00", reserved: "0.00", held: "0.00" })

            // The connector is repaired. It never had the payout, which is then submitted once more, under its id.
            connector.script = scripted(({ request, answer }) =>
              answer(request.operation === "payout" ? examples.payout.results["settled"]! : { status: "absent" })
            )
            yield* m.advance(3600)
            assert.strictEqual(yield* m.status(id), "success")
            assert.deepStrictEqual(yield* m.balance, { available: "90.00", reserved: "0.00", held: "0.00" })
            const submitted = connector.received.filter(({ operation }) => operation === "payout")
            assert.lengthOf(submitted, 2)
            assert.strictEqual(submitted[0]!.id, submitted[1]!.id)
          }).pipe(Effect.provide(makeSimulatedEngine({ around: (inner) => ({ ...inner, payouts: bank.payouts! }) })))
        })
      )
  )
})

describe("a payout to a bank account", () => {
  covers("PROTOCOL-7")

  it.live("names the code of its bank, whichever provider's directory listed the bank", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(scripted(({ answer }) => answer({ status: "accepted" })))
        const bank = yield* startProvider(connector.url)
        yield* Effect.gen(function* () {
          const m = yield* merchantAtWork("100")
          yield* m.offramp("10")
          yield* m.advance(1)
        }).pipe(Effect.provide(makeSimulatedEngine({ around: (inner) => ({ ...inner, payouts: bank.payouts! }) })))
        const submitted = connector.received.filter(({ operation }) => operation === "payout")
        assert.lengthOf(submitted, 1)
        const { destination } = submitted[0]!.input as { readonly destination: object }
        assert.deepInclude(destination, { provider_id: "prov_1", bank_code: "058" })
      })
    )
  )
})
