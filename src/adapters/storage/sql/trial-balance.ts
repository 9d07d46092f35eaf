/** The trial balance in one statement. */
import { Effect } from "effect"
import type { Storage, TrialBalance } from "../../../engine/ports/Storage.ts"
import type { SqlAsk } from "./driver.ts"
import { text, decoderOf } from "./rows.ts"

type Service = Storage["Service"]

// Platform accounts: the balances as rolled up, plus later postings. Guarded accounts: the stored balances.
const TRIAL_BALANCE = `with moved as (
  select merchant_id, account, currency, amount from balance
  union all select merchant_id, debit, currency, -amount from posting
  where xid >= corridor_mark() and corridor_owner(debit) is null
  union all select merchant_id, credit, currency, amount from posting
  where xid >= corridor_mark() and corridor_owner(credit) is null
), net as (
  select merchant_id, account, currency, sum(amount) as balance from moved group by merchant_id, account, currency
  union all select merchant_id, account, currency, balance from account
), total as (
  select split_part(account, ':', 1) as class, currency, sum(balance) as balance,
    coalesce(sum(-balance) filter (where balance < 0), 0) as debits,
    coalesce(sum(balance) filter (where balance > 0), 0) as credits
  from net group by 1, 2
)
select class, currency, balance::text as balance, debits::text as debits, credits::text as credits
from total order by class, currency`

export const trialBalance = (ask: SqlAsk): Service["trialBalance"] =>
  Effect.map(ask(TRIAL_BALANCE, []), (rows): TrialBalance => {
    const sums = new Map<string, { debits: bigint; credits: bigint }>()
    for (const row of rows) {
      const sum = sums.get(text(row["currency"])) ?? { debits: 0n, credits: 0n }
      sums.set(text(row["currency"]), {
        debits: sum.debits + BigInt(text(row["debits"])),
        credits: sum.credits + BigInt(text(row["credits"]))
      })
    }
    return {
      currencies: [...sums.keys()].sort().map((currency) => {
        const { debits, credits } = sums.get(currency)!
        return { currency, debits: debits.toString(), credits: credits.toString() }
      }),
      classes: rows.map(decoderOf({ class: text, currency: text, balance: text }))
    }
  })
