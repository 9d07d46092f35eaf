import { Effect } from "effect"
import { list, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { ExceptionBody, Exceptions, ListExceptions, ResolveException } from "../../resources/deposits/exceptions.ts"
import { ExceptionKind } from "../../resources/deposits/exception.ts"
import { nameMerchants } from "../named-rows.ts"
import { operatorGroup, type Registration } from "../registration.ts"

const operations = {
  operator: section(operatorGroup, {
    exceptions: {
      list: nameMerchants(
        list(
          "listExceptions",
          "/operator/v1/exceptions",
          { summary: "List provider events that match no resource", input: ListExceptions, output: ExceptionBody },
          ({ input }) => Exceptions.use((s) => s.list(input))
        ),
        "ListedException"
      ),
      resolve: post(
        "resolveException",
        "/operator/v1/exceptions/:id/resolve",
        {
          action: "exception_credit",
          readCurrent: ({ params }) => Exceptions.use((s) => s.get(params.id)),
          // A wallet of another merchant is credited in a second commit.
          finish: ({ first, params }) =>
            Effect.map(
              first === undefined ? Exceptions.use((s) => s.finish(params.id)) : Effect.succeed(first),
              (result) => ({
                result,
                isDone: true
              })
            ),
          role: "treasury",
          summary: "Resolve an exception",
          description: [
            "`credit` credits the money as a deposit to the named wallet. Default: the wallet for which it was intended. No limit",
            "holds this deposit.",
            "`refund` returns the money to its payer.",
            "`apply` accepts an event that came too late: an approval after its link expired, or a payment that was made before",
            "the deadline of its onramp, at the locked rate.",
            "`dismiss` closes the exception: no money came, or it was returned outside this service. Nothing stays in suspense."
          ].join(" "),
          params: { id: Id("exc") },
          input: ResolveException,
          output: ExceptionBody,
          examples: {
            credit: { action: "credit", wallet_id: "wal_01hxyz0000000000000000000", note: "confirmed with the bank" },
            dismiss: { action: "dismiss", note: "the bank sent it back by hand" }
          },
          refusals: ["invalid_status", "external_service_unavailable"]
        },
        ({ call, params, input }) => Exceptions.use((s) => s.resolve(call, params.id, input))
      )
    }
  })
} as const satisfies Sections

export const exception = { kind: ExceptionKind, layer: Exceptions.layer, operations } satisfies Registration
