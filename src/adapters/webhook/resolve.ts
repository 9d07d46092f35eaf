/**
 * Resolves host names to addresses.
 *
 * `dns.lookup` alone does not suffice: it runs on the process's few worker threads. Two names whose servers never
 * respond would block every other name, but one dead endpoint must not delay another (DELIVERY-9).
 */
import { lookup, Resolver } from "node:dns/promises"
import type { Environment } from "../../engine/settings/Environment.ts"

/** All addresses of a host. Fails when there is none. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<string>>

/**
 * The resolver of an environment. `localhost` and names under it resolve to loopback without a query (RFC 6761). In
 * `test`, a name unknown to DNS is looked up in the system's own sources (a hosts file). For `live`, such an entry
 * would be a private address, which is rejected anyway.
 */
export const resolver = (environment: Environment): Resolve => {
  const dns = new Resolver({ timeout: 2000, tries: 2 })
  return async (hostname) => {
    const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname
    if (name === "localhost" || name.endsWith(".localhost")) return ["127.0.0.1", "::1"]
    const answers = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)])
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
    if (found.length > 0) return found
    if (environment === "live") throw Object.assign(new Error("no address"), { code: "ENOTFOUND" })
    return (await lookup(name, { all: true })).map(({ address }) => address)
  }
}
