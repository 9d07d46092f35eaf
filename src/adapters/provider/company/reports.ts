/** What the engine reads of a company: outcomes and pay-ins, numbered. */
import { Effect } from "effect"
import type { PayinEvent, ProviderEvent } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { type ChainBooks, readData } from "../chain/books.ts"
import { type CompanyEntries, type CompanyFeed, newFeed } from "./entries.ts"

/** Reports of one page. */
const pageSize = 100

const numberIn = (cursor: string | null): number => (cursor !== null && /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0)

/** A pay-in, of which no more is known than is said. `observed_at`: not a number: it was not said. */
type KnownPayin = Pick<PayinEvent, "payin_id" | "target" | "amount" | "currency" | "network" | "observed_at"> &
  Partial<PayinEvent>

const makePayin = (known: KnownPayin, now: number): PayinEvent => ({
  ...{ _tag: "payin", event_id: `payin/${known.payin_id}`, stage: "confirmed" },
  ...{ transaction_hash: null, from_address: null, sender: null, narration: null, ...known },
  observed_at: Number.isNaN(known.observed_at) ? now : known.observed_at
})

export const makeReports = (books: ChainBooks, { keys, writes }: CompanyEntries) => ({
  /** The reports after a cursor, and the cursor after them. Law: the same cursor gives the same reports, and more only behind them. */
  after: Effect.fnUntraced(function* (cursor: string | null) {
    const from = numberIn(cursor)
    const asked = Array.from({ length: pageSize }, (_, offset) => keys.report(from + offset))
    const rows = yield* books.get(asked)
    const events: Array<ProviderEvent> = []
    for (const { id } of asked) {
      const row = rows.find((one) => one.id === id)
      if (row === undefined) break
      events.push((row.data as { readonly event: ProviderEvent }).event)
    }
    return { events, cursor: String(from + events.length) }
  }),
  /** Reports a pay-in, once by the company's id, and once that it failed after all; returns its report. */
  payin: Effect.fnUntraced(function* (known: KnownPayin) {
    const event = makePayin(known, yield* wallNow)
    return yield* books.amend([keys.payin(event.payin_id), keys.feed], ([row, feedRow]) => {
      const reported = readData<{ readonly event: PayinEvent }>(row)
      if (reported !== undefined && (reported.event.stage === event.stage || event.stage !== "failed"))
        return { entries: [], result: reported.event }
      const feed = readData<CompanyFeed>(feedRow) ?? newFeed
      return {
        entries: [{ key: keys.payin(event.payin_id), data: { event } }, ...writes.reports(feed, [event])],
        result: event
      }
    })
  }),
  /** Up to when a build before rounds had listed pay-ins; null: never. */
  payinsAt: Effect.map(books.read<CompanyFeed>(keys.feed), (feed) => feed?.payins_at ?? null),
  /** Which of these pay-ins were reported, by the company's ids. */
  reported: (ids: ReadonlyArray<string>) =>
    Effect.map(
      books.get(ids.map((id) => keys.payin(id))),
      (rows) => new Set(rows.map(({ id }) => id.slice(id.indexOf("/") + 1)))
    )
})

export type Reports = ReturnType<typeof makeReports>
