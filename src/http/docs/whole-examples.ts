/**
 * What the examples of whole objects have instead of the examples of their members: the example of a member cannot know the
 * status of its object, nor what the other members say. Amounts are those of the default fees.
 */
import { deposited, noReason } from "../../engine/representations/webhooks/published.ts"
import { makeExample, type DocumentNode } from "./example.ts"

const ulid = "01j9z3k4m5n6p7q8r9s0t1v2w3"
const naira = { id: `wal_01j9z3k4m5n6p7q8r9s0t1v2w4`, currency: "NGN", label: "naira" }

/** A payout of 100 USDC to a bank in Lagos, in its transaction. */
const payout = {
  type: "offramp",
  source_type: "offramp",
  status: "success",
  transaction_hash: null,
  to_wallet_id: null,
  parent_transaction_id: null,
  related_transactions: []
}

/**
 * By component. What has others inside it comes after them. A function gets the example of the members. `undefined` leaves a
 * member out.
 */
const differing: { readonly [component: string]: DocumentNode | ((example: DocumentNode) => DocumentNode) } = {
  Profile: { business_licence: null },
  VerifiedProfile: { business_licence: undefined },
  CallerMerchant: { status: "active" },
  Merchant: { status: "active" },
  NewApiKey: { role: "admin", label: null },
  NewMerchant: ({ default_customer }) => ({
    default_customer: { ...default_customer, type: "business", name: "Lagos Trading", is_default: true }
  }),
  Currency: {
    code: "NGN",
    name: "Nigerian naira",
    ledger_scale: 2,
    networks: ["bank"],
    can_deposit: false,
    can_transfer: false
  },
  AccessRequest: { reviewer_id: null, review_reason: null, reviewed_at: null },
  Verification: noReason,
  VerificationReview: { status: "in_progress", failure_reason: null },
  Wallet: { country_code: null },
  WalletCredential: { wallet: naira, status: "active" },
  DepositAddress: { status: "active", disabled_reason: null },
  Sender: ({ address }) => ({
    email: "amara@example.com",
    address: {
      ...address,
      line1: "4 High Street",
      city: "London",
      state: null,
      postal_code: "N1 9GU",
      country_code: "GB"
    }
  }),
  Fee: {
    line_items: [
      { name: "gateway", amount: "0.50", currency: "USDC" },
      { name: "network", amount: "750.00", currency: "NGN" }
    ]
  },
  Quote: { operation: "offramp", destination_wallet_id: null, sender_id: null, target_amount: null },
  Onramp: { ...noReason, payment_instrument: null, received_amount: null },
  OnrampEventObject: {
    actual_source_amount: "150000.00",
    actual_destination_amount: "98.90",
    actual_rate: "0.000663349917081"
  },
  Offramp: { ...noReason, received_amount: null },
  Conversion: {
    ...noReason,
    credential_id: null,
    parent_transaction_id: null,
    destination_wallet: naira,
    received_amount: null
  },
  ConversionEventObject: {
    destination_wallet: naira,
    fee: { line_items: [{ name: "gateway", amount: "0.05", currency: "USDC" }] }
  },
  Transfer: (example) => ({ ...noReason, ...toChainExample(example), transaction_hash: null }),
  TransferEventObject: (example) => toChainExample(example),
  RelatedTransaction: { type: "deposit", status: "success", received_amount: "25.00" },
  Transaction: payout,
  Movement: payout,
  HeldDeposit: { ...deposited, status: "processing", confirmed_at: null },
  DepositEventObject: deposited,
  ReportedOutcome: { reason: null, transaction_hash: null },
  DeliveryAttempt: { error: null },
  WebhookDelivery: { status: "delivered", next_attempt_at: null, payload: null },
  Exception: {
    severity: "high",
    exposure: { amount: "25.00", currency: "USDC" },
    action: null,
    credited: null,
    note: null,
    resolved_at: null
  },
  Break: {
    status: "open",
    severity: "low",
    exposure: null,
    resources: [],
    action: null,
    note: null,
    adjusting_entry_id: null,
    statement_id: null,
    resolved_at: null
  },
  Brake: {
    scope: "provider",
    source_currency: null,
    destination_currency: null,
    merchant_id: null,
    release_note: null,
    released_at: null
  },
  StatisticsRow: { failure_reason: null },
  TimelineRequest: { summary: `The API key key_${ulid} called createOfframp.`, operator: null },
  TimelineTransition: {
    summary: "Corridor began to submit the offramp to the provider. It is now submitting.",
    note: null
  },
  TimelinePosting: {
    summary: `100.00 USDC moved from the available balance of wal_${ulid} to the reserved balance of wal_${ulid}.`
  },
  TimelineProviderCall: { summary: "simulated answered the submission after 212 ms: accepted." },
  TimelineProviderEvent: { summary: "simulated sent an event that was applied: provider succeeded." },
  TimelineTimer: { summary: 'The timer "quote expiry" was set to fire at 09:35 UTC.' },
  TimelineEvent: { summary: "The event offramp.processing was published." },
  TimelineDelivery: {
    summary: "offramp.processing was delivered to https://example.com/webhooks.",
    error: null,
    next_attempt_at: null
  },
  Timeline: { ended_at: null }
}

/** Makes the example of a transfer: its beneficiary has an address on a chain. */
const toChainExample = ({ beneficiary }: DocumentNode): DocumentNode => ({
  sender: null,
  beneficiary: {
    ...beneficiary,
    name: "Treasury",
    type: "crypto",
    currency: "USDC",
    details: { network: "base", address: "0x52908400098527886E0F7030069857D2E4169EE7", memo: null }
  }
})

/** Adds the example of a whole object to the document's components that have none. */
export const addWholeExamples = (document: DocumentNode): void => {
  const { schemas } = document["components"] as DocumentNode
  // A row of a list with the name of its merchant is like what it lists.
  const listed = Object.entries(differing).map(([name, one]) => [`Listed${name}`, one] as const)
  for (const [name, one] of [...Object.entries(differing), ...listed]) {
    const schema = schemas[name] as DocumentNode | undefined
    if (schema === undefined || schema["examples"] !== undefined) continue
    const example = makeExample(schema, document) as DocumentNode
    const whole = { ...example, ...(typeof one === "function" ? one(example) : one) }
    schema["examples"] = [Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined))]
  }
}
