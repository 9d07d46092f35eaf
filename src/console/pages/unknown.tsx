/** What to do about a hash, an address or an id that nothing has: watch, read again, or whom to ask. */
import { isOperator } from "../frame/session.ts"
import type { ConfiguredProvider, Transaction } from "../../client/generated/resources.ts"
import { rich, t } from "../frame/language.ts"
import { useLoad } from "../frame/load.ts"
import { Show } from "../parts/states.tsx"
import { TableView } from "../parts/table.tsx"
import { Ago } from "../parts/time.tsx"
import { LastFault, makeProviderUrl } from "./platform/providers.tsx"

/** Lists the networks on which a provider takes deposits. An offer without a network takes them on all. */
const listNetworks = ({ offers }: ConfiguredProvider): ReadonlyArray<string> => [
  ...new Set(offers.flatMap(({ network, operation }) => (operation === "payin" ? [network ?? t("any")] : [])))
]

/** Up to which block each chain was read. */
const ChainReadings = () => {
  const providers = useLoad<ReadonlyArray<ConfiguredProvider>>("/operator/v1/providers?per_page=200", { every: 15 })
  return (
    <Show of={providers}>
      {(all) => (
        <TableView
          caption={t("Up to where deposits were read")}
          rows={all.filter((one) => listNetworks(one).length > 0)}
          keyOf={({ name }) => name}
          columns={[
            { title: t("Network"), cell: (one) => listNetworks(one).join(", ") },
            { title: t("Provider"), cell: ({ name }) => <a href={makeProviderUrl(name)}>{name}</a> },
            {
              title: t("Last block read"),
              cell: ({ events: { last_block } }) =>
                last_block === null ? null : (
                  <>
                    {last_block.number}
                    {last_block.at !== null && (
                      <div class="dim">{rich("of {ago}", { ago: <Ago at={last_block.at} /> })}</div>
                    )}
                  </>
                )
            },
            {
              title: t("Last read"),
              cell: ({ events: { callbacks, last_fault, read_at, rescan } }) => (
                <>
                  {read_at !== null ? <Ago at={read_at} /> : callbacks ? t("It posts what happens") : t("Never")}
                  <LastFault of={last_fault} />
                  {rescan !== null && <div class="dim">{rescan}</div>}
                </>
              )
            }
          ]}
          empty={[t("No provider takes deposits")]}
        />
      )}
    </Show>
  )
}

/** The newest deposit from a chain: blocks were read at least up to its time. A merchant cannot know more. */
const NewestDeposit = () => {
  const { answer } = useLoad<ReadonlyArray<Transaction>>("/v1/transactions?type=deposit&per_page=50", { every: 15 })
  const newest = answer.value?.data.find(({ transaction_hash }) => transaction_hash !== null)
  return newest === undefined ? null : (
    <li>
      {rich("Your newest deposit from a chain was seen {ago}: blocks were read until then at least.", {
        ago: <Ago at={newest.created_at} />
      })}
    </li>
  )
}

export const UnknownHelp = ({ what }: { readonly what: string }) => {
  if (what === "id")
    return (
      <ul class="next">
        <li>
          {t("Compare the id with where it comes from: it must be whole, and of this environment (test or live).")}
        </li>
        <li>
          {isOperator()
            ? t("Ask its sender for the reference, the amount or the recipient, and search for that.")
            : t(
                "It may be of another account: ask its sender for the reference, and search for that. Your operator can look over all accounts."
              )}
        </li>
      </ul>
    )
  return (
    <>
      <ul class="next">
        <li>
          {t("Watch: a deposit is seen when its block is final and was read. This page looks again every 15 seconds.")}
        </li>
        <li>
          {t(
            "Search for the address that was paid: it must be an address of a wallet here, on that network, and the token must be one that the wallet takes."
          )}
        </li>
        {isOperator() ? (
          <>
            <li>
              {rich(
                "If its block is not later than the last one read, have the blocks read again: {code}. What is booked stays as it is.",
                { code: <code>corridor rescan --provider NAME --from BLOCK</code> }
              )}
            </li>
            <li>
              {t("Where a company holds the address, ask its support with the hash, the network and the amount.")}
            </li>
          </>
        ) : (
          <>
            <NewestDeposit />
            <li>
              {t(
                "If it is final for more than an hour, ask your operator with the hash, the network and the amount: the operator sees the last block read, and has blocks read again."
              )}
            </li>
          </>
        )}
      </ul>
      {isOperator() && <ChainReadings />}
    </>
  )
}
