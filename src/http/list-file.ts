/** Lists as CSV files: all rows that match, read and sent page by page (CSV-1). */
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { CallOutcome, CallRequest, Execute } from "../engine/calls/executor.ts"
import { type Listed, NeedsTotal } from "../engine/calls/list.ts"
import { type AnyOperation, formatNameOf } from "../engine/calls/operation.ts"
import { csvColumnsOf, csvHeader, csvLines } from "../engine/input/csv.ts"
import { pagesOf, perPageMax, type ReadPage, type ReadQuery } from "../engine/input/list-pages.ts"
import type { Warning } from "../engine/input/validation.ts"
import { field, InvalidInput, invalid } from "../engine/ports/errors.ts"

export const ROWS_MAX = 100_000

const csvType = "text/csv"

/** Whether the media type comes before JSON in what a client accepts (RFC 9110, 12.5.1): no other list of types asks for a file. */
export const prefersCsv = (accept: string | undefined): boolean => {
  const types = (accept ?? "").split(",").map((one) =>
    one
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
  )
  const weightOf = (type: string): number => {
    const found = types.find(([name]) => name === type)
    return found === undefined ? 0 : Number(found.find((one) => one.startsWith("q="))?.slice(2) ?? 1)
  }
  return weightOf(csvType) > 0 && weightOf(csvType) > weightOf("application/json")
}

/** The format that a request for a list asks for; `undefined` for a word that is none. */
export const formatOf = (given: unknown, accept: string | undefined): "json" | "csv" | undefined => {
  if (given === undefined) return prefersCsv(accept) ? "csv" : "json"
  return given === "csv" || given === "json" ? given : undefined
}

export const unknownFormat = (name: string, given: unknown): InvalidInput => {
  const message = `${name} is ${JSON.stringify(given)}; it takes json or csv.`
  return new InvalidInput(field(name, Array.isArray(given) ? "invalid_type" : "invalid_value", message))
}

/** A page that could not be read, after the beginning of the file was sent: the connection ends, and the file is no whole one. */
class PageLost extends Error {
  override readonly name = "PageLost"
}

export interface ListFileRequest {
  readonly operation: AnyOperation
  /** The query of the list, without its format and page. */
  readonly query: ReadQuery
  readonly execute: Execute
  /** The request of a page: its query, and what receives the page, with the warnings about the query. */
  readonly requestOf: (
    query: ReadQuery,
    receive: (page: Listed<unknown>, warnings: ReadonlyArray<Warning>) => void
  ) => CallRequest
}

/**
 * The file of a list, or why there is none: the outcome of a call that was refused, or the refusal of a list that is too long. Its first page
 * is read before, so that a refusal has its status and its envelope. A page that fails afterwards breaks the response off: half a file never
 * looks like a whole one.
 */
export const listFile = ({ execute, operation, query, requestOf }: ListFileRequest) =>
  Effect.gen(function* () {
    const columns = csvColumnsOf(operation.output)
    const read = (of: ReadQuery) =>
      Effect.suspend(() => {
        let found: Listed<unknown> | undefined
        let warned: ReadonlyArray<Warning> = []
        const request = requestOf(of, (page, warnings) => {
          found = page
          warned = warnings
        })
        return Effect.map(execute(request), (outcome) => ({ outcome, page: found, warnings: warned }))
      })
    const first = yield* read({ ...query, page: 1, per_page: perPageMax })
    if (first.outcome._tag !== "Completed" || first.page === undefined) return first.outcome
    if (first.page.total > ROWS_MAX)
      return invalid(
        formatNameOf(operation),
        `${first.page.total} rows match, and a file has at most ${ROWS_MAX}. Narrow them by the filters of the list.`
      )
    const run = Effect.runPromiseWith(yield* Effect.context())
    let begun: Listed<unknown> | undefined = first.page
    const readPage = async (of: ReadQuery): Promise<ReadPage<unknown>> => {
      const page = begun ?? (await run(Effect.provideService(read(of), NeedsTotal, false))).page
      begun = undefined
      if (page === undefined) throw new PageLost(`${operation.id}: a page of the file could not be read`)
      return { ...page, has_more: page.page * page.per_page < page.total }
    }
    const lines = async function* (): AsyncGenerator<string> {
      yield csvHeader(columns)
      const isDated =
        query.order === undefined &&
        operation.input?.ast._tag === "Objects" &&
        operation.input.ast.propertySignatures.some(({ name }) => name === "created_before")
      for await (const { items } of pagesOf(query, isDated, readPage))
        if (items.length > 0) yield csvLines(columns, items)
    }
    const body = Stream.encodeText(Stream.fromAsyncIterable(lines(), (error) => error))
    return { body, warnings: first.warnings } satisfies ListFile
  })

/** A file, as it is sent, with the warnings about what asked for it. */
export interface ListFile {
  readonly body: Stream.Stream<Uint8Array, unknown>
  readonly warnings: ReadonlyArray<Warning>
}

export const isOutcome = (made: object): made is CallOutcome => "_tag" in made && "text" in made

/** The header in which a file has what a page has in `meta.warnings`: JSON in ASCII. */
const WARNINGS_HEADER = "x-warnings"

/** The response of a file that is sent as it is read. */
export const csvResponse = ({ body, warnings }: ListFile, request_id: string) =>
  HttpServerResponse.stream(body, {
    contentType: `${csvType}; charset=utf-8`,
    headers: {
      "x-request-id": request_id,
      "cache-control": "no-store",
      ...(warnings.length === 0
        ? {}
        : {
            [WARNINGS_HEADER]: JSON.stringify(warnings).replace(
              /[^ -~]/g,
              (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`
            )
          })
    }
  })
