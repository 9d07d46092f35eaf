import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Dispatcher } from "../../src/engine/Dispatcher.ts"
import { begin } from "../../src/engine/Change.ts"
import { Host } from "../../src/engine/Host.ts"
import { Ids } from "../../src/engine/Ids.ts"
import { BeneficiaryKind } from "../../src/engine/resources/beneficiary.ts"
import { Books } from "../../src/engine/resources/books.ts"
import { Merchants } from "../../src/engine/resources/merchant.ts"
import { SandboxOperations } from "../../src/engine/resources/sandbox.ts"
import { Transactions } from "../../src/engine/resources/transaction.ts"
import { Transfers } from "../../src/engine/resources/transfer.ts"
import { Wallets } from "../../src/engine/resources/wallet.ts"
import { call, world } from "../support/world.ts"

describe("transfer", () => {
  it.live("pays crypto from a wallet to a beneficiary", () =>
    Effect.gen(function*() {
      const merchants = yield* Merchants
      const wallets = yield* Wallets
      const transfers = yield* Transfers
      const sandbox = yield* SandboxOperations
      const dispatcher = yield* Dispatcher
      const books = yield* Books
      const host = yield* Host
      const ids = yield* Ids
      const operator = yield* call("mer_house")
      const { merchant } = yield* merchants.create(operator, { name: "Lagos", country_code: "NG", status: "active" })
      const c = yield* call(merchant.id)
      const wallet = yield* wallets.create(c, { currency: "USDC" })
      const deposit = yield* sandbox.deposit(c, { wallet_id: wallet.id, amount: "100" })
      console.log(deposit, (yield* wallets.get(c, wallet.id)).body.balance)
      const ben = yield* begin(
        BeneficiaryKind,
        { merchant_id: merchant.id, id: yield* ids.make("ben"), customer_id: wallet.customer_id },
        {
          customer_id: wallet.customer_id, name: "x", label: null, type: "crypto", currency: "USDC",
          details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV", memo: null },
          metadata: {}, merchant_reference: null, screened: true
        }, Date.now())
      yield* host.apply(merchant.id, { once: "x" }, Effect.succeed({ parts: [ben.parts], result: 1 }))
      const transfer = yield* transfers.create(c, { wallet_id: wallet.id, beneficiary_id: ben.row.id, amount: "40" })
      assert.strictEqual(transfer.status, "processing")
      console.log((yield* wallets.get(c, wallet.id)).body.balance)
      console.log(yield* dispatcher.drain, (yield* wallets.get(c, wallet.id)).body.balance)
      console.log(yield* sandbox.outcome(c, { resource_id: transfer.id, outcome: "success" }))
      console.log(yield* sandbox.advance({ seconds: 86400 * 3 }))
      console.log(JSON.stringify(yield* books.trialBalance), JSON.stringify(yield* books.history(transfer.id), null, 1).slice(0, 1500))
      const transactions = yield* Transactions
      console.log(JSON.stringify((yield* transactions.list(c, {})), null, 1).slice(0, 1800))
    }).pipe(Effect.provide(world()))
  )
})
