/** The statement of Solana: all that our accounts got and paid, no matter who had it made, and what they hold at a finalized slot. */
import * as kit from "@solana/kit"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { BlockBalances, StatementLine, StatementPage } from "../../../../src/engine/ports/provider-results.ts"
import { deriveTokenAccount } from "../../../support/chains/solana-chain.ts"
import {
  FLOAT,
  issueOf,
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

const onPlatform = async (
  use: (platform: SolanaPlatform, provider: ProviderService) => Promise<void>,
  differs: Parameters<typeof startPlatform>[0] = {}
): Promise<void> => {
  const platform = await startPlatform(differs)
  try {
    // Nothing here is about a node that is silent.
    await use(platform, await platform.start({ options: { timeout_ms: 60_000 } }))
  } finally {
    await platform.close()
  }
}

const pagesOf = async (provider: ProviderService, from: string | null = null) => {
  const all: Array<StatementPage> = []
  for (let cursor = from; ; ) {
    const page: StatementPage = await run(provider.statements!.lines(cursor))
    all.push(page)
    if (page.closing !== undefined) return all
    cursor = page.cursor
  }
}

const unitsOf = (stated: BlockBalances | undefined): bigint => {
  const [whole = "0", fraction = ""] = stated!.balances.find(({ currency }) => currency === "USDC")!.amount.split(".")
  return BigInt(whole) * USDC + BigInt(fraction.padEnd(6, "0"))
}

const tokensIn = (pages: ReadonlyArray<StatementPage>): ReadonlyArray<StatementLine> =>
  pages.flatMap(({ lines }) => lines).filter(({ currency }) => currency === "USDC")

const shown = ({ amount, command_id, direction, payin_id }: StatementLine) =>
  `${direction} ${amount}${command_id === null ? "" : " command"}${payin_id === null ? "" : " pay-in"}`

const hotKey = () => kit.createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(Buffer.from("11".repeat(32), "hex")))

const issued = async (provider: ProviderService, id: string): Promise<string> => {
  const result = await run(provider.payins!.issue(issueOf(id)))
  if (result._tag !== "issued") throw new Error(JSON.stringify(result))
  return result.issued.target
}

describe("the statement of Solana", () => {
  covers("SOLANA-17")
  it("has what strangers and people moved beside payouts and pay-ins, and what is there at the slot up to which it is", () =>
    onPlatform(async ({ chain, hot, mint, payer }, provider) => {
      const { read } = makeReader()
      const target = await issued(provider, "dad_1.issue")
      await chain.pay(payer, mint, hot, 7n * USDC)
      chain.mine(1)
      // Dropped by a fork, and in no later block.
      await chain.pay(payer, mint, hot, 9n * USDC)
      chain.fork(1, false)
      chain.mine(1)
      await chain.pay(payer, mint, target, 12n * USDC)
      chain.mine(1)
      await chain.pay(await hotKey(), mint, payer.address, 3n * USDC)
      chain.finalize()
      await read(provider)
      await run(provider.payouts!.submit(payout("tfr_1.payout", await stranger(), "20")))
      chain.mine(1)
      const before = await pagesOf(provider)
      expect(tokensIn(before).map(shown)).toEqual(["credit 7", "credit 12 pay-in", "debit 3"])
      chain.finalize()
      await read(provider)
      const pages = await pagesOf(provider)
      const lines = tokensIn(pages)
      expect(lines.map(shown)).toEqual(["credit 7", "credit 12 pay-in", "debit 3", "debit 20 command"])
      expect(lines[3]).toMatchObject({ command_id: "tfr_1.payout", narration: expect.stringMatching(/^slot \d+$/) })
      expect(unitsOf(pages[0]!.opening)).toBe(FLOAT)
      expect(unitsOf(pages.at(-1)!.closing)).toBe(FLOAT - 4n * USDC)
      // From where the first one ended, the rest.
      const rest = await pagesOf(provider, before.at(-1)!.cursor)
      expect(tokensIn(rest).map(shown)).toEqual(["debit 20 command"])
      expect(rest[0]!.opening).toBeUndefined()
    }))

  covers("SOLANA-17")
  it("is asked of another node where one lists too little, and is given as it is when none lists it for long", () =>
    onPlatform(
      async ({ chain, hot, mint, nodes, payer }, provider) => {
        const start = (await pagesOf(provider)).at(-1)!
        await chain.pay(payer, mint, hot, 7n * USDC)
        chain.finalize()
        const hides = (method: string, result: unknown) => (method === "getSignaturesForAddress" ? [] : result)
        nodes[0]!.mangle = hides
        expect(tokensIn(await pagesOf(provider, start.cursor)).map(shown)).toEqual(["credit 7"])
        nodes[1]!.mangle = hides
        const failure = await run(Effect.flip(provider.statements!.lines(start.cursor)))
        expect(failure.message).toMatch(/does not list all transactions/)
        chain.mine(1_500)
        const [given] = await pagesOf(provider, start.cursor)
        expect(given!.lines).toEqual([])
        expect(unitsOf(given!.closing) - unitsOf(start.closing)).toBe(7n * USDC)
      },
      { nodes: 2 }
    ))

  covers("SOLANA-17")
  it("asks another node, and waits ten minutes from the first reading that failed, however long none was made before", () =>
    onPlatform(
      async ({ chain, hot, mint, nodes, payer }, provider) => {
        const start = (await pagesOf(provider)).at(-1)!
        chain.mine(1_600)
        await chain.pay(payer, mint, hot, 7n * USDC)
        chain.finalize()
        const hides = (method: string, result: unknown) => (method === "getSignaturesForAddress" ? [] : result)
        nodes[0]!.mangle = hides
        expect(tokensIn(await pagesOf(provider, start.cursor)).map(shown)).toEqual(["credit 7"])
        nodes[1]!.mangle = hides
        for (const slots of [0, 700, 700]) {
          chain.mine(slots)
          chain.finalize()
          const failure = await run(Effect.flip(provider.statements!.lines(start.cursor)))
          expect(failure.message).toMatch(/does not list all transactions/)
        }
        nodes[1]!.mangle = (_, result) => result
        expect(tokensIn(await pagesOf(provider, start.cursor)).map(shown)).toEqual(["credit 7"])
      },
      { nodes: 2 }
    ))

  covers("SOLANA-17")
  it("gives no page of many before all of them lead to the balance: what was not listed is read later", () =>
    onPlatform(async ({ chain, hot, mint, nodes, payer }, provider) => {
      const start = (await pagesOf(provider)).at(-1)!
      for (let n = 1; n <= 210; n++) {
        await chain.pay(payer, mint, hot, BigInt(n) * USDC)
        chain.mine(1)
      }
      chain.finalize()
      type Listed = ReadonlyArray<{ readonly signature: string; readonly slot: number }>
      const hideAt = (place: number) => {
        let hidden: string | undefined
        nodes[0]!.mangle = (method, result) => {
          if (method !== "getSignaturesForAddress" || !Array.isArray(result)) return result
          const listed = result as Listed
          hidden ??= listed.toSorted((a, b) => a.slot - b.slot)[place]?.signature
          return listed.filter(({ signature }) => signature !== hidden)
        }
      }
      for (const place of [5, 209]) {
        hideAt(place)
        const failure = await run(Effect.flip(provider.statements!.lines(start.cursor)))
        expect(failure.message).toMatch(/does not list all transactions/)
      }
      nodes[0]!.mangle = (_, result) => result
      const first = await run(provider.statements!.lines(start.cursor))
      expect([first.lines.length, first.closing]).toEqual([200, undefined])
      hideAt(205)
      await run(Effect.flip(provider.statements!.lines(first.cursor)))
      nodes[0]!.mangle = (_, result) => result
      const rest = await pagesOf(provider, first.cursor)
      const amounts = tokensIn([first, ...rest]).map(({ amount }) => Number(amount))
      expect(amounts).toEqual(Array.from({ length: 210 }, (_, n) => n + 1))
      // And as it is after ten minutes, to its end: the balance is the chain's.
      hideAt(5)
      await run(Effect.flip(provider.statements!.lines(start.cursor)))
      chain.mine(1_500)
      chain.finalize()
      const given = await pagesOf(provider, start.cursor)
      expect([tokensIn(given).length, unitsOf(given.at(-1)!.closing)]).toEqual([209, unitsOf(rest.at(-1)!.closing)])
    }))

  it("takes the cursors of earlier releases, whose sum may be below zero", () =>
    onPlatform(async ({ chain }, provider) => {
      const { cursor } = (await pagesOf(provider)).at(-1)!
      const below = cursor!.replace(/:\d+/, ":-5")
      const failure = await run(Effect.flip(provider.statements!.lines(below)))
      expect(failure.message).toMatch(/does not list all transactions/)
      chain.mine(1_500)
      expect((await pagesOf(provider, below)).at(-1)!.closing).toBeDefined()
    }))

  covers("SOLANA-17")
  it("books a transaction at the time of its slot where it does not say its own, and none at a time that nobody says", () =>
    onPlatform(async ({ chain, hot, mint, nodes, payer }, provider) => {
      const start = (await pagesOf(provider)).at(-1)!
      await chain.pay(payer, mint, hot, 7n * USDC)
      chain.finalize()
      const timeless = (method: string, result: unknown) =>
        method === "getTransaction" && result !== null ? { ...(result as object), blockTime: null } : result
      nodes[0]!.mangle = (method, result) => (method === "getBlockTime" ? null : timeless(method, result))
      const failure = await run(Effect.flip(provider.statements!.lines(start.cursor)))
      expect(failure.message).toMatch(/does not say when slot \d+ was/)
      nodes[0]!.mangle = timeless
      const [line] = tokensIn(await pagesOf(provider, start.cursor))
      const slot = Number(/\d+/.exec(line!.narration!)![0])
      expect(line!.booked_at).toBe(chain.timeOf(slot) * 1000)
    }))

  covers("SOLANA-17")
  it("says what many accounts hold at one slot, though they are read at several", () =>
    onPlatform(async ({ chain, hot, mint, nodes, payer }, provider) => {
      await Promise.all(Array.from({ length: 120 }, (_, n) => issued(provider, `dad_${n}.issue`)))
      await chain.pay(payer, mint, hot, 7n * USDC)
      let reads = 0
      nodes[0]!.mangle = (method, result) => {
        // Between the two readings of accounts, a payment to the first one becomes final.
        if (method === "getMultipleAccounts" && ++reads === 1) chain.finalize()
        return result
      }
      const pages = await pagesOf(provider)
      expect(reads).toBe(2)
      expect(tokensIn(pages).map(shown)).toEqual(["credit 7"])
      expect(unitsOf(pages[0]!.opening)).toBe(FLOAT)
      expect(unitsOf(pages[0]!.closing)).toBe(FLOAT + 7n * USDC)
    }))

  covers("SOLANA-17")
  it("comes in bounded pages of whole slots, each transaction once", () =>
    onPlatform(async ({ chain, hot, mint, payer }, provider) => {
      const start = (await pagesOf(provider)).at(-1)!
      chain.automatic = false
      for (let n = 1; n <= 240; n++) {
        await chain.pay(payer, mint, hot, BigInt(n))
        if (n % 60 === 0) chain.mine(1)
      }
      await chain.pay(payer, mint, hot, 241n)
      chain.finalize()
      const pages = await pagesOf(provider, start.cursor)
      expect(pages.map(({ closing, lines }) => [lines.length, closing !== undefined])).toEqual([
        [240, false],
        [1, true]
      ])
      expect(new Set(tokensIn(pages).map(({ id }) => id)).size).toBe(241)
    }))
})

describe("the addresses of an adapter of Solana", () => {
  covers("EXTERNAL-2", "BENEFICIARY-11")
  it("are its hot wallet and those that it issued, with their token accounts", () =>
    onPlatform(async ({ hot, hotAccount, mint, payer }, provider) => {
      const target = await issued(provider, "dad_1.issue")
      const { hot_wallet, isToken, owns } = provider.addresses!
      expect([mint, hot].map((one) => isToken!("solana", one))).toEqual([true, false])
      expect(isToken!("base", mint)).toBe(false)
      expect(await run(hot_wallet)).toBe(hot)
      const asked = [hot, hotAccount, target, await deriveTokenAccount(target, mint), payer.address, mint]
      expect(await run(Effect.forEach(asked, (one) => owns("solana", one)))).toEqual([
        true,
        true,
        true,
        true,
        false,
        false
      ])
      expect(await run(owns("base", hot))).toBe(false)
    }))
})
