/** Who paid a pay-in on Solana: its refund goes there, so it is named only where it is certain. */
import * as kit from "@solana/kit"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findPayer } from "../../../../src/adapters/provider/solana/credits.ts"
import type { TokenMove } from "../../../../src/adapters/provider/solana/rpc.ts"
import { EMPTY } from "../../../../src/engine/ports/Storage.ts"
import type { PayinEvent, RefundCommand } from "../../../../src/engine/ports/Provider.ts"
import { deriveTokenAccount } from "../../../support/chains/solana-chain.ts"
import {
  issueOf,
  makeReader,
  type ProviderService,
  type SolanaPlatform,
  startPlatform,
  USDC
} from "../../../support/chains/solana-platform.ts"
import { covers } from "../../../support/repository/covers.ts"

const run = Effect.runPromise

covers("SOLANA-12")
describe("the payer of what came into an account", () => {
  interface Told {
    /** By owner, whose account has the same name in small letters. `?`: an account whose owner is not shown. */
    readonly changes: Readonly<Record<string, number>>
    readonly moves?: ReadonlyArray<readonly [from: string, to: string, amount: number]>
    readonly signers?: ReadonlyArray<string>
    readonly payer: string | null
  }
  const cases: Readonly<Record<string, Told>> = {
    "who alone gave": { changes: { BOB: -5, US: 5 }, moves: [["bob", "us", 5]], payer: "BOB" },
    "who alone gave, of whom no transfer is shown": { changes: { BOB: -5, US: 5 }, payer: "BOB" },
    "who alone gave, to others too": { changes: { BOB: -7, CAROL: 2, US: 5 }, moves: [["bob", "us", 5]], payer: "BOB" },
    "whose transfer it was, beside a larger one of another": {
      changes: { ALICE: -100, BOB: -5, CAROL: 100, US: 5 },
      moves: [
        ["alice", "carol", 100],
        ["bob", "us", 5]
      ],
      payer: "BOB"
    },
    "nobody, of two who gave and of whom no transfer is shown": {
      changes: { ALICE: -100, BOB: -5, CAROL: 100, US: 5 },
      payer: null
    },
    "nobody, of two who gave": {
      changes: { ALICE: -3, BOB: -2, US: 5 },
      moves: [
        ["alice", "us", 3],
        ["bob", "us", 2]
      ],
      signers: ["ALICE", "BOB"],
      payer: null
    },
    "nobody, of two who gave, one of whose transfers is not shown": {
      changes: { ALICE: -3, BOB: -2, US: 5 },
      moves: [["alice", "us", 3]],
      signers: ["ALICE", "BOB"],
      payer: null
    },
    "who gave from two accounts": {
      changes: { BOB: -3, BOB2: -2, US: 5 },
      moves: [
        ["bob", "us", 3],
        ["bob2", "us", 2]
      ],
      payer: "BOB"
    },
    "who got it in the same transaction, and signed": {
      changes: { POOL: -5, BOB: 0, US: 5 },
      moves: [
        ["pool", "bob", 5],
        ["bob", "us", 5]
      ],
      signers: ["BOB"],
      payer: "BOB"
    },
    "nobody, where it passed through an account of somebody who did not sign": {
      changes: { BOB: -5, ROUTER: 0, US: 5 },
      moves: [
        ["bob", "router", 5],
        ["router", "us", 5]
      ],
      signers: ["BOB"],
      payer: null
    },
    "who did not sign, and has less: the owner of an account that a program moves": {
      changes: { SAFE: -5, US: 5, ALICE: -1, CAROL: 1 },
      moves: [
        ["safe", "us", 5],
        ["alice", "carol", 1]
      ],
      signers: ["ALICE"],
      payer: "SAFE"
    },
    "nobody, where it was minted": { changes: { US: 5 }, payer: null },
    "nobody, where it was minted beside a payment of another": {
      changes: { ALICE: -100, CAROL: 100, US: 5 },
      moves: [["alice", "carol", 100]],
      payer: null
    },
    "nobody, where the giver's owner is not shown": {
      changes: { "?": -5, US: 5 },
      moves: [["?", "us", 5]],
      payer: null
    },
    "not who moved nothing into it": {
      changes: { ALICE: 0, BOB: -5, US: 5 },
      moves: [
        ["alice", "us", 0],
        ["bob", "us", 5]
      ],
      signers: ["ALICE"],
      payer: "BOB"
    }
  }
  it.each(Object.entries(cases))("is %s", (_, { changes, moves = [], payer, signers = [] }) => {
    const tokens = new Map(
      Object.entries(changes).map(([owner, delta]) => [
        owner.toLowerCase(),
        { mint: "USDC", owner: owner === "?" ? null : owner.replace("2", ""), delta: BigInt(delta) }
      ])
    )
    // Of another token somebody gives more, which says nothing.
    tokens.set("other", { mint: "EURC", owner: "DAVE", delta: -9n })
    const shown = moves.map(
      ([source, destination, amount]): TokenMove => ({ source, destination, amount: BigInt(amount) })
    )
    expect(findPayer({ tokens, moves: shown, signers: new Set(signers) }, "us", tokens.get("us")!)).toBe(payer)
  })
})

covers("SOLANA-12")
describe("a pay-in of a transaction with several payments", () => {
  let platform: SolanaPlatform
  let provider: ProviderService
  let bob: kit.KeyPairSigner
  let carol: string
  let ids = 0
  beforeAll(async () => {
    platform = await startPlatform()
    provider = await platform.start()
    bob = await kit.generateKeyPairSigner()
    carol = (await kit.generateKeyPairSigner()).address
    await platform.chain.fundTokens(bob.address, platform.mint, 1000n * USDC)
    await platform.chain.fundTokens(carol, platform.mint, 0n)
    platform.chain.mine(8)
  })
  afterAll(() => platform.close())

  const refundOf = ({ payin_id }: PayinEvent): RefundCommand => ({
    id: `dep_${++ids}.refund`,
    merchant_id: "mer_1",
    resource_id: `dep_${ids}`,
    statement_reference: "01K6X0J4M60TRT5C",
    payin_id,
    amount: "5",
    currency: "USDC"
  })

  /** Somebody pays CAROL 100 and BOB pays an address 5, as the node shows it. */
  const pay = async (show: (answer: string) => string = (answer) => answer): Promise<PayinEvent> => {
    const { chain, mint, nodes, payer } = platform
    const reader = makeReader()
    const issued = await run(provider.payins!.issue(issueOf(`dad_${++ids}.issue`)))
    if (issued._tag !== "issued") throw new Error(issued._tag)
    const { target } = issued.issued
    await chain.fundTokens(target, mint, 0n)
    chain.mine(1)
    await reader.read(provider)
    nodes[0]!.mangle = (method, result) =>
      method === "getTransaction" ? JSON.parse(show(JSON.stringify(result))) : result
    await chain.payMany(mint, [
      { payer, owner: carol, amount: 100n * USDC },
      { payer: bob, owner: target, amount: 5n * USDC }
    ])
    chain.finalize()
    await reader.read(provider)
    nodes[0]!.mangle = (_, result) => result
    return [...reader.reported.values()].find(
      (event): event is PayinEvent => event._tag === "payin" && event.stage === "confirmed" && event.target === target
    )!
  }
  const balance = async (): Promise<bigint> =>
    platform.chain.tokens(await deriveTokenAccount(bob.address, platform.mint))

  it("is of the one whose transfer brought it, and its refund goes there", async () => {
    const payin = await pay()
    expect(payin).toMatchObject({ amount: "5", from_address: bob.address })
    const before = await balance()
    expect(await run(provider.payins!.refund(refundOf(payin)))).toEqual({ _tag: "accepted" })
    expect(await balance()).toBe(before + 5n * USDC)
  })

  it("is so too where a program made the transfers", async () => {
    const inner = (answer: string): string => {
      const found = JSON.parse(answer)
      found.meta.innerInstructions = [{ index: 0, instructions: found.transaction.message.instructions }]
      found.transaction.message.instructions = []
      return JSON.stringify(found)
    }
    expect(await pay(inner)).toMatchObject({ from_address: bob.address })
  })

  it("is of nobody where the node does not show the transfers, and its refund is rejected", async () => {
    for (const from of ["spl-token program of another id", "no instructions"]) {
      const payin = await pay((answer) => {
        const found = JSON.parse(answer)
        const { message } = found.transaction
        if (from === "no instructions") delete message.instructions
        else for (const one of message.instructions) one.programId = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
        found.meta.innerInstructions = null
        return JSON.stringify(found)
      })
      expect(payin.from_address).toBeNull()
      expect(await run(provider.payins!.refund(refundOf(payin)))).toEqual({
        _tag: "rejected",
        reason: "the payer of the pay-in is not known",
        refundable: false
      })
    }
  })

  it("is of nobody where the account that paid has another owner after it", async () => {
    const payin = await pay((answer) => {
      const found = JSON.parse(answer)
      for (const one of found.meta.postTokenBalances) if (one.owner === bob.address) one.owner = platform.payer.address
      return JSON.stringify(found)
    })
    expect(payin.from_address).toBeNull()
  })

  it("that a build before has recorded as that of whoever gave most is refunded to the one who paid", async () => {
    const { nodes, payer, storage } = platform
    const payin = await pay()
    const [row] = (
      await run(storage.list({ kinds: ["solana_payin"], index_keys: ["adapter=solana"], offset: 0, limit: 100 }))
    ).items.filter(({ id }) => id.endsWith(payin.payin_id))
    const { payer: _, ...data } = row!.data as Readonly<Record<string, unknown>>
    const { merchant_id, updated_at: at } = row!
    const earlier = {
      ...row!,
      version: row!.version + 1,
      data: { ...data, from_address: payer.address },
      via: "solana",
      from: row!.state
    }
    expect((await run(storage.commit({ ...EMPTY, merchant_id, at, rows: [earlier] })))._tag).toBe("Committed")
    nodes[0]!.mangle = (method, result) => (method === "getTransaction" ? null : result)
    const command = refundOf(payin)
    expect((await run(Effect.flip(provider.payins!.refund(command)))).message).toContain("shows who paid")
    nodes[0]!.mangle = (_method, result) => result
    const before = await balance()
    expect(await run(provider.payins!.refund(command))).toEqual({ _tag: "accepted" })
    expect(await balance()).toBe(before + 5n * USDC)
  })
})
