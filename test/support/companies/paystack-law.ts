/** The law of unknown outcomes with Paystack, which fails, takes back, and waits for a code or an approval. */
import { Effect } from "effect"
import { assert } from "@effect/vitest"
import { Chance } from "../../../src/testing/program/random.ts"
import type { Mishap } from "./fake-paystack.ts"
import { runLaw, seedsOf } from "./law.ts"
import { minutes, payoutOf, paystackWorld, type PaystackWorld, referenceFor } from "./paystack-world.ts"

const mishaps: ReadonlyArray<Mishap> = [
  ...([
    "lost",
    "refused",
    "queued",
    "html",
    "done_html",
    "done_truncated",
    "redirect",
    "error_500",
    "done_500"
  ] as const),
  ...(["false_200", "done_false_200", "limited", "limited_html"] as const)
]

const runSeed = (seed: number, world: PaystackWorld) =>
  Effect.gen(function* () {
    const chance = new Chance(`paystack law ${seed}`)
    const { fake } = world
    const ngn = [...fake.integrations.values()].find(({ currency }) => currency === "NGN")!
    ngn.balance = BigInt(chance.between(1, 6)) * 150_050n
    const engine = yield* runLaw(chance, world, {
      commands: Array.from({ length: 4 }, (_, n) => payoutOf(seed * 10 + n)),
      trouble: (isHostile) => {
        fake.mishap = ({ method, path }) =>
          isHostile() && path !== "/balance" && chance.between(0, 2) === 0
            ? method === "POST" && path === "/transfer"
              ? chance.pick(mishaps)
              : chance.pick(["lost", "html", "error_500", "limited"] as const)
            : undefined
      },
      messageOf: (command) => {
        const reference = referenceFor(command)
        const event = chance.pick(["transfer.success", "transfer.failed", "transfer.reversed"])
        return fake.transfers.has(reference) ? fake.transferCallback(reference, event) : undefined
      },
      act: (command) => {
        const reference = referenceFor(command)
        const status = fake.transfers.get(reference)?.status
        ngn.first = chance.pick(["success", "pending", "pending", "received", "otp", "failed"])
        if (status === "pending") fake.become(reference, chance.pick(["success", "failed", "reversed"]))
        if (status === "received" || status === "otp")
          fake.become(reference, chance.pick(["pending", "abandoned", "rejected"]))
        if (status === "success" && chance.between(0, 3) === 0) fake.become(reference, "reversed")
      },
      pauses: [1000, minutes(1), minutes(5), minutes(15)],
      check: () => {
        for (const [reference, times] of fake.executions) assert.isAtMost(times, 1, `${seed}: ${reference}`)
      },
      heal: () => {
        ngn.balance = 1_000_000_00n
        ngn.first = "success"
      },
      settle: () => {
        for (const [reference, { status }] of fake.transfers)
          if (["pending", "received", "otp"].includes(status))
            fake.become(reference, status === "pending" ? "success" : "abandoned")
      },
      rounds: 12
    })
    const { books } = engine
    yield* engine.process.end
    for (const { command, state } of books) {
      const transfer = fake.transfers.get(referenceFor(command))
      const shown = `seed ${seed}: ${command.id} is ${state}, and ${transfer?.status ?? "nothing"} at the company`
      assert.isAtMost(fake.executions.get(referenceFor(command)) ?? 0, 1, shown)
      assert.strictEqual(
        state,
        transfer === undefined || !["success", "reversed"].includes(transfer.status)
          ? "failed"
          : transfer.status === "success"
            ? "success"
            : "returned",
        shown
      )
    }
    assert.deepStrictEqual(fake.invalid, [])
    return fake.executions.size
  })

/** Runs seeds. Returns how many commands the company has executed. */
export const runSeeds = seedsOf(paystackWorld, runSeed)
