/** The shapes of providers in the operator API. */
import { Schema } from "effect"
import { providerOperations } from "../ports/Provider.ts"
import { timestampBody } from "./shared.ts"

const absent = Schema.NullOr(Schema.String)

export const ProviderBody = Schema.Struct({
  name: Schema.String.annotate({ description: "As in `/providers/{name}/events`, and in the accounts of the ledger." }),
  simulated: Schema.Boolean,
  health: Schema.Literals(["healthy", "failing"]).annotate({
    description: "`failing`: its circuit breaker is open on the node that responds."
  }),
  paused: Schema.Boolean.annotate({ description: "A brake stops everything that goes to it." }),
  priority: Schema.Finite.annotate({ description: "As configured; a lower number goes first. Default: 0." }),
  offers: Schema.Array(
    Schema.Struct({
      operation: Schema.Literals(providerOperations),
      currency: absent,
      destination_currency: absent,
      country_code: absent,
      network: absent,
      minimum: absent,
      maximum: absent,
      cost: Schema.NullOr(Schema.Struct({ fixed: Schema.String, share: Schema.String })).annotate({
        description: "What it charges, in `currency`: a fixed amount, and a share of the amount."
      })
    })
  ).annotate({ description: "What it serves. Null stands for everything." }),
  events: Schema.Struct({
    callbacks: Schema.Boolean,
    readable: Schema.Boolean,
    cursor: absent.annotate({ description: "The events before it are committed." }),
    last_fault: Schema.NullOr(Schema.Struct({ at: timestampBody, answer: Schema.String }))
  })
}).annotate({ identifier: "ConfiguredProvider" })
export type ProviderBody = typeof ProviderBody.Type

/** A provider that would serve a request, with what the policy of the routing decides on. */
export const RouteBody = Schema.Struct({
  provider: Schema.String,
  priority: Schema.Finite,
  cost: Schema.String.annotate({ description: "What it would charge, in the currency of the request." }),
  health: Schema.Literals(["healthy", "failing", "paused"])
}).annotate({ identifier: "Route" })
export type RouteBody = typeof RouteBody.Type

export const ProviderBalancesBody = Schema.Struct({
  provider: Schema.String,
  balances: Schema.Array(
    Schema.Struct({
      currency: Schema.String,
      network: absent,
      available: Schema.String,
      pending: Schema.String.annotate({ description: "On its way in or out." })
    })
  )
}).annotate({ identifier: "ProviderBalances" })

export const StatementBody = Schema.Struct({
  provider: Schema.String,
  lines: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      booked_at: timestampBody,
      direction: Schema.Literals(["credit", "debit"]),
      amount: Schema.String,
      currency: Schema.String,
      command_id: absent.annotate({ description: "The command that it belongs to, if the provider knows it." }),
      payin_id: absent,
      provider_reference: absent,
      transaction_hash: absent,
      narration: absent
    })
  ),
  cursor: absent.annotate({ description: "Pass it as `after` to read on." })
}).annotate({ identifier: "ProviderStatement" })
