/**
 * Wallet credentials: asked for, issued, frozen and disabled, and the network they give their wallet (CREDENTIAL-2,
 * WALLET-1).
 */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { findTargetOwner } from "../../../src/engine/resources/deposits/payin-target.ts"
import { Beneficiaries } from "../../../src/engine/resources/parties/beneficiary.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { Transfers } from "../../../src/engine/resources/movements/transfer.ts"
import {
  type CreateWalletCredential,
  ListWalletCredentials,
  WalletCredentials
} from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import type { Provider } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { decode } from "../../../src/engine/input/validation.ts"
import { addressFault } from "../../../src/engine/input/addresses.ts"
import { covers } from "../../support/repository/covers.ts"
import { merchantAtWork, type MerchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onServers, type Run } from "../../support/engines/every-store.ts"

/** A merchant, its credentials and what they are asked. */
const atWork = Effect.fnUntraced(function* (...given: Parameters<typeof merchantAtWork>) {
  const m = yield* merchantAtWork(given[0] ?? "0", given[1] ?? null)
  const credentials = yield* WalletCredentials
  const wallets = yield* Wallets
  const sandbox = yield* SandboxOperations
  const naira = yield* wallets.create(m.caller, {
    currency: "NGN",
    label: "tills",
    ...(m.customer === undefined ? {} : { customer_id: m.customer })
  })
  return {
    ...m,
    naira,
    create: (wallet_id: string, input: CreateWalletCredential) => credentials.create(m.caller, wallet_id, input),
    issue: (id: string) => sandbox.issueWalletCredential(m.caller, id),
    get: (wallet_id: string, id: string) => Effect.map(credentials.get(m.caller, wallet_id, id), ({ body }) => body),
    network: (wallet_id: string) => Effect.map(wallets.get(m.caller, wallet_id), ({ body }) => body.network)
  }
})

const stranger = Effect.fnUntraced(function* () {
  const other: MerchantAtWork = yield* merchantAtWork("0")
  return other
})

const text = (error: { readonly _tag: string; readonly errors?: ReadonlyArray<{ readonly field: string }> }): string =>
  [error._tag, ...(error.errors ?? []).map(({ field }) => field)].join(" ")

const shared = (run: Run): void => {
  covers("CREDENTIAL-3", "CREDENTIAL-4", "CREDENTIAL-2")
  covers("SANDBOX-5")
  it("is pending and without details until the provider has issued it by itself", () =>
    run(
      Effect.gen(function* () {
        const m = yield* atWork()
        const made = yield* m.create(m.naira.id, {
          type: "fiat",
          network: "bank",
          label: "till 4",
          metadata: { shop: "4" }
        })
        assert.match(made.id, /^wcr_[0-9a-z]{26}$/)
        assert.deepEqual<unknown>(made, {
          id: made.id,
          type: "fiat",
          currency: "NGN",
          network: "bank",
          wallet: { id: m.naira.id, currency: "NGN", label: "tills" },
          label: "till 4",
          metadata: { shop: "4" },
          details: null,
          status: "pending",
          provider_resource_id: null,
          created_at: made.created_at,
          updated_at: made.created_at
        })
        assert.deepEqual(yield* m.get(m.naira.id, made.id), made)
        yield* m.settle
        const active = yield* m.get(m.naira.id, made.id)
        assert.strictEqual(active.status, "active")
        assert.match(active.provider_resource_id ?? "", /^cdw_/)
        assert.deepInclude(active.details as object, { accountName: "Ada Ltd", currency: "NGN" })
        assert.hasAllKeys(active.details, [
          "accountName",
          "accountNumber",
          "bankName",
          "bankCode",
          "currency",
          "reference"
        ])
        assert.match((active.details as { accountNumber: string }).accountNumber, /^\d{10}$/)
      })
    ))

  covers("CREDENTIAL-4", "CREDENTIAL-7")
  it.each(["base", "ethereum", "solana"])("on %s it has an address of that chain, made by the service", (network) =>
    run(
      Effect.gen(function* () {
        const m = yield* atWork()
        const { details: awaited, id } = yield* m.create(m.wallet.id, { type: "crypto", network })
        assert.deepEqual<unknown>(awaited, { network, address: null })
        yield* m.issue(id)
        const { details } = yield* m.get(m.wallet.id, id)
        assert.hasAllKeys(details, ["network", "address"])
        assert.strictEqual(details!["network" as never], network)
        assert.isNull(addressFault(network, details!["address" as never]))
        const place = { network, currency: "USDC", target: details!["address" as never] }
        const lookupKey = yield* findTargetOwner(yield* Storage, place, "simulated")
        assert.strictEqual(lookupKey?.id, id)
      })
    )
  )

  covers("AUTOCONVERT-2")
  it("may be in another currency than its wallet: fiat on a crypto wallet, crypto on a fiat wallet", () =>
    run(
      Effect.gen(function* () {
        const m = yield* atWork()
        const onramp = yield* m.create(m.wallet.id, { type: "fiat", currency: "NGN", network: "bank" })
        assert.deepInclude(onramp, { type: "fiat", currency: "NGN", network: "bank" })
        assert.strictEqual(onramp.wallet.currency, "USDC")
        const offramp = yield* m.create(m.naira.id, { type: "crypto", currency: "USDT", network: "base" })
        assert.deepInclude(offramp, { type: "crypto", currency: "USDT", network: "base" })
        assert.strictEqual(offramp.wallet.currency, "NGN")
      })
    ))

  covers("CREDENTIAL-2")
  it("in fiat takes a customer who is approved; the merchant's own business always is one", () =>
    run(
      Effect.gen(function* () {
        const m = yield* atWork("0", "tier_0")
        assert.strictEqual(
          text(yield* Effect.flip(m.create(m.naira.id, { type: "fiat", network: "bank" }))),
          "InvalidInput type"
        )
        assert.strictEqual(
          text(yield* Effect.flip(m.create(m.wallet.id, { type: "fiat", currency: "NGN", network: "bank" }))),
          "InvalidInput type"
        )
        yield* m.create(m.naira.id, { type: "crypto", currency: "USDC", network: "solana" })
        const own = yield* (yield* Wallets).create(m.caller, { currency: "NGN" })
        yield* m.create(own.id, { type: "fiat", network: "bank" })
      })
    ))

  covers("CREDENTIAL-6", "AUTH-2")
  it("is missed the same way whatever is wrong: its id, its wallet, its merchant", () =>
    run(
      Effect.gen(function* () {
        const credentials = yield* WalletCredentials
        const m = yield* atWork()
        const other = yield* stranger()
        const { id } = yield* m.create(m.wallet.id, { type: "crypto", network: "base" })
        for (const [caller, wallet_id, wanted] of [
          [m.caller, m.wallet.id, "wcr_nobody"],
          [m.caller, "wal_nobody", id],
          [m.caller, m.naira.id, id],
          [other.caller, m.wallet.id, id],
          [other.caller, other.wallet.id, id]
        ] as const) {
          const { _tag, message } = yield* Effect.flip(credentials.get(caller, wallet_id, wanted))
          assert.deepEqual([_tag, message], ["NotFound", `There is no wallet credential ${JSON.stringify(wanted)}.`])
        }
        for (const attempt of [
          credentials.create(other.caller, m.wallet.id, { type: "crypto", network: "base" }),
          credentials.list(other.caller, m.wallet.id, {}),
          credentials.list(m.caller, "wal_nobody", {}),
          credentials.freeze(m.operator, "wcr_nobody")
        ]) {
          assert.strictEqual(
            (yield* Effect.flip(attempt as Effect.Effect<unknown, { readonly _tag: string }>))._tag,
            "NotFound"
          )
        }
      })
    ))

  covers("CREDENTIAL-8", "CREDENTIAL-2")
  it("is frozen, unfrozen and disabled for good by the operator", () =>
    run(
      Effect.gen(function* () {
        const credentials = yield* WalletCredentials
        const m = yield* atWork()
        const { id } = yield* m.create(m.wallet.id, { type: "crypto", network: "base" })
        const refused = Effect.fnUntraced(function* (...acts: ReadonlyArray<"freeze" | "unfreeze" | "disable">) {
          for (const act of acts)
            assert.strictEqual((yield* Effect.flip(credentials[act](m.operator, id)))._tag, "InvalidStatus", act)
        })
        yield* refused("freeze", "unfreeze")
        yield* m.issue(id)
        yield* refused("unfreeze")
        const frozen = yield* credentials.freeze(m.operator, id)
        assert.strictEqual(frozen.status, "frozen")
        assert.deepEqual(yield* m.get(m.wallet.id, id), frozen)
        yield* refused("freeze")
        assert.strictEqual((yield* credentials.unfreeze(m.operator, id)).status, "active")
        yield* credentials.freeze(m.operator, id)
        const disabled = yield* credentials.disable(m.operator, id)
        assert.strictEqual(disabled.status, "disabled")
        assert.isNotNull(disabled.details)
        yield* refused("freeze", "unfreeze", "disable")
        assert.strictEqual((yield* m.issue(id)).status, "disabled")
      })
    ))

  it("still learns of an account that is issued after it was given up, so that what arrives finds its owner", () =>
    run(
      Effect.gen(function* () {
        const credentials = yield* WalletCredentials
        const m = yield* atWork()
        const { id } = yield* m.create(m.naira.id, { type: "fiat", network: "bank" })
        yield* credentials.disable(m.operator, id)
        assert.strictEqual((yield* m.issue(id)).status, "disabled")
        assert.isNotNull((yield* m.get(m.naira.id, id)).details)
        const { transaction_id } = yield* m.deposit({
          wallet_id: undefined as never,
          credential_id: id,
          amount: "5000"
        })
        assert.strictEqual((yield* m.object(transaction_id!, "deposit.held"))["metadata"].hold_reason, "payin_disabled")
      })
    ))

  covers("WALLET-1")
  it("gives its wallet its network while it is the newest active one in the wallet's own currency", () =>
    run(
      Effect.gen(function* () {
        const credentials = yield* WalletCredentials
        const m = yield* atWork()
        assert.strictEqual(yield* m.network(m.wallet.id), "solana")
        const older = yield* m.create(m.wallet.id, { type: "crypto", network: "ethereum" })
        yield* m.advance(1)
        const newer = yield* m.create(m.wallet.id, { type: "crypto", network: "base" })
        yield* credentials.disable(m.operator, newer.id).pipe(Effect.andThen(m.settle))
        assert.strictEqual(yield* m.network(m.wallet.id), "ethereum")
        const newest = yield* m.create(m.wallet.id, { type: "crypto", network: "base" })
        assert.strictEqual(yield* m.network(m.wallet.id), "ethereum")
        yield* m.settle
        assert.strictEqual(yield* m.network(m.wallet.id), "base")
        yield* credentials.freeze(m.operator, newest.id)
        assert.strictEqual(yield* m.network(m.wallet.id), "ethereum")
        yield* credentials.unfreeze(m.operator, newest.id)
        assert.strictEqual(yield* m.network(m.wallet.id), "base")
        yield* credentials.freeze(m.operator, older.id)
        yield* m.create(m.wallet.id, { type: "fiat", currency: "NGN", network: "bank" })
        yield* m.settle
        assert.strictEqual(yield* m.network(m.wallet.id), "base")
        yield* credentials.disable(m.operator, newest.id)
        assert.strictEqual(yield* m.network(m.wallet.id), "solana")
        yield* m.create(m.naira.id, { type: "crypto", currency: "USDC", network: "base" })
        yield* m.settle
        assert.strictEqual(yield* m.network(m.naira.id), "bank")
      })
    ))

  it("of several that are issued at once the newest gives the network, whichever commits last", () =>
    run(
      Effect.gen(function* () {
        const m = yield* atWork()
        const made = yield* Effect.forEach(["solana", "ethereum", "base"], (network) =>
          m.create(m.wallet.id, { type: "crypto", network })
        )
        yield* Effect.all(
          made.map(({ id }) => m.issue(id)),
          { concurrency: 3 }
        )
        assert.strictEqual(yield* m.network(m.wallet.id), "base")
      })
    ))

  it("moves its wallet to the network that transfers are then made on", () =>
    run(
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const m = yield* atWork("100")
        const elsewhere = yield* m.crypto("0x52908400098527886E0F7030069857D2E4169EE7", "base")
        const pay = (beneficiary_id: string) =>
          transfers.create(m.caller, { wallet_id: m.wallet.id, beneficiary_id, amount: "5" })
        assert.strictEqual(text(yield* Effect.flip(pay(elsewhere))), "InvalidInput beneficiary_id")
        const { id } = yield* m.create(m.wallet.id, { type: "crypto", network: "base" })
        yield* m.issue(id)
        const made = yield* pay(elsewhere)
        assert.strictEqual(made.network, "base")
        yield* m.settle
        yield* m.says(made.id, "success")
        assert.strictEqual((yield* (yield* Beneficiaries).get(m.caller, elsewhere)).body.status, "active")
      })
    ))

  covers("AUTOCONVERT-14")
  it("in another currency than its wallet's is refused where no provider converts what it takes", () => {
    const around = (inner: Provider["Service"]): Provider["Service"] => ({
      ...inner,
      manifest: { offers: inner.manifest.offers.filter(({ operation }) => operation !== "conversion") }
    })
    return run(
      Effect.gen(function* () {
        const m = yield* atWork()
        const refusal = yield* Effect.flip(m.create(m.wallet.id, { type: "fiat", currency: "NGN", network: "bank" }))
        assert.strictEqual(text(refusal), "InvalidInput currency")
        assert.strictEqual(refusal.message, "No configured provider converts NGN to USDC.")
        assert.strictEqual((yield* m.create(m.naira.id, { type: "fiat", network: "bank" })).status, "pending")
      }),
      { around }
    )
  })

  covers("CREDENTIAL-5")
  it("is listed with its wallet's others, newest first, by status and in pages", () =>
    run(
      Effect.gen(function* () {
        const credentials = yield* WalletCredentials
        const m = yield* atWork()
        const first = (yield* m.create(m.wallet.id, { type: "crypto", network: "base" })).id
        yield* m.create(m.naira.id, { type: "fiat", network: "bank" })
        const last = (yield* m.create(m.wallet.id, { type: "fiat", currency: "NGN", network: "bank" })).id
        yield* m.issue(first)
        const listed = Effect.fnUntraced(function* (query: unknown) {
          const { items, total } = yield* credentials.list(
            m.caller,
            m.wallet.id,
            yield* decode(ListWalletCredentials, query, "query")
          )
          return [total, ...items.map(({ id }) => id)]
        })
        assert.deepEqual(yield* listed({}), [2, last, first])
        assert.deepEqual(yield* listed({ per_page: "1", page: "2" }), [2, first])
        assert.deepEqual(yield* listed({ status: "active" }), [1, first])
        assert.strictEqual(
          text(yield* Effect.flip(listed({ status: "open" }) as Effect.Effect<unknown, any>)),
          "InvalidInput status"
        )
      })
    ))
}

onServers("a wallet credential", shared)
