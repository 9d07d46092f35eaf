/** Sessions of the console over time: their ends, their writes, and other nodes. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { idleMs, makeSessions, sessionMs } from "../../../src/engine/calls/sessions.ts"
import type { Operator } from "../../../src/engine/commit/call.ts"
import { sha256 } from "../../../src/engine/crypto/secrets.ts"
import { AuditLog } from "../../../src/engine/resources/access/audit-entry.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { WallTime } from "../../../src/engine/ports/Time.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { covers } from "../../support/repository/covers.ts"

const ada: Operator = { id: "opr_ada", name: "Ada Obi", role: "support" }
const minute = 60_000

/** Two nodes over one store, and a wall clock that stands still unless it is moved. */
const twoNodes = Effect.gen(function* () {
  let now = 1_800_000_000_000
  const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(
      effect,
      WallTime,
      Effect.sync(() => now)
    )
  const [one, other] = [yield* makeSessions, yield* makeSessions]
  const begun = yield* timed(one.begin("operator", "hash", { operator: ada, request_id: "req_in" }))
  const storage = yield* Storage
  const id_hash = yield* sha256(begun.id)
  return {
    ...begun,
    use: (node = one) => timed(node.use(begun.id)),
    end: (node = one) => timed(node.end(begun.id, { operator: ada, request_id: "req_out" })),
    stored: Effect.map(
      storage.idempotencyRecord(PLATFORM_MERCHANT, `session/${id_hash}`, 0),
      (record) => record?.response
    ),
    one,
    other,
    pass: (ms: number) => void (now += ms)
  }
})

onServers("sessions", (run) => {
  covers("SESSION-1")
  it("end after twelve hours, however much they are used", () =>
    run(
      Effect.gen(function* () {
        const { pass, use } = yield* twoNodes
        for (let used = 0; used + 30 * minute < sessionMs; used += 30 * minute) {
          pass(30 * minute)
          expect(yield* use()).toBeDefined()
        }
        pass(30 * minute - 1)
        expect(yield* use()).toBeDefined()
        pass(1)
        expect(yield* use()).toBeUndefined()
      })
    ))

  it("end after an hour without a use, on every node", () =>
    run(
      Effect.gen(function* () {
        const { one, other, pass, use } = yield* twoNodes
        pass(idleMs - 1)
        expect(yield* use(other)).toBeDefined()
        pass(idleMs - 1)
        // The use on the other node counts here too.
        expect(yield* use(one)).toBeDefined()
        pass(idleMs)
        expect([yield* use(one), yield* use(other)]).toEqual([undefined, undefined])
      })
    ))

  it("write the time of a use at most once a minute", () =>
    run(
      Effect.gen(function* () {
        const { pass, stored, use } = yield* twoNodes
        const first = yield* stored
        for (let second = 0; second < 59; second += 5) {
          pass(5000)
          if (second < 55) {
            yield* use()
            expect(yield* stored).toBe(first)
          }
        }
        yield* use()
        expect(yield* stored).not.toBe(first)
      })
    ))

  it("end at the sign-out: at once here, within three seconds on another node", () =>
    run(
      Effect.gen(function* () {
        const { end, one, other, pass, use } = yield* twoNodes
        expect([yield* use(one), yield* use(other)].every((found) => found !== undefined)).toBe(true)
        yield* end(one)
        expect(yield* use(one)).toBeUndefined()
        pass(3000)
        expect(yield* use(other)).toBeUndefined()
      })
    ))

  covers("SESSION-1")
  it("end at the sign-out within three seconds on another node that has just written the time of a use", () =>
    run(
      Effect.gen(function* () {
        const { end, one, other, pass, stored, use } = yield* twoNodes
        pass(58_000)
        expect(yield* use(other)).toBeDefined()
        const first = yield* stored
        yield* end(one)
        pass(2500)
        expect(yield* use(other)).toBeDefined()
        expect(yield* stored).not.toBe(first)
        pass(500)
        expect(yield* use(other)).toBeUndefined()
      })
    ))

  covers("AUDIT-1", "AUDIT-2")
  it("are in the audit log, once each way, without their ids", () =>
    run(
      Effect.gen(function* () {
        const { end, id } = yield* twoNodes
        yield* end()
        yield* end()
        const audit = yield* AuditLog
        const { items } = yield* audit.list({ operator_id: "opr_ada", per_page: 2 })
        expect(
          items.map(({ action, operator, request_id, resource }) => [action, operator, request_id, resource])
        ).toEqual([
          ["session.ended", ada, "req_out", null],
          ["session.created", ada, "req_in", null]
        ])
        expect(JSON.stringify(items)).not.toContain(id)
      })
    ))

  it("are stored by the hash of their ids, and deleted a month later", () =>
    run(
      Effect.gen(function* () {
        const { end, id, stored } = yield* twoNodes
        yield* end()
        const storage = yield* Storage
        expect(yield* storage.responsesHolding(id, null, 10)).toEqual([])
        expect(yield* stored).toBeDefined()
        const monthLater = Date.now() + 32 * 24 * 60 * minute
        while ((yield* storage.forget({ sort: "keys", before: monthLater, limit: 1000 })) === 1000);
        expect(yield* stored).toBeUndefined()
      })
    ))
})
