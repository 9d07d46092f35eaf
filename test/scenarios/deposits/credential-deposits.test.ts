/**
 * Deposits through a credential in its wallet's own currency (DEPOSIT-7, DEPOSIT-9): as on deposit addresses, and from
 * banks too.
 */
import { assert, describe, it } from "vitest"
import { Clock, Effect } from "effect"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import type { PayinEvent } from "../../../src/engine/ports/Provider.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { Transactions } from "../../../src/engine/reports/transaction.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { covers } from "../../support/repository/covers.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { balances, openWay, type Way, waysOn } from "../../support/merchants/credentials.ts"
import { onServers, type Run } from "../../support/engines/every-store.ts"
import { payinEvent } from "../../support/merchants/payins.ts"

/** Straight in: what arrives is what the wallet holds. */
const ways: ReadonlyArray<Way> = [
  {
    name: "naira from a bank",
    type: "fiat",
    currency: "NGN",
    network: "bank",
    wallet_currency: "NGN",
    amount: "5000.00",
    becomes: "5000.00",
    rate: "1",
    gateway: "0"
  },
  {
    name: "USDC from a chain",
    type: "crypto",
    currency: "USDC",
    network: "base",
    wallet_currency: "USDC",
    amount: "10.00",
    becomes: "10.00",
    rate: "1",
    gateway: "0"
  }
]

const received = "1 deposit.received null>received"
const payer = { sender: { name: "Ngozi", bank: "GTB", account_number: "0123456789" }, narration: "invoice 7" }

const straight = (run: Run, way: Way): void => {
  covers("AUTOCONVERT-2", "CREDENTIAL-1", "DEPOSIT-9")
  it.each<[string, ReadonlyArray<"detected" | "confirmed" | "failed">, string, ReadonlyArray<string>, string, number]>([
    [
      "detected, confirmed",
      ["detected", "confirmed", "confirmed"],
      "success",
      [received, "2 deposit.confirmed received>confirmed"],
      way.amount,
      0
    ],
    ["confirmed first", ["confirmed", "detected"], "success", ["1 deposit.confirmed null>confirmed"], way.amount, 0],
    ["detected, failed", ["detected", "failed"], "failed", [received, "2 deposit.failed received>failed"], "0.00", 0],
    ["failed, confirmed", ["failed", "confirmed"], "failed", ["1 deposit.failed null>failed"], "0.00", 1]
  ])("%s is credited at most once, without a conversion", (_, stages, status, events, available, exceptions) =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        const id = yield* m.pay(stages)
        assert.deepInclude(yield* m.body(id), {
          status,
          source_type: "credential",
          source_id: m.credential_id,
          source_amount: way.amount,
          source_currency: way.currency,
          destination_amount: way.amount,
          destination_currency: way.currency,
          received_amount: way.amount,
          fee: { line_items: [] }
        })
        assert.deepEqual(yield* m.story(id), events)
        assert.deepEqual(yield* m.balance, balances(available))
        assert.deepEqual(yield* m.conversions, [])
        const raised = yield* m.exceptions
        assert.strictEqual(raised.length, exceptions)
        const credited: Array<string> = []
        for (const one of raised) {
          credited.push((yield* m.resolve(one.id, "credit")).credited!.transaction_id)
          assert.deepEqual(yield* m.balance, balances(way.amount))
        }
        const { items } = yield* (yield* Transactions).list(m.caller, { source_type: "credential" })
        assert.deepEqual(
          items.map((one) => one.id),
          [...credited, id]
        )
      })
    )
  )

  covers("DEPOSIT-10", "DEPOSIT-11")
  it.each(["freeze", "disable"] as const)("after %s is held in the wallet, and a release credits it", (stop) =>
    run(
      Effect.gen(function* () {
        const deposits = yield* Deposits
        const m = yield* openWay(way)
        yield* m[stop]
        const id = yield* m.pay(["detected", "confirmed"])
        const held = yield* m.object(id, "deposit.held")
        assert.strictEqual(held["metadata"].hold_reason, stop === "freeze" ? "payin_frozen" : "payin_disabled")
        for (const extra of ["wallet", "customer", "credential"]) assert.notProperty(held, extra)
        assert.deepEqual(yield* m.balance, { available: "0.00", reserved: "0.00", held: way.amount })
        yield* deposits.release(m.operator, id, "seen")
        assert.deepEqual(yield* m.balance, balances(way.amount))
        assert.deepEqual(yield* m.story(id), [
          received,
          "2 deposit.held received>held",
          "3 deposit.confirmed held>confirmed"
        ])
      })
    )
  )

  it("has nothing to forward", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        yield* m.pay(["confirmed"])
        assert.strictEqual((yield* Effect.flip(m.forward))._tag, "InvalidStatus")
      })
    ))
}

/** What the credentials of the ways have. */
const ofCredential = { shop: "4" }

onServers("a deposit through a credential", (run, store) => {
  describe.each(waysOn(store, ways).map((way) => [way.name, way] as const))("%s", (_, way) => {
    straight(run, way)
  })

  covers("TRANSACTION-9", "EVENT-25", "DEPOSIT-13")
  it("from a bank names its payer, four digits of the account at most, and no address", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(ways[0]!)
        const id = yield* m.pay(["confirmed"], payer)
        assert.deepEqual((yield* m.object(id, "deposit.confirmed"))["metadata"], {
          ...ofCredential,
          sender_name: "Ngozi",
          sender_bank: "GTB",
          sender_account_number: "6789",
          narration: "invoice 7"
        })
        const anonymous = yield* m.pay(["confirmed"])
        assert.deepEqual((yield* m.body(anonymous))["metadata"], ofCredential)
      })
    ))

  covers("DEPOSIT-14")
  it.each([
    ["with spaces", "GB29 NWBK 6016 1331 9268 19", "6819"],
    ["with hyphens", "00-1122-3", "1223"],
    ["that the bank has masked", "1234****", "1234"],
    ["with a character of two UTF-16 units", "12\u{1F3E6}345", "2345"]
  ])("from a bank names the last four digits of an account number %s", (_, account_number, digits) =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(ways[0]!)
        const id = yield* m.pay(["confirmed"], { sender: { account_number } })
        assert.deepEqual((yield* m.body(id))["metadata"], { ...ofCredential, sender_account_number: digits })
      })
    )
  )

  it("from a bank has no member for what the bank reports as blank", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(ways[0]!)
        const storage = yield* Storage
        const [issued] = yield* storage.get([
          { merchant_id: m.merchant_id, kind: "wallet_credential", id: m.credential_id }
        ])
        const { target } = issued!.data as { readonly target: string }
        const sender = { name: " ", bank: "\t", account_number: " - " }
        const event_id = `blank.${target}`
        yield* (yield* Inbox).receive(
          "simulated",
          payinEvent({ event_id, payin_id: event_id, target, currency: "NGN", sender, narration: "  " })
        )
        const { items } = yield* (yield* Transactions).list(m.caller, { source_type: "credential" })
        assert.deepEqual(
          items.map(({ metadata }) => metadata),
          [ofCredential]
        )
      })
    ))

  it("from a chain names the address it came from", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(ways[1]!)
        const id = yield* m.pay(["confirmed"], { from_address: "0xabc" })
        assert.deepEqual((yield* m.body(id))["metadata"], { ...ofCredential, from_address: "0xabc" })
        assert.isNotNull((yield* m.body(id))["transaction_hash"])
      })
    ))

  it("is held where it would cross its customer's limit", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(ways[1]!, "tier_0")
        yield* m.pay(["confirmed"], { amount: "1000" })
        const over = yield* m.pay(["confirmed"], { amount: "0.01" })
        assert.strictEqual((yield* m.object(over, "deposit.held"))["metadata"].hold_reason, "tier_limit")
        assert.deepEqual(yield* m.balance, { available: "1000.00", reserved: "0.00", held: "0.01" })
      })
    ))

  covers("SANDBOX-1")
  it("of the sandbox to a fiat wallet arrives on its credential, or on one made for the purpose", () =>
    run(
      Effect.gen(function* () {
        const credentials = yield* WalletCredentials
        const wallets = yield* Wallets
        const sandbox = yield* SandboxOperations
        const m = yield* merchantAtWork("0")
        const wallet = yield* wallets.create(m.caller, { currency: "KES" })
        const paid = sandbox.deposit(m.caller, { wallet_id: wallet.id, amount: "129.50" })
        const { transaction_id } = yield* paid
        yield* paid
        const { items } = yield* credentials.list(m.caller, wallet.id, {})
        assert.deepEqual(
          items.map(({ currency, label, status }) => [currency, label, status]),
          [["KES", "sandbox", "active"]]
        )
        assert.strictEqual((yield* m.body(transaction_id!))["source_id"], items[0]!.id)
        const { body } = yield* wallets.get(m.caller, wallet.id)
        assert.deepEqual([body.balance.available, body.network], ["259.00", "bank"])
      })
    ))

  it("in another currency, on another network or unreadable waits for a person", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* openWay(ways[1]!)
        const { details } = yield* m.credential
        const now = yield* Clock.currentTimeMillis
        const event = (n: number, more: Partial<PayinEvent>): PayinEvent =>
          payinEvent({
            event_id: `${m.merchant_id}.e${n}`,
            payin_id: `${m.merchant_id}.p${n}`,
            target: (details as { address: string }).address,
            amount: "7",
            network: "base",
            observed_at: now,
            ...more
          })
        yield* inbox.receive("simulated", event(1, { currency: "USDT" }))
        yield* inbox.receive("simulated", event(2, { network: "solana" }))
        yield* inbox.receive("simulated", event(3, { amount: "0.0000001" }))
        yield* inbox.receive("simulated", event(4, {}))
        assert.deepEqual(yield* m.balance, balances("7.00"))
        const raised = (yield* m.exceptions).map(({ reason, amount, currency }) => [reason, amount, currency])
        assert.sameDeepMembers(raised, [
          ["wrong_currency", "7.00", "USDT"],
          ["wrong_currency", "7.00", "USDC"],
          ["remainder", null, null]
        ])
      })
    ))

  it("stays with the credential it was first told of; a later word that names another waits for a person", () =>
    run(
      Effect.gen(function* () {
        const credentials = yield* WalletCredentials
        const inbox = yield* Inbox
        const sandbox = yield* SandboxOperations
        const m = yield* openWay({ ...ways[1]!, wallet_currency: "NGN" })
        const elsewhere = yield* credentials.create(m.caller, m.wallet.id, {
          type: "crypto",
          currency: "USDC",
          network: "base"
        })
        yield* sandbox.issueWalletCredential(m.caller, elsewhere.id)
        const addressOf = (id: string) =>
          Effect.map(
            credentials.get(m.caller, m.wallet.id, id),
            ({ body }) => (body.details as { address: string }).address
          )
        const now = yield* Clock.currentTimeMillis
        const word = (stage: PayinEvent["stage"], target: string): PayinEvent =>
          payinEvent({
            event_id: `${m.merchant_id}.${stage}`,
            payin_id: `${m.merchant_id}.moved`,
            stage,
            target,
            amount: "10",
            network: "base",
            observed_at: now
          })
        yield* inbox.receive("simulated", word("detected", yield* addressOf(m.credential_id)))
        yield* inbox.receive("simulated", word("confirmed", yield* addressOf(elsewhere.id)))
        assert.deepEqual(
          (yield* m.exceptions).map(({ amount, reason }) => [reason, amount]),
          [["another_target", null]]
        )
        yield* inbox.receive("simulated", {
          ...word("confirmed", yield* addressOf(m.credential_id)),
          event_id: `${m.merchant_id}.2`
        })
        assert.strictEqual((yield* m.conversion).credential_id, m.credential_id)
        yield* m.finish
        assert.deepEqual(yield* m.balances, { free: "0", reserved: "0", held: "0" })
      })
    ))
})
