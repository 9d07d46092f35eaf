/**
 * Where a delivery may go: the form of an endpoint's url, and the addresses its host may have.
 *
 * A list of what is allowed, not of what is forbidden: a range that nobody has thought of is refused.
 * Source: decisions 11 (url); pitfalls 10.
 */
import ipaddr from "ipaddr.js"

export type Environment = "test" | "live"

const MAX_URL = 2048

/** Global unicast IPv6, the only part of it that is routed. */
const routed6 = ipaddr.parseCIDR("2000::/3")

/** Inside the routed space and still not a place of the public's. */
const exceptions = [
  // Protocol assignments: Teredo, benchmarking, ORCHID and what else is made of them.
  "2001::/23",
  // Documentation (RFC 9637); the older 2001:db8::/32 the library knows.
  "3fff::/20",
  // The host agent of a large cloud answers here on every machine in it.
  "168.63.129.16/32"
].map((cidr) => ipaddr.parseCIDR(cidr))

const within = (address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean =>
  address.kind() === network.kind() && address.match(network as never, bits)

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
 * Why nothing may be sent to an address, as the end of a sentence; null when it may.
 *
 * Law: only globally routed unicast addresses pass, and in `test` loopback (127.0.0.0/8, ::1). An IPv6 address that
 * carries an IPv4 one inside (mapped, compatible, 6to4, Teredo, NAT64) never passes, whichever it carries.
 */
export const addressFault = (address: string, environment: Environment): string | null => {
  if (!ipaddr.isValid(address)) return "something that is not an address"
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (range === "loopback" && environment === "test") return null
  const open = range === "unicast" && (parsed.kind() === "ipv4" || within(parsed, routed6))
  if (open && !exceptions.some((one) => within(parsed, one))) return null
  return `${described[range] ?? "a reserved"} address`
}

/**
 * Why a url cannot be an endpoint's, as a sentence; null when its form is right. Its host is not resolved here.
 *
 * Law: a host in any of the notations of an IPv4 address (decimal, octal, hexadecimal, short, with a trailing dot) is
 * judged as that address.
 */
export const urlFault = (url: string, environment: Environment): string | null => {
  if (url.length > MAX_URL) return `The url is longer than ${MAX_URL} characters.`
  const parsed = URL.parse(url)
  if (parsed === null) return "The url cannot be read."
  if (parsed.protocol !== "https:" && !(parsed.protocol === "http:" && environment === "test")) {
    return environment === "test" ? "The url must begin with https:// or http://." : "The url must begin with https://."
  }
  if (parsed.username !== "" || parsed.password !== "") return "The url must not carry credentials."
  const literal = literalOf(parsed)
  const fault = literal === null ? null : addressFault(literal, environment)
  return fault === null ? null : `The url names ${fault}.`
}

/** The address a url names instead of a host name; null when it names a host. */
export const literalOf = ({ hostname }: URL): string | null => {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname
  return ipaddr.isValid(bare) ? bare : null
}
