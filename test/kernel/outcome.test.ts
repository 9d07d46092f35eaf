import { describe, expect, it } from "vitest"
import { collectOutcome, outcomes } from "../../src/machines/kernel/lifecycle.ts"

describe("collecting the actions of a step", () => {
  it("keeps the order of each kind of request", () => {
    const line = (amount: string) => ({ debit: "fx", credit: "fees", amount, currency: "NGN" })
    expect(
      collectOutcome([
        { type: "post", params: [line("1"), line("2")] },
        { type: "publish", params: { type: "processing" } },
        { type: "command", params: { operation: "submit", name: "payout", after_ms: 5 } },
        { type: "post", params: [] },
        { type: "timer", params: { name: "deadline", at: 10 } },
        { type: "cancel", params: { name: "retry" } },
        { type: "publish", params: { type: "success" } },
        { type: "post", params: [line("3")] },
        { type: "cancel", params: { name: "deadline" } }
      ])
    ).toEqual({
      postings: [line("1"), line("2"), line("3")],
      events: [{ type: "processing" }, { type: "success" }],
      commands: [{ operation: "submit", name: "payout", after_ms: 5 }],
      timers: [{ name: "deadline", at: 10 }],
      cancels: ["retry", "deadline"]
    })
  })

  it("accepts every action of the vocabulary, and no other", () => {
    const params: Record<string, unknown> = { post: [], cancel: { name: "x" } }
    for (const type of Object.keys(outcomes))
      expect(() => collectOutcome([{ type, params: params[type] ?? {} }])).not.toThrow()
    for (const type of ["xstate.raise", "posts", "constructor"]) {
      expect(() => collectOutcome([{ type, params: {} }])).toThrow(`unknown machine action: ${type}`)
    }
  })
})
