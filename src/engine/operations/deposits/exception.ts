import { list, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { operatorGroup } from "../groups.ts"
import { ExceptionBody, Exceptions, ListExceptions, ResolveException } from "../../resources/deposits/exceptions.ts"
import { ExceptionKind } from "../../resources/deposits/exception.ts"
import type { Registration } from "../registration.ts"

const operations = {
  operator: section(operatorGroup, {
    exceptions: {
      list: list(
        "listExceptions",
        "/operator/v1/exceptions",
        { summary: "List what the provider said that fits no resource", input: ListExceptions, output: ExceptionBody },
        ({ input }) => Exceptions.use((s) => s.list(input))
      ),
      resolve: post(
        "resolveException",
        "/operator/v1/exceptions/:id/resolve",
        {
          summary: "Resolve an exception",
          description: [
            "`credit`: the money becomes a deposit in the wallet named, or else in the one it was meant for. No limit holds it.",
            "A wallet of another merchant is credited a moment later.",
            "`refund`: it goes back to its payer.",
            "`apply`: what came too late is taken as if it had come in time. That is an approval after its link has lapsed, or a",
            "payment that was made before its onramp's deadline, at the locked rate.",
            "`dismiss`: no money came, or it was given back outside of this service. Nothing of it stays in suspense."
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
