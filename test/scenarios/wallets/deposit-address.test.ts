import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { jobId } from "../../../src/engine/commit/steps.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import {
  CreateDepositAddress,
  DepositAddresses,
  DepositAddressKind,
  DisableDepositAddress,
  ListDepositAddresses
} from "../../../src/engine/resources/wallets/deposit-address.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { findTargetOwner } from "../../../src/engine/resources/deposits/payin-target.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { decode } from "../../../src/engine/input/validation.ts"
import { call, MERCHANT, OTHER, refusal, messageOf, scenario, type Strings } from "../../support/merchants/parties.ts"
import { covers } from "../../support/repository/covers.ts"

const walletOf = Effect.fnUntraced(function* (currency: string, merchant_id = MERCHANT) {
  const wallets = yield* Wallets
  return (yield* wallets.create(call({ merchant_id }), { currency, label: "float" })).id
})

const create = Effect.fnUntraced(function* (wallet_id: string, input: unknown, caller = call()) {
  const addresses = yield* DepositAddresses
  return yield* addresses.create(caller, wallet_id, yield* decode(CreateDepositAddress, input))
})

const disable = Effect.fnUntraced(function* (wallet_id: string, id: string, input: unknown = {}, caller = call()) {
  const addresses = yield* DepositAddresses
  return yield* addresses.disable(caller, wallet_id, id, yield* decode(DisableDepositAddress, input))
})

const read = Effect.fnUntraced(function* (wallet_id: string, id: string) {
  const addresses = yield* DepositAddresses
  return (yield* addresses.get(call(), wallet_id, id)).body
})

/** The provider issues the address. */
const issued = Effect.fnUntraced(function* (id: string) {
  const row = yield* (yield* UnitOfWork).load(DepositAddressKind, MERCHANT, id)
  const { event, done } = yield* (yield* Sandbox).issued(DepositAddressKind.issue!(row, jobId(id, "issue")))
  const results = yield* (yield* Inbox).receive("simulated", event)
  yield* done
  return results
})

describe("a deposit address", () => {
  covers("ADDRESS-2", "ADDRESS-1", "CREDENTIAL-7")
  scenario("is pending, its address asked for, until the provider issues it", () =>
    Effect.gen(function* () {
      const wallet_id = yield* walletOf("USDC")
      const made = yield* create(wallet_id, { network: "base", label: "till", metadata: { shop: "4" } })
      assert.match(made.id, /^da_[0-9a-z]{26}$/)
      const at = "2026-01-15T12:00:00.000Z"
      assert.deepStrictEqual<unknown>(made, {
        id: made.id,
        type: "crypto",
        currency: "USDC",
        wallet: { id: wallet_id, currency: "USDC", label: "float" },
        metadata: { shop: "4" },
        details: { network: "base", address: null },
        status: "pending",
        disabled_reason: null,
        provider_resource_id: null,
        label: "till",
        created_at: at,
        updated_at: at
      })
      const command = yield* (yield* Storage).job(MERCHANT, jobId(made.id, "issue"))
      assert.deepStrictEqual([command?.queue, command?.body["operation"]], ["command", "issue"])

      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* issued(made.id), "applied")
      const active = yield* read(wallet_id, made.id)
      const { details, provider_resource_id } = active
      assert.deepStrictEqual<unknown>(active, {
        ...made,
        status: "active",
        details,
        provider_resource_id,
        updated_at: "2026-01-15T12:01:00.000Z"
      })
      assert.match(provider_resource_id ?? "", /^cdw_/)
      assert.strictEqual(details.network, "base")
      const place = { network: "base", currency: "USDC", target: details.address ?? "" }
      const lookupKey = yield* findTargetOwner(yield* Storage, place, "simulated")
      assert.strictEqual(lookupKey?.id, made.id)
    })
  )

  scenario("shows its wallet as it is named now", () =>
    Effect.gen(function* () {
      const wallet_id = yield* walletOf("USDC")
      const { id } = yield* create(wallet_id, { network: "solana" })
      yield* (yield* Wallets).update(call(), wallet_id, { label: "reserve" })
      assert.strictEqual((yield* read(wallet_id, id)).wallet.label, "reserve")
    })
  )

  for (const [what, currency, input, text] of [
    ["a fiat wallet", "NGN", { network: "bank" }, "InvalidInput wallet_id"],
    ["a network that is none", "USDC", { network: "tron" }, "InvalidInput network"],
    ["a bank", "USDC", { network: "bank" }, "InvalidInput network"],
    ["no network", "USDC", {}, "BadRequest network"],
    ["metadata that is a list", "USDC", { network: "base", metadata: [] }, "BadRequest metadata"]
  ] as const) {
    scenario(`is refused for ${what}`, (strings: Strings) =>
      Effect.gen(function* () {
        const wallet_id = yield* walletOf(currency)
        assert.strictEqual(messageOf(yield* refusal(strings, create(wallet_id, input))), text)
      })
    )
  }

  scenario("is not made on an unknown wallet or another merchant's", (strings) =>
    Effect.gen(function* () {
      const theirs = yield* walletOf("USDC", OTHER)
      for (const wallet_id of [theirs, "wal_nobody"]) {
        assert.strictEqual((yield* refusal(strings, create(wallet_id, { network: "base" })))._tag, "NotFound")
      }
    })
  )

  covers("ADDRESS-4")
  scenario("is missed the same way whatever is wrong: its id, its wallet, its merchant", (strings) =>
    Effect.gen(function* () {
      const addresses = yield* DepositAddresses
      const wallet_id = yield* walletOf("USDC")
      const second = yield* walletOf("USDC")
      const theirs = yield* walletOf("USDC", OTHER)
      const { id } = yield* create(wallet_id, { network: "base" })
      for (const [caller, wallet, wanted] of [
        [call(), wallet_id, "da_nobody"],
        [call(), "wal_nobody", id],
        [call(), second, id],
        [call({ merchant_id: OTHER }), wallet_id, id],
        [call({ merchant_id: OTHER }), theirs, id]
      ] as const) {
        for (const miss of [addresses.get(caller, wallet, wanted), addresses.disable(caller, wallet, wanted, {})]) {
          const { _tag, message } = yield* refusal<unknown, { _tag: string; message: string }, never>(strings, miss)
          assert.deepStrictEqual(
            [_tag, message],
            ["NotFound", `There is no deposit address ${JSON.stringify(wanted)}.`]
          )
        }
      }
    })
  )
})

describe("disabling", () => {
  covers("ADDRESS-7", "ADDRESS-8", "ADDRESS-5")
  scenario("ends a pending or active address for good, keeps the reason, and leaves it listed", (strings) =>
    Effect.gen(function* () {
      const wallet_id = yield* walletOf("USDC")
      const pending = (yield* create(wallet_id, { network: "base" })).id
      const active = (yield* create(wallet_id, { network: "base" })).id
      yield* issued(active)
      assert.deepStrictEqual(yield* disable(wallet_id, active, { reason: "leaked" }), { id: active, success: true })
      assert.deepStrictEqual(yield* disable(wallet_id, pending), { id: pending, success: true })
      const { disabled_reason, status } = yield* read(wallet_id, active)
      assert.deepStrictEqual([status, disabled_reason], ["disabled", "leaked"])
      assert.strictEqual((yield* read(wallet_id, pending)).disabled_reason, null)
      for (const id of [active, pending]) {
        const error = yield* refusal(strings, disable(wallet_id, id))
        assert.deepStrictEqual(
          [error._tag, error.message],
          ["InvalidStatus", `Deposit address ${id} is disabled: it cannot be disabled.`]
        )
      }
      assert.isUndefined(yield* (yield* Storage).job(MERCHANT, jobId(pending, "issue")))
      const { items } = yield* (yield* DepositAddresses).list(call(), wallet_id, {})
      assert.deepStrictEqual(
        items.map(({ id }) => id),
        [active, pending]
      )
    })
  )

  scenario("still learns of an address that is issued afterwards, so that what arrives finds its owner", () =>
    Effect.gen(function* () {
      const wallet_id = yield* walletOf("USDC")
      const { id } = yield* create(wallet_id, { network: "base" })
      yield* disable(wallet_id, id)
      assert.strictEqual(yield* issued(id), "applied")
      const { details, status } = yield* read(wallet_id, id)
      assert.strictEqual(status, "disabled")
      const place = { network: "base", currency: "USDC", target: details.address ?? "" }
      assert.strictEqual((yield* findTargetOwner(yield* Storage, place, "simulated"))?.id, id)
    })
  )

  covers("ADDRESS-6")
  scenario("takes a reason of 255 characters and no more, at the version the caller has read", (strings) =>
    Effect.gen(function* () {
      const wallet_id = yield* walletOf("USDC")
      const { id } = yield* create(wallet_id, { network: "base" })
      yield* issued(id)
      assert.strictEqual(
        messageOf(yield* refusal(strings, disable(wallet_id, id, { reason: "x".repeat(256) }))),
        "BadRequest reason"
      )
      assert.strictEqual(
        (yield* refusal(strings, disable(wallet_id, id, {}, call({ if_match: "1" }))))._tag,
        "Conflict"
      )
      yield* disable(wallet_id, id, { reason: "x".repeat(255) }, call({ if_match: "2" }))
    })
  )
})

describe("the operator", () => {
  covers("ADDRESS-9", "ADDRESS-11")
  scenario("freezes an active address of any merchant, which cannot be disabled then, and unfreezes it", (strings) =>
    Effect.gen(function* () {
      const addresses = yield* DepositAddresses
      const operator = call({ merchant_id: "mer_platform", key_id: null })
      const wallet_id = yield* walletOf("USDC")
      const { id } = yield* create(wallet_id, { network: "base" })
      assert.strictEqual((yield* refusal(strings, addresses.freeze(operator, id)))._tag, "InvalidStatus")
      yield* issued(id)
      assert.strictEqual((yield* refusal(strings, addresses.unfreeze(operator, id)))._tag, "InvalidStatus")
      const frozen = yield* addresses.freeze(operator, id)
      assert.strictEqual(frozen.status, "frozen")
      assert.deepStrictEqual(yield* read(wallet_id, id), frozen)
      assert.strictEqual((yield* refusal(strings, addresses.freeze(operator, id)))._tag, "InvalidStatus")
      assert.strictEqual((yield* refusal(strings, disable(wallet_id, id)))._tag, "InvalidStatus")
      assert.strictEqual((yield* addresses.unfreeze(operator, id)).status, "active")
      assert.strictEqual((yield* refusal(strings, addresses.freeze(operator, "da_nobody")))._tag, "NotFound")
    })
  )
})

describe("the list of deposit addresses", () => {
  covers("ADDRESS-3")
  scenario("has one wallet's, filters by status, and knows its wallet", (strings) =>
    Effect.gen(function* () {
      const addresses = yield* DepositAddresses
      const wallet_id = yield* walletOf("USDC")
      const second = yield* walletOf("USDT")
      const first = (yield* create(wallet_id, { network: "base" })).id
      yield* create(second, { network: "ethereum" })
      const last = (yield* create(wallet_id, { network: "solana" })).id
      yield* issued(first)
      const listed = Effect.fnUntraced(function* (query: unknown, wallet = wallet_id) {
        const { items, total } = yield* addresses.list(
          call(),
          wallet,
          yield* decode(ListDepositAddresses, query, "query")
        )
        return [total, ...items.map(({ id }) => id)]
      })
      assert.deepStrictEqual(yield* listed({}), [2, last, first])
      assert.deepStrictEqual(yield* listed({ per_page: "1", page: "2" }), [2, first])
      assert.deepStrictEqual(yield* listed({ status: "active" }), [1, first])
      assert.deepStrictEqual(yield* listed({ status: "frozen" }), [0])
      assert.strictEqual(messageOf(yield* refusal(strings, listed({ status: "open" }))), "InvalidInput status")
      assert.strictEqual((yield* refusal(strings, listed({}, "wal_nobody")))._tag, "NotFound")
      assert.strictEqual(
        (yield* refusal(strings, addresses.list(call({ merchant_id: OTHER }), wallet_id, {})))._tag,
        "NotFound"
      )
    })
  )
})
