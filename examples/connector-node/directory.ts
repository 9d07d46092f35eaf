/** What the bank knows of others: banks, holders of accounts, rates. A real bank asks its own systems in each of these. */
import { readFileSync } from "node:fs"
import { type Bank, type Body, contentOf, type Result } from "./commands.ts"
import { offerFor, isAccount } from "./payments.ts"

interface Listed {
  readonly country_code: string
  readonly code: string
  readonly name: string
}
const listed = (
  JSON.parse(readFileSync(new URL("defaults.json", import.meta.url), "utf8")) as {
    readonly banks: ReadonlyArray<Listed>
  }
).banks

/** `GET /banks?country_code=`: of all countries without one. */
export const banks = (_: Bank, country_code: string | null): Result => ({
  banks: listed.filter((bank) => country_code === null || bank.country_code === country_code)
})

export const resolveAccount = (_: Bank, body: Body): Result => {
  const { account_name, account_number, bank, country_code } = contentOf("resolve_account", body)
  const isKnown = listed.some((one) => one.country_code === country_code && one.code === bank.code)
  return isKnown && isAccount(account_number)
    ? { status: "resolved", account_name: account_name ?? `Holder of ${String(account_number).slice(-4)}` }
    : { status: "unresolved" }
}

/** Proxies that end otherwise, for tests of the caller: each ends in what it is. */
const proxies: Readonly<Record<string, string>> = {
  "+27000000000": "unregistered",
  "unknown@bank": "unregistered",
  "+27000000001": "no_answer",
  "+27000000002": "unavailable"
}

/** PayShap, in South Africa: a mobile number, or a name at a bank. */
export const resolveProxy = (bank: Bank, body: Body): Result => {
  const { proxy } = contentOf("resolve_proxy", body)
  if (offerFor(bank, "directory", { country_code: "ZA" }) === undefined) return { status: "switched_off" }
  const status = proxies[proxy]
  return status === undefined
    ? { status: "resolved", account_name: `Holder of ${String(proxy).slice(-4)}` }
    : { status }
}

/** `GET /rates`: units of each currency for one USD, and when they were quoted. The admin interface can replace them. */
export const rates = ({ config, db }: Bank): Result => {
  const replaced = db.get("select value from settings where name = 'rates'")?.["value"]
  const { at, rates } = replaced === undefined ? { at: undefined, rates: config.rates } : JSON.parse(replaced)
  return {
    rates: Object.entries(rates ?? config.rates).map(([quote, rate]) => ({
      base: "USD",
      quote,
      rate,
      at: at ?? new Date().toISOString()
    }))
  }
}
