/** The shape of a pause in the operator API. */
import { Schema } from "effect"
import { type BrakeData, brakeScopes } from "../../../machines/movements/brake.ts"
import type { Row } from "../../ports/Storage.ts"
import { isoOrNull } from "../../ports/Time.ts"
import { bodyOf, createdAt, currencyCodeOf, idOf, orNull, textOf, timeOf, updatedAt, wordOf } from "../members.ts"

export const brakeStatuses = ["active", "released"] as const

export const BrakeBody = Schema.Struct({
  id: idOf("brake", "The id of the pause."),
  scope: wordOf(brakeScopes, "What it stops.", {
    all: "all submissions",
    provider: "those to `provider`",
    corridor: "those from `source_currency` to `destination_currency`",
    merchant: "those of `merchant_id`"
  }),
  provider: orNull(textOf("The name of the provider that it stops. Null for other scopes.", "simulated")),
  source_currency: orNull(
    currencyCodeOf("The source currency of its corridor. Null stands for every currency.", "USDT")
  ),
  destination_currency: orNull(
    currencyCodeOf("The destination currency of its corridor. Null stands for every currency.", "KES")
  ),
  merchant_id: orNull(idOf("mer", "The merchant that it stops. Null for other scopes.")),
  status: wordOf(brakeStatuses, "Whether it stops anything.", { active: "it does", released: "it no longer does" }),
  note: orNull(textOf("Why it was set. Null if no note was given.", "Unexplained debits at the bank")),
  release_note: orNull(textOf("Why it was released. Null before, or without a note.", "The bank has explained them")),
  released_at: orNull(timeOf("When it was released. Null before.", "2026-01-31T14:10:00.000Z")),
  created_at: createdAt,
  updated_at: updatedAt
}).annotate({ identifier: "Brake", description: "A stop of submissions and refunds that an operator set." })
export type BrakeBody = typeof BrakeBody.Type

export const brakeBody = bodyOf(BrakeBody, ({ data }: Row<BrakeData>) => ({ released_at: isoOrNull(data.released_at) }))
