/** External accounts: made, changed, closed, and told apart by their identifiers (EXTERNAL-1 to EXTERNAL-3). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import {
  type CreateExternalAccount,
  ExternalAccounts,
  type UpdateExternalAccount
} from "../../../src/engine/resources/reconciliation/external-account.ts"
import { onMemory, onServers } from "../../support/engines/every-store.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const evm = "0x52908400098527886E0F7030069857D2E4169EE7"

const bank: CreateExternalAccount = {
  provider: "simulated",
  currency: "EUR",
  kind: "bank",
  identifiers: [{ scheme: "iban", value: "DE89 3704 0044 0532 0130 00" }],
  opening: { date: "2026-01-01", balance: "-12.5" },
  time_zone: "Europe/Berlin"
}
const chain: CreateExternalAccount = {
  ...bank,
  currency: "USDC",
  kind: "chain",
  identifiers: [{ scheme: "address", value: evm, network: "base" }],
  opening: { date: "2026-02-28", balance: "0.000001" },
  time_zone: "UTC",
  uses: ["payouts"]
}
const numbered = (value: string): CreateExternalAccount => ({
  ...bank,
  identifiers: [{ scheme: "account_number", value }]
})

const treasury = Effect.gen(function* () {
  const accounts = yield* ExternalAccounts
  const caller = yield* call(PLATFORM_MERCHANT)
  return {
    accounts,
    caller,
    create: (input: CreateExternalAccount) => accounts.create(caller, input),
    update: (id: string, input: UpdateExternalAccount) => accounts.update(caller, id, input)
  }
})

onServers("an external account", (run) => {
  covers("EXTERNAL-1")
  it("is read and listed as it was created, and changed", () =>
    run(
      Effect.gen(function* () {
        const { accounts, caller, create, update } = yield* treasury
        const made = yield* create(bank)
        assert.match(made.id, /^xac_[0-9a-z]{26}$/)
        assert.deepInclude(made, {
          provider: "simulated",
          currency: "EUR",
          kind: "bank",
          identifiers: [{ scheme: "iban", value: "DE89370400440532013000", network: null }],
          opening: { date: "2026-01-01", balance: "-12.50" },
          time_zone: "Europe/Berlin",
          uses: ["payouts", "payins"],
          status: "active"
        })
        assert.deepEqual((yield* accounts.get(caller, made.id)).body, made)
        const changed = yield* update(made.id, {
          opening: { date: "2026-02-01", balance: "7" },
          time_zone: "Africa/Lagos",
          uses: ["payins"]
        })
        assert.deepInclude(changed, {
          identifiers: made.identifiers,
          opening: { date: "2026-02-01", balance: "7.00" },
          time_zone: "Africa/Lagos",
          uses: ["payins"]
        })
        const other = yield* create(chain)
        const ids = (query: Parameters<typeof accounts.list>[1]) =>
          Effect.map(accounts.list(caller, query), ({ items }) => items.map(({ id }) => id))
        assert.deepEqual(yield* ids({ provider: "simulated" }), [other.id, made.id])
        assert.deepEqual(yield* ids({ provider: "nobody" }), [])
        assert.deepEqual(yield* ids({ currency: "EUR" }), [made.id])
        assert.deepEqual(yield* ids({ kind: "chain" }), [other.id])
        assert.deepEqual(yield* ids({ time_zone: "Africa/Lagos" }), [made.id])
        assert.deepEqual(yield* ids({ time_zone: "Africa/Lagos", kind: "chain" }), [])
        assert.deepEqual(yield* ids({ uses: "payins", currency: "EUR" }), [made.id])
        assert.deepEqual(yield* ids({ uses: "payouts", currency: "EUR" }), [])
        assert.deepEqual(yield* ids({ identifiers: "DE89370400440532013000" }), [made.id])
        yield* update(other.id, { status: "closed" })
        assert.deepEqual(yield* ids({ status: "active" }), [made.id])
        assert.strictEqual((yield* Effect.flip(update(other.id, { uses: ["payins"] })))._tag, "InvalidStatus")
        assert.deepInclude(yield* update(other.id, { status: "active", uses: ["payins"] }), {
          status: "active",
          uses: ["payins"]
        })
      })
    ))

  covers("EXTERNAL-3")
  it("has its identifiers alone among the active ones of its currency, and frees them", () =>
    run(
      Effect.gen(function* () {
        const { create, update } = yield* treasury
        const refused = (effect: Effect.Effect<unknown, { readonly _tag: string }>) =>
          Effect.map(Effect.flip(effect), ({ _tag }) => assert.strictEqual(_tag, "DuplicateResource"))
        const results = yield* Effect.forEach([1, 2, 3, 4], () => Effect.exit(create(numbered("0099"))), {
          concurrency: 4
        })
        const made = results.flatMap((exit) => (exit._tag === "Success" ? [exit.value] : []))
        assert.strictEqual(made.length, 1)
        const [first] = made
        assert.strictEqual((yield* create({ ...numbered("0099"), currency: "NGN" })).currency, "NGN")
        // The owner keeps what it has, whatever else it takes.
        const both = [...numbered("0099").identifiers, ...numbered("0100").identifiers]
        assert.strictEqual((yield* update(first!.id, { identifiers: both })).identifiers.length, 2)
        yield* refused(create(numbered("0100")))
        yield* update(first!.id, { identifiers: numbered("0099").identifiers })
        const second = yield* create(numbered("0100"))
        yield* refused(update(first!.id, { identifiers: both }))
        yield* update(first!.id, { status: "closed" })
        const third = yield* create(numbered("0099"))
        yield* refused(update(first!.id, { status: "active" }))
        yield* update(third.id, { status: "closed", identifiers: numbered("0101").identifiers })
        assert.strictEqual((yield* update(first!.id, { status: "active" })).status, "active")
        yield* refused(update(second.id, { identifiers: both }))
      })
    ))
})

onMemory("what an external account refuses", (run) => {
  covers("EXTERNAL-2")
  it.each<readonly [field: string, input: CreateExternalAccount, found: RegExp]>([
    ["provider", { ...bank, provider: "nobody" }, /no provider "nobody"\. Configured: simulated/],
    ["time_zone", { ...bank, time_zone: "Europe/Atlantis" }, /"Europe\/Atlantis"/],
    ["opening.balance", { ...bank, opening: { date: "2026-02-03", balance: "1.001" } }, /at most 2 decimals in EUR/],
    ["uses", { ...bank, uses: [] }, /payouts, payins or both/],
    ["uses", { ...bank, uses: ["payins", "payins"] }, /payouts, payins or both/],
    ["identifiers", { ...bank, identifiers: [] }, /0 entries/],
    ["identifiers.0.scheme", { ...bank, identifiers: chain.identifiers }, /kind bank takes iban/],
    ["identifiers.0.scheme", { ...chain, identifiers: bank.identifiers }, /kind chain takes address/],
    ["identifiers.0.network", { ...bank, identifiers: [{ ...bank.identifiers[0]!, network: "base" }] }, /takes none/],
    ["identifiers.0.network", { ...chain, identifiers: [{ scheme: "address", value: evm }] }, /required/],
    ["identifiers.0.network", { ...chain, currency: "EUR" }, /EUR takes bank/],
    [
      "identifiers.0.value",
      { ...bank, identifiers: [{ scheme: "iban", value: "DE88370400440532013000" }] },
      /check digits/
    ],
    ["identifiers.0.value", { ...bank, identifiers: [{ scheme: "iban", value: "DE89" }] }, /11 to 30/],
    [
      "identifiers.0.value",
      { ...chain, identifiers: [{ scheme: "address", value: "0x12", network: "base" }] },
      /40 hexadecimal/
    ],
    [
      "identifiers.1",
      {
        ...chain,
        identifiers: [...chain.identifiers, { scheme: "address", value: evm.toLowerCase(), network: "base" }]
      },
      /repeats/
    ]
  ])("names the field: %s", (field, input, found) =>
    run(
      Effect.gen(function* () {
        const { create } = yield* treasury
        const refused = yield* Effect.flip(create(input))
        assert.strictEqual(refused._tag, "InvalidInput")
        assert.deepEqual("errors" in refused ? refused.errors.map((one) => one.field) : [], [field])
        assert.match(refused.message, found)
      })
    )
  )

  covers("EXTERNAL-2", "CURRENCY-8")
  it("a currency that there is not", () =>
    run(
      Effect.gen(function* () {
        const { create } = yield* treasury
        assert.strictEqual((yield* Effect.flip(create({ ...bank, currency: "ZZZ" })))._tag, "NotFound")
      })
    ))

  covers("MATCH-7")
  it("is matched by the clock until it is closed, and again once it is opened again", () =>
    run(
      Effect.gen(function* () {
        const { create, update } = yield* treasury
        const m = yield* merchantAtWork("1")
        const storage = yield* Storage
        const { id } = yield* create(bank)
        const isWaiting = Effect.map(storage.job(PLATFORM_MERCHANT, `${id}.match`), (job) => job?.status === "pending")
        yield* m.settle
        assert.isTrue(yield* isWaiting)
        yield* update(id, { status: "closed" })
        yield* m.advance(86_400)
        yield* m.settle
        assert.isFalse(yield* isWaiting)
        yield* update(id, { status: "active" })
        assert.isTrue(yield* isWaiting)
      })
    ))
})
