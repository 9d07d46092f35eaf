import type { Event } from "../../src/protocol/events.ts"

export const paid = {
  outcome: "success",
  reason: null,
  transaction_hash: null,
  amount: "149250.00",
  fee: "52.50",
  fee_currency: "NGN",
  parts: null,
  complete: null,
  provider_reference: "NIP/000013260504093012345"
} as const

export const issuedTarget = {
  provider_resource_id: "va_88121",
  target: "9912345678",
  details: {
    account_number: "9912345678",
    account_name: "CORRIDOR/THABO MOKOENA",
    bank_name: "Example Bank",
    bank_code: "058",
    reference: null
  }
} as const

export const eventExamples: { readonly [T in Event["type"]]: Extract<Event, { readonly type: T }> } = {
  movement: {
    operation: "event",
    id: "evt_91",
    type: "movement",
    merchant_id: "mer_01k6x0aq7m3v8f2n5c9d4t1hbe",
    resource_id: "off_01k6x0b7z2c4v6n8m1q3w5e7rt",
    ...paid
  },
  refund: {
    operation: "event",
    id: "evt_92",
    type: "refund",
    merchant_id: "mer_01k6x0aq7m3v8f2n5c9d4t1hbe",
    resource_id: "dep_01k6x0j4m6n8b1v3c5x7z9a2sd",
    command_id: "dep_01k6x0j4m6n8b1v3c5x7z9a2sd.refund",
    outcome: "success",
    reason: null,
    amount: "5000.00",
    fee: null,
    fee_currency: null,
    parts: null,
    complete: null,
    provider_reference: "RET-7781"
  },
  payin: {
    operation: "event",
    id: "evt_93",
    type: "payin",
    payin_id: "pi_55102",
    stage: "confirmed",
    target: "9912345678",
    amount: "25000.00",
    currency: "NGN",
    network: "bank",
    transaction_hash: null,
    from_address: null,
    sender: { name: "MARY BELLO", bank: "Guaranty Trust Bank", account_number: "6789" },
    narration: "CRD7K2M9QX",
    observed_at: "2026-05-04T09:31:00.000Z"
  },
  issued: {
    operation: "event",
    id: "evt_94",
    type: "issued",
    merchant_id: "mer_01k6x0aq7m3v8f2n5c9d4t1hbe",
    resource_id: "wlc_01k6x0f2g4h6j8k1m3n5p7q9rs",
    kind: "wallet_credential",
    ...issuedTarget
  },
  screened: {
    operation: "event",
    id: "evt_95",
    type: "screened",
    merchant_id: "mer_01k6x0aq7m3v8f2n5c9d4t1hbe",
    resource_id: "ben_01k6x09s8d6f4g2h1j3k5m7n9p",
    screening_id: "scr_01k6x0p204j6v8y1t3r5e7w9qz",
    cleared: true
  },
  verification: {
    operation: "event",
    id: "evt_96",
    type: "verification",
    merchant_id: "mer_01k6x0aq7m3v8f2n5c9d4t1hbe",
    resource_id: "ver_01k6x0m8k6j4h2g1f3d5s7a9qw",
    outcome: "approved",
    reason: null
  }
}
