import { Layer } from "effect"
import { getFrom, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { BreakBody } from "../../representations/reconciliation/break.ts"
import { BreakKind, Breaks, ListBreaks } from "../../resources/reconciliation/break.ts"
import { ResolveBreak } from "../../resources/reconciliation/resolution.ts"
import { Reconciliations } from "../../work/reconciliation/Reconciliations.ts"
import { BreakFiles, ResolveBreaks, ResolvedBreaks } from "../../work/reconciliation/break-files.ts"
import { reconciliationGroup, type Registration } from "../registration.ts"

const one = { id: Id("brk") }

/** The controlled actions of a resolution: also that of entries, if it posts or reverses one (APPROVAL-3). */
const listResolutionWords = ({ action }: Pick<ResolveBreak, "action">) =>
  (["explain", "unmatch", "reopen"] as const).some((one) => one === action)
    ? (["break_resolution", "adjusting_entry"] as const)
    : ("break_resolution" as const)

const operations = {
  operator: section(reconciliationGroup, {
    breaks: {
      list: list(
        "listBreaks",
        "/operator/v1/breaks",
        {
          summary: "List breaks",
          description:
            "Differences between the books and the statements, newest first, or with `order=urgent` as they are worked on. `format=csv` returns all that match, as a file that can be edited and sent to `POST /operator/v1/breaks/resolve`.",
          input: ListBreaks,
          output: BreakBody,
          formats: { csv: "text/csv" }
        },
        ({ input }) => BreakFiles.use((s) => s.list(input))
      ),
      resolveAll: post(
        "resolveBreaks",
        "/operator/v1/breaks/resolve",
        {
          role: "treasury",
          action: "break_resolution",
          summary: "Resolve breaks from a file",
          description:
            "The body is the CSV of the list of breaks, with `action`, `note`, `from` and `to` filled in. Each row succeeds or fails by itself, and a row without an action is left. A cell is what the action takes, or what the break is: a row of a break that has become another since its export is refused. Files without the column `version` are compared by the columns that they have. The response is the file with a column `result`: `ok`, `skipped`, or why not. With `format=json` it has the rows alone, with counts. The encoding is that of the byte order mark, else the `charset` of the content type `text/csv`, else UTF-8.",
          input: ResolveBreaks,
          output: ResolvedBreaks,
          fileMax: 4 * 1024 * 1024,
          csv: true,
          formats: { csv: "text/csv" }
        },
        ({ call, input }) => BreakFiles.use((s) => s.resolve(call, input))
      ),
      get: getFrom(Breaks, "getBreak", "/operator/v1/breaks/:id", one, BreakBody),
      resolve: post(
        "resolveBreak",
        "/operator/v1/breaks/:id/resolve",
        {
          role: "treasury",
          action: ({ input }) => listResolutionWords(input),
          readCurrent: ({ params }) => Breaks.use((s) => s.get(params.id)),
          summary: "Resolve a break, or undo that",
          description:
            "`match` takes lines and resources whose sums are equal. `explain` posts an adjusting entry of what differs. `adopt` lets a movement succeed whose outcome is unknown and that the line pays. `dismiss` ends the break alone. `unmatch` undoes matches, and leaves the lines to people. `reopen` undoes what ended the break, with its entry.",
          params: one,
          input: ResolveBreak,
          output: BreakBody,
          examples: {
            match: {
              action: "match",
              line_ids: ["stl_01j9z3k4m5n6p7q8r9s0t1v2w3"],
              resource_ids: ["ofr_01j9z3k4m5n6p7q8r9s0t1v2w3"],
              note: "The bank cut the reference"
            },
            explain: {
              action: "explain",
              from: "receivable:simulated",
              to: "world:simulated",
              note: "Paid twice, the bank returns it"
            }
          },
          refusals: ["invalid_amount_precision", "invalid_status", "external_service_unavailable"]
        },
        ({ call, params, input }) => Reconciliations.use((s) => s.resolve(call, params.id, input))
      )
    }
  })
} as const satisfies Sections

export const reconciliationBreak = {
  kind: BreakKind,
  layer: Layer.provideMerge(BreakFiles.layer, Breaks.layer),
  operations
} satisfies Registration
