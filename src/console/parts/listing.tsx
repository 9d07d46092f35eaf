/** A list with its filters, as a part of a page or as a whole one. */
import type { ComponentChildren } from "preact"
import type { UrlMembers } from "../frame/base.ts"
import { t } from "../frame/language.ts"
import { useQuery } from "../frame/location.ts"
import { findDayEnd, findDayStart, type Filter, Filters } from "./filters.tsx"
import { Card, Page, type PageProps } from "./page.tsx"
import { ListView, type ListProps } from "./table.tsx"

/** Makes the API's query from the filters in the URL. */
const makeFilterQuery = (filters: ReadonlyArray<Filter>, inUrl: Readonly<Record<string, string>>): UrlMembers =>
  Object.fromEntries(
    filters.map(({ name, type }) => {
      if (type !== "date") return [name, inUrl[name]]
      return name === "from"
        ? ["created_after", findDayStart(inUrl[name])]
        : ["created_before", findDayEnd(inUrl[name])]
    })
  )

export interface ListingProps<Row> extends ListProps<Row> {
  /** Each is sent to the API under its name; dates, which are called `from` and `until`, as times of creation. */
  readonly filters?: ReadonlyArray<Filter>
  /** The title of what is shown instead where something is filtered. */
  readonly unmatched?: string
  /** What is shown between the filters and the list, for the query of both. */
  readonly above?: (query: UrlMembers) => ComponentChildren
}

/** A list with its filters. `query`: sent beside the filters, or in place of one. */
export const Listing = <Row,>({ filters = [], query, empty, unmatched, above, ...list }: ListingProps<Row>) => {
  const inUrl = useQuery().query
  const isFiltered = filters.some(({ name }) => inUrl[name] !== undefined)
  const asked = { ...makeFilterQuery(filters, inUrl), ...query }
  return (
    <>
      {filters.length > 0 && <Filters of={filters} />}
      {above?.(asked)}
      <Card flush>
        <ListView<Row>
          {...list}
          query={asked}
          empty={isFiltered && unmatched !== undefined ? [unmatched, t("Change or clear the filters.")] : empty}
        />
      </Card>
    </>
  )
}

interface ListPageProps<Row> extends Omit<PageProps, "children">, Omit<ListingProps<Row>, "caption"> {
  /** What the table is called. Default: the title of the page. */
  readonly caption?: string
}

/** A page that is a list. */
export const ListPage = <Row,>({ title, caption = title, heading, lead, actions, ...listing }: ListPageProps<Row>) => (
  <Page title={title} heading={heading} lead={lead} actions={actions}>
    <Listing<Row> caption={caption} {...listing} />
  </Page>
)
