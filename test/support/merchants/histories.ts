/** Real histories: what a merchant's movements, deposits and verifications published, and what the API shows at the end. */
import fc from "fast-check"
import { aesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../../src/adapters/clock/movable.ts"
import { simulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../../../src/adapters/storage/memory.ts"
import { memoryWebhooks } from "../../../src/adapters/webhook/memory.ts"
import type { Delivery } from "../../../src/engine/ports/WebhookSink.ts"
import { Corridor } from "../../../src/index.ts"
import type { ReceivedEvent } from "../../../src/receiver/index.ts"

const outcomes = ["success", "failed", "cancelled", "reversed", "returned"] as const
/** What a provider reports of a late payment to an onramp, once it was applied. */
const applied = [...outcomes, "refund_failed"] as const
/** What a pay-in goes through: reports of the provider, `less` a confirmation of another amount, and acts of an operator. */
const turns = ["detected", "confirmed", "less", "failed", "freeze", "unfreeze", "release", "reject"] as const
const verdicts = ["opened", "approved", "rejected"] as const

/** One thing that goes on, and what the provider says of it, whether or not it fits. */
export type Episode =
  | {
      readonly kind: "transfer" | "offramp" | "conversion" | "onramp"
      readonly outcomes: ReadonlyArray<(typeof outcomes)[number]>
    }
  /** An onramp that fails at its deadline, and whose payment in time is reported and applied after that. */
  | { readonly kind: "late"; readonly outcomes: ReadonlyArray<(typeof applied)[number]> }
  | { readonly kind: "deposit" | "crossing"; readonly turns: ReadonlyArray<(typeof turns)[number]> }
  | { readonly kind: "verification"; readonly verdicts: ReadonlyArray<(typeof verdicts)[number]> }

const words = <A>(of: ReadonlyArray<A>) => fc.array(fc.constantFrom(...of), { minLength: 1, maxLength: 3 })

export const episodes: fc.Arbitrary<ReadonlyArray<Episode>> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom("transfer" as const, "offramp", "conversion", "onramp"),
      outcomes: words(outcomes)
    }),
    fc.record({ kind: fc.constant("late" as const), outcomes: words(applied) }),
    fc.record({
      kind: fc.constantFrom("deposit" as const, "crossing"),
      turns: fc.array(fc.constantFrom(...turns), { minLength: 1, maxLength: 5 })
    }),
    fc.record({ kind: fc.constant("verification" as const), verdicts: words(verdicts) })
  ),
  { minLength: 1, maxLength: 5 }
)

export interface History {
  /** Every delivery of the engine's, in the order they were made. */
  readonly deliveries: ReadonlyArray<Delivery>
  /** Every event, in the order of the feed. */
  readonly feed: ReadonlyArray<ReceivedEvent>
  /** What a `GET` of each object that published events answers with at the end. */
  readonly shown: ReadonlyMap<string, Readonly<Record<string, unknown>>>
}

const live = async (corridor: Awaited<ReturnType<typeof startEngine>>, all: ReadonlyArray<Episode>) => {
  const { merchant } = await corridor.merchants.create({ name: "Ada Ltd", country_code: "NG", status: "active" })
  const m = corridor.as(merchant.id)
  const sandbox = corridor.sandbox.as(merchant.id)
  const { settle } = sandbox
  const endpoint = await m.webhooks.create({ url: "https://receiver.example/hook" })
  await m.webhooks.update(endpoint.id, { active: true })

  const usdc = await m.wallets.create({ currency: "USDC" })
  const naira = await m.wallets.create({ currency: "NGN" })
  await m.walletCredentials.create(naira.id, { type: "fiat", network: "bank" })
  const crossing = await m.walletCredentials.create(usdc.id, { type: "fiat", currency: "NGN", network: "bank" })
  await settle()
  await sandbox.deposit({ wallet_id: usdc.id, amount: "1000" })
  // Two deposits of 300 fit this customer's limit of 1,000 beside the first; what comes after them is held.
  const bisi = await m.customers.create({
    type: "individual",
    name: "Bisi",
    email: "bisi@example.com",
    country_code: "NG"
  })
  const limited = await m.wallets.create({ currency: "USDC", customer_id: bisi.id })
  await sandbox.deposit({ wallet_id: limited.id, amount: "390" })
  const [bank] = (await m.providers.list({ country_code: "NG" })).items
  const payee = await m.beneficiaries.create({
    type: "fiat",
    name: "Chidi",
    currency: "NGN",
    details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank!.id }
  })
  const supplier = await m.beneficiaries.create({
    type: "crypto",
    name: "Supplier",
    currency: "USDC",
    details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
  })

  const begin = {
    transfer: () => m.transfers.create({ wallet_id: usdc.id, beneficiary_id: supplier.id, amount: "10" }),
    offramp: async () => {
      const quote = await m.quotes.offramp({ wallet_id: usdc.id, beneficiary_id: payee.id, source_amount: "10" })
      return m.offramps.create({ quote_id: quote.id })
    },
    conversion: async () => {
      const wallets = { source_wallet_id: usdc.id, destination_wallet_id: naira.id }
      return m.conversions.create({ quote_id: (await m.quotes.conversion({ ...wallets, source_amount: "10" })).id })
    },
    onramp: async () => {
      const quote = await m.quotes.onramp({ wallet_id: usdc.id, source_currency: "NGN", source_amount: "15000" })
      const onramp = await m.onramps.create({ quote_id: quote.id })
      await sandbox.deposit({ onramp_id: onramp.id, amount: "15000" })
      return onramp
    },
    late: async () => {
      const quote = await m.quotes.onramp({ wallet_id: usdc.id, source_currency: "NGN", source_amount: "15000" })
      const { id, deposit_instruction, created_at } = await m.onramps.create({ quote_id: quote.id })
      await corridor.sandbox.advance({ seconds: 31 * 60 })
      await corridor.providers.tell("simulated", {
        _tag: "payin",
        event_id: `late.${id}`,
        payin_id: `late.${id}`,
        stage: "confirmed",
        target: deposit_instruction.depositReference,
        amount: "15000",
        currency: "NGN",
        network: null,
        observed_at: Date.parse(created_at) + 1000
      })
      const [late] = (await corridor.operator.exceptions.list({ status: "open" })).items
      await corridor.operator.exceptions.resolve(late!.id, { action: "apply", note: "paid in time" })
      return { id }
    }
  }
  const heldIds = async () => (await corridor.operator.deposits.held()).items.map(({ id }) => id)

  for (const [index, episode] of all.entries()) {
    if ("verdicts" in episode) {
      const ada = await m.customers.create({
        type: "individual",
        name: "Ada",
        email: "ada@example.com",
        country_code: "NG"
      })
      const { id } = await m.verifications.create(ada.id, {})
      for (const outcome of episode.verdicts) await sandbox.verification(id, { outcome })
    } else if ("turns" in episode) {
      const to = episode.kind === "deposit" ? { wallet_id: limited.id } : { credential_id: crossing.id }
      const [whole, less] = episode.kind === "deposit" ? ["300", "250"] : ["15000", "12000"]
      const pay = (stage: "detected" | "confirmed" | "failed", amount = whole) =>
        sandbox.deposit({ ...to, amount, payin_id: `payin-${index}`, stage })
      const take = {
        detected: () => pay("detected"),
        confirmed: () => pay("confirmed"),
        less: () => pay("confirmed", less),
        failed: () => pay("failed"),
        freeze: () => corridor.operator.walletCredentials.freeze(crossing.id).catch(() => undefined),
        unfreeze: () => corridor.operator.walletCredentials.unfreeze(crossing.id).catch(() => undefined),
        release: async () => {
          for (const id of await heldIds()) await corridor.operator.deposits.release(id)
        },
        reject: async () => {
          for (const id of await heldIds()) await corridor.operator.deposits.reject(id, { reason: "sanctions" })
        }
      }
      for (const turn of episode.turns) {
        await take[turn]()
        await settle()
      }
    } else {
      const { id } = await begin[episode.kind]()
      await settle()
      for (const outcome of episode.outcomes) await sandbox.outcome({ resource_id: id, outcome })
    }
    await settle()
  }

  // What has not ended may go on without an event, to `temporary_failure` and back.
  for (const { id, status } of (await m.conversions.list({ per_page: 200 })).items)
    if (status !== "success") await sandbox.outcome({ resource_id: id, outcome: "success" })
  await settle()

  const feed: Array<ReceivedEvent> = []
  for (;;) {
    const after = feed.at(-1)?.event_id
    const page = await m.events.feed({ limit: 7, ...(after === undefined ? {} : { after }) })
    if (page.length === 0) break
    feed.push(...page)
  }
  const show = (event: ReceivedEvent): Promise<object> => {
    const { event_category, event_object, event_object_id: id } = event
    switch (event_category) {
      case "transfer":
        return m.transfers.get(id)
      case "offramp":
        return m.offramps.get(id)
      case "conversion":
        return m.conversions.get(id)
      case "onramp":
        return m.onramps.get(id)
      case "kyc":
        return m.verifications.get(String(event_object["customer_id"]), id)
      default:
        return m.transactions.get(id)
    }
  }
  const shown = new Map<string, Readonly<Record<string, unknown>>>()
  for (const event of feed) {
    // What is related to a transaction moves on without an event of the transaction's; and verifications' events have no
    // member for what has no value (EVENT-26).
    const { related_transactions: _, ...body } = (await show(event)) as Record<string, unknown>
    const reported = Object.entries(body).filter(([, value]) => event.event_category !== "kyc" || value !== null)
    shown.set(event.event_object_id, Object.fromEntries(reported))
  }
  return { feed, shown }
}

const startEngine = (deliveries: Array<Delivery>) =>
  Corridor.start({
    storage: memoryStorage(),
    provider: simulatedProvider({ mode: "manual" }),
    webhooks: memoryWebhooks({ deliveries }),
    cipher: aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 1).toString("base64"))] }),
    clock: movableClock(),
    dispatcher: false
  })

/** Lives through episodes in an engine of its own, with an endpoint that hears of everything. */
export const playHistory = async (all: ReadonlyArray<Episode>): Promise<History> => {
  const deliveries: Array<Delivery> = []
  const corridor = await startEngine(deliveries)
  try {
    return { deliveries, ...(await live(corridor, all)) }
  } finally {
    await corridor.close()
  }
}
