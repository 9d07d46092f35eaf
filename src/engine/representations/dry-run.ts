/** The shape of `meta.dry_run`: what a call would do that was decided and not committed (DRYRUN-1). */
import { Schema } from "effect"
import { describe } from "../input/schemas.ts"
import { amountOf, anyIdOf, currencyCodeOf, networkOf, orNull, textOf, timeOf } from "./members.ts"

const PostingBody = Schema.Struct({
  resource_id: anyIdOf("The resource that would make the posting.", "tfr"),
  debit: textOf("The account that would be debited.", "available:wal_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  credit: textOf(
    "The account that would be credited. `platform` stands for every account of the platform, for a merchant.",
    "reserved:wal_01j9z3k4m5n6p7q8r9s0t1v2w3"
  ),
  amount: amountOf("The amount, in `currency`.", "25.00"),
  currency: currencyCodeOf("The currency of the posting.")
}).annotate({ identifier: "DryRunPosting", description: "A posting that the call would make." })

const EventBody = Schema.Struct({
  type: textOf("The type of the event.", "transfer.processing"),
  resource_id: anyIdOf("The resource that would publish it.", "tfr")
}).annotate({ identifier: "DryRunEvent", description: "An event that the call would publish." })

const RouteBody = Schema.Struct({
  provider: orNull(textOf("The provider that the movement would go to first. Null for a merchant.", "simulated")),
  fallbacks: describe(
    Schema.Array(Schema.String),
    "The providers that would follow if it is unavailable, in order. Empty for a merchant.",
    ["bank"]
  ),
  source_currency: currencyCodeOf("The currency of what is paid from."),
  destination_currency: currencyCodeOf("The currency of what is paid out.", "NGN"),
  network: orNull(networkOf("The network that the payout would take, `bank` for fiat. Null without a payout."))
}).annotate({ identifier: "DryRunRoute", description: "The way that a movement would take." })

const LimitBody = Schema.Struct({
  limit_id: textOf("The limit.", "lim_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  action: textOf("What happens above it: `refuse` or `approve`.", "refuse"),
  max: textOf("The most that it lets through: an amount, or a number of movements.", "1000.00"),
  used: textOf("What is used of it, this call included.", "25.00"),
  resets_at: orNull(timeOf("When what is used begins anew. Null: it never does.", "2026-02-01T00:00:00.000Z"))
}).annotate({ identifier: "DryRunLimit", description: "A limit that the call counts towards." })

const ApprovalNeed = Schema.Struct({
  operation: textOf("What waits for approval, in the word of the rule.", "payout"),
  needed: describe(Schema.Int, "The number of people who have to approve.", 1)
}).annotate({ identifier: "DryRunApproval", description: "The approval that the call would wait for." })

const NotAskedBody = Schema.Struct({
  provider: orNull(textOf("The provider. Null for a merchant.", "simulated")),
  operation: textOf("What it was not asked, as the timeline names it.", "instruct")
}).annotate({ identifier: "DryRunNotAsked", description: "What a provider was not asked because it has an effect." })

export const DryRunBody = Schema.Struct({
  postings: describe(Schema.Array(PostingBody), "The postings that the call would make."),
  events: describe(Schema.Array(EventBody), "The events that the call would publish."),
  route: orNull(
    describe(RouteBody, "The way that the movement would take. Null for a call that creates none.", {
      provider: null,
      fallbacks: [],
      source_currency: "USDC",
      destination_currency: "USDC",
      network: "base"
    })
  ),
  limits: describe(Schema.Array(LimitBody), "The limits that the call counts towards."),
  approval: orNull(
    describe(ApprovalNeed, "The approval that the call would wait for. Null: none.", {
      operation: "payout",
      needed: 1
    })
  ),
  not_asked: describe(
    Schema.Array(NotAskedBody),
    "What no provider was asked because it has an effect. What depends on the answer is a stand-in."
  )
}).annotate({
  identifier: "DryRun",
  description: "What the call would do. It was decided and not committed: nothing of it was written."
})
export type DryRunBody = typeof DryRunBody.Type
