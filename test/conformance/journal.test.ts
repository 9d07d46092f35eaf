/** The laws that answers about one id must keep, whichever case asked. */
import { describe, expect, it } from "vitest"
import type { RecordedExchange, JsonMembers } from "../../src/conformance/exchange.ts"
import { type SentCommand, Journal } from "../../src/conformance/journal.ts"

const command: SentCommand = {
  id: "tfr_1.payout",
  family: "payout",
  members: { amount: "5.00", narration: null, attempt: 0 }
}
const repeat: SentCommand = { ...command, members: { attempt: 1, amount: "5.00" } }
const other: SentCommand = { ...command, members: { ...command.members, amount: "6.00" } }

type Step =
  | readonly [at: number, "put", SentCommand, JsonMembers]
  | readonly [at: number, "get", JsonMembers]
  /** A submission without an answer, whose connection was cut. */
  | readonly [at: number, "cut"]

const exchange = (at: number, to = at + 1): RecordedExchange =>
  ({ from_ms: at, to_ms: to }) as unknown as RecordedExchange

/** What the last step contradicts. The steps before it contradict nothing. */
const last = (...steps: ReadonlyArray<Step>): string | undefined => {
  const journal = new Journal()
  const found = steps.map((step) => {
    const [at, what] = step
    if (what === "get") return journal.found(command, step[2], exchange(at))
    const ended = journal.submitting(what === "put" ? step[2] : command, at)
    ended(at + 1, what === "put" ? step[3]["status"] : undefined)
    return what === "put" ? journal.submitted(step[2], step[3], exchange(at)) : undefined
  })
  expect(found.slice(0, -1)).toEqual(steps.slice(1).map(() => undefined))
  return found.at(-1)?.found
}

const accepted = { status: "accepted" }
const absent = { status: "absent" }
const pending = { status: "pending" }
const rejected = { status: "rejected", reason: "closed", refundable: true }
const unavailable = { status: "unavailable" }
const conflict = { status: "conflict" }
const settled = (outcome: string, more: JsonMembers = {}) => ({
  status: "settled",
  outcome: { outcome, reason: null, ...more }
})

describe("answers that fit together", () => {
  it.each<readonly [string, ReadonlyArray<Step>]>([
    [
      "absent, submitted, pending, settled",
      [
        [1, "get", absent],
        [5, "put", command, accepted],
        [9, "get", pending],
        [20, "get", settled("success")]
      ]
    ],
    [
      "a repeat with another attempt and without a null",
      [
        [1, "put", command, accepted],
        [5, "put", repeat, accepted]
      ]
    ],
    [
      "a repeat after the end says what the first did",
      [
        [1, "put", command, accepted],
        [5, "get", settled("success")],
        [9, "put", repeat, accepted]
      ]
    ],
    [
      "other content is a conflict",
      [
        [1, "put", command, accepted],
        [5, "put", other, conflict],
        [9, "get", pending]
      ]
    ],
    [
      "unavailable, absent, submitted again",
      [
        [1, "put", command, unavailable],
        [5, "get", absent],
        [9, "put", repeat, accepted]
      ]
    ],
    [
      "rejected, and settled as failed",
      [
        [1, "put", command, rejected],
        [5, "get", settled("failed")],
        [9, "put", repeat, rejected]
      ]
    ],
    [
      "a success that is returned",
      [
        [1, "put", command, accepted],
        [5, "get", settled("success")],
        [9, "get", settled("returned")]
      ]
    ],
    [
      "a cut submission that was taken",
      [
        [1, "cut"],
        [5, "get", pending]
      ]
    ],
    [
      "a look-up that overlaps its submission",
      [
        [1, "put", command, accepted],
        [1, "get", absent]
      ]
    ]
  ])("%s", (_, steps) => {
    expect(last(...steps)).toBeUndefined()
  })
})

describe("answers that contradict each other", () => {
  it.each<readonly [string, ReadonlyArray<Step>, RegExp]>([
    [
      "absent after accepted",
      [
        [1, "put", command, accepted],
        [5, "get", absent]
      ],
      /taken is reported as `absent`/
    ],
    [
      "absent after pending",
      [
        [1, "cut"],
        [5, "get", pending],
        [9, "get", absent]
      ],
      /taken is reported as `absent`/
    ],
    [
      "absent, then pending without a submission",
      [
        [1, "cut"],
        [5, "get", absent],
        [9, "get", pending]
      ],
      /was not submitted again, is now "pending"/
    ],
    [
      "absent, then settled without a submission",
      [
        [1, "get", absent],
        [5, "get", settled("success")]
      ],
      /was not submitted again, is now "settled"/
    ],
    [
      "unavailable, then settled",
      [
        [1, "put", command, unavailable],
        [5, "get", settled("success")]
      ],
      /`unavailable`, and was not submitted again, is now "settled"/
    ],
    [
      "rejected, then accepted",
      [
        [1, "put", command, rejected],
        [5, "put", repeat, accepted]
      ],
      /rejected is now "accepted"/
    ],
    [
      "rejected, then a success",
      [
        [1, "put", command, rejected],
        [5, "get", settled("success")]
      ],
      /rejected is now "settled"/
    ],
    [
      "accepted, then rejected",
      [
        [1, "put", command, accepted],
        [5, "put", repeat, rejected]
      ],
      /was taken is answered "rejected"/
    ],
    [
      "accepted, then unavailable",
      [
        [1, "put", command, accepted],
        [5, "put", repeat, unavailable]
      ],
      /was taken is answered "unavailable"/
    ],
    [
      "a conflict with itself",
      [
        [1, "put", command, accepted],
        [5, "put", repeat, conflict]
      ],
      /same content under the same id is answered `conflict`/
    ],
    [
      "other content that is accepted",
      [
        [1, "put", command, accepted],
        [5, "put", other, accepted]
      ],
      /Other content .* is answered "accepted"/
    ],
    [
      "a success that failed",
      [
        [1, "get", settled("success")],
        [5, "get", settled("failed")]
      ],
      /another outcome than before/
    ],
    [
      "a failure that succeeds",
      [
        [1, "get", settled("failed")],
        [5, "get", settled("success")]
      ],
      /another outcome than before/
    ],
    [
      "another reference",
      [
        [1, "get", settled("success", { provider_reference: "a" })],
        [5, "get", settled("success", { provider_reference: "b" })]
      ],
      /another outcome than before/
    ],
    [
      "settled, then pending",
      [
        [1, "get", settled("success")],
        [5, "get", pending]
      ],
      /`pending` again/
    ]
  ])("%s", (_, steps, found) => {
    expect(last(...steps)).toMatch(found)
  })

  it("another account under the same id", () => {
    const journal = new Journal()
    const issue: SentCommand = { id: "wcr_1.issue", family: "issue", members: { holder: "A" } }
    const issued = (target: string) => ({ status: "issued", provider_resource_id: "r", target, details: {} })
    expect(journal.submitted(issue, issued("1"), exchange(1))).toBeUndefined()
    expect(journal.found(issue, issued("1"), exchange(5))).toBeUndefined()
    expect(journal.submitted(issue, issued("2"), exchange(9))?.found).toMatch(/another result than before/)
  })
})
