/**
 * The destinations that a delivery may reach: the form of an endpoint's URL, and the addresses that its host may have.
 *
 * This is an allowlist, so that an unforeseen range is rejected. Source: WEBHOOK-6.
 */
import ipaddr from "ipaddr.js"
import type { Environment } from "../../engine/settings/settings.ts"

const MAX_URL = 2048

/** Global unicast IPv6, the only routed part of the address space. */
const routed6 = ipaddr.parseCIDR("2000::/3")

/** Ranges inside the routed space that are not public. */
const exceptions = [
  // Protocol assignments: Teredo, benchmarking, ORCHID and others.
  "2001::/23",
  // Documentation (RFC 9637). The library already knows the older 2001:db8::/32.
  "3fff::/20",
  // A large cloud provider's host agent listens here on each of its machines.
  "168.63.129.16/32"
].map((cidr) => ipaddr.parseCIDR(cidr))

const isInNetwork = (
  address: ipaddr.IPv4 | ipaddr.IPv6,
  [network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]
): boolean => address.kind() === network.kind() && address.match(network as never, bits)

const described: Readonly<Record<string, string>> = {
  unspecified: "an unspecified",
  broadcast: "a broadcast",
  multicast: "a multicast",
  linkLocal: "a link-local",
  loopback: "a loopback",
  carrierGradeNat: "a carrier-grade NAT",
  private: "a private",
  uniqueLocal: "a private",
  ipv4Mapped: "an IPv4-mapped"
}

/**
 * Finds why deliveries to an address are not allowed, as the end of a sentence. Null when they are allowed.
 *
 * Law: only globally routed unicast addresses pass; `test` also allows loopback (127.0.0.0/8, ::1). An IPv6 address that embeds
 * an IPv4 address (mapped, compatible, 6to4, Teredo, NAT64) never passes, whatever the embedded address is.
 */
export const findAddressFault = (address: string, environment: Environment): string | null => {
  if (!ipaddr.isValid(address)) return "an invalid address"
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (range === "loopback" && environment === "test") return null
  const open = range === "unicast" && (parsed.kind() === "ipv4" || isInNetwork(parsed, routed6))
  if (open && !exceptions.some((range) => isInNetwork(parsed, range))) return null
  return `${described[range] ?? "a reserved"} address`
}

/**
 * Finds why a URL cannot be an endpoint's, as a sentence. Null when its form is valid. This function does not resolve the host.
 *
 * Law: a host in any notation of an IPv4 address (decimal, octal, hexadecimal, short, with a trailing dot) is treated as that address.
 */
export const findUrlFault = (url: string, environment: Environment): string | null => {
  if (url.length > MAX_URL) return `The url is longer than ${MAX_URL} characters.`
  const parsed = URL.parse(url)
  if (parsed === null) return "The url is not valid."
  if (parsed.protocol !== "https:" && !(parsed.protocol === "http:" && environment === "test"))
    return environment === "test" ? "The url must start with https:// or http://." : "The url must start with https://."
  if (parsed.username !== "" || parsed.password !== "") return "The url must not contain credentials."
  const literal = readIpAddress(parsed)
  const fault = literal === null ? null : findAddressFault(literal, environment)
  return fault === null ? null : `The url must not point to ${fault}.`
}

/** Reads the IP address in a URL. Null when the URL has a host name. */
export const readIpAddress = ({ hostname }: URL): string | null => {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname
  return ipaddr.isValid(bare) ? bare : null
}
