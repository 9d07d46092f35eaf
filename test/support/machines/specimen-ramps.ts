/** The specimens of a conversion, of dollars into naira, and of an onramp, of naira into dollars. */
import type { ConversionData } from "../../../src/machines/movements/conversion.ts"
import { noPayout } from "../../../src/machines/kernel/payout.ts"
import type { OnrampData } from "../../../src/machines/movements/onramp.ts"
import type { CustomerSummary, MovementOriginator, WalletSummary } from "../../../src/machines/parties/summaries.ts"

export interface Parties {
  readonly wallet: WalletSummary
  readonly customer: CustomerSummary
  readonly originator: MovementOriginator
  /** Until when their rates are locked. */
  readonly expires_at: number
}

const conversionOf = ({ wallet, customer, originator, expires_at }: Parties) => {
  const plain: ConversionData = {
    ...noPayout,
    retry_on_failure: true,
    reference: "ref_1",
    quote_id: "quo_1",
    rate_source: "quoted",
    customer,
    originator,
    source_account: "available:wal_1",
    source_wallet: wallet,
    credential_id: null,
    destination_wallet: { id: "wal_2", currency: "NGN", label: null },
    provider: "simulated",
    source_amount: "100000000",
    source_currency: "USDC",
    gateway_fee: "250000",
    destination_amount: "14887688",
    destination_currency: "NGN",
    network_fee: "0",
    quoted_received_amount: "14887688",
    residue: "41",
    rate: "1492.5",
    rate_locked_until: expires_at,
    received_amount: null,
    settled_at: null,
    parent_transaction_id: null,
    metadata: {}
  }
  const credential: ConversionData = {
    ...plain,
    quote_id: null,
    rate_source: "live",
    source_account: "credential:wcr_1",
    source_wallet: null,
    credential_id: "wcr_1",
    parent_transaction_id: "txn_1"
  }
  return {
    inputs: { plain, credential, routed: { ...plain, route: ["second", "third"] } },
    /** What the provider is instructed to deliver, and what it is given for it. */
    due: plain.destination_amount,
    given: "99750000",
    amounts: {
      "14886577": "received_amount − shortage",
      "1111": "shortage",
      "2222": "missing",
      [plain.source_amount]: "source_amount",
      [plain.gateway_fee]: "gateway fee",
      "99750000": "source_amount − gateway fee",
      [plain.quoted_received_amount]: "received_amount",
      [plain.residue]: "residue"
    }
  }
}

const onrampOf = ({ wallet, customer, originator, expires_at }: Parties) => {
  /** 150,000.00 naira for 98.90 dollars, and a residue to tell its postings by. */
  const quoted = {
    source_amount: "15000000",
    gateway_fee: "75000",
    destination_amount: "99000000",
    network_fee: "100000",
    received_amount: "98900000",
    residue: "23"
  }
  const plain: OnrampData = {
    ...noPayout,
    retry_on_failure: true,
    reference: "ref_1",
    quote_id: "quo_1",
    customer,
    originator,
    wallet,
    provider: "simulated",
    source_currency: "NGN",
    destination_currency: "USDC",
    terms: {
      source: { decimals: 2, ledger_scale: 2 },
      destination: { decimals: 2, ledger_scale: 6 },
      rate: "0.000663349917081",
      gateway: "0.005",
      network: "100000",
      minimum: null,
      maximum: "1000000000000"
    },
    quoted,
    rate_locked_until: expires_at,
    deposit_instruction: {
      accountName: "Collections",
      accountNumber: "1234567890",
      bankName: "Bank",
      bankCode: "B",
      depositReference: "REF1"
    },
    payin_id: null,
    funded_amount: null,
    actual: null,
    received_amount: null,
    settled_at: null,
    metadata: {}
  }
  return {
    inputs: { plain, routed: { ...plain, payin_provider: "bank", provider: "simulated", route: ["second", "third"] } },
    /** What the provider is instructed to deliver, and what it is given for it. */
    due: quoted.destination_amount,
    given: "14925000",
    /** What it may hear at an hour, beside what every payout may. */
    received: (at: number) => [
      { type: "payin.confirmed", at, payin_id: "payin_1", amount: quoted.source_amount },
      { type: "payin.confirmed", at, payin_id: "payin_1", amount: "9" },
      { type: "payin.failed", at },
      { type: "recalled", by: "exc_1" },
      { type: "recall.over" },
      { type: "payin.applied", at: at + 3_600_000, payin_id: "payin_1", amount: quoted.source_amount, observed_at: at },
      { type: "timer.quote_expiry", at },
      { type: "refund.accepted", at },
      { type: "refund.rejected", at },
      { type: "provider.failed", at, reason: "compliance" }
    ],
    amounts: {
      "98898889": "received_amount − shortage",
      "1111": "shortage",
      "14997778": "amount funded − missing",
      "2222": "missing",
      [quoted.source_amount]: "amount funded",
      "9": "amount funded, too little",
      [quoted.gateway_fee]: "gateway fee",
      "14925000": "amount funded − gateway fee",
      [quoted.received_amount]: "received_amount",
      [quoted.network_fee]: "network fee",
      [quoted.residue]: "residue"
    }
  }
}

export const rampsOf = (parties: Parties) => ({ conversion: conversionOf(parties), onramp: onrampOf(parties) })
