import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { deriveTokenAccount } from "../../../support/chains/solana-chain.ts"
import {
  audit,
  makeReader,
  payout,
  type ProviderService,
  type SolanaPlatform,
  startPlatform,
  stranger,
  USDC
} from "../../../support/chains/solana-platform.ts"
import { covers } from "../../../support/repository/covers.ts"

const run = Effect.runPromise

describe("a payout of tokens on Solana", () => {
  covers("SOLANA-2", "SOLANA-7")
  let platform: SolanaPlatform
  let provider: ProviderService
  beforeAll(async () => {
    platform = await startPlatform()
    provider = await platform.start()
  })
  afterAll(() => platform.close())

  it("is settled when its block is final, with its signature, and its recipient has exactly the amount", async () => {
    const { chain, mint } = platform
    const to = await stranger()
    const command = payout("tfr_1.payout", to, "12.5")
    expect(await run(provider.payouts!.submit(command))).toEqual({ _tag: "accepted" })
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "pending" })
    chain.mine(2)
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "pending" })
    chain.finalize()
    const status = await run(provider.payouts!.lookup(command))
    expect(status).toMatchObject({ _tag: "settled", outcome: { outcome: "success", fee_currency: "SOL" } })
    const { outcome } = status as Extract<typeof status, { _tag: "settled" }>
    expect(chain.find(outcome.transaction_hash!)?.error).toBeNull()
    expect(chain.tokens(await deriveTokenAccount(to, mint))).toBe(12_500_000n)
    expect(await run(provider.payouts!.submit(command))).toEqual(status)
    const { onChain, inBooks } = await audit(platform)
    expect(onChain).toEqual(inBooks)
  })

  it("is reported as an event once it is final, and again until the engine has committed it", async () => {
    const { chain } = platform
    const reader = makeReader()
    await reader.read(provider)
    const command = payout("tfr_2.payout", await stranger(), "3")
    await run(provider.payouts!.submit(command))
    expect(await reader.read(provider)).toEqual([])
    chain.finalize()
    const events = await reader.read(provider, true)
    expect(events).toMatchObject([{ _tag: "movement", resource_id: "tfr_2", merchant_id: "mer_1", outcome: "success" }])
    expect(await reader.read(provider)).toEqual(events)
    chain.mine(200)
    await reader.read(provider)
    chain.mine(1)
    expect(await reader.read(provider)).toEqual([])
    const { onChain, inBooks } = await audit(platform)
    expect(onChain).toEqual(inBooks)
  })
  it("two equal payments are two transactions", async () => {
    const { chain, mint } = platform
    chain.automatic = false
    const to = await stranger()
    for (const id of ["tfr_3.payout", "tfr_4.payout"])
      expect(await run(provider.payouts!.submit(payout(id, to, "1")))).toEqual({ _tag: "accepted" })
    chain.automatic = true
    chain.mine(1)
    chain.finalize()
    expect(chain.tokens(await deriveTokenAccount(to, mint))).toBe(2n * USDC)
    for (const id of ["tfr_3.payout", "tfr_4.payout"])
      expect(await run(provider.payouts!.lookup(payout(id, to, "1")))).toMatchObject({ _tag: "settled" })
    const { onChain, inBooks } = await audit(platform)
    expect(onChain).toEqual(inBooks)
  })
})
