/**
 * A tour of the service: creates a merchant, uses every resource of a running service, produces every outcome, and
 * checks the received events and the ledger.
 *
 * Run it beside `npm start`: `CORRIDOR_OPERATOR_TOKEN=op_… node examples/newcomer.ts`. It counts the events of each type, and
 * exits with 1 when a step fails or, with `--all`, when an event type or a route is missing.
 */
import { feedOf, makeReceiver, memoryReceiverStore } from "../src/receiver/index.ts"
import { callWith, listen } from "./support/client.ts"

const base_url = process.env["CORRIDOR_URL"] ?? "http://127.0.0.1:8080"
const operator = callWith(base_url, process.env["CORRIDOR_OPERATOR_TOKEN"] ?? "")

const endings = ["processing", "success", "failed"]
const path = ["funds_received", ...endings, "returned"]
const expected = Object.entries({
  onramp: ["awaiting_deposit", ...path],
  offramp: ["created", ...path],
  conversion: ["created", ...path],
  transfer: endings,
  deposit: ["received", "held", "confirmed", "failed"],
  kyc: ["approved", "rejected"]
}).flatMap(([category, words]) => words.map((word) => `${category}.${word}`))

const document = (await (await fetch(`${base_url}/openapi.json`)).json()) as { paths: Record<string, object> }
const shapeOf = (route: string): string => route.replace(/\{\w+\}/g, "{}")
const routes = new Set(
  Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${shapeOf(route)}`)
  )
)

const lacking: Array<string> = []
const failed: Array<string> = []
/** One step of the tour. Skipped when the service does not serve one of its routes. */
const step = async (title: string, needs: ReadonlyArray<string>, walk: () => Promise<unknown>): Promise<void> => {
  const absent = needs.filter((route) => !routes.has(route))
  if (absent.length > 0) {
    lacking.push(title)
    console.log(`  -  ${title}: not served: ${absent.join(", ")}`)
    return
  }
  try {
    const summary = await walk()
    console.log(`  ok ${title}${typeof summary === "string" ? `: ${summary}` : ""}`)
  } catch (error) {
    failed.push(title)
    console.log(`  !! ${title}: ${String(error)}`)
  }
}
const expect = (what: string, given: unknown, wanted: unknown): void => {
  if (given !== wanted) throw new Error(`${what} is ${JSON.stringify(given)}, not ${JSON.stringify(wanted)}`)
}

const { merchant, api_key } = await operator("POST", "/operator/v1/merchants", {
  name: "Newcomer Ltd",
  country_code: "NG",
  status: "active"
})
const call = callWith(base_url, api_key.secret)
const get = (resource: string): Promise<any> => call("GET", `/v1/${resource}`)
const make = (resource: string, body: object = {}): Promise<any> => call("POST", `/v1/${resource}`, body)
const sandbox = (what: string, body: object = {}): Promise<any> => call("POST", `/sandbox/${what}`, body)

/** Advances the sandbox clock until a resource has one of the statuses. Nothing here waits for real time. */
const until = async (resource: string, ...statuses: ReadonlyArray<string>): Promise<any> => {
  let found: any
  for (let turn = 0; turn < 60; turn++) {
    await sandbox("settle")
    found = await get(resource)
    if (statuses.includes(found.status)) return found
    await sandbox("clock/advance", { seconds: 2 })
  }
  throw new Error(`${resource} is ${found.status}, not ${statuses.join(" or ")}`)
}
/** Waits until the provider has a movement, reports an outcome, and waits for it. */
const ended = async (resource: string, id: string, outcome: string): Promise<any> => {
  await sandbox("settle")
  await sandbox("outcomes", { resource_id: id, outcome })
  return until(`${resource}/${id}`, outcome)
}

const store = memoryReceiverStore()
const secrets: Array<string> = []
const delivered = new Map<string, number>()
const receiver = makeReceiver({
  secrets,
  store,
  handler: ({ event_type }) => void delivered.set(event_type, (delivered.get(event_type) ?? 0) + 1)
})
const { close, url } = await listen(receiver, 0)

console.log(`\n${merchant.name} (${merchant.id}) at ${base_url}`)

let endpoint: any
await step("a webhook endpoint, activated, its secret rotated, pinged", [], async () => {
  endpoint = await make("notifications/webhooks", { url })
  secrets.push(endpoint.signing_secret)
  await call("PATCH", `/v1/notifications/webhooks/${endpoint.id}`, { active: true })
  secrets.unshift((await make(`notifications/webhooks/${endpoint.id}/rotate-secret`)).signing_secret)
  await make(`notifications/webhooks/${endpoint.id}/ping`)
})

await step("identity, and a second API key, used and revoked", [], async () => {
  expect("the merchant", (await get("me")).merchant.id, merchant.id)
  const key = await make("api-keys", { role: "viewer", label: "reports" })
  await callWith(base_url, key.secret)("GET", "/v1/api-keys")
  await call("DELETE", `/v1/api-keys/${key.id}`)
})

let bank: any
await step("countries, currencies and banks", [], async () => {
  const [countries, currencies, banks] = [
    await get("countries"),
    await get("currencies"),
    await get("providers?country_code=NG")
  ]
  bank = banks[0]
  return `${countries.length} countries, ${currencies.length} currencies, ${banks.length} banks in NG`
})

await step(
  "access to a gated currency, requested and granted",
  ["POST /v1/currencies/{}/access-requests"],
  async () => {
    const request = await make("currencies/USD/access-requests", { countryCode: "US", reason: "treasury" })
    await operator("POST", `/operator/v1/access-requests/${request.id}/review`, { decision: "approve" })
    expect("the wallet's currency", (await make("wallets", { currency: "USD" })).currency, "USD")
  }
)

let treasury: any
let naira: any
await step("wallets, and a deposit address that receives money", [], async () => {
  treasury = await make("wallets", { currency: "USDC", label: "treasury", metadata: { desk: "lagos" } })
  naira = await make("wallets", { currency: "NGN", label: "naira" })
  const address = await make(`wallets/${treasury.id}/deposit-addresses`, { network: "solana" })
  await until(`wallets/${treasury.id}/deposit-addresses/${address.id}`, "active")
  const payin = await sandbox("deposits", { deposit_address_id: address.id, amount: "2000.00", stage: "detected" })
  await sandbox("deposits", { deposit_address_id: address.id, amount: "2000.00", payin_id: payin.payin_id })
  const lost = await sandbox("deposits", { deposit_address_id: address.id, amount: "5.00", stage: "detected" })
  await sandbox("deposits", {
    deposit_address_id: address.id,
    amount: "5.00",
    payin_id: lost.payin_id,
    stage: "failed"
  })
  await call("DELETE", `/v1/wallets/${treasury.id}/deposit-addresses/${address.id}`, { reason: "rotated" })
  const { balance } = await get(`wallets/${treasury.id}`)
  expect("the balance", balance.available, "2000.00")
})

const bankAccount = (account_number: string): Promise<any> =>
  make("beneficiaries", {
    type: "fiat",
    name: "Ada Obi",
    currency: "NGN",
    details: { country_code: "NG", network: "bank", account_number, provider_id: bank.id }
  })

await step("offramps that succeed, fail, and are returned after three days", [], async () => {
  const pay = async (account_number: string): Promise<any> => {
    const { id } = await bankAccount(account_number)
    const quote = await make("offramps/quotes", {
      wallet_id: treasury.id,
      beneficiary_id: id,
      target_amount: "15000.00"
    })
    return make("offramps", { quote_id: quote.id })
  }
  const [paid, rejected, returning] = [await pay("0123456789"), await pay("0123450002"), await pay("0123450006")]
  expect("what Ada received", (await until(`offramps/${paid.id}`, "success")).received_amount, "15000.00")
  await until(`offramps/${rejected.id}`, "failed")
  await until(`offramps/${returning.id}`, "success")
  await sandbox("clock/advance", { seconds: 3 * 86_400 })
  await until(`offramps/${returning.id}`, "returned")
})

await step("a payout on a sender's behalf", [], async () => {
  const sender = await make("senders", { type: "individual", name: "Amara Okafor", country_code: "GB" })
  await call("PATCH", `/v1/senders/${sender.id}`, { date_of_birth: "01/31/1990" })
  const wallet_id = treasury.id
  const { id: beneficiary_id } = await bankAccount("0123456789")
  const quote = await make("offramps/quotes", {
    wallet_id,
    beneficiary_id,
    sender_id: sender.id,
    source_amount: "10.00"
  })
  const { id } = await make("offramps", { quote_id: quote.id })
  expect("the sender", (await until(`offramps/${id}`, "success")).sender.name, sender.name)
})

await step("transfers that succeed and fail", [], async () => {
  const supplier = await make("beneficiaries", {
    type: "crypto",
    name: "Supplier",
    currency: "USDC",
    details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
  })
  const pay = (amount: string): Promise<any> =>
    make("transfers", { wallet_id: treasury.id, beneficiary_id: supplier.id, amount })
  const paid = await until(`transfers/${(await pay("10.00")).id}`, "success")
  if (typeof paid.transaction_hash !== "string") throw new Error("a successful transfer must have a hash")
  await ended("transfers", (await pay("11.00")).id, "failed")
})

const settledCredential = async (wallet_id: string, body: object): Promise<any> => {
  const { id } = await make(`wallets/${wallet_id}/credentials`, body)
  return until(`wallets/${wallet_id}/credentials/${id}`, "active")
}

await step("credentials in the wallet's own currency", ["POST /v1/wallets/{}/credentials"], async () => {
  const account = await settledCredential(naira.id, { type: "fiat", network: "bank", label: "collections" })
  const sender = { name: "Chidi", bank: "GTBank", account_number: "0123456789" }
  const { transaction_id } = await sandbox("deposits", { credential_id: account.id, amount: "75000.00", sender })
  const { metadata } = await get(`transactions/${transaction_id}`)
  expect("what is kept of the sender's account", metadata.sender_account_number, "6789")
})

await step(
  "conversions that succeed, fail and are returned",
  ["POST /v1/conversions", "POST /v1/wallets/{}/credentials"],
  async () => {
    const convert = async (): Promise<any> => {
      const wallets = { source_wallet_id: treasury.id, destination_wallet_id: naira.id }
      const quote = await make("conversions/quotes", { ...wallets, source_amount: "20.00" })
      return make("conversions", { quote_id: quote.id })
    }
    await until(`conversions/${(await convert()).id}`, "success")
    await ended("conversions", (await convert()).id, "failed")
    await ended("conversions", (await convert()).id, "returned")
  }
)

await step(
  "a credential that converts what arrives",
  ["POST /v1/conversions", "POST /v1/wallets/{}/credentials"],
  async () => {
    const account = await settledCredential(treasury.id, { type: "fiat", currency: "NGN", network: "bank" })
    const before = (await get(`wallets/${treasury.id}`)).balance.available
    const { transaction_id } = await sandbox("deposits", { credential_id: account.id, amount: "150000.00" })
    await until(`transactions/${transaction_id}`, "received")
    const [conversion] = await get(`conversions?per_page=1`)
    await until(`conversions/${conversion.id}`, "success")
    return `${before} became ${(await get(`wallets/${treasury.id}`)).balance.available} USDC`
  }
)

await step("onramps that succeed, expire unfunded and are returned", ["POST /v1/onramps"], async () => {
  const buy = async (): Promise<any> => {
    const quote = await make("onramps/quotes", {
      wallet_id: treasury.id,
      source_currency: "NGN",
      source_amount: "150000.00"
    })
    return make("onramps", { quote_id: quote.id })
  }
  const [paid, unfunded, short] = [await buy(), await buy(), await buy()]
  await sandbox("deposits", { onramp_id: paid.id, amount: "150000.00" })
  await until(`onramps/${paid.id}`, "success")
  await sandbox("deposits", { onramp_id: short.id, amount: "1.00" })
  await until(`onramps/${short.id}`, "returned")
  await sandbox("clock/advance", { seconds: 31 * 60 })
  expect("why it failed", (await until(`onramps/${unfunded.id}`, "failed")).failure_reason, "quote_expired")
})

const person = (name: string): Promise<any> =>
  make("customers", { type: "individual", name, email: "bisi@example.com", country_code: "NG" })

await step("a customer's deposit over the limit, held and released", [], async () => {
  const bisi = await person("Bisi Ade")
  const wallet = await make("wallets", { currency: "USDC", customer_id: bisi.id })
  const { transaction_id } = await sandbox("deposits", { wallet_id: wallet.id, amount: "1500.00" })
  expect("why it is held", (await get(`transactions/${transaction_id}`)).metadata.hold_reason, "tier_limit")
  await operator("POST", `/operator/v1/deposits/${transaction_id}/release`, { note: "The payer is known." })
  expect("what is available", (await get(`wallets/${wallet.id}`)).balance.available, "1500.00")
})

await step("verifications, approved and rejected", ["POST /v1/customers/{}/verifications"], async () => {
  const [ada, eve] = [await person("Ada Obi"), await person("Eve Doe")]
  const approved = await make(`customers/${ada.id}/verifications`)
  await sandbox(`verifications/${approved.id}`, { outcome: "approved" })
  expect("Ada's tier", (await get(`customers/${ada.id}`)).tier, "tier_1")
  const rejected = await make(`customers/${eve.id}/verifications`)
  await sandbox(`verifications/${rejected.id}`, { outcome: "rejected", reason: "declined" })
  expect("Eve's verification", (await get(`customers/${eve.id}`)).kyc_status, "rejected")
})

await step("the history: transactions, events and deliveries", [], async () => {
  const [transactions, events] = [
    await get("transactions?per_page=200"),
    await get("notifications/events?per_page=200")
  ]
  await make(`notifications/webhooks/${endpoint.id}/replay`, { event_id: events[0].event_id })
  const deliveries = await get(`notifications/webhooks/${endpoint.id}/deliveries?per_page=200`)
  return `${transactions.length} transactions, ${events.length} events, ${deliveries.length} deliveries`
})

await step("a balanced ledger, and nothing stuck", [], async () => {
  await sandbox("settle")
  const { currencies } = await operator("GET", "/operator/v1/ledger/trial-balance")
  for (const { currency, debits, credits } of currencies) expect(`credits in ${currency}`, credits, debits)
  const stuck = (await operator("GET", "/operator/v1/stuck?per_page=200")).filter(
    (one: any) => one.merchant_id === merchant.id
  )
  expect("what is stuck", stuck.length, 0)
  const open = await operator("GET", "/operator/v1/exceptions?status=open&per_page=200")
  expect("open exceptions", open.filter((one: any) => one.merchant_id === merchant.id).length, 0)
  console.table(currencies)
})

await step("every event of the feed was delivered, and what was received is what the API shows", [], async () => {
  for (let turn = 0; turn < 50; turn++) {
    const events = new Set((await get("notifications/events?per_page=200")).map((one: any) => one.event_id))
    if ([...delivered.values()].reduce((sum, times) => sum + times, 0) >= events.size) break
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  expect("events that only the feed had", await receiver.catchUp(feedOf({ base_url, api_key: api_key.secret })), 0)
  const kinds: Readonly<Record<string, string>> = {
    transfer: "transfers",
    offramp: "offramps",
    onramp: "onramps",
    conversion: "conversions"
  }
  for (const [id, { category, status }] of store.objects) {
    const kind = kinds[category]
    if (kind !== undefined) expect(id, (await get(`${kind}/${id}`)).status, status)
  }
  return `${store.objects.size} objects`
})

close()
const missing = expected.filter((type) => !delivered.has(type))
console.log(`\n${expected.length - missing.length} of ${expected.length} events received`)
for (const type of expected) console.log(`  ${String(delivered.get(type) ?? 0).padStart(3)} ${type}`)
const isWhole = missing.length + lacking.length === 0
if (failed.length > 0 || (process.argv.includes("--all") && !isWhole)) {
  console.error(`incomplete: ${[...failed, ...lacking, ...missing].join("; ")}`)
  process.exitCode = 1
}
