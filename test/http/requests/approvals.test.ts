/** Approvals over HTTP: what waits, who may approve it, and that it then happens once. */
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { Deleted } from "../../../src/engine/calls/operation.ts"
import { entries } from "../../../src/engine/operations.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { type Change, Storage } from "../../../src/engine/ports/Storage.ts"
import { controlledWords } from "../../../src/machines/controls/approval-rule.ts"
import { startApi } from "../../support/http/server.ts"
import { type Stock, stockOf } from "../../support/http/stocked-server.ts"
import { approver, catalogue, openException, type Request } from "../../support/http/successful-requests.ts"
import { covers } from "../../support/repository/covers.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { POLL_TIMEOUT_MS } from "../../support/repository/poll-timeout.ts"
import { storesHere } from "../../support/engines/every-store.ts"

const opened: Readonly<Record<string, () => Promise<Layer.Layer<Storage>>>> = {
  memory: async () => MemoryStorage.layer,
  postgres: async () => Layer.orDie(PostgresStorage.layer({ url: await freshDatabase(), connections: 6 }))
}
const approvals = "/operator/v1/approvals"
const rules = "/operator/v1/approval-rules"

/** The store of a layer, what it has stored of the responses of approved acts, and what happens before the next act begins to wait. */
const watched = (layer: Layer.Layer<Storage>) => {
  let store: Storage["Service"]
  let before: (() => Promise<unknown>) | undefined
  const keep = Effect.map(Storage, (one) => {
    store = one
    const commit: Storage["Service"]["commit"] = (change, ...others) => {
      const waits = change.rows.some(({ kind, version }) => kind === "approval" && version === 1)
      const first = waits ? before : undefined
      if (first !== undefined) before = undefined
      const done = store.commit(change, ...others)
      return first === undefined ? done : Effect.andThen(Effect.promise(first), done)
    }
    return Storage.of({ ...one, commit })
  })
  return {
    layer: Layer.effect(Storage, keep).pipe(Layer.provide(layer)),
    /** The same store, for another node. */
    shared: () => Layer.succeed(Storage, store),
    beforeItWaits: (run: () => Promise<unknown>) => void (before = run),
    sealed: async (id: string): Promise<number> => {
      const found = await Effect.runPromise(store.responsesHolding("sealed:", null, 10_000))
      return found.filter(({ key }) => key.endsWith(`approval/${id}`)).length
    }
  }
}

describe.each(storesHere(Object.keys(opened)))("approvals, on %s,", (store) => {
  let s: Stock
  let sealed: ReturnType<typeof watched>["sealed"]
  let beforeItWaits: ReturnType<typeof watched>["beforeItWaits"]
  let shared: ReturnType<typeof watched>["shared"]
  let tokens: Readonly<Record<"ada" | "bisi" | "chi" | "sam", string>>
  beforeAll(async () => {
    const storage = watched(await opened[store]!())
    ;({ beforeItWaits, sealed, shared } = storage)
    s = await stockOf(await startApi({ rate_per_second: 0 }, storage.layer))
    const operator = async (name: string, role: string): Promise<string> =>
      (
        await s.operate("/operator/v1/operators", {
          body: { name, email: `${name}.${store}@example.com`, role }
        })
      ).json.data.token
    tokens = {
      ada: await operator("ada", "admin"),
      bisi: await operator("bisi", "treasury"),
      chi: await operator("chi", "admin"),
      sam: await operator("sam", "support")
    }
  })
  afterAll(() => s.api.close())

  const as = (who: keyof typeof tokens, path: string, body?: unknown, method?: string) =>
    s.api.ask(path, { key: tokens[who], body, ...(method === undefined ? {} : { method }) })
  const approve = (who: keyof typeof tokens, id: string, verb = "approve") =>
    as(who, `${approvals}/${id}/${verb}`, { note: "checked" })
  const entry = { from: "suspense", to: "world:simulated", amount: "1", currency: "USDC", note: "sent back" }
  const entries = async (): Promise<number> => (await s.operate("/operator/v1/adjusting-entries")).json.meta.total
  /** Runs with a rule, which ends after it. */
  const under = async (rule: object, run: () => Promise<void>): Promise<void> => {
    const made = await s.operate(rules, { body: rule })
    expect(made.status, made.text).toBe(200)
    try {
      await run()
    } finally {
      const ended = await s.operate(`${rules}/${made.json.data.id}`, { method: "DELETE" })
      expect(ended.json.meta.approval, ended.text).toBeUndefined()
    }
  }

  covers("APPROVAL-3", "DRYRUN-1")
  it("a dry run of the last approval shows what the act would do, or why it would be refused, and does nothing", async () => {
    await under({ operations: ["adjusting_entry", "exception_credit"] }, async () => {
      const before = await entries()
      const { id } = (await as("ada", "/operator/v1/adjusting-entries", entry)).json.meta.approval
      const dry = await as("bisi", `${approvals}/${id}/approve?dry_run=true`, {})
      expect(dry.json.data).toMatchObject({
        status: "approved",
        refusal: null,
        resource_id: expect.stringMatching(/^adj_/)
      })
      expect(dry.json.meta.dry_run.postings).toEqual([
        {
          resource_id: dry.json.data.resource_id,
          debit: "suspense",
          credit: "world:simulated",
          amount: "1.00",
          currency: "USDC"
        }
      ])
      expect([await entries(), (await as("bisi", `${approvals}/${id}`)).json.data.status]).toEqual([before, "pending"])
      const done = await approve("bisi", id)
      expect([done.json.data.status, await entries()]).toEqual(["approved", before + 1])

      const exception = await openException(s)
      const dismiss = { action: "dismiss", note: "seen" }
      const path = `/operator/v1/exceptions/${exception}/resolve`
      const [first, second] = [await as("ada", path, dismiss), await as("chi", path, dismiss)].map(
        ({ json }) => json.meta.approval.id
      )
      await approve("bisi", first)
      const late = await as("bisi", `${approvals}/${second}/approve?dry_run=true`, {})
      const refused = await approve("bisi", second)
      expect(late.json.data.refusal).toMatchObject({ code: "invalid_status" })
      expect(late.json.data.refusal).toEqual(refused.json.data.refusal)
    })
  })

  covers("APPROVAL-1", "APPROVAL-2", "APPROVAL-3")
  it("an operator's act waits, is done once when another approves it, and is in the audit log as its maker's", async () => {
    await under({ operations: ["adjusting_entry"], above: { amount: "0.50", currency: "USDC" } }, async () => {
      const before = await entries()
      const small = await as("ada", "/operator/v1/adjusting-entries", { ...entry, amount: "0.50" })
      expect([small.status, small.json.meta.approval]).toEqual([200, undefined])
      const waits = await as("ada", "/operator/v1/adjusting-entries", entry)
      expect(waits.status, waits.text).toBe(200)
      const { id } = waits.json.meta.approval
      expect(waits.json.meta.approval).toMatchObject({
        operation: "adjusting_entry",
        resource_id: null,
        status: "pending",
        needed: 1,
        approvals: [],
        made_by: { name: "ada" }
      })
      expect(await entries()).toBe(before + 1)
      expect((await approve("ada", id)).json.code).toBe("forbidden")
      expect((await s.operate(`${approvals}/${id}/approve`, { body: {} })).json.code).toBe("forbidden")
      expect((await approve("sam", id)).json.code).toBe("forbidden")
      const [first, second] = await Promise.all([approve("bisi", id), approve("chi", id)])
      const codes = [first.json.code, second.json.code].sort()
      expect(codes, first.text + second.text).toEqual(["invalid_status", "ok"])
      expect(await entries()).toBe(before + 2)
      const done = (await s.operate(`${approvals}/${id}`)).json.data
      expect(done).toMatchObject({ status: "approved", refusal: null, resource_id: expect.stringMatching(/^adj_/) })
      for (const who of ["bisi", "chi"] as const) expect((await approve(who, id)).json.code).toBe("invalid_status")
      const { json } = await s.operate(`/operator/v1/audit?resource_id=${done.resource_id}`)
      expect(json.data[0]).toMatchObject({ action: "createAdjustingEntry", operator: { name: "ada" } })
    })
  })

  covers("APPROVAL-1")
  it("of two rules, one that names a lower role does not lower who may approve by the other", async () => {
    await under({ operations: ["adjusting_entry"] }, () =>
      under({ operations: ["adjusting_entry"], roles: ["support"] }, async () => {
        const { id } = (await as("ada", "/operator/v1/adjusting-entries", entry)).json.meta.approval
        expect((await approve("sam", id)).json.code).toBe("forbidden")
        expect((await approve("bisi", id)).json.data.status).toBe("approved")
      })
    )
  })

  covers("BATCH-3")
  it("the check of a batch waits for nothing, whatever its rows would wait for", async () => {
    await under({ operations: ["payout"] }, async () => {
      const row = { operation: "transfer", wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" }
      const { json, text } = await s.api.ask("/v1/batches", { body: { reference: `check-${store}`, rows: [row] } })
      expect([json.data.counts.valid, json.meta.approval], text).toEqual([1, undefined])
    })
  })

  it("an act that would be refused is refused at once, and one that is refused later says why", async () => {
    await under({ operations: ["exception_credit"] }, async () => {
      const exception = await openException(s)
      const act = { action: "credit", wallet_id: s.empty, note: "ours" }
      const path = `/operator/v1/exceptions/${exception}/resolve`
      const none = await as("ada", `/operator/v1/exceptions/exc_${"0".repeat(26)}/resolve`, act)
      expect(none.json.code).toBe("not_found")
      const waits = await as("ada", path, act)
      expect(waits.json.data.status, waits.text).toBe("open")
      const { id } = waits.json.meta.approval
      const other = await as("chi", path, { action: "dismiss", note: "nothing came" })
      expect((await approve("ada", other.json.meta.approval.id)).status).toBe(200)
      expect((await approve("bisi", id)).status).toBe(200)
      expect((await s.operate(`${approvals}/${id}`)).json.data).toMatchObject({
        status: "expired",
        refusal: { code: "invalid_status" }
      })
    })
  })

  /** A batch of one row that is checked. */
  const draft = async (reference: string): Promise<string> => {
    const row = { operation: "transfer", wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" }
    const { json, text } = await s.api.ask("/v1/batches", { body: { reference, rows: [row] } })
    expect(json.data?.counts.valid, text).toBe(1)
    return `/v1/batches/${json.data.id}/confirm`
  }

  covers("APPROVAL-11", "BATCH-8")
  it("a batch that is confirmed again while it waits has one approval, of each maker, and a new one when that has ended", async () => {
    await under({ operations: ["batch"], expires_after: "PT1H" }, async () => {
      const path = await draft(`again-${store}`)
      const confirm = async (key = s.api.key): Promise<{ id: string; status: string }> => {
        const { json, text } = await s.api.ask(path, { body: {}, key })
        expect(json.data?.status, text).toBe("draft")
        return json.meta.approval
      }
      const decided = async (id: string, verb: string) => (await approve("bisi", id, verb)).json.data.status
      const first = await confirm()
      const together = await Promise.all(Array.from({ length: 8 }, () => confirm()))
      expect(new Set(together.map(({ id }) => id))).toEqual(new Set([first.id]))
      const dry = (await s.api.ask(`${path}?dry_run=true`, { body: {} })).json.meta
      expect([dry.approval.id, dry.dry_run.approval]).toEqual([first.id, { operation: "batch", needed: 1 }])
      const others = await confirm(s.keys.developer)
      expect([others.id === first.id, others.status]).toEqual([false, "pending"])
      const waiting = (await as("bisi", `${approvals}?status=pending&operation=batch`)).json.data
      expect(waiting.map(({ id }: { id: string }) => id)).toEqual([others.id, first.id])

      expect(await decided(first.id, "decline")).toBe("declined")
      const racing = await Promise.all(Array.from({ length: 8 }, () => confirm()))
      const [second] = racing
      expect(new Set(racing.map(({ id }) => id))).toEqual(new Set([second!.id]))
      expect(second!.id).not.toBe(first.id)
      await s.make("/sandbox/clock/advance", { seconds: 3600 })
      const third = await confirm()
      expect([third.id === second!.id, third.status]).toEqual([false, "pending"])
      expect(await decided(third.id, "approve")).toBe("approved")
      const paid = await s.api.ask(path, { body: {} })
      expect([paid.json.data.status === "draft", paid.json.meta.approval], paid.text).toEqual([false, undefined])
    })
  })

  covers("APPROVAL-11", "LIMITS-10")
  it("what a limit makes wait has one approval too, and each act of another input one of its own", async () => {
    const limit = { scope: "platform", operations: ["batch"], max_count: 1, window: { rolling: "P7D" } }
    const made = await s.operate("/operator/v1/limits", { body: { ...limit, action: "approve" } })
    expect((await s.api.ask(await draft(`fits-${store}`), { body: {} })).json.meta.approval).toBeUndefined()
    const path = await draft(`over-${store}`)
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await s.api.ask(path, { body: {} })).json.meta.approval.id)
    )
    expect(new Set(ids).size).toBe(1)
    const other = await s.api.ask(await draft(`over-too-${store}`), { body: {} })
    expect(other.json.meta.approval).toMatchObject({ limit_ids: [made.json.data.id], status: "pending" })
    expect(ids).not.toContain(other.json.meta.approval.id)
    await s.operate(`/operator/v1/limits/${made.json.data.id}`, { method: "PATCH", body: { status: "disabled" } })

    const exception = await openException(s)
    const resolve = async (who: keyof typeof tokens, body: object, headers = {}) =>
      (await s.api.ask(`/operator/v1/exceptions/${exception}/resolve`, { key: tokens[who], body, headers })).json.meta
        .approval.id
    await under({ operations: ["exception_credit"] }, async () => {
      const first = await resolve("ada", { action: "dismiss", note: "seen" })
      // The order of members says nothing, nor does another key of the call.
      expect(await resolve("ada", { note: "seen", action: "dismiss" }, { "idempotency-key": `other-${store}` })).toBe(
        first
      )
      const others = [
        await resolve("ada", { action: "dismiss", note: "seen twice" }),
        await resolve("chi", { action: "dismiss", note: "seen" })
      ]
      expect(new Set([first, ...others]).size).toBe(3)
    })
  })

  covers("APPROVAL-11")
  it("an act that both sides approve has one approval at a time", async () => {
    const key = await s.make("/v1/api-keys", { role: "approver", person: "bisi@example.com" })
    const own = (await s.api.ask("/v1/approval-rules", { body: { operations: ["batch"] } })).json.data
    await under({ operations: ["batch"] }, async () => {
      const path = await draft(`both-${store}`)
      const confirm = async (): Promise<string> => (await s.api.ask(path, { body: {} })).json.meta.approval.id
      const operators = await confirm()
      expect(await confirm()).toBe(operators)
      expect((await approve("bisi", operators)).json.data.status).toBe("approved")
      const merchants = await confirm()
      expect([merchants === operators, await confirm()]).toEqual([false, merchants])
      const decided = await s.api.ask(`/v1/approvals/${merchants}/approve`, { body: {}, key: key.secret })
      expect(decided.json.data?.status, decided.text).toBe("approved")
      expect((await s.api.ask(path, { body: {} })).json.data.status).not.toBe("draft")
    })
    for (const path of [`approval-rules/${own.id}`, `api-keys/${key.id}`])
      await s.api.ask(`/v1/${path}`, { method: "DELETE" })
  })

  covers("APPROVAL-11", "REFERENCE-3")
  it("of payouts that are made again under one reference one waits, and without a reference each does", async () => {
    await under({ operations: ["payout"] }, async () => {
      const body = { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" }
      const ask = (more: object) => s.api.ask("/v1/transfers", { body: { ...body, ...more } })
      const racing = await Promise.all([1, 2, 3, 4].map(() => ask({ reference: `waits-once-${store}` })))
      const made = racing.filter(({ json }) => json.code === "ok")
      expect([made.length, racing.filter(({ json }) => json.code === "duplicate_resource").length]).toEqual([1, 3])
      const { data, meta } = made[0]!.json
      const found = (await as("bisi", `${approvals}?resource_id=${data.id}&operation=payout`)).json.data
      expect(found.map(({ id }: { id: string }) => id)).toEqual([meta.approval.id])
      const [one, other] = [await ask({}), await ask({})]
      expect(one.json.meta.approval.id).not.toBe(other.json.meta.approval.id)
      for (const { json } of [made[0]!, one, other]) await approve("bisi", json.meta.approval.id, "decline")
    })
  })

  covers("APPROVAL-11")
  it("what can be made once from its input waits once: by a quote, a reference, or what an entry ends", async () => {
    const asks = async (id: string, more: object) => {
      const { path, body, ...options } = await catalogue[id]!(s)
      return async (other: object = {}): Promise<string> => {
        const { json, text } = await s.api.ask(path, { ...options, body: { ...(body as object), ...more, ...other } })
        expect(json.meta.approval?.status, text).toBe("pending")
        return json.meta.approval.id
      }
    }
    const word = { createOnramp: "onramp", createConversion: "conversion", createAdjustingEntry: "adjusting_entry" }
    for (const [id, operation] of Object.entries(word)) {
      const names = id === "createAdjustingEntry" ? [{}] : [{}, { reference: `waits-${id}-${store}` }]
      for (const more of names) {
        const ask = await asks(id, more)
        await under({ operations: [operation] }, async () => {
          const racing = await Promise.all([1, 2, 3, 4].map(() => ask()))
          const again = await ask()
          expect([id, new Set([...racing, again])]).toEqual([id, new Set([again])])
          // Another input is another act, also where they begin to wait at once.
          const others = await Promise.all(
            id === "createAdjustingEntry" ? [] : [1, 2, 3, 4].map((n) => ask({ metadata: { n: `${n}` } }))
          )
          expect([id, new Set([again, ...others]).size]).toEqual([id, others.length + 1])
          for (const other of others) await approve("bisi", other, "decline")
          expect([id, (await approve("bisi", again, "decline")).json.data.status]).toEqual([id, "declined"])
          const next = await ask()
          expect([id, next === again]).toEqual([id, false])
          await approve("bisi", next, "decline")
        })
      }
    }
  })

  covers("REFERENCE-3")
  it("an onramp or a conversion that is made again under its reference is returned, and waits for nothing", async () => {
    for (const kind of ["Onramp", "Conversion"] as const) {
      const { path, body, ...options } = await catalogue[`create${kind}`]!(s)
      const ask = () =>
        s.api.ask(path, { ...options, body: { ...(body as object), reference: `again-${kind}-${store}` } })
      const made = await ask()
      expect(made.status, made.text).toBe(200)
      await under({ operations: ["onramp", "conversion"] }, async () => {
        const again = await ask()
        expect([again.json.data.id, again.json.meta.approval], again.text).toEqual([made.json.data.id, undefined])
        expect(again.headers.get("idempotent-replayed")).toBe("true")
      })
    }
  })

  covers("APPROVAL-1")
  it("the time that an act waits is in whole milliseconds, whatever fraction a rule has", async () => {
    await under({ operations: ["payout"], expires_after: "PT90.0005S" }, async () => {
      const body = { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" }
      const { json, text } = await s.api.ask("/v1/transfers", { body })
      expect(json.meta?.approval?.status, text).toBe("pending")
      const { id, created_at, expires_at } = json.meta.approval
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(90_001)
      await approve("bisi", id, "decline")
    })
  })

  covers("APPROVAL-13", "BATCH-6")
  it("what waits for a batch ends in the commit in which the batch is cancelled, or confirmed by another approval", async () => {
    await under({ operations: ["batch"] }, async () => {
      const confirmed = async (path: string, key = s.api.key): Promise<string> =>
        (await s.api.ask(path, { body: {}, key })).json.meta.approval.id
      const shown = async (id: string) => (await as("bisi", `${approvals}/${id}`)).json.data
      const path = await draft(`cancelled-${store}`)
      const [one, other] = [await confirmed(path), await confirmed(path, s.keys.developer)]
      const cancelled = await s.api.ask(path.replace("confirm", "cancel"), { body: {} })
      const { id, status, updated_at } = cancelled.json.data
      expect(status, cancelled.text).toBe("cancelled")
      for (const approval of [one, other]) {
        const { expires_at, refusal, ...data } = await shown(approval)
        expect(data).toMatchObject({ status: "expired", resource_id: id, approvals: [], declined_by: null, updated_at })
        expect([expires_at, refusal]).toEqual([
          updated_at,
          { code: "invalid_status", message: `${id} is cancelled by now.` }
        ])
        expect((await approve("bisi", approval)).json.code).toBe("invalid_status")
        expect((await approve("bisi", approval, "decline")).json.code).toBe("invalid_status")
      }
      expect((await as("bisi", `${approvals}?status=pending&resource_id=${id}`)).json.meta.total).toBe(0)

      const again = await draft(`confirmed-${store}`)
      const [first, second] = [await confirmed(again), await confirmed(again, s.keys.developer)]
      expect((await approve("bisi", first)).json.data).toMatchObject({ status: "approved", refusal: null })
      expect(await shown(second)).toMatchObject({ status: "expired", refusal: { code: "invalid_status" } })
    })
  })

  covers("APPROVAL-13")
  it("nothing waits for a batch that was cancelled while its confirmation was asked for", async () => {
    await under({ operations: ["batch"] }, async () => {
      for (let round = 0; round < 12; round++) {
        const path = await draft(`raced-${store}-${round}`)
        const [confirmed, cancelled] = await Promise.all([
          s.api.ask(path, { body: {} }),
          s.api.ask(path.replace("confirm", "cancel"), { body: {} })
        ])
        expect(cancelled.json.data?.status, cancelled.text).toBe("cancelled")
        expect(["ok", "invalid_status"]).toContain(confirmed.json.code)
        const { id } = cancelled.json.data
        // An approval that has begun between the reads and the commit of the other ends right after it.
        await s.make("/sandbox/clock/advance", { seconds: 1 })
        const found = (await as("bisi", `${approvals}?resource_id=${id}`)).json.data
        expect(found.filter((one: { status: string }) => one.status === "pending")).toEqual([])
      }
    })
  })

  covers("APPROVAL-13")
  it("what ends between the trial of an act and its wait is refused, and waits for nothing", async () => {
    await under({ operations: ["batch"] }, async () => {
      const path = await draft(`between-${store}`)
      beforeItWaits(() => s.api.ask(path.replace("confirm", "cancel"), { body: {} }))
      const confirmed = await s.api.ask(path, { body: {} })
      expect([confirmed.json.code, confirmed.json.meta.approval], confirmed.text).toEqual(["invalid_status", undefined])
      expect((await as("bisi", `${approvals}?resource_id=${path.split("/")[3]}`)).json.data).toEqual([])
    })
  })

  covers("APPROVAL-13")
  it("what is asked for when an exception is open again waits, whatever the end before it still ends", async () => {
    await under({ operations: ["exception_credit"] }, async () => {
      const exception = await openException(s)
      const ask = async (note: string) =>
        (await as("ada", `/operator/v1/exceptions/${exception}/resolve`, { action: "dismiss", note })).json.meta
          .approval
      const before = await ask("seen")
      const done = async (path: string, body: object): Promise<string> => {
        const { json, text } = await s.operate(path, { body })
        const decided = (await approve("bisi", json.meta.approval?.id)).json.data
        expect([decided?.status, decided?.refusal], text).toEqual(["approved", null])
        return decided.resource_id
      }
      const booked = await done("/operator/v1/adjusting-entries", { ...entry, exception_id: exception })
      await done(`/operator/v1/adjusting-entries/${booked}/reverse`, { note: "by mistake" })
      const after = await ask("seen again")
      await s.make("/sandbox/clock/advance", { seconds: 1 })
      const status = async ({ id }: { id: string }) => (await s.operate(`${approvals}/${id}`)).json.data.status
      expect([await status(before), await status(after)]).toEqual(["expired", "pending"])
      await approve("bisi", after.id, "decline")
    })
  })

  covers("APPROVAL-13", "APPROVAL-4")
  it("of a payout that both sides are asked for, what one side declines or lets expire ends for the other", async () => {
    const key = await s.make("/v1/api-keys", { role: "approver", person: "bisi@example.com" })
    const own = (await s.api.ask("/v1/approval-rules", { body: { operations: ["payout"] } })).json.data
    await under({ operations: ["payout"], expires_after: "PT1H" }, async () => {
      const waiting = async (): Promise<{ payout: string; operators: string; merchants: string }> => {
        const body = { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" }
        const { id } = (await s.api.ask("/v1/transfers", { body })).json.data
        const { data } = (await s.api.ask(`/v1/approvals?resource_id=${id}`)).json
        const of = (side: string): string => data.find((one: { side: string }) => one.side === side).id
        return { payout: id, operators: of("operator"), merchants: of("merchant") }
      }
      const shown = async (id: string) => (await s.api.ask(`/v1/approvals/${id}`)).json.data
      const [one, two, three] = [await waiting(), await waiting(), await waiting()]
      const message = ({ payout }: typeof one) => ({ code: "invalid_status", message: `${payout} is failed by now.` })
      await approve("bisi", one.operators, "decline")
      expect(await shown(one.merchants)).toMatchObject({ status: "expired", refusal: message(one) })
      const declined = await s.api.ask(`/v1/approvals/${two.merchants}/decline`, {
        body: { note: "no" },
        key: key.secret
      })
      expect(declined.json.data?.status, declined.text).toBe("declined")
      expect(await shown(two.operators)).toMatchObject({ status: "expired", refusal: message(two), declined_by: null })
      await s.make("/sandbox/clock/advance", { seconds: 3601 })
      expect(await shown(three.operators)).toMatchObject({ status: "expired", refusal: null })
      expect(await shown(three.merchants)).toMatchObject({ status: "expired", refusal: message(three) })
      for (const { payout } of [one, two, three])
        expect((await s.api.ask(`/v1/transfers/${payout}`)).json.data).toMatchObject({
          status: "failed",
          failure_reason: "cancelled"
        })
    })
    for (const path of [`approval-rules/${own.id}`, `api-keys/${key.id}`])
      await s.api.ask(`/v1/${path}`, { method: "DELETE" })
  })

  covers("APPROVAL-12")
  it("a merchant sees what the operators decide of its payouts, without their names, and does not decide it", async () => {
    const own = await s.make("/v1/approval-rules", { operations: ["offramp"] })
    await under({ operations: ["payout"], approvals: 2 }, async () => {
      const pay = async (path: string, body: object) => (await s.api.ask(path, { body })).json
      const paid = await pay("/v1/transfers", { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" })
      const { id } = paid.meta.approval
      await approve("bisi", id)
      await as("chi", `${approvals}/${id}/decline`, { note: "a known fraud" })
      const isOperators = {
        side: "operator",
        status: "declined",
        resource_id: paid.data.id,
        amounts: [{ amount: "1.00", currency: "USDC" }],
        recipient: (await s.api.ask(`/v1/beneficiaries/${s.crypto}`)).json.data.name,
        beneficiary_id: s.crypto
      }
      const operator = { by: { id: null, name: "operator" }, note: null }
      const theirs = (await as("ada", `${approvals}/${id}`)).json.data
      expect(theirs).toMatchObject({
        ...isOperators,
        approvals: [{ by: { name: "bisi" }, note: "checked" }],
        declined_by: { by: { name: "chi" }, note: "a known fraud" }
      })
      for (const key of [s.api.key, s.keys.viewer]) {
        const seen = [
          (await s.api.ask(`/v1/approvals/${id}`, { key })).json.data,
          (await s.api.ask(`/v1/approvals?side=operator&resource_id=${paid.data.id}`, { key })).json.data[0]
        ]
        for (const one of seen)
          expect(one).toEqual({
            ...theirs,
            approvals: [{ ...operator, at: theirs.approvals[0].at }],
            declined_by: { ...operator, at: theirs.declined_by.at }
          })
      }
      // By whom they pay: on both sides, in a file too.
      const to = (key: string, path: string, query: string) => s.api.ask(`${path}?beneficiary_id=${query}`, { key })
      for (const [key, path] of [
        [s.api.key, "/v1/approvals"],
        [tokens["ada"]!, approvals]
      ] as const) {
        expect((await to(key, path, s.crypto)).json.data.map((one: any) => one.id)).toContain(id)
        expect((await to(key, path, s.fiat)).json.data).toEqual([])
        const [header, ...lines] = (await to(key, path, `${s.crypto}&format=csv`)).text.trim().split("\r\n")
        expect(header).toMatch(/recipient,beneficiary_id/)
        expect(lines.every((line) => line.includes(s.crypto))).toBe(true)
      }
      const waits = await pay("/v1/transfers", { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" })
      for (const verb of ["approve", "decline"]) {
        const refused = await s.api.ask(`/v1/approvals/${waits.meta.approval.id}/${verb}`, { body: { note: "no" } })
        expect([refused.status, refused.json.message]).toEqual([
          403,
          `Approval ${waits.meta.approval.id} is of the operators, who decide it.`
        ])
      }

      const quote = await s.quote({ source_amount: "20" })
      const both = await pay("/v1/offramps", { quote_id: quote.id })
      const found = (await s.api.ask(`/v1/approvals?resource_id=${both.data.id}`)).json.data
      expect(found.map(({ side }: { side: string }) => side).sort()).toEqual(["merchant", "operator"])
      expect(found[0].amounts.map(({ currency }: { currency: string }) => currency)).toEqual(["USDC", "NGN"])
      const mine = (await s.api.ask(`/v1/approvals?side=merchant&resource_id=${both.data.id}`)).json.data
      expect(mine.map(({ side }: { side: string }) => side)).toEqual(["merchant"])
      expect((await as("ada", `${approvals}/${mine[0].id}`)).json.code).toBe("not_found")
      expect((await as("ada", `${approvals}/${mine[0].id}/approve`, {})).json.code).toBe("not_found")
      expect((await as("ada", `${approvals}?resource_id=${both.data.id}`)).json.data).toHaveLength(1)
      for (const one of [waits.meta.approval.id, both.meta.approval.id]) await approve("bisi", one, "decline")
    })
    await s.api.ask(`/v1/approval-rules/${own.id}`, { method: "DELETE" })
  })

  covers("APPROVAL-12", "TIMELINE-2")
  it("a merchant that asks again for an act that waits sees no operator in its approval, and what the act comes to", async () => {
    await under({ operations: ["batch"], approvals: 2 }, async () => {
      const path = await draft(`half-${store}`)
      const ask = async () => (await s.api.ask(path, { body: {} })).json.meta.approval
      const { id, amounts, recipient } = await ask()
      expect([amounts, recipient]).toEqual([[{ amount: "1.00", currency: "USDC" }], null])
      await approve("bisi", id)
      expect((await ask()).approvals).toMatchObject([{ by: { id: null, name: "operator" }, note: null }])
      await approve("chi", id, "decline")
    })
    await under({ operations: ["adjusting_entry", "merchant"] }, async () => {
      const posted = await as("ada", "/operator/v1/adjusting-entries", entry)
      expect(posted.json.meta.approval.amounts).toEqual([{ amount: "1.00", currency: "USDC" }])
      const renamed = await as("ada", `/operator/v1/merchants/${s.api.merchant_id}`, { status: "suspended" }, "PATCH")
      expect(renamed.json.meta.approval.amounts, renamed.text).toEqual([])
    })
  })

  covers("APPROVAL-8")
  it("the secret that an approved act makes is shown to its maker alone, for a day, and is gone then", async () => {
    await under({ operations: ["operator", "api_key"] }, async () => {
      const person = { name: "dora", email: `dora.${store}@example.com`, role: "support" }
      const { id } = (await as("ada", "/operator/v1/operators", person)).json.meta.approval
      const shown = async (by: Promise<{ json: any }>) => (await by).json.data.result
      expect(await shown(as("ada", `${approvals}/${id}`))).toBe(null)
      const approved = await approve("chi", id)
      expect([approved.json.data.status, approved.json.data.result], approved.text).toEqual(["approved", null])
      const { token, ...dora } = await shown(as("ada", `${approvals}/${id}`))
      expect(dora).toMatchObject(person)
      expect((await s.api.ask("/operator/v1/me", { key: token })).json.data).toMatchObject(person)
      expect(await shown(as("chi", `${approvals}/${id}`))).toBe(null)
      expect(await shown(s.operate(`${approvals}/${id}`))).toBe(null)
      expect((await as("ada", approvals)).text).not.toContain(token)

      const rotated = await as("ada", `/operator/v1/operators/${dora.id}/rotate-token`, {})
      await approve("chi", rotated.json.meta.approval.id)
      const second = (await shown(as("ada", `${approvals}/${rotated.json.meta.approval.id}`))).token
      expect((await s.api.ask("/operator/v1/me", { key: token })).json.code).toBe("authentication_failed")
      expect((await s.api.ask("/operator/v1/me", { key: second })).json.data).toMatchObject(person)

      const configured = (await s.operate(`/operator/v1/operators/${dora.id}/rotate-token`, { body: {} })).json.meta
      await approve("ada", configured.approval.id)
      expect((await shown(s.operate(`${approvals}/${configured.approval.id}`))).token).toMatch(/^op_/)
      expect(await shown(as("ada", `${approvals}/${configured.approval.id}`))).toBe(null)

      await s.make("/sandbox/clock/advance", { seconds: 23 * 3600 })
      expect((await shown(as("ada", `${approvals}/${id}`))).token).toBe(token)
      expect(await sealed(id)).toBe(1)
      await s.make("/sandbox/clock/advance", { seconds: 3600 })
      expect(await shown(as("ada", `${approvals}/${id}`))).toBe(null)
      await s.settle()
      expect(await sealed(id)).toBe(0)
      expect((await as("ada", `${approvals}/${id}`)).json.data).toMatchObject({ status: "approved", result: null })
    })
  })

  covers("APPROVAL-8")
  it("a merchant's key reads the secret of its own act, whichever side has approved it, and no other key does", async () => {
    await under({ operations: ["api_key"] }, async () => {
      const { id } = (await s.api.ask("/v1/api-keys", { body: { role: "admin" } })).json.meta.approval
      await approve("chi", id)
      const by = (key: string) => s.api.ask(`/v1/approvals/${id}`, { key })
      const { secret, ...made } = (await by(s.api.key)).json.data.result
      expect((await s.api.ask("/v1/me", { key: secret })).json.data.api_key.id).toBe(made.id)
      for (const other of [secret, s.keys.developer]) {
        expect((await by(other)).json.data).toMatchObject({ id, status: "approved", result: null })
        expect((await by(other)).text).not.toContain(secret)
      }
      expect((await as("chi", `${approvals}/${id}`)).json.data.result).toBe(null)
      await s.operate(`/operator/v1/merchants/${s.api.merchant_id}/api-keys/${made.id}/revoke`, { body: {} })
    })
  })

  covers("APPROVAL-8")
  it("a maker's own token, which would end before the new one can be read, is not replaced by an act that waits", async () => {
    const me = (await as("ada", "/operator/v1/me")).json.data
    const path = `/operator/v1/operators/${me.id}/rotate-token`
    await under({ operations: ["operator"] }, async () => {
      for (const one of [path, `${path}?dry_run=true`]) {
        const refused = await as("ada", one, {})
        expect([refused.status, refused.json.code], refused.text).toEqual([409, "invalid_status"])
      }
      expect((await as("chi", path, {})).json.meta.approval.status).toBe("pending")
    })
    const rotated = await as("ada", path, {})
    expect(rotated.json.data.token, rotated.text).toMatch(/^op_/)
    tokens = { ...tokens, ada: rotated.json.data.token }
  })

  covers("APPROVAL-9")
  it("nobody decides with rights that were lost on another node, whatever this one remembers", async () => {
    const node = await startApi({ rate_per_second: 0 }, shared())
    try {
      const made = async (name: string) =>
        (
          await s.operate("/operator/v1/operators", {
            body: { name, email: `${name}.${store}@example.com`, role: "treasury" }
          })
        ).json.data
      const [eve, fay] = [await made("eve"), await made("fay")]
      for (const { token } of [eve, fay]) expect((await node.ask("/operator/v1/me", { key: token })).status).toBe(200)
      await under({ operations: ["adjusting_entry"] }, async () => {
        const { id } = (await as("ada", "/operator/v1/adjusting-entries", entry)).json.meta.approval
        await s.operate(`/operator/v1/operators/${eve.id}`, { method: "PATCH", body: { role: "viewer" } })
        await s.operate(`/operator/v1/operators/${fay.id}/revoke`, { body: { note: "left" } })
        const by = async ({ token }: { token: string }, verb: string) =>
          (await node.ask(`${approvals}/${id}/${verb}`, { key: token, body: { note: "no" } })).json.code
        expect([await by(eve, "approve"), await by(eve, "decline"), await by(fay, "approve")]).toEqual([
          "forbidden",
          "forbidden",
          "authentication_failed"
        ])
        expect((await approve("bisi", id)).json.data.status).toBe("approved")
      })
    } finally {
      await node.close()
    }
  })

  covers("APPROVAL-9")
  it("an act is not done for an operator who was revoked or lost the role after asking", async () => {
    const person = { name: "dan", email: `dan.${store}@example.com`, role: "treasury" }
    const { id: dan, token } = (await s.operate("/operator/v1/operators", { body: person })).json.data
    await under({ operations: ["adjusting_entry"] }, async () => {
      const ask = async () =>
        (await s.api.ask("/operator/v1/adjusting-entries", { key: token, body: entry })).json.meta.approval.id
      const before = await entries()
      const [first, second, third] = [await ask(), await ask(), await ask()]
      const path = `/operator/v1/operators/${dan}`
      const refusalOf = async (id: string) => (await approve("bisi", id)).json.data.refusal?.code
      await s.operate(path, { method: "PATCH", body: { role: "support" } })
      const dry = await as("bisi", `${approvals}/${first}/approve?dry_run=true`, {})
      expect(dry.json.data.refusal?.code, dry.text).toBe("forbidden")
      expect(await refusalOf(first)).toBe("forbidden")
      await s.operate(path, { method: "PATCH", body: { role: "admin" } })
      expect([await refusalOf(second), await entries()]).toEqual([undefined, before + 1])
      await s.operate(`${path}/revoke`, { body: {} })
      expect([await refusalOf(third), await entries()]).toEqual(["authentication_failed", before + 1])
      expect((await s.operate(`${approvals}/${third}`)).json.data.status).toBe("expired")
    })
  })

  covers("APPROVAL-9")
  it("an act is not done for a key that was revoked, nor for a merchant that was suspended, after asking", async () => {
    const maker = (await s.api.ask("/v1/api-keys", { body: { role: "admin" } })).json.data
    const asked: Array<string> = []
    await under({ operations: ["api_key"] }, async () => {
      for (const key of [s.api.key, maker.secret])
        asked.push((await s.api.ask("/v1/api-keys", { body: { role: "viewer" }, key })).json.meta.approval.id)
    })
    const keys = async (): Promise<number> =>
      (await s.operate(`/operator/v1/merchants/${s.api.merchant_id}/api-keys`)).json.meta.total
    const status = (to: string) =>
      s.operate(`/operator/v1/merchants/${s.api.merchant_id}`, { method: "PATCH", body: { status: to } })
    const before = await keys()
    await status("suspended")
    expect((await approve("chi", asked[0]!)).json.data.refusal?.code).toBe("merchant_inactive")
    await status("active")
    await s.api.ask(`/v1/api-keys/${maker.id}`, { method: "DELETE" })
    expect((await approve("chi", asked[1]!)).json.data.refusal?.code).toBe("authentication_failed")
    expect(await keys()).toBe(before - 1)
  })

  covers("APPROVAL-4")
  it("a payout that waits has its money reserved, is not submitted, and goes on when it is approved", async () => {
    await under({ operations: ["payout"] }, async () => {
      const made = await s.api.ask("/v1/transfers", {
        body: { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "3" }
      })
      const { id: transfer } = made.json.data
      expect(made.json.data.status).toBe("processing")
      expect(made.json.meta.approval).toMatchObject({ operation: "transfer", resource_id: transfer, status: "pending" })
      await s.settle()
      const history = async () => (await s.operate(`/operator/v1/resources/${transfer}/timeline`)).json.data
      expect((await history()).state).toBe("approving")
      expect((await history()).entries.filter(({ type }: any) => type === "provider_call")).toEqual([])
      const allowed = await approve("bisi", made.json.meta.approval.id)
      expect(allowed.json.data.status, allowed.text).toBe("approved")
      await s.settle()
      expect((await history()).entries.map(({ type }: any) => type)).toContain("provider_call")
    })
  })

  it("a payout that is declined fails with its money back; one that nobody approves expires so", async () => {
    await under({ operations: ["payout"], expires_after: "PT2H" }, async () => {
      const available = async (): Promise<string> => (await s.api.ask(`/v1/wallets/${s.wallet}`)).json.data.balance
      const before = JSON.stringify(await available())
      const pay = () =>
        s.api.ask("/v1/transfers", { body: { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "3" } })
      const [one, two] = [await pay(), await pay()]
      expect((await approve("bisi", one.json.meta.approval.id, "decline")).json.data.status).toBe("declined")
      await s.make("/sandbox/clock/advance", { seconds: 2 * 3600 + 1 })
      for (const { json } of [one, two]) {
        const { data } = (await s.api.ask(`/v1/transfers/${json.data.id}`)).json
        expect([data.status, data.failure_reason]).toEqual(["failed", "cancelled"])
      }
      expect((await s.operate(`${approvals}/${two.json.meta.approval.id}`)).json.data.status).toBe("expired")
      expect((await approve("bisi", two.json.meta.approval.id)).json.code).toBe("invalid_status")
      expect(JSON.stringify(await available())).toBe(before)
    })
  })

  it("an offramp that waits keeps its status and its rate", async () => {
    await under({ operations: ["offramp"], approvals: 2 }, async () => {
      const quote = await s.quote({ source_amount: "20" })
      const made = await s.api.ask("/v1/offramps", { body: { quote_id: quote.id } })
      const { id } = made.json.meta.approval
      expect([made.json.data.status, made.json.meta.approval.needed]).toEqual(["created", 2])
      await s.make("/sandbox/clock/advance", { seconds: 3600 })
      expect((await approve("bisi", id)).json.data.status).toBe("pending")
      expect((await approve("bisi", id)).json.code).toBe("forbidden")
      expect((await s.api.ask(`/v1/offramps/${made.json.data.id}`)).json.data.status).toBe("created")
      expect((await approve("chi", id)).json.data.status).toBe("approved")
      await s.settle()
      const { data } = (await s.api.ask(`/v1/offramps/${made.json.data.id}`)).json
      expect([data.status, data.rate]).toEqual(["processing", made.json.data.rate])
    })
  })

  covers("APPROVAL-5")
  it("a change of rules waits once a rule covers it, and only then", async () => {
    const made = await as("ada", rules, { operations: ["approval_rule"] })
    const { id: rule } = made.json.data
    const ended = await as("ada", `${rules}/${rule}`, undefined, "DELETE")
    expect(ended.json.meta.approval, ended.text).toMatchObject({ operation: "approval_rule", resource_id: rule })
    expect((await s.operate(`${rules}/${rule}`)).json.data.status).toBe("active")
    const updated = await as("ada", `${rules}/${rule}`, { approvals: 2 }, "PATCH")
    expect(updated.json.data.approvals).toBe(1)
    expect((await as("chi", rules, { operations: ["payout"] })).json.meta.approval.status).toBe("pending")
    expect((await approve("chi", ended.json.meta.approval.id)).status).toBe(200)
    expect((await s.operate(`${rules}/${rule}`)).json.data.status).toBe("ended")
    expect((await s.operate(`${rules}?status=active`)).json.data).toEqual([])
  })

  covers("APPROVAL-6")
  it("a merchant's payout waits for a key of another person, in every guise", async () => {
    const own = "/v1/approval-rules"
    const key = async (body: object, by = s.api.key) => (await s.api.ask("/v1/api-keys", { body, key: by })).json.data
    const approver = await key({ role: "approver", person: "bisi@example.com" })
    const maker = await key({ role: "developer", person: "ada@example.com" })
    const second = await key({ role: "approver", person: "Ada@example.com" })
    const padded = await key({ role: "approver", person: " ada@\uff45xample.com " })
    const rule = (await s.api.ask(own, { body: { operations: ["payout"] } })).json.data
    const body = { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" }
    const made = await s.api.ask("/v1/transfers", { body, key: maker.secret })
    const { id, made_by } = made.json.meta.approval
    expect(made_by).toEqual({ id: maker.id, name: "ada@example.com" })
    const by = (secret: string, verb = "approve") => s.api.ask(`/v1/approvals/${id}/${verb}`, { body: {}, key: secret })
    for (const secret of [maker.secret, second.secret, padded.secret, s.keys.viewer])
      expect((await by(secret)).json.code).toBe("forbidden")
    expect((await s.api.ask("/v1/transfers", { body, key: approver.secret })).json.code).toBe("forbidden")
    expect((await s.api.ask("/v1/approvals?status=pending", { key: approver.secret })).json.data[0].id).toBe(id)
    expect((await s.operate(`${approvals}/${id}`)).json.code).toBe("not_found")
    // A key without a person is of the key that made it, and has no name but its id.
    const nameless = await key({ role: "developer" })
    const other = await s.api.ask("/v1/transfers", { body, key: nameless.secret })
    expect(other.json.meta.approval.made_by).toEqual({ id: nameless.id, name: nameless.id })
    const declined = await s.api.ask(`/v1/approvals/${other.json.meta.approval.id}/decline`, {
      body: { note: "unknown payee" },
      key: approver.secret
    })
    expect(declined.json.data.status, declined.text).toBe("declined")
    const denied = await s.api.ask("/v1/api-keys", { body: { role: "approver" }, key: maker.secret })
    expect(denied.json.code).toBe("forbidden_key_role")
    expect((await by(approver.secret)).json.data.status).toBe("approved")
    expect((await s.api.ask(`/v1/approvals/${id}`)).json.data.approvals).toMatchObject([
      { by: { id: approver.id, name: "bisi@example.com" } }
    ])
    expect((await s.api.ask(`${own}/${rule.id}`, { method: "DELETE" })).json.data).toEqual({
      id: rule.id,
      success: true
    })
    for (const { id } of [approver, maker, second, padded]) await s.api.ask(`/v1/api-keys/${id}`, { method: "DELETE" })
  })

  it("a key made by the maker is the maker's, and a repeat of the maker's call does nothing more", async () => {
    const key = async (body: object, by = s.api.key) => (await s.api.ask("/v1/api-keys", { body, key: by })).json.data
    const made = await key({ role: "admin" }, s.api.key)
    const rule = (await s.api.ask("/v1/approval-rules", { body: { operations: ["transfer"], roles: ["admin"] } })).json
      .data
    const headers = { "idempotency-key": `waits-${store}-1` }
    const body = { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" }
    const first = await s.api.ask("/v1/transfers", { body, headers })
    const again = await s.api.ask("/v1/transfers", { body, headers })
    expect(again.text).toBe(first.text)
    const { id } = first.json.meta.approval
    expect((await s.api.ask(`/v1/approvals/${id}/approve`, { body: {}, key: made.secret })).json.code).toBe("forbidden")
    const dry = await s.api.ask("/v1/transfers?dry_run=true", { body })
    expect(dry.json.meta.dry_run.approval).toEqual({ operation: "transfer", needed: 1 })
    await s.api.ask(`/v1/approval-rules/${rule.id}`, { method: "DELETE" })
    await s.api.ask(`/v1/approvals/${id}/decline`, { body: { note: "no" }, key: s.keys.developer })
    await s.make("/sandbox/clock/advance", { seconds: 25 * 3600 })
    expect((await s.api.ask(`/v1/approvals/${id}`)).json.data.status).toBe("expired")
  })

  covers("APPROVAL-2", "APPROVAL-6")
  it("a key that an operator made is the operator's, as are the keys that it makes, unless an admin names a person", async () => {
    const made = (await as("ada", "/operator/v1/merchants", { name: "Lagos", country_code: "NG", status: "active" }))
      .json.data
    const first = made.api_key.secret
    const key = async (body: object, by = first) => (await s.api.ask("/v1/api-keys", { body, key: by })).json.data
    const ofOperator = (await as("ada", `/operator/v1/merchants/${made.merchant.id}/api-keys`, { role: "admin" })).json
      .data
    const derived = await key({ role: "developer" }, ofOperator.secret)
    const named = await key({ role: "developer", person: "chidi@lagos.example" })
    const ofNamed = (
      await as("ada", `/operator/v1/merchants/${made.merchant.id}/api-keys`, {
        role: "approver",
        person: "ngozi@lagos.example"
      })
    ).json.data
    // A merchant reads no operator's name, nor its id.
    const keys = (await s.api.ask("/v1/api-keys", { key: first })).json
    expect(keys.data.map(({ person }: { person: string }) => person).sort()).toEqual([
      "chidi@lagos.example",
      "ngozi@lagos.example",
      "operator",
      "operator",
      "operator"
    ])
    expect(JSON.stringify(keys)).not.toMatch(/\bopr_|\bada\b/)
    const { id: wallet_id } = (await s.api.ask("/v1/wallets", { body: { currency: "USDC" }, key: first })).json.data
    await s.api.ask("/sandbox/deposits", { body: { wallet_id, amount: "50" }, key: first })
    const crypto = {
      type: "crypto",
      name: "Chidi",
      currency: "USDC",
      details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
    }
    const { id: beneficiary_id } = (await s.api.ask("/v1/beneficiaries", { body: crypto, key: first })).json.data
    await s.api.ask("/sandbox/settle", { body: {}, key: first })
    const pay = async (secret: string) => {
      const paid = await s.api.ask("/v1/transfers", { body: { wallet_id, beneficiary_id, amount: "1" }, key: secret })
      expect(paid.json.meta.approval?.status, paid.text).toBe("pending")
      return paid.json.meta.approval.id
    }
    await under({ operations: ["payout"] }, async () => {
      for (const secret of [first, ofOperator.secret, derived.secret]) {
        const id = await pay(secret)
        const refused = await approve("ada", id)
        expect([refused.json.code, refused.json.message]).toEqual([
          "forbidden",
          `Approval ${id} is of what the same person made, with another token or key. Another person decides.`
        ])
        expect((await approve("bisi", id)).json.data.status).toBe("approved")
      }
      expect((await approve("ada", await pay(named.secret))).json.data.status).toBe("approved")
    })
    // On the merchant's side two keys of one operator are one person, too.
    const approver = (await as("ada", `/operator/v1/merchants/${made.merchant.id}/api-keys`, { role: "approver" })).json
      .data
    await s.api.ask("/v1/approval-rules", { body: { operations: ["payout"] }, key: first })
    const id = await pay(derived.secret)
    const by = (secret: string) => s.api.ask(`/v1/approvals/${id}/approve`, { body: {}, key: secret })
    expect((await by(approver.secret)).json.code).toBe("forbidden")
    expect((await by(ofNamed.secret)).json.data.status).toBe("approved")
  })

  it("rejects a rule that nobody can follow, with its field", async () => {
    const refused = async (body: object, field: string, at = rules) => {
      const { json, status } = await s.operate(at, { body })
      expect([status, json.meta.errors?.map((one: any) => one.field)]).toEqual([400, [field]])
    }
    await refused({ operations: ["payouts"] }, "operations.0")
    await refused({ operations: ["payout"], approvals: 4 }, "approvals")
    await refused({ operations: ["payout"], roles: ["boss"] }, "roles")
    await refused({ operations: ["payout"], expires_after: "one day" }, "expires_after")
    const above = { amount: "1", currency: "XXX" }
    const unknown = await s.operate(rules, { body: { operations: ["payout"], above } })
    expect([unknown.status, unknown.json.message]).toEqual([404, "There is no currency XXX."])
    const own = await s.api.ask("/v1/approval-rules", { body: { operations: ["operator"] } })
    expect([own.status, own.json.meta.errors[0].field]).toEqual([400, "operations"])
  })
})

/** The operations that move money or power, by the word that lets them wait. A new one is a line here, or has a word. */
const wordless: Readonly<Record<string, string>> = {
  createTransfer: "its movement waits",
  createOfframp: "its movement waits"
}

/** The operations that make another resource each time. */
const makes = new Set([
  "createTransfer",
  "createOfframp",
  "createFeeSchedule",
  "createLimit",
  "createApprovalRule",
  "createOperatorApprovalRule",
  "createMerchant",
  "createMerchantApiKey",
  "createApiKey"
])

describe("the table of operations", () => {
  let s: Stock
  beforeAll(async () => {
    s = await stockOf(await startApi({ rate_per_second: 0 }))
  })
  afterAll(() => s.api.close())

  covers("APPROVAL-3")
  it("has a word for each act that a rule can cover", () => {
    const words = new Set<string>()
    for (const { operation } of entries)
      if (typeof operation.action !== "function") for (const word of [operation.action ?? []].flat()) words.add(word)
    expect([...words, "transfer", "offramp", "payout"].sort()).toEqual([...controlledWords].sort())
    const unnamed = entries.flatMap(({ operation: { area, id, method, role, action: word } }) =>
      area === "operator" && method !== "GET" && ["treasury", "admin"].includes(role) && word === undefined ? [id] : []
    )
    expect(unnamed.sort()).toEqual([
      "acceptRate",
      "createBrake",
      "createClosing",
      "createExternalAccount",
      "createStatementMapping",
      "disableWalletCredential",
      "previewStatementMapping",
      "rejectDeposit",
      // It only takes away.
      "revokeMerchantApiKey",
      "takeStatements",
      "unfreezeDepositAddress",
      "unfreezeWalletCredential",
      "updateExternalAccount"
    ])
  })

  it("does nothing of an act that a rule covers, for any caller", async () => {
    const worded = entries.flatMap(({ operation }) =>
      operation.action !== undefined || wordless[operation.id] !== undefined ? [operation] : []
    )
    const prepared: Array<readonly [(typeof worded)[number], Request]> = []
    for (const operation of worded) prepared.push([operation, await catalogue[operation.id]!(s)])
    const everything = controlledWords.filter((word) => word !== "approval_rule")
    const rule = { operations: [...everything, "approval_rule"], approvals: 1 }
    expect((await s.operate("/operator/v1/approval-rules", { body: rule })).status).toBe(200)
    const active = async () => (await s.operate("/operator/v1/approval-rules?status=active")).json.meta.total
    const rules = await active()
    const money = async () =>
      JSON.stringify((await s.operate("/operator/v1/ledger/trial-balance")).json.data.currencies)
    const before = await money()
    for (const [{ id, method, output }, { path, ...options }] of prepared) {
      if (id === "resolveBreaks") {
        // A file has many acts: each is made, and waits, by itself.
        const { data } = (await s.api.ask(path, options)).json
        expect(data).toMatchObject({ succeeded: 0, waiting: 1 })
        expect(data.rows[0].result).toMatch(/^waits for approval apr_/)
        continue
      }
      const headers = method === "POST" ? { "idempotency-key": `walk-${id}-1` } : {}
      const key = options.key === undefined ? {} : { key: options.key }
      const asIs = method === "PATCH" ? (await s.api.ask(path, key)).json.data : undefined
      const made = await s.api.ask(path, { ...options, headers })
      expect([id, made.status, made.json.meta.approval?.status], made.text).toEqual([id, 200, "pending"])
      if (asIs !== undefined) expect(made.json.data, id).toEqual(asIs)
      if (output === Deleted)
        expect(made.json.data, id).toEqual({ id: made.json.meta.approval.resource_id, success: false })
      const again = await s.api.ask(path, { ...options, headers })
      if (method === "POST") expect(again.text, id).toBe(made.text)
      // With another key it is the same act, unless each of it makes another resource, and can.
      const other = await s.api.ask(path, {
        ...options,
        headers: method === "POST" ? { "idempotency-key": `walk-${id}-2` } : {}
      })
      expect([id, other.json.meta.approval?.id === made.json.meta.approval.id], other.text).toEqual([
        id,
        !makes.has(id)
      ])
      expect(made.text, id).not.toMatch(/"(?:token|secret)":"(?!shown when)/)
    }
    expect(await money()).toBe(before)
    expect(await active()).toBe(rules)
  })
})

/** Acts after which the resource takes the same act again: what waits for it goes on waiting. */
const repeatable: ReadonlySet<string> = new Set([
  "updateMerchant",
  "updateOperator",
  "rotateOperatorToken",
  "updateLimit",
  "forwardWalletCredential"
])

describe("what an act is about", () => {
  let s: Stock
  beforeAll(async () => {
    s = await stockOf(await startApi({ rate_per_second: 0 }))
  })
  afterAll(() => s.api.close())

  covers("APPROVAL-13")
  it("takes an act once, and what else waits for it ends with that", async () => {
    const acts = entries.flatMap(({ operation }) =>
      operation.action !== undefined && operation.names.length > 0 && !operation.createsResource ? [operation] : []
    )
    const prepared: Array<readonly [(typeof acts)[number], Request]> = []
    for (const operation of acts) prepared.push([operation, await catalogue[operation.id]!(s)])
    const admin = async (): Promise<string> => {
      const email = `${Math.random()}@admins.example`
      return (await s.operate("/operator/v1/operators", { body: { name: "Ada", email, role: "admin" } })).json.data
        .token
    }
    const [ada, bisi, chi] = [await admin(), await admin(), await admin()]
    const { secret: own } = await s.make("/v1/api-keys", { role: "admin", person: "another" })
    // The rules of the merchant would let an act wait once more.
    for (const one of (await s.api.ask("/v1/approval-rules?status=active")).json.data)
      if (!prepared.some(([, { path }]) => path.includes(one.id)))
        await s.api.ask(`/v1/approval-rules/${one.id}`, { method: "DELETE" })
    const rule = { operations: controlledWords }
    expect((await s.operate("/operator/v1/approval-rules", { body: rule })).status).toBe(200)
    const left: Array<string> = []
    // Those that these acts are about first: they are the merchant's, too.
    const isOfRules = ([{ id }]: (typeof prepared)[number]): boolean => id.includes("ApprovalRule")
    const ordered = [...prepared.filter(isOfRules), ...prepared.filter((one) => !isOfRules(one))]
    for (const [{ area, id }, { path, ...options }] of ordered) {
      const makers = area === "operator" ? [ada, bisi] : [s.api.key, own]
      const asked = []
      for (const key of makers) asked.push(await s.api.ask(path, { ...options, key }))
      const [first, second] = asked.map(({ json }) => json.meta.approval?.id)
      expect([id, typeof first, typeof second, first === second], asked[1]!.text).toEqual([
        id,
        "string",
        "string",
        false
      ])
      const done = await s.api.ask(`${approvals}/${first}/approve`, { body: {}, key: chi })
      expect([id, done.json.data?.status, done.json.data?.refusal], done.text).toEqual([id, "approved", null])
      await s.make("/sandbox/clock/advance", { seconds: 1 })
      const { refusal, status } = (await s.operate(`${approvals}/${second}`)).json.data
      if (status === "pending") left.push(id)
      else expect([id, status, refusal?.code]).toEqual([id, "expired", "invalid_status"])
    }
    expect(left.filter((id) => !repeatable.has(id))).toEqual([])
    expect(left.length).toBeLessThan(acts.length / 2)
  })
})

describe("an act that was approved", () => {
  covers("APPROVAL-3", "APPROVAL-11")
  it("is done once, although the process could not do it at once", async () => {
    const failing = { left: 0, done: 0 }
    const isAct = ({ rows }: Change): boolean => rows.some(({ kind }) => kind === "adjusting_entry")
    const storage = Layer.effect(
      Storage,
      Effect.map(Storage, (store) =>
        Storage.of({
          ...store,
          commit: (change) =>
            Effect.suspend(() => {
              if (!isAct(change)) return store.commit(change)
              if (failing.left-- > 0) return Effect.fail(new StorageFault({ message: "away", retryable: false }))
              return Effect.tap(store.commit(change), ({ _tag }) =>
                Effect.sync(() => void (failing.done += _tag === "Committed" ? 1 : 0))
              )
            })
        })
      )
    ).pipe(Layer.provide(MemoryStorage.layer))
    const s = await stockOf(await startApi({ rate_per_second: 0 }, storage))
    try {
      await s.operate("/operator/v1/approval-rules", { body: { operations: ["adjusting_entry"] } })
      const body = { from: "suspense", to: "world:simulated", amount: "1", currency: "USDC", note: "sent back" }
      const { json } = await s.operate("/operator/v1/adjusting-entries", { body })
      const { id } = json.meta.approval
      failing.left = 1
      const token = await approver(s)
      const path = `/operator/v1/approvals/${id}/approve`
      expect((await s.api.ask(path, { body: {}, key: token })).json.data.status).toBe("approved")
      expect(failing.done).toBe(0)
      await s.make("/sandbox/clock/advance", { seconds: 31 })
      await s.make("/sandbox/clock/advance", { seconds: 31 })
      expect(failing.done).toBe(1)
      const { resource_id } = (await s.operate(`/operator/v1/approvals/${id}`)).json.data
      expect(resource_id).toMatch(/^adj_/)

      // What is approved and not done yet is asked for in vain.
      const reverse = () =>
        s.operate(`/operator/v1/adjusting-entries/${resource_id}/reverse`, { body: { note: "twice" } })
      const waits = (await reverse()).json.meta.approval
      failing.left = 1
      await s.api.ask(`/operator/v1/approvals/${waits.id}/approve`, { body: {}, key: token })
      expect((await reverse()).json.meta.approval).toMatchObject({ id: waits.id, status: "approved" })
      await s.make("/sandbox/clock/advance", { seconds: 31 })
      await s.make("/sandbox/clock/advance", { seconds: 31 })
      expect([failing.done, (await reverse()).json.code]).toEqual([2, "invalid_status"])
    } finally {
      await s.api.close()
    }
  })

  covers("APPROVAL-3")
  it("is done once, although its end could not be recorded until its key would have expired", async () => {
    const failing = { isOn: false, done: 0 }
    const isEnd = ({ rows }: Change): boolean => rows.some(({ kind, via }) => kind === "approval" && via === "executed")
    const storage = Layer.effect(
      Storage,
      Effect.map(Storage, (store) =>
        Storage.of({
          ...store,
          commit: (change) =>
            Effect.suspend(() => {
              if (failing.isOn && isEnd(change))
                return Effect.fail(new StorageFault({ message: "away", retryable: false }))
              const isAct = change.rows.some(({ kind }) => kind === "adjusting_entry")
              return Effect.tap(store.commit(change), ({ _tag }) =>
                Effect.sync(() => void (failing.done += isAct && _tag === "Committed" ? 1 : 0))
              )
            })
        })
      )
    ).pipe(Layer.provide(MemoryStorage.layer))
    const s = await stockOf(await startApi({ rate_per_second: 0 }, storage))
    try {
      await s.operate("/operator/v1/approval-rules", { body: { operations: ["adjusting_entry"] } })
      const body = { from: "suspense", to: "world:simulated", amount: "1", currency: "USDC", note: "sent back" }
      const { id } = (await s.operate("/operator/v1/adjusting-entries", { body })).json.meta.approval
      const token = await approver(s)
      failing.isOn = true
      await s.api.ask(`/operator/v1/approvals/${id}/approve`, { body: {}, key: token })
      expect(failing.done).toBe(1)
      await s.make("/sandbox/clock/advance", { seconds: 25 * 3600 })
      failing.isOn = false
      const made = async () => (await s.operate(`/operator/v1/approvals/${id}`)).json.data.resource_id
      for (let n = 0; n < POLL_TIMEOUT_MS / 250 && (await made()) === null; n++) {
        await new Promise((resolve) => setTimeout(resolve, 250))
        await s.make("/sandbox/clock/advance", { seconds: 60 })
      }
      expect(await made()).toMatch(/^adj_/)
      expect(failing.done).toBe(1)
    } finally {
      await s.api.close()
    }
  })
})
