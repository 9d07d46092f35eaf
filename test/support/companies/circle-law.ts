/**
 * The law of unknown outcomes with Circle, which fails and brings back, and a person who makes payments that look like ours. What nobody can tell,
 * because an answer was lost and a payment is listed that may be its own, is unknown.
 */
import { Effect } from "effect"
import { assert } from "@effect/vitest"
import { Chance } from "../../../src/testing/program/random.ts"
import { approved, circleWorld, type CircleWorld, keyFor, redemptionOf, transferOf } from "./circle-world.ts"
import type { CircleMishap, FakePayment } from "./fake-circle.ts"
import { runLaw, seedsOf } from "./law.ts"
import { minutes } from "./paystack-world.ts"

const mishaps: ReadonlyArray<CircleMishap> = [
  ...(["lost", "refused", "queued", "html", "done_html", "done_truncated", "redirect"] as const),
  ...(["error_500", "done_500", "limited", "limited_html", "forbidden_html"] as const)
]

const isOpen = ({ status }: FakePayment): boolean => status === "pending" || status === "running"

const runSeed = (seed: number, world: CircleWorld) =>
  Effect.gen(function* () {
    const chance = new Chance(`circle law ${seed}`)
    const { fake } = world
    fake.balance = BigInt(chance.between(1, 60)) * 25_500_000n
    const advance = (payment: FakePayment): void => {
      const { kind, status } = payment
      if (isOpen(payment)) {
        const code =
          kind === "transfer" ? "transfer_denied" : chance.pick(["transaction_failed", "transaction_returned"])
        if (chance.between(0, 1) === 0) fake.become(payment, "complete")
        else fake.become(payment, "failed", code)
      } else if (kind === "payout" && payment.isOut && payment.back === null) fake.bringBack(payment, 1_000_000n)
      else if (payment.back?.status === "pending") fake.complete(payment)
      else if (status === "complete" && kind === "transfer") payment.fee = 10_000n
    }
    const engine = yield* runLaw(chance, world, {
      // Alike, but for the last: whose was an answer that is lost?
      commands: Array.from({ length: 4 }, (_, n) =>
        n === 3 ? redemptionOf(seed * 10 + n, world.bank) : transferOf(seed * 10 + n)
      ),
      trouble: (isHostile) => {
        fake.mishap = ({ method, path }) =>
          isHostile() && path !== "/v1/configuration" && chance.between(0, 2) === 0
            ? method === "POST"
              ? chance.pick(mishaps)
              : chance.pick(["lost", "html", "error_500", "limited"] as const)
            : undefined
      },
      messageOf: (command) => {
        const payment = fake.paymentOf(keyFor(command))
        return payment && fake.paymentMessage(payment)
      },
      act: (command) => {
        const payment = fake.paymentOf(keyFor(command))
        fake.first = chance.pick(["complete", "pending", "pending", "running", "failed"])
        if (payment !== undefined) advance(payment)
        if (chance.between(0, 7) === 0) fake.payByHand(approved, 25_500_000n)
      },
      pauses: [1000, minutes(1), minutes(5), minutes(15)],
      check: () => {
        for (const [key, times] of fake.executions) assert.isAtMost(times, 1, `${seed}: ${key}`)
      },
      heal: () => {
        fake.balance = 1_000_000_000_000n
        fake.first = "complete"
      },
      settle: () => {
        for (const payment of fake.payments) {
          if (isOpen(payment)) fake.become(payment, "complete")
          if (payment.errorCode === "transaction_returned" && payment.back === null) fake.bringBack(payment)
          if (payment.back?.status === "pending") fake.complete(payment)
        }
      },
      rounds: 12
    })
    const { books } = engine
    /** What is unknown because its answer was lost, and says so. */
    const lost = new Set<string>()
    for (const { command, state } of books) {
      if (state !== "unknown") continue
      const { message } = yield* Effect.flip(engine.process.provider.payouts!.lookup(command))
      if (/was lost, and .+ may be its own/.test(message)) lost.add(command.id)
    }
    yield* engine.process.end
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

/** Runs seeds. Returns how many commands the company has executed and the connector knows. */
export const runSeeds = seedsOf(circleWorld, runSeed)
