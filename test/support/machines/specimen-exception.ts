/** The specimen of an exception: with money, without, and of a short settlement. */
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

const credited = { merchant_id: "mer_2", wallet_id: "wal_2", transaction_id: "txn_2" }

/** Its inputs, what it may hear at a time, and what its amounts are called. */
export const exceptionAt = (at: number): [Specimen["inputs"], Specimen["events"], Specimen["amounts"]] => [
  {
    money: exception,
    booked: { ...exception, booked: true, payin_id: null },
    short: { ...exception, reason: "short_settlement", booked: true, payin_id: null },
    withheld: { ...exception, reason: "short_settlement", booked: true, payin_id: null, withheld: true },
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
    { type: "refund.accepted", at },
    { type: "refund.rejected", at }
  ],
  { [exception.amount ?? ""]: "amount" }
]
