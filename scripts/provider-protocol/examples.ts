/** One request of each operation and its possible results, for the published document and for tests. */
import { eventExamples, issuedTarget, paid } from "./event-examples.ts"
import type { InputOf, Operation, ResultOf } from "../../src/protocol/operations.ts"

export interface Example<O extends Operation> {
  /** Null where the request has none. */
  readonly id: string | null
  readonly input: InputOf<O>
  /** By the name of the result. */
  readonly results: { readonly [name: string]: ResultOf<O> }
}

const merchant_id = "mer_01k6x0aq7m3v8f2n5c9d4t1hbe"
const conversion = "cnv_01k6x0d3e8r5w7y2q4v6j901pa"
const offramp = "off_01k6x0b7z2c4v6n8m1q3w5e7rt"
const wallet_credential = "wlc_01k6x0f2g4h6j8k1m3n5p7q9rs"
const onramp = "onr_01k6x0h9t7r5e3w1q2z4x6c8vb"
const deposit = "dep_01k6x0j4m6n8b1v3c5x7z9a2sd"
const beneficiary = "ben_01k6x09s8d6f4g2h1j3k5m7n9p"
const customer = "cus_01k6x08a1s3d5f7g9h2j4k6m8n"
const verification = "ver_01k6x0m8k6j4h2g1f3d5s7a9qw"
const screening = "scr_01k6x0p204j6v8y1t3r5e7w9qz"

const absent = { status: "absent" } as const
const pending = { status: "pending" } as const
const conflict = { status: "conflict" } as const
const unsupported = { status: "unsupported" } as const

const bank = { code: "058", name: "Guaranty Trust Bank", country_code: "NG" }

const destination = {
  type: "fiat",
  country_code: "NG",
  network: "bank",
  account_number: "0123456789",
  account_name: "ADAEZE OKAFOR",
  bank_code: "058",
  provider_id: "prov_3k9w2r7t5y1v8j406p0a2s4d6f",
  rail: null
} as const

const originator = {
  id: customer,
  type: "individual",
  name: "Thabo Mokoena",
  country_code: "ZA",
  address: {
    line1: "12 Long Street",
    line2: null,
    city: "Cape Town",
    state: "Western Cape",
    postal_code: "8001",
    country_code: "ZA"
  },
  date_of_birth: "04/27/1990",
  id_type: "passport",
  id_number: "A01234567"
} as const

const failed = {
  ...paid,
  outcome: "failed",
  reason: "account_closed",
  amount: null,
  fee: null,
  fee_currency: null
} as const

const settled = { status: "settled", outcome: paid } as const
const accepted = { status: "accepted", awaited_person: null } as const
const rejected = { status: "rejected", reason: "amount_above_limit", refundable: true } as const

const submissions = {
  accepted,
  settled,
  rejected,
  unavailable: { status: "unavailable" },
  conflict,
  unsupported
} as const
const waiting = {
  status: "pending",
  awaited_person: { party: "operator", action: "enter the code that was sent to the owner of the account" }
} as const
const statuses = {
  absent,
  pending: { status: "pending", awaited_person: null },
  waiting,
  settled,
  failed: { status: "settled", outcome: failed }
} as const

const converted = { ...paid, amount: "98500.00", fee: null, fee_currency: null, provider_reference: "FX-20260504-118" }
const conversions = { settled: { status: "settled", outcome: converted } } as const

const refunded = { ...paid, amount: "5000.00", fee: null, fee_currency: null, provider_reference: "RET-7781" }
const refunds = { settled: { status: "settled", outcome: refunded } } as const

const issued = { status: "issued", ...issuedTarget } as const

const instructed = {
  status: "issued",
  account_name: "CORRIDOR COLLECTIONS",
  account_number: "1020304050",
  bank_name: "Example Bank",
  bank_code: "058",
  deposit_reference: "CRD7K2M9QX"
} as const

export const examples: { readonly [O in Operation]: Example<O> } = {
  manifest: {
    id: null,
    input: {},
    results: {
      manifest: {
        protocol: "1",
        id: "f3b0a1d2-6c1e-4c57-9a39-0d5f4a6b7c21",
        offers: [
          {
            operation: "payout",
            currency: "NGN",
            destination_currency: null,
            country_code: "NG",
            network: "bank",
            minimum: "100",
            maximum: "5000000",
            cost: { fixed: "52.50", share: "0" }
          },
          {
            operation: "directory",
            currency: null,
            destination_currency: null,
            country_code: "NG",
            network: null,
            minimum: null,
            maximum: null,
            cost: null
          }
        ],
        events: { callbacks: true, readable: true }
      }
    }
  },
  payout: {
    id: `${offramp}.payout`,
    input: {
      merchant_id,
      resource_id: offramp,
      statement_reference: "01K6X0B7Z23TVD9Y",
      reference: "INV-2026-0311",
      originator,
      attempt: 0,
      kind: "offramp",
      amount: "149250.00",
      currency: "NGN",
      source_amount: "100.00",
      source_currency: "USDC",
      destination,
      beneficiary: { id: beneficiary, name: "Adaeze Okafor", address: null },
      purpose_code: "FAMI",
      narration: "INV-2026-0311"
    },
    results: submissions
  },
  payout_status: { id: `${offramp}.payout`, input: {}, results: statuses },
  conversion: {
    id: `${conversion}.exchange`,
    input: {
      merchant_id,
      resource_id: conversion,
      statement_reference: "01K6X0D3E8NP3KEB",
      reference: "TREASURY-8",
      originator: null,
      attempt: 0,
      kind: "conversion",
      source_amount: "66.00",
      source_currency: "USDC",
      destination_amount: "98500.00",
      destination_currency: "NGN",
      rate: "1492.42424242"
    },
    results: { ...submissions, ...conversions }
  },
  conversion_status: { id: `${conversion}.exchange`, input: {}, results: { ...statuses, ...conversions } },
  issue: {
    id: `${wallet_credential}.issue`,
    input: {
      merchant_id,
      resource_id: wallet_credential,
      kind: "wallet_credential",
      type: "fiat",
      currency: "NGN",
      country_code: "NG",
      network: "bank",
      holder: "Thabo Mokoena"
    },
    results: { pending, issued, rejected: { status: "rejected", reason: "holder_not_accepted" }, conflict, unsupported }
  },
  issue_status: { id: `${wallet_credential}.issue`, input: {}, results: { absent, pending, issued } },
  instruction: {
    id: `${onramp}.instruction`,
    input: {
      merchant_id,
      resource_id: onramp,
      amount: "25000.00",
      currency: "NGN",
      country_code: "NG",
      expires_at: "2026-05-04T10:00:00.000Z"
    },
    results: { issued: instructed, conflict, unsupported }
  },
  instruction_status: { id: `${onramp}.instruction`, input: {}, results: { absent, issued: instructed } },
  refund: {
    id: `${deposit}.refund`,
    input: {
      merchant_id,
      resource_id: deposit,
      statement_reference: "01K6X0J4M6MPPH0K",
      payin_id: "pi_55102",
      amount: "5000.00",
      currency: "NGN"
    },
    results: { ...submissions, ...refunds }
  },
  refund_status: { id: `${deposit}.refund`, input: {}, results: { ...statuses, ...refunds } },
  verification: {
    id: `${verification}.start`,
    input: {
      merchant_id,
      resource_id: verification,
      tier: "tier_1",
      customer: {
        id: customer,
        type: "individual",
        name: "Thabo Mokoena",
        email: "thabo@example.com",
        country_code: "ZA",
        date_of_birth: "01/31/1990"
      },
      redirect_url: "https://app.example.com/verified"
    },
    results: {
      started: {
        status: "started",
        hosted_url: "https://verify.example.com/s/5f1c0e",
        expires_at: "2026-05-05T09:30:00.000Z"
      },
      conflict,
      unsupported
    }
  },
  verification_status: {
    id: `${verification}.start`,
    input: {},
    results: {
      absent,
      pending,
      opened: { status: "opened" },
      approved: { status: "approved" },
      rejected: { status: "rejected", reason: "document_expired" }
    }
  },
  screen: {
    id: screening,
    input: { merchant_id, resource_id: beneficiary, name: "Adaeze Okafor", destination },
    results: { cleared: { status: "cleared" }, held: { status: "held" }, refused: { status: "refused" } }
  },
  resolve_account: {
    id: "req_01k6x0r5t7y9v2j406p8a1s3df",
    input: { country_code: "NG", bank, account_number: "0123456789", account_name: null, holder_document: null },
    results: {
      resolved: { status: "resolved", account_name: "ADAEZE OKAFOR" },
      unresolved: { status: "unresolved" },
      unchecked: { status: "unchecked" },
      unsupported
    }
  },
  resolve_proxy: {
    id: "req_01k6x0s6y8v1j305p7a9s2d4fg",
    input: { proxy: "+27821234567" },
    results: { resolved: { status: "resolved", account_name: "T MOKOENA" }, unregistered: { status: "unregistered" } }
  },
  banks: { id: null, input: { country_code: "NG" }, results: { banks: { banks: [bank] }, unsupported } },
  rates: {
    id: null,
    input: {},
    results: {
      rates: {
        rates: [
          { base: "USD", quote: "NGN", rate: "1500.25", at: "2026-05-04T09:29:58.000Z" },
          { base: "USDC", quote: "USD", rate: "0.9998", at: "2026-05-04T09:29:59.000Z" }
        ]
      },
      unsupported
    }
  },
  balances: {
    id: null,
    input: {},
    results: {
      balances: {
        balances: [
          { currency: "NGN", network: null, available: "12750000.00", pending: "149250.00" },
          { currency: "USDC", network: "base", available: "80500.25", pending: "0" }
        ]
      },
      unsupported
    }
  },
  statements: {
    id: null,
    input: { after: "41" },
    results: {
      statements: {
        lines: [
          {
            id: "stm_42",
            booked_at: "2026-05-04T09:30:12.000Z",
            direction: "debit",
            amount: "149250.00",
            currency: "NGN",
            command_id: `${offramp}.payout`,
            payin_id: null,
            provider_reference: "NIP/000013260504093012345",
            transaction_hash: null,
            narration: "INV-2026-0311"
          }
        ],
        cursor: "42"
      },
      unsupported
    }
  },
  events: {
    id: null,
    input: { after: "evt_90" },
    results: {
      events: {
        events: [eventExamples.movement],
        cursor: "evt_91"
      },
      empty: { events: [], cursor: "evt_90" },
      unsupported
    }
  }
}
