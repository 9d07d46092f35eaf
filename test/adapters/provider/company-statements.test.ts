/** The law of an overlap: what a company lists late is on its statement when it is listed, whatever was read before. */
import { Effect, type Scope } from "effect"
import { assert, describe, it } from "@effect/vitest"
import type { StatementLine, StatementPage } from "../../../src/engine/ports/Provider.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { readStatement, startPlace, type StatementPlace } from "../../../src/adapters/provider/company/statement.ts"
import { Chance } from "../../../src/testing/program/random.ts"
import { bridgeWorld } from "../../support/companies/bridge-world.ts"
import { circleWorld } from "../../support/companies/circle-world.ts"
import { minutes, paystackWorld } from "../../support/companies/paystack-world.ts"
import type { Process } from "../../support/companies/world.ts"
import { covers } from "../../support/repository/covers.ts"

/** A company as this law needs it. `move`: money moves, and is listed only after `list`. */
interface Subject {
  readonly start: () => Effect.Effect<Process, unknown>
  readonly pass: (ms: number) => void
  readonly inWorld: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly move: () => { readonly list: () => void }
  /** How many movements the company has, listed or not. */
  readonly count: () => number
  readonly requests: () => number
}

const subjects: Readonly<Record<string, Effect.Effect<Subject, unknown, Scope.Scope>>> = {
  Paystack: Effect.map(
    Effect.suspend(() => paystackWorld()),
    ({ fake, ...world }): Subject => {
      const hidden = new Set<bigint>()
      let moved = 0
      fake.isListed = ({ id }) => !hidden.has(id)
      return {
        ...{ start: world.start, pass: world.pass, inWorld: world.inWorld },
        move: () => {
          moved++
          fake.pay("0000000000", BigInt(moved) * 100n)
          const { id } = fake.lastBooked
          hidden.add(id)
          return { list: () => void hidden.delete(id) }
        },
        count: () => moved,
        requests: () => fake.requests.length
      }
    }
  ),
  Circle: Effect.map(
    Effect.suspend(() => circleWorld()),
    ({ fake, ...world }): Subject => {
      const hidden = new Set<string>()
      let moved = 0
      fake.isListed = ({ id }) => !hidden.has(id)
      return {
        ...{ start: world.start, pass: world.pass, inWorld: world.inWorld },
        move: () => {
          moved++
          const { id } = fake.arrive("0x1", BigInt(moved) * 1_000_000n)
          hidden.add(id)
          return { list: () => void hidden.delete(id) }
        },
        count: () => moved,
        requests: () => fake.requests.length
      }
    }
  ),
  Bridge: Effect.map(
    Effect.suspend(() => bridgeWorld()),
    ({ fake, ...world }): Subject => {
      const hidden = new Set<unknown>()
      let moved = 0
      fake.isListed = (item) => !hidden.has(item)
      return {
        ...{ start: world.start, pass: world.pass, inWorld: world.inWorld },
        move: () => {
          moved++
          fake.move("direct_deposit", BigInt(moved) * 1_000_000n)
          const item = fake.history.at(-1)
          hidden.add(item)
          return { list: () => void hidden.delete(item) }
        },
        count: () => moved,
        requests: () => fake.requests.length
      }
    }
  )
}

/** A reading as the engine does it: to the page whose cursor has not moved. */
const readFrom = Effect.fnUntraced(function* ({ provider }: Process, from: string | null) {
  const lines: Array<StatementLine> = []
  let cursor = from
  for (let pages = 0; pages < 200; pages++) {
    const page: StatementPage = yield* provider.statements!.lines(cursor)
    lines.push(...page.lines)
    if (page.cursor === cursor) return { lines, cursor }
    cursor = page.cursor
  }
  throw new Error("the statement does not end")
})

const inSubject = (name: string, test: (subject: Subject) => Effect.Effect<void, unknown>) =>
  Effect.scoped(Effect.flatMap(subjects[name]!, (made) => made.inWorld(test(made))))

describe("a list that is read by time", () => {
  covers("COMPANY-23")
  it.effect("has what is new, also where the last day cannot be listed again", () =>
    Effect.gen(function* () {
      const now = Date.UTC(2026, 5, 1, 12, 30)
      const items: Array<{ readonly key: string; readonly at: number }> = []
      const taken: Array<string> = []
      let isBroken = false
      const read = (place: StatementPlace, at: number) => {
        const before = taken.length
        return readStatement(place, at, {
          name: "the statement",
          list: ({ from, to = at }) =>
            isBroken && from < now - minutes(60)
              ? Effect.fail(new ProviderFault({ message: "no answer" }))
              : Effect.succeed({ items: items.filter((one) => one.at >= from && one.at <= to) }),
          take: (found, end) => {
            taken.push(...found.items.map(({ key }) => key))
            return end
          },
          tellUnread: () => undefined,
          hours: new Map(),
          isEnough: () => taken.length > before
        })
      }
      items.push({ key: "a", at: now - minutes(300) })
      let place = yield* read(yield* read(startPlace(now - minutes(60 * 48)), now), now)
      isBroken = true
      items.push({ key: "b", at: now + minutes(5) })
      place = yield* read(place, now + minutes(20))
      assert.deepStrictEqual(taken, ["a", "b"])
      assert.strictEqual((yield* Effect.flip(read(place, now + minutes(21)))).message, "no answer")
    })
  )
})

describe("a statement of which a part of an hour was read before nobody read it for days", () => {
  covers("COMPANY-23")
  it.effect("goes on", () =>
    Effect.gen(function* () {
      const now = Date.UTC(2026, 5, 1, 12, 30)
      const taken: Array<string> = []
      const read = (place: StatementPlace, at: number) =>
        readStatement(place, at, {
          name: "the statement",
          list: ({ from, to = at }) =>
            Effect.succeed({
              items: [{ key: "a", at: now + minutes(60) }].filter((one) => one.at >= from && one.at < to)
            }),
          take: (found, end) => {
            taken.push(...found.items.map(({ key }) => key))
            return end
          },
          tellUnread: () => undefined,
          hours: new Map(),
          isEnough: () => false
        })
      const place = yield* read(startPlace(now), now + minutes(20))
      yield* read(place, now + minutes(60 * 24 * 5))
      assert.deepStrictEqual(taken, ["a"])
    })
  )
})

describe("the statement of a ledger with very many rows", () => {
  covers("COMPANY-23", "COMPANY-18")
  it.live("is not read again before its rest is over, also where the round took several pages", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { fake, inWorld, pass, start } = yield* paystackWorld()
        yield* inWorld(
          Effect.gen(function* () {
            const process = yield* start()
            pass(minutes(60))
            for (let n = 0; n < 2100; n++) {
              fake.pay("0000000000", 100n)
              if (n % 2 === 0) pass(1000)
            }
            pass(minutes(60 * 4))
            const first = yield* readFrom(process, null)
            assert.strictEqual(first.lines.length, 2100)
            pass(minutes(60))
            const second = yield* readFrom(process, first.cursor)
            assert.deepStrictEqual(second.lines, [])
            pass(minutes(2))
            const before = fake.requests.length
            yield* readFrom(process, second.cursor)
            assert.isAtMost(fake.requests.length - before, 6)
          })
        )
      })
    )
  )
})

for (const name of Object.keys(subjects))
  describe(`the statement of ${name}`, () => {
    covers("COMPANY-23")
    it.live("has a movement when it is listed, an hour after others that came after it", () =>
      inSubject(
        name,
        Effect.fnUntraced(function* ({ move, pass, start }: Subject) {
          const process = yield* start()
          const late = move()
          pass(minutes(10))
          move().list()
          pass(minutes(70))
          const first = yield* readFrom(process, null)
          assert.strictEqual(first.lines.length, 1)
          late.list()
          pass(minutes(15))
          const second = yield* readFrom(process, first.cursor)
          assert.strictEqual(new Set([...first.lines, ...second.lines].map(({ id }) => id)).size, 2)
          pass(minutes(15))
          const third = yield* readFrom(process, second.cursor)
          assert.deepStrictEqual(third.lines, [])
        })
      )
    )

    covers("COMPANY-23")
    for (const days of [3, 40])
      it.live(`has a movement that was listed late while nobody read for ${days} days`, () =>
        inSubject(
          name,
          Effect.fnUntraced(function* ({ move, pass, start }: Subject) {
            const process = yield* start()
            const late = move()
            pass(minutes(60))
            move().list()
            pass(minutes(5))
            let { cursor, lines } = yield* readFrom(process, null)
            assert.strictEqual(lines.length, 1)
            pass(minutes(60))
            late.list()
            pass(minutes(60 * 24 * days))
            move().list()
            pass(minutes(5))
            const ids = new Set(lines.map(({ id }) => id))
            for (let n = 0; n < 3; n++) {
              ;({ cursor, lines } = yield* readFrom(process, cursor))
              for (const { id } of lines) ids.add(id)
              pass(minutes(15))
            }
            assert.strictEqual(ids.size, 3)
          })
        )
      )

    covers("COMPANY-23")
    for (let seed = 1; seed <= 6; seed++)
      it.live(`has each movement that is listed within 22 hours, and the same line each time (seed ${seed})`, () =>
        inSubject(
          name,
          Effect.fnUntraced(function* ({ count, move, pass, requests, start }: Subject) {
            const chance = new Chance(`${name} statement ${seed}`)
            const waiting: Array<{ list: () => void; due: number }> = []
            const known = new Map<string, StatementLine>()
            let now = 0
            const wait = (ms: number): void => {
              now += ms
              pass(ms)
              for (const one of waiting) if (one.due <= now) one.list()
            }
            let process = yield* start()
            let cursor: string | null = null
            const read = Effect.fnUntraced(function* () {
              const found = yield* readFrom(process, cursor)
              cursor = found.cursor
              for (const line of found.lines) {
                assert.deepStrictEqual(line, known.get(line.id) ?? line)
                known.set(line.id, line)
              }
            })
            for (let round = 0; round < 30; round++) {
              for (let n = chance.between(0, 4); n > 0; n--) {
                const { list } = move()
                if (chance.happens(0.6)) list()
                else waiting.push({ list, due: now + chance.between(1, 22 * 60) * 60_000 })
                wait(chance.between(1, 900) * 1000)
              }
              wait(chance.pick([1000, minutes(2), minutes(20), minutes(90), minutes(60 * 9)]))
              if (chance.happens(0.6)) yield* read()
              if (chance.happens(0.1)) {
                yield* process.end
                process = yield* start()
              }
            }
            for (let hour = 0; hour < 24; hour++) {
              wait(minutes(60))
              yield* read()
            }
            assert.strictEqual(known.size, count())
            wait(minutes(60 * 24))
            yield* read()
            const before = requests()
            yield* read()
            assert.isAtMost(requests() - before, 6)
            assert.strictEqual((yield* readFrom(process, null)).lines.length, count())
          })
        )
      )
  })
