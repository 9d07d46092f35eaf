/** Search for texts in stored data, as the rotation of an encryption key needs it. */
import { describe, expect, it } from "vitest"
import { change, fresh, type Nodes, range, row } from "../support.ts"

export const holding = (nodes: Nodes): void => {
  describe("a search for a text", () => {
    it("finds rows by their data, hidden ones too, page by page over all merchants", async () => {
      const mark = `"${fresh("key")}:`
      const made = range(7).map((n) => {
        const m = fresh("mer")
        const kind = n % 2 === 0 ? "customer" : "verification"
        return { m, row: row(m, { kind, hidden: n === 3, data: { deep: [{ id_number: `${mark.slice(1)}${n}` }] } }) }
      })
      const other = fresh("mer")
      await nodes.a.commit(change(other, { rows: [row(other, { data: { note: "nothing of it" } })] }))
      for (const one of made) await nodes.a.commit(change(one.m, { rows: [one.row] }))
      const found: Array<string> = []
      let after: Awaited<ReturnType<typeof nodes.b.rowsHolding>>[number] | null = null
      for (;;) {
        const page: Awaited<ReturnType<typeof nodes.b.rowsHolding>> = await nodes.b.rowsHolding(mark, after, 3)
        found.push(...page.map(({ id }) => id))
        if (page.length < 3) break
        after = page.at(-1)!
      }
      expect(found).toHaveLength(7)
      expect(new Set(found)).toEqual(new Set(made.map((one) => one.row.id)))
      const keys = (await nodes.b.rowsHolding(mark, null, 10)).map(({ merchant_id }) => merchant_id)
      expect(keys).toEqual(keys.toSorted())
      expect(await nodes.b.rowsHolding(mark.replace(":", ";"), null, 10)).toEqual([])
    })

    it("finds stored responses, and replaces one only if it is unchanged", async () => {
      const mark = `sealed:${fresh("key")}:`
      const merchants = range(5).map(() => fresh("mer"))
      const idempotency = (key: string, response: string | null) => ({ key, fingerprint: "f", response, expires_at: 1 })
      for (const [n, m] of merchants.entries()) {
        await nodes.a.commit(change(m, { at: 0, idempotency: idempotency("a", `${mark}${n}`) }))
        await nodes.a.commit(change(m, { at: 0, idempotency: idempotency("b", n === 0 ? null : "open") }))
      }
      const first = await nodes.b.responsesHolding(mark, null, 3)
      const rest = await nodes.b.responsesHolding(mark, first.at(-1)!, 3)
      expect([...first, ...rest]).toEqual(
        merchants
          .map((merchant_id, n) => ({ merchant_id, key: "a", response: `${mark}${n}` }))
          .toSorted((a, b) => (a.merchant_id < b.merchant_id ? -1 : 1))
      )
      const m = merchants[0]!
      expect(await nodes.b.replaceResponse(m, "a", `${mark}1`, "wrong")).toBe(false)
      expect(await nodes.b.replaceResponse(m, "missing", `${mark}0`, "wrong")).toBe(false)
      expect(await nodes.b.replaceResponse(m, "a", `${mark}0`, "again")).toBe(true)
      expect(await nodes.a.idempotencyRecord(m, "a", 0)).toEqual({ ...idempotency("a", "again"), at: 0 })
    })
  })
}
