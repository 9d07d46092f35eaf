/** Idempotency keys of operators: one effect, one response, over nodes and crashes. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { type Change, Storage } from "../../../src/engine/ports/Storage.ts"
import { stores, storesHere } from "../../support/engines/every-store.ts"
import { type Answer, type Api, operatorToken, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

describe.each(Object.entries(stores).filter(([name]) => storesHere().includes(name)))(
  "operators' keys, on %s",
  (_, open) => {
    let runtime: ManagedRuntime.ManagedRuntime<Storage, StorageFault>
    let one: Api
    let other: Api
    /** Whether the first node dies at a commit: it is not made, and nothing more is. */
    let dies: (change: Change) => boolean = () => false

    beforeAll(async () => {
      runtime = ManagedRuntime.make(await open())
      const storage = await runtime.runPromise(Storage)
      const mortal = Storage.of({
        ...storage,
        commit: (change) =>
          Effect.suspend(() =>
            dies(change)
              ? Effect.fail(new StorageFault({ message: "the process ended", retryable: false }))
              : storage.commit(change)
          )
      })
      one = await startApi({}, Layer.succeed(Storage, mortal))
      other = await startApi({}, Layer.succeed(Storage, storage))
    })
    afterAll(async () => {
      await Promise.all([one.close(), other.close()])
      await runtime.dispose()
    })

    let count = 0
    const newKey = () => `operator-key-${count++}`
    const ask = (api: Api, path: string, key: string | null, body: unknown, token = operatorToken): Promise<Answer> =>
      api.ask(path, { key: token, body, ...(key === null ? {} : { headers: { "idempotency-key": key } }) })
    const merchants = "/operator/v1/merchants"
    const merchant = (name: string) => ({ name, country_code: "KE" })
    const madeOf = async (name: string): Promise<number> =>
      (await ask(other, merchants, null, undefined)).json.data.filter((found: any) => found.name === name).length
    const entriesOf = async (action: string, note: string): Promise<number> =>
      (await ask(other, `/operator/v1/audit?per_page=200&action=${action}`, null, undefined)).json.data.filter(
        (entry: any) => entry.note === note
      ).length
    const replayed = (answer: Answer) => answer.headers.get("idempotent-replayed")

    covers("OPERATOR-8", "IDEM-7", "IDEM-8")
    it("repeat the first response byte for byte, on every node, with its secret", async () => {
      const key = newKey()
      const body = { ...merchant(key), note: key }
      const first = await ask(one, merchants, key, body)
      expect([first.status, replayed(first)]).toEqual([200, null])
      for (const api of [one, other]) {
        const again = await ask(api, merchants, key, body)
        expect([again.text, replayed(again)]).toEqual([first.text, "true"])
        expect(again.headers.get("x-request-id")).toBe(first.headers.get("x-request-id"))
      }
      expect([await madeOf(key), await entriesOf("createMerchant", key)]).toEqual([1, 1])
      const { secret } = first.json.data.api_key
      expect(await Effect.runPromise(one.storage.responsesHolding(secret, null, 10))).toEqual([])
    })

    it("conflict with another body and with another path", async () => {
      const key = newKey()
      expect((await ask(one, merchants, key, merchant(key))).status).toBe(200)
      for (const answer of [
        await ask(other, merchants, key, merchant("Other")),
        await ask(other, "/operator/v1/brakes", key, merchant(key))
      ])
        expect([answer.status, answer.json.code]).toEqual([409, "idempotency_conflict"])
      expect(await madeOf(key)).toBe(1)
    })

    covers("OPERATOR-8")
    it("are each operator's own, and no merchant's", async () => {
      const key = newKey()
      const { token } = (await ask(one, "/operator/v1/operators", null, { name: "Ada", role: "admin" })).json.data
      const [mine, theirs] = [
        await ask(one, merchants, key, merchant(key)),
        await ask(one, merchants, key, merchant(key), token)
      ]
      expect([mine.status, theirs.status, replayed(theirs)]).toEqual([200, 200, null])
      expect(await madeOf(key)).toBe(2)
    })

    covers("TIMELINE-1")
    it("are shown in timelines as they were sent", async () => {
      const { token } = (await ask(one, "/operator/v1/operators", null, { name: "Ada", role: "admin" })).json.data
      for (const as of [operatorToken, token]) {
        const key = newKey()
        const made = await ask(one, merchants, key, merchant(key), as)
        const timeline = await ask(
          other,
          `/operator/v1/resources/${made.json.data.merchant.id}/timeline`,
          null,
          undefined,
          as
        )
        expect(timeline.json.data.entries[0]).toMatchObject({ type: "request", idempotency_key: key })
      }
    })

    it("repeat a refusal, also once the call would succeed", async () => {
      const key = newKey()
      const { id } = (await ask(one, "/operator/v1/brakes", null, { scope: "all" })).json.data
      const path = `/operator/v1/brakes/${id}/release`
      expect((await ask(one, path, newKey(), {})).status).toBe(200)
      const first = await ask(one, path, key, {})
      const again = await ask(other, path, key, {})
      expect([first.json.code, again.text, replayed(again)]).toEqual(["invalid_status", first.text, "true"])
      const missing = newKey()
      const none = await ask(one, "/operator/v1/brakes/brake_1/release", missing, {})
      expect((await ask(other, "/operator/v1/brakes/brake_1/release", missing, {})).text).toBe(none.text)
    })

    it("repeat a refusal that the resource's merchant has", async () => {
      const { merchant: made } = (await ask(one, merchants, null, merchant("Keyed"))).json.data
      const path = `${merchants}/${made.id}/api-keys`
      const keys = await Promise.all(Array.from({ length: 9 }, () => ask(one, path, newKey(), { role: "viewer" })))
      expect(keys.map(({ status }) => status)).toEqual(keys.map(() => 200))
      const key = newKey()
      const first = await ask(one, path, key, { role: "viewer" })
      expect(first.json.code).toBe("api_key_limit_exceeded")
      expect((await ask(other, path, key, { role: "viewer" })).text).toBe(first.text)
    })

    covers("OPERATOR-8")
    it.each([
      ["before the key is reserved", 1],
      ["between the reservation and the effect", 2]
    ] as const)("have one effect when the process ends %s", async (_title, at) => {
      const key = newKey()
      const body = { ...merchant(key), note: key }
      let commits = 0
      let isOver = false
      dies = () => (isOver ||= ++commits === at)
      expect((await ask(one, merchants, key, body)).status).toBe(500)
      dies = () => false
      expect(isOver).toBe(true)
      expect([await madeOf(key), await entriesOf("createMerchant", key)]).toEqual([0, 0])
      const repeats = await Promise.all([1, 2, 3, 4].map((n) => ask(n % 2 === 0 ? one : other, merchants, key, body)))
      const done = repeats.filter(({ status }) => status === 200)
      expect(done.length).toBeGreaterThan(0)
      for (const { json, status } of repeats) if (status !== 200) expect(json.code).toBe("idempotency_in_progress")
      const last = await ask(one, merchants, key, body)
      for (const { text } of done) expect(text).toBe(last.text)
      expect([await madeOf(key), await entriesOf("createMerchant", key)]).toEqual([1, 1])
    })

    covers("AUDIT-1")
    it("come with the entry of the audit log in the Change of the action", async () => {
      const key = newKey()
      const seen: Array<ReadonlyArray<string>> = []
      dies = ({ rows }) => {
        seen.push(rows.map(({ kind }) => kind))
        return false
      }
      expect((await ask(one, merchants, key, merchant(key))).status).toBe(200)
      dies = () => false
      expect(seen).toEqual([[], ["merchant", "api_key", "customer", "audit_entry"]])
    })

    it("have one effect when both nodes are asked at once", async () => {
      const key = newKey()
      const body = { ...merchant(key), note: key }
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_each, n) => ask(n % 2 === 0 ? one : other, merchants, key, body))
      )
      for (const { json, status } of answers) if (status !== 200) expect(json.code).toBe("idempotency_in_progress")
      expect(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBeLessThanOrEqual(
        1
      )
      const last = await ask(other, merchants, key, body)
      expect([last.status, await madeOf(key), await entriesOf("createMerchant", key)]).toEqual([200, 1, 1])
    })

    // The last: it moves the clock.
    covers("IDEM-1")
    it("are free again after 24 hours, and not before", async () => {
      const key = newKey()
      expect((await ask(one, merchants, key, merchant(key))).status).toBe(200)
      const advance = (seconds: number) => one.ask("/sandbox/clock/advance", { body: { seconds } })
      expect((await advance(86_390)).status).toBe(200)
      expect((await ask(one, merchants, key, merchant("Other"))).json.code).toBe("idempotency_conflict")
      await advance(15)
      const anew = await ask(one, merchants, key, merchant(key))
      expect([anew.status, replayed(anew), await madeOf(key)]).toEqual([200, null, 2])
    })
  }
)
