/**
 * A provider of your own: payouts in naira that people at a desk make by hand, one row each. The row is the promise that a
 * command is paid at most once, so it is written before the desk is asked, and it outlives the process.
 */
import { DatabaseSync } from "node:sqlite"
import { defineProvider, type ReportedEvent } from "../src/adapters/provider/custom.ts"

export const openDesk = (file: string) => {
  const db = new DatabaseSync(file)
  db.exec(`create table if not exists payout (
    id text primary key, movement text not null, amount text not null, account text not null, paid_at text, receipt text)`)
  const insert = db.prepare("insert or ignore into payout (id, movement, amount, account) values (?, ?, ?, ?)")
  const find = db.prepare("select * from payout where id = ?")
  const settle = db.prepare("update payout set paid_at = ?, receipt = ? where id = ? and paid_at is null")

  const outcome = (receipt: string) =>
    ({ outcome: "success", reason: null, transaction_hash: null, provider_reference: receipt }) as const

  const provider = defineProvider({
    name: "desk",
    manifest: {
      offers: [
        { operation: "payout", currency: "NGN", country_code: "NG", maximum: "5000000" },
        { operation: "screening" }
      ]
    },
    payouts: {
      // The same id is one row, however often it is submitted. An error here is unknown, and the engine looks it up.
      submit: async ({ amount, destination, id, resource_id }) => {
        if (destination.type !== "fiat") return { _tag: "rejected", reason: "the desk pays accounts", refundable: true }
        insert.run(id, resource_id, amount, destination.account_number)
        return { _tag: "accepted" }
      },
      // Absent is definite: without a row nobody was asked to pay.
      lookup: async ({ id }) => {
        const row = find.get(id)
        if (row === undefined) return { _tag: "absent" }
        return row["paid_at"] === null
          ? { _tag: "pending" }
          : { _tag: "settled", outcome: outcome(String(row["receipt"])) }
      }
    },
    screening: { screen: async ({ name }) => (/\bsanctioned\b/i.test(name) ? "refused" : "cleared") },
    close: () => db.close()
  })

  return {
    provider,
    /** What waits for somebody at the desk. */
    waiting: () => db.prepare("select id, amount, account from payout where paid_at is null order by id").all(),
    /** Records that a payout was made, and returns the event to tell. Its id is the same however often it is told. */
    paid: (id: string, receipt: string): ReportedEvent => {
      settle.run(new Date().toISOString(), receipt, id)
      const row = find.get(id)
      if (row === undefined) throw new Error(`the desk has no payout ${id}`)
      const about = { event_id: `paid/${id}`, resource_id: String(row["movement"]) }
      return { _tag: "movement", ...about, ...outcome(String(row["receipt"])) }
    }
  }
}
