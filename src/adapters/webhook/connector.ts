/**
 * The check that every delivery connection passes.
 *
 * Checking an address and choosing the address to connect to are one step: undici calls our lookup, which resolves the
 * name once, rejects it unless every address is allowed, and returns exactly those addresses. An IP address in the URL
 * passes the same check. A name that resolves differently before or after has no effect, and Host and SNI keep the
 * name.
 */
import type { LookupAddress } from "node:dns"
import { lookup, Resolver } from "node:dns/promises"
import { isIP, isIPv6, type LookupFunction } from "node:net"
import { buildConnector } from "undici"
import type { Environment } from "../../engine/settings/settings.ts"
import { findAddressFault } from "./address.ts"

// Resolves host names to addresses.
//
// `dns.lookup` alone does not suffice: it runs on the process's few worker threads. Two names whose servers never
// respond would block every other name, but one dead endpoint must not delay another (DELIVERY-9).

/** All addresses of a host. Fails when there is none. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<string>>

/**
 * Makes the DNS resolver of an environment. `localhost` and names under it resolve to loopback without a query (RFC 6761). In
 * `test`, a name unknown to DNS is looked up in the system's own sources (a hosts file). For `live`, such an entry would be a
 * private address, which is rejected anyway.
 */
export const makeResolver = (environment: Environment): Resolve => {
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

/** When the connection that an error broke was established. */
const since = new WeakMap<object, number>()

/** Finds when the connection broken by `error` was established (`performance.now()`). Undefined when it was never established. */
export const findConnectionTime = (error: unknown): number | undefined => since.get(error as object)

/** The host has an address that deliveries may not reach. The message is the end of a sentence. */
export class AddressRefused extends Error {
  readonly code = "ADDRESS_REFUSED"
}

/** Resolves a host to the addresses that a delivery may use. Errors: throws `AddressRefused` if one of them is not allowed. */
export const resolveAddresses = async (
  hostname: string,
  resolve: Resolve,
  environment: Environment
): Promise<Array<LookupAddress>> => {
  const addresses = isIP(hostname) === 0 ? await resolve(hostname) : [hostname]
  const fault = addresses.map((address) => findAddressFault(address, environment)).find((found) => found !== null)
  if (fault !== undefined) throw new AddressRefused(fault)
  if (addresses.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" })
  return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
}

/** Makes a connector that connects only to allowed addresses. */
export const makeConnector = (options: {
  readonly resolve: Resolve
  readonly environment: Environment
  readonly timeout_ms: number
}): buildConnector.connector => {
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    resolveAddresses(hostname, options.resolve, options.environment).then(
      (addresses) => {
        const [first] = addresses as [LookupAddress]
        if (all) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0)
    )
  }
  const connect = buildConnector({ allowH2: false, timeout: options.timeout_ms, lookup })
  return (to, callback) => {
    // undici connects to an IP address without a lookup, so the check happens here.
    const fault = isIP(to.hostname) === 0 ? null : findAddressFault(to.hostname, options.environment)
    if (fault !== null) return callback(new AddressRefused(fault), null)
    connect(to, (...made) => {
      const connected = performance.now()
      made[1]?.on("error", (error) => since.set(error, connected))
      callback(...made)
    })
  }
}
