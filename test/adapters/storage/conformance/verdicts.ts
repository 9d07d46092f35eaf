import { describe, expect, it } from "vitest"
import type { Change, CommitResult } from "../../../../src/engine/ports/Storage.ts"
import { keyLifetime } from "../../../../src/engine/settings/retention.ts"
import {
  balance,
  change,
  claimOf,
  event,
  freshQueue,
  fresh,
  fund,
  job,
  kept,
  type Nodes,
  idempotency,
  posting,
  range,
  row,
  ruleOf,
  type Store,
  T0,
  countByTag
} from "../support.ts"
import { covers } from "../../../support/repository/covers.ts"

interface Wrong {
  readonly name: string
  /** Prepares the store, and returns the part of a Change that is refused, with the expected verdict. */
  readonly make: (s: Store, m: string) => Promise<{ readonly part: Partial<Change>; readonly verdict: object }>
}

/** In order of precedence. */
const wrongs: ReadonlyArray<Wrong> = [
  {
    name: "Repeated",
    make: async (s, m) => {
      const used = idempotency(fresh("key"), { response: "first" })
      await s.commit(change(m, { idempotency: used, at: T0 + 5 }))
      return {
        part: { idempotency: { ...used, response: "second" } },
        verdict: { _tag: "Repeated", record: { ...used, at: T0 + 5 } }
      }
    }
  },
  {
    name: "LeaseLost",
    make: async () => ({ part: { lease: { job: fresh("job"), token: "none" } }, verdict: { _tag: "LeaseLost" } })
  },
  {
    name: "VersionConflict",
    make: async (_, m) => {
      const stale = row(m, { version: 7 })
      return { part: { rows: [stale] }, verdict: { _tag: "VersionConflict", kind: stale.kind, id: stale.id } }
    }
  },
  {
    name: "VersionConflict of a row that is only checked",
    make: async (s, m) => {
      const moved = row(m)
      await s.commit(change(m, { rows: [moved] }))
      await s.commit(change(m, { rows: [{ ...moved, version: 2 }] }))
      const { kind, id } = moved
      return { part: { checks: [{ kind, id, version: 1 }] }, verdict: { _tag: "VersionConflict", kind, id } }
    }
  },
  {
    name: "Taken by a unique key",
    make: async (s, m) => {
      const uniqueKey = { scope: "reference", key: fresh("ref"), owner: "first" }
      await s.commit(change(m, { unique_keys: [uniqueKey] }))
      return { part: { unique_keys: [{ ...uniqueKey, owner: "second" }] }, verdict: { _tag: "Taken", ...uniqueKey } }
    }
  },
  {
    name: "Taken by a lookup key",
    make: async (s, m) => {
      const lookupKey = { scope: "api_key", key: fresh("hash"), kind: "key", id: "key_first" }
      await s.commit(change(m, { lookup_keys: [lookupKey] }))
      return {
        part: { lookup_keys: [{ ...lookupKey, id: "key_second" }] },
        verdict: { _tag: "Taken", scope: "api_key", key: lookupKey.key, owner: "key_first" }
      }
    }
  },
  {
    name: "Taken by an event",
    make: async (s, m) => {
      const first = event()
      await s.commit(change(m, { events: [first] }))
      return {
        part: { events: [{ ...first, id: fresh("evt"), sequence: 2 }] },
        verdict: { _tag: "Taken", scope: "event", key: `${first.object_id}/${first.type}`, owner: first.id }
      }
    }
  },
  {
    name: "InsufficientFunds",
    make: async () => {
      const account = fresh("available:wal")
      return {
        part: { postings: [posting(account, "world", 1)] },
        verdict: { _tag: "InsufficientFunds", account, currency: "USDC" }
      }
    }
  },
  {
    name: "LimitReached",
    make: async () => {
      const key = fresh("limit")
      return {
        part: { counters: [{ key, bucket: 1, from: 1, add: "2", max: "1" }] },
        verdict: { _tag: "LimitReached", key }
      }
    }
  }
]

export const verdicts = (nodes: Nodes): void => {
  describe("verdicts", () => {
    for (const wrong of wrongs) {
      it(`returns ${wrong.name}, and writes nothing of the Change`, async () => {
        const s = nodes.a
        const m = fresh("mer")
        const { part, verdict } = await wrong.make(s, m)
        const q = freshQueue()
        const id = fresh("tfr")
        const rest = change(m, {
          rows: [row(m, { id })],
          postings: [posting("world", `available:${id}`, 5)],
          unique_keys: [{ scope: "reference", key: id, owner: id }],
          lookup_keys: [{ scope: "address", key: id, kind: "transfer", id }],
          events: [event({ object_id: id })],
          jobs: [job(q)],
          subscriptions: [{ endpoint_id: id, categories: ["transfer"] }]
        })
        const merged: Record<string, unknown> = { ...rest }
        for (const [name, value] of Object.entries(part)) {
          merged[name] = Array.isArray(value) ? [...(merged[name] as Array<unknown>), ...value] : value
        }
        expect(await s.trialCommit(merged as unknown as Change)).toEqual(verdict)
        expect(await s.commit(merged as unknown as Change)).toEqual(verdict)
        expect({
          rows: await s.get([{ merchant_id: m, kind: "transfer", id }]),
          accounts: await s.accounts(m, [`available:${id}`]),
          owner: await s.uniqueKeyOwner(m, "reference", id),
          lookup: await s.lookup("address", id),
          history: await s.history(m, id),
          due: await s.nextDue([q]),
          idempotency:
            part.idempotency === undefined ? await s.idempotencyRecord(m, rest.idempotency!.key, T0) : undefined
        }).toEqual({
          rows: [],
          accounts: [],
          owner: undefined,
          lookup: undefined,
          history: { transitions: [], postings: [], events: [] },
          due: undefined,
          idempotency: undefined
        })
      })
    }

    for (const [i, first] of wrongs.entries()) {
      for (const second of wrongs.slice(i + 1)) {
        it(`returns ${first.name} before ${second.name}`, async () => {
          const s = nodes.a
          const m = fresh("mer")
          const a = await first.make(s, m)
          const b = await second.make(s, m)
          const both = change(m, { idempotency: idempotency(), ...b.part, ...a.part })
          expect(await s.trialCommit(both)).toEqual(a.verdict)
          expect(await s.commit(both)).toEqual(a.verdict)
        })
      }
    }

    covers("DRYRUN-2")
    it("says what a commit would answer, as often as it is asked, and writes nothing", async () => {
      const s = nodes.a
      const m = fresh("mer")
      const q = freshQueue()
      const id = fresh("tfr")
      await fund(s, m, `available:${id}`, 5)
      await s.commit(change(m, { subscriptions: [{ endpoint_id: id, categories: ["transfer"] }] }))
      const whole = change(m, {
        rows: [row(m, { id })],
        postings: [posting(`available:${id}`, "world", 5)],
        unique_keys: [{ scope: "reference", key: id, owner: id }],
        lookup_keys: [{ scope: "address", key: id, kind: "transfer", id }],
        events: [event({ object_id: id, category: "transfer" })],
        jobs: [job(q)]
      })
      const state = async () => ({
        rows: await s.get([{ merchant_id: m, kind: "transfer", id }]),
        balance: await balance(s, m, `available:${id}`),
        owner: await s.uniqueKeyOwner(m, "reference", id),
        lookup: await s.lookup("address", id),
        history: await s.history(m, id),
        feed: await s.feed(m, null, 10),
        due: await s.nextDue([q]),
        record: await s.idempotencyRecord(m, whole.idempotency!.key, T0)
      })
      const before = await state()
      expect(before).toMatchObject({ rows: [], balance: "5", owner: undefined, lookup: undefined, feed: [] })
      for (const node of [nodes.a, nodes.b, nodes.a])
        expect(await node.trialCommit(whole)).toEqual({ _tag: "Committed" })
      expect(await state()).toEqual(before)
      expect(await s.commit(whole)).toEqual({ _tag: "Committed", deliveries: true })
      expect(await nodes.b.trialCommit({ ...whole, idempotency: idempotency() })).toEqual({
        _tag: "VersionConflict",
        kind: "transfer",
        id
      })
    })

    it("does not place a merchant, nor reserve a lookup key, of which only a verdict was asked", async () => {
      const [m, other] = [fresh("mer"), fresh("mer")]
      const lookup_keys = [{ scope: "address", key: fresh("hash"), kind: "transfer", id: "one" }]
      for (const merchant of [m, other])
        expect(await nodes.a.trialCommit(change(merchant, { lookup_keys }))).toEqual({ _tag: "Committed" })
      expect(await nodes.a.commit(change(m, { lookup_keys }))).toEqual({ _tag: "Committed" })
      const taken = { _tag: "Taken", scope: "address", key: lookup_keys[0]!.key, owner: "one" }
      for (let i = 0; i < 8; i++)
        expect(await nodes.b.trialCommit(change(fresh("mer"), { lookup_keys }))).toEqual(taken)
      const unique_keys = [{ scope: "reference", key: "x", owner: "o" }]
      await nodes.a.commit(change(other, { unique_keys }))
      expect(await nodes.a.trialCommit(change(other, { unique_keys, lookup_keys }))).toEqual({
        _tag: "Taken",
        ...unique_keys[0]
      })
      expect(
        await nodes.a.trialCommit(change(other, { lookup_keys, postings: [posting("available:x", "world", 1)] }))
      ).toEqual(taken)
    })

    it("names the first of two rows at another version", async () => {
      const m = fresh("mer")
      const [x, y] = [row(m, { id: fresh("z"), version: 2 }), row(m, { id: fresh("a"), version: 2 })]
      expect(await nodes.a.commit(change(m, { rows: [x, y] }))).toEqual({
        _tag: "VersionConflict",
        kind: x.kind,
        id: x.id
      })
    })

    it("writes when a checked row is unchanged or still missing, and leaves that row as it is", async () => {
      const m = fresh("mer")
      const [there, none, written] = [row(m), row(m), row(m)]
      await nodes.a.commit(change(m, { rows: [there] }))
      const checks = [
        { kind: there.kind, id: there.id, version: 1 },
        { kind: none.kind, id: none.id, version: 0 }
      ]
      for (const rows of [[written], [{ ...written, version: 2 }], []]) {
        expect(await nodes.b.commit(change(m, { rows, checks }))).toEqual({ _tag: "Committed" })
      }
      expect(await nodes.a.get([there, none])).toEqual([kept(there)])
      expect((await nodes.a.history(m, there.id)).transitions).toHaveLength(1)
      expect((await nodes.a.history(m, written.id)).transitions).toHaveLength(2)
    })

    it("refuses a check of a row that was missing or has another version", async () => {
      const m = fresh("mer")
      const [there, none] = [row(m), row(m)]
      await nodes.a.commit(change(m, { rows: [there] }))
      for (const [{ kind, id }, version] of [
        [there, 0],
        [there, 2],
        [none, 1]
      ] as const) {
        expect(await nodes.b.commit(change(m, { checks: [{ kind, id, version }] }))).toEqual({
          _tag: "VersionConflict",
          kind,
          id
        })
      }
    })

    it("names the first of two unique keys that are taken", async () => {
      const m = fresh("mer")
      const [x, y] = ["z", "a"].map((key) => ({ scope: "reference", key: fresh(key), owner: "one" }))
      await nodes.a.commit(change(m, { unique_keys: [x!, y!] }))
      const again = { unique_keys: [x!, y!].map((c) => ({ ...c, owner: "two" })) }
      expect(await nodes.a.commit(change(m, again))).toEqual({ _tag: "Taken", ...x })
    })

    it("names the first account of the postings that would go below zero", async () => {
      const m = fresh("mer")
      const [x, y] = [fresh("available:z"), fresh("available:a")]
      expect(await nodes.a.commit(change(m, { postings: [posting(x, "world", 1), posting(y, "world", 1)] }))).toEqual({
        _tag: "InsufficientFunds",
        account: x,
        currency: "USDC"
      })
    })

    it("refuses a unique key even to its owner", async () => {
      const m = fresh("mer")
      const unique_keys = [{ scope: "reference", key: "ref", owner: "tfr_1" }]
      await nodes.a.commit(change(m, { unique_keys }))
      expect(await nodes.a.commit(change(m, { unique_keys }))).toMatchObject({ _tag: "Taken", owner: "tfr_1" })
    })

    it("refuses to create an existing row", async () => {
      const m = fresh("mer")
      const r = row(m)
      await nodes.a.commit(change(m, { rows: [r] }))
      expect(await nodes.a.commit(change(m, { rows: [r] }))).toEqual({
        _tag: "VersionConflict",
        kind: r.kind,
        id: r.id
      })
    })

    it("refuses a row that was modified after it was read", async () => {
      const m = fresh("mer")
      const r = row(m)
      await nodes.a.commit(change(m, { rows: [r] }))
      await nodes.a.commit(change(m, { rows: [{ ...r, version: 2, status: "second" }] }))
      expect(await nodes.a.commit(change(m, { rows: [{ ...r, version: 2, status: "late" }] }))).toMatchObject({
        _tag: "VersionConflict"
      })
      expect(await nodes.a.get([r])).toEqual([kept({ ...r, version: 2, status: "second" })])
    })

    const broken: ReadonlyArray<readonly [string, (m: string) => Partial<Change>]> = [
      ["a row of another merchant", () => ({ rows: [row(fresh("mer"))] })],
      ["a row at version 0", (m) => ({ rows: [row(m, { version: 0 })] })],
      ["one row twice", (m) => ({ rows: [row(m, { id: "x" }), row(m, { id: "x", version: 2 })] })],
      ["a row checked twice", () => ({ checks: ["x", "x"].map((id) => ({ kind: "transfer", id, version: 0 })) })],
      [
        "a row that is checked and written",
        (m) => ({ rows: [row(m, { id: "x" })], checks: [{ kind: row(m).kind, id: "x", version: 0 }] })
      ],
      ["a posting of zero", () => ({ postings: [posting("world", "fees", 0)] })],
      ["a negative posting", () => ({ postings: [posting("world", "fees", "-1")] })],
      ["a fractional posting", () => ({ postings: [posting("world", "fees", "1.5")] })],
      ["a posting that is not a number", () => ({ postings: [posting("world", "fees", "NaN")] })],
      ["a posting of 39 digits", () => ({ postings: [posting("world", "fees", `1${"0".repeat(38)}`)] })],
      ["a pending job without a due time", () => ({ jobs: [job("timer", { due_at: null })] })],
      ["an ended job with a due time", () => ({ jobs: [job("timer", { status: "done" })] })],
      ["one job twice", () => ({ jobs: [job("timer", { id: "x" }), job("timer", { id: "x" })] })],
      ["one unique key twice", () => ({ unique_keys: range(2).map(() => ({ scope: "s", key: "k", owner: "o" })) })],
      [
        "one lookup key twice",
        () => ({ lookup_keys: range(2).map(() => ({ scope: "s", key: "k", kind: "t", id: "i" })) })
      ],
      [
        "one event type of an object twice",
        () => ({ events: [event({ object_id: "o" }), event({ object_id: "o", sequence: 2 })] })
      ],
      [
        "one sequence number for two events of an object",
        () => ({ events: [event({ object_id: "o" }), event({ object_id: "o", type: "b" })] })
      ]
    ]
    for (const [what, part] of broken) {
      it(`dies of a Change with ${what}, and leaves its key unused`, async () => {
        const m = fresh("mer")
        const x = change(m, part(m))
        await ruleOf(nodes.a.trialCommit(x))
        await ruleOf(nodes.a.commit(x))
        expect(await nodes.a.idempotencyRecord(m, x.idempotency!.key, T0)).toBeUndefined()
      })
    }

    it("dies of a Change with neither a key nor a lease nor a row", async () => {
      const { idempotency: _, ...bare } = change(fresh("mer"))
      expect(await ruleOf(nodes.a.commit(bare))).toBe("a Change must have an idempotency record, a lease or a row")
    })

    it("applies a Change with rows alone once: a repeat conflicts", async () => {
      const m = fresh("mer")
      const one = row(m)
      const { idempotency: _, ...bare } = change(m, { rows: [one], postings: [posting("world", `available:${m}`, 5)] })
      const next = { ...bare, rows: [{ ...one, version: 2, via: "again" }] }
      const verdicts = []
      for (const each of [bare, bare, next, next, bare]) verdicts.push((await nodes.a.commit(each))._tag)
      const conflict = "VersionConflict"
      expect(verdicts).toEqual(["Committed", conflict, "Committed", conflict, conflict])
      expect(await balance(nodes.b, m, `available:${m}`)).toBe("10")
      const { transitions } = await nodes.b.history(m, one.id)
      expect(transitions.map(({ cause }) => cause)).toEqual(["create", "again"])
    })

    it("dies of an event id that another object's event has", async () => {
      const m = fresh("mer")
      const first = event()
      await nodes.a.commit(change(m, { events: [first] }))
      await ruleOf(nodes.a.commit(change(m, { events: [event({ id: first.id })] })))
      expect(await nodes.a.event(m, first.id)).toEqual({ ...first, merchant_id: m })
    })

    it("dies of a balance of 39 digits, and leaves the account unchanged", async () => {
      const m = fresh("mer")
      const most = "9".repeat(38)
      await fund(nodes.a, m, "available:w", most)
      await ruleOf(fund(nodes.a, m, "available:w", 1))
      expect(await balance(nodes.a, m, "available:w")).toBe(most)
    })

    it("commits the neighbours of Changes that die or are refused", async () => {
      const s = nodes.a
      const m = fresh("mer")
      const first = event()
      await s.commit(change(m, { events: [first] }))
      const outcomes = await Promise.all(
        range(30).map((i): Promise<{ _tag: string }> => {
          if (i === 11)
            return s.commit(change(m, { events: [event({ id: first.id })] })).catch(() => ({ _tag: "died" }))
          if (i % 10 === 5) return s.commit(change(m, { postings: [posting("available:none", "fees", 1)] }))
          return fund(s, m, "available:w", 1)
        })
      )
      expect(countByTag(outcomes)).toEqual({ Committed: 26, InsufficientFunds: 3, died: 1 })
      expect(await balance(s, m, "available:w")).toBe("26")
    })
  })

  covers("IDEM-7")
  describe("idempotency records", () => {
    it("returns the first record to a repeat with another fingerprint", async () => {
      const m = fresh("mer")
      await nodes.a.commit(change(m, { idempotency: idempotency("k", { fingerprint: "a", response: "1" }) }))
      expect(
        await nodes.a.commit(change(m, { idempotency: idempotency("k", { fingerprint: "b", response: "2" }) }))
      ).toEqual({
        _tag: "Repeated",
        record: { key: "k", fingerprint: "a", response: "1", expires_at: null, at: T0 }
      })
    })

    it("keeps equal keys of two merchants apart", async () => {
      for (const m of [fresh("mer"), fresh("mer")]) {
        expect(await nodes.a.commit(change(m, { idempotency: idempotency("same") }))).toEqual({ _tag: "Committed" })
      }
    })

    it("are read at the same time as rows, and told apart from them", async () => {
      const m = fresh("mer")
      const made = row(m)
      const used = idempotency(made.id, { response: "1" })
      await nodes.a.commit(change(m, { idempotency: used, rows: [made] }))
      const at = (id: string) => ({ merchant_id: m, kind: made.kind, id })
      const found = await Promise.all([
        nodes.a.get([at(made.id), at("none")]),
        nodes.a.idempotencyRecord(m, made.id, T0),
        nodes.a.idempotencyRecord(m, "none", T0),
        nodes.a.get([at("none")])
      ])
      expect(found).toEqual([[kept(made)], { ...used, at: T0 }, undefined, []])
    })

    it("keeps a response of null", async () => {
      const m = fresh("mer")
      await nodes.a.commit(change(m, { idempotency: idempotency("k", { response: null }) }))
      expect((await nodes.a.idempotencyRecord(m, "k", T0))?.response).toBeNull()
    })

    const object = (id: string, over: object = {}): object => ({ id, text: 'a \\ "b"\u0013 '.repeat(60), ...over })
    it.each([
      ["an event has it", {}, {}],
      ["an event has more", { terminal_at: null }, {}],
      ["an event has another part", { name: "b" }, { name: "a" }],
      ["what both have is long in bytes", { of: "\u00e9\u4e2d".repeat(90) }, { of: "\u00e9\u4e2d".repeat(90) }],
      ["what both have is long in halves", { of: "\u{1f600}".repeat(90) }, { of: "\u{1f600}".repeat(90) }]
    ])("returns a response as it was given, where %s", async (_, published, answered) => {
      const m = fresh("mer")
      const { id: object_id } = row(m)
      for (const [key, begin] of [
        ["plain", "data"],
        ["bytes", "d\u00e9ta"],
        ["halves", "d\u{1f600}ta"]
      ] as const) {
        const body = `{"n":"${begin}","event_object":${JSON.stringify(object(object_id, published))}}`
        const response = `{"${begin}":${JSON.stringify(object(object_id, answered))},"meta":{"at":"\u00fc"}}`
        const used = idempotency(key, { response, expires_at: T0 + keyLifetime })
        const x = change(m, {
          idempotency: used,
          events: [event(), event({ object_id, body, type: `transfer.${key}` })]
        })
        const record = { ...used, at: T0 }
        expect(await nodes.a.commit(x)).toEqual({ _tag: "Committed" })
        expect(await nodes.b.commit(x)).toEqual({ _tag: "Repeated", record })
        expect(await nodes.b.idempotencyRecord(m, key, T0)).toEqual(record)
        expect(await nodes.b.replaceResponse(m, key, response.slice(1), "{}")).toBe(false)
        expect(await nodes.b.replaceResponse(m, key, response, "sealed:\u0013 gone")).toBe(true)
        expect(await nodes.a.idempotencyRecord(m, key, T0)).toEqual({ ...record, response: "sealed:\u0013 gone" })
      }
    })

    it("keeps a key until the moment of its expiry", async () => {
      const m = fresh("mer")
      const used = idempotency("k", { expires_at: T0 + 10 })
      await nodes.a.commit(change(m, { idempotency: used }))
      expect(await nodes.a.commit(change(m, { idempotency: used, at: T0 + 9 }))).toMatchObject({ _tag: "Repeated" })
      expect(await nodes.a.idempotencyRecord(m, "k", T0 + 9)).toEqual({ ...used, at: T0 })
    })

    it("frees a key at the moment of its expiry, and the next Change replaces it", async () => {
      const m = fresh("mer")
      await nodes.a.commit(change(m, { idempotency: idempotency("k", { expires_at: T0 + 10 }) }))
      expect(await nodes.a.idempotencyRecord(m, "k", T0 + 10)).toBeUndefined()
      const next = idempotency("k", { response: "next", expires_at: T0 + 20 })
      expect(await nodes.a.commit(change(m, { idempotency: next, at: T0 + 10 }))).toEqual({ _tag: "Committed" })
      expect(await nodes.a.idempotencyRecord(m, "k", T0 + 10)).toEqual({ ...next, at: T0 + 10 })
    })

    it("never frees a key without an expiry", async () => {
      const m = fresh("mer")
      await nodes.a.commit(change(m, { idempotency: idempotency("k") }))
      expect(await nodes.a.idempotencyRecord(m, "k", T0 * 2)).toBeDefined()
    })

    it("reports a repeated commit with both a lease and a key as applied", async () => {
      const m = fresh("mer")
      const q = freshQueue()
      await nodes.a.commit(change(m, { jobs: [job(q)] }))
      const [claimed] = await nodes.a.claim(claimOf(q))
      const x = change(m, { idempotency: idempotency(), lease: { job: claimed!.id, token: claimed!.lease! } })
      const answers: Array<CommitResult["_tag"]> = []
      for (const _ of range(2)) answers.push((await nodes.a.commit(x))._tag)
      expect(answers).toEqual(["Committed", "Repeated"])
    })

    it("returns several concurrent lookups each its own record", async () => {
      const m = fresh("mer")
      await Promise.all(
        range(20).map((i) => nodes.a.commit(change(m, { idempotency: idempotency(`k${i}`, { response: `r${i}` }) })))
      )
      const found = await Promise.all(range(25).map((i) => nodes.a.idempotencyRecord(m, `k${i}`, T0)))
      expect(found.map((a) => a?.response)).toEqual([
        ...range(20).map((i) => `r${i}`),
        ...range(5).map(() => undefined)
      ])
    })
  })
}
