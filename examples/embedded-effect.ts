/**
 * Corridor inside an Effect program: the engine as a layer, its calls and services as Effects, with typed errors.
 *
 * Run: node examples/embedded-effect.ts
 */
import { Console, Effect } from "effect"
import { AesGcmCipher, aesKey } from "../src/adapters/cipher/aes-gcm.ts"
import * as MovableClock from "../src/adapters/clock/movable.ts"
import { SimulatedProvider } from "../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../src/adapters/storage/memory.ts"
import { MemoryWebhookSink } from "../src/adapters/webhook/memory.ts"
import { LedgerReports, Corridor } from "../src/index.ts"

const program = Effect.gen(function* () {
  const { merchant } = yield* Corridor.merchants.create({
    name: "Nairobi Market",
    country_code: "KE",
    status: "active"
  })
  const nairobi = Corridor.as(merchant.id)
  const sandbox = Corridor.sandbox.as(merchant.id)

  const wallet = yield* nairobi.wallets.create({ currency: "USDC" })
  const address = yield* nairobi.depositAddresses.create(wallet.id, { network: "solana" })
  yield* sandbox.settle()
  yield* sandbox.deposit({ deposit_address_id: address.id, amount: "250.00" })

  const supplier = yield* nairobi.beneficiaries.create({
    type: "crypto",
    name: "Supplier",
    currency: "USDC",
    details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
  })

  const pay = (amount: string) =>
    nairobi.transfers
      .create({ wallet_id: wallet.id, beneficiary_id: supplier.id, amount })
      .pipe(Effect.catchTag("InsufficientFunds", ({ message }) => Effect.as(Console.log("refused", message), null)))

  yield* pay("1000.00")
  const transfer = yield* pay("40.00")
  if (transfer === null) return

  yield* sandbox.settle()
  yield* sandbox.outcome({ resource_id: transfer.id, outcome: "success" })
  yield* Console.log("transfer", (yield* nairobi.transfers.get(transfer.id)).status)

  // Every service of the engine is available too.
  const reports = yield* LedgerReports
  yield* Effect.flatMap(reports.trialBalance, ({ currencies }) => Console.table(currencies))
})

const corridor = Corridor.layer({
  storage: MemoryStorage.layer,
  provider: SimulatedProvider.layer({ mode: "manual", delay_ms: 1000, payshap: true }),
  webhooks: MemoryWebhookSink.layer(),
  cipher: AesGcmCipher.layer({ keys: [aesKey("ZXhhbXBsZSBleGFtcGxlIGV4YW1wbGUgZXhhbXBsZSE=")] }),
  clock: MovableClock.layer
})

await Effect.runPromise(Effect.provide(program, corridor))
