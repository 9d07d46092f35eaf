/** The operations of the protocol: where each is, and what answers it. */
import { issue, issueStatus, instruction, instructionStatus } from "./accounts.ts"
import type { Bank, Request, Result } from "./commands.ts"
import type { Offer } from "./config.ts"
import { banks, rates, resolveAccount, resolveProxy } from "./directory.ts"
import { list } from "./events.ts"
import { balances, statement } from "./ledger.ts"
import { screen, verification, verificationStatus } from "./parties.ts"
import { conversion, payout, refund, status } from "./payments.ts"

export interface Asked extends Request {
  readonly query: URLSearchParams
  /** Where the caller found this server. */
  readonly base_url: string
}

export type Operations = Readonly<Record<string, (asked: Asked) => Result | Promise<Result>>>

interface Route {
  readonly operation: string
  readonly method: "GET" | "PUT" | "POST"
  /** The first part of the path. A second one is an id. */
  readonly path: string
  readonly hasId: boolean
  /** The offer in the manifest without which the operation is unsupported. */
  readonly needs?: Offer["operation"]
}

const byId = (path: string, operation: string, needs: Offer["operation"]): ReadonlyArray<Route> => [
  { operation, method: "PUT", path, hasId: true, needs },
  { operation: `${operation}_status`, method: "GET", path, hasId: true, needs }
]
const read = (operation: string, needs?: Offer["operation"]): Route => ({
  operation,
  method: "GET",
  path: operation,
  hasId: false,
  ...(needs === undefined ? {} : { needs })
})
const post = (path: string, needs: Offer["operation"]): Route => ({
  operation: path.replace("-", "_"),
  method: "POST",
  path,
  hasId: false,
  needs
})

export const routes: ReadonlyArray<Route> = [
  ...byId("payouts", "payout", "payout"),
  ...byId("conversions", "conversion", "conversion"),
  ...byId("issues", "issue", "issue"),
  ...byId("instructions", "instruction", "payin"),
  ...byId("refunds", "refund", "payin"),
  ...byId("verifications", "verification", "verification"),
  post("screen", "screening"),
  post("resolve-account", "directory"),
  post("resolve-proxy", "directory"),
  read("banks", "directory"),
  read("rates", "rates"),
  read("balances", "statements"),
  read("statements", "statements"),
  read("events"),
  read("manifest")
]

/** The id of these books: made with the database, and the same for as long as there is one. */
const booksId = ({ db }: Bank): string => {
  db.run("insert into settings values ('id', ?) on conflict (name) do nothing", crypto.randomUUID())
  return String(db.get("select value from settings where name = 'id'")!["value"])
}

export const operationsOf = (bank: Bank): Operations => {
  const { config } = bank
  const operations: Operations = {
    manifest: () => ({
      protocol: "1",
      id: booksId(bank),
      offers: config.offers,
      events: { callbacks: config.events_url !== undefined, readable: true }
    }),
    payout: (asked) => payout(bank, asked),
    payout_status: (asked) => status(bank, "payout", asked),
    conversion: (asked) => conversion(bank, asked),
    conversion_status: (asked) => status(bank, "conversion", asked),
    refund: (asked) => refund(bank, asked),
    refund_status: (asked) => status(bank, "refund", asked),
    issue: (asked) => issue(bank, asked),
    issue_status: (asked) => issueStatus(bank, asked),
    instruction: (asked) => instruction(bank, asked),
    instruction_status: (asked) => instructionStatus(bank, asked),
    verification: (asked) => verification(bank, asked, config.public_url ?? asked.base_url),
    verification_status: (asked) => verificationStatus(bank, asked),
    screen: (asked) => screen(bank, asked),
    resolve_account: ({ body }) => resolveAccount(bank, body),
    resolve_proxy: ({ body }) => resolveProxy(bank, body),
    banks: ({ query }) => banks(bank, query.get("country_code")),
    rates: () => rates(bank),
    balances: () => balances(bank),
    statements: ({ query }) => statement(bank, query.get("after")),
    events: ({ query }) => list(bank, query.get("after"))
  }
  const offered = new Set(config.offers.map(({ operation }) => operation))
  const unsupported = routes.filter(({ needs }) => needs !== undefined && !offered.has(needs))
  return {
    ...operations,
    ...Object.fromEntries(unsupported.map(({ operation }) => [operation, () => ({ status: "unsupported" })]))
  }
}
