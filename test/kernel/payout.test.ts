import { describe, expect, it } from "vitest"
import { guards, noPayout } from "../../src/machines/kernel/payout.ts"

/** A refusal for want of capacity frees money only where it is sure to speak of the submission under way. */
describe("a refusal", () => {
  const heard = (attempts: number, attempt?: number) => ({
    context: { ...noPayout, retry_on_failure: false, attempts },
    event: { type: "provider.unavailable", at: 1, ...(attempt === undefined ? {} : { attempt }) }
  })

  it("of the submission under way is believed", () => {
    expect([guards.stale(heard(2, 2)), guards.doubtful(heard(2, 2))]).toEqual([false, false])
  })

  it("of an earlier submission is passed over", () => {
    expect(guards.stale(heard(2, 1))).toBe(true)
  })

  it("that comes by itself is believed after one submission, and is in doubt after several", () => {
    expect([guards.doubtful(heard(1)), guards.doubtful(heard(2))]).toEqual([false, true])
  })
})
