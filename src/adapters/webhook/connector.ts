/**
 * The check that every delivery connection passes.
 *
 * Checking an address and choosing the address to connect to are one step: undici calls our lookup, which resolves the
 * name once, rejects it unless every address is allowed, and returns exactly those addresses. An IP address in the URL
 * passes the same check. A name that resolves differently before or after has no effect, and Host and SNI keep the
 * name.
 */
import type { LookupAddress } from "node:dns"
import { isIP, isIPv6, type LookupFunction } from "node:net"
import { buildConnector } from "undici"
import type { Environment } from "../../engine/settings/Environment.ts"
import { addressFault } from "./address.ts"
import type { Resolve } from "./resolve.ts"

/** When the connection that an error broke was established. */
const since = new WeakMap<object, number>()

/**
 * `performance.now()` at which the connection broken by `error` was established. Undefined when it was never
 * established.
 */
export const connectionTime = (error: unknown): number | undefined => since.get(error as object)

/** The host has an address that deliveries may not reach. The message is the end of a sentence. */
export class AddressRefused extends Error {
  readonly code = "ADDRESS_REFUSED"
}

/** The addresses that a delivery may use, each of them checked. */
export const resolveAddresses = async (
  hostname: string,
  resolve: Resolve,
  environment: Environment
): Promise<Array<LookupAddress>> => {
  const addresses = isIP(hostname) === 0 ? await resolve(hostname) : [hostname]
  const fault = addresses.map((address) => addressFault(address, environment)).find((found) => found !== null)
  if (fault !== undefined) throw new AddressRefused(fault)
  if (addresses.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" })
  return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
}

/** A connector that connects only to checked addresses. */
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
    const fault = isIP(to.hostname) === 0 ? null : addressFault(to.hostname, options.environment)
    if (fault !== null) return callback(new AddressRefused(fault), null)
    connect(to, (...made) => {
      const connected = performance.now()
      made[1]?.on("error", (error) => since.set(error, connected))
      callback(...made)
    })
  }
}
