/** What the SQL store asks of a driver, and what a driver's errors mean. */
import type { Effect } from "effect"
import { StorageFault } from "../../../engine/ports/errors.ts"
import type { Storage } from "../../../engine/ports/Storage.ts"
import type { Turns } from "./queue.ts"

export type SqlRow = Readonly<Record<string, unknown>>

export type SqlAsk = (
  text: string,
  params: ReadonlyArray<string | number | null>
) => Effect.Effect<ReadonlyArray<SqlRow>, StorageFault>

/** Whose clock measures leases: the database server's, or the caller's, which is then also the store's. */
export type LeaseClock = "server" | "caller"

/**
 * The interface of a driver.
 *
 * `query` runs one statement outside any transaction. Parameters are texts or null, each bound as `$n::text`. It
 * rejects with an error whose `code` is the SQLSTATE or the driver's own code. `commit` does the same for commits, and
 * does not wait for a `query` when there are several connections. `hint` tells other nodes that a job may be due; it
 * never rejects, and may do nothing. `watch` calls back for hints of other nodes.
 */
export interface Sql {
  readonly query: (text: string, params: ReadonlyArray<string | null>) => Promise<ReadonlyArray<SqlRow>>
  readonly commit: Sql["query"]
  readonly hint: () => void
  readonly watch: Storage["Service"]["watch"]
  readonly clock: LeaseClock
  /** Number of concurrent statements of each kind. */
  readonly concurrency: { readonly commits: number; readonly reads: number }
  /** The turns of each kind, where the stores of several schemas share them. */
  readonly turns?: { readonly commits: Turns; readonly reads: Turns }
}

export const readErrorCode = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : ""

/** Whether an error code says that the statement lost a race with another session: it may be repeated. */
export const isRaceCode = (code: string): boolean => code === "40001" || code === "40P01" || code === "23505"

/** An SQLSTATE. No SQLSTATE class begins with E; a socket error may have five letters too (`EPIPE`). */
export const sqlState = /^[0-9A-DF-Z][0-9A-Z]{4}$/
/**
 * Transient classes: connection, resources, operator intervention, snapshot too old, system, read-only server (a
 * standby).
 */
const passing = /^(08|53|57|58|40|55P03|25006)/

/** Describes a driver error. A host with several addresses has an error for each, and none of its own. */
const describeDriverError = (error: unknown): string =>
  error instanceof AggregateError && error.message === ""
    ? error.errors.map(describeDriverError).join(", ")
    : error instanceof Error
      ? error.message
      : String(error)

/** Classifies a driver error. Every error without an SQLSTATE is a connection error. */
export const toFault = (error: unknown): StorageFault => {
  const code = readErrorCode(error)
  const message = describeDriverError(error)
  const retryable = code !== "" && (!sqlState.test(code) || passing.test(code) || isRaceCode(code))
  return new StorageFault({
    message: message.includes(code) ? message : `${code}: ${message}`,
    retryable,
    cause: error
  })
}

/** Whether the schema rejected a value: the Change is then a defect of the code that made it. */
export const isRejectedValue = (code: string): boolean => code.startsWith("22") || code.startsWith("23")

const ATTEMPTS = 8

/** Repeats a statement that lost a race with another session, at most `ATTEMPTS` times. */
export const retryRaces = async <A>(run: () => Promise<A>): Promise<A> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt >= ATTEMPTS || !isRaceCode(readErrorCode(error))) throw error
    }
  }
}
