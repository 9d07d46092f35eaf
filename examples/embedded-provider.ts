/**
 * Corridor with two providers: a desk of your own pays out naira, and the simulated provider does the rest. People at the desk
 * report what they have paid.
 *
 * Run: node examples/embedded-provider.ts
 */
import { aesGcmCipher, aesKey } from "../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../src/adapters/clock/movable.ts"
import { simulatedProvider } from "../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../src/adapters/storage/memory.ts"
import { memoryWebhooks } from "../src/adapters/webhook/memory.ts"
import { Corridor } from "../src/index.ts"
import { openDesk } from "./provider.ts"

const desk = openDesk(":memory:")
const corridor = await Corridor.start({
  storage: memoryStorage(),
  provider: simulatedProvider({ mode: "manual" }),
  providers: [desk.provider],
  routing: { priorities: { desk: 1, simulated: 2 } },
  webhooks: memoryWebhooks(),
  cipher: aesGcmCipher({ keys: [aesKey("ZXhhbXBsZSBleGFtcGxlIGV4YW1wbGUgZXhhbXBsZSE=")] }),
  clock: movableClock()
})

const { merchant } = await corridor.merchants.create({ name: "Lagos Trading", country_code: "NG", status: "active" })
const lagos = corridor.as(merchant.id)
const sandbox = corridor.sandbox.as(merchant.id)

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
const offramp = await lagos.offramps.create({ quote_id: quote.id })
await sandbox.settle()

for (const { account, amount, id } of desk.waiting()) {
  console.log("the desk pays", amount, "to", account)
  const event = desk.paid(String(id), "receipt 17")
  console.log("told", (await corridor.providers.tell("desk", event)).result)
  console.log("told again", (await corridor.providers.tell("desk", event)).result)
}

console.log("offramp", (await lagos.offramps.get(offramp.id)).status)
console.table((await corridor.operator.ledger.trialBalance()).currencies)
await corridor.close()
