/** A store with cells whose schema of the directory does not read the platform's rules and limits, as while another session locks its table. */
import { Context, Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { makeCellsStore } from "../../../src/adapters/storage/cells/cells.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { WallTime } from "../../../src/engine/ports/Time.ts"
import { type Api, operatorToken, startApi } from "../../support/http/server.ts"
import { solana } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

type Store = Storage["Service"]

const memory = Effect.map(Layer.build(MemoryStorage.layer), (built) => Context.get(built, Storage))

/** What the schema of the directory still answers: where a merchant and a key are. */
const answered = new Set(["lookup", "setting", "define", "watch"])

/** A schema whose resources can be away: their methods then fail. `leaves`: they go with its next commit, of which the caller hears. */
const leaving = (store: Store) => {
  const state = { isAway: false, leaves: false }
  const gone = Effect.sync(() => void (state.isAway ||= state.leaves))
  const away = Effect.fail(new StorageFault({ message: "the resources are locked", retryable: false }))
  const shape = Object.fromEntries(
    Object.entries(store).map(([name, member]) => [
      name,
      typeof member !== "function" || answered.has(name)
        ? member
        : (...given: ReadonlyArray<never>) =>
            Effect.suspend(() => {
              if (state.isAway) return away
              const done = (member as (...args: ReadonlyArray<never>) => any)(...given)
              return name === "commit" ? Effect.tap(done, gone) : done
            })
    ])
  ) as unknown as Store
  return { shape, state }
}

/** A server on a store with a cell, in which a merchant has money and somebody to pay. */
const opened = async () => {
  let first: ReturnType<typeof leaving> | undefined
  const layer = Layer.effect(
    Storage,
    Effect.gen(function* () {
      first = leaving(yield* memory)
      return makeCellsStore([first.shape, yield* memory])
    })
  )
  const wall = { ahead_ms: 0 }
  const local = Layer.succeed(
    WallTime,
    Effect.sync(() => Date.now() + wall.ahead_ms)
  )
  const api: Api = await startApi({ rate_per_second: 0 }, layer, { local })
  const make = async (path: string, body: unknown, key: string) => {
    const { json, status, text } = await api.ask(path, { body, key })
    expect(status, text).toBe(200)
    return json.data
  }
  const made = await make(
    "/operator/v1/merchants",
    { name: "Far", country_code: "GH", status: "active" },
    operatorToken
  )
  const key = made.api_key.secret
  const wallet = (await make("/v1/wallets", { currency: "USDC" }, key)).id
  const details = { network: "solana", address: solana }
  const beneficiary = { type: "crypto", name: "Treasury", currency: "USDC", details }
  const { id: beneficiary_id } = await make("/v1/beneficiaries", beneficiary, key)
  await make("/sandbox/deposits", { wallet_id: wallet, amount: "1000" }, key)
  const pay = (amount: string) => api.ask("/v1/transfers", { key, body: { wallet_id: wallet, beneficiary_id, amount } })
  const other = (await make("/v1/wallets", { currency: "USDT" }, key)).id
  const quote = async () => {
    const body = { source_wallet_id: wallet, destination_wallet_id: other, source_amount: "100" }
    const { json, status } = await api.ask("/v1/conversions/quotes", { key, body })
    return [status, json.data?.fee.line_items[0].amount]
  }
  const settle = () => api.ask("/sandbox/settle", { key, body: {} })
  const reserved = async () => (await api.ask(`/v1/wallets/${wallet}`, { key })).json.data.balance.reserved
  return { api, make, state: first!.state, wall, pay, quote, settle, reserved }
}

describe("while the resources of the platform are away, a merchant of a cell", () => {
  let s: Awaited<ReturnType<typeof opened>>
  beforeAll(async () => {
    s = await opened()
  })
  afterAll(() => s.api.close())

  covers("APPROVAL-10", "LIMITS-8")
  it("pays by the rules and limits that the node has read last, for an hour", async () => {
    const operate = (path: string, body: unknown) => s.make(`/operator/v1/${path}`, body, operatorToken)
    await operate("approval-rules", { operations: ["payout"], above: { amount: "50", currency: "USDC" } })
    await operate("limits", {
      scope: "merchant",
      operations: ["payout"],
      currency: "USDC",
      max_amount: "100",
      window: "movement"
    })
    expect((await s.pay("1")).status).toBe(200)
    s.state.isAway = true
    for (const minutes of [0.1, 30, 59]) {
      s.wall.ahead_ms = minutes * 60_000
      const small = await s.pay("2")
      expect([small.status, small.json.meta.approval], small.text).toEqual([200, undefined])
      const waits = await s.pay("60")
      expect(waits.json.meta.approval?.status, waits.text).toBe("pending")
      const over = await s.pay("200")
      expect(over.json.meta.errors?.[0].code, over.text).toBe("limit_exceeded")
    }
    s.wall.ahead_ms = 61 * 60_000
    const late = await s.pay("2")
    expect([late.status, late.json.code], late.text).toEqual([500, "internal_error"])
    s.state.isAway = false
    expect((await s.pay("2")).status).toBe(200)
  })

  covers("APPROVAL-10")
  it("pays nothing by what a node has read long before they were away", async () => {
    expect((await s.pay("2")).status).toBe(200)
    s.state.isAway = true
    s.wall.ahead_ms += 20_000
    const refused = await s.pay("2")
    expect([refused.status, refused.json.code], refused.text).toEqual([500, "internal_error"])
    s.state.isAway = false
    expect((await s.pay("2")).status).toBe(200)
  })

  covers("BRAKE-1")
  it("is paid nothing by a node that set a brake just before they were away", async () => {
    expect((await s.pay("2")).status).toBe(200)
    await s.settle()
    const before = Number(await s.reserved())
    s.state.leaves = true
    await s.make("/operator/v1/brakes", { scope: "all", note: "stop" }, operatorToken)
    expect(s.state.isAway).toBe(true)
    expect((await s.pay("3")).status).toBe(200)
    await s.settle()
    expect(Number(await s.reserved())).toBe(before + 3)
  })

  covers("FEE-2")
  it("is quoted the fee of the schedules that the node has read last, for an hour, and none of one that was changed since", async () => {
    Object.assign(s.state, { isAway: false, leaves: false })
    const schedule = (fixed: string) =>
      s.make("/operator/v1/fee-schedules", { operation: "conversion", fixed }, operatorToken)
    await schedule("1.00")
    expect(await s.quote()).toEqual([200, "1.00"])
    s.state.isAway = true
    for (const minutes of [0.1, 59]) {
      s.wall.ahead_ms += minutes * 60_000
      expect(await s.quote()).toEqual([200, "1.00"])
    }
    s.wall.ahead_ms += 2 * 60_000
    expect(await s.quote()).toEqual([500, undefined])
    s.state.isAway = false
    expect(await s.quote()).toEqual([200, "1.00"])
    s.state.leaves = true
    await schedule("2.00")
    expect(await s.quote()).toEqual([500, undefined])
    Object.assign(s.state, { isAway: false, leaves: false })
    expect(await s.quote()).toEqual([200, "2.00"])
  })
})
