import { describe, expect, it } from "vitest"
import { guards, findLookupDelay, noPayout, type PayoutEvent, retryWindow } from "../../src/machines/kernel/payout.ts"
import { Transfer, type TransferData } from "../../src/machines/movements/transfer.ts"
import { specimens, T0 } from "../support/machines/specimens.ts"

/** A refusal for want of capacity frees money only where it is sure to speak of the submission under way. */
describe("a refusal", () => {
  const received = (attempts: number, attempt?: number) => ({
    context: { provider: "simulated", ...noPayout, retry_on_failure: false, attempts },
    event: { type: "provider.unavailable", at: 1, ...(attempt === undefined ? {} : { attempt }) }
  })

  it("of the submission under way is believed", () => {
    expect([guards.stale(received(2, 2)), guards.doubtful(received(2, 2))]).toEqual([false, false])
  })

  it("of an earlier submission is passed over", () => {
    expect(guards.stale(received(2, 1))).toBe(true)
  })

  it("that comes by itself is believed after one submission, and is in doubt after several", () => {
    expect([guards.doubtful(received(1)), guards.doubtful(received(2))]).toEqual([false, true])
  })
})

/** A transfer that has been submitted, and what it then hears. */
const after = (input: "plain" | "retrying", ...events: ReadonlyArray<PayoutEvent>) => {
  let here = Transfer.begin(specimens["transfer"]!.inputs[input] as TransferData)
  for (const event of [{ type: "payout.begun", at: T0 } as const, ...events])
    here = Transfer.step(here.state, here.data, event) ?? here
  return here
}

describe("a failure", () => {
  it.each([
    ["failed", "failed"],
    ["cancelled", "cancelled"],
    ["reversed", "reversed"],
    ["temporarily_unavailable", "temporarily_unavailable"],
    ["weather", "failed"],
    ["refund_failed", "failed"],
    [null, "failed"]
  ])("for the reason %s is shown as %s", (reason, shown) => {
    const { state, data } = after("plain", { type: "provider.failed", at: T0, reason })
    expect([state, data.failure_reason]).toEqual(["failed", shown])
  })
})

describe("a rejection of the only submission", () => {
  const rejected = { type: "provider.failed", at: T0 + 20_000, reason: "duplicate", attempt: 1 } as const

  it("is believed before anything was looked up", () => {
    expect(after("plain", rejected).state).toBe("failed")
  })

  it.each(["provider.unknown", "provider.pending"] as const)(
    "that comes late, after %s, is in doubt: the money stays until a look-up has found nothing",
    (type) => {
      const asked = { type, at: T0 + 10_000 } as const
      const doubted = after("plain", asked, rejected)
      expect([doubted.state, doubted.data.refusal]).toEqual(["unknown", { reason: "duplicate", refundable: true }])
      expect(after("plain", asked, rejected, { type: "provider.absent", at: T0 + 30_000 }).state).toBe("failed")
      const executed = { type: "provider.succeeded", at: T0 + 30_000, transaction_hash: null } as const
      expect(after("plain", asked, rejected, executed).state).toBe("success")
    }
  )
})

it("a rejection of a repeat is in doubt before anything was looked up: the submission before may be its reason", () => {
  const repeated = [
    { type: "provider.unavailable", at: T0, attempt: 1 },
    { type: "payout.begun", at: T0 + 60_000 },
    { type: "provider.failed", at: T0 + 61_000, reason: "duplicate", attempt: 2 }
  ] as const
  const { data, state } = after("retrying", ...repeated)
  expect([state, data.attempts]).toEqual(["unknown", 2])
})

describe("a payout that is refused for want of capacity", () => {
  const refused = (at: number) => ({ type: "provider.unavailable", at, attempt: 1 }) as const
  const again = (at: number) =>
    [
      { type: "payout.begun", at },
      { type: "provider.unavailable", at, attempt: 2 }
    ] as const

  it("is tried again for a day from the first refusal, to the millisecond, and then fails", () => {
    const from = T0 + 5000
    const { data } = after("retrying", refused(from))
    expect(data.refused_at).toBe(from)
    const last = after("retrying", refused(from), ...again(from + retryWindow - 1))
    expect([last.state, last.data.refused_at]).toEqual(["waiting", from])
    const over = after("retrying", refused(from), ...again(from + retryWindow))
    expect([over.state, over.data.failure_reason]).toEqual(["failed", "temporarily_unavailable"])
  })

  it("fails at once where it was not to be tried again", () => {
    const { state, data } = after("plain", refused(T0))
    expect([state, data.failure_reason]).toEqual(["failed", "temporarily_unavailable"])
  })
})

it("an unknown outcome is asked about daily in the end, for ever", () => {
  expect([5, 6, 1000].map(findLookupDelay)).toEqual([86_400_000, 86_400_000, 86_400_000])
})
