/** Nodes of the chain that are silent or far away: nobody waits for them longer than an answer may take. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { providerTimeoutMs } from "../../../src/engine/ports/Provider.ts"
import {
  adapterOf,
  does,
  type EvmChain,
  hot,
  issueAddress,
  onChain,
  optionsFor,
  payout
} from "../../support/chains/evm-world.ts"
import { startProxy } from "../../support/chains/rpc-proxy.ts"
import { covers } from "../../support/repository/covers.ts"

/** The adapter with its default times, over so many proxies of one node. */
const proxied = (chain: EvmChain, count: number) =>
  Effect.gen(function* () {
    yield* does(() => chain.give(hot.address, "1000000"), chain.finalize)
    const proxies = yield* Effect.acquireRelease(
      Effect.promise(() => Promise.all(Array.from({ length: count }, () => startProxy(chain.url)))),
      (all) => Effect.promise(() => Promise.all(all.map(({ stop }) => stop())))
    )
    const { rpc_timeout_ms: _, ...options } = optionsFor(chain, { rpc_urls: proxies.map(({ url }) => url) })
    return { proxies, adapter: yield* adapterOf({ ...options, transfer_gas: 60_000 }) }
  })

/** A call as the engine makes it. */
const inTime = <A, E>(call: Effect.Effect<A, E>, within_ms = providerTimeoutMs) =>
  Effect.timeoutOrElse(call, {
    duration: within_ms,
    orElse: () => Effect.die(new Error(`no answer within ${within_ms} ms`))
  })

describe("one of three nodes of the chain", () => {
  covers("EVM-13")
  it.live("that is silent delays no payout and no event", () =>
    onChain((chain) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { adapter, proxies } = yield* proxied(chain, 3)
          yield* adapter.events!.after!(null)
          proxies[1]!.treat = () => "silent"
          // Less than one call of the silent node takes.
          const soon = <A, E>(call: Effect.Effect<A, E>) => inTime(call, 9_000)
          assert.isTrue(yield* soon(adapter.ready!("mer_1")))
          const command = payout("1")
          assert.deepStrictEqual(yield* soon(adapter.payouts!.submit(command)), { _tag: "accepted" })
          assert.deepStrictEqual(yield* soon(adapter.payouts!.lookup(command)), { _tag: "pending" })
          yield* soon(adapter.events!.after!(null))
          yield* does(chain.finalize)
          assert.strictEqual((yield* soon(adapter.events!.after!(null))).events.length, 1)
        })
      )
    )
  )

  it.live("that says that the wallet has no gas is not believed", () =>
    onChain((chain) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { adapter, proxies } = yield* proxied(chain, 3)
          proxies[1]!.treat = ({ method }) => (method === "eth_getBalance" ? { result: "0x0" } : "pass")
          assert.isTrue(yield* adapter.ready!("mer_1"))
          assert.deepStrictEqual(yield* adapter.payouts!.submit(payout("1")), { _tag: "accepted" })
        })
      )
    )
  )
})

describe("a node of the chain that is far away", () => {
  covers("EVM-6", "EVM-20")
  it.live(
    "has each of a burst of payouts decided in time, and none is unknown",
    () =>
      onChain((chain) =>
        Effect.scoped(
          Effect.gen(function* () {
            const { adapter, proxies } = yield* proxied(chain, 1)
            const address = yield* issueAddress(adapter, 1)
            yield* adapter.payouts!.submit(payout("1"))
            const [proxy] = proxies
            proxy!.delay_ms = 100
            const results = yield* Effect.forEach(
              Array.from({ length: 128 }, () => payout("1")),
              (command) => inTime(adapter.payouts!.submit(command)),
              { concurrency: "unbounded" }
            )
            const tags = results.map(({ _tag }) => _tag)
            assert.isEmpty(tags.filter((tag) => tag !== "accepted" && tag !== "unavailable"))
            assert.isAbove(tags.filter((tag) => tag === "accepted").length, 64)
            // Enough of them are open that to send each again takes longer than a reading.
            proxy!.delay_ms = 0
            for (let n = 0; n < 280; n++) yield* adapter.payouts!.submit(payout("1"))
            yield* does(
              () => chain.rpc("anvil_dropAllTransactions"),
              () => chain.pay(address, "5"),
              chain.finalize
            )
            proxy!.delay_ms = 100
            const { events } = yield* inTime(adapter.events!.after!(null))
            assert.deepStrictEqual(
              events.flatMap((event) => (event._tag === "payin" ? [`${event.stage} ${event.amount}`] : [])),
              ["confirmed 5"]
            )
          })
        )
      ),
    300_000
  )

  it.live(
    "has deposits that are not final told in parts",
    () =>
      onChain((chain) =>
        Effect.scoped(
          Effect.gen(function* () {
            const { adapter, proxies } = yield* proxied(chain, 1)
            const [address, other] = [yield* issueAddress(adapter, 1), yield* issueAddress(adapter, 2)]
            yield* does(() => chain.pay(other, "7"), chain.finalize)
            for (let block = 0; block < 4; block++) {
              yield* does(...Array.from({ length: 80 }, () => () => chain.pay(address, "1")), chain.mine)
            }
            proxies[0]!.delay_ms = 100
            const stages: Array<string> = []
            const cursors: Array<string | null> = [null]
            for (let reading = 0; reading < 5; reading++) {
              const page = yield* inTime(adapter.events!.after!(cursors.at(-1) ?? null))
              cursors.push(page.cursor)
              for (const event of page.events) if (event._tag === "payin") stages.push(event.stage)
              if (reading === 0) assert.include(stages, "confirmed")
            }
            assert.strictEqual(stages.filter((stage) => stage === "detected").length, 320)
          })
        )
      ),
    300_000
  )
})
