/**
 * Corridor inside a Node program, without Effect: a deposit of 100 USDC arrives, and 50,000 naira are paid out.
 *
 * Run: node examples/embedded-node.ts
 */
import { aesGcmCipher, aesKey } from "../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../src/adapters/clock/movable.ts"
import { simulatedProvider } from "../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../src/adapters/storage/memory.ts"
import { memoryWebhooks } from "../src/adapters/webhook/memory.ts"
import { Corridor, CorridorError } from "../src/index.ts"

const corridor = await Corridor.start({
  storage: memoryStorage(),
  provider: simulatedProvider({ mode: "manual" }),
  webhooks: memoryWebhooks({ answer: ({ body }) => console.log("event", JSON.parse(body).event_type) }),
  cipher: aesGcmCipher({ keys: [aesKey("ZXhhbXBsZSBleGFtcGxlIGV4YW1wbGUgZXhhbXBsZSE=")] }),
  clock: movableClock()
})

const { merchant } = await corridor.merchants.create({ name: "Lagos Trading", country_code: "NG", status: "active" })
const lagos = corridor.as(merchant.id)
const sandbox = corridor.sandbox.as(merchant.id)

const endpoint = await lagos.webhooks.create({
  url: "https://lagos.example/events",
  categories: ["deposit", "offramp"]
})
await lagos.webhooks.update(endpoint.id, { active: true })

const wallet = await lagos.wallets.create({ currency: "USDC", label: "treasury" })
await sandbox.deposit({ wallet_id: wallet.id, amount: "100.00" })

const { items: banks } = await lagos.providers.list({ country_code: "NG" })
const ada = await lagos.beneficiaries.create({
  type: "fiat",
  name: "Ada Obi",
  currency: "NGN",
  details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: banks[0]!.id }
})

const quote = await lagos.quotes.offramp({ wallet_id: wallet.id, beneficiary_id: ada.id, target_amount: "50000.00" })
const offramp = await lagos.offramps.create({ quote_id: quote.id }, { idempotencyKey: "invoice-1042" })
console.log("offramp", offramp.status, offramp.source_amount, offramp.source_currency)

// The same key returns the same response, without a second payout.
const again = await lagos.offramps.create({ quote_id: quote.id }, { idempotencyKey: "invoice-1042" })
console.log("again", again.id === offramp.id)

try {
  await lagos.offramps.create({ quote_id: quote.id })
} catch (error) {
  if (error instanceof CorridorError) console.log("refused", error.code)
}

await sandbox.settle()
await sandbox.outcome({ resource_id: offramp.id, outcome: "success" })
await sandbox.settle()

const paid = await lagos.offramps.get(offramp.id)
console.log("offramp", paid.status, paid.received_amount, paid.destination_currency)
console.log("wallet", (await lagos.wallets.get(wallet.id)).balance)

console.table((await corridor.operator.ledger.trialBalance()).currencies)
await corridor.close()
