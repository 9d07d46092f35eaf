/**
 * One specimen of every kind of machine: what it may begin with and whatever it may hear. The property tests, the golden
 * snapshots and the generated documents all step these. A kind whose machine needs more than the names of its events is drawn
 * here.
 */
import type { LimitData } from "../../../src/machines/controls/limit.ts"
import type { ApprovalRuleData } from "../../../src/machines/controls/approval-rule.ts"
import type { DepositData } from "../../../src/machines/deposits/deposit.ts"
import type { BatchData } from "../../../src/machines/movements/batch.ts"
import type { FeeScheduleData } from "../../../src/machines/movements/fee-schedule.ts"
import type { OfframpData } from "../../../src/machines/movements/offramp.ts"
import type { TransferData } from "../../../src/machines/movements/transfer.ts"
import type { AdjustingEntryData } from "../../../src/machines/reconciliation/adjusting-entry.ts"
import type { ClosingData } from "../../../src/machines/reconciliation/closing.ts"
import type { ExternalAccountData } from "../../../src/machines/reconciliation/external-account.ts"
import type { StatementChunkData, StatementData } from "../../../src/machines/reconciliation/statement.ts"
import type { StatementMappingData } from "../../../src/machines/reconciliation/statement-mapping.ts"
import type { StatementLineData } from "../../../src/machines/reconciliation/statement-line.ts"
import { noPayout } from "../../../src/machines/kernel/payout.ts"
import { kinds } from "../../../src/engine/registry.ts"
import type { Kind } from "../../../src/engine/commit/kind.ts"
import { approvalAt } from "./specimen-approval.ts"
import { accessGrant, accessRequestAt, verificationOf } from "./specimen-access.ts"
import { crossingOf } from "./specimen-crossing.ts"
import { exceptionAt } from "./specimen-exception.ts"
import { differingAt, payoutEventsAt } from "./specimen-payouts.ts"
import { rampsOf } from "./specimen-ramps.ts"

export interface MachineEvent {
  readonly type: string
  readonly [member: string]: unknown
}

export interface Specimen {
  readonly kind: Kind
  /** What it may begin with, by a name for each. */
  readonly inputs: Readonly<Record<string, object>>
  /** Everything it may hear, early and late. */
  readonly events: ReadonlyArray<MachineEvent>
  /** What its amounts are called, by their minor units: all different, so that a posting tells which it moves. */
  readonly amounts: Readonly<Record<string, string>>
}

/** Epoch milliseconds at which everything begins. */
export const T0 = Date.UTC(2026, 0, 5, 12)
const minute = 60_000
const hour = 60 * minute

const wallet = { id: "wal_1", currency: "USDC", label: null }
const customer = {
  id: "cust_1",
  type: "business",
  name: "Ada Ltd",
  email: "ada@example.com",
  tier: "tier_2",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z"
}
const originator = {
  id: "cust_1",
  type: "business",
  name: "Ada Ltd",
  country_code: "NG",
  address: null,
  date_of_birth: null,
  id_type: null,
  id_number: null
} as const
const beneficiary = {
  id: "ben_1",
  customer_id: "cust_1",
  name: "Chidi",
  label: null,
  type: "crypto",
  currency: "USDC",
  details: { network: "base", address: "0x52908400098527886E0F7030069857D2E4169EE7", memo: null },
  metadata: {},
  status: "active",
  screening_id: "scr_1",
  merchant_reference: null,
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z"
}

const transfer: TransferData = {
  ...noPayout,
  retry_on_failure: false,
  reference: "ref_1",
  wallet_id: "wal_1",
  beneficiary_id: "ben_1",
  customer,
  originator,
  sender: null,
  wallet,
  beneficiary,
  destination: { type: "crypto", network: "base", address: "0x52908400098527886E0F7030069857D2E4169EE7", memo: null },
  provider: "simulated",
  amount: "40000000",
  currency: "USDC",
  network: "base",
  metadata: {}
}

const offramp: OfframpData = {
  ...noPayout,
  retry_on_failure: false,
  reference: "ref_1",
  quote_id: "quo_1",
  wallet_id: "wal_1",
  beneficiary_id: "ben_1",
  customer,
  originator,
  sender: null,
  wallet,
  beneficiary,
  destination: {
    type: "fiat",
    country_code: "NG",
    network: "bank",
    account_number: "0123456789",
    account_name: "Chidi",
    provider_id: "prov_1",
    bank_code: "058",
    rail: null
  },
  payment_instrument_id: "pay_1",
  provider: "simulated",
  narration: null,
  source_amount: "100000000",
  source_currency: "USDC",
  gateway_fee: "500000",
  destination_amount: "14850375",
  destination_currency: "NGN",
  network_fee: "75000",
  quoted_received_amount: "14775375",
  residue: "37",
  rate: "1492.5",
  rate_locked_until: T0 + 5 * minute,
  received_amount: null,
  settled_at: null,
  metadata: {}
}

const deposit: DepositData = {
  entry: "detected",
  source_type: "deposit_address",
  source_id: "da_1",
  payin_id: "payin_1",
  provider: "simulated",
  customer_id: "cust_1",
  wallet_id: "wal_1",
  amount: "1234567",
  currency: "USDC",
  transaction_hash: null,
  hold_reason: null,
  failure_reason: null,
  reference: null,
  metadata: { from_address: "0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe" },
  observed_at: T0,
  confirmed_at: null,
  parent_transaction_id: null
}

const limit: LimitData = {
  scope: "customer",
  scope_id: "cust_1",
  merchant_id: "mer_1",
  tier: null,
  operations: ["payout", "conversion"],
  currency: "USDC",
  max_amount: "1000000",
  max_count: null,
  window: { calendar: "day", time_zone: "Africa/Lagos" },
  action: "refuse"
}

const adjustingEntry: AdjustingEntryData = {
  from: "losses",
  to: "world:simulated",
  amount: "7000000",
  currency: "USDC",
  note: "n",
  exception_id: null,
  break_id: null,
  line_id: null,
  reverses: null,
  reversed_by: null
}

const batch: BatchData = {
  reference: "payroll",
  rows: 150,
  valid: 149,
  totals: { source: [{ currency: "USDC", amount: "149000000" }], received: [], fees: [] },
  sums: [{ taken: ["149000000", "USDC"] }],
  has_own_references: false,
  parts: 2,
  faulty: [1],
  next: 0,
  created: 0,
  failed: 0,
  confirmed_by: null,
  confirmed_at: null,
  ended_at: null
}

const feeSchedule: FeeScheduleData = {
  merchant_id: null,
  operation: "offramp",
  source_currency: "USDC",
  destination_currency: null,
  fixed: "0.50",
  bps: "12.5",
  min: "1",
  max: null,
  tiers: [{ above: "1000.00", fixed: "0", bps: "10" }],
  valid_from: T0,
  note: null,
  ended_at: null
}

const externalAccount: ExternalAccountData = {
  provider: "simulated",
  currency: "EUR",
  kind: "bank",
  identifiers: [{ scheme: "iban", value: "DE89370400440532013000", network: null }],
  opening: { date: "2026-01-01", balance: "-1250" },
  time_zone: "UTC",
  uses: ["payouts", "payins"]
}

const ramps = rampsOf({ wallet, customer, originator, expires_at: T0 + 5 * minute })
const { crossing, price, priced } = crossingOf(deposit, wallet, customer)

/** The other providers of a routed movement, and their names in `provider.unavailable`. */
const route = ["second", "third"]

/** The hours at which a payout may hear something: at once, past its quote's expiry, and after a day of refusals. */
const hours = [T0, T0 + minute, T0 + 5 * minute, T0 + 25 * hour]

const payoutEvents = payoutEventsAt(hours)

const at = T0 + minute

const closing: ClosingData = {
  external_account_id: "xac_1",
  date: "2026-01-05",
  currency: "EUR",
  opening: "-1250",
  booked: "10000",
  closing: "8750",
  statement_closing: null,
  outstanding: "-500",
  explained: "0",
  unexplained: "0",
  lines: 1,
  accepted: false,
  note: null,
  sealed_by: "Ada Obi",
  seal: "00",
  open: {}
}

const statementMapping: StatementMappingData = {
  name: "Online export",
  external_account_id: "xac_1",
  csv: {
    columns: { booked_on: "Date", credit: "In", debit: 4, direction: "Cr/Dr", remittance: ["Text", 6] },
    separator: ";",
    decimal: ",",
    dates: "dmy",
    words: { credit: ["CR"], debit: ["DR"] },
    ignore: [{ column: 1, text: "Total" }]
  }
}

const statement: StatementData = {
  external_account_id: "xac_1",
  format: "camt.053",
  message_id: "MSG-1",
  number: "5",
  from: "2026-01-05",
  to: "2026-01-05",
  currency: "EUR",
  opening_balance: { date: "2026-01-05", amount: "-1250" },
  closing_balance: { date: "2026-01-05", amount: "8750" },
  lines: 1,
  pending: 0,
  chunks: 1,
  warnings: [{ code: "gap", message: "Number 5 follows number 3: number 4 is missing.", place: null }]
}

const bookedLine = {
  booked_on: "2026-01-05",
  value_on: "2026-01-06",
  direction: "credit",
  amount: "10000",
  currency: "EUR",
  bank_reference: "B-1",
  end_to_end_id: "E-1",
  uetr: null,
  transaction_hash: null,
  counterparty: { name: "Ada Obi", account: null },
  remittance: "Invoice 77",
  code: "NTRF",
  reversal: false,
  place: "line 12"
} as const

const statementChunk: StatementChunkData = {
  statement_id: "stm_1",
  external_account_id: "xac_1",
  lines: [bookedLine]
}

const foundAnew = {
  kind: "executed_twice",
  severity: "high",
  amount: "1250",
  direction: "debit",
  exposure: "1250",
  line_ids: ["stl_1"],
  resource_ids: ["ofr_1"],
  candidates: [],
  adopt: null
}
const lineBreak = {
  ...foundAnew,
  kind: "missing_in_books",
  severity: "low",
  exposure: null,
  resource_ids: [],
  candidates: [{ resource_id: "ofr_1", amount: "1250", rule: "alike" }],
  external_account_id: "xac_1",
  currency: "EUR",
  statement_id: null,
  movements: [],
  since: T0,
  held: false,
  action: null,
  note: null,
  adjusting_entry_id: null,
  settled_lines: [],
  resolved_at: null
}

const statementLine: StatementLineData = {
  ...bookedLine,
  statement_id: "stm_1",
  external_account_id: "xac_1",
  accounted_on: "2026-01-05",
  matches: []
}
const match = { resource_id: "ofr_1", amount: "10000", rule: "command" }
const approvalEvents: ReadonlyArray<MachineEvent> = [
  { type: "approval.approved", at, until: at + 15 * minute },
  { type: "approval.declined", at }
]

const anything = (
  kind: string,
  inputs: Readonly<Record<string, object>>,
  events: ReadonlyArray<MachineEvent>,
  amounts: Readonly<Record<string, string>> = {}
): Specimen => {
  const found = kinds.byName.get(kind)
  if (found === undefined) throw new Error(`there is a kind ${kind}`)
  return { kind: found, inputs, events, amounts }
}

const update: MachineEvent = { type: "update", patch: { metadata: { a: "b" } } }

const drawn: Readonly<Record<string, Specimen>> = {
  transfer: anything(
    "transfer",
    {
      plain: transfer,
      retrying: { ...transfer, retry_on_failure: true },
      routed: { ...transfer, route },
      awaiting: { ...transfer, awaiting: 2 }
    },
    [...approvalEvents, ...payoutEvents, ...differingAt(at, transfer.amount)],
    { [transfer.amount]: "amount", "39998889": "amount − shortage", "1111": "shortage", "2222": "missing" }
  ),
  offramp: anything(
    "offramp",
    {
      plain: offramp,
      retrying: { ...offramp, retry_on_failure: true },
      routed: { ...offramp, route },
      awaiting: { ...offramp, awaiting: 2 }
    },
    [
      ...approvalEvents,
      ...payoutEvents,
      ...differingAt(at, offramp.quoted_received_amount),
      ...hours.map((hour) => ({ type: "timer.quote_expiry", at: hour }))
    ],
    {
      "14774264": "received_amount − shortage",
      "1111": "shortage",
      "2222": "missing",
      [offramp.source_amount]: "source_amount",
      [offramp.gateway_fee]: "gateway fee",
      "99500000": "source_amount − gateway fee",
      [offramp.quoted_received_amount]: "received_amount",
      [offramp.network_fee]: "network fee",
      [offramp.residue]: "residue"
    }
  ),
  conversion: anything(
    "conversion",
    ramps.conversion.inputs,
    [
      ...payoutEvents,
      ...differingAt(at, ramps.conversion.due, ramps.conversion.given),
      ...hours.map((hour) => ({ type: "timer.quote_expiry", at: hour }))
    ],
    ramps.conversion.amounts
  ),
  onramp: anything(
    "onramp",
    ramps.onramp.inputs,
    [
      ...hours.flatMap(ramps.onramp.received),
      ...payoutEvents,
      ...differingAt(at, ramps.onramp.due, ramps.onramp.given)
    ],
    ramps.onramp.amounts
  ),
  deposit: anything(
    "deposit",
    {
      detected: deposit,
      confirmed: { ...deposit, entry: "confirmed", confirmed_at: T0 },
      waiting: { ...deposit, entry: "waiting" },
      waiting_across: { ...crossing, entry: "waiting" },
      held: { ...deposit, entry: "held", hold_reason: "tier_limit" },
      failed: { ...deposit, entry: "failed", failure_reason: "failed" },
      credited: { ...deposit, entry: "credited", source_type: "offramp_reversal", payin_id: null },
      detected_unpriced: crossing,
      quoted: { ...crossing, exchange: priced },
      received: { ...crossing, entry: "confirmed", exchange: priced },
      held_across: { ...crossing, entry: "held", hold_reason: "tier_limit" },
      forwarded: { ...crossing, entry: "credited", source_type: "deposit_forward", payin_id: null, exchange: priced }
    },
    [
      { type: "payin.confirmed", at, hold: [], amount: deposit.amount, transaction_hash: "0xabc" },
      { type: "payin.confirmed", at, hold: null, amount: deposit.amount, transaction_hash: null },
      { type: "relieved", hold_reasons: ["payin_frozen"] },
      { type: "payin.confirmed", at, hold: ["payin_frozen"], amount: deposit.amount, transaction_hash: null },
      { type: "payin.confirmed", at, hold: [], amount: deposit.amount, transaction_hash: "0xabc", exchange: priced },
      { type: "payin.failed", at },
      { type: "released", at },
      { type: "released", at, exchange: priced },
      { type: "rejected", at, reason: "failed" },
      { type: "refund.accepted", at },
      { type: "refund.rejected", at }
    ],
    {
      [deposit.amount]: "amount",
      [price.gateway_fee]: "gateway fee",
      "1224567": "amount − gateway fee",
      [price.received_amount]: "received_amount",
      [price.network_fee]: "network fee",
      [price.residue]: "residue"
    }
  ),
  exception: anything("exception", ...exceptionAt(at)),
  approval: anything("approval", ...approvalAt(at)),
  approval_rule: anything(
    "approval_rule",
    {
      new: {
        operations: ["payout"],
        above: null,
        approvals: 1,
        roles: [],
        expires_after: "PT24H"
      } satisfies ApprovalRuleData
    },
    [
      { type: "update", patch: { approvals: 2 } },
      { type: "end", patch: {} }
    ]
  ),
  quote: anything(
    "quote",
    {
      offramp: {
        operation: "offramp",
        customer_id: "cust_1",
        source_wallet_id: "wal_1",
        destination_wallet_id: null,
        beneficiary_id: "ben_1",
        screening_id: "scr_1",
        source_amount: "100000000",
        source_currency: "USDC",
        source_network: "base",
        gateway_fee: "500000",
        destination_amount: "14850375",
        destination_currency: "NGN",
        destination_network: "bank",
        network_fee: "75000",
        received_amount: "14775375",
        residue: "0",
        target_amount: null,
        fee_schedule_id: null,
        rate: "1492.5",
        reference: null,
        expires_at: T0 + 5 * minute,
        executed_by: null
      }
    },
    [
      { type: "awaited" },
      { type: "execute", by: "ofr_1", at: T0 },
      { type: "execute", by: "ofr_2", at: T0 + 5 * minute }
    ]
  ),
  deposit_address: anything(
    "deposit_address",
    {
      asked: {
        wallet_id: "wal_1",
        wallet,
        currency: "USDC",
        network: "base",
        label: null,
        metadata: {},
        address: null,
        provider_resource_id: null,
        disabled_reason: null
      }
    },
    [
      { type: "provider.issued", target: "0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe", provider_resource_id: "cdw_1" },
      { type: "disable", reason: "unused" },
      { type: "freeze" },
      { type: "unfreeze" }
    ]
  ),
  wallet_credential: anything(
    "wallet_credential",
    {
      asked: {
        wallet_id: "wal_1",
        type: "crypto",
        currency: "USDC",
        country_code: null,
        network: "base",
        wallet_currency: "USDC",
        holder: "Ada Ltd",
        label: null,
        metadata: {},
        target: null,
        details: null,
        provider_resource_id: null
      }
    },
    [
      {
        type: "provider.issued",
        target: "0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe",
        provider_resource_id: "cdw_1",
        details: { network: "base", address: "0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe" }
      },
      { type: "freeze" },
      { type: "unfreeze" },
      { type: "disable" }
    ]
  ),
  beneficiary: anything(
    "beneficiary",
    {
      cleared: { ...beneficiary, screening: "cleared" },
      deferred: { ...beneficiary, screening: "awaited" },
      refused: { ...beneficiary, screening: "refused" }
    },
    [
      update,
      ...["cleared", "awaited", "refused"].map((screening) => ({
        type: "update",
        patch: { name: "Chidi Eze", screening_id: "scr_2", screening }
      })),
      ...["scr_1", "scr_2", "scr_3"].flatMap((screening_id) =>
        [true, false].map((cleared) => ({ type: "provider.screened", screening_id, cleared }))
      )
    ]
  ),
  merchant: anything(
    "merchant",
    { new: { name: "Ada", country_code: "NG", default_customer_id: "cust_1", active_keys: 0 } },
    [{ type: "activate" }, { type: "suspend" }, { type: "key.made" }, { type: "key.revoked" }]
  ),
  api_key: anything("api_key", { new: { role: "admin", label: null, prefix: "sk_test_ab", hash: "00" } }, [
    { type: "revoke" }
  ]),
  operator: anything(
    "operator",
    { new: { name: "Ada Obi", email: null, role: "support", prefix: "op_abcd", hash: "00" } },
    [
      { type: "update", patch: { role: "treasury" } },
      { type: "rotate", prefix: "op_efgh", hash: "01" },
      { type: "revoke" }
    ]
  ),
  adjusting_entry: anything(
    "adjusting_entry",
    {
      original: adjustingEntry,
      reversal: { ...adjustingEntry, from: "world:simulated", to: "losses", reverses: "adj_1" }
    },
    [{ type: "reversed", by: "adj_2" }],
    { [adjustingEntry.amount]: "amount" }
  ),
  fee_schedule: anything("fee_schedule", { new: feeSchedule }, [{ type: "end", at }]),
  batch: anything("batch", { new: batch, empty: { ...batch, parts: 0 } }, [
    { type: "confirm", at, by: "key_1" },
    { type: "part", at, created: 1, failed: 0, totals: batch.totals, again_at: null },
    { type: "part", at, created: 0, failed: 1, totals: batch.totals, again_at: at + minute },
    { type: "cancel", at, totals: { source: [], received: [], fees: [] } }
  ]),
  batch_part: anything("batch_part", { new: { rows: [] } }, [update]),
  external_account: anything("external_account", { new: externalAccount }, [
    { type: "update", patch: { time_zone: "Europe/Berlin" } },
    { type: "close", patch: {} },
    { type: "reopen", patch: { uses: ["payins"] } }
  ]),
  closing: anything("closing", { new: closing }, [{ type: "update", patch: { note: "Accepted" } }]),
  statement_mapping: anything("statement_mapping", { new: statementMapping }, [
    { type: "update", patch: { name: "Another" } }
  ]),
  statement: anything("statement", { new: statement }, [{ type: "update", patch: { warnings: [] } }]),
  statement_file: anything("statement_file", { new: { digest: "00", ids: ["stm_1"], taken: false } }, [
    { type: "update", patch: { taken: true } }
  ]),
  statement_roster: anything("statement_roster", { new: { chunks: 0, closings: 0 } }, [
    { type: "update", patch: { chunks: 1 } }
  ]),
  statement_chunk: anything("statement_chunk", { new: statementChunk }, [{ type: "expanded" }]),
  statement_line: anything("statement_line", { new: statementLine }, [
    { type: "proposed", matches: [match] },
    { type: "matched", matches: [match] },
    { type: "explained", matches: [{ ...match, resource_id: "adj_1", rule: "explained" }] },
    { type: "unmatched" },
    { type: "restated", patch: { loose: true } },
    { type: "withdrawn", patch: { bookings: [], former_status: "explained" } },
    { type: "merged", patch: { bookings: [] } },
    {
      type: "restored",
      patch: { withdrawn: false },
      matches: [{ resource_id: "adj_1", amount: "1", rule: "explained" }]
    },
    { type: "restored", patch: { withdrawn: false } }
  ]),
  limit: anything(
    "limit",
    {
      amount: limit,
      count: {
        ...limit,
        scope: "platform",
        scope_id: null,
        merchant_id: null,
        currency: null,
        max_amount: null,
        max_count: 20,
        window: { rolling: "PT1H" },
        begins: "disabled"
      },
      tier: {
        ...limit,
        scope_id: null,
        merchant_id: null,
        tier: "tier_1",
        operations: ["deposit"],
        currency: "USD",
        window: "total"
      }
    },
    [
      { type: "update", patch: { max_count: 5 } },
      { type: "disable", patch: {} },
      { type: "enable", patch: { action: "approve" } }
    ]
  ),
  break: anything(
    "break",
    {
      of_a_line: lineBreak,
      of_the_books: {
        ...lineBreak,
        kind: "missing_on_statement",
        line_ids: [],
        movements: [{ resource_id: "ofr_1", version: 3, amount: "1250" }]
      }
    },
    [
      { type: "found", difference: { ...foundAnew } },
      { type: "cleared", at: T0 },
      { type: "resolved", action: "dismiss", note: "seen", at: T0 },
      { type: "resolved", action: "adopt", note: "paid", at: T0 },
      { type: "adopting", adopted_amount: "1250" },
      { type: "not_adopted" },
      {
        type: "resolved",
        action: "explain",
        note: "a fee",
        at: T0,
        adjusting_entry_id: "adj_1",
        settled_lines: ["stl_1"]
      },
      { type: "resolved", action: "match", note: "paid", at: T0, settled_lines: ["stl_1"] },
      { type: "unsettled", line_ids: ["stl_1"] },
      { type: "reopened", note: "no", held: true, line_ids: ["stl_2"] }
    ]
  ),
  matching: anything("matching", { new: { swept_until: T0, runs: 0 } }, [
    { type: "counted" },
    { type: "matched", swept_until: T0 + 1, at: T0, next_at: T0 + 1_000 },
    { type: "wanted", at: T0, next_at: T0 },
    { type: "wanted", at: T0, next_at: T0 + 10, look_at: T0 + 20 },
    { type: "ended" }
  ]),
  audit_entry: anything(
    "audit_entry",
    {
      action: {
        operator: { id: "opr_1", name: "Ada Obi", role: "support" },
        action: "freezeDepositAddress",
        resource: { kind: "deposit_address", id: "da_1", merchant_id: "mer_1" },
        note: null,
        from: { status: "active" },
        to: { status: "frozen" },
        request_id: "req_1"
      }
    },
    [update]
  ),
  verification: anything("verification", ...verificationOf(customer, T0)),
  access_request: anything("access_request", ...accessRequestAt(at)),
  access_grant: anything("access_grant", ...accessGrant),
  webhook_endpoint: anything(
    "webhook_endpoint",
    {
      new: {
        url: "https://example.com/hook",
        description: null,
        categories: ["transfer"],
        secrets: [{ sealed: "s1", until: null }],
        failing_since: null,
        deactivated_for: null
      }
    },
    [
      { type: "update", patch: {}, active: true },
      { type: "update", patch: { description: "d" } },
      { type: "update", patch: {}, active: false },
      { type: "rotate", sealed: "s2", at: T0 },
      { type: "delivery.failed", at: T0 },
      { type: "delivery.acknowledged" },
      { type: "deactivate", reason: "gone" },
      { type: "delete" }
    ]
  )
}

/** Kinds that none is drawn for: data that the machine does not read, and its events with a time and nothing else. */
const derived = [...kinds.byName.values()]
  .filter(({ kind }) => drawn[kind] === undefined)
  .map(({ kind, lifecycle }) => {
    const events = lifecycle.machine.events.map((type: string) =>
      type === "update" ? { type, patch: { label: "b" } } : { type, at }
    )
    return [kind, anything(kind, { new: { label: "a", count: 1 } }, events)] as const
  })

export const specimens: Readonly<Record<string, Specimen>> = { ...drawn, ...Object.fromEntries(derived) }

export interface Snapshot {
  readonly state: string
  readonly data: object
}

/** A step found on the way through a machine; `from` null: it began so, with the input of that name. */
export interface Found {
  readonly from: string | null
  readonly input: string
  readonly event: MachineEvent
  readonly to: string
  readonly after: Snapshot
  readonly outcome: ReturnType<Kind["lifecycle"]["begin"]>["outcome"]
}

/**
 * Walks a machine from each of its inputs: gives one snapshot for each state and input, and every step from them.
 * Breadth first, so that a state is shown as it is first reached.
 */
export const walkMachine = ({
  kind: { lifecycle },
  inputs,
  events
}: Specimen): { readonly snapshots: ReadonlyMap<string, Snapshot>; readonly steps: ReadonlyArray<Found> } => {
  const snapshots = new Map<string, Snapshot>()
  const steps: Array<Found> = []
  for (const [input, data] of Object.entries(inputs)) {
    const seen = new Set<string>()
    // A payout that was turned away once ends otherwise than one that never was, and money on its way back by why it is.
    const place = ({ state, data }: Snapshot): string => {
      const { refused_at, failure_reason, revived } = data as {
        readonly refused_at?: number | null
        readonly revived?: true
        readonly failure_reason?: string | null
      }
      const why = state === "refunding" || state === "failed" ? failure_reason : ""
      return `${state} ${refused_at ?? ""} ${why} ${revived ?? ""}`
    }
    const begun = lifecycle.begin(data)
    steps.push({ from: null, input, event: { type: "create" }, to: begun.state, after: begun, outcome: begun.outcome })
    const queue: Array<Snapshot> = [begun]
    seen.add(place(begun))
    for (let here = queue.shift(); here !== undefined; here = queue.shift()) {
      if (!snapshots.has(here.state)) snapshots.set(here.state, { state: here.state, data: here.data })
      for (const event of events) {
        const next = lifecycle.step(here.state, here.data, event)
        if (next === undefined) continue
        steps.push({ from: here.state, input, event, to: next.state, after: next, outcome: next.outcome })
        if (seen.has(place(next))) continue
        seen.add(place(next))
        queue.push(next)
      }
    }
  }
  return { snapshots, steps }
}

/** The states a machine can rest in: those without a transition that is taken at once. */
export const restingStates = ({ kind }: Specimen): ReadonlyArray<string> =>
  Object.entries(kind.lifecycle.machine.states)
    .filter(([, state]) => (state.always ?? []).length === 0)
    .map(([name]) => name)
