/** Limits of acts over HTTP: every word counts, and an act over a limit with the action `approve` waits (LIMITS-2, LIMITS-10). */
import { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { entries } from "../../../src/engine/operations.ts"
import type { Storage } from "../../../src/engine/ports/Storage.ts"
import type { AnyOperation } from "../../../src/engine/calls/operation.ts"
import { startApi } from "../../support/http/server.ts"
import { type Stock, stockOf } from "../../support/http/stocked-server.ts"
import { catalogue, onrampQuote, type Request } from "../../support/http/successful-requests.ts"
import { covers } from "../../support/repository/covers.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { storesHere } from "../../support/engines/every-store.ts"

const opened: Readonly<Record<string, () => Promise<Layer.Layer<Storage>>>> = {
  memory: async () => MemoryStorage.layer,
  postgres: async () => Layer.orDie(PostgresStorage.layer({ url: await freshDatabase(), connections: 6 }))
}
const limits = "/operator/v1/limits"
const approvals = "/operator/v1/approvals"
const week = { rolling: "P7D" }

/** Runs with a limit, which is disabled after it. An empty `id`: the merchant of the stock. */
const within = async (s: Stock, limit: object, run: (id: string) => Promise<void>): Promise<void> => {
  const body = { scope: "platform", window: week, ...limit }
  const of = "id" in limit && limit.id === "" ? { id: s.api.merchant_id } : {}
  const made = await s.operate(limits, { body: { ...body, ...of } })
  expect(made.status, made.text).toBe(200)
  const { id } = made.json.data
  try {
    await run(id)
  } finally {
    const ended = await s.operate(`${limits}/${id}`, { method: "PATCH", body: { status: "disabled" } })
    expect(ended.json.data?.status, ended.text).toBe("disabled")
  }
}

/** The words of acts that move no money by themselves, in an order in which rules that a request makes cover nothing after them. */
const words = [
  "batch",
  "break_resolution",
  "fee_schedule",
  "operator",
  "api_key",
  "merchant",
  "brake_release",
  "approval_rule"
]

const wordOf = ({ action: word }: AnyOperation): unknown =>
  typeof word === "function" ? "break_resolution" : typeof word === "object" ? word[0] : word

describe("the table of operations, under limits,", () => {
  let s: Stock
  beforeAll(async () => {
    s = await stockOf(await startApi({ rate_per_second: 0 }))
  })
  afterAll(() => s.api.close())

  /** Two requests of an operation. The catalogue's change of a merchant changes nothing, and is no act. */
  const prepared = async (id: string): Promise<readonly [Request, Request]> => {
    const [one, two] = [await catalogue[id]!(s), await catalogue[id]!(s)]
    return id === "updateMerchant" ? [{ ...one, body: { status: "suspended" } }, two] : [one, two]
  }

  covers("LIMITS-2", "LIMITS-5")
  it.each(words)("counts each act of the word %s, and refuses what is over", async (word) => {
    const operations = entries.flatMap(({ operation }) =>
      wordOf(operation) === word && operation.fileMax === undefined ? [operation] : []
    )
    expect(operations.length).toBeGreaterThan(0)
    for (const { area, id } of operations) {
      const [first, second] = await prepared(id)
      // What a merchant reads has the sums of its own limits alone.
      const scope = area === "v1" ? { scope: "merchant", id: s.api.merchant_id } : {}
      await within(s, { ...scope, operations: [word], max_count: 1 }, async (limit_id) => {
        const { path, ...options } = first!
        const done = await s.api.ask(path, options)
        expect([id, done.status], done.text).toEqual([id, 200])
        expect((await s.operate(`${limits}/${limit_id}`)).json.data.used_count, id).toBe(1)
        const { path: other, ...more } = second!
        const refused = await s.api.ask(other, more)
        expect([id, refused.status, refused.json.code], refused.text).toEqual([id, 400, "invalid_input"])
        expect(refused.json.meta.errors[0]).toMatchObject({ code: "limit_exceeded", limit_id, max: 1, used: 1 })
        const { resets_at } = refused.json.meta.errors[0]
        expect(resets_at).toMatch(/Z$/)
        expect(refused.json.meta.next_steps.action).toMatch(new RegExp(`^Wait until ${resets_at} and send`))
        expect((await s.operate(`${limits}/${limit_id}`)).json.data.used_count).toBe(1)
      })
    }
  })

  it("counts limits themselves: a limit over them gives way when its window has passed", async () => {
    const limit = { scope: "platform", operations: ["payout"], max_count: 9, window: week }
    const { id } = (
      await s.operate(limits, { body: { ...limit, operations: ["limit"], max_count: 1, window: { rolling: "PT1H" } } })
    ).json.data
    expect((await s.operate(limits, { body: limit })).status).toBe(200)
    const refused = await s.operate(`${limits}/${id}`, { method: "PATCH", body: { status: "disabled" } })
    expect(refused.json.meta.errors?.[0], refused.text).toMatchObject({ code: "limit_exceeded", limit_id: id })
    await s.make("/sandbox/clock/advance", { seconds: 3700 })
    expect((await s.operate(`${limits}/${id}`, { method: "PATCH", body: { status: "disabled" } })).status).toBe(200)
  })

  it("counts each row of a file, and refuses those that are over", async () => {
    const [one, two] = [await catalogue["resolveBreak"]!(s), await catalogue["resolveBreak"]!(s)]
    const ids = [one, two].map(({ path }) => path.split("/")[4])
    await within(s, { operations: ["break_resolution"], max_count: 1 }, async (limit_id) => {
      const { path, ...options } = await catalogue["resolveBreaks"]!(s)
      const raw = new TextEncoder().encode(`id,action,note\n${ids.map((id) => `${id},dismiss,seen`).join("\n")}\n`)
      const { data } = (await s.api.ask(path, { ...options, raw })).json
      expect(data).toMatchObject({ succeeded: 1, failed: 1, waiting: 0 })
      expect(data.rows[1].result).toContain(limit_id)
    })
  })
})

describe.each(storesHere(Object.keys(opened)))("acts under limits, on %s,", (store) => {
  let s: Stock
  let tokens: Readonly<Record<"ada" | "bisi" | "sam", string>>
  beforeAll(async () => {
    s = await stockOf(await startApi({ rate_per_second: 0 }, await opened[store]!()))
    const operator = async (name: string, role: string): Promise<string> =>
      (await s.operate("/operator/v1/operators", { body: { name, email: `${name}.${store}@limits.example`, role } }))
        .json.data.token
    tokens = {
      ada: await operator("ada", "admin"),
      bisi: await operator("bisi", "admin"),
      sam: await operator("sam", "support")
    }
  })
  afterAll(() => s.api.close())

  const as = (who: keyof typeof tokens, path: string, body?: unknown) => s.api.ask(path, { key: tokens[who], body })
  const decide = (who: keyof typeof tokens, id: string, verb = "approve") =>
    as(who, `${approvals}/${id}/${verb}`, { note: "checked" })
  const pay = (amount: string, query = "") =>
    s.api.ask(`/v1/transfers${query}`, { body: { wallet_id: s.wallet, beneficiary_id: s.crypto, amount } })
  const used = async (id: string) => {
    const { data } = (await s.operate(`${limits}/${id}`)).json
    return data.used_amount ?? data.used_count
  }
  let people = 0
  const person = () => ({ name: "Chi", email: `${++people}.${store}@people.example`, role: "viewer" })
  const own = { scope: "merchant", id: "" }
  const payouts = { ...own, operations: ["payout"], currency: "USDC", max_amount: "10", action: "approve" }

  covers("LIMITS-3")
  it("any number of callers never pass the limit of a number of acts", async () => {
    await within(s, { operations: ["operator"], max_count: 5 }, async (id) => {
      const all = await Promise.all(
        Array.from({ length: 14 }, () => s.operate("/operator/v1/operators", { body: person() }))
      )
      expect(all.filter(({ status }) => status === 200).length).toBe(5)
      expect(all.filter(({ json }) => json.meta.errors?.[0].code === "limit_exceeded").length).toBe(9)
      expect(await used(id)).toBe(5)
    })
  })

  covers("LIMITS-2")
  it("a key counts by itself, and an amount counts nothing of an act that has none", async () => {
    const key = (await s.make("/v1/api-keys", { role: "admin" })).id
    await within(s, { scope: "api_key", operations: ["api_key"], max_count: 1 }, async () => {
      const made = () => s.api.ask("/v1/api-keys", { body: { role: "viewer" } })
      const first = await made()
      expect(first.status, first.text).toBe(200)
      expect((await made()).json.meta.errors[0].code).toBe("limit_exceeded")
      await s.operate(`/operator/v1/merchants/${s.other_merchant_id}/api-keys`, { body: { role: "viewer" } })
      await s.api.ask(`/v1/api-keys/${first.json.data.id}`, { method: "DELETE" })
    })
    const none = { operations: ["api_key"], currency: "USD", max_amount: "0.01" }
    await within(s, none, async (id) => {
      expect((await s.api.ask(`/v1/api-keys/${key}`, { method: "DELETE" })).status).toBe(200)
      expect(await used(id)).toBe("0.00")
    })
  })

  covers("LIMITS-7")
  it("shows an operator what one merchant, wallet or key uses of the limit of each", async () => {
    const each = { operations: ["payout"], currency: "USDC", max_amount: "100" }
    await within(s, { ...each, scope: "merchant" }, async (merchants) => {
      await within(s, { ...each, scope: "wallet" }, async (wallets) => {
        await within(s, { ...each, scope: "merchant", id: s.api.merchant_id }, async (own) => {
          expect((await pay("3")).status).toBe(200)
          const used = async (by: string) => {
            const { data, meta } = (await s.operate(`${limits}?status=active&${by}`)).json
            const of = (id: string) => data.find((one: { id: string }) => one.id === id)?.used_amount
            return [meta.total, of(merchants), of(wallets), of(own)]
          }
          expect(await used("")).toEqual([3, null, null, "3.00"])
          expect(await used(`used_by=${s.api.merchant_id}`)).toEqual([3, "3.00", null, "3.00"])
          expect(await used(`used_by=${s.other_merchant_id}`)).toEqual([3, "0.00", null, "3.00"])
          expect(await used(`used_by=${s.wallet}`)).toEqual([3, null, "3.00", "3.00"])
          expect(await used(`used_by=wal_${"0".repeat(26)}`)).toEqual([0, undefined, undefined, undefined])
          expect(await used("used_by=nobody")).toEqual([0, undefined, undefined, undefined])
        })
      })
    })
  })

  covers("LIMITS-10")
  it("a payout over a limit waits, counts when it is approved, and the limit does not stop the approval", async () => {
    await within(s, payouts, async (id) => {
      expect((await pay("6")).json.meta.approval).toBeUndefined()
      const dry = (await pay("6", "?dry_run=true")).json.meta.dry_run
      expect(dry.approval).toEqual({ operation: "transfer", needed: 1 })
      expect(dry.limits).toMatchObject([{ limit_id: id, action: "approve", used: "12.00" }])
      const over = await pay("6")
      expect([over.status, over.json.data.status], over.text).toEqual([200, "processing"])
      expect(over.json.meta.approval).toMatchObject({
        operation: "transfer",
        resource_id: over.json.data.id,
        needed: 1,
        status: "pending",
        limit_ids: [id]
      })
      expect(await used(id)).toBe("6.00")
      await s.settle()
      const timeline = async (path: string, key?: string) =>
        (await s.api.ask(path, key === undefined ? {} : { key })).json.data
      const shown = (await s.operate(`/operator/v1/resources/${over.json.data.id}/timeline`)).json.data
      expect(shown.explanation).toMatchObject({ reason: "limit_exceeded", message: expect.stringContaining(id) })
      expect(shown.waits_for.sentence).toContain(id)
      const own = await timeline(`/v1/transfers/${over.json.data.id}/timeline`)
      expect(own.waits_for).toMatchObject({ reason: "awaiting_approval" })
      const { id: approval } = over.json.meta.approval
      expect((await decide("sam", approval)).json.code).toBe("forbidden")
      expect((await s.operate(`${approvals}/${approval}/approve`, { body: {} })).json.code).toBe("forbidden")
      expect((await decide("bisi", approval)).json.data.status).toBe("approved")
      expect(await used(id)).toBe("12.00")
      await s.settle()
      await s.make("/sandbox/outcomes", { resource_id: over.json.data.id, outcome: "failed" })
      expect(await used(id)).toBe("6.00")
    })
  })

  covers("LIMITS-10")
  it("counts in the window in which it is approved, and is given back there", async () => {
    await within(s, { ...payouts, window: { rolling: "PT1H" } }, async (id) => {
      const { data, meta } = (await pay("11")).json
      await s.make("/sandbox/clock/advance", { seconds: 2 * 3600 })
      expect((await decide("ada", meta.approval.id)).json.data.status).toBe("approved")
      expect(await used(id)).toBe("11.00")
      const next = (await pay("1")).json
      expect(next.meta.approval).toMatchObject({ limit_ids: [id] })
      await decide("ada", next.meta.approval.id, "decline")
      await s.settle()
      await s.make("/sandbox/outcomes", { resource_id: data.id, outcome: "failed" })
      expect(await used(id)).toBe("0.00")
    })
  })

  it("declined or expired, it fails with its money back, and counts nothing", async () => {
    await within(s, payouts, async (id) => {
      const balance = async () => JSON.stringify((await s.api.ask(`/v1/wallets/${s.wallet}`)).json.data.balance)
      const before = await balance()
      const [one, two] = [await pay("11"), await pay("12")]
      expect((await decide("ada", one.json.meta.approval.id, "decline")).json.data.status).toBe("declined")
      await s.make("/sandbox/clock/advance", { seconds: 24 * 3600 + 60 })
      for (const { json } of [one, two]) {
        const { data } = (await s.api.ask(`/v1/transfers/${json.data.id}`)).json
        expect([data.status, data.failure_reason]).toEqual(["failed", "cancelled"])
      }
      expect(await balance()).toBe(before)
      expect(await used(id)).toBe("0.00")
    })
  })

  it("of many payouts at once, those that fit pass and the others wait", async () => {
    await within(s, { ...payouts, max_amount: "5" }, async (id) => {
      const all = await Promise.all(Array.from({ length: 12 }, () => pay("1")))
      expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
      const waiting = all.filter(({ json }) => json.meta.approval !== undefined)
      expect(waiting.length).toBe(7)
      expect(await used(id)).toBe("5.00")
      const decided = await Promise.all(waiting.map(({ json }) => decide("ada", json.meta.approval.id)))
      expect(decided.map(({ json }) => json.data?.status)).toEqual(waiting.map(() => "approved"))
      expect(await used(id)).toBe("12.00")
    })
  })

  it("a limit that refuses stops what another lets wait, and a rule and a limit are one approval", async () => {
    await within(s, payouts, async (id) => {
      await within(s, { ...payouts, action: "refuse", max_amount: "20" }, async (stops) => {
        expect((await pay("21")).json.meta.errors[0]).toMatchObject({ code: "limit_exceeded", limit_id: stops })
      })
      const rule = { operations: ["payout"], approvals: 2, roles: ["admin"], expires_after: "PT1H" }
      const { id: ruled } = (await s.operate("/operator/v1/approval-rules", { body: rule })).json.data
      const { json } = await pay("11")
      await s.operate(`/operator/v1/approval-rules/${ruled}`, { method: "DELETE" })
      expect(json.meta.approval).toMatchObject({ needed: 2, limit_ids: [id] })
      expect((await decide("ada", json.meta.approval.id)).json.data.status).toBe("pending")
      expect((await decide("bisi", json.meta.approval.id, "decline")).json.data.status).toBe("declined")
    })
  })

  it("an operator's act over a limit waits for another, and is done although the limit is over", async () => {
    await within(s, { operations: ["operator"], max_count: 1, action: "approve" }, async (id) => {
      expect((await as("ada", "/operator/v1/operators", person())).json.meta.approval).toBeUndefined()
      const wanted = person()
      const dry = await as("ada", "/operator/v1/operators?dry_run=true", wanted)
      expect(dry.json.meta.dry_run.approval, dry.text).toEqual({ operation: "operator", needed: 1 })
      const waits = await as("ada", "/operator/v1/operators", wanted)
      expect([waits.status, waits.json.meta.approval?.status], waits.text).toEqual([200, "pending"])
      expect(waits.json.meta.approval).toMatchObject({ operation: "operator", limit_ids: [id], needed: 1 })
      expect(await used(id)).toBe(1)
      expect((await decide("ada", waits.json.meta.approval.id)).json.code).toBe("forbidden")
      const done = await decide("bisi", waits.json.meta.approval.id)
      expect(done.json.data, done.text).toMatchObject({ status: "approved", refusal: null })
      expect(done.json.data.resource_id).toMatch(/^opr_/)
      expect(await used(id)).toBe(2)
    })
  })

  covers("LIMITS-10")
  it("an approval passes the limits that it names, and no other, whichever room is left when it is done", async () => {
    const limit = { operations: ["adjusting_entry"], currency: "USDC", max_amount: "100", action: "approve" }
    const entry = { from: "suspense", to: "world:simulated", amount: "60", currency: "USDC", note: "sent back" }
    const post = () => as("bisi", "/operator/v1/adjusting-entries", entry)
    const rule = { operations: ["adjusting_entry"], roles: ["support"] }
    await within(s, limit, async (id) => {
      const { id: ruled } = (await s.operate("/operator/v1/approval-rules", { body: rule })).json.data
      const waiting = []
      for (let n = 0; n < 3; n++) waiting.push((await post()).json.meta.approval)
      expect(waiting.map(({ limit_ids }) => limit_ids)).toEqual([[], [], []])
      expect((await decide("sam", waiting[0].id)).json.data).toMatchObject({ status: "approved", refusal: null })
      expect(await used(id)).toBe("60.00")
      for (const one of waiting.slice(1)) {
        const dry = await as("sam", `${approvals}/${one.id}/approve?dry_run=true`, {})
        const late = (await decide("sam", one.id)).json.data
        expect(late).toMatchObject({ status: "expired", refusal: { code: "invalid_input" }, resource_id: null })
        expect(late.refusal.message).toContain(id)
        expect([dry.json.data.status, dry.json.data.refusal]).toEqual(["expired", late.refusal])
      }
      expect(await used(id)).toBe("60.00")
      // Asked for again it waits for both, and the limit asks for those who may do it.
      const again = (await post()).json.meta.approval
      expect(again.limit_ids).toEqual([id])
      expect((await decide("sam", again.id)).json.code).toBe("forbidden")
      expect((await decide("ada", again.id)).json.data).toMatchObject({ status: "approved", refusal: null })
      expect(await used(id)).toBe("120.00")
      await s.operate(`/operator/v1/approval-rules/${ruled}`, { method: "DELETE" })
    })
  })

  covers("LIMITS-10")
  it("a limit that refuses by the time of the approval stops an act, and no payout: that was made before", async () => {
    const refuse = (id: string) => s.operate(`${limits}/${id}`, { method: "PATCH", body: { action: "refuse" } })
    await within(s, { operations: ["operator"], max_count: 1, action: "approve" }, async (id) => {
      await as("ada", "/operator/v1/operators", person())
      const { approval } = (await as("ada", "/operator/v1/operators", person())).json.meta
      expect((await refuse(id)).status).toBe(200)
      const done = (await decide("bisi", approval.id)).json.data
      expect(done).toMatchObject({ status: "expired", refusal: { code: "invalid_input" }, resource_id: null })
      expect(done.refusal.message).toContain(id)
      expect(await used(id)).toBe(1)
    })
    await within(s, payouts, async (id) => {
      const { data, meta } = (await pay("11")).json
      await refuse(id)
      const done = (await decide("ada", meta.approval.id)).json.data
      const now = (await s.api.ask(`/v1/transfers/${data.id}`)).json.data
      expect([done.status, now.status, await used(id)]).toEqual(["approved", "processing", "11.00"])
    })
  })

  covers("LIMITS-10")
  it("what operators have approved over a limit passes it, too, when the merchant approves it after them", async () => {
    const onramps = { ...own, operations: ["onramp"], max_count: 1, action: "approve" }
    const key = await s.make("/v1/api-keys", { role: "approver", person: "another" })
    await within(s, onramps, async (id) => {
      expect((await s.api.ask("/v1/onramps", { body: { quote_id: await onrampQuote(s) } })).status).toBe(200)
      const { id: ruled } = await s.make("/v1/approval-rules", { operations: ["onramp"] })
      const waits = (await s.api.ask("/v1/onramps", { body: { quote_id: await onrampQuote(s) } })).json.meta.approval
      expect([waits.side, waits.limit_ids]).toEqual(["operator", [id]])
      expect((await decide("ada", waits.id)).json.data).toMatchObject({ status: "approved", refusal: null })
      const [theirs] = (await s.api.ask("/v1/approvals?side=merchant&status=pending")).json.data
      const done = await s.api.ask(`/v1/approvals/${theirs.id}/approve`, { body: {}, key: key.secret })
      expect(done.json.data.resource_id, done.text).toMatch(/^onr_/)
      expect(await used(id)).toBe(2)
      await s.api.ask(`/v1/approval-rules/${ruled}`, { method: "DELETE" })
    })
  })

  it("of many acts at once, those that fit are done and the others wait", async () => {
    await within(s, { scope: "api_key", operations: ["approval_rule"], max_count: 2, action: "approve" }, async () => {
      const body = { operations: ["batch"], above: { amount: "900000", currency: "USDC" } }
      const all = await Promise.all(Array.from({ length: 5 }, () => s.api.ask("/v1/approval-rules", { body })))
      expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
      expect(all.filter(({ json }) => json.meta.approval?.status === "pending").length).toBe(3)
    })
    for (const { id } of (await s.api.ask("/v1/approval-rules?status=active")).json.data)
      await s.api.ask(`/v1/approval-rules/${id}`, { method: "DELETE" })
  })

  covers("LIMITS-11", "BATCH-8")
  it("a batch counts once with the sum of its rows, refuses over a limit, and its dry runs tell", async () => {
    const rows = [1, 2].map(() => ({
      operation: "transfer",
      wallet_id: s.wallet,
      beneficiary_id: s.crypto,
      amount: "6"
    }))
    const draft = async (reference: string, query = "") =>
      (await s.api.ask(`/v1/batches${query}`, { body: { reference, rows } })).json
    const confirm = (id: string, query = "") => s.api.ask(`/v1/batches/${id}/confirm${query}`, { body: {} })
    const refusing = { ...own, operations: ["batch"], currency: "USDC", max_amount: "20", max_count: 5 }
    await within(s, refusing, async (id) => {
      const [one, two] = [(await draft(`a-${store}`)).data.id, (await draft(`b-${store}`)).data.id]
      const dry = (await confirm(one, "?dry_run=true")).json.meta.dry_run
      expect(dry.limits.map(({ used }: any) => used)).toEqual(["12.00", "1"])
      expect((await confirm(one)).status).toBe(200)
      expect((await confirm(one)).status).toBe(200)
      await s.settle()
      expect(await used(id)).toBe("12.00")
      const over = await confirm(two)
      expect(over.json.meta.errors?.[0], over.text).toMatchObject({ code: "limit_exceeded", used: "12.00" })
      expect((await s.api.ask(`/v1/batches/${two}`)).json.data.status).toBe("draft")
    })
    await within(s, payouts, async (id) => {
      const preview = await draft(`c-${store}`, "?dry_run=true")
      expect(preview.meta.dry_run).toMatchObject({ approval: { operation: "transfer", needed: 1 } })
      const { data, meta } = await draft(`c-${store}`)
      expect([data.errors, meta.approval]).toEqual([[], undefined])
      const dry = (await confirm(data.id, "?dry_run=true")).json.meta
      expect([dry.approval, dry.dry_run.approval]).toEqual([undefined, { operation: "transfer", needed: 1 }])
      expect(dry.dry_run.limits).toMatchObject([{ limit_id: id, used: "6.00" }])
      await confirm(data.id)
      await s.settle()
      const paid = (await s.api.ask(`/v1/batches/${data.id}/rows`)).json.data
      const pending = (await s.operate(`${approvals}?status=pending`)).json.data
      const waiting = paid.filter(({ resource_id }: any) => pending.some((one: any) => one.resource_id === resource_id))
      expect([paid.length, waiting.length]).toEqual([2, 1])
      expect(await used(id)).toBe("6.00")
    })
  })

  covers("LIMITS-11")
  it("a limit of batches that counts transfers, too, counts each transfer of a batch once", async () => {
    const transfer = { operation: "transfer", wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "6" }
    const rows = [
      transfer,
      transfer,
      { operation: "offramp", wallet_id: s.wallet, beneficiary_id: s.fiat, source_amount: "5" }
    ]
    const both = { ...own, operations: ["batch", "transfer"], currency: "USDC" }
    await within(s, { ...both, max_amount: "20" }, async (id) => {
      const draft = await s.make("/v1/batches", { reference: `once-${store}`, rows })
      const dry = await s.api.ask(`/v1/batches/${draft.id}/confirm?dry_run=true`, { body: {} })
      expect(dry.json.meta.dry_run.limits, dry.text).toMatchObject([{ limit_id: id, max: "20.00", used: "17.00" }])
      await within(s, { ...both, max_amount: "4" }, async (small) => {
        const over = await s.api.ask(`/v1/batches/${draft.id}/confirm?dry_run=true`, { body: {} })
        expect(over.json.meta.errors, over.text).toMatchObject([{ code: "limit_exceeded", limit_id: small }])
        // No transfer has room beside the offramp.
        expect(over.json.meta.dry_run.limits.map(({ limit_id, used }: any) => [limit_id, used])).toEqual([
          [id, "5.00"],
          [small, "5.00"]
        ])
      })
      expect((await s.api.ask(`/v1/batches/${draft.id}/confirm`, { body: {} })).status).toBe(200)
      await s.settle()
      expect((await s.api.ask(`/v1/batches/${draft.id}`)).json.data.counts).toMatchObject({ created: 3, failed: 0 })
      expect(await used(id)).toBe("17.00")
    })
  })

  covers("LIMITS-11")
  it("a batch of which a limit counts all rows is no act of it beside them, and of which it counts some, one", async () => {
    const transfer = { operation: "transfer", wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" }
    const offramp = { operation: "offramp", wallet_id: s.wallet, beneficiary_id: s.fiat, source_amount: "5" }
    const counted = { ...own, operations: ["batch", "transfer"] }
    for (const [rows, max_count] of [
      [[transfer, transfer, transfer], 3],
      [[transfer, offramp], 2]
    ] as const)
      await within(s, { ...counted, max_count }, async (id) => {
        const draft = await s.make("/v1/batches", { reference: `acts${max_count}-${store}`, rows })
        expect(draft.errors).toEqual([])
        expect((await s.api.ask(`/v1/batches/${draft.id}/confirm`, { body: {} })).status).toBe(200)
        await s.settle()
        const { counts } = (await s.api.ask(`/v1/batches/${draft.id}`)).json.data
        expect(counts).toMatchObject({ created: rows.length, failed: 0 })
        expect(await used(id)).toBe(max_count)
      })
  })

  covers("LIMITS-3", "LIMITS-4", "LIMITS-11")
  it("of many confirmations at once those that fit are paid, and a batch of which nothing is paid gives back", async () => {
    const row = { operation: "transfer", wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "4" }
    await within(s, { operations: ["batch"], currency: "USDC", max_amount: "9" }, async (id) => {
      const drafts = await Promise.all(
        Array.from({ length: 5 }, (_, n) => s.make("/v1/batches", { reference: `f${n}-${store}`, rows: [row] }))
      )
      const confirm = (batch: string) => s.api.ask(`/v1/batches/${batch}/confirm`, { body: {} })
      const all = await Promise.all(drafts.map(async (draft) => [draft.id, (await confirm(draft.id)).status] as const))
      const fitting = all.filter(([, status]) => status === 200).map(([batch]) => batch)
      expect([fitting.length, await used(id)]).toEqual([2, "8.00"])
      await Promise.all(fitting.map((batch) => s.make(`/v1/batches/${batch}/cancel`, {})))
      await s.settle()
      const ended = await Promise.all(fitting.map(async (batch) => (await s.api.ask(`/v1/batches/${batch}`)).json.data))
      const paid = ended.filter((batch) => batch.counts.created > 0).length
      expect(await used(id)).toBe(`${paid * 4}.00`)
    })
  })

  it("a rule over batches makes the confirmation wait, by its sum; confirmed, it is paid once", async () => {
    const rule = { operations: ["batch"], above: { amount: "3", currency: "USDC" } }
    const { id: ruled } = (await s.operate("/operator/v1/approval-rules", { body: rule })).json.data
    const row = { operation: "transfer", wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "2" }
    const draft = async (reference: string, rows: ReadonlyArray<object>): Promise<string> =>
      (await s.make("/v1/batches", { reference, rows })).id
    const confirm = (id: string, query = "") => s.api.ask(`/v1/batches/${id}/confirm${query}`, { body: {} })
    const small = await confirm(await draft(`d-${store}`, [row]))
    expect([small.status, small.json.meta.approval], small.text).toEqual([200, undefined])
    const id = await draft(`e-${store}`, [row, row])
    expect((await confirm(id, "?dry_run=true")).json.meta.dry_run.approval).toEqual({ operation: "batch", needed: 1 })
    const waits = await confirm(id)
    expect([waits.json.data.status, waits.json.meta.approval.operation], waits.text).toEqual(["draft", "batch"])
    await s.operate(`/operator/v1/approval-rules/${ruled}`, { method: "DELETE" })
    expect((await decide("ada", waits.json.meta.approval.id)).json.data).toMatchObject({
      refusal: null,
      resource_id: id
    })
    await s.settle()
    expect((await s.api.ask(`/v1/batches/${id}`)).json.data).toMatchObject({ status: "completed" })
    expect((await confirm(id)).json.meta.approval).toBeUndefined()
  })

  covers("APPROVAL-7")
  it("an entry that a resolution posts waits by a rule over entries alone, in a file too, and counts to limits", async () => {
    const explain = await catalogue["resolveBreak"]!(s)
    const { path, ...options } = explain
    const id = path.split("/")[4]
    const file = async () => {
      const bulk = await catalogue["resolveBreaks"]!(s)
      const raw = new TextEncoder().encode(
        `id,action,note,from,to\n${id},explain,nobody knows whose,world:simulated,suspense\n`
      )
      return { ...bulk, raw }
    }
    const { path: at, ...sent } = await file()
    const entriesOf = async () => (await s.operate("/operator/v1/adjusting-entries")).json.meta.total
    const before = await entriesOf()
    const { id: ruled } = (
      await s.operate("/operator/v1/approval-rules", { body: { operations: ["adjusting_entry"] } })
    ).json.data
    const waits = await s.api.ask(path, options)
    expect(waits.json.meta.approval, waits.text).toMatchObject({ operation: "adjusting_entry", status: "pending" })
    const rows = (await s.api.ask(at, sent)).json.data
    expect(rows, JSON.stringify(rows)).toMatchObject({ succeeded: 0, waiting: 1 })
    expect(await entriesOf()).toBe(before)
    await s.operate(`/operator/v1/approval-rules/${ruled}`, { method: "DELETE" })
    await within(s, { operations: ["adjusting_entry"], currency: "NGN", max_amount: "9.99" }, async (limit_id) => {
      const refused = await s.api.ask(path, options)
      expect(refused.json.meta.errors?.[0], refused.text).toMatchObject({ code: "limit_exceeded", limit_id })
      expect((await s.api.ask(at, sent)).json.data).toMatchObject({ succeeded: 0, failed: 1 })
      expect(await entriesOf()).toBe(before)
    })
    expect((await decide("ada", waits.json.meta.approval.id)).json.data.refusal).toBeNull()
    expect(await entriesOf()).toBe(before + 1)
  })

  covers("LIMITS-11")
  it("an act that two words of a limit name counts once, with its amount", async () => {
    const explain = await catalogue["resolveBreak"]!(s)
    const { path, ...options } = explain
    const both = { operations: ["adjusting_entry", "break_resolution"], currency: "NGN", max_amount: "900000000" }
    await within(s, { ...both, max_count: 1 }, async (id) => {
      const done = await s.api.ask(path, options)
      expect(done.status, done.text).toBe(200)
      const [{ amount }] = (await s.operate("/operator/v1/adjusting-entries")).json.data
      const { used_amount, used_count } = (await s.operate(`${limits}/${id}`)).json.data
      expect([used_amount, used_count]).toEqual([amount, 1])
    })
  })

  covers("LIMITS-13")
  it("a reversal gives back what it reverses, in its window, and then asks for its own room", async () => {
    const cost = { from: "costs:simulated", to: "world:simulated", currency: "USDC", note: "fee" }
    const post = async (amount: string) =>
      (await s.operate("/operator/v1/adjusting-entries", { body: { ...cost, amount } })).json.data?.id
    const reverse = (id: string) =>
      s.operate(`/operator/v1/adjusting-entries/${id}/reverse`, { body: { note: "booked twice" } })
    const usage = async (id: string) => {
      const { used_amount, used_count } = (await s.operate(`${limits}/${id}`)).json.data
      return [used_amount, used_count]
    }
    const limit = { operations: ["adjusting_entry"], currency: "USDC", max_amount: "10", max_count: 2 }
    const before = await post("4")
    await within(s, limit, async (id) => {
      // What was made before the limit has nothing to give back, and its reversal counts.
      expect((await reverse(before)).status).toBe(200)
      expect(await usage(id)).toEqual(["4.00", 1])
      const entry = await post("6")
      expect(await usage(id)).toEqual(["10.00", 2])
      // The room of what is reversed is that of its reversal.
      const dry = await s.operate(`/operator/v1/adjusting-entries/${entry}/reverse?dry_run=true`, {
        body: { note: "booked twice" }
      })
      expect(dry.json.meta.dry_run.limits.map(({ used }: any) => used)).toEqual(["10.00", "2"])
      expect((await reverse(entry)).status).toBe(200)
      expect(await usage(id)).toEqual(["10.00", 2])
      const over = await post("1")
      expect(over).toBeUndefined()
    })
    await within(s, { ...limit, window: { calendar: "day", time_zone: "UTC" }, max_amount: "9" }, async (id) => {
      const entry = await post("8")
      await s.make("/sandbox/clock/advance", { seconds: 24 * 3600 })
      const other = await post("5")
      // Its own window has it back, and the reversal asks for the room of today.
      const refused = await reverse(entry)
      expect(refused.json.meta.errors?.[0], refused.text).toMatchObject({ limit_id: id, used: "5.00" })
      expect((await reverse(other)).status).toBe(200)
      expect(await usage(id)).toEqual(["5.00", 1])
      const rule = { operations: ["adjusting_entry"], above: { amount: "4", currency: "USDC" } }
      const { id: ruled } = (await s.operate("/operator/v1/approval-rules", { body: rule })).json.data
      const waits = (await reverse(entry)).json
      expect(waits.code).toBe("invalid_input")
      await s.operate(`${limits}/${id}`, { method: "PATCH", body: { max_amount: "13" } })
      const { approval } = (await reverse(entry)).json.meta
      expect(approval.amounts).toEqual([{ amount: "8.00", currency: "USDC" }])
      await s.operate(`/operator/v1/approval-rules/${ruled}`, { method: "DELETE" })
      expect((await decide("bisi", approval.id)).json.data.refusal).toBe(null)
      expect(await usage(id)).toEqual(["13.00", 2])
    })
  })

  covers("LIMITS-13")
  it("the reversal of an entry that ended a break counts once, whichever word a limit names, and gives all back", async () => {
    for (const operations of [["adjusting_entry"], ["break_resolution"], ["break_resolution", "adjusting_entry"]])
      await within(s, { operations, currency: "NGN", max_amount: "900000000", max_count: 9 }, async (id) => {
        const { path, ...options } = await catalogue["resolveBreak"]!(s)
        const usage = async () => {
          const { used_amount, used_count } = (await s.operate(`${limits}/${id}`)).json.data
          return [used_amount, used_count]
        }
        const done = await s.api.ask(path, options)
        expect(done.status, done.text).toBe(200)
        const [{ amount }] = (await s.operate("/operator/v1/adjusting-entries")).json.data
        expect(await usage(), `${operations}`).toEqual([amount, 1])
        const reopened = await s.api.ask(path, { ...options, body: { action: "reopen", note: "known after all" } })
        expect(reopened.status, reopened.text).toBe(200)
        expect(await usage(), `${operations}`).toEqual([amount, 1])
      })
  })

  it("an entry that ends a break or an exception waits by a rule over those, too", async () => {
    const { path, ...options } = await catalogue["createAdjustingEntry"]!(s)
    const { id: ruled } = (
      await s.operate("/operator/v1/approval-rules", { body: { operations: ["exception_credit"] } })
    ).json.data
    const waits = await s.api.ask(path, options)
    const alone = { from: "suspense", to: "world:simulated", amount: "1", currency: "USDC", note: "sent back" }
    const plain = await s.operate("/operator/v1/adjusting-entries", { body: alone })
    await s.operate(`/operator/v1/approval-rules/${ruled}`, { method: "DELETE" })
    expect(waits.json.meta.approval, waits.text).toMatchObject({ operation: "exception_credit", status: "pending" })
    expect([plain.status, plain.json.meta.approval]).toEqual([200, undefined])
  })
})
