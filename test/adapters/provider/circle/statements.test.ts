/** The statement of Circle Mint, which is a fold of its lists: what it looks at, for how long, and with how many requests. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import type { Provider, StatementLine } from "../../../../src/engine/ports/Provider.ts"
import { Chance } from "../../../../src/testing/program/random.ts"
import { circleWorld, type CircleWorld } from "../../../support/companies/circle-world.ts"
import type { FakePayment } from "../../../support/companies/fake-circle.ts"
import { minutes } from "../../../support/companies/paystack-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const hours = (n: number): number => minutes(60 * n)
const days = (n: number): number => hours(24 * n)

/** What the statement of an account was read to: all of its lines, and the warnings of the pages. */
interface ReadStatement {
  readonly lines: ReadonlyArray<StatementLine>
  readonly warnings: ReadonlyArray<{ readonly id: string; readonly reason: string }>
  readonly cursor: string | null
  /** The paths and queries of the requests, and the most that a page made. */
  readonly requests: ReadonlyArray<{ readonly path: string; readonly query: URLSearchParams }>
  readonly most: number
}

const inWorld = <A>(
  test: (
    world: CircleWorld,
    read: (from?: string | null) => Effect.Effect<ReadStatement, unknown>
  ) => Effect.Effect<A, unknown>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const world = yield* circleWorld()
      const { provider } = yield* world.start()
      /** Reads to the page whose cursor has not moved, as the engine does, with a hundred pages without a line at most. */
      const read = Effect.fnUntraced(function* (from: string | null = null) {
        const lines: Array<StatementLine> = []
        const warnings: Array<ReadStatement["warnings"][number]> = []
        const first = world.fake.requests.length
        let most = 0
        let cursor = from
        for (let [empty, pages] = [0, 0]; empty < 100; pages++) {
          assert.isBelow(pages, 1000, "the statement does not end")
          const before = world.fake.requests.length
          const page = yield* (provider as Provider["Service"]).statements!.lines(cursor)
          most = Math.max(most, world.fake.requests.length - before)
          lines.push(...page.lines)
          warnings.push(...((page.unreadable ?? []) as unknown as ReadStatement["warnings"]))
          if (page.cursor === cursor) break
          assert.isBelow(page.cursor!.length, 10_000)
          cursor = page.cursor
          empty = page.lines.length > 0 ? 0 : empty + 1
        }
        return { lines, warnings, cursor, most, requests: world.fake.requests.slice(first) } satisfies ReadStatement
      })
      return yield* world.inWorld(test(world, read))
    })
  )

/** The payments of lines that left, in the order of the lines. */
const paidIn = (lines: ReadonlyArray<StatementLine>): ReadonlyArray<string> =>
  lines.flatMap(({ id }) => /^(?:transfer|payout)\/([^/]+)$/.exec(id)?.[1] ?? [])
const idsOf = (payments: ReadonlyArray<{ readonly id: string }>) => payments.map(({ id }) => id)
const sorted = (ids: ReadonlyArray<string>) => [...ids].sort()

/** Payouts that Circle has paid, so long one after another. */
const payOut = ({ bank, fake, pass }: CircleWorld, count: number, apart_ms: number): ReadonlyArray<FakePayment> =>
  Array.from({ length: count }, () => {
    const payout = fake.payByHand(bank, 1_000_000n, null)
    fake.become(payout, "complete")
    pass(apart_ms)
    return payout
  })

describe("the statement of Circle", () => {
  covers("CIRCLE-15")
  it.live("lists what is new, and not the payouts of the last weeks with it", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const old = payOut(world, 900, minutes(40))
        world.pass(minutes(5))
        const first = yield* read()
        assert.deepStrictEqual(sorted(paidIn(first.lines)), sorted(idsOf(old)))
        assert.isAtMost(first.most, 60)
        const [fresh] = payOut(world, 1, minutes(5))
        const second = yield* read(first.cursor)
        assert.deepStrictEqual(paidIn(second.lines), [fresh!.id])
        assert.isAtMost(second.requests.length, 6)
        for (const { query } of second.requests)
          assert.isAbove(Date.parse(query.get("from")!), world.time.now - minutes(30))
      })
    )
  )

  covers("CIRCLE-15", "CIRCLE-14")
  it.live("goes on where five weeks have more payouts than can be listed at once", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const payouts = payOut(world, 2300, minutes(20))
        world.pass(minutes(5))
        const { lines, most } = yield* read()
        assert.deepStrictEqual(sorted(paidIn(lines)), sorted(idsOf(payouts)))
        assert.isAtMost(most, 60)
      })
    )
  )

  covers("CIRCLE-15")
  it.live("asks nothing a second later, and its cursor stays", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        world.fake.payByHand("0x1", 1_000_000n)
        world.pass(minutes(5))
        const { cursor } = yield* read()
        world.pass(1000)
        const again = yield* read(cursor)
        assert.strictEqual(again.cursor, cursor)
        assert.deepStrictEqual(again.requests, [])
      })
    )
  )

  covers("CIRCLE-16")
  it.live("looks at the oldest of very many that are not final, says so, and has each line once", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const open = Array.from({ length: 130 }, () => {
          world.pass(1000)
          return world.fake.payByHand("0x1", 1_000_000n)
        })
        const paid = payOut(world, 1, minutes(5))
        const first = yield* read()
        assert.deepStrictEqual(first.lines, [])
        assert.isNotEmpty(first.warnings)
        assert.match(first.warnings[0]!.reason, /100 payments at Circle are not final.+goes on with the payments since/)
        // While nothing becomes final, a read asks about each of them and for the lists behind, a few times.
        world.pass(minutes(6))
        assert.isBelow((yield* read(first.cursor)).requests.length, 130)
        // Those that it looks at become final: the line of each comes, and what is newer has room.
        for (const payment of open.slice(0, 40)) world.fake.become(payment, "complete")
        world.pass(minutes(6))
        const second = yield* read(first.cursor)
        assert.deepStrictEqual(sorted(paidIn(second.lines)), sorted(idsOf([...open.slice(0, 40), ...paid])))
        assert.deepStrictEqual(second.warnings.slice(1), [])
        for (const payment of open.slice(40)) world.fake.become(payment, "complete")
        world.pass(minutes(6))
        const third = yield* read(second.cursor)
        assert.deepStrictEqual(sorted(paidIn(third.lines)), sorted(idsOf(open.slice(40))))
        assert.deepStrictEqual(third.warnings, [])
        assert.isAtMost(Math.max(first.most, second.most, third.most), 60)
      })
    )
  )

  covers("CIRCLE-16")
  it.live("looks for months at what is not final where there is room", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const slow = world.fake.payByHand("0x1", 1_000_000n)
        world.pass(minutes(60))
        let { cursor } = yield* read()
        for (let week = 0; week < 10; week++) {
          world.pass(minutes(60 * 24 * 7))
          cursor = (yield* read(cursor)).cursor
        }
        world.fake.become(slow, "complete")
        world.pass(minutes(6))
        assert.deepStrictEqual(paidIn((yield* read(cursor)).lines), [slow.id])
      })
    )
  )

  covers("CIRCLE-16")
  it.live("lets go of what is not final after five weeks where there is no room, names it, and goes on", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const stuck = Array.from({ length: 100 }, () => {
          world.pass(1000)
          return world.fake.payByHand("0x1", 1_000_000n)
        })
        world.pass(minutes(60 * 24))
        let { cursor } = yield* read()
        const paid = payOut(world, 1, minutes(5))
        const late = world.fake.payByHand("0x1", 1_000_000n)
        world.pass(minutes(60 * 24 * 30))
        const readOn = Effect.fnUntraced(function* () {
          const found = { paid: [] as Array<string>, warnings: [] as Array<string> }
          for (let page = 0; page < 8; page++) {
            const one = yield* read(cursor)
            cursor = one.cursor
            found.paid.push(...paidIn(one.lines))
            found.warnings.push(...one.warnings.map(({ reason }) => reason))
            world.pass(minutes(6))
          }
          return found
        })
        const held = yield* readOn()
        assert.deepStrictEqual(held.paid, idsOf(paid))
        assert.match(held.warnings[0]!, /has nothing that was made since/)
        assert.isFalse(held.warnings.some((reason) => reason.includes("five weeks")))
        world.fake.become(late, "complete")
        world.pass(minutes(60 * 24 * 5))
        const after = yield* readOn()
        assert.deepStrictEqual(after.paid, [late.id])
        const named = after.warnings.filter((reason) => reason.includes("five weeks"))
        assert.isAtLeast(named.length, 1)
        for (const reason of named) assert.isTrue(stuck.some(({ id }) => reason.includes(id)))
      })
    )
  )

  covers("CIRCLE-16", "COMPANY-23")
  it.live("goes on, and has each line once, where there is no room for what was listed late and is not final", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const hidden = new Set<string>()
        world.fake.isListed = ({ id }) => !hidden.has(id)
        world.pass(hours(1) - (world.time.now % hours(1)))
        const paid = payOut(world, 1, minutes(1))
        const late = world.fake.payByHand("0x1", 1_000_000n)
        hidden.add(late.id)
        world.pass(hours(1))
        const open = Array.from({ length: 100 }, () => {
          world.pass(1000)
          return world.fake.payByHand("0x1", 1_000_000n)
        })
        world.pass(minutes(5))
        const first = yield* read()
        assert.deepStrictEqual(paidIn(first.lines), idsOf(paid))
        hidden.clear()
        world.pass(minutes(15))
        const second = yield* read(first.cursor)
        assert.deepStrictEqual(second.lines, [])
        assert.match(second.warnings[0]!.reason, /100 payments at Circle are not final/)
        assert.isBelow(second.requests.length, 150)
        for (const payment of [late, ...open]) world.fake.become(payment, "complete")
        world.pass(minutes(15))
        const third = yield* read(second.cursor)
        const all = [...paidIn(first.lines), ...paidIn(third.lines)]
        assert.deepStrictEqual(sorted([...new Set(all)]), sorted(idsOf([...paid, late, ...open])))
      })
    )
  )

  covers("CIRCLE-19", "COMPANY-23")
  it.live("names once what was listed late and cannot be read, and has it when it can be", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const hidden = new Set<string>()
        world.fake.isListed = ({ id }) => !hidden.has(id)
        const late = world.fake.payByHand("0x1", 1_000_000n)
        world.fake.become(late, "complete")
        hidden.add(late.id)
        world.pass(hours(1))
        payOut(world, 1, hours(2))
        const first = yield* read()
        hidden.clear()
        world.fake.shown = (payment) => ({
          ...payment,
          ...("id" in payment && payment.id === late.id && { amount: "strange" })
        })
        world.pass(minutes(15))
        const second = yield* read(first.cursor)
        assert.deepStrictEqual([...new Set(second.warnings.map(({ id }) => id))], [`transfer/${late.id}`])
        world.fake.shown = (payment) => payment
        world.pass(minutes(15))
        assert.deepStrictEqual(paidIn((yield* read(second.cursor)).lines), [late.id])
      })
    )
  )

  covers("CIRCLE-16")
  it.live("asks about what is not final once in a few minutes, and about each of them", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        for (let n = 0; n < 90; n++) {
          world.pass(1000)
          world.fake.payByHand("0x1", 1_000_000n)
        }
        world.pass(minutes(5))
        const { cursor } = yield* read()
        world.pass(minutes(5))
        const { requests } = yield* read(cursor)
        const asked = requests.filter(({ path }) => /transfers\/./.test(path)).map(({ path }) => path)
        assert.strictEqual(asked.length, 90)
        assert.strictEqual(new Set(asked).size, 90)
      })
    )
  )

  covers("CIRCLE-17")
  for (const [kind, place, code] of [
    ["payout", null, "transaction_failed"],
    ["transfer", "BASE", "transfer_failed"]
  ] as const)
    it.live(`has a ${kind} that failed when it was first read, and that Circle pays within three days`, () =>
      inWorld((world, read) =>
        Effect.gen(function* () {
          const pay = () => world.fake.payByHand(kind === "payout" ? world.bank : "0x1", 1_000_000n, place)
          const [soon, late] = [pay(), pay()]
          for (const payment of [soon, late]) world.fake.become(payment, "failed", code)
          world.pass(minutes(5))
          const first = yield* read()
          assert.deepStrictEqual(first.lines, [])
          world.pass(days(2))
          world.fake.become(soon, "complete")
          const second = yield* read(first.cursor)
          assert.deepStrictEqual(paidIn(second.lines), [soon.id])
          world.pass(days(1))
          const third = yield* read(second.cursor)
          world.pass(days(1))
          const { requests } = yield* read(third.cursor)
          assert.isFalse(requests.some(({ path }) => path.endsWith(late.id)))
        })
      )
    )

  covers("CIRCLE-17")
  it.live("looks for three days at what failed after it was not final, and at a wire too", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const transfer = world.fake.payByHand("0x1", 1_000_000n)
        const wire = world.fake.mint(7_000_000n, "pending")
        world.pass(days(5))
        const first = yield* read()
        world.fake.become(transfer, "failed", "transfer_failed")
        wire.status = "failed"
        world.pass(hours(1))
        const early = yield* read(first.cursor)
        world.pass(hours(1))
        const second = yield* read(early.cursor)
        assert.deepStrictEqual([...first.lines, ...early.lines, ...second.lines], [])
        world.pass(days(2))
        world.fake.become(transfer, "complete")
        wire.status = "complete"
        const third = yield* read(second.cursor)
        assert.deepStrictEqual(sorted(third.lines.map(({ id }) => id)), [
          ...[`deposit/${wire.id}`, `deposit/${wire.id}/minted`, `deposit/${wire.id}/minted/usd`],
          `transfer/${transfer.id}`
        ])
      })
    )
  )

  covers("CIRCLE-17")
  it.live("names what failed and is not looked at again, where very much failed", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const failed = Array.from({ length: 60 }, () => world.fake.payByHand("0x1", 1_000_000n))
        for (const payment of failed) world.fake.become(payment, "failed", "transfer_failed")
        world.pass(minutes(5))
        const { warnings } = yield* read()
        assert.strictEqual(warnings.length, 10)
        assert.match(warnings[0]!.reason, /failed or cannot be read.+not looked at again/)
      })
    )
  )

  covers("CIRCLE-18")
  it.live("has what came back of payouts that were final, each once, whenever it began within five weeks", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const payouts = payOut(world, 300, hours(1))
        world.pass(minutes(5))
        const first = yield* read()
        const [whole, waiting, failed, late] = [0, 100, 200, 299].map((n) => payouts[n]!)
        world.fake.bringBack(whole!, 0n, "complete")
        world.fake.bringBack(waiting!)
        world.fake.bringBack(failed!, 0n, "failed")
        world.pass(days(1))
        const second = yield* read(first.cursor)
        const backOf = (lines: ReadonlyArray<StatementLine>) =>
          lines.flatMap(({ id }) => /^payout\/([^/]+)\/return$/.exec(id)?.[1] ?? [])
        assert.deepStrictEqual(backOf(second.lines), [whole!.id])
        world.pass(days(3))
        world.fake.complete(waiting!)
        const third = yield* read(second.cursor)
        assert.deepStrictEqual(backOf(third.lines), [waiting!.id])
        world.pass(days(20))
        world.fake.bringBack(late!, 0n, "complete")
        world.pass(days(1) + minutes(5))
        const fourth = yield* read(third.cursor)
        assert.deepStrictEqual(backOf(fourth.lines), [late!.id])
        assert.isAtMost(Math.max(first.most, second.most, third.most, fourth.most), 60)
        const all = [first, second, third, fourth].flatMap(({ lines }) => lines.map(({ id }) => id))
        assert.deepStrictEqual(sorted((yield* read()).lines.map(({ id }) => id)), sorted(all))
        assert.strictEqual(new Set(all).size, all.length)
      })
    )
  )

  covers("CIRCLE-18")
  it.live("has a return whose end has no time of its own", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        world.fake.shown = (payment) => {
          const { updateDate: _, ...back } = (payment["return"] ?? {}) as Record<string, unknown>
          return "return" in payment ? { ...payment, return: back } : payment
        }
        const [payout] = payOut(world, 1, minutes(5))
        const first = yield* read()
        world.fake.bringBack(payout!)
        world.pass(days(1))
        const second = yield* read(first.cursor)
        assert.deepStrictEqual(second.lines, [])
        world.fake.complete(payout!)
        world.pass(days(1))
        const third = yield* read(second.cursor)
        assert.strictEqual(third.lines[0]?.id, `payout/${payout!.id}/return`)
        world.pass(days(1))
        assert.deepStrictEqual((yield* read(third.cursor)).lines, [])
      })
    )
  )

  covers("CIRCLE-18")
  it.live("looks for returns every hour, and less often where there are many payouts", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const isRelisted = ({ requests }: ReadStatement) =>
          requests.some(({ query }) => Date.parse(query.get("from") ?? "") < world.time.now - days(30))
        /** Whether a round begins so long after the statement was read. */
        const isBegunAfter = Effect.fnUntraced(function* (from: ReadStatement, ms: number) {
          world.pass(ms)
          const next = yield* read(from.cursor)
          return { isBegun: isRelisted(next), next }
        })
        world.pass(minutes(5))
        const few = yield* isBegunAfter(yield* read(), minutes(59))
        assert.isFalse(few.isBegun)
        const more = yield* isBegunAfter(few.next, minutes(1))
        assert.isTrue(more.isBegun)
        payOut(world, 3500, minutes(10))
        world.pass(hours(2))
        // The round of the whole list, and after its rest another one.
        const caughtUp = yield* isBegunAfter(more.next, hours(1))
        assert.isTrue(caughtUp.isBegun)
        assert.isFalse((yield* isBegunAfter(caughtUp.next, minutes(61))).isBegun)
        assert.isTrue((yield* isBegunAfter(caughtUp.next, days(1))).isBegun)
      })
    )
  )

  covers("CIRCLE-13", "CIRCLE-19")
  it.live("names what cannot be read, holds up no other because of it, and has it when it can be read", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const strange = world.fake.payByHand("0x1", 1_000_000n)
        world.fake.become(strange, "complete")
        const returned = world.fake.payByHand(world.bank, 2_000_000n, null)
        world.fake.become(returned, "complete")
        world.fake.bringBack(returned, 0n, "complete")
        const [plain] = payOut(world, 1, minutes(5))
        world.fake.shown = (payment) =>
          payment["id"] === strange.id
            ? { ...payment, amount: 1 }
            : "return" in payment
              ? { ...payment, return: { ...(payment["return"] as object), amount: null } }
              : payment
        const first = yield* read()
        assert.deepStrictEqual(sorted(paidIn(first.lines)), sorted([returned.id, plain!.id]))
        const named = new Set(first.warnings.map(({ id }) => id))
        assert.deepStrictEqual(sorted([...named]), sorted([`transfer/${strange.id}`, `payout/${returned.id}/return`]))
        world.fake.shown = (payment) => payment
        world.pass(minutes(5))
        const second = yield* read(first.cursor)
        assert.deepStrictEqual(
          sorted(second.lines.filter(({ id }) => !id.includes("minted")).map(({ id }) => id)),
          sorted([`transfer/${strange.id}`, `payout/${returned.id}/return`])
        )
      })
    )
  )

  covers("CIRCLE-19")
  it.live("asks again about what Circle does not answer, and fails where it answers nothing", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const [one, other] = [world.fake.payByHand("0x1", 1_000_000n), world.fake.payByHand("0x1", 2_000_000n)]
        world.pass(minutes(5))
        const first = yield* read()
        for (const payment of [one, other]) world.fake.become(payment, "complete")
        world.pass(minutes(6))
        world.fake.mishap = ({ path }) => (path.endsWith(one.id) ? "error_500" : undefined)
        const second = yield* read(first.cursor)
        assert.deepStrictEqual(paidIn(second.lines), [other.id])
        world.pass(minutes(6))
        const failed = yield* Effect.flip(read(second.cursor))
        assert.match((failed as Error).message, /Circle answered 500/)
        world.fake.mishap = () => undefined
        const third = yield* read(second.cursor)
        assert.deepStrictEqual(paidIn(third.lines), [one.id])
      })
    )
  )

  covers("CIRCLE-15")
  it.live("goes on from the cursor of a release before, and loses no return", () =>
    inWorld((world, read) =>
      Effect.gen(function* () {
        const open = world.fake.payByHand("0x1", 1_000_000n)
        const [paid] = payOut(world, 1, days(2))
        world.fake.bringBack(paid!)
        world.pass(minutes(5))
        const at = world.time.now - minutes(1)
        world.fake.complete(paid!)
        world.fake.become(open, "complete")
        world.pass(hours(2))
        const old = JSON.stringify({ at, from: open.at, open: [`transfer/${open.id}`] })
        const { lines } = yield* read(old)
        assert.includeMembers(
          lines.map(({ id }) => id),
          [`transfer/${open.id}`, `payout/${paid!.id}/return`]
        )
        assert.notIncludeMembers(
          lines.map(({ id }) => id),
          [`payout/${paid!.id}`]
        )
      })
    )
  )
})

/** The keys of the lines that the statement must have of what is at Circle, written apart from the connector. */
const expectedIn = ({ fake }: CircleWorld): ReadonlyArray<string> => [
  ...fake.payments.flatMap(({ back, errorCode, id, kind, status }) => {
    const isPaid = status === "complete" || errorCode === "transaction_returned"
    const payout = [`payout/${id}/redeemed`, `payout/${id}/redeemed/usd`]
    return [
      ...(isPaid ? [`${kind}/${id}`, ...(kind === "payout" ? payout : [])] : []),
      ...(back?.status === "complete"
        ? [`payout/${id}/return`, `payout/${id}/minted`, `payout/${id}/minted/usd`, `payout/${id}/return/fee`]
        : [])
    ]
  }),
  ...fake.deposits.flatMap(({ id, status }) =>
    status === "complete" ? [`deposit/${id}`, `deposit/${id}/minted`, `deposit/${id}/minted/usd`] : []
  ),
  ...fake.arrivals.flatMap(({ id, status }) => (status === "complete" ? [`transfer/${id}`] : []))
]

describe("the law of the statement", () => {
  covers("CIRCLE-8", "CIRCLE-15", "CIRCLE-16", "CIRCLE-17", "CIRCLE-18")
  for (let seed = 1; seed <= 6; seed++)
    it.live(`every line is there once, whatever happened and whenever it was read (seed ${seed})`, () =>
      inWorld((world, read) =>
        Effect.gen(function* () {
          const chance = new Chance(`circle statement ${seed}`)
          const { bank, fake } = world
          fake.pageMax = chance.pick([13, 50, 50])
          /** When a payment failed, epoch milliseconds. */
          const failed_at = new Map<string, number>()
          const become = (payment: FakePayment, status: string): void => {
            const isPayout = payment.kind === "payout"
            fake.become(
              payment,
              status,
              status === "failed" ? (isPayout ? "transaction_failed" : "transfer_failed") : null
            )
            failed_at.set(payment.id, world.time.now)
          }
          const advance = (payment: FakePayment): void => {
            const age = world.time.now - payment.at
            if (payment.status === "pending") become(payment, chance.pick(["complete", "complete", "failed"]))
            else if (payment.status === "failed" && world.time.now - failed_at.get(payment.id)! < days(2))
              become(payment, "complete")
            else if (payment.status === "complete" && payment.kind === "payout")
              if (payment.back?.status === "pending") fake.complete(payment)
              else if (payment.back === null && age < days(33))
                fake.bringBack(payment, 1_000_000n, chance.pick(["pending", "complete"]))
          }
          const acts = [
            () => {
              for (let n = chance.between(1, 60); n > 0; n--) {
                const payment = chance.happens(0.5)
                  ? fake.payByHand("0x1", 2_000_000n)
                  : fake.payByHand(bank, 3_000_000n, null)
                if (chance.happens(0.8)) become(payment, chance.pick(["complete", "complete", "complete", "failed"]))
                world.pass(chance.between(1, 2000))
              }
            },
            () => void fake.mint(4_000_000n, chance.pick(["complete", "pending"])),
            () => void fake.arrive("0x2", 5_000_000n, chance.pick(["complete", "pending"])),
            () => {
              for (const one of [...fake.deposits, ...fake.arrivals]) if (chance.happens(0.3)) one.status = "complete"
            },
            () => {
              for (const payment of fake.payments) if (chance.happens(0.15)) advance(payment)
            }
          ]
          const lines: Array<StatementLine> = []
          let cursor: string | null = null
          const readOn = Effect.fnUntraced(function* () {
            const next = yield* Effect.result(read(cursor))
            if (next._tag === "Failure") return
            lines.push(...next.success.lines)
            cursor = next.success.cursor
            assert.isAtMost(next.success.most, 60)
          })
          for (let round = 0; round < 40; round++) {
            chance.pick(acts)()
            world.pass(chance.pick([1000, minutes(1), minutes(7), hours(1), hours(1), hours(11)]))
            fake.mishap = () => (chance.happens(0.1) ? chance.pick(["error_500", "html", "limited"]) : undefined)
            if (chance.happens(0.7)) yield* readOn()
          }
          fake.mishap = () => undefined
          for (const payment of fake.payments) {
            if (payment.status === "pending") fake.become(payment, "complete")
            if (payment.back?.status === "pending") fake.complete(payment)
          }
          for (const one of [...fake.deposits, ...fake.arrivals]) one.status = "complete"
          for (let day = 0; day < 4; day++) {
            world.pass(days(1) + minutes(5))
            yield* readOn()
          }
          assert.deepStrictEqual(sorted(lines.map(({ id }) => id)), sorted(expectedIn(world)))
          assert.deepStrictEqual(sorted((yield* read()).lines.map(({ id }) => id)), sorted(expectedIn(world)))
        })
      )
    )
})
