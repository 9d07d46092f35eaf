/** The shapes of providers in the operator API. */
import { Schema } from "effect"
import { providerOperations } from "../ports/Provider.ts"
import { describe } from "../input/schemas.ts"
import {
  amountOf,
  countryOf,
  currencyCodeOf,
  flagOf,
  idOf,
  networkOf,
  orNull,
  textOf,
  timeOf,
  transactionHashText,
  wordOf
} from "./members.ts"

const healths = { healthy: "it takes work", failing: "its circuit breaker is open on the node that responds" }
const nameBody = textOf("The first name that the provider had in this store, as its accounts have it.", "simulated")

const CostBody = Schema.Struct({
  fixed: amountOf("The fixed amount, in `currency`.", "0.50"),
  share: textOf("The share of the amount: `0.005` is half a percent.", "0.005")
}).annotate({ identifier: "ProviderCost", description: "What a provider charges." })

export const OfferBody = Schema.Struct({
  operation: wordOf(providerOperations, "What it does.", {
    payout: "pays out",
    conversion: "converts",
    payin: "takes the payments of onramps",
    issue: "issues addresses and accounts",
    directory: "lists banks and resolves accounts",
    screening: "screens beneficiaries",
    verification: "verifies customers"
  }),
  currency: orNull(currencyCodeOf("The currency; the source of a conversion. Null stands for every currency.")),
  destination_currency: orNull(
    currencyCodeOf("The destination of a conversion. Null stands for every currency.", "NGN")
  ),
  country_code: orNull(countryOf("The country, ISO 3166-1 alpha-2. Null stands for every country.")),
  network: orNull(networkOf("The network. Null stands for every network.")),
  minimum: orNull(amountOf("The smallest amount, in `currency`. Null: no limit.", "1.00")),
  maximum: orNull(amountOf("The largest amount, in `currency`. Null: no limit.", "1000000.00")),
  cost: describe(
    Schema.NullOr(CostBody),
    "What it charges, in `currency`: a fixed amount, and a share of the amount. Null: not configured."
  )
}).annotate({ identifier: "ProviderOffer", description: "A service of a provider. Null stands for everything." })

const FaultBody = Schema.Struct({
  at: timeOf("When it happened."),
  answer: textOf("What went wrong.", "timeout")
}).annotate({ identifier: "ProviderFault", description: "A failed reading of events." })

const ForeignAddressBody = Schema.Struct({
  external_account_id: idOf("xac", "The external account."),
  address: textOf("The address.", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
}).annotate({
  identifier: "ForeignAddress",
  description: "An address of an active external account that the provider does not have as its own."
})

export const ConfiguredProviderBody = Schema.Struct({
  name: textOf(
    "The first name that the provider had in this store: in the accounts of the ledger, in records and in metrics. It never changes.",
    "simulated"
  ),
  configured_name: textOf("Its name in the configuration.", "simulated"),
  names: describe(
    Schema.Array(Schema.String),
    "Every name of it in this store, the configured one first. Requests and `/providers/{name}/events` take each of them.",
    ["simulated"]
  ),
  simulated: flagOf("Whether it only simulates."),
  health: wordOf(["healthy", "failing"], "Whether it takes work.", healths),
  paused: flagOf("Whether a pause stops everything that goes to it.", false),
  priority: describe(Schema.Finite, "As configured; a lower number goes first. Default: 0.", 0),
  offers: describe(Schema.Array(OfferBody), "What it serves."),
  hot_wallet: orNull(
    textOf(
      "Of a chain: the address of its hot wallet, which also pays for gas. Null where it has none, or cannot say it now.",
      "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
    )
  ),
  foreign_addresses: describe(
    Schema.Array(ForeignAddressBody),
    "The addresses of its external accounts that are not its own, so that its statement is not of them.",
    []
  ),
  events: Schema.Struct({
    callbacks: flagOf("Whether it posts its events."),
    readable: flagOf("Whether its events are also read from it.", false),
    cursor: orNull(textOf("The events before it are committed. Null if none was read.", "evt_4182")),
    read_at: orNull(
      timeOf("When all events that there were had last been read from it. Null if it is not read, or was not yet.")
    ),
    last_block: describe(
      Schema.NullOr(
        Schema.Struct({
          number: textOf("Its number.", "24902211"),
          at: orNull(timeOf("The time of the block. Null if it is not known."))
        }).annotate({ identifier: "LastBlock", description: "The last final block that was read." })
      ),
      "Of a chain that is read by blocks: the last final block that was read. A deposit in a later one is not seen yet. Null elsewhere."
    ),
    rescan: orNull(
      textOf(
        "What `corridor rescan` has still to read again. Null: nothing.",
        "blocks 24810000 to 24902211 are still to be read again"
      )
    ),
    last_fault: describe(
      Schema.NullOr(FaultBody),
      "Why the last reading failed, or why an event waits. Null if the last reading succeeded and no event waits."
    )
  }).annotate({ identifier: "ProviderEvents", description: "How its events arrive." })
}).annotate({ identifier: "ConfiguredProvider", description: "A provider of the configuration." })
export type ConfiguredProviderBody = typeof ConfiguredProviderBody.Type

/** A provider that would serve a request, with what the policy of the routing decides on. */
export const RouteBody = Schema.Struct({
  provider: nameBody,
  priority: describe(Schema.Finite, "As configured; a lower number goes first.", 0),
  cost: amountOf("What it would charge, in the currency of the request.", "0.50"),
  health: wordOf(["healthy", "failing", "paused"], "Whether it takes work.", {
    ...healths,
    paused: "a pause stops it"
  })
}).annotate({ identifier: "Route", description: "A provider that would serve the request. The first takes it." })
export type RouteBody = typeof RouteBody.Type

export const ProviderBalancesBody = Schema.Struct({
  provider: nameBody,
  balances: describe(
    Schema.Array(
      Schema.Struct({
        currency: currencyCodeOf("The currency of the balance."),
        network: orNull(networkOf("The network of the balance. Null if it is not tied to one.")),
        available: amountOf("What it can pay out.", "25000.00"),
        pending: amountOf("On its way in or out.", "120.00")
      }).annotate({ identifier: "ProviderBalance", description: "A balance that a provider states." })
    ),
    "The balances that the provider states, now."
  )
}).annotate({ identifier: "ProviderBalances", description: "The platform's money at a provider." })

export const StatementBody = Schema.Struct({
  provider: nameBody,
  lines: describe(
    Schema.Array(
      Schema.Struct({
        id: textOf("The provider's id of the line.", "line_8812"),
        booked_at: timeOf("When the provider booked it."),
        direction: wordOf(["credit", "debit"], "Whether it came in or went out.", {
          credit: "it came in",
          debit: "it went out"
        }),
        amount: amountOf("The amount, in `currency`.", "147753.75"),
        currency: currencyCodeOf("The currency of the line.", "NGN"),
        command_id: orNull(
          textOf(
            "The command that it belongs to, if the provider knows it. Null if not.",
            "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3.payout"
          )
        ),
        payin_id: orNull(
          textOf("The pay-in that it belongs to. Null without one.", "payin_01j9z3k4m5n6p7q8r9s0t1v2w3")
        ),
        provider_reference: orNull(textOf("The provider's own reference. Null without one.", "FT26031XK92")),
        transaction_hash: orNull(transactionHashText("The hash of the payment on its network. Null without one.")),
        narration: orNull(textOf("The text of the payment. Null without one.", "Invoice 77"))
      }).annotate({ identifier: "StatementLine", description: "A line of a statement." })
    ),
    "The lines, oldest first."
  ),
  unreadable: describe(
    Schema.Array(Schema.String),
    "What stands among the lines and is not readable, each as JSON text. Ask the provider about it.",
    []
  ),
  cursor: orNull(textOf("Pass it as `after` to read on. Null at the end.", "line_8812"))
}).annotate({ identifier: "ProviderStatement", description: "A page of a provider's statement." })
