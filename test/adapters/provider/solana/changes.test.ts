/** What an operator changes in the configuration: nothing that was signed is forgotten. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { payout, startPlatform, stranger } from "../../../support/chains/solana-platform.ts"
import { covers } from "../../../support/repository/covers.ts"

const run = Effect.runPromise

covers("SOLANA-13")
it("a payout that is under way is neither absent nor rejected after its token was removed, and settles", async () => {
  const platform = await startPlatform()
  try {
    const provider = await platform.start()
    const command = payout("tfr_1.payout", await stranger(), "5")
    expect(await run(provider.payouts!.submit(command))).toEqual({ _tag: "accepted" })
    const EURC = { mint: await platform.chain.mint(6), decimals: 6 }
    const changed = await platform.start({ options: { tokens: { EURC } } })
    expect(await run(changed.payouts!.lookup(command))).toEqual({ _tag: "pending" })
    expect(await run(changed.payouts!.submit({ ...command, attempt: 1 }))).toEqual({ _tag: "accepted" })
    platform.chain.mine(1)
    platform.chain.finalize()
    expect(await run(changed.payouts!.lookup(command))).toMatchObject({
      _tag: "settled",
      outcome: { outcome: "success" }
    })
    const unknown = payout("tfr_2.payout", await stranger(), "5")
    expect(await run(changed.payouts!.submit(unknown))).toMatchObject({ _tag: "rejected" })
    expect(await run(changed.payouts!.lookup(unknown))).toEqual({ _tag: "absent" })
  } finally {
    await platform.close()
  }
})
