/**
 * Host names to addresses.
 *
 * Not `dns.lookup` alone: that runs on the process's few worker threads, where two names whose servers never answer would
 * keep every other name waiting, and one dead endpoint must not delay another (decisions 11).
 */
import { lookup, Resolver } from "node:dns/promises"
import type { Environment } from "./address.ts"

/** All addresses of a host; fails when there is none. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<string>>

/**
 * The resolver of an environment. `localhost` and names under it are loopback without asking (RFC 6761).
 * In `test` a name that DNS does not know is looked for where the system keeps its own (a hosts file); what stands there
 * for `live` would be private, and is refused anyway.
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
