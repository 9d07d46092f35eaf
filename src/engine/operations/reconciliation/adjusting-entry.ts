import { Effect } from "effect"
import { get, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { AdjustingEntryBody } from "../../representations/reconciliation/adjusting-entry.ts"
import {
  AdjustingEntries,
  CreateAdjustingEntry,
  ListAdjustingEntries,
  ReverseAdjustingEntry
} from "../../resources/reconciliation/adjusting-entry.ts"
import { AdjustingEntryKind } from "../../resources/reconciliation/entry-posting.ts"
import { nameMerchants } from "../named-rows.ts"
import { reconciliationGroup, type Registration } from "../registration.ts"

const one = { id: Id("adj") }

/** What ends with an entry, or is open again without it, is resolved by it: rules over that cover the entry too (APPROVAL-3). */
const words = ["adjusting_entry", "break_resolution", "exception_credit"] as const

const operations = {
  operator: section(reconciliationGroup, {
    adjustingEntries: {
      create: post(
        "createAdjustingEntry",
        "/operator/v1/adjusting-entries",
        {
          action: words,
          role: "treasury",
          summary: "Post an adjusting entry",
          description:
            "One posting between accounts of the platform, never of a customer. With `exception_id` the exception ends with it: the entry takes all of its money out of `suspense`, or, where it has none there, books at most its exposure. With `break_id` or `line_id` the break ends with it: the entry is exactly what differs. An entry never changes; another one reverses it.",
          input: CreateAdjustingEntry,
          output: AdjustingEntryBody,
          examples: {
            cost: {
              from: "costs:simulated",
              to: "world:simulated",
              amount: "12.50",
              currency: "USDC",
              note: "Fee of January on the statement"
            },
            loss: {
              from: "losses",
              to: "world:simulated",
              amount: "98.90",
              currency: "USDC",
              exception_id: "exc_01j9z3k4m5n6p7q8r9s0t1v2w3",
              note: "The recipient keeps what was paid twice"
            }
          },
          refusals: ["invalid_amount_precision", "not_found", "invalid_status"]
        },
        ({ call, input }) => AdjustingEntries.use((s) => s.create(call, input))
      ),
      list: nameMerchants(
        list(
          "listAdjustingEntries",
          "/operator/v1/adjusting-entries",
          { summary: "List adjusting entries", input: ListAdjustingEntries, output: AdjustingEntryBody },
          ({ input }) => AdjustingEntries.use((s) => s.list(input))
        ),
        "ListedAdjustingEntry"
      ),
      get: get(
        "getAdjustingEntry",
        "/operator/v1/adjusting-entries/:id",
        { summary: "Get an adjusting entry", params: one, output: AdjustingEntryBody },
        ({ params }) => AdjustingEntries.use((s) => s.get(params.id))
      ),
      reverse: post(
        "reverseAdjustingEntry",
        "/operator/v1/adjusting-entries/:id/reverse",
        {
          action: words,
          role: "treasury",
          summary: "Reverse an adjusting entry",
          description:
            "Posts the opposite entry, once, and returns it. What ended with the entry is open again. A reversal is not reversed: post a new entry.",
          params: one,
          // The lines of an exception's entry are released in a commit after the reversal.
          finish: ({ first, params }) =>
            Effect.map(
              first === undefined ? AdjustingEntries.use((s) => s.finishReversal(params.id)) : Effect.succeed(first),
              (result) => ({ result, isDone: true })
            ),
          input: ReverseAdjustingEntry,
          output: AdjustingEntryBody,
          examples: { twice: { note: "Booked twice" } },
          refusals: ["invalid_status"]
        },
        ({ call, params, input }) => AdjustingEntries.use((s) => s.reverse(call, params.id, input))
      )
    }
  })
} as const satisfies Sections

export const adjustingEntry = {
  kind: AdjustingEntryKind,
  layer: AdjustingEntries.layer,
  operations
} satisfies Registration
