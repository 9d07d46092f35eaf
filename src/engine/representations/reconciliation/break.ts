/** The shape of a break in the operator API (BREAK-1). */
import { Schema } from "effect"
import {
  breakActions,
  type BreakAction,
  type BreakData,
  breakKinds,
  toSeenDifference
} from "../../../machines/reconciliation/break.ts"
import { makeSeenVersion } from "../../crypto/secrets.ts"
import { describe } from "../../input/schemas.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { displayAmount, displayAmountOrNull } from "../../reference/currencies.ts"
import {
  amountOf,
  anyIdOf,
  bodyOf,
  createdAt,
  currencyCodeOf,
  idOf,
  orNull,
  textOf,
  timeOf,
  updatedAt,
  wordOf
} from "../members.ts"
import { lineDirections } from "./statement-line.ts"

export const breakStatuses = ["open", "resolved"] as const
export const breakSeverities = ["low", "high"] as const

export const breakKind = wordOf(breakKinds, "What differs.", {
  missing_in_books: "the bank has a line and the books nothing",
  missing_on_statement: "the books have a movement that no statement has, longer than the account's settlement time",
  amount_differs: "a line names a movement of another amount",
  executed_twice: "more lines name a movement than it has payments",
  contradicts_status: "a line pays what the books say was not paid",
  balance_differs: "a balance of a statement is not that of the account",
  gap: "a statement does not begin where the one before it ends, or a number of the series is missing"
})

const CandidateBody = Schema.Struct({
  resource_id: anyIdOf("What the line may be.", "ofr"),
  amount: amountOf("Its amount, in the currency of the break.", "147753.75"),
  rule: textOf("Why it may be that.", "alike")
}).annotate({ identifier: "BreakCandidate", description: "What a line of a break may be." })

const ExposureBody = Schema.Struct({
  amount: amountOf("The amount.", "147753.75"),
  currency: currencyCodeOf("The currency of the amount.", "NGN")
}).annotate({ identifier: "BreakExposure", description: "What may be lost." })

export const BreakBody = Schema.Struct({
  id: idOf("brk", "The id of the break."),
  external_account_id: idOf("xac", "The external account."),
  kind: breakKind,
  severity: wordOf(breakSeverities, "How urgent it is.", { high: "money may have left twice, or is gone" }),
  status: wordOf(breakStatuses, "Whether it is to be decided."),
  amount: orNull(
    amountOf(
      "What differs. Of a gap, the opening balance less the closing balance before; zero where only a number is missing.",
      "147753.75"
    )
  ),
  direction: orNull(
    wordOf(
      lineDirections,
      "As the bank books it. Of a balance, a gap or another amount: what the bank has more or less. Null where nothing is.",
      {
        credit: "money to us",
        debit: "money from us"
      }
    )
  ),
  currency: currencyCodeOf("The currency of the account.", "NGN"),
  exposure: orNull(
    describe(ExposureBody, "What may be lost. Null: nothing.", { amount: "147753.75", currency: "NGN" })
  ),
  lines: describe(Schema.Array(idOf("stl", "The id of a line.")), "The lines of statements that it is about.", []),
  resources: describe(
    Schema.Array(anyIdOf("The id of a resource.", "ofr")),
    "What the lines name, or what no statement has; and the entry by which a payment that a line names was explained before.",
    []
  ),
  candidates: describe(
    Schema.Array(CandidateBody),
    "What its line may be. Nothing is matched with them until a person says so.",
    []
  ),
  statement_id: orNull(idOf("stm", "The statement of a gap or a balance. Null for others.")),
  statements: describe(
    Schema.Array(idOf("stm", "The id of a statement.")),
    "The statements that it is about: those that have its lines; of a gap or a balance the one before, and then the one that differs.",
    []
  ),
  since: timeOf("When the money moved, or the difference was found."),
  actions: describe(Schema.Array(Schema.Literals(breakActions)), "What can be done with it now.", [
    "match",
    "explain",
    "dismiss"
  ]),
  version: textOf(
    "Another one once something else is to be decided: another kind, severity, amount, direction, exposure, line, resource or status, or another resolution to undo. `If-Match` of a resolution takes it as it takes the `ETag`, which changes with anything.",
    "v5d41402abc4b2a76"
  ),
  action: orNull(
    textOf(
      "How it ended: what a person did, or `cleared` where matching found it gone. Null while it is open.",
      "explain"
    )
  ),
  note: orNull(textOf("What the person said about it.", "Charged twice, the bank returns it")),
  adjusting_entry_id: orNull(idOf("adj", "The adjusting entry that it ended with. Null for another end.")),
  resolved_at: orNull(timeOf("When it ended. Null while it is open.")),
  created_at: createdAt,
  updated_at: updatedAt
}).annotate({ identifier: "Break", description: "A difference between the books and the statements." })
export type BreakBody = typeof BreakBody.Type

/** The actions that a break offers ({@link BreakBody} `actions`). A payment that a person or a line decided stays decided. */
export const breakActionsOf = (state: string, b: BreakData): ReadonlyArray<BreakAction> => {
  if (state === "open")
    return [
      ...(b.line_ids.length > 0 || b.movements.length > 0 ? (["match"] as const) : []),
      ...(b.amount === null || b.amount === "0" ? [] : (["explain"] as const)),
      ...(b.adopt === null ? [] : (["adopt"] as const)),
      "dismiss",
      ...(b.line_ids.length > 0 || b.movements.length > 0 ? (["unmatch"] as const) : [])
    ]
  if (b.action === "adopt") return []
  return b.settled_lines.length > 0 ? ["unmatch", "reopen"] : b.action === "cleared" ? ["unmatch"] : ["reopen"]
}

/** The version of a break for those who decide about it ({@link BreakBody} `version`). */
export const makeBreakVersion = ({ data: b, state }: Pick<Row<BreakData>, "data" | "state">): string =>
  makeSeenVersion([state, b.action, b.adjusting_entry_id, b.resolved_at, ...toSeenDifference(b)])

export const breakBody = bodyOf(BreakBody, ({ data: b, state }: Row<BreakData>) => ({
  amount: displayAmountOrNull(b.amount, b.currency),
  exposure: b.exposure === null ? null : { amount: displayAmount(b.exposure, b.currency), currency: b.currency },
  lines: b.line_ids,
  resources: b.resource_ids,
  candidates: b.candidates.map((one) => ({ ...one, amount: displayAmount(one.amount, b.currency) })),
  statements: b.statement_ids ?? (b.statement_id === null ? [] : [b.statement_id]),
  since: iso(b.since),
  actions: breakActionsOf(state, b),
  version: makeBreakVersion({ data: b, state }),
  resolved_at: isoOrNull(b.resolved_at)
}))
