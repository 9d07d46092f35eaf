/**
 * The client behind a proxy that loses, breaks, delays and repeats requests and responses: each creation has one effect, and what
 * the client says of its outcome is true. A failure names its seed.
 */
import { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../src/adapters/storage/memory.ts"
import {
  type ClientOptions,
  type Corridor,
  CorridorConnectionError,
  CorridorError,
  createClient,
  type Transfer
} from "../../src/client/index.ts"
import { type Api, startApi } from "../support/http/server.ts"
import { faults, faultyProxy, type ProxyFault } from "../support/http/faulty-proxy.ts"
import { covers } from "../support/repository/covers.ts"
import { freshPglite } from "../support/stores/pglite.ts"

const timeoutMs = 400

/** Waits between attempts are short. */
const environment: ClientOptions["environment"] = {
  after: (ms, run) => {
    const timer = setTimeout(run, ms === timeoutMs ? ms : ms / 100)
    return () => clearTimeout(timer)
  }
}

type Known = { readonly transfer: Transfer } | { readonly error: CorridorError | CorridorConnectionError }

const knownOf = (call: Promise<Transfer>): Promise<Known> =>
  call.then(
    (transfer) => ({ transfer }),
    (error: unknown) => {
      if (error instanceof CorridorError || error instanceof CorridorConnectionError) return { error }
      throw error
    }
  )

const open = { memory: async () => MemoryStorage.layer, pglite: async () => Layer.orDie(await freshPglite()) }

covers("CLIENT-1", "CLIENT-3")
describe.each([
  ["memory", ["one", "two", "three", "four"]],
  ["pglite", ["five"]]
] as const)("behind a proxy that fails, on %s", (store, seeds) => {
  let api: Api
  let direct: Corridor
  const made = new Map<ProxyFault, number>()
  beforeAll(async () => {
    api = await startApi({ rate_per_second: 0 }, await open[store]())
    direct = createClient({ baseUrl: api.base, apiKey: api.key })
  })
  afterAll(() => api.close())

  const calls = 60
  it.each(seeds)("each transfer is made once, and no outcome is invented: %s", async (seed) => {
    const proxy = await faultyProxy(api.port, seed, { lateMs: timeoutMs * 1.5 })
    const wallet = await direct.wallets.create({ currency: "USDC" })
    const payee = await direct.beneficiaries.create({
      type: "crypto",
      name: "Treasury",
      currency: "USDC",
      details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
    })
    await direct.sandbox.deposit({ wallet_id: wallet.id, amount: "1000.00" })
    const options = { baseUrl: proxy.url, apiKey: api.key, timeoutMs, maxRetries: 2, environment }
    const corridor = createClient(options)

    /** Every seventh is refused: it has no wallet that could pay it. */
    const inputOf = (call: number) => ({
      wallet_id: wallet.id,
      beneficiary_id: payee.id,
      amount: call % 7 === 6 ? "5000.00" : "1.00",
      metadata: { call: String(call) }
    })
    const known: Array<Known> = []
    const caller = async (first: number): Promise<void> => {
      for (let call = first; call < calls; call += 6)
        known[call] = await knownOf(corridor.transfers.create(inputOf(call)))
    }
    await Promise.all([0, 1, 2, 3, 4, 5].map(caller))
    await proxy.close()
    for (const [fault, times] of proxy.made) made.set(fault, (made.get(fault) ?? 0) + times)

    const found = async (): Promise<ReadonlyMap<number, ReadonlyArray<string>>> => {
      const rows: Array<Transfer> = []
      for await (const transfer of direct.transfers.list({ wallet_id: wallet.id, per_page: 25 })) rows.push(transfer)
      const byCall = Map.groupBy(rows, ({ metadata }) => Number(metadata["call"]))
      return new Map([...byCall].map(([call, of]) => [call, of.map(({ id }) => id)]))
    }

    const first = await found()
    let unknown = 0
    for (let call = 0; call < calls; call++) {
      const one = known[call]!
      const ids = first.get(call) ?? []
      const about = `seed ${seed}, call ${call}: ${JSON.stringify(one)}`
      if ("transfer" in one) expect(ids, about).toEqual([one.transfer.id])
      else if (one.error.outcome === "none") {
        expect(ids, about).toEqual([])
        if (one.error instanceof CorridorError)
          expect([one.error.code, call % 7], about).toEqual(["ledger_insufficient_funds", 6])
      } else {
        unknown++
        expect(ids.length, about).toBeLessThanOrEqual(1)
        // As the message says: the same key tells what became of it.
        const again = await knownOf(
          direct.transfers.create(inputOf(call), { idempotencyKey: one.error.idempotencyKey })
        )
        if (call % 7 === 6)
          expect(again, about).toMatchObject({ error: { code: "ledger_insufficient_funds", outcome: "none" } })
        else if (ids.length === 1) expect(again, about).toMatchObject({ transfer: { id: ids[0] } })
        else expect(again, about).toHaveProperty("transfer")
      }
    }
    expect(unknown).toBeLessThan(calls)

    const last = await found()
    const paid = Array.from({ length: calls }, (_, call) => call).filter((call) => call % 7 !== 6)
    expect([...last.keys()].toSorted((a, b) => a - b)).toEqual(paid)
    for (const [call, ids] of last) expect(ids, `seed ${seed}, call ${call}`).toHaveLength(1)
    const { balance } = await direct.wallets.get(wallet.id)
    expect(balance.available).toBe(`${1000 - paid.length}.00`)
  })

  it("has met every fault", () => {
    if (seeds.length > 1) expect([...made.keys()].toSorted()).toEqual([...faults].toSorted())
  })
})
