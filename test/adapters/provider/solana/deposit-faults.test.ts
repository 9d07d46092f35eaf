/** Forks, lies and lost answers under a deposit: what is confirmed is final on the chain, each once, and nothing is missed. */
import { Effect } from "effect"
import { StorageFault } from "../../../../src/engine/ports/errors.ts"
import type { Storage } from "../../../../src/engine/ports/Storage.ts"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { margin } from "../../../../src/adapters/provider/solana/fate.ts"
import type { PayinEvent } from "../../../../src/engine/ports/Provider.ts"
import { deriveTokenAccount, type Landed, VALIDITY } from "../../../support/chains/solana-chain.ts"
import {
  issueOf,
  makeReader,
  type ProviderService,
  quiet,
  SOL,
  type SolanaPlatform,
  startPlatform,
  stranger,
  USDC
} from "../../../support/chains/solana-platform.ts"
import { refundOf } from "../../../support/chains/refunding-chains.ts"
import { covers } from "../../../support/repository/covers.ts"

const run = Effect.runPromise

let platform: SolanaPlatform
let provider: ProviderService
let target: string
let reader: ReturnType<typeof makeReader>
beforeEach(async () => {
  platform = await startPlatform({ nodes: 2 })
  provider = await platform.start()
  reader = makeReader()
  target = await issue("dad_1.issue")
  await reader.read(provider)
})
afterEach(() => platform.close())

const issue = async (id: string): Promise<string> => {
  const result = await run(provider.payins!.issue(issueOf(id)))
  if (result._tag !== "issued") throw new Error(JSON.stringify(result))
  return result.issued.target
}
const pay = (amount: bigint, to = target) => platform.chain.pay(platform.payer, platform.mint, to, amount * USDC)
const reported = (): ReadonlyArray<PayinEvent> =>
  [...reader.reported.values()].filter((event): event is PayinEvent => event._tag === "payin")
const stages = (): ReadonlyArray<string> => reported().map(({ stage, amount }) => `${stage} ${amount}`)
const longEnough = (): void => platform.chain.mine(VALIDITY + margin + 20)
const balanced = async (): Promise<void> => {
  const { onChain, inBooks } = await quiet(platform, provider, reader)
  expect(onChain).toEqual(inBooks)
}

/** A store whose cell of one merchant does not answer. */
const withoutMerchant = (storage: Storage["Service"], merchant_id: string): Storage["Service"] => {
  const away = Effect.fail(new StorageFault({ message: "cell 2 of 2 does not answer", retryable: true }))
  const isThere = (asked: string | undefined): boolean => asked !== undefined && asked !== merchant_id
  return {
    ...storage,
    get: (keys) => (keys.every((key) => isThere(key.merchant_id)) ? storage.get(keys) : away),
    commit: (change) => (isThere(change.merchant_id) ? storage.commit(change) : away),
    list: (query) => (isThere(query.merchant_id) ? storage.list(query) : away)
  }
}

describe("a cell of a merchant that is away", () => {
  covers("SOLANA-18")
  it("holds up no deposit of another merchant, nor what is read of its own", async () => {
    const issued = await run(provider.payins!.issue(issueOf("dad_2.issue", { merchant_id: "mer_2" })))
    if (issued._tag !== "issued") throw new Error(JSON.stringify(issued))
    await pay(50n)
    await pay(60n, issued.issued.target)
    platform.chain.finalize()
    const one = await platform.start({ storage: withoutMerchant(platform.storage, "mer_2") })
    await reader.read(one)
    expect(stages().toSorted()).toEqual(["confirmed 50", "confirmed 60"])
    await balanced()
  })
})

describe("a fork under a deposit", () => {
  covers("SOLANA-9")
  it("that includes it again elsewhere confirms it once", async () => {
    const { chain } = platform
    await pay(50n)
    chain.mine(1)
    await reader.read(provider)
    expect(stages()).toEqual(["detected 50"])
    chain.fork(2, true)
    chain.mine(2)
    await reader.read(provider)
    expect(stages()).toEqual(["detected 50"])
    chain.finalize()
    await reader.read(provider)
    expect(stages()).toEqual(["detected 50", "confirmed 50"])
    await balanced()
    expect(stages()).toEqual(["detected 50", "confirmed 50"])
  })

  it("that drops it fails it when no later block can contain it, and not before", async () => {
    const { chain } = platform
    await pay(50n)
    chain.mine(1)
    await reader.read(provider)
    const height = chain.head.height
    chain.fork(2, false)
    chain.mine(height + VALIDITY + margin - 2 - chain.block("finalized").height)
    await reader.read(provider)
    expect(stages()).toEqual(["detected 50"])
    chain.mine(10)
    const lost = await reader.read(provider, true)
    expect(lost).toMatchObject([{ stage: "failed", amount: "50" }])
    expect(await reader.read(provider)).toEqual(lost)
    expect(stages()).toEqual(["detected 50", "failed 50"])
    await balanced()
  })

  it("in which it fails is reported as failed", async () => {
    const { chain, payer, mint } = platform
    await pay(900_000n)
    chain.mine(1)
    await reader.read(provider)
    const [block] = chain.blocks.slice(-2)
    chain.fork(2, false)
    // The payer spends the money elsewhere first, and the deposit is executed without it.
    await chain.pay(payer, mint, await stranger(), 500_000n * USDC)
    chain.revive(block!.landed[0]!)
    expect(chain.find(block!.landed[0]!.signature)?.error).not.toBeNull()
    chain.finalize()
    await reader.read(provider)
    expect(stages()).toEqual(["detected 900000", "failed 900000"])
    await balanced()
  })

  it("in which it brings nothing is reported as failed", async () => {
    const { chain } = platform
    await pay(50n)
    chain.mine(1)
    await reader.read(provider)
    const [block] = chain.blocks.slice(-2)
    const [landed] = block!.landed
    chain.fork(2, false)
    chain.mine(1)
    // As a program's transaction can, which pays what it finds.
    const [before] = landed!.tokens
    const own = chain.head.landed as Array<Landed>
    own.push({ ...landed!, slot: chain.head.slot, tokens: [before, before] })
    await reader.read(provider)
    expect(stages()).toEqual(["detected 50"])
    chain.finalize()
    await reader.read(provider)
    expect(stages()).toEqual(["detected 50", "failed 50"])
    await balanced()
  })

  it("from which it comes back after it was reported to have failed makes it another pay-in: its money is not lost", async () => {
    const { chain } = platform
    await pay(50n)
    chain.mine(1)
    await reader.read(provider)
    const [block] = chain.blocks.slice(-2)
    chain.fork(2, false)
    longEnough()
    await reader.read(provider)
    chain.revive(block!.landed[0]!)
    chain.finalize()
    await reader.read(provider)
    expect(stages()).toEqual(["detected 50", "failed 50", "confirmed 50"])
    const ids = reported().map(({ payin_id }) => payin_id)
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).not.toBe(ids[0])
    await balanced()
  })
})

describe("a reading", () => {
  covers("SOLANA-10")
  it.each(Array.from({ length: 9 }, (_, n) => [n, n % 2 === 0 ? "away" : "lost"] as const))(
    "whose call number %i is %s is made with the next node, or again, and misses nothing",
    async (n, kind) => {
      await pay(50n)
      await pay(60n)
      platform.chain.finalize()
      let count = 0
      for (const node of platform.nodes) node.fault = () => (count++ === n ? kind : undefined)
      await reader.read(provider).catch(() => undefined)
      for (const node of platform.nodes) node.fault = () => undefined
      await reader.read(provider)
      expect(stages()).toEqual(["confirmed 50", "confirmed 60"])
      await balanced()
      expect(stages()).toEqual(["confirmed 50", "confirmed 60"])
    }
  )

  it("at a node that lags behind the cursor is made at another, or fails, and the cursor never goes back", async () => {
    const { chain, nodes } = platform
    chain.mine(50)
    await reader.read(provider)
    await pay(50n)
    chain.finalize()
    nodes[0]!.behind = 40
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 50"])
    nodes[1]!.behind = 40
    await expect(reader.read(provider)).rejects.toThrow("before the cursor")
  })

  it("at a URL whose machines lag apart misses nothing", async () => {
    const { chain, nodes } = platform
    await pay(50n)
    chain.finalize()
    nodes[1]!.fault = () => "away"
    const [balancer] = nodes
    balancer!.fault = (method) => {
      balancer!.behind = method === "getSignaturesForAddress" ? 30 : 0
      return undefined
    }
    expect(await reader.read(provider)).toEqual([])
    chain.mine(500)
    expect(await reader.read(provider)).toEqual([])
    balancer!.fault = () => undefined
    balancer!.behind = 0
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 50"])
  })

  it("is not held up by one account that a node cannot show, and reads it later from where it was", async () => {
    const { chain, nodes } = platform
    const other = await issue("dad_2.issue")
    const signature = await pay(50n)
    await pay(60n, other)
    chain.finalize()
    // Such as a transaction of a version that the node does not write.
    for (const node of nodes)
      node.mangle = (method, result, [asked]) => (method === "getTransaction" && asked === signature ? {} : result)
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 60"])
    chain.mine(1000)
    await pay(70n)
    chain.finalize()
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 60"])
    for (const node of nodes) node.mangle = (_, result) => result
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 60", "confirmed 50", "confirmed 70"])
    await balanced()
    expect(stages()).toHaveLength(3)
  })

  it("reports what it has recorded of an account that no node can show any more, before the cursor passes it", async () => {
    const { chain, nodes } = platform
    await pay(50n)
    chain.finalize()
    // The reading records the pay-in, and the engine loses what it was told.
    expect(await reader.read(provider, true)).toHaveLength(1)
    for (const node of nodes)
      node.mangle = (method, result, [asked]) =>
        method === "getSignaturesForAddress" && asked !== platform.hotAccount ? {} : result
    for (let n = 0; n < 3; n++) {
      chain.mine(400)
      await reader.read(provider)
    }
    for (const node of nodes) node.mangle = (_, result) => result
    chain.mine(400)
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 50"])
    await balanced()
  })

  it("is not held up by SOL that somebody sends to where a token account will be", async () => {
    const { chain, mint } = platform
    chain.fund(await deriveTokenAccount(target, mint), SOL)
    chain.finalize()
    expect(await reader.read(provider)).toEqual([])
    await pay(50n)
    chain.finalize()
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 50"])
    await balanced()
  })

  it("by several nodes at once tells each deposit to each, with one content", async () => {
    const providers = await Promise.all([1, 2, 3].map(() => platform.start()))
    const others = await Promise.all([2, 3, 4].map((n) => issue(`dad_${n}.issue`)))
    for (const [n, one] of others.entries()) await pay(BigInt(n + 1), one)
    platform.chain.finalize()
    const readings = await Promise.all(providers.map((one) => run(one.events!.after!(null))))
    platform.chain.mine(100)
    const again = await Promise.all(readings.map(({ cursor }, n) => run(providers[n]!.events!.after!(cursor))))
    const all = new Set([...readings, ...again].flatMap(({ events }) => events.map((event) => JSON.stringify(event))))
    expect(all.size).toBe(3)
    for (const { events } of again) expect(events).toHaveLength(3)
  })

  it("that takes too long goes on where it ended, account by account and slot by slot", async () => {
    provider = await platform.start({ options: { reading_ms: -1 } })
    const others = await Promise.all(Array.from({ length: 20 }, (_, n) => issue(`dad_${n + 2}.issue`)))
    for (const [n, one] of others.entries()) await pay(BigInt(n + 100), one)
    for (let n = 0; n < 30; n++) await pay(BigInt(n + 1))
    platform.chain.finalize()
    const sizes: Array<number> = []
    for (let n = 0; n < 20 && stages().length < 50; n++) {
      sizes.push((await reader.read(provider)).length)
      platform.chain.mine(400)
    }
    expect(Math.max(...sizes)).toBeLessThan(50)
    expect(stages().toSorted()).toEqual(
      [...others.map((_, n) => n + 100), ...Array.from({ length: 30 }, (_, n) => n + 1)]
        .map((amount) => `confirmed ${amount}`)
        .toSorted()
    )
    provider = await platform.start()
    await balanced()
    expect(stages()).toHaveLength(50)
  })

  it("sees what was paid to any of many addresses, and reads the history of those alone that hold money", async () => {
    const addresses = await Promise.all(Array.from({ length: 130 }, (_, n) => issue(`many_${n}.issue`)))
    await pay(3n, addresses[7])
    await pay(4n, addresses[129])
    platform.chain.finalize()
    const calls = () => platform.nodes[0]!.calls.get("getSignaturesForAddress") ?? 0
    const before = calls()
    await reader.read(provider)
    expect(stages().toSorted()).toEqual(["confirmed 3", "confirmed 4"])
    expect(calls() - before).toBe(2)
  })

  it("does not tell of failed transactions, of tokens that left, or of other tokens", async () => {
    const { chain, payer } = platform
    const other = await chain.mint(6)
    await chain.fundTokens(payer.address, other, 100n)
    await chain.pay(payer, other, target, 5n)
    await pay(2_000_000n)
    chain.finalize()
    await reader.read(provider)
    expect(stages()).toEqual([])
  })
})

describe("a list that has everything twice", () => {
  covers("SOLANA-15")
  it.each([
    ["signatures", "getSignaturesForAddress", (list: any) => list.flatMap((one: any) => [one, one])],
    [
      "the balances of a transaction",
      "getTransaction",
      (found: any) =>
        found && {
          ...found,
          meta: {
            ...found.meta,
            preTokenBalances: [...found.meta.preTokenBalances, ...found.meta.preTokenBalances],
            postTokenBalances: [...found.meta.postTokenBalances, ...found.meta.postTokenBalances]
          }
        }
    ],
    [
      "the balances after a transaction",
      "getTransaction",
      (found: any) =>
        found && {
          ...found,
          meta: { ...found.meta, postTokenBalances: found.meta.postTokenBalances.flatMap((one: any) => [one, one]) }
        }
    ]
  ] as const)("brings a payment once: %s", async (_, method, doubled) => {
    for (const node of platform.nodes) node.mangle = (asked, result) => (asked === method ? doubled(result) : result)
    await pay(50n)
    await pay(70n)
    platform.chain.finalize()
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 50", "confirmed 70"])
    await balanced()
    expect(stages()).toHaveLength(2)
  })

  it("of which two say different things decides nothing", async () => {
    const other = (found: any) =>
      found && {
        ...found,
        meta: {
          ...found.meta,
          postTokenBalances: found.meta.postTokenBalances.flatMap((one: any) => [
            one,
            { ...one, uiTokenAmount: { ...one.uiTokenAmount, amount: "99000000" } }
          ])
        }
      }
    for (const node of platform.nodes)
      node.mangle = (asked, result) => (asked === "getTransaction" ? other(result) : result)
    await pay(50n)
    platform.chain.finalize()
    await reader.read(provider)
    expect(stages()).toEqual([])
    for (const node of platform.nodes) node.mangle = (_, result) => result
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 50"])
  })
})

/** Lists of transactions of the token account without those that are hidden: a node without their history. */
const hide = (...hidden: ReadonlyArray<string>): void => {
  for (const node of platform.nodes)
    node.mangle = (method, result) =>
      method === "getSignaturesForAddress"
        ? (result as ReadonlyArray<{ readonly signature: string }>).filter(
            ({ signature }) => !hidden.includes(signature)
          )
        : result
}

describe("a list that lacks a payment", () => {
  covers("SOLANA-16")
  it("is a fault of each reading: nothing is swept of its account, and it is found once the list has it", async () => {
    const { chain } = platform
    const account = await deriveTokenAccount(target, platform.mint)
    hide(await pay(50n))
    chain.finalize()
    for (let n = 0; n < 3; n++) {
      await reader.read(provider)
      expect(reader.fault()).toContain(`${target} holds 50 USDC more than its transactions say`)
      chain.mine(400)
    }
    expect(chain.tokens(account)).toBe(50n * USDC)
    hide()
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 50"])
    await balanced()
    expect(stages()).toEqual(["confirmed 50"])
  })

  it("sweeps what is confirmed and not that payment, also after a sweep has taken as much", async () => {
    const { chain } = platform
    await pay(50n)
    chain.finalize()
    await reader.read(provider)
    await balanced()
    hide(await pay(50n))
    chain.finalize()
    await reader.read(provider)
    await pay(20n)
    chain.finalize()
    await reader.read(provider)
    expect(reader.fault()).toContain("holds 50 USDC more")
    expect(stages()).toEqual(["confirmed 50", "confirmed 20"])
    hide()
    await reader.read(provider)
    await balanced()
    expect(reader.fault()).toBeUndefined()
    expect(stages().toSorted()).toEqual(["confirmed 20", "confirmed 50", "confirmed 50"])
  })

  covers("SOLANA-18")
  it("holds up nothing of other accounts: deposits are credited and swept, and refunds end", async () => {
    const { chain } = platform
    const other = await issue("dad_2.issue")
    hide(await pay(50n))
    await pay(7n, other)
    chain.finalize()
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 7"])
    const [{ payin_id }] = reported() as [PayinEvent]
    const refund = refundOf(payin_id, 3)
    expect(await run(provider.payins!.refund(refund))).toEqual({ _tag: "accepted" })
    for (let n = 0; n < 4; n++) {
      chain.mine(200)
      await reader.read(provider)
    }
    expect([...reader.reported.values()].filter(({ _tag }) => _tag === "refund")).toMatchObject([
      { outcome: "success" }
    ])
    expect(chain.tokens(await deriveTokenAccount(other, platform.mint))).toBe(0n)
    expect(chain.tokens(await deriveTokenAccount(target, platform.mint))).toBe(50n * USDC)
    hide()
    await reader.read(provider)
    await balanced()
    expect(stages().toSorted()).toEqual(["confirmed 50", "confirmed 7"])
  })

  it("is not believed where another node has the whole list", async () => {
    const { chain, nodes } = platform
    const signature = await pay(50n)
    nodes[0]!.mangle = (method, result) => (method === "getSignaturesForAddress" ? [] : result)
    chain.finalize()
    await reader.read(provider)
    expect(reported().map(({ transaction_hash }) => transaction_hash)).toEqual([signature])
  })
})

describe("a rescan", () => {
  covers("CLI-16")
  covers("SOLANA-16")
  it("finds what an account brought that holds nothing any more", async () => {
    const { chain, mint } = platform
    await pay(50n)
    chain.finalize()
    // As if somebody had swept what was never seen.
    await chain.fundTokens(target, mint, 0n)
    chain.mine(400)
    await reader.read(provider)
    chain.mine(400)
    await reader.read(provider)
    expect(stages()).toEqual([])
    await run(provider.events!.rescan!(0))
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 50"])
  })

  it("says what is left to read, and a later one replaces it", async () => {
    const { chain } = platform
    const left = () => run(provider.events!.rescanning!)
    expect(await left()).toBeNull()
    await run(provider.events!.rescan!(0))
    expect(await left()).toBe("1 account is still to be read again, from slot 0 on")
    await run(provider.events!.rescan!(chain.head.slot))
    expect(await left()).toBe(`1 account is still to be read again, from slot ${chain.head.slot} on`)
    await reader.read(provider)
    expect(await left()).toBeNull()
  })

  covers("CLI-16")
  it("from a later slot than the reading has reached skips nothing, and repeated from an earlier one credits nothing twice", async () => {
    const { chain } = platform
    await pay(50n)
    chain.finalize()
    chain.mine(40)
    chain.finalize()
    await run(provider.events!.rescan!(chain.head.slot))
    await reader.read(provider)
    expect(stages()).toEqual(["confirmed 50"])
    for (const from of [0, chain.head.slot, 0]) {
      await run(provider.events!.rescan!(from))
      await reader.read(provider)
    }
    expect(stages()).toEqual(["confirmed 50"])
    await balanced()
  })
})
