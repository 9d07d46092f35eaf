/** What a callback asks before it is taken. */
import { Effect, Layer } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { Provider, type ProviderEvent, Providers, type UnreadableEvent } from "../../../src/engine/ports/Provider.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { receiveCallback } from "../../../src/engine/work/providers/provider-inputs.ts"
import { makeScriptedProvider } from "../../support/engines/scripted-provider.ts"
import { covers } from "../../support/repository/covers.ts"

const signed: UnreadableEvent = { _tag: "unreadable", content: { event_id: "one" }, fault: "no event" }

/** A callback to a provider that cannot say who it is; `event`: what its signature shows it to be. */
const callback = (event: ProviderEvent | UnreadableEvent | undefined) => {
  let asked = 0
  let taken = 0
  const provider = Provider.of({
    ...makeScriptedProvider("bank", "lost").provider,
    admission: Effect.suspend(() => {
      asked++
      return Effect.fail(new ProviderFault({ message: "bank is away" }))
    }),
    events: { decode: () => Effect.succeed(event) }
  })
  const inbox = Layer.mock(Inbox, { receive: () => Effect.sync(() => (taken++, "recorded" as never)) })
  return receiveCallback("bank", {}, Effect.succeed(new Uint8Array())).pipe(
    Effect.flip,
    Effect.provide(Layer.merge(Layer.succeed(Providers, Providers.from([provider])), inbox)),
    Effect.map(({ _tag }) => ({ _tag, asked, taken }))
  )
}

describe("a callback of a provider that has not said who it is", () => {
  covers("IDENTITY-4", "PROTOCOL-5")
  it.effect("asks nothing of it without a signature: a stranger makes it no requests", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* callback(undefined), { _tag: "AuthenticationFailed", asked: 0, taken: 0 })
    })
  )

  it.effect("is not taken with one, and is to be sent again", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* callback(signed), { _tag: "ExternalServiceUnavailable", asked: 1, taken: 0 })
    })
  )
})
