/**
 * The law, over seeds: a network that loses and invents answers, processes that end at any moment, a company that executes late, fails and
 * takes back, and a person who makes payments that look like ours. The fake has executed each command at most once; nothing that it has
 * executed is failed for good; what it never executed is released. What nobody can tell, because an answer was lost and a payment is listed that
 * may be its own, is unknown.
 */
import { Effect, Fiber } from "effect"
import { assert } from "@effect/vitest"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import type { PayoutCommand, ProviderEvent } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { Chance } from "../../../src/testing/program/random.ts"
import {
  approved,
  type CircleProcess,
  circleWorld,
  type CircleWorld,
  keyFor,
  redemptionOf,
  transferOf
} from "./circle-world.ts"
import type { CircleMishap, FakePayment } from "./fake-circle.ts"
import { minutes } from "./paystack-world.ts"

/** What an engine would have of a command: as the machine of a payout has it, written apart from it. */
interface Book {
  readonly command: PayoutCommand
  state: "waiting" | "unknown" | "success" | "failed" | "returned"
  attempts: number
}

const mishaps: ReadonlyArray<CircleMishap> = [
  ...(["lost", "refused", "queued", "html", "done_html", "done_truncated", "redirect"] as const),
  ...(["error_500", "done_500", "limited", "limited_html", "forbidden_html"] as const)
]

const apply = (book: Book, outcome: string): void => {
  if (outcome === "returned") book.state = "returned"
  else if (book.state === "waiting" || book.state === "unknown")
    book.state = outcome === "success" ? "success" : "failed"
  else if (book.state === "failed" && outcome === "success")
    throw new Error(`${book.command.id} is paid after it was released`)
}

/** A store of which a commit fails now and then, before it is made or after. */
const faulty = (storage: Storage["Service"], chance: Chance): Storage["Service"] =>
  Storage.of({
    ...storage,
    commit: (change) => {
      const fault = Effect.fail(new StorageFault({ message: "away", retryable: true }))
      const drawn = chance.between(0, 39)
      return drawn === 0 ? fault : drawn === 1 ? Effect.andThen(storage.commit(change), fault) : storage.commit(change)
    }
  })

const isOpen = ({ status }: FakePayment): boolean => status === "pending" || status === "running"

const runSeed = (seed: number, world: CircleWorld) =>
  Effect.gen(function* () {
    const chance = new Chance(`circle law ${seed}`)
    const { fake } = world
    // Alike, but for the last: whose was an answer that is lost?
    const books: ReadonlyArray<Book> = Array.from({ length: 4 }, (_, n) => ({
      command: n === 3 ? redemptionOf(seed * 10 + n, world.bank) : transferOf(seed * 10 + n),
      state: "waiting",
      attempts: 0
    }))
    fake.balance = BigInt(chance.between(1, 60)) * 25_500_000n
    let isHostile = true
    fake.mishap = ({ method, path }) =>
      isHostile && path !== "/v1/configuration" && chance.between(0, 2) === 0
        ? method === "POST"
          ? chance.pick(mishaps)
          : chance.pick(["lost", "html", "error_500", "limited"] as const)
        : undefined

    const store = faulty(world.storage, chance)
    let process: CircleProcess = yield* world.start({}, store)
    let cursor: string | null = null
    /** Lets a call go on, or ends its process in the middle of it. Undefined: nobody knows. */
    const called = Effect.fnUntraced(function* <A>(call: Effect.Effect<A, unknown>) {
      if (!isHostile || chance.between(0, 5) > 0) return yield* Effect.orElseSucceed(call, () => undefined)
      const fiber = yield* Effect.forkChild(Effect.orElseSucceed(call, () => undefined))
      yield* Effect.promise(() => new Promise((resolve) => void setTimeout(resolve, chance.between(0, 6))))
      yield* Fiber.interrupt(fiber)
      yield* process.end
      process = yield* world.start({}, store)
      return undefined
    })
    const hear = (event: ProviderEvent): void => {
      const { resource_id } = event as { readonly resource_id?: string }
      const book = books.find(({ command }) => command.resource_id === resource_id)
      if (book !== undefined && event._tag === "movement") apply(book, event.outcome)
    }
    const steps: Readonly<Record<string, (book: Book) => Effect.Effect<void, unknown>>> = {
      submit: Effect.fnUntraced(function* (book: Book) {
        if (book.state !== "waiting") return
        book.attempts++
        book.state = "unknown"
        const result = yield* called(process.provider.payouts!.submit({ ...book.command, attempt: book.attempts - 1 }))
        if (result?._tag === "settled") apply(book, result.outcome.outcome)
        // The engine may release the money here, or go to another provider.
        if (result?._tag === "rejected" || result?._tag === "unavailable")
          book.state = isHostile && chance.between(0, 1) === 0 ? "failed" : "waiting"
      }),
      lookup: Effect.fnUntraced(function* (book: Book) {
        if (book.state !== "unknown") return
        const status = yield* called(process.provider.payouts!.lookup(book.command))
        if (status?._tag === "settled") apply(book, status.outcome.outcome)
        if (status?._tag === "absent") book.state = chance.between(0, 1) === 0 ? "failed" : "waiting"
      }),
      read: Effect.fnUntraced(function* () {
        const page: { readonly events: ReadonlyArray<unknown>; readonly cursor: string } | undefined = yield* called(
          process.provider.events!.after!(cursor)
        )
        for (const event of page?.events ?? []) hear(event as ProviderEvent)
        cursor = page?.cursor ?? cursor
      }),
      notify: Effect.fnUntraced(function* (book: Book) {
        const payment = fake.paymentOf(keyFor(book.command))
        if (payment === undefined) return
        const { body, headers } = fake.paymentMessage(payment)
        const event = yield* called(process.provider.events!.decode!(headers, body, Buffer.from(body)))
        if (event?._tag === "movement") hear(event)
      }),
      company: (book) =>
        Effect.sync(() => {
          const payment = fake.paymentOf(keyFor(book.command))
          fake.first = chance.pick(["complete", "pending", "pending", "running", "failed"])
          if (payment === undefined) return
          const { kind, status } = payment
          if (isOpen(payment)) {
            const code =
              kind === "transfer" ? "transfer_denied" : chance.pick(["transaction_failed", "transaction_returned"])
            if (chance.between(0, 1) === 0) fake.become(payment, "complete")
            else fake.become(payment, "failed", code)
          } else if (kind === "payout" && payment.isOut && payment.back === null) fake.bringBack(payment, 1_000_000n)
          else if (payment.back?.status === "pending") fake.complete(payment)
          else if (status === "complete" && kind === "transfer") payment.fee = 10_000n
        }),
      person: () => Effect.sync(() => void (chance.between(0, 3) === 0 && fake.payByHand(approved, 25_500_000n))),
      pass: () => Effect.sync(() => world.pass(chance.pick([1000, minutes(1), minutes(5)])))
    }
    /** What is queued is executed within the time of grace. */
    let queued_at = world.time.now
    const drain = (): void => {
      fake.drain()
      queued_at = world.time.now
    }
    for (let step = 0; step < 60; step++) {
      const names = [
        "submit",
        "submit",
        "lookup",
        "lookup",
        "lookup",
        "read",
        "read",
        "notify",
        "company",
        "person",
        "pass",
        "pass"
      ]
      yield* steps[chance.pick(names)]!(chance.pick(books))
      if (world.time.now - queued_at > minutes(20) || chance.between(0, 9) === 0) drain()
      for (const [key, times] of fake.executions) assert.isAtMost(times, 1, `${seed}: ${key}`)
    }
    // The network heals, and the company comes to an end with everything.
    isHostile = false
    drain()
    fake.balance = 1_000_000_000_000n
    fake.first = "complete"
    for (let round = 0; round < 12; round++) {
      world.pass(minutes(10))
      for (const payment of fake.payments) {
        if (isOpen(payment)) fake.become(payment, "complete")
        if (payment.errorCode === "transaction_returned" && payment.back === null) fake.bringBack(payment)
        if (payment.back?.status === "pending") fake.complete(payment)
      }
      for (const book of books) {
        yield* steps["submit"]!(book)
        yield* steps["lookup"]!(book)
      }
      yield* steps["read"]!(books[0]!)
    }
    /** What is unknown because its answer was lost, and says so. */
    const lost = new Set<string>()
    for (const { command, state } of books) {
      if (state !== "unknown") continue
      const { message } = yield* Effect.flip(process.provider.payouts!.lookup(command))
      if (/was lost, and .+ may be its own/.test(message)) lost.add(command.id)
    }
    yield* process.end
    for (const { command, state } of books) {
      const payment = fake.paymentOf(keyFor(command))
      const shown = `seed ${seed}: ${command.id} is ${state}, and ${payment?.status ?? "nothing"} at the company`
      assert.isAtMost(fake.executions.get(keyFor(command)) ?? 0, 1, shown)
      const isPaid = payment?.isOut === true
      if (state === "unknown") {
        const isAlike = ({ kind }: FakePayment) => (kind === "payout") === (command.destination.type === "fiat")
        assert.isTrue(lost.has(command.id) && fake.payments.some(isAlike), shown)
        continue
      }
      assert.strictEqual(state, !isPaid ? "failed" : payment.back === null ? "success" : "returned", shown)
    }
    assert.deepStrictEqual(fake.invalid, [])
    return books.filter(({ command, state }) => state !== "unknown" && fake.executions.has(keyFor(command))).length
  })

/** Runs seeds, each in a world of its own. Returns how many commands the company has executed and the connector knows. */
export const runSeeds = (from: number, count: number) =>
  Effect.gen(function* () {
    let executed = 0
    for (let seed = from; seed < from + count; seed++)
      executed += yield* Effect.scoped(Effect.flatMap(circleWorld(), (world) => world.inWorld(runSeed(seed, world))))
    return executed
  })
