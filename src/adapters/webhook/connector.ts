/**
 * The gate of every connection a delivery makes.
 *
 * The check of an address and the choice of the address to connect to are one act: undici asks our lookup, which resolves
 * once, refuses unless every address may be had, and answers with exactly those; an address in the url passes the same
 * gate. What a name resolves to before or after does not matter, and Host and SNI stay the name.
 */
import type { LookupAddress } from "node:dns"
import { isIP, isIPv6, type LookupFunction } from "node:net"
import { buildConnector } from "undici"
import { addressFault, type Environment } from "./address.ts"
import type { Resolve } from "./resolve.ts"

/** When the connection was made that an error broke. */
const since = new WeakMap<object, number>()

/** `performance.now()` of the moment the connection stood that `error` broke; undefined when it never did. */
export const connectedAt = (error: unknown): number | undefined => since.get(error as object)

/** The host has an address that nothing may be sent to; the message is the end of a sentence. */
export class AddressRefused extends Error {
  readonly code = "ADDRESS_REFUSED"
}

/** The addresses a delivery may use, all of them checked. */
export const admit = async (
  hostname: string,
  resolve: Resolve,
  environment: Environment
): Promise<Array<LookupAddress>> => {
  const addresses = isIP(hostname) === 0 ? await resolve(hostname) : [hostname]
  const fault = addresses.map((address) => addressFault(address, environment)).find((one) => one !== null)
  if (fault !== undefined) throw new AddressRefused(fault)
  if (addresses.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" })
  return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
}

/** Connects to checked addresses only. */
export const guardedConnector = (options: {
  readonly resolve: Resolve
  readonly environment: Environment
  readonly timeout_ms: number
}): buildConnector.connector => {
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    admit(hostname, options.resolve, options.environment).then(
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
    // An address is connected to without any lookup, so it passes the gate here.
    const fault = isIP(to.hostname) === 0 ? null : addressFault(to.hostname, options.environment)
    if (fault !== null) return callback(new AddressRefused(fault), null)
    connect(to, (...made) => {
      const connected = performance.now()
      made[1]?.on("error", (error) => since.set(error, connected))
      callback(...made)
    })
  }
}
