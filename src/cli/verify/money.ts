/** Money that resources have with a provider or have set aside, against the states of these resources. */
import { Effect } from "effect"
import { type Check, type Difference, readText } from "../../adapters/storage/audit/check.ts"
import type { Snapshot } from "../../adapters/storage/audit/snapshot.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import type { Row } from "../../engine/ports/Storage.ts"
import { addToSum, isTerminalRow, balanceKey, findSetAside, setAsideStates } from "../../testing/model/ledger.ts"

/** A movement that has ended leaves nothing in clearing, and none takes more out of it than it put in. */
export const clearing: Check = {
  name: "clearing",
  about: "what movements have with providers",
  tables: ["posting", "posting", "resource"],
  text: `
    select x.merchant_id, x.resource_id, x.account, x.currency, x.amount::text as amount, r.kind, r.state, r.status
    from (
      select m.merchant_id, m.resource_id, m.account, m.currency, sum(m.amount) as amount
      from (
        select merchant_id, resource_id, debit as account, currency, -amount as amount from posting
        where starts_with(debit, 'clearing')
        union all
        select merchant_id, resource_id, credit, currency, amount from posting where starts_with(credit, 'clearing')
      ) m group by 1, 2, 3, 4 having sum(m.amount) <> 0
    ) x
    left join resource r on r.merchant_id = x.merchant_id and r.id = x.resource_id`,
  difference: (row) => {
    const [kind, state, status] = [readText(row, "kind"), readText(row, "state"), readText(row, "status")]
    const amount = readText(row, "amount")
    const hasEnded = isTerminalRow({ kind, state, status })
    if (!hasEnded && !amount.startsWith("-")) return undefined
    const currency = readText(row, "currency")
    return {
      subject: readText(row, "resource_id"),
      expected: hasEnded
        ? `0 ${currency} in ${readText(row, "account")}: the ${kind} is ${status}`
        : `at least 0 ${currency} in ${readText(row, "account")}`,
      found: `${amount} ${currency}`
    }
  }
}

/** What is set aside: in `reserved` and `held` for each owner, and in `suspense` for each merchant. */
const kept = `
  select merchant_id, account, currency, balance::text as amount from account
  where (starts_with(account, 'reserved:') or starts_with(account, 'held:')) and balance <> 0
  union all
  select x.merchant_id, 'suspense', x.currency, sum(x.amount)::text
  from (
    select merchant_id, currency, -amount as amount from posting where debit = 'suspense'
    union all
    select merchant_id, currency, amount from posting where credit = 'suspense'
  ) x group by 1, 3 having sum(x.amount) <> 0`

const open = `
  select merchant_id, kind, id, state, status, data from resource
  where kind in ('transfer', 'offramp', 'conversion', 'deposit', 'exception')
    and state in (${setAsideStates.map((state) => `'${state}'`).join()}) or kind = 'exception' and state <> 'resolved' or kind = 'adjusting_entry'`

/** Compares each account of set-aside money with the open resources that it is set aside for. Returns the differences. */
export const findSetAsideDifferences = Effect.fnUntraced(function* (
  snapshot: Snapshot
): Effect.fn.Return<ReadonlyArray<Difference>, StorageFault> {
  const expected = new Map<string, bigint>()
  yield* snapshot.each(open, (rows) =>
    Effect.sync(() => {
      for (const row of rows) {
        const claim = findSetAside({ ...row, data: JSON.parse(readText(row, "data")) as unknown } as unknown as Row)
        if (claim !== undefined) addToSum(expected, claim.key, claim.amount)
      }
    })
  )
  const differences: Array<Difference> = []
  const differ = (merchant_id: string, account: string, currency: string, found: bigint, sum: bigint): void => {
    if (found === sum) return
    const about = { subject: account, merchant_id, found: `${found} ${currency}` }
    differences.push({ ...about, expected: `${sum} ${currency}, which its open resources have set aside` })
  }
  yield* snapshot.each(kept, (rows) =>
    Effect.sync(() => {
      for (const row of rows) {
        const [merchant, account, currency] = [
          readText(row, "merchant_id"),
          readText(row, "account"),
          readText(row, "currency")
        ]
        const key = balanceKey(merchant, account, currency)
        differ(merchant, account, currency, BigInt(readText(row, "amount")), expected.get(key) ?? 0n)
        expected.delete(key)
      }
    })
  )
  for (const [key, sum] of expected) {
    const [merchant = "", account = "", currency = ""] = key.split(" ")
    differ(merchant, account, currency, 0n, sum)
  }
  return differences
})
