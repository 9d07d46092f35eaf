/** What a part of a return is, to the machine and on the wire (OUTCOME-8). */
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { Exception } from "../../../src/machines/deposits/exception.ts"
import { eventExamples } from "../../../src/protocol/event-examples.ts"
import { Event } from "../../../src/protocol/events.ts"
import { covers } from "../../support/repository/covers.ts"

const part = (id: string, amount: string) => ({ id, amount })

describe("a part of a return", () => {
  covers("OUTCOME-8")

  it("is booked once by its exception, whoever asks", () => {
    const rest = { way: "losses", missing: "100", currency: "NGN", parts: [] } as const
    const { data, state } = Exception.begin({ rest, provider: "simulated", amount: null, booked: false } as never)
    const report = { type: "part", at: 1, parts: [{ id: "a", amount: "40" }], complete: false } as const
    const next = Exception.step(state, data, report)
    assert.deepEqual(next?.outcome.postings, [
      { debit: "world:simulated", credit: "losses", amount: "40", currency: "NGN" }
    ])
    assert.isUndefined(Exception.step(state, next!.data, report))
  })

  it("names no part twice", () => {
    const wire = { ...eventExamples.refund, parts: [part("a", "20"), part("a", "30")] }
    assert.throws(() => Schema.decodeUnknownSync(Event)(wire), /parts with different ids/)
  })
})
