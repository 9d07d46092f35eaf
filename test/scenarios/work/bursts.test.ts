/** Many pay-ins at once to a customer whose tier limits it: all recorded, and never more admitted than the limit. */
import { assert, it } from "vitest"
import { Clock, Effect, Layer } from "effect"
import { Rates } from "../../../src/engine/ports/Rates.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { ApiKeys } from "../../../src/engine/resources/access/api-key.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { merchantAtWork, type MerchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { onEveryStore, type Run } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { payinEvent } from "../../support/merchants/payins.ts"

/** `count` active deposit addresses of the merchant's wallet. */
const addressesOf = Effect.fnUntraced(function* (m: MerchantAtWork, count: number) {
  const storage = yield* Storage
  const credentials = yield* WalletCredentials
  const sandbox = yield* SandboxOperations
  for (let made = 0; made < count; made++) {
    yield* credentials.create(m.caller, m.wallet.id, { type: "crypto", network: "solana" })
  }
  yield* sandbox.settle(m.caller)
  const { items } = yield* storage.list({
    merchant_id: m.merchant_id,
    kinds: ["wallet_credential"],
    index_keys: [`wallet_id=${m.wallet.id}`],
    offset: 0,
    limit: count
  })
  return items.map(({ data }) => data as { readonly target: string; readonly network: string })
})

/** `count` pay-ins of 10 USDC at once, in turn to each of the places. */
const dusted = Effect.fnUntraced(function* (
  m: MerchantAtWork,
  places: Effect.Success<ReturnType<typeof addressesOf>>,
  tag = "",
  count = 200
) {
  const inbox = yield* Inbox
  const observed_at = yield* Clock.currentTimeMillis
  return yield* Effect.all(
    Array.from({ length: count }, (_, n) => {
      const { network, target } = places[n % places.length]!
      return inbox.receive(
        "simulated",
        payinEvent({
          event_id: `${m.merchant_id}.e${tag}${n}`,
          payin_id: `${m.merchant_id}.p${tag}${n}`,
          target,
          amount: "10",
          network,
          observed_at
        })
      )
    }),
    { concurrency: "unbounded" }
  )
})

/** How many of several attempts came to each end: `ok`, or the tag of what they were refused with. */
const ends = <A, E extends { readonly _tag: string }, R>(count: number, attempt: Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.all(
      Array.from({ length: count }, () =>
        Effect.match(attempt, { onFailure: (error) => error._tag as string, onSuccess: () => "ok" })
      ),
      { concurrency: "unbounded" }
    ),
    (tags) => Object.fromEntries([...new Set(tags)].map((tag) => [tag, tags.filter((one) => one === tag).length]))
  )

onEveryStore(
  "bursts",
  (run: Run) => {
    covers("TIER-1")
    it.each([1, 4])(
      "200 pay-ins at once on %i addresses of a limited customer: what the limit holds, no more",
      (places) =>
        run(
          Effect.gen(function* () {
            const m = yield* merchantAtWork("0", "tier_0")
            const results = yield* dusted(m, yield* addressesOf(m, places))
            assert.deepEqual([...new Set(results)], ["applied"])
            assert.deepEqual(yield* m.balance, { available: "1000.00", reserved: "0.00", held: "1000.00" })
          })
        )
    )

    it("of 60 keys and 60 endpoints asked for at once, as many are made as there may be", () =>
      run(
        Effect.gen(function* () {
          const keys = yield* ApiKeys
          const endpoints = yield* WebhookEndpoints
          const m = yield* merchantAtWork("0")
          assert.deepEqual(yield* ends(60, keys.create(m.caller, { role: "viewer" })), {
            ok: 9,
            ApiKeyLimitExceeded: 51
          })
          assert.deepEqual(yield* ends(60, endpoints.create(m.caller, { url: "http://127.0.0.1:9/" })), {
            ok: 20,
            InvalidStatus: 40
          })
        })
      ))
  },
  ["pglite", "postgres"]
)

it("60 pay-ins at once ask for the rate once each, however often they are decided again: nobody waits in turn for it", () => {
  let asked = 0
  const rates = Layer.effect(
    Rates,
    Effect.map(Rates, ({ perUsd, rate }) => ({
      rate,
      perUsd: (code: string) =>
        Effect.suspend(() => {
          asked++
          return Effect.andThen(Effect.yieldNow, perUsd(code))
        })
    }))
  ).pipe(Layer.provide(Rates.layer))
  return Effect.gen(function* () {
    const m = yield* merchantAtWork("0", "tier_0")
    const places = yield* addressesOf(m, 1)
    asked = 0
    assert.deepEqual([...new Set(yield* dusted(m, places, "", 60))], ["applied"])
    assert.strictEqual(asked, 60)
    assert.deepEqual(yield* m.balance, { available: "600.00", reserved: "0.00", held: "0.00" })
  }).pipe(Effect.provide(makeSimulatedEngine({ rates })), Effect.runPromise)
})

onEveryStore(
  "bursts over two nodes",
  (run: Run) => {
    it("200 pay-ins at once, told to two nodes in turn: what the limit holds, no more", () =>
      run(
        Effect.gen(function* () {
          const m = yield* merchantAtWork("0", "tier_0")
          const places = yield* addressesOf(m, 1)
          const other = makeSimulatedEngine({ mode: "manual", storage: Layer.succeed(Storage, yield* Storage) })
          const [here, there] = yield* Effect.all(
            [dusted(m, places, "a", 100), Effect.provide(dusted(m, places, "b", 100), other)],
            { concurrency: 2 }
          )
          assert.deepEqual([...new Set([...here, ...there])], ["applied"])
          assert.deepEqual(yield* m.balance, { available: "1000.00", reserved: "0.00", held: "1000.00" })
        })
      ))
  },
  ["postgres"]
)
