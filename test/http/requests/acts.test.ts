/**
 * The laws of acts, over the table of operations: one act has one answer (APPROVAL-15), its amount is what limits, rules, approvals and dry
 * runs read (APPROVAL-16), and what waits can be approved. A new act is in the table, and so in these tests.
 */
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { keyRoles, operatorRoles } from "../../../src/engine/commit/call.ts"
import { entries } from "../../../src/engine/operations.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { type Change, Storage, type CommitResult } from "../../../src/engine/ports/Storage.ts"
import { unpricedWords } from "../../../src/machines/controls/approval-rule.ts"
import { startApi } from "../../support/http/server.ts"
import { solana, type Stock, stockOf } from "../../support/http/stocked-server.ts"
import {
  approver,
  catalogue,
  conversionQuote,
  onrampQuote,
  openException,
  type Request
} from "../../support/http/successful-requests.ts"
import { covers } from "../../support/repository/covers.ts"

const approvals = "/operator/v1/approvals"
const rules = "/operator/v1/approval-rules"

/** A store that fails, once, a commit of a kind, or in which that loses a row to other writes. */
const failing = () => {
  const state = { kind: "", via: "", left: 0, verdict: undefined as CommitResult | undefined }
  const releases = { seen: 0, failing: 0 }
  const isNext = ({ rows }: Change): boolean =>
    rows.some(({ kind, via }) => kind === state.kind && (state.via === "" || via === state.via))
  /** Whether a commit that releases the lines of an entry is the one that fails. */
  const isRelease = ({ idempotency }: Change): boolean =>
    idempotency?.key.includes("released/") === true && ++releases.seen === releases.failing
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        commit: (change) =>
          Effect.suspend(() =>
            isRelease(change)
              ? Effect.fail(new StorageFault({ message: "away", retryable: false }))
              : !isNext(change) || state.left-- <= 0
                ? store.commit(change)
                : state.verdict === undefined
                  ? Effect.fail(new StorageFault({ message: "away", retryable: false }))
                  : Effect.succeed(state.verdict)
          )
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  return {
    layer,
    releases,
    fails: (kind: string, via = "") => Object.assign(state, { kind, via, left: 1, verdict: undefined }),
    loses: (kind: string, left: number) => {
      const verdict: CommitResult = { _tag: "VersionConflict", kind: "exception", id: `exc_${"0".repeat(26)}` }
      Object.assign(state, { kind, via: "", left, verdict })
    }
  }
}

describe("an act in two commits", () => {
  let s: Stock
  let bisi: string
  const { fails, layer, loses, releases } = failing()
  beforeAll(async () => {
    s = await stockOf(await startApi({ rate_per_second: 0 }, layer))
    bisi = await approver(s)
  })
  afterAll(() => s.api.close())

  const under = async (body: object, run: () => Promise<void>): Promise<void> => {
    const { id } = (await s.operate(rules, { body })).json.data
    await run()
    expect((await s.operate(`${rules}/${id}`, { method: "DELETE" })).status).toBe(200)
  }
  const entry = { from: "suspense", to: "world:simulated", amount: "1", currency: "USDC", note: "sent back" }
  const posted = async () => (await s.operate("/operator/v1/adjusting-entries", { body: entry })).json.meta.approval.id
  const approve = (id: string, key?: string, query = "") =>
    s.api.ask(`${approvals}/${id}/approve${query}`, {
      body: {},
      key: bisi,
      headers: key === undefined ? {} : { "idempotency-key": key }
    })
  const shown = async (id: string) => (await s.operate(`${approvals}/${id}`)).json.data
  const answerOf = ({ refusal, resource_id, status }: any) => ({ refusal, resource_id, status })

  covers("APPROVAL-15")
  it("answers after the second, to its first call, a repeat of its key, and a read", async () => {
    await under({ operations: ["adjusting_entry"] }, async () => {
      const id = await posted()
      const done = await approve(id, "answers-once-1")
      expect(done.json.data).toMatchObject({ status: "approved", resource_id: expect.stringMatching(/^adj_/) })
      expect((await approve(id, "answers-once-1")).text).toBe(done.text)
      expect(done.json.data).toEqual(await shown(id).then((one) => ({ ...one, result: null })))

      // What was tried may be refused by then.
      const refused = await posted()
      const limit = { scope: "platform", operations: ["adjusting_entry"], currency: "USDC", max_amount: "0.01" }
      const made = await s.operate("/operator/v1/limits", { body: { ...limit, window: "movement" } })
      const dry = answerOf((await approve(refused, undefined, "?dry_run=true")).json.data)
      const late = await approve(refused, "answers-late-1")
      expect(answerOf(late.json.data)).toMatchObject({ status: "expired", resource_id: null })
      expect(late.json.data.refusal?.code, late.text).toBe("invalid_input")
      expect((await approve(refused, "answers-late-1")).text).toBe(late.text)
      expect([dry, answerOf(await shown(refused))]).toEqual([answerOf(late.json.data), answerOf(late.json.data)])
      await s.operate(`/operator/v1/limits/${made.json.data.id}`, { method: "PATCH", body: { status: "disabled" } })
    })
  })

  covers("APPROVAL-15")
  it("is finished by whoever asks again, where a process ended between them, and by the clock", async () => {
    await under({ operations: ["adjusting_entry"] }, async () => {
      for (const [kind, via] of [
        ["adjusting_entry", ""],
        ["approval", "executed"]
      ] as const) {
        const id = await posted()
        fails(kind, via)
        const begun = await approve(id, `dies-between-${kind}`)
        expect(begun.json.data, begun.text).toMatchObject({ status: "approved", refusal: null, resource_id: null })
        expect(answerOf(await shown(id))).toEqual(answerOf(begun.json.data))
        // A dry run does nothing of it.
        expect(answerOf((await approve(id, `dies-between-${kind}`, "?dry_run=true")).json.data)).toEqual(
          answerOf(begun.json.data)
        )
        const again = await approve(id, `dies-between-${kind}`)
        expect(again.json.data.resource_id, again.text).toMatch(/^adj_/)
        expect(answerOf(await shown(id))).toEqual(answerOf(again.json.data))
        expect((await approve(id, `dies-between-${kind}`)).text).toBe(again.text)
      }
      const id = await posted()
      fails("adjusting_entry")
      await approve(id, "dies-between-clock")
      await s.make("/sandbox/clock/advance", { seconds: 31 })
      await s.make("/sandbox/clock/advance", { seconds: 31 })
      const by = await shown(id)
      expect(by.resource_id).toMatch(/^adj_/)
      expect(answerOf((await approve(id, "dies-between-clock")).json.data)).toEqual(answerOf(by))
    })
  })

  covers("ADJUST-2", "APPROVAL-15")
  it("of which the third is missing is finished by whoever asks again: the reversal of an exception's entry", async () => {
    const reverse = (id: string, key: string) =>
      s.operate(`/operator/v1/adjusting-entries/${id}/reverse`, {
        body: { note: "sent twice" },
        headers: { "idempotency-key": key }
      })
    const exception_id = await openException(s)
    const { id } = (await s.operate("/operator/v1/adjusting-entries", { body: { ...entry, exception_id } })).json.data
    // One before the reversal, and one after it.
    Object.assign(releases, { seen: 0, failing: 2 })
    expect((await reverse(id, "dies-after-two")).status).toBeGreaterThanOrEqual(500)
    const again = await reverse(id, "dies-after-two")
    expect([again.json.data.reverses, releases.seen], again.text).toEqual([id, 3])
    expect([(await reverse(id, "dies-after-two")).text, releases.seen]).toEqual([again.text, 3])
    expect((await s.operate(`/operator/v1/adjusting-entries/${again.json.data.id}`)).json.data).toEqual(again.json.data)

    // One that waits has begun nothing.
    const { id: other } = (await s.operate("/operator/v1/adjusting-entries", { body: entry })).json.data
    await under({ operations: ["adjusting_entry"] }, async () => {
      const waits = await reverse(other, "waits-with-a-key")
      expect(waits.json.meta.approval, waits.text).toMatchObject({ status: "pending" })
      expect((await reverse(other, "waits-with-a-key")).text).toBe(waits.text)
      const done = await approve(waits.json.meta.approval.id, "waits-with-a-key")
      expect(done.json.data.resource_id, done.text).toMatch(/^adj_/)
    })
  })

  covers("EXCEPTION-4", "APPROVAL-15", "DRYRUN-1")
  it("answers after the second: the credit of an exception to a wallet of another merchant", async () => {
    const merchant = { name: "Bola", country_code: "NG", status: "active" }
    const { api_key } = (await s.operate("/operator/v1/merchants", { body: merchant })).json.data
    const wallet = await s.api.ask("/v1/wallets", { body: { currency: "USDC" }, key: api_key.secret })
    const credit = (id: string, key: string, query = "") =>
      s.operate(`/operator/v1/exceptions/${id}/resolve${query}`, {
        body: { action: "credit", wallet_id: wallet.json.data.id, note: "theirs" },
        headers: query === "" ? { "idempotency-key": key } : {}
      })
    const read = async (id: string) => (await s.operate(`/operator/v1/resources/${id}`)).json.data.resource
    const id = await openException(s)
    const dry = await credit(id, "", "?dry_run=true")
    const done = await credit(id, "credits-elsewhere-1")
    expect(done.json.data, done.text).toMatchObject({ status: "resolved", action: "credit", actions: [] })
    expect(unlike(dry.json.data)).toEqual(unlike(done.json.data))
    expect(done.json.data).toEqual(await read(id))
    expect((await credit(id, "credits-elsewhere-1")).text).toBe(done.text)

    const other = await openException(s)
    fails("deposit", "credit")
    expect((await credit(other, "credits-elsewhere-2")).status).toBeGreaterThanOrEqual(500)
    expect(await read(other)).toMatchObject({ status: "open", action: "credit" })
    const again = await credit(other, "credits-elsewhere-2")
    expect(again.json.data, again.text).toMatchObject({ status: "resolved", action: "credit" })
    expect(again.json.data).toEqual(await read(other))
    expect((await credit(other, "credits-elsewhere-2")).text).toBe(again.text)
  })

  covers("APPROVAL-15")
  it("is done later where it loses its rows to other writes, with a version too", async () => {
    await under({ operations: ["adjusting_entry"] }, async () => {
      const id = await posted()
      loses("adjusting_entry", 12)
      const begun = await approve(id, "loses-rows-1")
      expect(begun.json.data, begun.text).toMatchObject({ status: "approved", refusal: null, resource_id: null })
      await s.make("/sandbox/clock/advance", { seconds: 31 })
      await s.make("/sandbox/clock/advance", { seconds: 31 })
      expect(await shown(id)).toMatchObject({ status: "approved", refusal: null })
      expect((await shown(id)).resource_id).toMatch(/^adj_/)
    })
    const { path, ...end } = await catalogue["endFeeSchedule"]!(s)
    const { version } = (await s.operate(path)).json.meta
    await under({ operations: ["fee_schedule"] }, async () => {
      const { json, text } = await s.api.ask(path, { ...end, headers: { "if-match": `"${version}"` } })
      expect(json.meta.approval?.status, text).toBe("pending")
      loses("fee_schedule", 12)
      const begun = await approve(json.meta.approval.id)
      expect(begun.json.data, begun.text).toMatchObject({ status: "approved", refusal: null })
      expect((await s.operate(path)).json.data.status).toBe("active")
      await s.make("/sandbox/clock/advance", { seconds: 31 })
      await s.make("/sandbox/clock/advance", { seconds: 31 })
      expect(await shown(json.meta.approval.id)).toMatchObject({ status: "approved", refusal: null })
      expect((await s.operate(path)).json.data.status).toBe("ended")
    })
  })

  covers("APPROVAL-15")
  it("names no resource that is not there: what waits for the other side has made none", async () => {
    const key = await s.make("/v1/api-keys", { role: "approver", person: "another" })
    const own = await s.make("/v1/approval-rules", { operations: ["onramp"] })
    await under({ operations: ["onramp"] }, async () => {
      const { json } = await s.api.ask("/v1/onramps", { body: { quote_id: await onrampQuote(s) } })
      const { accountNumber, message } = json.data.deposit_instruction
      expect([accountNumber, message]).toEqual([
        "given once the act is approved",
        expect.stringMatching(/^Transfer nothing yet/)
      ])
      const { id } = json.meta.approval
      const dry = await approve(id, undefined, "?dry_run=true")
      const done = await approve(id, "both-sides-1")
      for (const { data } of [dry.json, done.json, { data: await shown(id) }])
        expect(answerOf(data)).toEqual({ status: "approved", refusal: null, resource_id: null })
      const [theirs] = (await s.api.ask("/v1/approvals?side=merchant&status=pending")).json.data
      const last = await s.api.ask(`/v1/approvals/${theirs.id}/approve`, {
        body: {},
        key: key.secret,
        headers: { "idempotency-key": "both-sides-2" }
      })
      expect(last.json.data.resource_id, last.text).toMatch(/^onr_/)
      expect((await s.api.ask(`/v1/onramps/${last.json.data.resource_id}`)).status).toBe(200)
    })
    await s.api.ask(`/v1/approval-rules/${own.id}`, { method: "DELETE" })
  })

  covers("APPROVAL-15", "DRYRUN-1")
  it("shows in its dry run what is used of the limits over which it is", async () => {
    const limit = { operations: ["payout"], currency: "USDC", max_amount: "1", max_count: 9, action: "approve" }
    const body = { scope: "merchant", id: s.api.merchant_id, window: { rolling: "P7D" }, ...limit }
    const { id } = (await s.operate("/operator/v1/limits", { body })).json.data
    const used = async () => {
      const { used_amount, used_count } = (await s.operate(`/operator/v1/limits/${id}`)).json.data
      return [used_amount, String(used_count)]
    }
    const pay = (amount: string) =>
      s.api.ask("/v1/transfers", { body: { wallet_id: s.wallet, beneficiary_id: s.crypto, amount } })
    await pay("1")
    const waiting = (await pay("6")).json.meta.approval
    const dry = (await approve(waiting.id, undefined, "?dry_run=true")).json.meta.dry_run
    expect(dry.limits.map((one: any) => [one.limit_id, one.used])).toEqual([
      [id, "7.00"],
      [id, "2"]
    ])
    expect((await approve(waiting.id)).json.data.status).toBe("approved")
    expect(await used()).toEqual(["7.00", "2"])
    await s.operate(`/operator/v1/limits/${id}`, { method: "PATCH", body: { status: "disabled" } })
  })
})

describe("a file of acts", () => {
  let s: Stock
  beforeAll(async () => {
    s = await stockOf(await startApi({ rate_per_second: 0 }))
  })
  afterAll(() => s.api.close())

  /** The results of the rows, without the ids of what is made. */
  const results = (data: any): ReadonlyArray<string> => {
    const seen: Array<string> = []
    return data.rows.map(({ result }: { result: string }) =>
      result.replace(/apr_\w+/, (id) => {
        if (!seen.includes(id)) seen.push(id)
        return `approval ${seen.indexOf(id)}`
      })
    )
  }

  covers("DRYRUN-6")
  it.each([1, 2, 3, 4, 5, 6])(
    "has one answer in a dry run and in the call, whatever its rows: seed %i",
    async (seed) => {
      let state = seed
      const pick = <A>(from: ReadonlyArray<A>): A => {
        state = (state * 48_271) % 2_147_483_647
        return from[state % from.length]!
      }
      const breaks: Array<string> = []
      for (let n = 0; n < 3; n++) breaks.push((await catalogue["resolveBreak"]!(s)).path.split("/")[4]!)
      const [limited, ruled, above] = [pick([true, false]), pick([true, false]), pick([true, false])]
      const max = { max_count: 2, ...(pick([true, false]) ? { currency: "NGN", max_amount: "1500000" } : {}) }
      const operations = pick([["break_resolution"], ["adjusting_entry"], ["break_resolution", "adjusting_entry"]])
      const action = pick(["refuse", "approve"])
      const limit = { scope: "platform", operations, ...max, action, window: { rolling: "P7D" } }
      const made = limited ? (await s.operate("/operator/v1/limits", { body: limit })).json.data.id : undefined
      const rule = { operations, ...(above ? { above: { amount: "1", currency: "NGN" } } : {}) }
      const covered = ruled ? (await s.operate(rules, { body: rule })).json.data.id : undefined
      const rows = Array.from({ length: 7 }, () => {
        const action = pick(["dismiss", "explain", "reopen", "match", "dismiss", "explain"])
        return `${pick(breaks)},${action},seen,${action === "explain" ? "world:simulated,suspense" : ","}`
      })
      const { path, ...options } = await catalogue["resolveBreaks"]!(s)
      const raw = new TextEncoder().encode(`id,action,note,from,to\n${rows.join("\n")}\n`)
      const dry = await s.api.ask(`${path}${path.includes("?") ? "&" : "?"}dry_run=true`, { ...options, raw })
      const done = await s.api.ask(path, { ...options, raw })
      expect(done.status, done.text).toBe(200)
      expect(results(dry.json.data), rows.join("\n")).toEqual(results(done.json.data))
      const { rows: _, ...counts } = done.json.data
      expect(dry.json.data).toMatchObject(counts)
      if (made !== undefined)
        await s.operate(`/operator/v1/limits/${made}`, { method: "PATCH", body: { status: "disabled" } })
      if (covered !== undefined) await s.operate(`${rules}/${covered}`, { method: "DELETE" })
    }
  )
})

describe("what can no longer happen", () => {
  let s: Stock
  let bisi: string
  beforeAll(async () => {
    s = await stockOf(await startApi({ rate_per_second: 0 }))
    bisi = await approver(s)
  })
  afterAll(() => s.api.close())

  const under = async (path: string, body: object, run: () => Promise<void>): Promise<void> => {
    const as = path === rules ? s.operate : s.api.ask
    const { id } = (await as(path, { body })).json.data
    await run()
    expect((await as(`${path}/${id}`, { method: "DELETE" })).status).toBe(200)
  }
  const balance = async () => JSON.stringify((await s.api.ask(`/v1/wallets/${s.wallet}`)).json.data.balance)
  const waiting = async (resource_id: string) =>
    (await s.api.ask(`/v1/approvals?resource_id=${resource_id}`)).json.data.map(({ refusal, status }: any) => [
      status,
      refusal?.code ?? null
    ])

  covers("APPROVAL-17")
  it("a payout whose payee is blocked fails at once, with its money back and what it waited for, on both sides", async () => {
    await under("/v1/approval-rules", { operations: ["payout"] }, () =>
      under(rules, { operations: ["payout"] }, async () => {
        const before = await balance()
        const payee = async () =>
          (
            await s.make("/v1/beneficiaries", {
              type: "crypto",
              name: "Treasury",
              currency: "USDC",
              details: { network: "solana", address: solana }
            })
          ).id
        const [refused, other] = [await payee(), await payee()]
        const pay = async (beneficiary_id: string) =>
          (await s.make("/v1/transfers", { wallet_id: s.wallet, beneficiary_id, amount: "3" })).id
        const [one, two, fine] = [await pay(refused), await pay(refused), await pay(other)]
        expect(await balance()).not.toBe(before)
        await s.make(`/sandbox/beneficiaries/${refused}`, { outcome: "refused" })
        await s.make("/sandbox/clock/advance", { seconds: 1 })
        for (const id of [one, two]) {
          const { failure_reason, status } = (await s.api.ask(`/v1/transfers/${id}`)).json.data
          expect([status, failure_reason]).toEqual(["failed", "failed"])
          expect(await waiting(id)).toEqual([
            ["expired", "invalid_status"],
            ["expired", "invalid_status"]
          ])
        }
        expect(await waiting(fine)).toEqual([
          ["pending", null],
          ["pending", null]
        ])
        const [{ id }] = (await s.api.ask(`/v1/approvals?side=operator&resource_id=${fine}`)).json.data
        await s.api.ask(`${approvals}/${id}/decline`, { body: { note: "no" }, key: bisi })
        expect(await balance()).toBe(before)
      })
    )
  })

  covers("APPROVAL-13")
  it("an entry that was to end a break, a line or an exception, as its input says, waits until that has ended", async () => {
    const dismiss = { action: "dismiss", note: "seen" }
    const entryOf = async (named: (one: any) => object): Promise<readonly [string, object]> => {
      const { body, path } = await catalogue["resolveBreak"]!(s)
      const { action: _, ...money } = body as Record<string, string>
      const one = (await s.operate(`/operator/v1/breaks/${path.split("/")[4]}`)).json.data
      return [path, { ...money, amount: one.amount, currency: one.currency, ...named(one) }]
    }
    const exception = await openException(s)
    const cost = { from: "suspense", to: "world:simulated", amount: "1", currency: "USDC", note: "sent back" }
    await under(rules, { operations: ["adjusting_entry"] }, async () => {
      for (const [path, body] of [
        await entryOf(({ id }) => ({ break_id: id })),
        await entryOf(({ lines }) => ({ line_id: lines[0] })),
        [`/operator/v1/exceptions/${exception}/resolve`, { ...cost, exception_id: exception }]
      ] as const) {
        const waits = (await s.operate("/operator/v1/adjusting-entries", { body })).json
        const { id } = waits.meta.approval ?? {}
        expect(id, JSON.stringify(waits)).toBeDefined()
        const about = path.split("/")[4]!
        const pending = (await s.operate(`${approvals}?resource_id=${about}&status=pending`)).json.data
        expect(pending.map((one: any) => [one.id, one.resource_id])).toEqual([[id, null]])
        const ended = await s.operate(path, { body: dismiss })
        expect(ended.status, ended.text).toBe(200)
        await s.make("/sandbox/clock/advance", { seconds: 1 })
        const { refusal, status } = (await s.operate(`${approvals}/${id}`)).json.data
        expect([status, refusal?.code]).toEqual(["expired", "invalid_status"])
      }
      // What is approved names what it has made.
      const [, body] = await entryOf(({ id }) => ({ break_id: id }))
      const { id } = (await s.operate("/operator/v1/adjusting-entries", { body })).json.meta.approval
      const done = await s.api.ask(`${approvals}/${id}/approve`, { body: {}, key: bisi })
      expect(done.json.data, done.text).toMatchObject({
        status: "approved",
        refusal: null,
        resource_id: expect.stringMatching(/^adj_/)
      })
    })
  })

  covers("APPROVAL-17")
  it("an act that takes a quote waits until that expires, or another act has used it", async () => {
    await under(rules, { operations: ["onramp", "conversion"] }, async () => {
      for (const [path, quoteOf] of [
        ["/v1/onramps", onrampQuote],
        ["/v1/conversions", conversionQuote]
      ] as const) {
        const ask = async (quote_id: string, key = s.api.key) => {
          const { json, text } = await s.api.ask(path, { body: { quote_id }, key })
          expect(json.meta.approval?.status, text).toBe("pending")
          return json.meta.approval
        }
        const quote = await quoteOf(s)
        const { id, expires_at } = await ask(quote)
        expect(expires_at).toBe((await s.api.ask(`/v1/quotes/${quote}`)).json.data.expires_at)
        await s.make("/sandbox/clock/advance", { seconds: 301 })
        expect((await s.operate(`${approvals}/${id}`)).json.data.status).toBe("expired")
        expect((await s.api.ask(`${approvals}/${id}/approve`, { body: {}, key: bisi })).json.code).toBe(
          "invalid_status"
        )

        const shared = await quoteOf(s)
        const [first, second] = [await ask(shared), await ask(shared, s.keys.developer)]
        const done = await s.api.ask(`${approvals}/${first.id}/approve`, { body: {}, key: bisi })
        expect(done.json.data, done.text).toMatchObject({ status: "approved", refusal: null })
        const after = (await s.operate(`${approvals}/${second.id}`)).json.data
        expect([after.status, after.refusal?.code]).toEqual(["expired", "invalid_status"])
      }
    })
  })
})

/** An id, a time, the version that is made of them, and what only the real call can know. */
const unlike = (value: unknown): unknown => {
  if (typeof value === "string")
    return value
      .replace(/\b([a-z]{2,5})_[0-9a-hjkmnp-tv-z]{26}\b/g, "$1")
      .replace(/\b\w{26}@merchant\.invalid\b/, "a placeholder")
      .replace(/^v[0-9a-f]{16}$/, "a version")
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "a time")
  if (Array.isArray(value)) return value.map(unlike)
  if (typeof value !== "object" || value === null) return value
  const known = Object.entries(value).filter(
    ([name]) => !["token", "secret", "signing_secret", "prefix", "deposit_instruction"].includes(name)
  )
  return Object.fromEntries(known.map(([name, member]) => [name, unlike(member)]))
}

/** The operations of acts: those that have words, and the two that make payouts, which wait as movements. */
const acts = entries.flatMap(({ operation }) => {
  const payout = { createTransfer: "transfer", createOfframp: "offramp" }[operation.id]
  const { action: word } = operation
  const words =
    payout === undefined ? [typeof word === "function" ? "break_resolution" : (word ?? [])].flat() : [payout]
  return words.length === 0 || operation.fileMax !== undefined ? [] : [{ ...operation, words }]
})

describe("the table of acts", () => {
  let s: Stock
  let chi: string
  beforeAll(async () => {
    s = await stockOf(await startApi({ rate_per_second: 0 }))
    const body = { name: "Chi", email: "chi@acts.example", role: "admin" }
    chi = (await s.operate("/operator/v1/operators", { body })).json.data.token
    await s.make("/sandbox/deposits", { wallet_id: s.wallet, amount: "100000" })
  })
  afterAll(() => s.api.close())

  let calls = 0
  /** A request of an act, made dry, for good, and again with its key. */
  const made = async (request: Request) => {
    const { path, ...options } = request
    const headers = options.method === "POST" ? { "idempotency-key": `acts-walk-${++calls}` } : {}
    const ask = (query = "") => s.api.ask(`${path}${query}`, { ...options, headers: query === "" ? headers : {} })
    const dry = await ask("?dry_run=true")
    const done = await ask()
    const again = options.method === "POST" ? await ask() : done
    return { dry, done, again }
  }
  const limits = "/operator/v1/limits"
  /** A limit over the words of an act that everything fits, with a word of what it has used. */
  const measured = async (area: string, words: ReadonlyArray<string>, currency: string) => {
    const scope = area === "v1" ? { scope: "merchant", id: s.api.merchant_id } : { scope: "platform" }
    const most = { currency, max_amount: "900000000", max_count: 900, window: { rolling: "P30D" } }
    const { id } = (await s.operate(limits, { body: { ...scope, operations: words, ...most } })).json.data
    return {
      id,
      used: async () => {
        const { used_amount, used_count } = (await s.operate(`${limits}/${id}`)).json.data
        return [used_amount, String(used_count)]
      },
      end: () => s.operate(`${limits}/${id}`, { method: "PATCH", body: { status: "disabled" } })
    }
  }
  const ruled = async (rule: object, run: (id: string) => Promise<void>) => {
    const { json, text } = await s.operate(rules, { body: rule })
    expect(json.code, text).toBe("ok")
    await run(json.data.id)
    await withoutRules()
  }
  /** Ends every rule, those that cover their own end with an approval of it. */
  const withoutRules = async () => {
    for (const [path, as] of [
      [rules, s.operate],
      ["/v1/approval-rules", s.api.ask]
    ] as const)
      for (const { id } of (await as(`${path}?status=active`)).json.data) {
        const { approval } = (await as(`${path}/${id}`, { method: "DELETE" })).json.meta
        if (approval !== undefined) await s.api.ask(`${approvals}/${approval.id}/approve`, { body: {}, key: chi })
      }
  }
  afterEach(withoutRules)
  const decided = (data: any) =>
    unlike({
      status: data.status,
      refusal: data.refusal,
      resource_id: data.resource_id,
      amounts: data.amounts,
      limit_ids: data.limit_ids,
      needed: data.needed
    })

  covers("APPROVAL-15", "DRYRUN-1")
  it.each(acts.map(({ id, ...act }) => [id, act] as const))(
    "%s answers the same in a dry run, for good, again and to a read, with what it uses of limits",
    async (id, { area, words }) => {
      const request = await catalogue[id]!(s)
      const limit = await measured(area, words, "USDC")
      const { again, done, dry } = await made(request)
      expect(done.status, done.text).toBe(200)
      expect(again.text).toBe(done.text)
      expect([dry.status, dry.json.code]).toEqual([done.status, done.json.code])
      expect(unlike(dry.json.data)).toEqual(unlike(done.json.data))
      const shown = dry.json.meta.dry_run.limits.filter((one: any) => one.limit_id === limit.id)
      const used = await limit.used()
      expect(shown.map((one: any) => one.used).at(-1) ?? "0").toEqual(used[1])
      if (shown.length > 1) expect(shown[0].used).toBe(used[0])
      else expect(used[0]).toBe("0.00")
      // A change that changes nothing is no act.
      if (id !== "updateMerchant") expect(used[1]).toBe("1")
      await limit.end()
    }
  )

  covers("APPROVAL-15", "APPROVAL-16")
  it.each(acts.map(({ id, ...act }) => [id, act] as const))(
    "%s that waits says what it comes to, and is approved with one answer",
    async (id, { area, words }) => {
      const request = await catalogue[id]!(s)
      const limit = await measured(area, words, "USDC")
      await ruled({ operations: words }, async () => {
        // The rule itself is an act of one of the words.
        const [, own] = await limit.used()
        const count = async () => String(Number((await limit.used())[1]) - Number(own))
        const { again, done, dry } = await made(request)
        const { approval } = done.json.meta
        expect([done.status, approval?.status], done.text).toEqual([200, "pending"])
        expect(again.text).toBe(done.text)
        expect(unlike(dry.json.data)).toEqual(unlike(done.json.data))
        expect(decided(dry.json.meta.approval ?? approval)).toEqual(decided(approval))
        expect(dry.json.meta.dry_run.approval).toEqual({ operation: approval.operation, needed: 1 })
        const read = async () => (await s.operate(`${approvals}/${approval.id}`)).json.data
        expect(decided(await read())).toEqual(decided(approval))
        const isUnpriced = words.every((word) => unpricedWords.has(word as never)) && id !== "resolveBreak"
        expect(approval.amounts.length > 0, JSON.stringify(approval.amounts)).toBe(!isUnpriced)
        const isPayout = words.includes("transfer") || words.includes("offramp")
        // A payout counts when it is made, whatever it waits for.
        expect(await count()).toBe(isPayout ? "1" : "0")

        const approve = (query: string, headers = {}) =>
          s.api.ask(`${approvals}/${approval.id}/approve${query}`, { body: {}, key: chi, headers })
        const tried = await approve("?dry_run=true")
        const headers = { "idempotency-key": `acts-approve-${++calls}` }
        const allowed = await approve("", headers)
        expect(allowed.json.data, allowed.text).toMatchObject({ status: "approved", refusal: null })
        expect((await approve("", headers)).text).toBe(allowed.text)
        expect(decided(tried.json.data)).toEqual(decided(allowed.json.data))
        expect(decided(await read())).toEqual(decided(allowed.json.data))
        const shown = tried.json.meta.dry_run.limits.filter((one: any) => one.limit_id === limit.id)
        if (shown.length > 0) expect(shown.at(-1).used).toBe((await limit.used())[1])
        if (id !== "updateMerchant") expect(await count()).toBe("1")
      })
      await limit.end()
    }
  )

  covers("APPROVAL-16")
  it.each(
    acts
      .filter(({ words }) => words.some((word) => !unpricedWords.has(word as never)))
      .map((act) => [act.id, act] as const)
  )(
    "%s waits above an amount, and not at it, in each of its currencies, and counts as much",
    async (id, { area, words }) => {
      const { path, ...options } = await catalogue[id]!(s)
      const dry = () => s.api.ask(`${path}?dry_run=true`, options)
      let amounts: ReadonlyArray<{ amount: string; currency: string }> = []
      await ruled({ operations: words }, async () => {
        const waits = await dry()
        amounts = waits.json.meta.approval.amounts
        expect(amounts.length, waits.text).toBeGreaterThan(0)
      })
      for (const { amount, currency } of amounts) {
        const decimals = amount.split(".")[1]?.length ?? 0
        const minor = BigInt(amount.replace(".", ""))
        const shown = (value: bigint): string => {
          const text = value.toString().padStart(decimals + 1, "0")
          return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`
        }
        const random = (max: bigint): bigint => fc.sample(fc.bigInt({ min: 1n, max }), 1)[0]!
        for (const [least, isAbove] of [
          [minor - 1n, true],
          [minor - random(minor), true],
          [minor, false],
          [minor + random(minor), false]
        ] as const)
          if (least > 0n)
            await ruled({ operations: words, above: { amount: shown(least), currency } }, async () => {
              const { json, text } = await dry()
              expect([id, json.meta.approval !== undefined], `${shown(least)} ${currency}: ${text}`).toEqual([
                id,
                isAbove
              ])
            })
        const limit = await measured(area, words, currency)
        const [used] = (await dry()).json.meta.dry_run.limits.filter((one: any) => one.limit_id === limit.id)
        // What is taken counts at its rate, fees included: at least what is received.
        expect(Number(used?.used), `${id} in ${currency}`).toBeGreaterThanOrEqual(Number(amount))
        if (currency === amounts[0]!.currency) expect(used.used).toBe(amount)
        await limit.end()
      }
    }
  )

  let people = 0
  const keys = new Map<string, Promise<string>>()
  /** A key of a role, of a person of its own. */
  const keyOf = (role: string): Promise<string> => {
    let key = keys.get(role)
    if (key === undefined) {
      const made = s.make("/v1/api-keys", { role, person: `${role}@keys.example` })
      keys.set(role, (key = made.then(({ secret }) => secret)))
    }
    return key
  }
  covers("APPROVAL-14")
  it.each([...new Map(acts.map(({ id, words }) => [words[0]!, id]))])(
    "a rule over %s with a role that it takes is satisfied by somebody with that role, and no other",
    async (word, id) => {
      const isOwn = entries.some(({ operation }) => operation.id === id && operation.area === "v1")
      for (const [path, at, roles, taken] of [
        [rules, approvals, operatorRoles, ["support", "treasury", "admin"]],
        ...(isOwn ? ([["/v1/approval-rules", "/v1/approvals", keyRoles, ["approver", "admin"]]] as const) : [])
      ] as const)
        for (const role of roles) {
          const own = path !== rules
          const person = `${++people}@roles.example`
          const body = { name: role, email: person, role }
          const token = own ? await keyOf(role) : (await s.operate("/operator/v1/operators", { body })).json.data.token
          const { path: act, ...options } = await catalogue[id]!(s)
          const rule = { operations: [word], roles: [role] }
          const made = own ? await s.api.ask(path, { body: rule }) : await s.operate(path, { body: rule })
          const isTaken = (taken as ReadonlyArray<string>).includes(role)
          expect([role, made.status], made.text).toEqual([role, isTaken ? 200 : 400])
          if (!isTaken) continue
          const waits = (await s.api.ask(act, options)).json.meta.approval
          expect([word, role, waits?.status]).toEqual([word, role, "pending"])
          const decided = await s.api.ask(`${at}/${waits.id}/approve`, { body: {}, key: token })
          expect([word, role, decided.json.data?.status, decided.json.data?.refusal ?? null], decided.text).toEqual([
            word,
            role,
            "approved",
            null
          ])
          await withoutRules()
        }
    }
  )
})
