/** What a payout may hear. */
import type { MachineEvent } from "./specimens.ts"

/** Outcomes with another amount than is due: a success delivers `due`, and a return brings back `given` (default: `due`). */
export const differingAt = (at: number, due: string, given: string = due): ReadonlyArray<MachineEvent> => {
  const short = (BigInt(due) - 1111n).toString()
  return [
    { type: "provider.succeeded", at, transaction_hash: "0xabc", amount: short },
    { type: "provider.succeeded", at, transaction_hash: "0xabc", amount: short, fee: "1111" },
    { type: "provider.succeeded", at, transaction_hash: "0xabc", amount: (BigInt(due) + 3333n).toString() },
    ...["provider.returned", "provider.reversed"].flatMap((type) => [
      { type, at, amount: (BigInt(given) - 2222n).toString() },
      { type, at, amount: (BigInt(given) + 4444n).toString() }
    ])
  ]
}

/** The events of a payout at each of these times. */
export const payoutEventsAt = (hours: ReadonlyArray<number>): ReadonlyArray<MachineEvent> =>
  hours.flatMap((at) => [
    { type: "provider.unavailable", at, attempt: 1, next: "second" },
    { type: "provider.unavailable", at, attempt: 2, next: "third" },
    { type: "payout.begun", at },
    { type: "payout.blocked", at },
    { type: "provider.unavailable", at },
    { type: "provider.unknown", at },
    { type: "provider.pending", at },
    { type: "provider.absent", at },
    { type: "provider.succeeded", at, transaction_hash: "0xabc" },
    { type: "provider.failed", at, reason: "weird" },
    { type: "provider.failed", at, reason: "refund_failed" },
    { type: "provider.cancelled", at },
    { type: "provider.reversed", at },
    { type: "provider.returned", at },
    { type: "provider.refund_failed", at }
  ])
