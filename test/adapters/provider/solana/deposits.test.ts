import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ProviderEvent } from "../../../../src/engine/ports/Provider.ts"
import { deriveTokenAccount } from "../../../support/chains/solana-chain.ts"
import {
  audit,
  issueOf,
  makeReader,
  quiet,
  type ProviderService,
  type SolanaPlatform,
  startPlatform,
  USDC
} from "../../../support/chains/solana-platform.ts"
import { covers } from "../../../support/repository/covers.ts"

const run = Effect.runPromise

const stages = (events: ReadonlyArray<ProviderEvent>): ReadonlyArray<string> =>
  events.map((event) => (event._tag === "payin" ? event.stage : event._tag))

describe("a deposit of tokens on Solana", () => {
  covers("SOLANA-9", "SOLANA-11", "SOLANA-12")
  let platform: SolanaPlatform
  let provider: ProviderService
  beforeAll(async () => {
    platform = await startPlatform()
    provider = await platform.start()
  })
  afterAll(() => platform.close())

  const issued = async (id: string, differs = {}): Promise<string> => {
    const result = await run(provider.payins!.issue(issueOf(id, differs)))
    if (result._tag !== "issued") throw new Error(JSON.stringify(result))
    expect(result.issued.details).toEqual({ network: "solana", address: result.issued.target })
    return result.issued.target
  }

  it("goes to an address that is the same for the same id, on every node, and another for another id", async () => {
    const first = await issued("dad_1.issue")
    expect(await issued("dad_1.issue")).toBe(first)
    const other = await platform.start()
    expect(await run(other.payins!.issue(issueOf("dad_1.issue")))).toMatchObject({ issued: { target: first } })
    expect(await issued("dad_2.issue")).not.toBe(first)
  })

  it("gets no address for a token or a network that is not configured", async () => {
    for (const differs of [{ currency: "USDT" }, { network: "base" }, { type: "fiat" as const, network: "bank" }])
      expect(await run(provider.payins!.issue(issueOf("dad_9.issue", differs)))).toMatchObject({ _tag: "rejected" })
  })

  it("is detected when it is confirmed, confirmed when it is final, and then swept to the hot wallet", async () => {
    const { chain, mint, payer, hotAccount } = platform
    const reader = makeReader()
    const target = await issued("dad_3.issue")
    expect(await reader.read(provider)).toEqual([])
    const signature = await chain.pay(payer, mint, target, 250_500_001n, { memo: "invoice 7" })
    chain.mine(1)
    const [detected] = await reader.read(provider)
    expect(detected).toMatchObject({
      _tag: "payin",
      stage: "detected",
      target,
      amount: "250.500001",
      currency: "USDC",
      network: "solana",
      transaction_hash: signature,
      from_address: payer.address
    })
    chain.finalize()
    const [confirmed] = await reader.read(provider)
    expect(confirmed).toEqual({
      ...detected,
      stage: "confirmed",
      event_id: `${(detected as { payin_id: string }).payin_id}.confirmed`
    })
    const before = chain.tokens(hotAccount)
    // Not swept before the engine has committed what it was reported.
    expect(chain.tokens(await deriveTokenAccount(target, mint))).toBe(250_500_001n)
    chain.mine(200)
    await reader.read(provider)
    await reader.read(provider)
    chain.finalize()
    await reader.read(provider)
    expect(chain.tokens(hotAccount)).toBe(before + 250_500_001n)
    expect(chain.tokens(await deriveTokenAccount(target, mint))).toBe(0n)
    const { onChain, inBooks } = await audit(platform)
    expect(onChain).toEqual(inBooks)
  })

  it("to a used address is reported beside earlier ones, each once, and swept again", async () => {
    const { chain, mint, payer } = platform
    const reader = makeReader()
    const target = await issued("dad_4.issue")
    await reader.read(provider)
    for (const round of [1, 2, 3]) {
      for (const amount of [1n, 2n]) await chain.pay(payer, mint, target, amount * USDC)
      chain.finalize()
      await reader.read(provider)
      expect(
        [...reader.reported.values()].filter((event) => "target" in event && event.target === target)
      ).toHaveLength(2 * round)
      const { onChain, inBooks } = await quiet(platform, provider, reader)
      expect(onChain).toEqual(inBooks)
    }
  })

  it("is reported again when the engine's commit was lost, and by another node", async () => {
    const { chain, mint, payer } = platform
    const reader = makeReader()
    const other = await platform.start()
    const target = await issued("dad_5.issue")
    await reader.read(provider)
    await chain.pay(payer, mint, target, 5n * USDC)
    chain.finalize()
    const lost = await reader.read(provider, true)
    expect(stages(lost)).toContain("confirmed")
    chain.mine(300)
    expect(await reader.read(other)).toEqual(
      expect.arrayContaining(lost.filter((e) => "target" in e && e.target === target))
    )
  })

  it("goes back to the wallet that paid it, and never more than came", async () => {
    const { chain, mint, payer } = platform
    const reader = makeReader()
    const target = await issued("dad_6.issue")
    await chain.pay(payer, mint, target, 40n * USDC)
    chain.finalize()
    const payin = (await reader.read(provider)).find((event) => "target" in event && event.target === target)
    const payin_id = (payin as { payin_id: string }).payin_id
    const account = await deriveTokenAccount(payer.address, mint)
    const before = chain.tokens(account)
    const refund = (id: string, amount: string) => ({
      id,
      merchant_id: "mer_1",
      resource_id: "dep_1",
      statement_reference: "01K6X0J4M60TRT5C",
      payin_id,
      amount,
      currency: "USDC"
    })
    const several = await Promise.all(
      ["a", "b", "c"].map(async (id) => run((await platform.start()).payins!.refund(refund(`${id}.refund`, "15"))))
    )
    expect(several.map(({ _tag }) => _tag).sort()).toEqual(["accepted", "accepted", "rejected"])
    chain.finalize()
    const events = await reader.read(provider)
    expect(events.filter(({ _tag }) => _tag === "refund")).toMatchObject([
      { outcome: "success" },
      { outcome: "success" }
    ])
    expect(chain.tokens(account)).toBe(before + 30n * USDC)
    expect(await run(provider.payins!.refund(refund("d.refund", "10.000001")))).toMatchObject({ _tag: "rejected" })
    expect(await run(provider.payins!.lookupRefund(refund("d.refund", "10.000001")))).toMatchObject({
      _tag: "settled",
      outcome: { outcome: "failed" }
    })
    expect(await run(provider.payins!.refund(refund("e.refund", "10")))).toEqual({ _tag: "accepted" })
    chain.finalize()
    expect(await run(provider.payins!.lookupRefund(refund("e.refund", "10")))).toMatchObject({ _tag: "settled" })
    expect(chain.tokens(account)).toBe(before + 40n * USDC)
    const { onChain, inBooks } = await quiet(platform, provider, reader)
    expect(onChain).toEqual(inBooks)
  })

  it("and all else is in the statement, whose lines sum to the balances", async () => {
    const { chain } = platform
    chain.finalize()
    const { lines, cursor } = await run(provider.statements!.lines(null))
    const balances = await run(provider.statements!.balances)
    const usdc = balances.find(({ currency }) => currency === "USDC")!
    const cents = (text: string): bigint => BigInt(Math.round(Number(text) * 1e6))
    const total = lines
      .filter(({ currency }) => currency === "USDC")
      .reduce((sum, { amount, direction }) => sum + (direction === "credit" ? 1n : -1n) * cents(amount), 0n)
    expect(total).toBe(cents(usdc.available) + cents(usdc.pending) - 10_000n * USDC)
    expect(lines.filter(({ command_id, payin_id }) => command_id === null && payin_id === null)).toEqual([])
    expect(await run(provider.statements!.lines(cursor))).toMatchObject({ lines: [], cursor })
  })
})
