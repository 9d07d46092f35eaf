import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { wrapProvider } from "../../../../src/engine/ports/checked-ports.ts"
import { fullManifest, startProvider } from "../../../support/protocol/http-provider.ts"
import { makeScriptedConnector } from "../../../support/protocol/scripted-connector.ts"
import { covers } from "../../../support/repository/covers.ts"
import { makeCollectedSpans } from "../../../support/telemetry/collected-spans.ts"

describe("a call of a connector", () => {
  covers("TELEMETRY-2")

  const asked = (tracer?: Tracer.Tracer) =>
    Effect.gen(function* () {
      const parents: Array<string | undefined> = []
      const connector = yield* makeScriptedConnector(({ answer, incoming, request }) => {
        if (request.operation === "balances") parents.push(incoming.headers["traceparent"] as string | undefined)
        answer(request.operation === "manifest" ? fullManifest : { balances: [] })
      })
      const provider = wrapProvider(yield* startProvider(connector.url))
      const { balances } = provider.statements!
      yield* tracer === undefined ? balances : Effect.provideService(balances, Tracer.Tracer, tracer)
      return parents
    })

  it.live("has the traceparent of its span", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { named, tracer } = makeCollectedSpans()
        const parents = yield* asked(tracer)
        const [span] = named("corridor.provider.balances")
        assert.deepStrictEqual(parents, [`00-${span!.traceId}-${span!.spanId}-01`])
        assert.strictEqual(span!.attributes.get("corridor.provider"), "bank")
      })
    )
  )

  it.live("has none without a tracer", () =>
    Effect.scoped(Effect.map(asked(), (parents) => assert.deepStrictEqual(parents, [undefined])))
  )
})
