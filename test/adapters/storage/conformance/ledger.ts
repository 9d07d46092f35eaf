import { describe, expect, it } from "vitest"
import {
  balance,
  change,
  event,
  fresh,
  fund,
  job,
  freshQueue,
  claimOf,
  type Nodes,
  idempotency,
  posting,
  range,
  row,
  T0
} from "../support.ts"
import { covers } from "../../../support/repository/covers.ts"

export const ledger = (nodes: Nodes): void => {
  describe("the postings of some resources", () => {
    it("are those that name the account, of each merchant's resource, in their order", async () => {
      const [m, n] = [fresh("mer"), fresh("mer")]
      const [a, b] = [fresh("tfr"), fresh("tfr")]
      const account = "world:some"
      const of = (resource_id: string, amount: number, debit: string, credit: string, version = 1) =>
        posting(debit, credit, amount, { resource_id, version })
      await nodes.a.commit(
        change(m, { postings: [of(a, 1, "fx", account), of(a, 2, "fx", "fees"), of(b, 3, account, "fx")] })
      )
      await nodes.a.commit(change(m, { postings: [of(a, 4, account, "fx", 2)] }))
      await nodes.a.commit(change(n, { postings: [of(a, 5, "fx", account)] }))
      const ask = async (...resources: ReadonlyArray<readonly [merchant_id: string, resource_id: string]>) =>
        (
          await nodes.b.postingsOf(
            account,
            resources.map(([merchant_id, resource_id]) => ({ merchant_id, resource_id }))
          )
        ).map(({ amount, version }) => [amount, version])
      expect(await ask([m, a])).toEqual([
        ["1", 1],
        ["4", 2]
      ])
      expect(await ask([m, a], [m, a])).toEqual([
        ["1", 1],
        ["4", 2]
      ])
      expect((await ask([m, b], [n, a])).toSorted()).toEqual([
        ["3", 1],
        ["5", 1]
      ])
      expect(await ask([n, b])).toEqual([])
      expect(await ask()).toEqual([])
    })
  })

  describe("accounts", () => {
    it("adds credits and subtracts debits", async () => {
      const m = fresh("mer")
      await fund(nodes.a, m, "available:w", 10)
      await nodes.a.commit(change(m, { postings: [posting("available:w", "reserved:w", 4)] }))
      expect(await nodes.a.accounts(m, ["reserved:w", "available:w"])).toEqual([
        { account: "reserved:w", currency: "USDC", balance: "4", version: 1 },
        { account: "available:w", currency: "USDC", balance: "6", version: 2 }
      ])
    })

    for (const account of ["available:w", "reserved:w", "held:w", "credential:w"]) {
      it(`lets ${account} reach zero but not go below`, async () => {
        const m = fresh("mer")
        await fund(nodes.a, m, account, 5)
        expect(await nodes.a.commit(change(m, { postings: [posting(account, "world", 6)] }))).toEqual({
          _tag: "InsufficientFunds",
          account,
          currency: "USDC"
        })
        expect(await nodes.a.commit(change(m, { postings: [posting(account, "world", 5)] }))).toEqual({
          _tag: "Committed"
        })
        expect(await balance(nodes.a, m, account)).toBe("0")
      })
    }

    for (const account of ["clearing:simulated", "world", "fx", "fees", "rounding", "suspense", "availability:w"]) {
      it(`lets ${account} go below zero, and stores no account row for it`, async () => {
        const m = fresh("mer")
        expect(await nodes.a.commit(change(m, { postings: [posting(account, "world:x", 5)] }))).toEqual({
          _tag: "Committed"
        })
        expect(await nodes.a.accounts(m, [account])).toEqual([])
      })
    }

    it("a refused Change does not affect its accounts for Changes decided with it", async () => {
      const m = fresh("mer")
      const accounts = ["available:a", "available:b", "available:c"]
      for (const account of accounts) await fund(nodes.a, m, account, 8)
      const short = { _tag: "InsufficientFunds", account: "available:empty", currency: "USDC" }
      // Sent at once, so that they may form one batch: this Change debits all of them, and then an empty account.
      const taking = [...accounts.map((account) => posting(account, "world", 5)), posting("available:empty", "fees", 1)]
      const verdicts = await Promise.all([
        nodes.a.commit(change(m, { postings: taking })),
        ...accounts.map((account) => nodes.a.commit(change(m, { postings: [posting(account, "world", 8)] })))
      ])
      expect(verdicts).toEqual([short, ...accounts.map(() => ({ _tag: "Committed" }))])
      for (const account of accounts) expect(await balance(nodes.a, m, account)).toBe("0")

      // The credits of the refused Change must not be available to others.
      const giving = [...accounts.map((account) => posting("world", account, 5)), posting("available:empty", "fees", 1)]
      const after = await Promise.all([
        nodes.a.commit(change(m, { postings: giving })),
        ...accounts.map((account) => nodes.a.commit(change(m, { postings: [posting(account, "world", 5)] })))
      ])
      expect(after).toEqual([short, ...accounts.map((account) => ({ ...short, account }))])
      for (const account of accounts) expect(await balance(nodes.a, m, account)).toBe("0")
    })

    it("applies the postings of a Change as one sum, whatever their order", async () => {
      const m = fresh("mer")
      const through = [posting("available:w", "fees", 3), posting("world", "available:w", 5)]
      expect(await nodes.a.commit(change(m, { postings: through }))).toEqual({ _tag: "Committed" })
      expect(await nodes.a.accounts(m, ["available:w"])).toEqual([
        { account: "available:w", currency: "USDC", balance: "2", version: 1 }
      ])
    })

    it("refuses a negative sum even if a part of it would pass", async () => {
      const m = fresh("mer")
      await fund(nodes.a, m, "available:w", 5)
      const postings = [posting("available:w", "fees", 3), posting("available:w", "fees", 3)]
      expect(await nodes.a.commit(change(m, { postings }))).toMatchObject({ _tag: "InsufficientFunds" })
      expect(await balance(nodes.a, m, "available:w")).toBe("5")
    })

    it("counts a Change whose postings do not change the balance", async () => {
      const m = fresh("mer")
      await nodes.a.commit(change(m, { postings: [posting("available:w", "available:w", 3)] }))
      expect(await nodes.a.accounts(m, ["available:w"])).toEqual([
        { account: "available:w", currency: "USDC", balance: "0", version: 1 }
      ])
    })

    it("keeps the currencies of an account apart, sorted by name", async () => {
      const m = fresh("mer")
      await nodes.a.commit(
        change(m, {
          postings: [
            posting("world", "available:w", 2, { currency: "USDC" }),
            posting("world", "available:w", 1, { currency: "NGN" })
          ]
        })
      )
      expect((await nodes.a.accounts(m, ["available:w"])).map((a) => [a.currency, a.balance])).toEqual([
        ["NGN", "1"],
        ["USDC", "2"]
      ])
      expect(
        await nodes.a.commit(change(m, { postings: [posting("available:w", "fees", 2, { currency: "NGN" })] }))
      ).toEqual({ _tag: "InsufficientFunds", account: "available:w", currency: "NGN" })
    })

    it("keeps equal account ids of two merchants apart", async () => {
      const [m, n] = [fresh("mer"), fresh("mer")]
      await fund(nodes.a, m, "available:w", 5)
      expect(await nodes.a.commit(change(n, { postings: [posting("available:w", "fees", 1)] }))).toMatchObject({
        _tag: "InsufficientFunds"
      })
      expect(await balance(nodes.a, m, "available:w")).toBe("5")
    })

    it("returns an account once when it is requested twice", async () => {
      const m = fresh("mer")
      await fund(nodes.a, m, "available:w", 5)
      expect(await nodes.a.accounts(m, ["available:w", "available:w"])).toHaveLength(1)
    })

    it("refuses a debit that nothing covers, also where its credit would not fit", async () => {
      const m = fresh("mer")
      const half = `5${"0".repeat(37)}`
      await fund(nodes.a, m, "available:full", half)
      const postings = [posting("available:empty", "available:full", half)]
      expect(await nodes.a.commit(change(m, { postings }))).toMatchObject({ account: "available:empty" })
    })

    it("keeps all of 38 digits", async () => {
      const m = fresh("mer")
      await fund(nodes.a, m, "available:w", "9".repeat(38))
      await nodes.a.commit(change(m, { postings: [posting("available:w", "held:w", `1${"0".repeat(36)}1`)] }))
      expect([await balance(nodes.a, m, "available:w"), await balance(nodes.a, m, "held:w")]).toEqual([
        `8${"9".repeat(36)}8`,
        `1${"0".repeat(36)}1`
      ])
    })

    it("decides concurrent Changes in the order of their arrival", async () => {
      const m = fresh("mer")
      const move = (from: string, to: string, amount: number) =>
        nodes.a.commit(change(m, { postings: [posting(from, to, amount)] }))
      const found = await Promise.all([
        move("available:w", "fees", 1),
        move("world", "available:w", 5),
        move("available:w", "fees", 6),
        move("available:w", "held:w", 5),
        move("available:w", "fees", 1),
        move("held:w", "available:w", 2),
        move("available:w", "fees", 1)
      ])
      expect(found.map((v) => v._tag)).toEqual([
        "InsufficientFunds",
        "Committed",
        "InsufficientFunds",
        "Committed",
        "InsufficientFunds",
        "Committed",
        "Committed"
      ])
      expect([await balance(nodes.a, m, "available:w"), await balance(nodes.a, m, "held:w")]).toEqual(["1", "3"])
    })
  })

  covers("LEDGER-1", "LEDGER-2", "OPERATOR-3")
  describe("ledger reports", () => {
    it("shows a resource's transitions, postings and events in order", async () => {
      const m = fresh("mer")
      const r = row(m, { state: "a", event_count: 2 })
      const p = (version: number) => posting("world", "available:w", version, { resource_id: r.id, version })
      const e = (sequence: number) => event({ object_id: r.id, sequence, type: `t.${sequence}` })
      await nodes.a.commit(
        change(m, { idempotency: idempotency("k1"), rows: [r], postings: [p(1), p(1)], events: [e(1), e(2)] })
      )
      await nodes.a.commit(
        change(m, {
          idempotency: idempotency("k2"),
          at: T0 + 5,
          rows: [{ ...r, version: 2, event_count: 3, from: "a", state: "b", via: "provider.succeeded" }],
          postings: [p(2)],
          events: [e(3)]
        })
      )
      const history = await nodes.a.history(m, r.id)
      expect(history.transitions).toEqual([
        {
          resource_id: r.id,
          kind: "transfer",
          version: 1,
          from: null,
          to: "a",
          via: "create",
          cause: "k1",
          event_count: 2,
          at: T0
        },
        {
          resource_id: r.id,
          kind: "transfer",
          version: 2,
          from: "a",
          to: "b",
          via: "provider.succeeded",
          cause: "k2",
          event_count: 3,
          at: T0 + 5
        }
      ])
      expect(history.postings).toEqual(
        [p(1), p(1), p(2)].map((x, i) => ({ ...x, merchant_id: m, at: i < 2 ? T0 : T0 + 5 }))
      )
      expect(history.events.map((x) => x.sequence)).toEqual([1, 2, 3])
    })

    it("names the job as the cause when there is no key", async () => {
      const m = fresh("mer")
      const q = freshQueue()
      await nodes.a.commit(change(m, { jobs: [job(q)] }))
      const [claimed] = await nodes.a.claim(claimOf(q))
      const r = row(m)
      await nodes.a.commit(change(m, { lease: { job: claimed!.id, token: claimed!.lease! }, rows: [r] }))
      expect((await nodes.a.history(m, r.id)).transitions[0]!.cause).toBe(`job:${claimed!.id}`)
    })

    it("keeps the origin of a Change with each of its transitions, whatever its key is", async () => {
      const m = fresh("mer")
      const [r, other] = [row(m), row(m)]
      const origin = { request: { id: "req_\n1", key_id: null, operation: 'a "b" \\c' }, cancels: ["a,b", "{}"] }
      await nodes.a.commit(change(m, { idempotency: idempotency("k1"), rows: [r, other], origin }))
      const keys = ["k\n2", "k\n{3", 'k\n{"a":4}']
      for (const [n, key] of keys.entries())
        await nodes.a.commit(
          change(m, { idempotency: idempotency(key), rows: [{ ...r, version: n + 2, from: r.state }] })
        )
      await nodes.a.commit(
        change(m, { idempotency: idempotency("k\n5"), rows: [{ ...r, version: 5, from: r.state }], origin })
      )
      const of = async (id: string) => (await nodes.a.history(m, id)).transitions.map((one) => [one.cause, one.origin])
      expect(await of(other.id)).toEqual([["k1", origin]])
      expect(await of(r.id)).toEqual([["k1", origin], ...keys.map((key) => [key, undefined]), ["k\n5", origin]])
    })

    it("finds the jobs of a resource, and the deliveries of an event, by how their ids begin", async () => {
      const m = fresh("mer")
      const q = freshQueue()
      const jobs = ["r1.b", "r1.a", "r1", "r10.a", "r2.a", "r1.c"].map((id) => job(q, { id }))
      await nodes.a.commit(change(m, { jobs }))
      await nodes.a.commit(change(fresh("mer"), { jobs: [job(q, { id: "r1.z" })] }))
      const ids = async (limit: number, ...prefixes: ReadonlyArray<string>) =>
        (await nodes.a.jobsBeginning(m, prefixes, limit)).map(({ id }) => id)
      expect(await ids(9, "r1.")).toEqual(["r1.a", "r1.b", "r1.c"])
      expect(await ids(2, "r1.")).toEqual(["r1.a", "r1.b"])
      expect(await ids(1, "r2.", "r1.")).toEqual(["r1.a", "r2.a"])
      expect(await ids(9, "r1", "r1.")).toEqual(["r1", "r1.a", "r1.b", "r1.c", "r10.a"])
      expect([await ids(9), await ids(9, "r3."), await ids(9, "r1.%")]).toEqual([[], [], []])
      expect(await nodes.a.jobsBeginning(m, ["r2."], 1)).toEqual([await nodes.a.job(m, "r2.a")])
    })

    it("shows nothing of an unknown resource, or to another merchant", async () => {
      const m = fresh("mer")
      const r = row(m)
      await nodes.a.commit(change(m, { rows: [r] }))
      expect(await nodes.a.history(fresh("mer"), r.id)).toEqual({ transitions: [], postings: [], events: [] })
    })

    it("pages the entries of an account over all merchants, newest first", async () => {
      const account = fresh("clearing:p")
      for (const i of range(5)) {
        const [debit, credit] = i % 2 === 0 ? [account, "world"] : ["world", account]
        await nodes.a.commit(change(fresh("mer"), { at: T0 + i, postings: [posting(debit!, credit!, i + 1)] }))
      }
      const amounts = async (offset: number, limit: number) => {
        const { items, total } = await nodes.a.entries(account, offset, limit)
        return [items.map((p) => p.amount), total]
      }
      expect([await amounts(0, 2), await amounts(2, 9), await amounts(9, 9)]).toEqual([
        [["5", "4"], 5],
        [["3", "2", "1"], 5],
        [[], 5]
      ])
    })

    it("counts the entries of a guarded account over all merchants and currencies", async () => {
      const account = fresh("available:w")
      for (const currency of ["USDC", "NGN", "USDC"]) {
        await nodes.a.commit(change(fresh("mer"), { postings: [posting("world", account, 5, { currency })] }))
      }
      const { items, total } = await nodes.a.entries(account, 0, 10)
      expect([items.length, total]).toEqual([3, 3])
    })

    it("has what moved the money of an owner between two instants, and its balance before", async () => {
      const [m, w] = [fresh("mer"), fresh("w")]
      const at = (time: number, ...postings: ReadonlyArray<ReturnType<typeof posting>>) =>
        nodes.a.commit(change(m, { at: T0 + time, postings }))
      await at(1, posting("world", `available:${w}`, 10))
      await at(5, posting("world", `held:${w}`, 7), posting(`available:${w}`, `reserved:${w}`, 4))
      await at(4, posting(`reserved:${w}`, "clearing:p", 3))
      await at(
        5,
        posting(`available:${w}`, "available:other", 2),
        posting("world", `available:${w}`, 9, { currency: "NGN" })
      )
      await at(9, posting(`held:${w}`, `available:${w}`, 7), posting(`available:${w}`, "world", 1))
      await nodes.a.commit(change(fresh("mer"), { at: T0 + 5, postings: [posting("world", `available:${w}`, 100)] }))
      const owned = async (from: number, to: number, merchant_id = m, limit = 5) => {
        const query = { merchant_id, owner: w, currency: "USDC", from: T0 + from, to: T0 + to, limit }
        const { before, postings } = await nodes.a.owned(query)
        return [
          before,
          postings.map((p) => `${p.at - T0} ${p.debit.split(":")[0]}>${p.credit.split(":")[0]} ${p.amount}`)
        ]
      }
      expect(await owned(0, 100)).toEqual([
        "0",
        [
          "1 world>available 10",
          "4 reserved>clearing 3",
          "5 world>held 7",
          "5 available>available 2",
          "9 available>world 1"
        ]
      ])
      // The first instant is included, the last one is not.
      expect(await owned(4, 5)).toEqual(["10", ["4 reserved>clearing 3"]])
      expect(await owned(5, 9)).toEqual(["7", ["5 world>held 7", "5 available>available 2"]])
      expect(await owned(10, 100)).toEqual(["11", []])
      expect(await owned(4, 100, m, 2)).toEqual(["10", ["4 reserved>clearing 3", "5 world>held 7"]])
      expect(await owned(0, 100, fresh("mer"))).toEqual(["0", []])
      const moved = await nodes.a.accounts(m, [`available:${w}`, `reserved:${w}`, `held:${w}`])
      expect(
        moved.filter(({ currency }) => currency === "USDC").reduce((sum, { balance }) => sum + BigInt(balance), 0n)
      ).toBe(11n)
    })

    it("counts an entry once when it names the account on both sides", async () => {
      const account = fresh("fees:x")
      await nodes.a.commit(change(fresh("mer"), { postings: [posting(account, account, 1)] }))
      expect((await nodes.a.entries(account, 0, 10)).total).toBe(1)
    })

    it("balances debits and credits per currency, and sums classes over merchants", async () => {
      const [m, n] = [fresh("mer"), fresh("mer")]
      const [x, y] = [fresh("CUR"), fresh("CUR")]
      await nodes.a.commit(
        change(m, {
          postings: [
            posting("world", "available:w", 10, { currency: x }),
            posting("available:w", "fees", 3, { currency: x })
          ]
        })
      )
      await nodes.a.commit(
        change(n, {
          postings: [posting("world", "available:w", 5, { currency: x }), posting("fx", "held:w", 2, { currency: y })]
        })
      )
      const { currencies, classes } = await nodes.a.trialBalance()
      expect(currencies.filter((c) => [x, y].includes(c.currency))).toEqual([
        { currency: x, debits: "15", credits: "15" },
        { currency: y, debits: "2", credits: "2" }
      ])
      expect(classes.filter((c) => [x, y].includes(c.currency))).toEqual([
        { class: "available", currency: x, balance: "12" },
        { class: "fees", currency: x, balance: "3" },
        { class: "fx", currency: y, balance: "-2" },
        { class: "held", currency: y, balance: "2" },
        { class: "world", currency: x, balance: "-15" }
      ])
    })

    it("lists its accounts, by class and currency, page by page", async () => {
      const [m, n] = [fresh("mer"), fresh("mer")]
      const [x, y] = [fresh("CUR"), fresh("CUR")]
      for (const [owner, currency, amount] of [
        [m, x, 10],
        [n, x, 20],
        [m, y, 30]
      ] as const) {
        await nodes.a.commit(
          change(owner, {
            postings: [
              posting("world:p", "available:w", amount, { currency }),
              posting("available:w", "fees", 1, { currency }),
              posting("clearing:p", "availability:w", 2, { currency })
            ]
          })
        )
      }
      const line = (merchant_id: string, account: string, currency: string, balance: number) => ({
        merchant_id,
        account,
        currency,
        balance: `${balance}`
      })
      const all = async (query: object, limit = 100) => {
        const items = []
        for (let offset = 0; ; offset += limit) {
          const page = await nodes.a.balances({ ...query, offset, limit })
          expect(page.items.length).toBe(Math.max(0, Math.min(limit, page.total - offset)))
          items.push(...page.items)
          if (items.length >= page.total) return items
        }
      }
      const inX = [
        line(m, "availability:w", x, 2),
        line(n, "availability:w", x, 2),
        line(m, "available:w", x, 9),
        line(n, "available:w", x, 19),
        line(m, "clearing:p", x, -2),
        line(n, "clearing:p", x, -2),
        line(m, "fees", x, 1),
        line(n, "fees", x, 1),
        line(m, "world:p", x, -10),
        line(n, "world:p", x, -20)
      ]
      expect(await all({ currency: x })).toEqual(inX)
      expect(await all({ currency: x }, 3)).toEqual(inX)
      const ofClass = (name: string) => all({ class: name, currency: x })
      expect(await ofClass("available")).toEqual(inX.slice(2, 4))
      expect(await ofClass("availability")).toEqual(inX.slice(0, 2))
      expect(await ofClass("fees")).toEqual(inX.slice(6, 8))
      expect(await ofClass("world")).toEqual(inX.slice(8))
      expect(await ofClass("avail")).toEqual([])
      expect(await all({ class: "available", currency: y })).toEqual([line(m, "available:w", y, 29)])
      const { classes } = await nodes.a.trialBalance()
      const sum = (await all({ class: "world" })).reduce(
        (sums, { currency, balance }) => sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(balance)),
        new Map<string, bigint>()
      )
      for (const one of classes.filter((c) => c.class === "world"))
        expect([one.currency, `${sum.get(one.currency)}`]).toEqual([one.currency, one.balance])
    })

    it("balances in every currency, whatever was written before", async () => {
      const { currencies } = await nodes.a.trialBalance()
      expect(currencies.filter((c) => c.debits !== c.credits)).toEqual([])
      expect(currencies.length).toBeGreaterThan(0)
    })
  })
}
