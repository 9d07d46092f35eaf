/** The law of unknown outcomes with Bridge, which reviews, cancels, takes back and refunds, now and then to another address; and days that pass, after which its keys are worth nothing. */
import { Effect } from "effect"
import { assert } from "@effect/vitest"
import { Chance } from "../../../src/testing/program/random.ts"
import { bridgeWorld, type BridgeWorld, eurOf, usdOf, virtualAccountOf } from "./bridge-world.ts"
import type { BridgeMishap, FakeTransfer } from "./fake-bridge.ts"
import { runLaw, seedsOf } from "./law.ts"
import { minutes } from "./paystack-world.ts"

const mishaps: ReadonlyArray<BridgeMishap> = [
  ...(["lost", "refused", "queued", "html", "done_html", "done_truncated", "redirect"] as const),
  ...(["error_500", "done_500", "dependency", "limited", "limited_html", "forbidden_html"] as const)
]
/** Where a transfer may go from its state. */
const nexts: Readonly<Record<string, ReadonlyArray<string>>> = {
  awaiting_funds: ["funds_received", "canceled"],
  in_review: ["funds_received", "canceled"],
  pending: ["funds_received", "payment_submitted"],
  funds_received: ["payment_submitted", "undeliverable", "error"],
  payment_submitted: ["payment_processed", "payment_processed", "undeliverable"],
  payment_processed: ["returned"],
  undeliverable: ["refund_in_flight", "missing_return_policy"],
  missing_return_policy: ["refund_in_flight"],
  returned: ["refund_in_flight"],
  refund_in_flight: ["refunded", "refund_failed"],
  refund_failed: ["refund_in_flight"],
  error: ["payment_processed", "canceled"]
}
const ends = new Set(["payment_processed", "refunded", "canceled"])

const runSeed = (seed: number, world: BridgeWorld) =>
  Effect.gen(function* () {
    const chance = new Chance(`bridge law ${seed}`)
    const { fake } = world
    fake.balance = BigInt(chance.between(1, 10)) * 250_500_000n
    fake.shortage = chance.pick(["refused", "awaiting_funds"])
    // Alike, but for the last.
    const commands = Array.from({ length: 4 }, (_, n) => (n === 3 ? eurOf(seed * 10 + n) : usdOf(seed * 10 + n)))
    const advance = (transfer: FakeTransfer): void => {
      const next = nexts[transfer.state]
      if (next === undefined || (transfer.state === "awaiting_funds" && fake.balance < transfer.cost)) return
      if (transfer.state === "payment_processed" && chance.between(0, 3) > 0) return
      fake.become(transfer, chance.pick(next), chance.pick(["wallet", "policy"]))
    }
    const { end, provider } = yield* world.start()
    yield* provider.payins!.issue(virtualAccountOf(seed))
    yield* end
    const [account] = fake.virtualAccounts
    /** A payment to the account comes, or goes on. */
    const receive = (): void => {
      const deposit = fake.deposits.length < 3 || chance.between(0, 3) === 0 ? undefined : chance.pick(fake.deposits)
      if (deposit === undefined) {
        if (fake.deposits.length < 6) fake.arrive(account!, 120_000_000n)
        return
      }
      const next = chance.pick(["in_review", "payment_submitted", "payment_processed", "payment_processed", "refunded"])
      if (!fake.endOf(deposit)) fake.happen(deposit, next)
    }
    // Accounts that were issued stay, whether more are issued or not.
    const options = new Chance(`bridge options ${seed}`)
    const start: typeof world.start = (over, storage) =>
      world.start({ ...over, payins: options.pick([[], ["USD"]]) }, storage)
    const engine = yield* runLaw(
      chance,
      { ...world, start },
      {
        commands,
        trouble: (isHostile) => {
          fake.mishap = ({ method, path }) =>
            isHostile() && !path.includes("/wallets/") && chance.between(0, 2) === 0
              ? method === "POST"
                ? chance.pick(mishaps)
                : chance.pick(["lost", "html", "error_500", "limited"] as const)
              : undefined
        },
        messageOf: ({ id }) => {
          const [transfer] = fake.under(id)
          if (fake.deposits.length > 0 && chance.between(0, 1) === 0)
            return fake.depositMessage(chance.pick(fake.deposits))
          return transfer && fake.message(transfer)
        },
        act: ({ id }) => {
          fake.first = chance.pick(["funds_received", "in_review", "pending", "payment_submitted", "payment_processed"])
          fake.under(id).forEach(advance)
          receive()
        },
        pauses: [1000, minutes(1), minutes(5), minutes(60 * 7)],
        check: () => {
          for (const { id } of commands) {
            const live = fake.under(id).filter(({ state }) => state !== "canceled" && state !== "refunded")
            assert.isAtMost(live.length, 1, `${seed}: ${id} is at Bridge more than once`)
            assert.isAtMost(fake.executions.get(id) ?? 0, 1, `${seed}: ${id} is paid more than once`)
          }
        },
        heal: () => {
          fake.balance = 1_000_000_000_000n
          fake.first = "payment_processed"
        },
        settle: () => {
          for (const transfer of fake.transfers) if (!ends.has(transfer.state)) advance(transfer)
          for (const deposit of fake.deposits) if (!fake.endOf(deposit)) fake.happen(deposit, "payment_processed")
        },
        rounds: 40
      }
    )
    const { books } = engine
    yield* engine.process.end
    for (const { command, state } of books) {
      const transfers = fake.under(command.id)
      const shown = `seed ${seed}: ${command.id} is ${state}, and ${transfers.map((one) => one.state).join()} at Bridge`
      const last = transfers.at(-1)?.state
      if (last === "payment_processed") assert.strictEqual(state, "success", shown)
      // What Bridge has refunded is a return, or was released before.
      else if (last === "refunded") assert.include(["returned", "failed"], state, shown)
      else assert.strictEqual(state, "failed", shown)
    }
    // What is in the wallet is told, once, and nothing else.
    const arrived = fake.deposits.filter((one) => fake.endOf(one) === "payment_processed")
    assert.deepStrictEqual(
      [...engine.payins.values()].sort(),
      arrived.map(({ id }) => `${id} confirmed`).sort(),
      `seed ${seed}: pay-ins`
    )
    assert.deepStrictEqual(fake.invalid, [])
    return books.filter(({ command }) => fake.executions.has(command.id)).length
  })

/** Runs seeds. Returns how many commands the company has paid. */
export const runSeeds = seedsOf(() => bridgeWorld({ payins: ["USD"] }), runSeed)
