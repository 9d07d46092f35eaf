/** What is refused before anything is signed, and what the chain refuses for good. */
import * as kit from "@solana/kit"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { solanaProvider, type SolanaOptions } from "../../../../src/adapters/provider/solana.ts"
import { encodeForSimulation } from "../../../../src/adapters/provider/solana/transaction.ts"
import { localSigner } from "../../../../src/adapters/signer/local.ts"
import type { Destination } from "../../../../src/engine/ports/Provider.ts"
import { deriveTokenAccount } from "../../../support/chains/solana-chain.ts"
import {
  makeReader,
  payout,
  type ProviderService,
  quiet,
  SOL,
  type SolanaPlatform,
  startPlatform,
  stranger,
  USDC,
  makeWatchedSigner
} from "../../../support/chains/solana-platform.ts"
import { covers } from "../../../support/repository/covers.ts"

const run = Effect.runPromise

describe("a payout", () => {
  let platform: SolanaPlatform
  let provider: ProviderService
  let signatures = 0
  beforeAll(async () => {
    platform = await startPlatform()
    provider = await platform.start({ signer: makeWatchedSigner({ before: Effect.sync(() => signatures++) }) })
  })
  afterAll(() => platform.close())

  covers("SOLANA-8")
  const addresses: ReadonlyArray<readonly [string, (platform: SolanaPlatform) => Promise<string>]> = [
    ["that is no address", async () => "0x52908400098527886E0F7030069857D2E4169EE7"],
    ["of the hot wallet", async ({ hot }) => hot],
    ["of the hot wallet's own account", async ({ hotAccount }) => hotAccount],
    ["of a mint", async ({ mint }) => mint],
    [
      "of a mint for which somebody opened an account",
      async ({ chain, mint }) => (await chain.fundTokens(mint, mint, 0n), mint)
    ],
    ["of the system program", async () => "1".repeat(32)],
    [
      "of an account of another token",
      async ({ chain, payer }) => chain.fundTokens(payer.address, await chain.mint(6), 5n)
    ],
    ["of a frozen account", async ({ chain, mint }) => chain.fundTokens(await stranger(), mint, 5n, true)],
    [
      "whose account is frozen",
      async ({ chain, mint }) => {
        const owner = await stranger()
        await chain.fundTokens(owner, mint, 5n, true)
        return owner
      }
    ],
    [
      "that no key holds",
      async ({ mint }) => deriveTokenAccount(await deriveTokenAccount(await stranger(), mint), mint)
    ],
    ["of a program", async () => "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"]
  ]
  it.each(addresses)("to an address %s is rejected for good, and nothing is signed", async (name, make) => {
    const address = await make(platform)
    platform.chain.finalize()
    const command = payout(`tfr_${name.replaceAll(" ", "-")}.payout`, address, "5")
    const result = await run(provider.payouts!.submit(command))
    expect(result).toMatchObject({ _tag: "rejected", refundable: true })
    expect(await run(provider.payouts!.submit({ ...command, attempt: 1 }))).toEqual(result)
    expect(signatures).toBe(0)
    expect(platform.chain.received.size).toBe(0)
  })

  const others: ReadonlyArray<readonly [string, Parameters<typeof payout>[3] & object, string]> = [
    ["a network that is not served", { destination: chainOf("base") }, "pays on solana only, not on base"],
    ["a currency that is not configured", { currency: "USDT" }, "USDT is not configured on solana"],
    ["more decimals than the token has", { amount: "1.0000001" }, "1.0000001 is not an amount of USDC"],
    ["nothing", { amount: "0" }, "0 is not an amount of USDC"]
  ]
  it.each(others)("of %s is rejected", async (_, differs, reason) => {
    const command = payout("tfr_9.payout", await stranger(), "5", differs)
    const result = await run(provider.payouts!.submit(command))
    expect(result).toMatchObject({ _tag: "rejected" })
    expect((result as { reason: string }).reason).toContain(reason)
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "absent" })
  })

  it("to a token account, and to one of an owner that no key holds, is paid", async () => {
    const { chain, mint } = platform
    const direct = await chain.fundTokens(await stranger(), mint, 0n)
    const program = await deriveTokenAccount(await stranger(), mint)
    const held = await chain.fundTokens(program, mint, 0n)
    chain.finalize()
    for (const [id, address] of [
      ["tfr_10.payout", direct],
      ["tfr_11.payout", program]
    ] as const)
      expect(await run(provider.payouts!.submit(payout(id, address, "5")))).toEqual({ _tag: "accepted" })
    expect(chain.tokens(direct)).toBe(5n * USDC)
    expect(chain.tokens(held)).toBe(5n * USDC)
  })

  it("has the destination's memo in its transaction", async () => {
    const { chain } = platform
    const destination: Destination = { type: "crypto", network: "solana", address: await stranger(), memo: "№ 104 871" }
    await run(provider.payouts!.submit(payout("tfr_12.payout", destination.address, "5", { destination })))
    expect(chain.head.landed.map(({ memo }) => memo)).toEqual(["№ 104 871"])
  })

  covers("BENEFICIARY-15", "SOLANA-6")
  it("asks for as many compute units as its memo may use", async () => {
    const { chain, hot, hotAccount, mint } = platform
    const key = { address: hot, key_ref: "hot" }
    const unitsOf = (memo: string | null): number | undefined => {
      const transfer = { fee_payer: key, owner: key, source: hotAccount, mint, decimals: 6, amount: 1n, memo }
      const wire = encodeForSimulation(
        { ...transfer, command_id: "tfr_1.payout", destination: hotAccount, opens_for: null, price: 0n },
        { blockhash: kit.blockhash(chain.head.hash), last_valid_block_height: 1, slot: 1 }
      )
      const { messageBytes } = kit.getTransactionDecoder().decode(Buffer.from(wire, "base64"))
      const message = kit.getCompiledTransactionMessageDecoder().decode(messageBytes)
      if (message.version !== 0) throw new TypeError("a transfer is a transaction of version 0")
      const limit = message.instructions.find(
        ({ data, programAddressIndex }) =>
          message.staticAccounts[programAddressIndex]?.startsWith("ComputeBudget") === true && data?.[0] === 2
      )
      return limit?.data === undefined ? undefined : Buffer.from(limit.data).readUInt32LE(1)
    }
    // 566 bytes use 200,000 units, of at most 1,400,000 in a transaction.
    expect([unitsOf(null), unitsOf("x".repeat(724)), unitsOf("№".repeat(10))]).toEqual([120_000, 482_000, 135_000])
  })

  covers("BENEFICIARY-15")
  it("has a memo of as many bytes as its transaction has left, and is rejected with more", async () => {
    const { chain, hot, hotAccount, mint } = platform
    const limit = 724
    const memos = { all: "x".repeat(limit), more: "x".repeat(limit + 1) }
    const key = { address: hot, key_ref: "hot" }
    const sizeOf = (memo: string): number => {
      const transfer = { fee_payer: key, owner: key, source: hotAccount, mint, decimals: 6, amount: 1n, memo }
      const wire = encodeForSimulation(
        // The largest that a payout can be: it opens an account, and pays for priority.
        { ...transfer, command_id: "tfr_1.payout", destination: other, opens_for: owner, price: 1n },
        { blockhash: kit.blockhash(chain.head.hash), last_valid_block_height: 1, slot: 1 }
      )
      return Buffer.from(wire, "base64").length
    }
    const owner = await stranger()
    const other = await deriveTokenAccount(owner, mint)
    expect([sizeOf(memos.all), sizeOf(memos.more)]).toEqual([1232, 1233])
    const dear = await platform.start({ options: { priority_fee: 1 } })
    const submit = (id: string, memo: string) => {
      const destination = { type: "crypto", network: "solana", address: owner, memo } as const
      return run(dear.payouts!.submit(payout(id, owner, "5", { destination })))
    }
    expect(await submit("tfr_16.payout", memos.more)).toEqual({
      _tag: "rejected",
      reason: `the memo has 725 bytes in UTF-8: a transfer on solana takes a memo of at most ${limit}`,
      refundable: true
    })
    expect(await submit("tfr_17.payout", memos.all)).toEqual({ _tag: "accepted" })
    expect(chain.head.landed.map(({ memo }) => memo)).toEqual([memos.all])
  })

  covers("SOLANA-6")
  it("whose recipient is frozen on the way fails for good with the chain's reason, and its fee is recorded", async () => {
    const { chain, mint } = platform
    const owner = await stranger()
    await chain.fundTokens(owner, mint, 5n)
    chain.automatic = false
    const command = payout("tfr_13.payout", owner, "5")
    expect(await run(provider.payouts!.submit(command))).toEqual({ _tag: "accepted" })
    await chain.fundTokens(owner, mint, 5n, true)
    chain.automatic = true
    chain.finalize()
    const status = await run(provider.payouts!.lookup(command))
    expect(status).toMatchObject({
      _tag: "settled",
      outcome: { outcome: "failed", fee: "0.000005", fee_currency: "SOL" }
    })
    expect((status as { outcome: { reason: string } }).outcome.reason).toContain('{"Custom":17}')
    const { onChain, inBooks } = await quiet(platform, provider, makeReader())
    expect(onChain).toEqual(inBooks)
  })

  it.each([
    ["tokens", { float: 4n * USDC, sol: 10n * SOL }],
    ["SOL for the fee", { float: 100n * USDC, sol: 1000n }],
    ["SOL for the recipient's account", { float: 100n * USDC, sol: 2_000_000n }]
  ])("that the hot wallet has not enough %s for is unavailable, and nothing is signed", async (_, funds) => {
    const poor = await startPlatform(funds)
    let signed = 0
    const own = await poor.start({ signer: makeWatchedSigner({ before: Effect.sync(() => signed++) }) })
    const command = payout("tfr_1.payout", await stranger(), "5")
    expect(await run(own.payouts!.submit(command))).toEqual({ _tag: "unavailable" })
    expect(await run(own.payouts!.lookup(command))).toEqual({ _tag: "absent" })
    expect(signed).toBe(0)
    poor.chain.fund(poor.hot, 10n * SOL)
    await poor.chain.fundTokens(poor.hot, poor.mint, 100n * USDC)
    poor.chain.finalize()
    expect(await run(own.payouts!.submit({ ...command, attempt: 1 }))).toEqual({ _tag: "accepted" })
    await poor.close()
  })

  it("that the signer's policy refuses is rejected for good; one that it cannot sign is unavailable", async () => {
    const keys = { hot: { curve: "ed25519", secret: "11".repeat(32) } } as const
    const seen: Array<unknown> = []
    const strict = await platform.start({
      signer: localSigner({ keys, policy: (key, intent) => (seen.push([key, intent]), "over the limit of the day") })
    })
    const to = await stranger()
    const command = payout("tfr_14.payout", to, "5.25")
    expect(await run(strict.payouts!.submit(command))).toEqual({
      _tag: "rejected",
      reason: "the signer refuses: over the limit of the day",
      refundable: true
    })
    expect(seen).toEqual([
      ["hot", { command_id: command.id, purpose: "payout", amount: "5.25", currency: "USDC", destination: to }]
    ])
    expect(await run(provider.payouts!.submit({ ...command, attempt: 1 }))).toMatchObject({ _tag: "rejected" })
    const broken = await platform.start({ signer: makeWatchedSigner({ fault: "the vault is sealed" }) })
    const other = payout("tfr_15.payout", to, "5")
    expect(await run(broken.payouts!.submit(other))).toEqual({ _tag: "unavailable" })
    expect(await run(provider.payouts!.submit(other))).toEqual({ _tag: "accepted" })
  })
})

function chainOf(network: string): Destination {
  return { type: "crypto", network, address: "0x52908400098527886E0F7030069857D2E4169EE7", memo: null }
}

describe("the options of the provider", () => {
  const good: SolanaOptions = {
    name: "solana",
    rpc_urls: ["https://node.example/key"],
    tokens: { USDC: { mint: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", decimals: 6 } },
    signer: localSigner({ keys: {} }),
    hot_wallet: "hot"
  }
  const mint = good.tokens["USDC"]!.mint
  it.each<readonly [string, Partial<SolanaOptions>, string]>([
    ["name", { name: "Solana One" }, 'name is "Solana One"'],
    ["no URL", { rpc_urls: [] }, "rpc_urls is empty"],
    ["a URL of another scheme", { rpc_urls: ["ws://node.example"] }, "rpc_urls[0] is no URL"],
    ["no token", { tokens: {} }, "tokens is empty"],
    ["a mint", { tokens: { USDC: { mint: "0xabc", decimals: 6 } } }, 'tokens.USDC.mint is "0xabc"'],
    ["decimals", { tokens: { USDC: { mint, decimals: 6.5 } } }, "tokens.USDC.decimals is 6.5"],
    ["sweep_from", { tokens: { USDC: { mint, decimals: 6, sweep_from: "1e3" } } }, 'tokens.USDC.sweep_from is "1e3"'],
    ["hot_wallet", { hot_wallet: "" }, "hot_wallet is empty"],
    ["priority_fee", { priority_fee: -1 }, "priority_fee is -1"]
  ])("%s: a fault is named", (_, differs, message) => {
    expect(() => solanaProvider({ ...good, ...differs })).toThrow(message)
    expect(solanaProvider(good)).toMatchObject({ port: "provider", simulated: false })
  })

  it("name a key of ed25519 that the signer has", async () => {
    const platform = await startPlatform()
    const signer = localSigner({ keys: { hot: { curve: "ed25519" }, eth: { curve: "secp256k1" } } })
    const start = (hot_wallet: string) => platform.start({ options: { signer, hot_wallet } })
    await expect(start("eth")).rejects.toThrow("the key eth is of secp256k1; Solana takes keys of ed25519")
    await expect(start("cold")).rejects.toThrow('the signer has no key "cold"')
    expect(kit.isAddress(platform.hot)).toBe(true)
    await platform.close()
  })
})

describe("a token that is not as it is configured", () => {
  covers("SOLANA-14")
  const wrong: ReadonlyArray<readonly [string, (platform: SolanaPlatform) => SolanaOptions["tokens"][string], string]> =
    [
      ["with other decimals", ({ mint }) => ({ mint, decimals: 9 }), "tokens.USDC.decimals: the mint has 6, not 9"],
      ["whose mint is a wallet", ({ hot }) => ({ mint: hot, decimals: 6 }), "is not a mint of the token program"],
      ["whose mint is a token account", ({ hotAccount }) => ({ mint: hotAccount, decimals: 6 }), "is not a mint"],
      [
        "whose mint does not exist",
        () => ({ mint: "So11111111111111111111111111111111111111112", decimals: 6 }),
        "is not a mint of the token program"
      ]
    ]
  it.each(wrong)("%s pays nothing and issues no address", async (_, token, message) => {
    const platform = await startPlatform()
    let signed = 0
    const provider = await platform.start({
      options: { tokens: { USDC: token(platform) } },
      signer: makeWatchedSigner({ before: Effect.sync(() => signed++) })
    })
    const paid = await run(Effect.flip(provider.payouts!.submit(payout("tfr_1.payout", await stranger(), "5"))))
    const issue = {
      id: "da_1.issue",
      merchant_id: "mer_a",
      resource_id: "da_1",
      kind: "deposit_address",
      holder: "wal_a"
    }
    const issued = await run(
      Effect.flip(
        provider.payins!.issue({
          ...issue,
          kind: "deposit_address",
          type: "crypto",
          currency: "USDC",
          country_code: null,
          network: "solana"
        })
      )
    )
    expect([paid.message, issued.message].map((text) => text.includes(message))).toEqual([true, true])
    expect(signed).toBe(0)
    await platform.close()
  })
})
