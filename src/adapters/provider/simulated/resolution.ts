/**
 * Account holders, proxy owners, and the destinations that need manual screening (BENEFICIARY-5, BENEFICIARY-6,
 * PAYSHAP-8).
 */
import type { AccountQuery } from "../../../engine/ports/provider-commands.ts"
import type { AccountResolution, Destination, ProxyResolution } from "../../../engine/ports/Provider.ts"
import { deriveNumber } from "./hashing.ts"

const given = ["Amara", "Kwame", "Lerato", "Wanjiru", "Thabo", "Fatou", "Chinedu", "Nomsa", "Akello", "Yao"]
const family = ["Okafor", "Mensah", "Dlamini", "Kamau", "Mokoena", "Ndiaye", "Adeyemi", "Nkosi", "Nakato", "Koffi"]

const deriveHolder = (seed: string): string =>
  `${given[deriveNumber(`given ${seed}`, given.length)]} ${family[deriveNumber(`family ${seed}`, family.length)]}`

/**
 * Resolves an account to the name of its holder: the expected name, except for a number that ends in `0009` (SANDBOX-23). A
 * number of zeros, and an account whose holder's document ends in `0000` (SANDBOX-25), are not resolved.
 */
export const resolveAccount = ({
  account_name,
  account_number,
  holder_document,
  name
}: AccountQuery): AccountResolution => {
  if (/^0*$/.test(account_number) || holder_document?.id_number.endsWith("0000") === true) return { _tag: "unresolved" }
  const expected = account_number.endsWith("0009") ? null : (account_name ?? name ?? null)
  return { _tag: "resolved", account_name: expected ?? deriveHolder(account_number) }
}

const proxies: ReadonlyMap<string, ProxyResolution> = new Map([
  ["+27000000000", { _tag: "unregistered" }],
  ["unknown@bank", { _tag: "unregistered" }],
  ["+27000000001", { _tag: "no_answer" }],
  ["+27000000002", { _tag: "unavailable" }]
])

export const resolveProxy = (proxy: string): ProxyResolution =>
  proxies.get(proxy) ?? { _tag: "resolved", account_name: deriveHolder(proxy) }

/** Screening of an EVM address ending in `dead` is deferred. Every other destination is cleared at once. */
export const isCleared = (destination: Destination): boolean =>
  destination.type === "fiat" || !/^0x[0-9a-f]*dead$/i.test(destination.address)
