/** The platform's account at the bank: balances and statements are views of one ledger. */
import type { Bank, Result } from "./commands.ts"
import { after } from "./events.ts"
import { amountOf, minorOf } from "./money.ts"

const page = 100

export interface Line {
  readonly entry: "opening" | "payout" | "conversion" | "converted" | "refund" | "payin" | "fee" | "back"
  /** Negative: money leaves. */
  readonly minor: bigint
  readonly currency: string
  readonly command_id: string | null
  readonly payin_id: string | null
  readonly reference: string | null
  readonly narration: string | null
}

/** Inside the transaction of its caller. */
export const book = ({ db }: Bank, line: Line): void =>
  db.run(
    `insert into ledger (booked_at, entry, minor, currency, command_id, payin_id, reference, narration)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
    Date.now(),
    line.entry,
    line.minor,
    line.currency,
    line.command_id,
    line.payin_id,
    line.reference,
    line.narration
  )

/** What the platform brought in, booked when the database is new. */
export const open = (bank: Bank): void =>
  bank.db.transaction(() => {
    if (bank.db.get("select 1 from ledger limit 1") !== undefined) return
    const nothing = { command_id: null, payin_id: null, reference: null, narration: "opening balance" }
    for (const [currency, amount] of Object.entries(bank.config.balances)) {
      const minor = minorOf(amount, currency)
      if (minor !== undefined) book(bank, { ...nothing, entry: "opening", minor, currency })
    }
  })

export const balanceOf = ({ db }: Bank, currency: string): bigint =>
  db.get("select minor from balances where currency = ?", currency)?.["minor"] ?? 0n

/** `GET /balances`: `pending` is executed and not settled, so it may come back. */
export const balances = ({ db }: Bank): Result => {
  const pending = new Map(
    db
      .all(
        `select e.currency, sum(e.minor) as minor from commands c
         join executions e on e.command_id = c.id and e.entry = c.operation
         where c.status = 'pending' group by e.currency`
      )
      .map(({ currency, minor }): [string, bigint] => [currency, minor])
  )
  return {
    balances: db.all("select currency, minor from balances order by currency").map(({ currency, minor }) => ({
      currency,
      network: null,
      available: amountOf(minor, currency),
      pending: amountOf(pending.get(currency) ?? 0n, currency)
    }))
  }
}

/** `GET /statements?after=`: the oldest first. */
export const statement = ({ db }: Bank, cursor: string | null): Result => {
  const rows = db.all("select * from ledger where seq > ? order by seq limit ?", after(cursor), page)
  return {
    lines: rows.map(({ booked_at, command_id, currency, minor, narration, payin_id, reference, seq }) => ({
      id: `line_${seq}`,
      booked_at: new Date(Number(booked_at)).toISOString(),
      direction: minor < 0n ? "debit" : "credit",
      amount: amountOf(minor < 0n ? -minor : minor, currency),
      currency,
      command_id,
      payin_id,
      provider_reference: reference,
      transaction_hash: null,
      narration
    })),
    cursor: rows.length > 0 ? String(rows.at(-1)!["seq"]) : cursor
  }
}
