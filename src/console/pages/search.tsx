/** What a search found: over all merchants, or of the merchant who is signed in. */
import { isOperator } from "../frame/session.ts"
import type { OwnSearchResult, SearchResult } from "../../client/generated/resources.ts"
import { useLocation } from "preact-iso"
import { rich, t } from "../frame/language.ts"
import { to } from "../frame/base.ts"
import { partOf } from "../frame/later.tsx"
import { useQuery } from "../frame/location.ts"
import { createdColumn, merchantColumn, statusColumn } from "../parts/columns.tsx"
import { byMerchant } from "../parts/filters.tsx"
import { Id, findPageUrl } from "../parts/id.tsx"
import { Listing } from "../parts/listing.tsx"
import { Money } from "../parts/money.tsx"
import { Page } from "../parts/page.tsx"
import { Empty } from "../parts/states.tsx"
import { words } from "../parts/text.ts"

const kinds = ["offramp", "onramp", "conversion", "transfer", "deposit", "customer", "beneficiary"]

const Unknown = partOf(
  () => import("./desk.ts"),
  ({ desk }) => desk.Unknown
)

/** Recognises a text that somebody copied: an id, or an address or hash of a chain. Undefined: it is words. */
const recogniseText = (text: string): string | undefined =>
  /^[a-z]{2,7}_[0-9a-z]{26}$/i.test(text)
    ? "id"
    : /^(?:0x(?:[0-9a-f]{40}|[0-9a-f]{64})|(?=.*\d)[1-9A-HJ-NP-Za-km-z]{32,88})$/i.test(text)
      ? t("hash or address")
      : undefined

/** A result of an operator's search, or of a merchant's. */
type Found = OwnSearchResult & Partial<SearchResult>

const findHitUrl = ({ id, kind }: Found): string | null =>
  kind === "customer" ? to(`/customers/${id}`) : findPageUrl(id)

/** Whether the text is the whole id or reference of a hit: its page is then opened instead of the results. */
const isExactHit = ({ id, matched, title }: Found, text: string): boolean =>
  id === text || (title === text && matched.some((how) => how === "reference"))

const searchable = t("Search by id, reference, transaction hash, last four of an account, name, email or amount.")

export const SearchPage = () => {
  const { query } = useQuery()
  const { route } = useLocation()
  const q = query["q"]?.trim() ?? ""
  const what = recogniseText(q)
  return (
    <Page title={q === "" ? t("Search") : t("Results for “{q}”", { q })} lead={q === "" ? searchable : undefined}>
      {q.length < 2 ? (
        <Empty title={t("Enter at least two characters")}>
          {rich("Press {key} to go to the search field.", { key: <kbd>/</kbd> })}
        </Empty>
      ) : (
        <Listing<Found>
          filters={[
            { name: "kind", label: t("Kind"), options: isOperator() ? [...kinds, "exception"] : kinds },
            ...(isOperator() ? [byMerchant] : [])
          ]}
          path={isOperator() ? "/operator/v1/search" : "/v1/search"}
          query={{ q }}
          caption={t("Results")}
          {...(what === undefined
            ? { empty: [t("Nothing matches"), searchable] as const }
            : { every: 15, empty: [t("Nothing here has this {what}", { what }), <Unknown what={what} />] as const })}
          columns={[
            {
              title: t("Result"),
              cell: (row) => (
                <>
                  {findHitUrl(row) === null ? row.title : <a href={findHitUrl(row)!}>{row.title}</a>}
                  <br />
                  <span class="dim">{words(row.kind)}</span> <Id id={row.id} href={findHitUrl(row)} brief />
                  {row.customer_name !== null && row.customer_name !== row.title && <> · {row.customer_name}</>}
                </>
              )
            },
            statusColumn,
            {
              title: t("Amount"),
              align: "right",
              cell: (row) => (row.amount === null ? "" : <Money amount={row.amount} currency={row.currency} />)
            },
            { title: t("Matched"), cell: (row) => row.matched.map(words).join(", ") },
            ...(isOperator() ? [merchantColumn] : []),
            createdColumn
          ]}
        >
          {({ answer: { value } }) => {
            const [exact, another] = (value?.data ?? []).filter((one) => isExactHit(one, q))
            const page = exact === undefined || another !== undefined ? null : findHitUrl(exact)
            if (page !== null) queueMicrotask(() => route(page, true))
          }}
        </Listing>
      )}
    </Page>
  )
}
