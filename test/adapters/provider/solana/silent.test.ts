/** Nodes of Solana that are silent or far away: nobody waits for them longer than an answer may take. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { providerTimeoutMs } from "../../../../src/engine/ports/Provider.ts"
import {
  issueOf,
  payout,
  type SolanaPlatform,
  startPlatform,
  stranger,
  USDC
} from "../../../support/chains/solana-platform.ts"
import { covers } from "../../../support/repository/covers.ts"

const run = Effect.runPromise

/** A call as the engine makes it. */
const inTime = <A, E>(call: Effect.Effect<A, E>, within_ms = providerTimeoutMs): Promise<A> =>
  run(
    Effect.timeoutOrElse(call, {
      duration: within_ms,
      orElse: () => Effect.die(new Error(`no answer within ${within_ms} ms`))
    })
  )

/** A deposit that is final, while so many payouts wait for a block. */
const waiting = async (platform: SolanaPlatform, payouts: number) => {
  const { chain, mint, payer } = platform
  const provider = await platform.start({ options: { timeout_ms: 10_000 } })
  const issued = await run(provider.payins!.issue(issueOf("dad_1.issue")))
  if (issued._tag !== "issued") throw new Error(JSON.stringify(issued))
  await run(provider.events!.after!(null))
  chain.automatic = false
  const to = await stranger()
  await run(
    Effect.forEach(
      Array.from({ length: payouts }, (_, n) => payout(`tfr_${n}.payout`, to, "5")),
      (command) => provider.payouts!.submit(command),
      { concurrency: 20 }
    )
  )
  await chain.pay(payer, mint, issued.issued.target as never, 12n * USDC)
  const last = [...chain.pool.keys()].at(-1)
  chain.mine(1, (one) => one.signature === last)
  chain.mine(6, () => false)
  return provider
}

describe("a node of Solana", () => {
  covers("SOLANA-18")
  it.each([0, 1])(
    "that is silent, number %i of two, delays no payout and no event",
    async (silent) => {
      const platform = await startPlatform({ nodes: 2 })
      try {
        const provider = await waiting(platform, 20)
        platform.nodes[silent]!.fault = () => "silent"
        const command = payout("tfr_99.payout", await stranger(), "5")
        expect(await inTime(provider.payouts!.submit(command))).toEqual({ _tag: "accepted" })
        const { events } = await inTime(provider.events!.after!(null))
        expect(events).toMatchObject([{ _tag: "payin", stage: "confirmed", amount: "12" }])
      } finally {
        await platform.close()
      }
    },
    120_000
  )

  covers("SOLANA-10")
  it("that is far away has the transfers followed in turn, and a deposit told beside them", async () => {
    const platform = await startPlatform({ sol: 100_000_000_000n, float: 1_000_000n * USDC })
    try {
      const provider = await waiting(platform, 300)
      platform.nodes[0]!.delay_ms = 200
      const { events } = await inTime(provider.events!.after!(null))
      expect(events).toMatchObject([{ _tag: "payin", stage: "confirmed", amount: "12" }])
      platform.chain.mine(1)
      platform.chain.finalize()
      const paid = new Set<string>()
      for (let reading = 0; reading < 60 && paid.size < 300; reading++) {
        const page = await inTime(provider.events!.after!(null))
        for (const event of page.events) if (event._tag === "movement") paid.add(event.resource_id)
      }
      expect(paid.size).toBe(300)
    } finally {
      await platform.close()
    }
  }, 300_000)
})
