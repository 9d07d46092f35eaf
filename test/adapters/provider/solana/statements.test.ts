/** The statement of Solana: all that our accounts got and paid, no matter who had it made, and what they hold at a finalized slot. */
import * as kit from "@solana/kit"
import { Clock, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../../src/adapters/storage/memory.ts"
import { EMPTY, Storage } from "../../../../src/engine/ports/Storage.ts"
import type { BlockBalances, StatementLine, StatementPage } from "../../../../src/engine/ports/provider-results.ts"
import { deriveTokenAccount } from "../../../support/chains/solana-chain.ts"
import {
  FLOAT,
  issueOf,
  makeReader,
  payout,
  type ProviderService,
  quiet,
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

const goesOn = {
  times: 50,
  while: ({ message }: { readonly message: string }) => message.endsWith("the next attempt goes on there")
}
const pagesOf = async (provider: ProviderService, from: string | null = null) => {
  const all: Array<StatementPage> = []
  for (let cursor = from; ; ) {
    // A reading that takes too long fails, and the next one goes on: on a busy machine one may.
    const page: StatementPage = await run(Effect.retry(provider.statements!.lines(cursor), goesOn))
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
        await chain.pay(payer, mint, hot, 8n * USDC)
        chain.finalize()
        const failure = await run(Effect.flip(provider.statements!.lines(start.cursor)))
        expect(failure.message).toMatch(/does not list all transactions/)
        chain.mine(1_500)
        // What was read before is there, and what no node lists is not.
        const [given] = await pagesOf(provider, start.cursor)
        expect(tokensIn([given!]).map(shown)).toEqual(["credit 7"])
        expect(unitsOf(given!.closing) - unitsOf(start.closing)).toBe(15n * USDC)
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
        await chain.pay(payer, mint, hot, 8n * USDC)
        for (const slots of [0, 700, 700]) {
          chain.mine(slots)
          chain.finalize()
          const failure = await run(Effect.flip(provider.statements!.lines(start.cursor)))
          expect(failure.message).toMatch(/does not list all transactions/)
        }
        nodes[1]!.mangle = (_, result) => result
        expect(tokensIn(await pagesOf(provider, start.cursor)).map(shown)).toEqual(["credit 7", "credit 8"])
      },
      { nodes: 2 }
    ))

  covers("SOLANA-17")
  it("gives no page of many before all of them lead to the balance: what was not listed is read later", () =>
    onPlatform(async ({ chain, hot, hotAccount, mint, nodes, payer }, provider) => {
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
      const refused = async (cursor: string | null) => {
        const failure = await run(Effect.flip(provider.statements!.lines(cursor)))
        expect(failure.message).toMatch(/does not list all transactions/)
      }
      hideAt(5)
      await refused(start.cursor)
      nodes[0]!.mangle = (_, result) => result
      const first = await run(provider.statements!.lines(start.cursor))
      expect([first.lines.length, first.closing]).toEqual([200, undefined])
      // The latest one, which nobody has read before.
      const hideLatest = async (amount: bigint) => {
        await chain.pay(payer, mint, hot, amount * USDC)
        chain.finalize()
        const [latest] = chain.history(hotAccount, chain.head)
        nodes[0]!.mangle = (method, result) =>
          method === "getSignaturesForAddress"
            ? (result as Listed).filter(({ signature }) => signature !== latest!.signature)
            : result
      }
      await hideLatest(211n)
      await refused(first.cursor)
      nodes[0]!.mangle = (_, result) => result
      const rest = await pagesOf(provider, first.cursor)
      const amounts = tokensIn([first, ...rest]).map(({ amount }) => Number(amount))
      expect(amounts).toEqual(Array.from({ length: 211 }, (_, n) => n + 1))
      // And as it is after ten minutes, to its end: the balance is the chain's.
      await hideLatest(212n)
      await refused(start.cursor)
      chain.mine(1_500)
      chain.finalize()
      const given = await pagesOf(provider, start.cursor)
      const closing = unitsOf(rest.at(-1)!.closing) + 212n * USDC
      expect([tokensIn(given).length, unitsOf(given.at(-1)!.closing)]).toEqual([211, closing])
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
      chain.mine(2)
      await chain.pay(payer, mint, hot, 8n * USDC)
      let reads = 0
      nodes[0]!.mangle = (method, result) => {
        // The first payment becomes final before the accounts are read, the second one between the two readings of them.
        if (method === "getEpochInfo") chain.mine(1)
        if (method === "getMultipleAccounts" && ++reads === 1) chain.finalize()
        return result
      }
      const pages = await pagesOf(provider)
      expect(reads).toBe(2)
      expect(tokensIn(pages)).toEqual([])
      expect(unitsOf(pages[0]!.opening)).toBe(FLOAT)
      expect(unitsOf(pages[0]!.closing)).toBe(FLOAT)
      nodes[0]!.mangle = (_, result) => result
      const rest = await pagesOf(provider, pages[0]!.cursor)
      expect(tokensIn(rest).map(shown)).toEqual(["credit 7", "credit 8"])
      expect(unitsOf(rest[0]!.closing)).toBe(FLOAT + 15n * USDC)
    }))

  covers("SOLANA-17")
  it("is of no node that reads an account before the slot up to which the page is", () =>
    onPlatform(async ({ chain, mint, nodes, payer }, provider) => {
      const target = await issued(provider, "dad_1.issue")
      await chain.pay(payer, mint, target, 7n * USDC)
      chain.finalize()
      // The accounts are those of a node behind the one that was asked for the slot.
      nodes[0]!.mangle = (method, result) => {
        if (method === "getEpochInfo") nodes[0]!.behind = 8
        if (method === "getMultipleAccounts") nodes[0]!.behind = 0
        return result
      }
      const failure = await run(Effect.flip(provider.statements!.lines(null)))
      expect(failure.message).toMatch(/gave no result/)
      nodes[0]!.mangle = (_, result) => result
      nodes[0]!.behind = 0
      expect(tokensIn(await pagesOf(provider)).map(shown)).toEqual(["credit 7"])
    }))

  covers("SOLANA-17")
  it("has a payment that becomes final between two readings of accounts, to one that the first of them has read", () =>
    onPlatform(async ({ chain, mint, nodes, payer }, provider) => {
      const targets = await Promise.all(Array.from({ length: 120 }, (_, n) => issued(provider, `dad_${n}.issue`)))
      const owners = new Map<string, string>()
      for (const target of targets) owners.set(await deriveTokenAccount(target, mint), target)
      let asked: ReadonlyArray<string> = []
      nodes[0]!.mangle = (method, result, [accounts]) => {
        if (method === "getMultipleAccounts" && asked.length === 0) asked = accounts as ReadonlyArray<string>
        return result
      }
      const start = (await pagesOf(provider)).at(-1)!
      await chain.pay(payer, mint, owners.get(asked[60]!)!, 7n * USDC)
      const slots: Array<number> = []
      nodes[0]!.mangle = (method, result) => {
        if (method === "getMultipleAccounts") {
          slots.push((result as { readonly context: { readonly slot: number } }).context.slot)
          if (slots.length === 1) chain.finalize()
        }
        return result
      }
      const pages = await pagesOf(provider, start.cursor)
      expect([slots.length, slots[1]! > slots[0]!]).toEqual([2, true])
      nodes[0]!.mangle = (_, result) => result
      await makeReader().read(provider)
      const rest = await pagesOf(provider, pages.at(-1)!.cursor)
      expect(tokensIn([...pages, ...rest]).map(shown)).toEqual(["credit 7 pay-in"])
      expect(unitsOf(rest.at(-1)!.closing)).toBe(FLOAT + 7n * USDC)
    }))

  covers("SOLANA-17")
  it.each([
    ["that has ended and is not counted", true],
    ["whose end nobody has read", false]
  ])("has a payment of as much as the sweep before it took, %s", (_, isRead) =>
    onPlatform(async ({ chain, mint, payer }, provider) => {
      const { read } = makeReader()
      const target = await issued(provider, "dad_1.issue")
      const account = await deriveTokenAccount(target, mint)
      await chain.pay(payer, mint, target, 7n * USDC)
      chain.finalize()
      await read(provider)
      chain.mine(200)
      await read(provider)
      // All about the payment is committed: it is swept.
      await read(provider)
      expect(chain.tokens(account)).toBe(0n)
      chain.finalize()
      if (isRead) await read(provider)
      await chain.pay(payer, mint, target, 7n * USDC)
      chain.finalize()
      expect(tokensIn(await pagesOf(provider)).map(shown)).toEqual(["credit 7 pay-in", "credit 7"])
    })
  )

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

/** A copy of a store as the build before left it: without records of transactions. */
const withoutRecords = async (storage: Storage["Service"]): Promise<Storage["Service"]> => {
  const copy = await run(Effect.provide(Storage, MemoryStorage.layer))
  const kinds = ["solana_payin", "solana_outgoing", "solana_address"]
  const { items } = await run(storage.list({ kinds, index_keys: [], offset: 0, limit: 10_000 }))
  for (const row of items.toReversed()) {
    const rows = [{ ...row, version: 1, via: "provider", from: null }]
    await run(copy.commit({ ...EMPTY, merchant_id: row.merchant_id, at: row.updated_at, rows }))
  }
  return copy
}

/** Counts what a node is asked from now on. */
const counting = ({ nodes }: SolanaPlatform) => {
  const before = new Map(nodes[0]!.calls)
  return (method: string) => (nodes[0]!.calls.get(method) ?? 0) - (before.get(method) ?? 0)
}

describe("what moves between two addresses of the platform", () => {
  covers("SOLANA-17", "SOLANA-19")
  it("is a debit of the payment and a credit of the pay-in", () =>
    onPlatform(async ({ chain }, provider) => {
      const { read, reported } = makeReader()
      const start = (await pagesOf(provider)).at(-1)!
      const target = await issued(provider, "dad_1.issue")
      await run(provider.payouts!.submit(payout("tfr_1.payout", target, "40")))
      chain.finalize()
      await read(provider)
      const lines = tokensIn(await pagesOf(provider, start.cursor))
      expect(lines.map(shown)).toEqual(["credit 40 pay-in", "debit 40 command"])
      expect(new Set(lines.map(({ id }) => id)).size).toBe(2)
      const payin = [...reported.values()].find((one) => one._tag === "payin")!
      expect(lines[0]!.payin_id).toBe((payin as { payin_id: string }).payin_id)
    }))

  covers("SOLANA-19")
  it("is a debit and a credit too where a refund goes to a payer who is an address of the platform", () =>
    onPlatform(async ({ chain, mint, nodes, payer }, provider) => {
      const { read, reported } = makeReader()
      const [one, other] = [await issued(provider, "dad_1.issue"), await issued(provider, "dad_2.issue")]
      // The node says that the payer is the first address.
      nodes[0]!.mangle = (method, result) =>
        method === "getTransaction"
          ? JSON.parse(JSON.stringify(result).replaceAll(`"owner":"${payer.address}"`, `"owner":"${one}"`))
          : result
      await chain.pay(payer, mint, other, 40n * USDC)
      chain.finalize()
      await read(provider)
      nodes[0]!.mangle = (_, result) => result
      const start = (await pagesOf(provider)).at(-1)!
      const [payin] = [...reported.values()]
      const submitted = await run(
        provider.payins!.refund({
          id: "txn_1.refund",
          merchant_id: "mer_1",
          resource_id: "txn_1",
          statement_reference: "01K6X0J4M60TRT5C",
          payin_id: (payin as { readonly payin_id: string }).payin_id,
          amount: "40",
          currency: "USDC"
        })
      )
      expect(submitted).toEqual({ _tag: "accepted" })
      chain.finalize()
      await read(provider)
      const lines = tokensIn(await pagesOf(provider, start.cursor))
      expect(lines.map(shown)).toEqual(["credit 40 pay-in", "debit 40 command"])
      expect(lines.map(({ command_id, payin_id }) => command_id ?? payin_id)).toEqual([
        expect.stringContaining(one),
        "txn_1.refund"
      ])
    }))

  covers("SOLANA-19")
  it("is a credit for each address that one transaction pays, and what somebody with the key moved is what is left", () =>
    onPlatform(async ({ chain, mint }, provider) => {
      const { read } = makeReader()
      const start = (await pagesOf(provider)).at(-1)!
      const [one, other] = [await issued(provider, "dad_1.issue"), await issued(provider, "dad_2.issue")]
      await chain.pay(await hotKey(), mint, one, 3n * USDC)
      await chain.pay(await hotKey(), mint, other, 4n * USDC)
      chain.finalize()
      await read(provider)
      const lines = tokensIn(await pagesOf(provider, start.cursor))
      expect(lines.map(shown)).toEqual(["credit 3 pay-in", "debit 3", "credit 4 pay-in", "debit 4"])
    }))
})

describe("the cost of a statement of Solana", () => {
  covers("SOLANA-20")
  it("does not grow with the addresses that were issued: only those are listed that hold something else than is known", () =>
    onPlatform(async (platform, provider) => {
      const { chain, mint, payer } = platform
      const { read } = makeReader()
      const targets = await Promise.all(Array.from({ length: 150 }, (_, n) => issued(provider, `dad_${n}.issue`)))
      const start = (await pagesOf(provider)).at(-1)!
      for (const target of targets.slice(0, 20)) await chain.pay(payer, mint, target, 2n * USDC)
      chain.finalize()
      await read(provider)
      // Nobody has read this one yet.
      await chain.pay(payer, mint, targets[100]!, 5n * USDC)
      chain.finalize()
      const calls = counting(platform)
      const lines = tokensIn(await pagesOf(provider, start.cursor))
      expect(lines.filter(({ payin_id }) => payin_id !== null).length).toBe(20)
      expect(lines.map(shown).at(-1)).toBe("credit 5")
      // The hot wallet, its account of the token, and the address that nobody has read.
      expect(calls("getSignaturesForAddress")).toBe(3)
      expect(calls("getTransaction")).toBe(1)
    }))

  covers("SOLANA-20")
  it("is read once, by whichever node of Corridor, also when addresses are issued meanwhile and the attempt ends early", () =>
    onPlatform(async (platform, provider) => {
      const { chain, hot, mint, nodes, payer } = platform
      const start = (await pagesOf(provider)).at(-1)!
      for (let n = 1; n <= 130; n++) await chain.pay(payer, mint, hot, BigInt(n))
      chain.finalize()
      let shownOnes = 0
      nodes[0]!.mangle = (method, result) => (method === "getTransaction" && ++shownOnes > 100 ? null : result)
      await run(Effect.flip(provider.statements!.lines(start.cursor)))
      nodes[0]!.mangle = (_, result) => result
      const another = await platform.start({ options: { timeout_ms: 60_000 } })
      await issued(another, "dad_1.issue")
      const calls = counting(platform)
      expect(tokensIn(await pagesOf(another, start.cursor)).length).toBe(130)
      expect(calls("getTransaction")).toBe(130 - 80)
      expect(tokensIn(await pagesOf(provider, start.cursor)).length).toBe(130)
      expect(calls("getTransaction")).toBe(130 - 80)
    }))

  covers("SOLANA-20")
  it("is paid in attempts that end before the engine cuts them, each of which goes on where the last one ended", () =>
    onPlatform(async (platform, provider) => {
      const { chain, hot, mint, nodes, payer } = platform
      const start = (await pagesOf(provider)).at(-1)!
      for (let n = 1; n <= 100; n++) await chain.pay(payer, mint, hot, BigInt(n))
      chain.finalize()
      // A clock that a slow node moves: half a second for each transaction.
      let now = 0
      nodes[0]!.mangle = (method, result) => {
        if (method === "getTransaction") now += 500
        return result
      }
      const clock: Clock.Clock = Object.assign(Object.create(await run(Clock.Clock)) as Clock.Clock, {
        currentTimeMillis: Effect.sync(() => now),
        currentTimeMillisUnsafe: () => now
      })
      const attempt = Effect.result(Effect.provideService(provider.statements!.lines(start.cursor), Clock.Clock, clock))
      const results = [await run(attempt), await run(attempt), await run(attempt)]
      expect(results.map(({ _tag }) => _tag)).toEqual(["Failure", "Success", "Success"])
      expect((results[0] as { failure: Error }).failure.message).toMatch(/20 of 100 transactions/)
      expect(nodes[0]!.calls.get("getTransaction")).toBe(100)
    }))

  covers("SOLANA-20")
  it("has what an earlier build has recorded, in pages, also on a store without records of its transactions", () =>
    onPlatform(async (platform, provider) => {
      const { chain, mint, payer, storage } = platform
      const reader = makeReader()
      const target = await issued(provider, "dad_1.issue")
      for (let n = 1; n <= 230; n++) {
        await chain.pay(payer, mint, target, BigInt(n) * USDC)
        if (n % 10 === 0) chain.mine(300)
      }
      await quiet(platform, provider, reader)
      const complete = tokensIn(await pagesOf(provider)).map(shown)
      expect(complete).toEqual(Array.from({ length: 230 }, (_, n) => `credit ${n + 1} pay-in`))
      // The store as the build before left it.
      const old = await withoutRecords(storage)
      const upgraded = await platform.start({ storage: old, options: { timeout_ms: 60_000 } })
      expect(tokensIn(await pagesOf(upgraded)).map(shown)).toEqual(complete)
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
