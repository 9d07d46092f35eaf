/** The specimen of an exception: with money, without, of a short settlement, and of a return in parts. */
import type { ExceptionData } from "../../../src/machines/deposits/exception.ts"
import type { Specimen } from "./specimens.ts"

const exception: ExceptionData = {
  resource_id: null,
  resource_kind: null,
  reason: "unknown_target",
  provider: "simulated",
  provider_event: null,
  amount: "7000000",
  currency: "USDC",
  booked: false,
  payin_id: "payin_1",
  wallet_id: "wal_1",
  action: null,
  note: null,
  resolved_at: null
}

/** Of a return of which two parts are missing, where each may go. */
const rest = { missing: "5000000", currency: "USDC", parts: [] }
const parts = [
  { id: "part_1", amount: "2000000" },
  { id: "part_2", amount: "3000000" }
] as const
const partial = {
  ...exception,
  reason: "partial_refund",
  amount: "5000000",
  severity: "high",
  exposure: { amount: "5000000", currency: "USDC" }
} as const

const credited = { merchant_id: "mer_2", wallet_id: "wal_2", transaction_id: "txn_2" }

/** Its inputs, what it may hear at a time, and what its amounts are called. */
export const exceptionAt = (at: number): [Specimen["inputs"], Specimen["events"], Specimen["amounts"]] => [
  {
    money: exception,
    booked: { ...exception, booked: true, payin_id: null },
    short: { ...exception, reason: "short_settlement", booked: true, payin_id: null },
    withheld: { ...exception, reason: "short_settlement", booked: true, payin_id: null, withheld: true },
    refunded: { ...partial, rest: { ...rest, way: "payer" } },
    lost: {
      ...partial,
      reason: "partial_return",
      amount: null,
      currency: null,
      payin_id: null,
      rest: { ...rest, way: "losses" }
    },
    reversed: { ...partial, reason: "contradicts_state", amount: "7000000", rest: { ...rest, way: "suspense" } },
    word: { ...exception, amount: null, currency: null, payin_id: null, wallet_id: null }
  },
  [
    { type: "resolve", action: "credit", note: "n", at, credited },
    { type: "resolve", action: "credit", note: "n", at, credited, elsewhere: true },
    { type: "reclaimed", at },
    { type: "credited", at },
    { type: "resolve", action: "apply", note: "n", at },
    { type: "resolve", action: "refund", note: "n", at },
    { type: "resolve", action: "dismiss", note: "n", at },
    ...parts.map((part) => ({ type: "part", parts: [part], complete: false, at })),
    { type: "part", parts: [], complete: true, at },
    { type: "adjusted", entry: "adj_1", note: "n", at },
    { type: "reopened", entry: "adj_1" },
    { type: "reopened", entry: "adj_2" },
    { type: "refund.accepted", at },
    { type: "refund.rejected", at }
  ],
  {
    [exception.amount ?? ""]: "amount",
    "5000000": "missing",
    "2000000": "part",
    "3000000": "other part",
    "9000000": "amount + part",
    "10000000": "amount + other part",
    "12000000": "amount + parts"
  }
]
