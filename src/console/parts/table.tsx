/** Tables, and lists that page on the server. */
import type { ComponentChildren } from "preact"
import { useLocation } from "preact-iso"
import type { Answer } from "../frame/api.ts"
import { formatNumber, t } from "../frame/language.ts"
import { type UrlMembers, queryOf } from "../frame/base.ts"
import { type LoadedAnswer, type LoadOptions, useLoad } from "../frame/load.ts"
import { useQuery } from "../frame/location.ts"
import { Download } from "./file.tsx"
import { Empty, Show } from "./states.tsx"

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers and amounts are aligned right. */
  readonly align?: "right"
}

export interface TableProps<Row> {
  /** What the table lists, for people who do not see it. */
  readonly caption: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  /** Shown instead of a table without rows: a title, and words below it. */
  readonly empty?: readonly [title: string, words?: ComponentChildren]
  /** What tells a row from the others. Default: its id, or all that it is. */
  readonly keyOf?: (row: Row) => string
}

const findClass = ({ align }: Column<never>): string | undefined => (align === "right" ? "number" : undefined)

const makeRowKey = (row: unknown): string => (row as { readonly id?: string }).id ?? JSON.stringify(row)

export const TableView = <Row,>({ caption, columns, rows, empty, keyOf = makeRowKey }: TableProps<Row>) =>
  empty !== undefined && rows.length === 0 ? (
    <Empty title={empty[0]}>{empty[1]}</Empty>
  ) : (
    // A table that is wider than the screen is scrolled, by keyboard too. On a phone each row is a card.
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table class="cards">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={findClass(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.title} class={findClass(column)} data-title={column.title}>
                  {column.cell(row) ?? <span class="dim">—</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )

export interface ListProps<Row> extends Omit<TableProps<Row>, "rows" | "empty">, LoadOptions {
  /** The path of the API that lists: `/operator/v1/movements`. */
  readonly path: string
  /** Filters sent to the API beside the page. */
  readonly query?: UrlMembers
  /** Shown when nothing matches: a title, and words below it. */
  readonly empty: readonly [title: string, words: ComponentChildren]
  readonly perPage?: number
  /** Receives what was loaded, for what is read after it. */
  readonly children?: (loaded: LoadedAnswer<ReadonlyArray<Row>>) => void
  /** The member of the URL's query that holds the page. Two lists on one page need two. */
  readonly pageName?: string
}

/** Makes the name of a table's file from its caption. */
const makeFileName = (caption: string): string =>
  caption
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(",")[0]!
    .replaceAll(/[^a-z0-9]+/g, "-")

/** A list of the API, one page at a time. The page is in the URL. */
export const ListView = <Row,>({
  path,
  query = {},
  empty,
  every,
  perPage = 20,
  children,
  pageName = "page",
  ...table
}: ListProps<Row>) => {
  const url = useQuery()
  const page = url.query[pageName] ?? "1"
  const loaded = useLoad<ReadonlyArray<Row>>(path + queryOf({ ...query, page, per_page: perPage }), { every })
  children?.(loaded)
  return (
    <Show of={loaded} rows={6}>
      {(data, meta) =>
        data.length === 0 && meta.total !== undefined && meta.total > 0 ? (
          <Empty title={t("This page has nothing more")}>
            <PageLink page={1} name={pageName}>
              {t("To the first page")}
            </PageLink>
          </Empty>
        ) : (
          <>
            <TableView {...table} rows={data} empty={empty} />
            {data.length > 0 && (
              <Pager meta={meta} name={pageName} count={data.length} of={table.caption}>
                <Download
                  path={path}
                  query={{ ...query, format: "csv" }}
                  name={`${makeFileName(table.caption)}.csv`}
                  isLink
                >
                  {t("CSV")}
                </Download>
              </Pager>
            )}
          </>
        )
      }
    </Show>
  )
}

const PageLink = ({
  page,
  name,
  rel,
  isThere = true,
  children
}: {
  readonly page: number
  readonly name: string
  readonly rel?: "prev" | "next"
  /** Whether there is such a page. */
  readonly isThere?: boolean
  readonly children: ComponentChildren
}) => {
  const { path, query } = useLocation()
  return isThere ? (
    <a rel={rel} href={path + queryOf({ ...query, [name]: page === 1 ? undefined : page })}>
      {children}
    </a>
  ) : (
    <span class="dim">{children}</span>
  )
}

const Pager = ({
  meta,
  name,
  count,
  of,
  children
}: {
  /** The way to the whole list as a file. */
  readonly children: ComponentChildren
  readonly meta: Answer<unknown>["meta"]
  readonly name: string
  readonly count: number
  /** The caption of the table. */
  readonly of: string
}) => {
  const { page = 1, per_page = count, total, has_more = false } = meta
  const first = (page - 1) * per_page + 1
  return (
    <nav class="pager" aria-label={t("Pages of {of}", { of })}>
      <span>
        {total === undefined
          ? `${formatNumber(first)}–${formatNumber(first + count - 1)}`
          : t("{first}–{last} of {total}", { first, last: first + count - 1, total })}
      </span>
      <PageLink page={page - 1} name={name} rel="prev" isThere={page > 1}>
        {t("Previous")}
      </PageLink>
      <PageLink page={page + 1} name={name} rel="next" isThere={has_more}>
        {t("Next")}
      </PageLink>
      {children}
    </nav>
  )
}
