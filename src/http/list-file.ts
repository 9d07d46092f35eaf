/** Lists as CSV files: all rows that match, read and sent page by page (CSV-1). */
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { CallOutcome, CallRequest, Execute } from "../engine/calls/executor.ts"
import { type Listed, NeedsTotal } from "../engine/calls/list.ts"
import { type AnyOperation, formatNameOf } from "../engine/calls/operation.ts"
import { listCsvColumns, formatCsvHeader, formatCsvLines } from "../engine/input/csv.ts"
import { readPages, perPageMax, type ReadPage, type ReadQuery } from "../engine/input/list-pages.ts"
import type { Warning } from "../engine/input/validation.ts"
import { makeFieldRefusal, InvalidInput, invalid } from "../engine/ports/errors.ts"

export const ROWS_MAX = 100_000

const csvType = "text/csv"

/** Whether a client prefers CSV to JSON (RFC 9110, 12.5.1), by the order in `Accept`: no other media type means a file. */
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

/** Chooses the format of a list; `undefined` for an unknown name. */
export const chooseFormat = (given: unknown, accept: string | undefined): "json" | "csv" | undefined => {
  if (given === undefined) return prefersCsv(accept) ? "csv" : "json"
  return given === "csv" || given === "json" ? given : undefined
}

export const refuseFormat = (name: string, given: unknown): InvalidInput => {
  const message = `${name} is ${JSON.stringify(given)}; it takes json or csv.`
  return new InvalidInput(makeFieldRefusal(name, Array.isArray(given) ? "invalid_type" : "invalid_value", message))
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
 * Makes the file of a list, or its refusal: that of a call, or of a list that is too long. The first page is read beforehand, so that a
 * refusal has its status and its envelope. If a later page fails, the response is aborted: an incomplete file never looks complete.
 */
export const makeListFile = ({ execute, operation, query, requestOf }: ListFileRequest) =>
  Effect.gen(function* () {
    const columns = listCsvColumns(operation.output)
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
      yield formatCsvHeader(columns)
      const isDated =
        query.order === undefined &&
        operation.input?.ast._tag === "Objects" &&
        operation.input.ast.propertySignatures.some(({ name }) => name === "created_before")
      for await (const { items } of readPages(query, isDated, readPage))
        if (items.length > 0) yield formatCsvLines(columns, items)
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

/** Makes the response of a file that is sent while it is read. */
export const makeCsvResponse = ({ body, warnings }: ListFile, request_id: string) =>
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
