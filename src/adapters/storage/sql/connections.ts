/**
 * Connections to a Postgres server through postgres.js. Each connection runs one statement at a time, with a timeout:
 * without one, a half-open connection would block until TCP gives up, which may take 15 minutes.
 */
import { Socket } from "node:net"
import { Effect, type Scope } from "effect"
import postgres from "postgres"
import { parsePostgresUrl } from "../../../engine/input/schemas.ts"
import { type BatchResult, BatchQueue } from "./queue.ts"
import { type SqlRow, sqlState } from "./driver.ts"

export interface ConnectionOptions {
  readonly url: string
  /** Time limit for a statement on the server, in milliseconds. 0: no limit, and no timeout on the connection. */
  readonly statement_timeout_ms: number
  /**
   * The number of the host with which the first connection begins. Each later one begins with the next host, so that they share the
   * connections. One that refuses, or is a standby, is passed over. Undefined: each begins with the first host of the URL.
   */
  readonly turn?: number | undefined
  /** URLs of one host each, tried after those of `url`: they are read for every connection, so that hosts may join. */
  readonly joined?: ReadonlyArray<string> | undefined
}

type Client = ReturnType<typeof postgres>

/** A client with one connection. `drop` closes the connection at once, without waiting for the server. */
interface Connected {
  readonly client: Client
  readonly drop: (why?: Error) => void
}

/** Keepalive for the server's side: otherwise a backend could outlive its client for hours. */
const probes = { tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 3 }

/** Whether a URL names several servers. */
export const hasSeveralHosts = (url: string): boolean => parsePostgresUrl(url)?.hosts.includes(",") === true

interface Host {
  readonly host: string
  readonly port: number
}

const toHost = (url: string): Host => {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port || 5432) }
}

/** Makes a client. Each of its connections tries all servers of the URL and those that joined, and skips standbys. */
export const makeClient = ({ joined, statement_timeout_ms, turn, url }: ConnectionOptions): Connected => {
  let socket: Socket | undefined
  let tries = 0
  let begin = turn ?? 0
  let named: ReadonlyArray<Host> | undefined
  const client = postgres(url, {
    max: 1,
    fetch_types: false,
    onnotice: () => {},
    ...((hasSeveralHosts(url) || joined !== undefined) && { target_session_attrs: "primary" as const }),
    // The connection has ended, or none was made: the next one begins anew, with the next host.
    onclose: () => {
      tries = 0
      if (turn !== undefined) begin++
    },
    connection: {
      application_name: "corridor",
      // Every statement finds its rows by key. A plan made while a table was small must not remain in use as it grows.
      enable_seqscan: "off",
      enable_bitmapscan: "off",
      // With these settings the estimated cost of a lookup is enormous, and a server that has a compiler would compile each.
      jit: "off",
      ...(statement_timeout_ms === 0 ? {} : { statement_timeout: statement_timeout_ms, ...probes })
    },
    // The driver's own sockets are not accessible, and ending a half-open one waits for the server.
    socket: (own: { host: ReadonlyArray<string>; port: ReadonlyArray<number>; path: string | undefined }) => {
      socket = new Socket()
      const { path } = own
      named ??= own.host.map((host, n) => ({ host, port: own.port[n]! }))
      const hosts = joined === undefined ? named : [...named, ...joined.map(toHost)]
      const { host, port } = hosts[(begin + tries++) % hosts.length]!
      // The driver asks for another socket after each that fails, for ever, while it knows of a second host. With the last one alone, it
      // says that none accepts.
      Object.assign(own, { host: tries === hosts.length ? [host] : hosts.map((one) => one.host) })
      if (path) socket.connect(path)
      // The driver takes the host name for TLS verification from this property.
      else Object.assign(socket, { host }).connect(port, host)
      return socket
    }
  } as postgres.Options<Record<string, never>>)
  return {
    client,
    drop: (why = new Error("the connection is dropped")) => {
      client.end({ timeout: 0 }).catch(() => {})
      socket?.destroy(why)
    }
  }
}

/** Opens a connection, until the scope closes. */
export const openConnection = (options: ConnectionOptions): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => makeClient(options)),
      ({ client, drop }) =>
        Effect.promise(() => client.end({ timeout: 1 }).catch(() => {})).pipe(Effect.andThen(Effect.sync(() => drop())))
    ),
    ({ client }) => client
  )

const makeTimeoutError = (message: string): Error => Object.assign(new Error(message), { code: "STATEMENT_TIMEOUT" })

/**
 * Whether an error ends the connection: every error except those that the server reports and survives. A read-only
 * server was demoted and rejects every write; a new connection finds its successor.
 */
const isDisconnect = (error: unknown): boolean => {
  const code = (error as { readonly code?: unknown }).code
  return typeof code !== "string" || !sqlState.test(code) || /^(57P|08|25006)/.test(code)
}

interface Statement {
  readonly text: string
  readonly params: ReadonlyArray<string | null>
  readonly left: () => void
}

export type Query = (text: string, params: ReadonlyArray<string | null>) => Promise<ReadonlyArray<SqlRow>>

export interface Connections {
  /**
   * Runs one statement.
   *
   * Errors: the server's, with its SQLSTATE as `code`; the driver's; `STATEMENT_TIMEOUT` when no connection was free in
   * time (the statement was not sent) or no reply arrived in time (the outcome is unknown, and the connection is
   * dropped).
   */
  readonly query: Query
  /** `query` with a share of the connections: at most `most` of its statements run at once, and the others wait. */
  readonly share: (most: number) => Query
  /** Closes the connections after a short grace period for running statements. */
  readonly close: () => Promise<void>
}

/** Rejects when `promise` is still pending after `deadlineMs`; 0: never. */
const rejectAfter = async <A>(promise: Promise<A>, deadlineMs: number, late: () => Error): Promise<A> => {
  if (deadlineMs === 0) return promise
  const { promise: given, reject, resolve } = Promise.withResolvers<A>()
  const deadline = setTimeout(() => reject(late()), deadlineMs)
  promise.then(resolve, reject)
  try {
    return await given
  } finally {
    clearTimeout(deadline)
  }
}

/** Makes a pool of at most `count` connections, each opened when first needed. */
export const makeConnections = (options: ConnectionOptions, count: number): Connections => {
  // The client waits longer for the reply than the server may work on the statement, by what a busy machine may take to cancel and to reply.
  const deadlineMs = options.statement_timeout_ms === 0 ? 0 : options.statement_timeout_ms + 2_000
  let turn = options.turn
  const open = (): Connected => makeClient({ ...options, turn: turn === undefined ? undefined : turn++ })
  const free: Array<Connected> = Array.from({ length: count }, open)
  const all = new Set(free)
  let closed = false

  const run = async ([statement]: ReadonlyArray<Statement>): Promise<
    ReadonlyArray<BatchResult<ReadonlyArray<SqlRow>>>
  > => {
    const { left, params, text } = statement!
    left()
    let connection = free.pop()!
    try {
      const answer = connection.client.unsafe(text, [...params], { prepare: true })
      const late = () => makeTimeoutError(`no reply within ${deadlineMs} ms; the connection was dropped`)
      return [{ ok: true, value: (await rejectAfter(answer, deadlineMs, late)) as unknown as ReadonlyArray<SqlRow> }]
    } catch (error) {
      if (isDisconnect(error)) {
        // Drop the connection now: until its socket closes, the driver would queue further statements on it and lose
        // them.
        connection.drop(error as Error)
        all.delete(connection)
        if (!closed) all.add((connection = open()))
      }
      return [{ ok: false, error }]
    } finally {
      free.push(connection)
    }
  }

  const line = new BatchQueue<Statement, ReadonlyArray<SqlRow>>(run, { concurrency: count, size: 1 })

  const through =
    (ask: (statement: Statement, done: (answer: BatchResult<ReadonlyArray<SqlRow>>) => void) => () => void): Query =>
    (text, params) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(Object.assign(new Error("the store is closed"), { code: "CONNECTION_ENDED" }))
        const late = () => {
          withdraw()
          reject(makeTimeoutError(`no connection was free within ${deadlineMs} ms`))
        }
        const wait = deadlineMs === 0 ? undefined : setTimeout(late, deadlineMs)
        const withdraw = ask({ text, params, left: () => clearTimeout(wait) }, (answer) => {
          clearTimeout(wait)
          if (answer.ok) resolve(answer.value)
          else reject(answer.error)
        })
      })

  const share = (most: number): Query => {
    /** Withdraws a statement of this share that waits for a connection, and makes room for the next one. */
    const leaving = new Map<Statement, () => void>()
    const own = new BatchQueue<Statement, ReadonlyArray<SqlRow>>(
      ([statement]) =>
        new Promise((resolve) => {
          const end = (answer: BatchResult<ReadonlyArray<SqlRow>>): void => {
            leaving.delete(statement!)
            resolve([answer])
          }
          const withdraw = line.ask(statement!, end)
          leaving.set(statement!, () => {
            withdraw()
            end({ ok: false, error: makeTimeoutError("withdrawn") })
          })
        }),
      { concurrency: most, size: 1 }
    )
    return through((statement, done) => {
      const withdraw = own.ask(statement, done)
      return () => {
        withdraw()
        leaving.get(statement)?.()
      }
    })
  }

  return {
    query: through((statement, done) => line.ask(statement, done)),
    share,
    close: async () => {
      closed = true
      await Promise.all([...all].map(({ client }) => client.end({ timeout: 5 }).catch(() => {})))
      for (const { drop } of all) drop()
    }
  }
}
