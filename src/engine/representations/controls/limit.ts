/** The shapes of limits, of the operator's API and of a merchant's (LIMITS-1, LIMITS-7). */
import { Schema } from "effect"
import {
  limitActions,
  limitCalendars,
  type LimitData,
  limitOperations,
  limitScopes
} from "../../../machines/controls/limit.ts"
import { RollingTime } from "../../input/members.ts"
import { describe, Optional } from "../../input/schemas.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { displayAmount } from "../../reference/currencies.ts"
import {
  amountOf,
  anyIdOf,
  bodyOf,
  countOf,
  createdAt,
  currencyCodeOf,
  idOf,
  orNull,
  textOf,
  tierOf,
  tiers,
  timeOf,
  updatedAt,
  wordOf
} from "../members.ts"

export const limitStatuses = ["active", "disabled"] as const

export const limitScope = wordOf(limitScopes, "Whose acts count together.", {
  platform: "all of them",
  merchant: "those of a merchant",
  customer: "those of a customer",
  wallet: "those that take money from a wallet, or bring it there",
  beneficiary: "those that pay a beneficiary",
  api_key: "those made with an API key"
})

export const limitOperationsOf = (description: string) =>
  describe(Schema.Array(Schema.Literals(limitOperations)), description, ["payout"])

export const limitActionOf = (description: string) =>
  wordOf(limitActions, description, {
    refuse: "it is refused",
    approve: "it waits for the approval of an operator"
  })

export const limitTierOf = (description: string) => tierOf(tiers, description)

const rollingWords = "The length of the time before the act: an ISO 8601 duration from `PT1M` to `P366D`."
const rolling = textOf(rollingWords, "PT24H")
const calendar = wordOf(limitCalendars, "The part of the calendar. A week begins on Monday.")
const timeZone = textOf("The time zone of the calendar, of the IANA database.", "Africa/Lagos")

const windowWords =
  "What counts together: `movement`, each act alone; the time before the act; or a part of the calendar. `total`, all time, belongs to a `tier` alone."
const windowExample = { calendar: "day" as const, time_zone: "Africa/Lagos" }
const named = Schema.Literals(["movement", "total"])

export const limitWindow = describe(
  Schema.Union([
    named,
    Schema.Struct({ rolling }).annotate({ identifier: "RollingWindow", description: "The time before each act." }),
    Schema.Struct({ calendar, time_zone: timeZone }).annotate({
      identifier: "CalendarWindow",
      description: "A day, a week or a month of a time zone."
    })
  ]),
  windowWords,
  windowExample
)

/** As a request states it: `rolling`, or `calendar` and `time_zone`. */
export const limitWindowIn = describe(
  Schema.Union([
    named,
    Schema.Struct({
      rolling: Optional(RollingTime, rollingWords, "PT24H"),
      calendar: Optional(calendar),
      time_zone: Optional(timeZone)
    }).annotate({ identifier: "CreateWindow", description: "`rolling`, or `calendar` and `time_zone`." })
  ]).annotate({
    expected: '"movement", {"rolling": "PT24H"} or {"calendar": "day", "time_zone": "Africa/Lagos"}'
  }),
  windowWords,
  windowExample
)

const used = {
  used_amount: orNull(
    amountOf(
      "What is used of `max_amount` now. Null without one, of a `movement`, and where each has its own.",
      "9950.00"
    )
  ),
  used_count: orNull(
    countOf("How many of `max_count` are used now. Null without one, and where each has its own.", 12)
  ),
  resets_at: orNull(
    timeOf(
      "When the window has room for the whole maximum again, if nothing more is counted. Null where nothing is used, or it never has.",
      "2026-02-01T23:00:00.000Z"
    )
  )
}

/** What is used of a limit by one of its scope. */
export type LimitUsed = {
  readonly used_amount: string | null
  readonly used_count: number | null
  readonly resets_at: string | null
}

export const unused: LimitUsed = { used_amount: null, used_count: null, resets_at: null }

/** What the words of `operations` count. */
export const limitWords =
  "`payout`: transfers and offramps. `batch`: its confirmation, with the sum of its rows. `deposit` is of a `tier` alone. The other words count acts of operators and of keys: those that move no money have no amount, so that `max_amount` counts none of them."

const measure = {
  id: idOf("lim", "The id of the limit."),
  scope: limitScope,
  scope_id: orNull(
    anyIdOf("What it is of. Null: each of its scope has the maximum to itself, or the scope is `platform`.", "cust")
  ),
  operations: limitOperationsOf(`The acts that count. ${limitWords}`),
  currency: orNull(currencyCodeOf("The currency of `max_amount`. Null without one.", "USDC")),
  max_amount: orNull(amountOf("The most that may move in the window, in `currency`. Null without one.", "10000.00")),
  max_count: orNull(countOf("The most acts in the window. Null without one.", 20)),
  window: limitWindow,
  action: limitActionOf("What happens to an act over it.")
}

export const LimitBody = Schema.Struct({
  ...measure,
  merchant_id: orNull(idOf("mer", "The merchant of `scope_id`. Null without one.")),
  tier: orNull(limitTierOf("Only customers of this tier. Null for limits that are of no tier.")),
  status: wordOf(limitStatuses, "Whether it applies.", {
    active: "it does",
    disabled: "it does not, and counts nothing"
  }),
  ...used,
  created_at: createdAt,
  updated_at: updatedAt
}).annotate({ identifier: "Limit", description: "How much and how many may move, by whom and in which time." })
export type LimitBody = typeof LimitBody.Type

export const OwnLimitBody = Schema.Struct({ ...measure, ...used, created_at: createdAt }).annotate({
  identifier: "OwnLimit",
  description: "A limit that the merchant's acts count to, and what is used of it."
})
export type OwnLimitBody = typeof OwnLimitBody.Type

export const ownLimitBody = bodyOf(OwnLimitBody, ({ data: l }: Row<LimitData>, now: LimitUsed) => ({
  max_amount: l.max_amount === null ? null : displayAmount(l.max_amount, l.currency!),
  ...now
}))

export const limitBody = (row: Row<LimitData>, now: LimitUsed = unused): LimitBody => ({
  ...ownLimitBody(row, now),
  merchant_id: row.data.merchant_id,
  tier: row.data.tier,
  status: row.status as LimitBody["status"],
  updated_at: iso(row.updated_at)
})
