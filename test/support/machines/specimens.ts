/**
 * One specimen of every kind of machine: what it may begin with and whatever it may hear. The property tests, the golden
 * snapshots and the generated documents all step these. A kind whose machine needs more than the names of its events is drawn
 * here.
 */
import type { DepositData } from "../../../src/machines/deposits/deposit.ts"
import type { OfframpData } from "../../../src/machines/movements/offramp.ts"
import type { TransferData } from "../../../src/machines/movements/transfer.ts"
import type { AdjustingEntryData } from "../../../src/machines/reconciliation/adjusting-entry.ts"
import type { ExternalAccountData } from "../../../src/machines/reconciliation/external-account.ts"
import { noPayout } from "../../../src/machines/kernel/payout.ts"
import { kinds } from "../../../src/engine/registry.ts"
import type { Kind } from "../../../src/engine/commit/kind.ts"
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
  wallet,
  beneficiary,
  destination: {
    type: "fiat",
    country_code: "NG",
    network: "bank",
    account_number: "0123456789",
    account_name: "Chidi",
    provider_id: "prov_1",
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

const adjustingEntry: AdjustingEntryData = {
  from: "losses",
  to: "world:simulated",
  amount: "7000000",
  currency: "USDC",
  note: "n",
  exception_id: null,
  reverses: null,
  reversed_by: null
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

const ramps = rampsOf({ wallet, customer, expires_at: T0 + 5 * minute })
const { crossing, price, priced } = crossingOf(deposit, wallet, customer)

/** The other providers of a routed movement, and their names in `provider.unavailable`. */
const route = ["second", "third"]

/** The hours at which a payout may hear something: at once, past its quote's expiry, and after a day of refusals. */
const hours = [T0, T0 + minute, T0 + 5 * minute, T0 + 25 * hour]

const payoutEvents = payoutEventsAt(hours)

const at = T0 + minute

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
    { plain: transfer, retrying: { ...transfer, retry_on_failure: true }, routed: { ...transfer, route } },
    [...payoutEvents, ...differingAt(at, transfer.amount)],
    { [transfer.amount]: "amount", "39998889": "amount − shortage", "1111": "shortage", "2222": "missing" }
  ),
  offramp: anything(
    "offramp",
    { plain: offramp, retrying: { ...offramp, retry_on_failure: true }, routed: { ...offramp, route } },
    [
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
        rate: "1492.5",
        reference: null,
        expires_at: T0 + 5 * minute,
        executed_by: null
      }
    },
    [
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
  external_account: anything("external_account", { new: externalAccount }, [
    { type: "update", patch: { time_zone: "Europe/Berlin" } },
    { type: "close", patch: {} },
    { type: "reopen", patch: { uses: ["payins"] } }
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
export const walked = ({
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
