/** What is remembered of a company, in the books of `chain/books.ts`: rows of the platform, whose ids begin with the provider's key. */
import type { ProviderEvent } from "../../../engine/ports/Provider.ts"
import type { EntryWrite } from "../books.ts"
import { entryKey } from "../chain/books.ts"
import type { ChainPayment } from "../chain/reports.ts"

/** A command, from before its first POST. */
export interface CommandEntry extends ChainPayment {
  readonly currency: string
  /** In the smallest unit of the currency, as digits. */
  readonly units: string
  /** The pay-in that a refund returns. */
  readonly payin_id: string | null
  /** How many POSTs were begun. */
  readonly posts: number
  /** When the last POST began that may have been executed, epoch milliseconds. Null: none may have been. */
  readonly sent_at: number | null
  /** When a look-up first found nothing after that POST. Null: none did. */
  readonly missing_since: number | null
  /** The company's id, and its word for the state. Null: none is known. */
  readonly company_id: string | null
  readonly state: string | null
  /** The last outcome that was reported. Null: it is open. */
  readonly event: ProviderEvent | null
}

/** The reports of a provider are numbered; the next one gets `next`. `payins_at`: pay-ins have been listed up to then. */
export interface CompanyFeed {
  readonly next: number
  readonly payins_at: number | null
}

export const newFeed: CompanyFeed = { next: 0, payins_at: null }

/** An account that was issued, by what the company repeats with each payment to it. */
export interface IssuedAccount {
  readonly target: string
}

export const companyEntries = (provider: string) => {
  const keyOf =
    <Kind extends string>(kind: Kind) =>
    (id: string | number) =>
      entryKey(kind, `${provider}/${id}`)
  const keys = {
    command: keyOf("company_command"),
    /** By the company's id of what it made of a command: transfers and refunds are numbered apart. */
    payment: (purpose: ChainPayment["purpose"], id: string) => keyOf("company_payment")(`${purpose}/${id}`),
    /** By the company's id of a pay-in. */
    payin: keyOf("company_payin"),
    account: keyOf("company_account"),
    report: keyOf("company_report"),
    feed: keyOf("company_feed")("all")
  }
  const open = `company_open=${provider}`
  const waiting = (currency: string): string => `company_waiting=${provider}/${currency}`
  return {
    keys,
    /** The index keys of commands: those that are open, and those of them that wait for a person, by currency. */
    index: { open, waiting },
    writes: {
      command: (data: CommandEntry, waits = false): EntryWrite => ({
        key: keys.command(data.command_id),
        data,
        index_keys: data.event !== null ? [] : waits ? [open, waiting(data.currency)] : [open]
      }),
      /** The reports, and the feed behind them. */
      reports: (feed: CompanyFeed, events: ReadonlyArray<ProviderEvent>): ReadonlyArray<EntryWrite> => [
        { key: keys.feed, data: { ...feed, next: feed.next + events.length } },
        ...events.map((event, offset) => ({ key: keys.report(feed.next + offset), data: { event } }))
      ]
    }
  }
}

export type CompanyEntries = ReturnType<typeof companyEntries>
