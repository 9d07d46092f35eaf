/** Waiting rows with the time of their last progress. */
import { describe, expect, it } from "vitest"
import type { Row } from "../../../../src/engine/ports/Storage.ts"
import { change, fresh, freshQueue, job, type Nodes, row, T0 } from "../support.ts"
import { covers } from "../../../support/repository/covers.ts"

const ids = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => rows.map((r) => r.id)

export const idle = (nodes: Nodes): void => {
  covers("OPERATOR-4")
  describe("idle rows", () => {
    /** Writes a row and its later transitions, each with state, time and status. */
    const lived = async (
      m: string,
      kind: string,
      id: string,
      steps: ReadonlyArray<readonly [string, number, string?]>
    ) => {
      let from: string | null = null
      for (const [n, [state, at, status = "open"]] of steps.entries()) {
        const more = { version: n + 1, state, status, from, created_at: T0, updated_at: at }
        await nodes.a.commit({ ...change(m, { rows: [row(m, { kind, id, ...more })] }), at })
        from = state
      }
    }
    const under_way = ["asked", "unsure"]

    it("lists waiting rows by their last progress, ignoring transitions within one state or among states under way", async () => {
      const m = fresh("mer")
      const kind = fresh("kind")
      const live = (id: string, steps: ReadonlyArray<readonly [string, number, string?]>) => lived(m, kind, id, steps)
      await live("x_new", [["new", T0 + 100]])
      await live("x_b", [["new", T0 + 1]])
      await live("x_a", [["new", T0 + 1]])
      await live("x_asked", [
        ["new", T0],
        ["asked", T0 + 5],
        ["unsure", T0 + 50],
        ["asked", T0 + 99],
        ["asked", T0 + 200]
      ])
      await live("x_same", [
        ["new", T0 + 3],
        ["new", T0 + 200]
      ])
      await live("x_moved", [
        ["new", T0 + 3],
        ["asked", T0 + 4],
        ["later", T0 + 100]
      ])
      await live("x_ended", [
        ["new", T0],
        ["done", T0 + 1, "done"]
      ])
      await live("x_done", [["done", T0 + 2, "done"]])
      const keyed = { kind, id: "x_keyed", state: "held", status: "done", created_at: T0, updated_at: T0 + 2 }
      await nodes.a.commit({ ...change(m, { rows: [row(m, { ...keyed, index_keys: [":unready"] })] }), at: T0 + 2 })
      await lived(fresh("mer"), fresh("kind"), "x_other", [["new", T0]])
      const query = {
        waits: [{ kind, status: "open", until: null }],
        under_way,
        steps: [],
        before: T0 + 100,
        now: T0 + 300,
        offset: 0,
        limit: 10
      }
      const found = await nodes.a.idle(query)
      const shown = found.items.map(({ id, since }) => [id, since - T0])
      expect([shown, found.total]).toEqual([
        [
          ["x_a", 1],
          ["x_b", 1],
          ["x_same", 3],
          ["x_asked", 5]
        ],
        4
      ])
      const second = await nodes.a.idle({ ...query, offset: 1, limit: 2 })
      expect([ids(second.items), second.total]).toEqual([["x_b", "x_same"], 4])
      expect((await nodes.a.idle({ ...query, offset: 10 })).total).toBe(4)
      expect((await nodes.a.idle({ ...query, merchant_id: m })).total).toBe(4)
      expect(await nodes.a.idle({ ...query, merchant_id: fresh("mer") })).toEqual({ items: [], total: 0 })
      expect(await nodes.a.idle({ ...query, waits: [] })).toEqual({ items: [], total: 0 })
      // Those of a state may be left out, before they are counted.
      const without = await nodes.a.idle({ ...query, without: ["asked", "other"] })
      expect([ids(without.items), without.total]).toEqual([["x_a", "x_b", "x_same"], 3])
      expect((await nodes.a.idle({ ...query, without: ["asked", "new"] })).total).toBe(0)
      const both = [...query.waits, { kind, status: "done", until: null }]
      expect((await nodes.a.idle({ ...query, waits: both })).total).toBe(7)
      const unready = [{ kind, status: "unready", until: null }]
      expect(ids((await nodes.a.idle({ ...query, waits: unready })).items)).toEqual(["x_keyed"])
      await nodes.a.commit({
        ...change(m, { rows: [row(m, { ...keyed, version: 2, state: "done", from: "held", updated_at: T0 + 3 })] }),
        at: T0 + 3
      })
      expect((await nodes.a.idle({ ...query, waits: unready })).total).toBe(0)
    })

    it("counts a step that is named as progress, of its kind alone, although the state stays", async () => {
      const m = fresh("mer")
      const [kind, other] = [fresh("kind"), fresh("kind")]
      for (const one of [kind, other]) {
        await lived(m, one, `x_${one}`, [["new", T0]])
        for (const [version, via, at] of [
          [2, "part", T0 + 50],
          [3, "look", T0 + 90]
        ] as const) {
          const again = { kind: one, id: `x_${one}`, state: "new", from: "new", status: "open", version, via }
          await nodes.a.commit({ ...change(m, { rows: [row(m, { ...again, created_at: T0, updated_at: at })] }), at })
        }
      }
      const query = {
        waits: [kind, other].map((one) => ({ kind: one, status: "open", until: null })),
        under_way,
        steps: [`${kind}/part`],
        before: T0 + 100,
        now: T0 + 300,
        offset: 0,
        limit: 10
      }
      expect((await nodes.a.idle(query)).items.map(({ id, since }) => [id, since - T0])).toEqual([
        [`x_${other}`, 0],
        [`x_${kind}`, 50]
      ])
      expect(ids((await nodes.a.idle({ ...query, before: T0 + 50 })).items)).toEqual([`x_${other}`])
    })

    it("leaves out rows whose own job is due later, and hidden rows", async () => {
      const m = fresh("mer")
      const kind = fresh("kind")
      for (const id of ["x_early", "x_due", "x_none", "x_done"]) await lived(m, kind, id, [["new", T0]])
      await nodes.a.commit(change(m, { rows: [row(m, { kind, id: "x_hidden", hidden: true, status: "open" })] }))
      const queue = freshQueue()
      const timer = (id: string, due_at: number | null, status = "pending") =>
        job(queue, { id: `${id}.end`, partition_key: id, due_at, status })
      await nodes.a.commit(
        change(m, { jobs: [timer("x_early", T0 + 101), timer("x_due", T0 + 100), timer("x_done", null, "done")] })
      )
      const query = {
        waits: [{ kind, status: "open", until: "end" }],
        under_way,
        steps: [],
        before: T0 + 50,
        now: T0 + 100,
        offset: 0,
        limit: 10
      }
      expect(ids((await nodes.a.idle(query)).items)).toEqual(["x_done", "x_due", "x_none"])
      expect((await nodes.a.idle({ ...query, now: T0 + 101 })).total).toBe(4)
    })
  })
}
