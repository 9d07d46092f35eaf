/** What the operator may look into: the ledger, a resource's history, what is stuck (decisions 13). */
import { Clock, Context, Effect, Layer } from "effect"
import { formatAmount } from "../../machines/kernel/money.ts"
import { notesOf } from "../Change.ts"
import { NotFound, type StorageFault } from "../errors.ts"
import { kindOfId, kinds } from "../kinds.ts"
import { currencyOf } from "../reference/currencies.ts"
import { transactionKinds } from "../representations/transaction.ts"
import { type Paging, sliceOf } from "../schemas.ts"
import { type Row, Storage, type StoredPosting } from "../Storage.ts"
import { iso } from "../Time.ts"
import { stem } from "../Ids.ts"

const shown = (minor: string, currency: string): string => formatAmount(BigInt(minor), currencyOf(currency))

const postingBody = (p: StoredPosting) => ({
  resource_id: p.resource_id,
  version: p.version,
  debit: p.debit,
  credit: p.credit,
  amount: shown(p.amount, p.currency),
  currency: p.currency,
  at: iso(p.at)
})

/** Kinds whose resources are expected to end by themselves. */
const moving: ReadonlyArray<string> = [...kinds.values()]
  .filter((kind) => kind.payout !== undefined || kind.refund !== undefined)
  .map((kind) => kind.kind)

const endings: ReadonlyArray<string> = [...new Set([...kinds.values()].flatMap((kind) => kind.ended))]

const stuckBody = ({ id, kind, merchant_id, status, state, created_at, updated_at }: Row, now: number) => ({
  id,
  kind,
  merchant_id,
  status,
  state,
  created_at: iso(created_at),
  updated_at: iso(updated_at),
  idle_seconds: Math.floor((now - updated_at) / 1000)
})

export class Books extends Context.Service<Books>()("corridor/engine/Books", {
  make: Effect.gen(function* () {
    const storage = yield* Storage

    const found = Effect.fnUntraced(function* (id: string) {
      const kind = kindOfId(id)
      const candidates = id.startsWith("txn_")
        ? transactionKinds.map((name) => kinds.get(name)!)
        : kind === undefined
          ? []
          : [kind]
      let fault: StorageFault | undefined
      // At once: whoever has it answers for all, and what could not be asked matters only where none of them has it.
      const row = yield* Effect.flip(
        Effect.forEach(
          candidates,
          ({ kind: name, prefix }) =>
            Effect.matchEffect(storage.find(name, `${prefix}_${stem(id)}`), {
              onSuccess: (found) => (found === undefined ? Effect.void : Effect.fail(found)),
              onFailure: (failure) => Effect.sync(() => void (fault ??= failure))
            }),
          { concurrency: "unbounded", discard: true }
        )
      ).pipe(Effect.orElseSucceed(() => undefined))
      if (row !== undefined) return row
      if (fault !== undefined) return yield* fault
      return yield* new NotFound({ message: `There is no resource ${JSON.stringify(id)}.` })
    })

    return {
      /** Per currency the sums of either side, equal always; per class and currency what stands there. */
      trialBalance: Effect.map(storage.trialBalance, ({ currencies, classes }) => ({
        currencies: currencies.map(({ currency, debits, credits }) => ({
          currency,
          debits: shown(debits, currency),
          credits: shown(credits, currency),
          difference: shown((BigInt(debits) - BigInt(credits)).toString(), currency)
        })),
        classes: classes.map((one) => ({ ...one, balance: shown(one.balance, one.currency) }))
      })),

      entries: Effect.fn("Books.entries")(function* (account: string, input: Paging) {
        const { page, per_page, offset, limit } = sliceOf(input)
        const { items, total } = yield* storage.entries(account, offset, limit)
        return {
          items: items.map((item) => ({ merchant_id: item.merchant_id, ...postingBody(item) })),
          page,
          per_page,
          total
        }
      }),

      /** Every transition of a resource with its cause, and the postings and events it made. Errors: `NotFound`. */
      history: Effect.fn("Books.history")(function* (id: string) {
        const row = yield* found(id)
        const { transitions, postings, events } = yield* storage.history(row.merchant_id, row.id)
        const notes = notesOf(row)
        let published = 0
        return {
          id: row.id,
          kind: row.kind,
          merchant_id: row.merchant_id,
          status: row.status,
          transitions: transitions.map((one) => {
            const before = published
            published = one.event_count
            const made = events.filter(({ sequence }) => sequence > before && sequence <= one.event_count)
            return {
              version: one.version,
              from: one.from,
              to: one.to,
              event: one.via,
              cause: one.cause,
              note: notes[one.version] ?? null,
              at: iso(one.at),
              postings: postings.filter((p) => p.version === one.version).map(postingBody),
              events: made.map(({ id: event_id, type: event_type, sequence: event_sequence }) => ({
                event_id,
                event_type,
                event_sequence
              }))
            }
          })
        }
      }),

      /** Resources that have not ended, that nothing is due for, and that were last touched this long ago. */
      stuck: Effect.fn("Books.stuck")(function* (older_than_seconds: number, input: Paging) {
        const { page, per_page, offset, limit } = sliceOf(input)
        const now = yield* Clock.currentTimeMillis
        const { items, total } = yield* storage.idle(moving, endings, now - older_than_seconds * 1000, offset, limit)
        return { items: items.map((row) => stuckBody(row, now)), page, per_page, total }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
