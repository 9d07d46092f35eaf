/** A deposit shows the metadata of what its money came to, and what the provider says of the payer (DEPOSIT-16). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { DepositAddresses } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { freshAddress } from "../../support/merchants/payins.ts"
import { covers } from "../../support/repository/covers.ts"

const metadata = { order: "1042", narration: "mine", sender_name: "nobody", hold_reason: "none" }

onMemory("the metadata of a deposit", (run) => {
  covers("FIELD-3", "DEPOSIT-16")
  it("is that of its address, in responses and events, and what is said of the payer is the provider's", () =>
    run(
      Effect.gen(function* () {
        const addresses = yield* DepositAddresses
        const sandbox = yield* SandboxOperations
        const m = yield* merchantAtWork("0")
        const { id } = yield* addresses.create(m.caller, m.wallet.id, { network: "base", metadata })
        yield* sandbox.issueDepositAddress(m.caller, id)
        const from_address = freshAddress()
        const pays = (payin_id: string) =>
          m.deposit({ wallet_id: undefined, deposit_address_id: id, amount: "10", payin_id, from_address } as never)
        const { transaction_id } = yield* pays("one")
        const expected = { order: "1042", from_address }
        assert.deepEqual((yield* m.body(transaction_id!))["metadata"], expected)
        assert.deepEqual((yield* m.object(transaction_id!, "deposit.confirmed"))["metadata"], expected)
        yield* addresses.freeze(m.operator, id)
        const { transaction_id: held } = yield* pays("two")
        const withReason = { ...expected, hold_reason: "payin_frozen" }
        assert.deepEqual((yield* m.object(held!, "deposit.held"))["metadata"], withReason)
        yield* (yield* Deposits).release(m.operator, held!, "seen")
        assert.deepEqual((yield* m.object(held!, "deposit.confirmed"))["metadata"], expected)
      })
    ))

  covers("CREDENTIAL-1")
  it("is that of its account, and the members that the bank reports; the money is in the account's wallet", () =>
    run(
      Effect.gen(function* () {
        const sandbox = yield* SandboxOperations
        const m = yield* merchantAtWork("0")
        const { id: wallet_id } = yield* (yield* Wallets).create(m.caller, { currency: "NGN" })
        const input = { type: "fiat", currency: "NGN", network: "bank", metadata } as const
        const { id } = yield* (yield* WalletCredentials).create(m.caller, wallet_id, input)
        yield* sandbox.issueWalletCredential(m.caller, id)
        const paid = { wallet_id: undefined, credential_id: id, amount: "1000", sender: { name: "Chidi" } }
        const { transaction_id } = yield* m.deposit(paid as never)
        assert.deepEqual((yield* m.body(transaction_id!))["metadata"], { order: "1042", sender_name: "Chidi" })
        assert.strictEqual((yield* (yield* Wallets).get(m.caller, wallet_id)).body.balance.available, "1000.00")
      })
    ))
})
