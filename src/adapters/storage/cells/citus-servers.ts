/**
 * The servers of Citus that a URL names, and the one on which each cell is asked: that which has it, if the URL names it, else the
 * coordinator. There, Citus runs each statement in its own process, and no second server takes part in a commit.
 *
 * Citus may move a cell at any time. A statement on the old server is still right, as Citus sends it on; the order follows the cell
 * within a few seconds (`corridor_take_order`).
 */
import { parsePostgresUrl } from "../../../engine/input/schemas.ts"
import {
  makeClient,
  type Connections,
  type ConnectionOptions,
  makeConnections,
  type Query
} from "../sql/connections.ts"
import { readErrorCode, type SqlRow } from "../sql/driver.ts"
import { ELSEWHERE } from "./citus.ts"

/** A server that does not answer in this time, in milliseconds, is away. */
const answerMs = 3_000

/** How often a node looks where the cells are, in milliseconds. */
const lookEveryMs = 5_000

/** How often a statement follows a cell whose order another server has taken. */
const FOLLOWS = 8

const coordinatorGroup = "0"

/** Replaces the hosts of a URL. */
const withHosts = (url: string, hosts: ReadonlyArray<string>): string =>
  url.replace(/^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)[^/?#]*/s, (_, head: string) => `${head}${hosts.join()}`)

/** Reads a server's Citus group: `0` for the coordinator, `none` without Citus. Undefined: it does not answer. */
const readGroup = async (url: string): Promise<string | undefined> => {
  const { client, drop } = makeClient({ url, statement_timeout_ms: answerMs })
  let late: NodeJS.Timeout | undefined
  try {
    const asked = client.unsafe("select groupid::text as found from pg_dist_local_group")
    const silence = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error("no reply")), answerMs)
    })
    const [row] = await Promise.race([asked, silence])
    return String(row!["found"])
  } catch (error) {
    return readErrorCode(error) === "42P01" ? "none" : undefined
  } finally {
    clearTimeout(late)
    drop()
  }
}

/** Where the servers of the groups are. */
export interface CitusHosts {
  /** The URL of the coordinator and of its standbys. */
  readonly coordinator: string
  /** The URLs of the others that answer, by their group. A server and its standbys have one group. */
  readonly workers: ReadonlyMap<string, string>
  /** The URLs of the hosts that do not answer. */
  readonly silent: ReadonlyArray<string>
}

/**
 * Finds the Citus groups of a URL's hosts. Undefined: no server that answers has Citus, or the URL names one host only, which is
 * then the coordinator.
 *
 * Errors: throws when several hosts have Citus and none is the coordinator.
 */
export const findCitusHosts = async (url: string): Promise<CitusHosts | undefined> => {
  const hosts = parsePostgresUrl(url)!.hosts.split(",")
  if (hosts.length === 1) return undefined
  const found = await Promise.all(hosts.map((host) => readGroup(withHosts(url, [host]))))
  const groups = new Map<string, ReadonlyArray<string>>()
  for (const [n, group] of found.entries())
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), hosts[n]!])
  if (groups.has("none") || groups.size === 0) return undefined
  const coordinators = groups.get(coordinatorGroup)
  if (coordinators === undefined)
    throw Object.assign(new Error("no server of the URL that answers is the coordinator of Citus"), { code: "55P03" })
  const workers = [...groups].filter(([group]) => group !== coordinatorGroup)
  return {
    coordinator: withHosts(url, coordinators),
    workers: new Map(workers.map(([group, of]) => [group, withHosts(url, of)])),
    silent: hosts.filter((_, n) => found[n] === undefined).map((host) => withHosts(url, [host]))
  }
}

/** The connections to one server and its standbys. */
export interface ServerConnections {
  readonly commits: Connections
  readonly queries: Connections
  /** Takes the URL of one more host of them, which was away. It is tried from the next connection on. */
  readonly join: (url: string) => void
  /** The hosts that joined, for other connections to the same server. Undefined: none ever will. */
  readonly joined: ReadonlyArray<string> | undefined
}

/**
 * Opens the connections to a server: `commits` and `queries` are their numbers. `mayGrow`: hosts that were away may be of this server's group.
 */
export const openServer = (
  options: ConnectionOptions,
  commits: number,
  queries: number,
  mayGrow: boolean
): ServerConnections => {
  const joined: Array<string> | undefined = mayGrow ? [] : undefined
  return {
    commits: makeConnections({ ...options, joined }, commits),
    queries: makeConnections({ ...options, joined }, queries),
    join: (url) => void joined?.push(url),
    joined
  }
}

/** Statements of a cell, on whichever server it is asked. */
interface CellQueries {
  readonly commit: Query
  readonly query: Query
  /** Calls of functions that each cell is asked for at once: those of the cells of one server share a statement. */
  readonly together: Query
}

interface Gathered {
  readonly text: string
  readonly resolve: (rows: ReadonlyArray<SqlRow>) => void
  readonly reject: (error: unknown) => void
}

export interface CitusServers {
  /** `commits`, `queries`: how many connections to each server a cell may use at once. */
  readonly of: (schema: string, commits: number, queries: number) => CellQueries
  readonly close: () => Promise<void>
}

/**
 * Combines the calls of one tick that have the same group and key into one statement, and gives each caller its rows. The key
 * says what is asked of the cells of one server: a statement for cells of several servers would wait for each of them.
 */
const gatherStatements = (
  ask: (group: string, text: string, params: ReadonlyArray<string | null>) => ReturnType<Query>
) => {
  const gathering = new Map<string, Array<Gathered>>()
  return (group: string, key: string, text: string, params: ReadonlyArray<string | null>): ReturnType<Query> =>
    new Promise((resolve, reject) => {
      const others = gathering.get(key)
      if (others !== undefined) return void others.push({ text, resolve, reject })
      const all: Array<Gathered> = [{ text, resolve, reject }]
      gathering.set(key, all)
      setImmediate(() => {
        gathering.delete(key)
        const together = all.map((one, n) => `select ${n} as cell, x.* from (${one.text}) x`).join(" union all ")
        ask(group, together, params).then(
          (rows) => all.forEach((one, n) => one.resolve(rows.filter(({ cell }) => Number(cell) === n))),
          (error) => all.forEach((one) => one.reject(error))
        )
      })
    })
}

type Servers = Map<string, ServerConnections>

/**
 * Keeps track of which server has each cell. `silent`: hosts that did not answer at startup, which join the servers of their
 * group when they do.
 */
const locateCells = (servers: Servers, silent: ReadonlyArray<string>, open: (url: string) => ServerConnections) => {
  const home = servers.get(coordinatorGroup)!
  /** The group on which each cell is asked, and that of the server which has it. */
  const current = new Map<string, string>()
  const placed = new Map<string, string>()
  const following = new Map<string, Promise<void>>()

  const readPlaces = async (): Promise<void> => {
    const rows = await home.queries.query(
      `select n.nspname::text as schema, p.groupid::text as found from pg_dist_shard s join pg_dist_placement p using (shardid)
       join pg_class c on c.oid = s.logicalrelid join pg_namespace n on n.oid = c.relnamespace where c.relname = 'setting'`,
      []
    )
    for (const { found, schema } of rows) placed.set(String(schema), String(found))
  }

  const chooseServer = (schema: string): string => {
    const found = placed.get(schema)
    return found !== undefined && servers.has(found) ? found : coordinatorGroup
  }

  /** Has the server of a cell order it, and asks it there from now on. */
  const follow = (schema: string): Promise<void> => {
    let running = following.get(schema)
    if (running === undefined) {
      running = (async () => {
        await readPlaces()
        const group = chooseServer(schema)
        await servers.get(group)!.queries.query(`select ${schema}.corridor_take_order()`, [])
        current.set(schema, group)
      })().finally(() => following.delete(schema))
      following.set(schema, running)
    }
    return running
  }

  const awaited = new Set(silent)
  /**
   * Takes the hosts that were away when the node started. Without a worker, its cells would be asked on the coordinator; without a
   * standby, nothing would be asked after a fail-over to it.
   */
  const findSilent = () =>
    Promise.all(
      [...awaited].map(async (url) => {
        const group = await readGroup(url)
        // Another look may have taken it meanwhile. One that has no Citus is of no group yet.
        if (group === undefined || group === "none" || !awaited.delete(url)) return
        const known = servers.get(group)
        if (known === undefined) servers.set(group, open(url))
        else known.join(url)
      })
    )

  const look = async (): Promise<void> => {
    try {
      await findSilent()
      await readPlaces()
      for (const [schema, group] of current) if (chooseServer(schema) !== group) await follow(schema)
    } catch {
      // A server is away: the statements of its cells say so.
    }
  }
  const looking = setInterval(() => void look(), lookEveryMs)
  looking.unref()

  return {
    follow,
    /** The group on which a cell is asked. */
    groupOf: async (schema: string): Promise<string> => {
      if (!current.has(schema)) await follow(schema)
      return current.get(schema)!
    },
    /** The group of the server that has a cell. */
    placeOf: (schema: string): string | undefined => placed.get(schema),
    close: () => clearInterval(looking)
  }
}

/** Makes the connections to the servers of Citus. `home`: those to the coordinator. `open`: opens those to another server. */
export const makeCitusServers = (
  home: ServerConnections,
  { silent, workers }: Pick<CitusHosts, "silent" | "workers">,
  open: (options: Pick<ConnectionOptions, "url">) => ServerConnections
): CitusServers => {
  const servers: Servers = new Map([
    [coordinatorGroup, home],
    ...[...workers].map(([group, url]) => [group, open({ url })] as const)
  ])
  const cells = locateCells(servers, silent, (url) => open({ url }))
  const askTogether = gatherStatements((group, text, params) => servers.get(group)!.queries.query(text, params))

  return {
    of: (schema, commits, queries) => {
      const shares = new Map<string, { readonly commit: Query; readonly query: Query }>()
      const shareOf = (group: string) => {
        let found = shares.get(group)
        if (found === undefined) {
          const one = servers.get(group)!
          shares.set(group, (found = { commit: one.commits.share(commits), query: one.queries.share(queries) }))
        }
        return found
      }
      const ask =
        (sort: "commit" | "query"): Query =>
        async (text, params) => {
          for (let n = 1; ; n++) {
            try {
              return await shareOf(await cells.groupOf(schema))[sort](text, params)
            } catch (error) {
              if (readErrorCode(error) !== ELSEWHERE) throw error
              // It was rolled back, and may be repeated.
              if (n === FOLLOWS) throw Object.assign(error as Error, { code: "55P03" })
              await cells.follow(schema)
            }
          }
        }
      return {
        commit: ask("commit"),
        query: ask("query"),
        together: async (text, params) => {
          const group = await cells.groupOf(schema)
          const key = JSON.stringify([group, cells.placeOf(schema), text.replaceAll(`${schema}.`, ""), params])
          return askTogether(group, key, text, params)
        }
      }
    },
    close: async () => {
      cells.close()
      await Promise.all(
        [...servers.values()]
          .filter((server) => server !== home)
          .flatMap(({ commits, queries }) => [commits.close(), queries.close()])
      )
    }
  }
}
