/** Deposits that were held for the tier's limit, and what an approval makes of them (TIER-2). */
import fc from "fast-check"
import { assert, expect, it } from "vitest"
import { Effect, Schedule } from "effect"
import { Conversions } from "../../../src/engine/resources/movements/conversion.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { market } from "../../support/merchants/credentials.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { DepositAddresses } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { triesOf } from "../../support/properties/tries.ts"
import { covers } from "../../support/repository/covers.ts"
import { onMemory, onServers, type Run } from "../../support/engines/every-store.ts"
import { verifying } from "../../support/merchants/verification.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { depositAddressOf } from "../../support/merchants/payins.ts"

/** The sum of two amounts of two decimals. */
const added = (a: string, b: string): string =>
  ((Math.round(Number(a) * 100) + Math.round(Number(b) * 100)) / 100).toFixed(2)

const hour = 3600

/** A deposit that is held, in dollars: of USDC, of USDC that becomes NGN, or of USDT. */
interface Held {
  readonly is: "usdc" | "crossing" | "usdt"
  readonly dollars: number
}

/**
 * Which are released: each that fits, the oldest first. While NGN and USDT have no rate, USDC that becomes NGN waits, with its room,
 * and USDT beside a limit, without.
 */
const releasedOf = (
  held: ReadonlyArray<Held>,
  limit: number,
  used: number,
  isAway: boolean
): ReadonlyArray<boolean> => {
  let left = limit - used
  return held.map(({ dollars, is }) => {
    if (dollars > left || (isAway && is === "usdt" && limit !== Infinity)) return false
    left -= dollars
    return !isAway || is !== "crossing"
  })
}

/** Pays each in, approves without rates of NGN and USDT, and waits until they are back. Gives which were released, then and at last. */
const approvedWithoutRates = Effect.fnUntraced(function* (
  rates: ReturnType<typeof market>,
  tier: "tier_1" | "tier_2",
  held: ReadonlyArray<Held>
) {
  const m = yield* verifying()
  const sandbox = yield* SandboxOperations
  const { pay, status } = yield* m.payer()
  const [naira, tether] = yield* Effect.forEach(["NGN", "USDT"], (currency) =>
    Wallets.use((wallets) => wallets.create(m.caller, { currency, customer_id: m.customer }))
  )
  const { id: crossing } = yield* WalletCredentials.use((credentials) =>
    credentials.create(m.caller, naira!.id, { type: "crypto", currency: "USDC", network: "base" })
  )
  yield* sandbox.issueWalletCredential(m.caller, crossing)
  const ids = yield* Effect.forEach(held, ({ dollars, is }) => {
    if (is === "usdc") return pay(`${dollars}`)
    if (is === "crossing") return m.pays(crossing, `${dollars}`)
    return Effect.map(
      sandbox.deposit(m.caller, { wallet_id: tether!.id, amount: `${dollars}` }),
      ({ transaction_id }) => transaction_id ?? ""
    )
  })
  const released = Effect.map(Effect.forEach(ids, status), (all) => all.map((one) => one !== "processing"))
  yield* rates.loses("NGN", "USDT")
  yield* m.says((yield* m.start({ tier })).id, "approved")
  const atOnce = yield* released
  yield* m.settle
  yield* m.advance(2 * hour)
  assert.deepEqual(yield* released, atOnce)
  yield* rates.opens
  yield* m.advance(2 * hour)
  const { items } = yield* Conversions.use((conversions) => conversions.list(m.caller, { per_page: 200 }))
  for (const { id } of items) yield* sandbox.outcome(m.caller, { resource_id: id, outcome: "success" })
  return [atOnce, yield* released] as const
})

const shared = (run: Run): void => {
  const rates = market()

  covers("TIER-2", "DEPOSIT-12")
  it.each([
    ["tier_1", 50_000],
    ["tier_2", Infinity]
  ] as const)("to %s releases at once what needs no rate that is away, and the rest when it is back", (tier, limit) =>
    run(
      Effect.gen(function* () {
        const held: ReadonlyArray<Held> = [
          { is: "usdc", dollars: 1500 },
          { is: "usdt", dollars: 21_000 },
          { is: "crossing", dollars: 20_000 },
          { is: "usdc", dollars: 1001 },
          { is: "usdc", dollars: 28_000 }
        ]
        const [atOnce, last] = yield* approvedWithoutRates(rates, tier, held)
        // 20,000 of the 50,000 are the older one's, whose value is known, so that 28,000 do not fit.
        const isUnlimited = tier === "tier_2"
        assert.deepEqual(atOnce, [true, isUnlimited, false, true, isUnlimited])
        assert.deepEqual(atOnce, releasedOf(held, limit, 0, true))
        assert.deepEqual(last, [true, true, true, true, isUnlimited])
      }),
      { rates: rates.layer }
    )
  )

  covers("TIER-2")
  it("releases what the new tier has room for, the oldest first, each that fits, in the commit of the approval", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const { balance, pay, status } = yield* m.payer()
        yield* pay("1000")
        const amounts = ["20000", "30000", "28000", "0.01", "999.99"]
        const ids = yield* Effect.forEach(amounts, pay)
        assert.deepEqual(yield* balance, { available: "1000.00", reserved: "0.00", held: "79000.00" })
        const { id } = yield* m.start()
        yield* m.says(id, "approved")
        // 1,000 of the 50,000 are used: 20,000 fits, 30,000 does not, 28,000 does, and what is left is 1,000.
        assert.deepEqual(yield* Effect.forEach(ids, status), ["success", "processing", "success", "success", "success"])
        assert.deepEqual(yield* balance, { available: "50000.00", reserved: "0.00", held: "30000.00" })
        // A write of the server's own may delay the feed.
        const all = yield* Effect.repeat(m.reported, {
          until: (events) => events.includes(`deposit.confirmed ${ids[4]}`),
          schedule: Schedule.spaced("10 millis"),
          times: 500
        })
        const reported = all.filter((one) => /^(kyc\.approved|deposit\.confirmed) /.test(one)).slice(1)
        assert.deepEqual(reported, [`kyc.approved ${id}`, ...[0, 2, 3, 4].map((at) => `deposit.confirmed ${ids[at]}`)])
        const more = yield* pay("0.01")
        assert.strictEqual(yield* status(more), "processing")
        yield* m.says((yield* m.start()).id, "approved")
        assert.deepEqual(yield* balance, { available: "80000.01", reserved: "0.00", held: "0.00" })
        yield* pay("1000000")
        assert.deepEqual(yield* balance, { available: "1080000.01", reserved: "0.00", held: "0.00" })
      })
    ))

  it("releases more than one commit holds by a timer, each once", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const { balance, pay } = yield* m.payer()
        yield* pay("1000")
        yield* Effect.all(
          Array.from({ length: 62 }, () => pay("10")),
          { concurrency: 4 }
        )
        yield* m.says((yield* m.start()).id, "approved")
        assert.deepEqual(yield* balance, { available: "1500.00", reserved: "0.00", held: "120.00" })
        yield* m.settle
        assert.deepEqual(yield* balance, { available: "1620.00", reserved: "0.00", held: "0.00" })
      })
    ))

  covers("DEPOSIT-12")
  it("lifts the limit alone: what is held for its address too, or was frozen since, is the operator's to release", () =>
    run(
      Effect.gen(function* () {
        const addresses = yield* DepositAddresses
        const deposits = yield* Deposits
        const m = yield* verifying()
        const operator = yield* call(PLATFORM_MERCHANT)
        const { balance, pay, status } = yield* m.payer()
        yield* pay("1000")
        const before = yield* pay("5")
        const { id: address } = yield* depositAddressOf(m.merchant_id)
        yield* addresses.freeze(operator, address)
        const since = (yield* m.deposit(address, "7")).transaction_id ?? ""
        const reasons = Effect.map(deposits.held({ per_page: 200 }), (listed) =>
          [before, since].map((id) => listed.items.find((one) => one.id === id)?.hold_reasons)
        )
        assert.deepEqual(yield* reasons, [
          ["tier_limit", "payin_frozen"],
          ["payin_frozen", "tier_limit"]
        ])
        yield* m.says((yield* m.start()).id, "rejected")
        yield* m.settle
        assert.deepEqual(yield* balance, { available: "1000.00", reserved: "0.00", held: "12.00" })
        yield* m.says((yield* m.start()).id, "approved")
        yield* m.settle
        assert.deepEqual(yield* reasons, [["payin_frozen"], ["payin_frozen"]])
        yield* addresses.unfreeze(operator, address)
        yield* m.settle
        assert.deepEqual(yield* Effect.forEach([before, since], status), ["processing", "processing"])
        yield* deposits.release(operator, before, "looked at")
        yield* deposits.release(operator, since, "seen")
        assert.deepEqual(yield* balance, { available: "1012.00", reserved: "0.00", held: "0.00" })
      })
    ))

  it("releases from an address that was frozen and is not any more", () =>
    run(
      Effect.gen(function* () {
        const addresses = yield* DepositAddresses
        const m = yield* verifying()
        const operator = yield* call(PLATFORM_MERCHANT)
        const { balance, pay } = yield* m.payer()
        yield* pay("1000")
        yield* pay("5")
        const { id: address } = yield* depositAddressOf(m.merchant_id)
        yield* addresses.freeze(operator, address)
        yield* addresses.unfreeze(operator, address)
        yield* m.says((yield* m.start()).id, "approved")
        assert.deepEqual(yield* balance, { available: "1005.00", reserved: "0.00", held: "0.00" })
      })
    ))

  it("overlooks no deposit that arrives while it is approved", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const { balance, pay } = yield* m.payer()
        yield* pay("1000")
        const { id } = yield* m.start()
        const paid = Array.from({ length: 12 }, () => pay("10"))
        yield* Effect.all([...paid.slice(0, 6), m.says(id, "approved"), ...paid.slice(6)], { concurrency: 13 })
        yield* m.settle
        assert.deepEqual(yield* balance, { available: "1120.00", reserved: "0.00", held: "0.00" })
      })
    ))

  it("prices a deposit in another currency at the approval, not at its arrival, and converts it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const { balance, credential, pay } = yield* m.payer()
        yield* m.says((yield* m.start()).id, "approved")
        const account = yield* credential("NGN")
        yield* pay("50000")
        const id = yield* m.pays(account, "150750")
        const [held] = yield* m.events(id)
        assert.deepEqual([held?.["event_type"], held?.["event_object"].destination_amount], ["deposit.held", null])
        yield* m.says((yield* m.start()).id, "approved")
        const [, received] = yield* m.events(id)
        assert.deepEqual(
          [received?.["event_type"], received?.["event_object"].status],
          ["deposit.received", "received"]
        )
        const { destination_amount } = received!["event_object"]
        yield* m.settle
        const storage = yield* Storage
        const { items } = yield* storage.list({
          merchant_id: m.merchant_id,
          kinds: ["conversion"],
          index_keys: [],
          offset: 0,
          limit: 2
        })
        yield* (yield* SandboxOperations).outcome(m.caller, { resource_id: items[0]!.id, outcome: "success" })
        assert.deepEqual(yield* balance, {
          available: added("50000", destination_amount),
          reserved: "0.00",
          held: "0.00"
        })
      })
    ))

  it("counts an approval once, however often its word comes", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* verifying()
        const { balance, pay } = yield* m.payer()
        yield* pay("1000")
        yield* pay("40000")
        const { id } = yield* m.start()
        const word = (n: number) =>
          ({
            _tag: "verification",
            event_id: `${id}.${n}`,
            merchant_id: null,
            resource_id: id,
            outcome: "approved",
            reason: null
          }) as const
        const results = yield* Effect.all(
          [1, 1, 2, 2, 3].map((n) => inbox.receive("simulated", word(n))),
          { concurrency: 5 }
        )
        assert.strictEqual(results.filter((one) => one === "applied").length, 1)
        assert.strictEqual((yield* balance).available, "41000.00")
        assert.strictEqual(
          yield* Effect.flatMap(pay("9000.01"), (paid) => Effect.map(m.events(paid), (all) => all[0]?.["event_type"])),
          "deposit.held"
        )
        assert.strictEqual(
          yield* Effect.flatMap(pay("9000"), (paid) => Effect.map(m.events(paid), (all) => all[0]?.["event_type"])),
          "deposit.confirmed"
        )
        assert.deepEqual(yield* m.exceptions, [])
      })
    ))
}

onServers("an approval", shared)

onMemory("approvals", (run) => {
  const rates = market()

  covers("TIER-2")
  it("release each held deposit as if those that wait for a rate alone were not decided yet", async () => {
    const deposit = fc.record({
      is: fc.constantFrom("usdc" as const, "crossing" as const, "usdt" as const),
      dollars: fc.integer({ min: 1001, max: 30_000 })
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(deposit, { minLength: 1, maxLength: 6 }),
        fc.constantFrom("tier_1" as const, "tier_2" as const),
        async (held, tier) => {
          const limit = tier === "tier_1" ? 50_000 : Infinity
          const [atOnce, last] = await run(approvedWithoutRates(rates, tier, held), { rates: rates.layer })
          expect(atOnce).toEqual(releasedOf(held, limit, 0, true))
          const used = held.reduce((sum, { dollars }, n) => sum + (atOnce[n] ? dollars : 0), 0)
          const isLeft = (_: unknown, n: number) => atOnce[n] === false
          expect(last.filter(isLeft)).toEqual(releasedOf(held.filter(isLeft), limit, used, false))
        }
      ),
      { numRuns: triesOf(12) }
    )
  })
})
