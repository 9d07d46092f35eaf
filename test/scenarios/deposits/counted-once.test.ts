/** What counts towards the limit of a tier counts once, whatever becomes of it (TIER-1, EXCEPTION-2). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { DepositTotalData } from "../../../src/machines/parties/deposit-total.ts"
import { type Row, Storage } from "../../../src/engine/ports/Storage.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

onMemory("a pay-in whose conversion gave nothing back", (run) => {
  covers("TIER-1", "EXCEPTION-2")
  it.each([["at once"], ["after a refund that bounced"]])("counts once when it is credited: %s", (way) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        const credentials = yield* WalletCredentials
        const sandbox = yield* SandboxOperations
        const storage = yield* Storage
        const naira = yield* (yield* Wallets).create(m.caller, { currency: "NGN", customer_id: m.customer! })
        const about = { type: "crypto", currency: "USDC", network: "base" } as const
        const { id } = yield* credentials.create(m.caller, naira.id, about)
        yield* sandbox.issueWalletCredential(m.caller, id)
        const total = Effect.map(
          storage.get([{ merchant_id: m.merchant_id, kind: "deposit_total", id: m.customer! }]),
          ([row]) => (row as Row<DepositTotalData>).data.usd_micros
        )
        yield* sandbox.deposit(m.caller, { credential_id: id, amount: "400" })
        yield* m.settle
        assert.strictEqual(yield* total, "400000000")
        const conversion = (yield* m.transactions).find(({ type }) => type === "conversion")!
        yield* m.says(conversion.source_id, "refund_failed")
        const [first] = yield* m.exceptions
        if (way !== "at once") {
          yield* m.resolve(first!.id, "refund")
          yield* m.settle
          yield* m.says(first!.id, "success")
          yield* m.says(first!.id, "refund_failed")
        }
        const [last] = yield* m.exceptions
        yield* m.resolve(last!.id, "credit")
        yield* m.settle
        assert.strictEqual(yield* total, "400000000")
        // 400 of 1,000 are used.
        yield* sandbox.deposit(m.caller, { credential_id: id, amount: "600" })
        yield* m.settle
        assert.strictEqual(yield* total, "1000000000")
        for (const { source_id, status, type } of yield* m.transactions)
          if (type === "conversion" && status === "processing") yield* m.says(source_id, "success")
      })
    )
  )
})
