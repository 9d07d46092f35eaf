/** Defects of approvals that no simulation shows: one act that waits once, who sees and decides it, and what ends it. */
import { of, type TestedDefect } from "./defect.ts"

const tests = ["test/http/requests/approvals.test.ts"]

export const controls: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/engine/calls/acts.ts",
    tests,
    ["each act waits by itself", "if (operation.makes || act === null) return {}", "if (act !== undefined) return {}"],
    ["an act of another input is the one that waits", "params, body ?? {}, act.if_match", "params, {}, act.if_match"],
    ["the act of another maker is the one that waits", "[made_by.id, made_by.name, operation.id", "[operation.id"],
    ["an act waits again for the side that approved it", "&& !act.approved.includes(data.side)", ""],
    ["a repeat names the operators", "shownApproval(known, call)", "shownApproval(known, { operator: call })"],
    [
      "an act that waits has no amounts",
      "resource_id: call.subject ?? null, amounts, act",
      "resource_id: call.subject ?? null, amounts: [], act"
    ],
    ["an act waits for what has just ended", ".filter(({ id }) => id === subject)", ".filter(({ id }) => id === null)"],
    ["an act is not tried again", `Effect.catchTag(waits, "Conflict", () => waits)`, "waits"]
  ),
  ...of(
    "src/engine/commit/approval.ts",
    tests,
    ["nothing ends with what it is about", "waits(before.state) === waits(after.state)", "waits(before.state)"],
    [
      "operators go on waiting",
      "(one === undefined ? [] : [one.changes])), later]",
      "(one === undefined ? [] : [one.changes]))]"
    ]
  ),
  ...of("src/machines/controls/approval.ts", tests, [
    "what has ended keeps its time",
    "{ expires_at: event.at, refusal: event.refusal }",
    "{ refusal: event.refusal }"
  ]),
  ...of(
    "src/engine/resources/controls/approval.ts",
    tests,
    ["the other side goes on waiting", ".filter((one) => one.id !== id)", ".filter(() => false)"],
    [
      "what waits again after a reversal ends, too",
      ".filter(({ created_at }) => isStill || created_at <= until)",
      ".filter(({ created_at }) => isStill || created_at <= Infinity)"
    ],
    [
      "a merchant decides for operators",
      "if (row.data.side === sideOf(call)) return row",
      "if (call.operator === null) return row"
    ],
    [
      "operators read what merchants decide",
      `if (call.operator !== null && row.data.side === "merchant") return`,
      `if (call.operator === undefined) return`
    ],
    ["operators list what merchants decide", `{ ...input, side: "operator" }`, "input"]
  ),
  ...of(
    "src/engine/representations/controls/approval.ts",
    tests,
    ["a merchant reads the names of operators", "operator !== null || body.side", "body !== undefined || body.side"],
    ["a merchant reads who declined", "declined_by === null ? null : asOperator(declined_by)", "declined_by"]
  ),
  ...of(
    "src/engine/resources/movements/batch-payment.ts",
    ["test/scenarios/movements/batches.test.ts"],
    [
      "a part of a batch is recorded by two processes",
      `if (now.state === "completed" || now.data.next !== batch.data.next)`,
      "if (now.version < batch.version)"
    ]
  ),
  ...of("src/engine/resources/movements/creation.ts", tests, [
    "a payout that waits has no recipient",
    "(recipient === undefined ? {} : { recipient })",
    "(recipient === undefined ? {} : {})"
  ])
]
