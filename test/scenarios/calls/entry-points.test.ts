/** One story, told through every entry point and on every store: the same answers, but for ids, times and hashes. */
import { Effect, Layer } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { CorridorError } from "../../../src/embedded/error.ts"
import { entries } from "../../../src/engine/operations.ts"
import { Api } from "../../../src/http/contract.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { freshPglite } from "../../support/stores/pglite.ts"
import { type EntryPoint, effects, http, promises } from "../../support/engines/entry-points.ts"
import { covers } from "../../support/repository/covers.ts"

type Line = readonly [what: string, answer: unknown]

const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
const ada = {
  type: "individual",
  name: "Ada Obi",
  email: "ada@example.com",
  country_code: "NG",
  profile: { phone: "+2348012345678", date_of_birth: "01/31/1990", id_number: "A1234567", id_type: "passport" },
  metadata: { tier: "gold" }
} as const

/** Writes down what was answered, or why it was refused, and gives the answer on. */
const narrator = () => {
  const lines: Array<Line> = []
  const record = async <A>(what: string, asked: Promise<A>): Promise<A> => {
    const answer = await asked
    lines.push([what, answer])
    return answer
  }
  const refuse = async (what: string, asked: Promise<unknown>): Promise<string> => {
    const error = await asked.then(
      (answer) => new Error(`answered ${JSON.stringify(answer)}`),
      (reason: unknown) => reason
    )
    if (!(error instanceof CorridorError)) throw error
    const { code, message, errors } = error
    lines.push([what, { code, message, errors }])
    return code
  }
  return { lines, record, refuse }
}

const story = async (entryPoint: EntryPoint): Promise<ReadonlyArray<Line>> => {
  const { lines, record, refuse } = narrator()
  const { merchant } = await record(
    "a merchant",
    entryPoint.merchants.create({ name: "Lagos Trading", country_code: "NG", status: "active" })
  )
  const lagos = entryPoint.as(merchant.id)
  const sandbox = entryPoint.sandbox.as(merchant.id)

  const customer = await record("a customer", lagos.customers.create(ada, { idempotencyKey: "customer-ada" }))
  const got = await lagos.customers.get(customer.id)
  const version = entryPoint.versionOf(got)
  await record("renamed", lagos.customers.update(customer.id, { name: "Ada N. Obi" }, { ifMatch: version }))
  expect(
    await refuse("renamed on what was", lagos.customers.update(customer.id, { name: "A. Obi" }, { ifMatch: version }))
  ).toBe("conflict")
  expect(
    await refuse("a customer of no form", lagos.customers.create({ ...ada, type: "robot", email: "nobody" } as never))
  ).toBe("bad_request")
  expect(await refuse("a customer of a closed country", lagos.customers.create({ ...ada, country_code: "KP" }))).toBe(
    "prohibited_country"
  )

  const session = await record(
    "a verification",
    lagos.verifications.create(customer.id, { redirect_url: "https://example.com/done" })
  )
  expect(await lagos.verifications.create(customer.id)).toEqual(session)
  const higher = lagos.verifications.create(customer.id, { tier: "tier_2" })
  expect(await refuse("another tier meanwhile", higher)).toBe("invalid_status")
  await record("opened", sandbox.verification(session.id, { outcome: "opened" }))
  await record("under way", lagos.verifications.get(customer.id, session.id))
  await record("approved", sandbox.verification(session.id, { outcome: "approved" }))
  await record("verifications", lagos.verifications.list(customer.id))
  expect((await record("verified", lagos.customers.get(customer.id))).tier).toBe("tier_1")
  expect(await refuse("renamed once verified", lagos.customers.update(customer.id, { name: "Ada Eze" }))).toBe(
    "invalid_status"
  )

  const request = await record(
    "a request for access",
    lagos.currencies.requestAccess("USD", { reason: "card payouts" })
  )
  await record("granted", entryPoint.operator.accessRequests.review(request.id, { decision: "approve" }))
  expect(await refuse("granted already", lagos.currencies.requestAccess("USD"))).toBe("access_already_granted")
  await record("taken back", entryPoint.operator.accessRequests.revoke(request.id, { reason: "lapsed" }))
  await record("what was asked for", lagos.currencies.accessRequests({ status: "revoked" }))
  const requests = await record("of all merchants", entryPoint.operator.accessRequests.list())
  expect(requests.items.map(({ id }) => id)).toEqual([request.id])

  const wallet = await record(
    "a wallet",
    lagos.wallets.create({ currency: "USDC", customer_id: customer.id, label: "savings" })
  )
  const treasury = await record("a wallet on base", lagos.wallets.create({ currency: "USDC", network: "base" }))
  expect(treasury.network).toBe("base")
  expect(await refuse("a wallet on no such chain", lagos.wallets.create({ currency: "USDC", network: "bank" }))).toBe(
    "invalid_input"
  )
  expect(await refuse("a wallet of no currency", lagos.wallets.create({ currency: "DOGE" }))).toBe("not_found")
  expect(await refuse("a wallet behind a gate", lagos.wallets.create({ currency: "USD" }))).toBe(
    "resource_access_required"
  )
  const address = await record("an address", lagos.depositAddresses.create(wallet.id, { network: "solana" }))
  await sandbox.settle()
  await record("the address, issued", lagos.depositAddresses.get(wallet.id, address.id))
  expect(await refuse("an address by a wallet's id", lagos.depositAddresses.get(wallet.id, wallet.id))).toBe(
    "invalid_input"
  )
  const { transaction_id } = await record(
    "a deposit",
    sandbox.deposit({ deposit_address_id: address.id, amount: "500.00", from_address: solana })
  )
  await record("its transaction", lagos.transactions.get(transaction_id ?? ""))
  expect((await record("the wallet, funded", lagos.wallets.get(wallet.id))).balance.available).toBe("500.00")

  const [bank] = (await record("banks", lagos.providers.list({ country_code: "NG", per_page: 1 }))).items
  const person = await record(
    "a person to pay",
    lagos.beneficiaries.create({
      type: "fiat",
      name: "Chidi Eze",
      currency: "NGN",
      customer_id: customer.id,
      details: { country_code: "NG", network: "bank", account_number: "0123456789", provider: { id: bank?.id ?? "" } }
    })
  )
  expect(
    await refuse("neither amount", lagos.quotes.offramp({ wallet_id: wallet.id, beneficiary_id: person.id }))
  ).toBe("bad_request")
  expect(
    await refuse(
      "too precise",
      lagos.quotes.offramp({ wallet_id: wallet.id, beneficiary_id: person.id, source_amount: "1.001" })
    )
  ).toBe("invalid_amount_precision")
  const quote = await record(
    "a quote",
    lagos.quotes.create({ wallet_id: wallet.id, beneficiary_id: person.id, target_amount: "150000" })
  )
  await sandbox.provider({ submissions: "hold" })
  const execution = { quote_id: quote.id, reference: "payout-1", metadata: { order: "77" } } as const
  const offramp = await record("an offramp", lagos.offramps.create(execution, { idempotencyKey: "payout-key-1" }))
  const again = await lagos.offramps.create(execution, { idempotencyKey: "payout-key-1" })
  expect(again).toEqual(offramp)
  expect(
    await refuse(
      "the key for another",
      lagos.offramps.create({ ...execution, reference: "payout-2" }, { idempotencyKey: "payout-key-1" })
    )
  ).toBe("idempotency_conflict")
  expect(await refuse("the quote again", lagos.offramps.create({ quote_id: quote.id }))).toBe("duplicate_resource")
  expect((await record("the wallet, reserved", lagos.wallets.get(wallet.id))).balance.reserved).toBe(
    quote.source_amount
  )
  await sandbox.provider({ submissions: "accept" })
  await sandbox.settle()
  expect((await record("on its way", lagos.offramps.get(offramp.id))).status).toBe("processing")
  await record("the bank's word", sandbox.outcome({ resource_id: offramp.id, outcome: "success" }))
  const paid = await record("paid", lagos.offramps.get(offramp.id))
  expect([paid.status, paid.received_amount]).toEqual(["success", "150000.00"])

  const funding = { wallet_id: wallet.id, source_currency: "NGN", source_amount: "150000" } as const
  const toPay = await lagos.quotes.onramp(funding)
  const onramp = await record("an onramp", lagos.onramps.create({ quote_id: toPay.id, reference: "TOP/UP 1" }))
  const unused = await lagos.quotes.onramp(funding)
  expect(await lagos.onramps.create({ quote_id: unused.id, reference: "TOP/UP 1" })).toEqual(onramp)
  expect((await lagos.quotes.get(unused.id)).status).toBe("active")
  expect(
    await refuse("its reference for an offramp", lagos.offramps.create({ quote_id: quote.id, reference: "TOP/UP 1" }))
  ).toBe("duplicate_resource")

  const supplier = await record(
    "a chain to pay to",
    lagos.beneficiaries.create({
      type: "crypto",
      name: "Supplier",
      currency: "USDC",
      customer_id: customer.id,
      details: { network: "solana", address: solana }
    })
  )
  const payment = { wallet_id: wallet.id, beneficiary_id: supplier.id, amount: "25.00" } as const
  const transfer = await record("a transfer", lagos.transfers.create({ ...payment, reference: "invoice-9" }))
  expect(await refuse("its reference again", lagos.transfers.create({ ...payment, reference: "invoice-9" }))).toBe(
    "duplicate_resource"
  )
  expect(await refuse("to a person", lagos.transfers.create({ ...payment, beneficiary_id: person.id }))).toBe(
    "invalid_input"
  )
  expect(await refuse("no amount, no wallet", lagos.transfers.create({ beneficiary_id: "ada" } as never))).toBe(
    "invalid_input"
  )
  const doubtful = await record(
    "somebody to refuse",
    lagos.beneficiaries.create({
      type: "crypto",
      name: "Doubtful",
      currency: "USDC",
      customer_id: customer.id,
      details: { network: "solana", address: solana }
    })
  )
  const stale = { outcome: "refused", screening_id: "scr_of_another" } as const
  await record("a verdict on something else", sandbox.screenBeneficiary(doubtful.id, stale))
  await record("a refusal", sandbox.screenBeneficiary(doubtful.id, { outcome: "refused" }))
  expect((await record("blocked", lagos.beneficiaries.list({ status: "blocked" }))).items[0]?.id).toBe(doubtful.id)
  const unpaid = lagos.transfers.create({ ...payment, beneficiary_id: doubtful.id })
  expect(await refuse("to somebody blocked", unpaid)).toBe("invalid_status")
  expect(await refuse("from nowhere", lagos.transfers.create({ ...payment, wallet_id: "wal_none" }))).toBe("not_found")
  const misspelt = { ...payment, referense: "invoice-10" } as typeof payment
  expect(await refuse("strictly, a member nobody knows", lagos.transfers.create(misspelt, { strict: true }))).toBe(
    "invalid_input"
  )
  const filter = { stat: "success" } as {}
  await record("a filter nobody knows", lagos.transfers.list(filter))
  expect(await refuse("strictly, a filter nobody knows", lagos.transfers.list(filter, { strict: true }))).toBe(
    "invalid_input"
  )
  const short = () =>
    refuse(
      "more than there is",
      lagos.transfers.create({ ...payment, amount: "600" }, { idempotencyKey: "too-much-1" })
    )
  expect(await short()).toBe("ledger_insufficient_funds")
  await sandbox.deposit({ deposit_address_id: address.id, amount: "450.00" })
  expect(await short()).toBe("ledger_insufficient_funds")
  await sandbox.settle()
  await sandbox.outcome({ resource_id: transfer.id, outcome: "failed" })
  expect((await record("not paid", lagos.transfers.get(transfer.id))).failure_reason).toBe("failed")

  await record("frozen", entryPoint.operator.depositAddresses.freeze(address.id))
  const held = await sandbox.deposit({ deposit_address_id: address.id, amount: "7.00" })
  await record("held", entryPoint.operator.deposits.held({}))
  await record("released", entryPoint.operator.deposits.release(held.transaction_id ?? "", { note: "seen" }))
  expect(
    await refuse("released again", entryPoint.operator.deposits.release(held.transaction_id ?? "", { note: "seen" }))
  ).toBe("invalid_status")

  const endpoint = await record(
    "an endpoint",
    lagos.webhooks.create({ url: "https://example.com/events", categories: ["transfer"] })
  )
  expect(await refuse("a ping to what is inactive", lagos.webhooks.ping(endpoint.id))).toBe("invalid_status")
  expect(await refuse("a replay of nothing to it", lagos.webhooks.replay(endpoint.id, { since: "x" }))).toBe(
    "invalid_status"
  )

  const sender = await record(
    "a sender",
    lagos.senders.create({ type: "business", name: "Amara Ltd", country_code: "GB", id_number: "GB123456" })
  )
  await record("the sender, renamed", lagos.senders.update(sender.id, { name: "Amara Okafor Ltd" }))
  await record("the sender", lagos.senders.get(sender.id))
  await record("senders", lagos.senders.list({ type: "business" }))

  await record("customers", lagos.customers.list({ type: "individual" }))
  await record("wallets", lagos.wallets.list({ currency: "USDC" }))
  await record("addresses", lagos.depositAddresses.list(wallet.id, { status: "frozen" }))
  await record("beneficiaries", lagos.beneficiaries.list({ type: "crypto" }))
  await record("offramps", lagos.offramps.list({ status: "success", created_after: "2020-01-01" }))
  await record("transfers", lagos.transfers.list())
  const history = await record("history", lagos.transactions.list({ wallet_id: wallet.id, per_page: 2, page: 2 }))
  expect([history.total, history.page, history.has_more]).toEqual([6, 2, true])
  const whole = await record("history on one full page", lagos.transactions.list({ wallet_id: wallet.id, per_page: 6 }))
  expect([whole.items.length, whole.has_more]).toEqual([6, false])
  expect(await refuse("history of no page", lagos.transactions.list({ page: "0" }))).toBe("invalid_input")
  const events = await record("events", lagos.events.feed({ limit: 100 }))
  expect(events.map((event) => event.event_type)).toContain("offramp.success")
  await record("currencies", lagos.currencies.list({ customer_id: customer.id }))
  await record("countries", lagos.countries.list({ per_page: 3 }))

  const { merchant: other } = await entryPoint.merchants.create({ name: "Accra Market", country_code: "GH" })
  expect(await refuse("while pending", entryPoint.as(other.id).wallets.list())).toBe("merchant_inactive")
  await record("activated", entryPoint.merchants.update(other.id, { status: "active" }))
  expect(await refuse("another's wallet", entryPoint.as(other.id).wallets.get(wallet.id))).toBe("not_found")
  expect((await entryPoint.as(other.id).wallets.list()).total).toBe(0)

  const books = await record("the books", entryPoint.operator.ledger.trialBalance())
  expect(books.currencies.map(({ difference }) => difference)).toEqual(["0.00", "0.00"])
  expect(
    (await record("what became of it", entryPoint.operator.history(offramp.id))).transitions.length
  ).toBeGreaterThan(2)
  return lines
}

const made = /(?:[a-z]{2,7}_)?(?<![0-9A-Za-z])[0-9a-hjkmnp-tv-z]{26}(?![0-9A-Za-z])/g
const instant = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
/** What a payer puts into the narration. */
const narrated = /\b[0-9A-HJKMNP-TV-Z]{16}\b/g
/** Addresses and transaction hashes. */
const onChain = /\b[1-9A-HJ-NP-Za-km-z]{30,90}\b/g
const secret = /(?<=verify\/)[\w-]{43}|\b(?:sk_test_|whsec_)[\w+/=-]+/g

/** A story without what is different each time: ids, addresses and hashes are named in the order they came up in. */
const reported = (lines: ReadonlyArray<Line>): unknown => {
  const names = new Map<string, string>()
  const named = (id: string): string => {
    const known = names.get(id)
    if (known !== undefined) return known
    const name = `<${id.includes("_") ? id.slice(0, id.indexOf("_")) : "id"} ${names.size + 1}>`
    names.set(id, name)
    return name
  }
  const text = JSON.stringify(lines)
    .replace(secret, "<secret>")
    .replace(instant, "<time>")
    .replace(narrated, named)
    .replace(onChain, named)
    .replace(made, named)
  return JSON.parse(text)
}

const stores = {
  memory: async () => MemoryStorage.layer,
  PGlite: freshPglite,
  Postgres: async () => PostgresStorage.layer({ url: await freshDatabase() })
}
const entryPoints = { promises, effects, HTTP: http }

describe("the same engine, the same results", () => {
  let first: unknown

  const through = async (entryPoint: keyof typeof entryPoints, store: keyof typeof stores): Promise<unknown> => {
    const opened = await entryPoints[entryPoint](Layer.orDie(await stores[store]()))
    try {
      return reported(await story(opened))
    } finally {
      await opened.close()
    }
  }

  beforeAll(async () => {
    first = await through("promises", "memory")
  })

  covers("SERVICE-2")
  it.for([
    ["effects", "memory"],
    ["HTTP", "memory"],
    ["promises", "PGlite"],
    ["promises", "Postgres"],
    ["effects", "Postgres"],
    ["HTTP", "Postgres"]
  ] as const)("through %s on %s, as through promises on memory", async ([entryPoint, store]) => {
    expect(await through(entryPoint, store)).toEqual(first)
  })
})

describe("two entry points on one store", () => {
  it("share a merchant's keys: what one has used is used for the other", async () => {
    const store = Layer.succeedContext(Effect.runSync(Effect.scoped(Layer.build(MemoryStorage.layer))))
    const [inside, outside] = [await promises(store), await http(store)]
    try {
      const { merchant } = await outside.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
      const wallet = await outside
        .as(merchant.id)
        .wallets.create({ currency: "USDC" }, { idempotencyKey: "shared-key" })
      const again = inside.as(merchant.id).wallets.create({ currency: "USDC" }, { idempotencyKey: "shared-key" })
      await expect(again).rejects.toMatchObject({ code: "idempotency_conflict" })
      expect((await inside.as(merchant.id).wallets.list()).items).toEqual([
        await outside.as(merchant.id).wallets.get(wallet.id)
      ])
    } finally {
      await Promise.all([inside.close(), outside.close()])
    }
  })
})

it("every operation has an id, a route and an endpoint of its own", () => {
  const ids = entries.map(({ operation }) => operation.id)
  const routes = entries.map(({ operation: { method, path } }) => `${method} ${path.replaceAll(/:\w+/g, ":")}`)
  const served = Object.values(Api.groups).flatMap((group) => Object.keys(group.endpoints))
  expect([new Set(ids).size, new Set(routes).size]).toEqual([ids.length, ids.length])
  expect(served.toSorted()).toEqual(ids.toSorted())
  expect(ids.length).toBeGreaterThan(90)
})
