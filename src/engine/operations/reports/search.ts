import { list, section, type Sections } from "../../calls/operation.ts"
import { OwnSearch, Search, Searches } from "../../reports/search.ts"
import { FoundBody, OwnFoundBody } from "../../representations/search.ts"
import { operatorGroup, type Registration } from "../registration.ts"

const operations = {
  merchant: section(
    { id: "search", title: "Search", description: "Resources by what a person knows of them." },
    {
      /** Resources of the merchant by what a person knows of them. */
      search: list(
        "listOwnSearchResults",
        "/v1/search",
        {
          summary: "Search your resources",
          description:
            "Finds customers, senders, beneficiaries, wallets, deposit addresses, batches, movements and deposits by id, reference, transaction hash, the last four characters of an account, address, name, email address and amount (`100`, `100.00`, `100 USDC`). Names and email addresses match from three characters on, everything else matches as a whole. The best 1,000 results are counted and returned.",
          input: OwnSearch,
          output: OwnFoundBody
        },
        ({ call, input }) => Searches.use((s) => s.own(call, input))
      )
    }
  ),
  operator: section(operatorGroup, {
    /** Resources of all merchants by what a person knows of them. */
    search: list(
      "listSearchResults",
      "/operator/v1/search",
      {
        summary: "Search the resources of all merchants",
        description: [
          "Finds resources by id (also of an event or a transaction), reference, provider's reference, transaction hash, the last",
          "four characters of an account, address, name, email address and amount (`100`, `100.00`, `100 USDC`). Letters match in",
          "either case and with or without accents. Names and email addresses match from three characters on, names from any of",
          "their words; everything else matches as a whole. Ordered by what matched: id, references and hashes, accounts, names",
          "and email addresses, amounts; then newest first. The best 1,000 results are counted and returned."
        ].join(" "),
        input: Search,
        output: FoundBody
      },
      ({ input }) => Searches.use((s) => s.search(input))
    )
  })
} as const satisfies Sections

export const search = { layer: Searches.layer, operations } satisfies Registration
