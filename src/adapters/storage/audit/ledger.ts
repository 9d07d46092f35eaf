/** Balances against postings, and postings against transitions. */
import { type Check, merchantOf, readText } from "./check.ts"

/** The changes that postings make to accounts: guarded ones (`is not null`), or the others. */
const moves = (guarded: "is null" | "is not null", where = "true"): string => `
  select p.merchant_id, p.debit as account, p.currency, -p.amount as amount from posting p
  where corridor_owner(p.debit) ${guarded} and ${where}
  union all
  select p.merchant_id, p.credit, p.currency, p.amount from posting p
  where corridor_owner(p.credit) ${guarded} and ${where}`

const mark = "(select corridor_mark())"

const orNothing = (text: string): string => (text === "" ? "nothing" : text)

export const ledgerChecks: ReadonlyArray<Check> = [
  {
    name: "balances",
    about: "the balances of wallets and credentials",
    tables: ["posting", "posting", "account"],
    text: `
      with moved as (
        select x.merchant_id, x.account, x.currency, sum(x.amount) as amount, count(*) as entries
        from (${moves("is not null")}) x group by 1, 2, 3
      )
      select merchant_id, account, currency, a.balance::text as stored, m.amount::text as summed,
        a.entries::text as counted, m.entries::text as entries
      from account a full join moved m using (merchant_id, account, currency)
      where coalesce(a.balance, 0) <> coalesce(m.amount, 0) or coalesce(a.entries, 0) <> coalesce(m.entries, 0)
        or (a.balance is null) <> (m.amount is null)`,
    difference: (row) => ({
      subject: readText(row, "account"),
      merchant_id: merchantOf(row),
      expected: `${orNothing(readText(row, "summed"))} ${readText(row, "currency")}, by ${readText(row, "entries") || "no"} postings`,
      found: `${orNothing(readText(row, "stored"))} ${readText(row, "currency")}, by ${readText(row, "counted") || "no"} postings`
    })
  },
  {
    name: "platform balances",
    about: "the balances of the platform's accounts",
    tables: ["posting", "posting"],
    text: `
      with moved as (
        select x.merchant_id, x.account, x.currency, sum(x.amount) as amount
        from (${moves("is null", `p.xid < ${mark}`)}) x group by 1, 2, 3
      )
      select merchant_id, account, currency, b.amount::text as stored, m.amount::text as summed
      from balance b full join moved m using (merchant_id, account, currency)
      where coalesce(b.amount, 0) <> coalesce(m.amount, 0)`,
    difference: (row) => ({
      subject: readText(row, "account"),
      merchant_id: merchantOf(row),
      expected: `${orNothing(readText(row, "summed"))} ${readText(row, "currency")} in the rolled-up postings`,
      found: `${orNothing(readText(row, "stored"))} ${readText(row, "currency")}`
    })
  },
  {
    name: "trial balance",
    about: "the trial balance",
    tables: ["account", "posting"],
    text: `
      select x.merchant_id, x.currency, sum(x.amount)::text as amount
      from (
        select merchant_id, currency, balance as amount from account
        union all
        select merchant_id, currency, amount from balance
        union all
        select m.merchant_id, m.currency, m.amount from (${moves("is null", `p.xid >= ${mark}`)}) m
      ) x
      group by 1, 2 having sum(x.amount) <> 0`,
    difference: (row) => ({
      subject: `all accounts in ${readText(row, "currency")}`,
      merchant_id: merchantOf(row),
      expected: `0 ${readText(row, "currency")}`,
      found: `${readText(row, "amount")} ${readText(row, "currency")}`
    })
  },
  {
    name: "postings",
    about: "every posting against its transition",
    tables: ["posting", "transition"],
    text: `
      select p.merchant_id, p.resource_id, p.version::text as version, p.debit, p.credit, p.amount::text as amount, p.currency
      from posting p
      where not exists (
        select from transition t
        where t.merchant_id = p.merchant_id and t.resource_id = p.resource_id and t.version = p.version and t.at = p.at
      )`,
    difference: (row) => ({
      subject: readText(row, "resource_id"),
      merchant_id: merchantOf(row),
      expected: `a transition to version ${readText(row, "version")} at the time of its posting`,
      found: `none, for the posting of ${readText(row, "amount")} ${readText(row, "currency")} from ${readText(row, "debit")} to ${readText(row, "credit")}`
    })
  }
]
