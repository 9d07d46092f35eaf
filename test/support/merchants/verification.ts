/** A merchant whose customers are verified: what scenarios say and ask of it. */
import { assert } from "vitest"
import { Effect } from "effect"
import { Customers } from "../../../src/engine/resources/parties/customer.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import type { SandboxVerification } from "../../../src/engine/sandbox/inputs.ts"
import { Transactions } from "../../../src/engine/reports/transaction.ts"
import { type CreateVerification, Verifications } from "../../../src/engine/resources/parties/verification.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { call } from "../engines/simulated-engine.ts"

export const day = 24 * 60 * 60

/** A merchant with one customer at `tier_0`, and everything that is done about its verification. */
export const verifying = Effect.fnUntraced(function* () {
  const merchants = yield* Merchants
  const customers = yield* Customers
  const verifications = yield* Verifications
  const exceptions = yield* Exceptions
  const transactions = yield* Transactions
  const wallets = yield* Wallets
  const credentials = yield* WalletCredentials
  const sandbox = yield* SandboxOperations
  const storage = yield* Storage
  const operator = yield* call(PLATFORM_MERCHANT)
  const { merchant, default_customer } = yield* merchants.create(operator, {
    name: "Ada Ltd",
    country_code: "NG",
    status: "active"
  })
  const merchant_id = merchant.id
  const caller = yield* call(merchant_id)
  const profile = { phone: "+2348012345678", id_number: "A1234567Z", id_type: "passport" } as const
  const ada = { type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG", profile } as const
  const { id: customer } = yield* customers.create(caller, ada)

  return {
    merchant_id,
    caller,
    customer,
    default_customer: default_customer.id,
    start: (input: CreateVerification = {}, of: string = customer) => verifications.create(caller, of, input),
    session: (id: string) => Effect.map(verifications.get(caller, customer, id), ({ body }) => body),
    sessions: Effect.map(verifications.list(caller, customer, {}), ({ items }) => items),
    says: (id: string, outcome: SandboxVerification["outcome"], reason?: string) =>
      sandbox.verification(caller, id, { outcome, ...(reason === undefined ? {} : { reason }) }),
    renamed: (name: string) => customers.update(caller, customer, { name }),
    kycStatus: Effect.map(customers.get(caller, customer), ({ body }) => [body.kyc_status, body.tier] as const),
    profile: Effect.map(customers.get(caller, customer), ({ body }) => body.profile),
    /** The customer, as what is about it shows it. */
    summary: Effect.map(customers.get(caller, customer), ({ body }) => {
      const { created_at, email, id, name, tier, type, updated_at } = body
      return { id, type, name, email, tier, created_at, updated_at }
    }),
    listed: (kyc_status: "expired" | "pending" | "approved") =>
      Effect.map(customers.list(caller, { kyc_status }), ({ items }) =>
        items.map(({ id }) => id).filter((id) => id === customer)
      ),
    advance: (seconds: number) => sandbox.advance({ seconds }),
    settle: sandbox.settle(caller),
    /** Pays USDC into a wallet of the customer's, made for the purpose the first time. */
    payer: Effect.fnUntraced(function* () {
      const wallet = yield* wallets.create(caller, { currency: "USDC", customer_id: customer })
      return {
        pay: (amount: string) =>
          Effect.map(
            sandbox.deposit(caller, { wallet_id: wallet.id, amount }),
            ({ transaction_id }) => transaction_id ?? ""
          ),
        /** A bank account of another currency, whose deposits are converted. */
        credential: Effect.fnUntraced(function* (currency: string) {
          const made = yield* credentials.create(caller, wallet.id, { type: "fiat", currency, network: "bank" })
          yield* sandbox.settle(caller)
          return made.id
        }),
        balance: Effect.map(wallets.get(caller, wallet.id), ({ body }) => body.balance),
        status: (id: string) => Effect.map(transactions.get(caller, id), ({ body }) => body.status)
      }
    }),
    deposit: (deposit_address_id: string, amount: string) => sandbox.deposit(caller, { deposit_address_id, amount }),
    pays: (credential_id: string, amount: string) =>
      Effect.map(sandbox.deposit(caller, { credential_id, amount }), ({ transaction_id }) => transaction_id ?? ""),
    /** The events of a resource, oldest first: types, and the envelope of each. */
    events: Effect.fnUntraced(function* (object_id: string) {
      const { items } = yield* storage.events({ merchant_id, object_id, offset: 0, limit: 100 })
      return items.toReversed().map((event) => JSON.parse(event.body) as Record<string, any>)
    }),
    /** Everything published so far, oldest first. */
    reported: Effect.map(storage.feed(merchant_id, null, 200), (events) =>
      (events ?? []).map(({ type, object_id }) => `${type} ${object_id}`)
    ),
    exceptions: Effect.map(exceptions.list({ status: "open", per_page: 200 }), ({ items }) =>
      items.filter((one) => one.merchant_id === merchant_id)
    ),
    /** The row as it is kept, with everything that ever was written of it. */
    kept: Effect.fnUntraced(function* (kind: string, id: string) {
      const [row] = yield* storage.get([{ merchant_id, kind, id }])
      assert.isDefined(row)
      return row!
    })
  }
})
