/** Entries of earlier releases, which belonged to the merchants. */
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../../src/adapters/storage/memory.ts"
import { EMPTY, type Row, Storage } from "../../../../src/engine/ports/Storage.ts"
import { StorageFault } from "../../../../src/engine/ports/errors.ts"
import { refundOf } from "../../../support/chains/refunding-chains.ts"
import {
  issueOf,
  makeReader,
  payout,
  type ProviderService,
  type SolanaPlatform,
  startPlatform,
  stranger,
  USDC,
  makeWatchedSigner
} from "../../../support/chains/solana-platform.ts"
import { covers } from "../../../support/repository/covers.ts"

const run = Effect.runPromise
const kinds = ["solana_outgoing", "solana_address", "solana_payin"]

describe("an entry that an earlier release has written", () => {
  covers("SOLANA-1", "SOLANA-12", "SOLANA-18")
  let platform: SolanaPlatform
  let provider: ProviderService
  beforeEach(async () => {
    platform = await startPlatform()
    provider = await platform.start()
  })
  afterEach(() => platform.close())

  /** Writes the rows of the platform as an earlier release does: they belong to `merchant_id`. */
  const writeEarlier = async (store: Storage["Service"], merchant_id: string): Promise<void> => {
    const { items } = await run(platform.storage.list({ kinds, index_keys: [], offset: 0, limit: 1000 }))
    const open = (row: Row) => row.index_keys.filter((key) => key === "open=yes")
    const rows = items.map((row) => ({
      ...row,
      merchant_id,
      version: 1,
      index_keys: ["provider=solana", ...open(row)],
      via: "solana",
      from: null
    }))
    for (const row of rows) await run(store.commit({ ...EMPTY, merchant_id, at: row.created_at, rows: [row] }))
  }
  /** A node of this release over such a store. `signatures`: what it has signed. */
  const upgraded = async (
    merchant_id: string,
    change: (store: Storage["Service"]) => Storage["Service"] = (s) => s
  ) => {
    const node = { signatures: 0 }
    const store = await run(Effect.provide(Storage, MemoryStorage.layer))
    await writeEarlier(store, merchant_id)
    const storage = change(store)
    const before = Effect.sync(() => {
      node.signatures += 1
    })
    return Object.assign(node, {
      store,
      provider: await platform.start({ storage, signer: makeWatchedSigner({ before }) })
    })
  }
  const address = async (): Promise<string> => {
    const issued = await run(provider.payins!.issue(issueOf("dad_1.issue")))
    if (issued._tag !== "issued") throw new Error(JSON.stringify(issued))
    return issued.issued.target
  }

  it.each(["lookup", "submit"] as const)("of a payout in flight: a %s signs nothing again", async (first) => {
    platform.chain.automatic = false
    const command = payout("tfr_1.payout", await stranger(), "5")
    expect(await run(provider.payouts!.submit(command))).toEqual({ _tag: "accepted" })
    const node = await upgraded("mer_1")
    const { lookup, submit } = node.provider.payouts!
    if (first === "lookup") expect(await run(lookup(command))).toEqual({ _tag: "pending" })
    else expect(await run(submit(command))).toEqual({ _tag: "accepted" })
    expect(await run(node.provider.payouts!.submit({ ...command, attempt: 1 }))).toEqual({ _tag: "accepted" })
    platform.chain.mine(1)
    platform.chain.finalize()
    expect(await makeReader().read(node.provider)).toMatchObject([{ resource_id: "tfr_1", outcome: "success" }])
    expect(node.signatures).toBe(0)
  })

  it("of a payout, after this release found nothing of it: nothing is signed again", async () => {
    platform.chain.automatic = false
    const node = await upgraded("mer_1")
    const command = payout("tfr_1.payout", await stranger(), "5")
    const { lookup, submit } = node.provider.payouts!
    expect(await run(lookup(command))).toEqual({ _tag: "absent" })
    expect(await run(provider.payouts!.submit({ ...command, attempt: 1 }))).toEqual({ _tag: "accepted" })
    await writeEarlier(node.store, "mer_1")
    expect(await run(lookup({ ...command, attempt: 1 }))).toEqual({ _tag: "pending" })
    expect(await run(submit({ ...command, attempt: 2 }))).toEqual({ _tag: "accepted" })
    expect(node.signatures).toBe(0)
  })

  it("of an address: it is watched, what it brought is swept once, and its pay-in is no other one", async () => {
    const { chain, mint, payer, hotAccount } = platform
    const target = await address()
    const reader = makeReader()
    await reader.read(provider)
    await chain.pay(payer, mint, target, 4n * USDC)
    chain.mine(1)
    chain.finalize()
    const earlier = await reader.read(provider)
    expect(earlier).toMatchObject([{ stage: "confirmed", amount: "4" }])
    const node = await upgraded("mer_1")
    const had = chain.tokens(hotAccount)
    await chain.pay(payer, mint, target, 3n * USDC)
    for (let round = 0; round < 6; round++) {
      chain.mine(200)
      chain.finalize()
      await reader.read(node.provider)
      expect(reader.fault()).toBeUndefined()
    }
    const confirmed = [...reader.reported.values()].filter((one) => one._tag === "payin" && one.stage === "confirmed")
    expect(confirmed.map((one) => (one as { readonly amount: string }).amount)).toEqual(["4", "3"])
    expect(chain.tokens(hotAccount) - had).toBe(7n * USDC)
    expect(await run(node.provider.addresses!.owns!("solana", target))).toBe(true)
  })

  it("of a refund: what it takes of its pay-in counts, and its end is told", async () => {
    const { chain, mint, payer } = platform
    await chain.pay(payer, mint, await address(), 9n * USDC)
    chain.mine(1)
    chain.finalize()
    const reader = makeReader()
    const [payin] = await reader.read(provider)
    const { payin_id } = payin as { readonly payin_id: string }
    chain.automatic = false
    const command = refundOf(payin_id, 9, { merchant_id: "mer_1" })
    expect(await run(provider.payins!.refund(command))).toEqual({ _tag: "accepted" })
    const node = await upgraded("mer_1")
    const { lookupRefund, refund } = node.provider.payins!
    // An operator refunds it for the platform.
    const another = refundOf(payin_id, 1, { merchant_id: "mer_platform" })
    expect(await run(refund(another))).toMatchObject({
      _tag: "rejected",
      reason: "the refunds would exceed the pay-in"
    })
    expect(await run(lookupRefund(command))).toEqual({ _tag: "pending" })
    chain.mine(1)
    chain.finalize()
    expect(await run(refund(command))).toMatchObject({ _tag: "settled", outcome: { outcome: "success" } })
    expect(node.signatures).toBe(0)
  })

  it("of a merchant whose database is away holds up no other one's", async () => {
    const { chain, mint, payer } = platform
    const away = new StorageFault({ message: "away", retryable: true })
    let isAway = false
    const node = await upgraded("mer_1", (store) => ({
      ...store,
      list: (query) => (isAway && query.merchant_id !== "mer_platform" ? Effect.fail(away) : store.list(query)),
      find: (kind, id) => (isAway ? Effect.fail(away) : store.find(kind, id)),
      get: (keys) => (isAway && keys.some((key) => key.merchant_id === "mer_1") ? Effect.fail(away) : store.get(keys))
    }))
    isAway = true
    const issued = await run(node.provider.payins!.issue(issueOf("dad_2.issue", { merchant_id: "mer_2" })))
    if (issued._tag !== "issued") throw new Error(JSON.stringify(issued))
    await chain.pay(payer, mint, issued.issued.target, USDC)
    chain.mine(1)
    chain.finalize()
    expect(await makeReader().read(node.provider)).toMatchObject([{ stage: "confirmed", amount: "1" }])
  })
})
