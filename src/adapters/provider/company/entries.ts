/** What is remembered of a company, in the books of `chain/books.ts`: rows of the platform, whose ids begin with the provider's key. */
import type { ProviderEvent } from "../../../engine/ports/Provider.ts"
import type { EntryWrite } from "../books.ts"
import { entryKey } from "../chain/books.ts"
import type { ChainPayment } from "../chain/reports.ts"

/** Whose key it is that a company is asked with. */
export interface KeyOwner {
  /** What the company calls the account. Null: it has not said. */
  readonly account: string | null
  /** A fingerprint of the key. */
  readonly key: string
}

/** Whether two keys are of one account, as far as anybody can know. Null: of the only one that there is. */
export const isSameOwner = (one: KeyOwner | null, other: KeyOwner | null): boolean => {
  if (one === null || other === null) return one === other
  return one.account !== null && other.account !== null ? one.account === other.account : one.key === other.key
}

/** Whether two keys are known to be of different accounts. */
export const isOtherOwner = (one: KeyOwner, other: KeyOwner): boolean =>
  one.account !== null && other.account !== null && one.account !== other.account

/** A command, from before its first POST. */
export interface CommandEntry extends ChainPayment {
  readonly currency: string
  /** In the smallest unit of the currency, as digits. */
  readonly units: string
  /** The pay-in that a refund returns. */
  readonly payin_id: string | null
  /** How many POSTs were begun. */
  readonly posts: number
  /** Submissions up to this number were told to be absent: they send nothing any more. Absent: none was. */
  readonly fenced?: number
  /** When the last POST began that may have been executed, epoch milliseconds. Null: none may have been. */
  readonly sent_at: number | null
  /** When the first POST began that was not known to be void before the last one. Null: there was none. */
  readonly first_sent_at: number | null
  /** Whose key that POST was sent with. Null: the company has one account. */
  readonly sent_by: KeyOwner | null
  /** When a look-up first found nothing after that POST. Null: none did. */
  readonly missing_since: number | null
  /** The company's id, and its word for the state. Null: none is known. */
  readonly company_id: string | null
  readonly state: string | null
  /** Whether it waits for a person. */
  readonly waits: boolean
  /** The report of its state. Null: it is open, perhaps again. */
  readonly event: ProviderEvent | null
  /** The reports of states that it had before. Absent: there are none. */
  readonly earlier?: ReadonlyArray<ProviderEvent>
  /** The day (UTC) on which it was seen to fail. Absent: it is in no failed state, or it was seen before days were recorded. */
  readonly failed_on?: string
  /** The day (UTC) on which it was first reported as a success, until it is a return. */
  readonly paid_on?: string
}

/** The reports of a provider are numbered; the next one gets `next`. `payins_at`: up to when a build before rounds had listed pay-ins. */
export interface CompanyFeed {
  readonly next: number
  readonly payins_at: number | null
}

export const newFeed: CompanyFeed = { next: 0, payins_at: null }

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
    /** By the company's reference of a pay-in: its id. */
    payinReference: keyOf("company_payin_reference"),
    /** By the name of a list: how far it was read. */
    round: keyOf("company_round"),
    /** By currency: its pay-ins that could not be read. */
    payins: keyOf("company_payins"),
    /** By currency: whose key its commands are sent with. */
    owner: keyOf("company_owner"),
    /** By what the company repeats with each payment to it. */
    account: keyOf("company_account"),
    /** By the command that issues an account. */
    issue: keyOf("company_issue"),
    report: keyOf("company_report"),
    feed: keyOf("company_feed")("all")
  }
  const open = `company_open=${provider}`
  const unissued = `company_unissued=${provider}`
  const waiting = (currency: string): string => `company_waiting=${provider}/${currency}`
  const failedOn = (day: string): string => `company_failed=${provider}/${day}`
  const paidOn = (day: string): string => `company_paid=${provider}/${day}`
  const refundsOf = (payin_id: string): string => `company_refund=${provider}/${payin_id}`
  /** A command is open while its outcome may still come: one that no POST can have executed is not. */
  const isOpen = ({ company_id, event, sent_at }: CommandEntry): boolean =>
    event === null && (sent_at !== null || company_id !== null)
  return {
    keys,
    /**
     * The index keys of commands: those that are open, payouts among them that wait for a person, by currency, those that failed or were paid
     * on a day, and the refunds of a pay-in. `unissued`: what was asked for accounts, of which it is not known whether one was made.
     */
    index: { open, waiting, failedOn, paidOn, refundsOf, unissued },
    writes: {
      command: (data: CommandEntry): EntryWrite => ({
        key: keys.command(data.command_id),
        data,
        index_keys: [
          ...(isOpen(data) ? [open] : []),
          ...(isOpen(data) && data.waits && data.purpose === "payout" ? [waiting(data.currency)] : []),
          ...(data.failed_on === undefined ? [] : [failedOn(data.failed_on)]),
          ...(data.paid_on === undefined ? [] : [paidOn(data.paid_on)]),
          ...(data.payin_id === null ? [] : [refundsOf(data.payin_id)])
        ]
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
