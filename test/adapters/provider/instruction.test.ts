import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { movementOutcomes } from "../../../src/engine/ports/Provider.ts"
import { submissionModes } from "../../../src/engine/ports/Sandbox.ts"
import {
  countExecutions,
  type SimulatedInstruction,
  toCommandStatus,
  submitInstruction,
  applyOutcome
} from "../../../src/adapters/provider/simulated/instruction.ts"
import { bankAccount, payout } from "./commands.ts"

const submission = fc.record({
  _tag: fc.constant("submission" as const),
  submissions: fc.constantFrom(...submissionModes),
  mode: fc.constantFrom("auto" as const, "manual" as const),
  pause: fc.nat(3000)
})
const word = fc.record({
  _tag: fc.constant("word" as const),
  outcome: fc.constantFrom(...movementOutcomes),
  pause: fc.nat(3000)
})
const act = fc.oneof(submission, word)
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never
const acts = fc.array(act, { maxLength: 30 })
const endings = fc.constantFrom("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")

/** Applies actions to one instruction, and yields it after each, with the time. */
const play = (list: ReadonlyArray<Act>, ending: string) => {
  const command = payout("ofr_1", bankAccount(`123456${ending}`))
  let now = 0
  let known: SimulatedInstruction | undefined
  const seen: Array<{ readonly known: SimulatedInstruction; readonly now: number; readonly reply: string | null }> = []
  for (const act of list) {
    now += act.pause
    if (act._tag === "submission") {
      const { instruction, reply } = submitInstruction(known, command, {
        mode: act.mode,
        submissions: act.submissions,
        delay_ms: 1000,
        now
      })
      known = instruction
      seen.push({ known, now, reply: reply._tag })
    } else if (known !== undefined) {
      known = applyOutcome(
        known,
        {
          merchant_id: "mer_1",
          resource_id: "ofr_1",
          outcome: act.outcome,
          reason: null,
          transaction_hash: null,
          event_id: null
        },
        now
      ).instruction
      seen.push({ known, now, reply: null })
    }
  }
  return seen
}

describe("an instruction", () => {
  it("is paid out at most once, whatever is submitted and reported", () => {
    fc.assert(
      fc.property(acts, endings, (list, ending) => {
        for (const { known } of play(list, ending)) assert.isAtMost(countExecutions(known), 1)
      })
    )
  })

  it("is absent only while it may be submitted, and never after it was paid", () => {
    fc.assert(
      fc.property(acts, endings, (list, ending) => {
        for (const { known, now, reply } of play(list, ending)) {
          const commandStatus = toCommandStatus(known, now)._tag
          if (reply === "accepted") assert.notStrictEqual(commandStatus, "absent")
          if (reply === "unavailable") assert.strictEqual(commandStatus, "absent")
          if (reply === "rejected") assert.strictEqual(commandStatus, "settled")
          const paid = known.reports.some(
            ({ at, outcome, take }) => outcome === "success" && at <= now && take === known.takes
          )
          if (paid) assert.notStrictEqual(commandStatus, "absent")
        }
      })
    )
  })

  it("never uses one event id for two outcomes", () => {
    fc.assert(
      fc.property(acts, endings, (list, ending) => {
        const reports = new Map<string, string>()
        for (const { known } of play(list, ending))
          for (const { event_id, outcome, at } of known.reports) {
            const word = `${outcome} ${at}`
            assert.strictEqual(reports.get(event_id) ?? word, word)
            reports.set(event_id, word)
          }
      })
    )
  })
})
