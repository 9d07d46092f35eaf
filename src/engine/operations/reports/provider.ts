import { Layer, Schema } from "effect"
import { get, list, section, type Sections } from "../../calls/operation.ts"
import { describe, paging } from "../../input/schemas.ts"
import { Executions } from "../../resources/movements/executions.ts"
import { ProviderReports, ReadRoutes, ReadStatement } from "../../reports/providers.ts"
import {
  ProviderBalancesBody,
  ConfiguredProviderBody,
  RouteBody,
  StatementBody
} from "../../representations/provider.ts"
import type { Registration } from "../registration.ts"

const named = {
  provider: describe(
    Schema.String,
    "A name of the provider: that of the configuration, or an earlier one.",
    "simulated"
  )
}

const operations = {
  operator: section(
    {
      id: "operatorProviders",
      title: "Operator: providers",
      description: "The configured providers: what they serve, whether they answer, and what they hold."
    },
    {
      providers: {
        list: list(
          "listConfiguredProviders",
          "/operator/v1/providers",
          { summary: "List the configured providers", input: Schema.Struct(paging), output: ConfiguredProviderBody },
          ({ input }) => ProviderReports.use((s) => s.list(input))
        ),
        routes: list(
          "listRoutes",
          "/operator/v1/routes",
          {
            summary: "List the providers that would serve a request",
            description:
              "In the order in which they would be asked now. Default `operation`: payout. Any other member that is left out is not known, and matches every offer.",
            input: ReadRoutes,
            output: RouteBody
          },
          ({ input }) => ProviderReports.use((s) => s.routes(input))
        ),
        balances: get(
          "getProviderBalances",
          "/operator/v1/providers/:provider/balances",
          {
            summary: "Get what the platform has at a provider",
            params: named,
            output: ProviderBalancesBody,
            refusals: ["invalid_input", "external_service_unavailable"]
          },
          ({ params }) => ProviderReports.use((s) => s.balances(params.provider))
        ),
        statement: get(
          "getProviderStatement",
          "/operator/v1/providers/:provider/statement",
          {
            summary: "Read a provider's statement",
            description:
              "The lines after a cursor, oldest first. Compare their `command_id` with the history of the resource.",
            params: named,
            input: ReadStatement,
            output: StatementBody,
            refusals: ["invalid_input", "external_service_unavailable"]
          },
          ({ input, params }) => ProviderReports.use((s) => s.statement(params.provider, input))
        )
      }
    }
  )
} as const satisfies Sections

export const providerReports = {
  layer: Layer.mergeAll(ProviderReports.layer, Executions.layer),
  operations
} satisfies Registration
