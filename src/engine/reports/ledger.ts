/** The operator's reports: the ledger, a resource's history, and stuck resources (OPERATOR-3, LEDGER-1, LEDGER-2). */
import { Clock, Context, Effect, Layer, Schema, Struct } from "effect"
import { bindFirst } from "../../machines/kernel/bound.ts"
import { classOf, ownerOf } from "../../machines/kernel/ledger.ts"
import { readNotes } from "../commit/changeset.ts"
import { listReports, providerReferenceOf } from "../commit/reported-outcomes.ts"
import { Kinds } from "../commit/kind.ts"
import { findAnywhere } from "./find.ts"
import {
  answerKey,
  isWaiting,
  findNextJobId,
  describeProgress,
  lastProgressAt,
  progressRule,
  statesOfQueues,
  waitingKinds,
  listWaits
} from "./progress.ts"
import { providerOf, Providers } from "../ports/Provider.ts"
import { displayAmount } from "../reference/currencies.ts"
import { BooleanParam, IntegerParam, Optional, type Paging, paging, toSlice } from "../input/schemas.ts"
import { ofMerchant, makeWordFilter } from "../input/members.ts"
import { type CallRecord, type Row, Storage, type StoredPosting } from "../ports/Storage.ts"
import { iso } from "../ports/Time.ts"

const toPostingBody = ({ merchant_id: _, ...posting }: StoredPosting) => ({
  ...posting,
  amount: displayAmount(posting.amount, posting.currency),
  at: iso(posting.at)
})

const toIdentity = (row: Row) => Struct.pick(row, ["id", "kind", "merchant_id", "status", "state"])

/** How many jobs of a page are read concurrently. */
const JOBS_AT_ONCE = 16

export const Stuck = Schema.Struct({
  older_than_seconds: Optional(
    IntegerParam(0, 315_360_000),
    "The least time without progress, in seconds. Default: 600.",
    600
  ),
  kind: makeWordFilter(waitingKinds, "kind"),
  merchant_id: ofMerchant,
  without_queues: Optional(
    BooleanParam,
    "`true`: without what people decide in lists of their own, which are open exceptions and breaks, pending access requests, verifications in progress, and payouts that wait for approval. Default: `false`.",
    true
  ),
  ...paging
})
export type Stuck = typeof Stuck.Type

/** The progress of a resource that has ended. */
const atRest = {
  ...{ since: null, reason: null, awaited_person: null, attempts: null, last_answer: null, next_attempt_at: null }
} as const

const makeDeps = Effect.all({ storage: Storage, providers: Providers, kinds: Kinds })
type Deps = Effect.Success<typeof makeDeps>

/** Converts the id of a provider's account to its stored form, with the provider's first name. Other ids stay. */
const toStoredAccount = ({ providers }: Deps, account: string): string =>
  ["clearing", "world", "costs", "receivable", "float"].includes(classOf(account)) && ownerOf(account) !== ""
    ? `${classOf(account)}:${providers.keyOf(ownerOf(account))}`
    : account

/** Reads the answer to the latest submission, if it led to no step: the provider accepted it, and no job has logged that. */
const readAcceptance = Effect.fnUntraced(function* ({ storage }: Deps, row: Row, command: string) {
  const { attempts } = row.data as { readonly attempts?: unknown }
  if (typeof attempts !== "number" || row.state === "refunding") return []
  const now = yield* Clock.currentTimeMillis
  const record = yield* storage.idempotencyRecord(row.merchant_id, answerKey({ command, attempt: attempts }), now)
  return record?.response ? [JSON.parse(record.response) as CallRecord] : []
})

/** Reads why a resource waits, and the progress of its next job. */
const readProgress = Effect.fnUntraced(function* (deps: Deps, row: Row) {
  const { providers, storage } = deps
  const next = findNextJobId(row)
  if (next === undefined) return describeProgress(row, undefined, providers)
  const [job, accepted] = yield* Effect.all([storage.job(row.merchant_id, next), readAcceptance(deps, row, next)], {
    concurrency: 2
  })
  return describeProgress(row, job, providers, accepted)
})

const listLedgerEntries = Effect.fnUntraced(function* (deps: Deps, account: string, input: Paging) {
  const { storage } = deps
  const { page, per_page, offset, limit } = toSlice(input)
  const { items, total } = yield* storage.entries(toStoredAccount(deps, account), offset, limit)
  const entries = items.map((item) => ({ merchant_id: item.merchant_id, ...toPostingBody(item) }))
  return { items: entries, page, per_page, total }
})

/** Reads the transitions of a resource, each with its cause and the postings and events it made. Errors: `NotFound`. */
const readHistory = Effect.fnUntraced(function* (deps: Deps, id: string) {
  const { storage, kinds } = deps
  const row = yield* findAnywhere(storage, kinds, id)
  const { transitions, postings, events } = yield* storage.history(row.merchant_id, row.id)
  const notes = readNotes(row)
  let published = 0
  return {
    ...toIdentity(row),
    provider: providerOf(row) ?? null,
    provider_reference: providerReferenceOf(row),
    outcomes: listReports(row).map((one) => ({
      ...one,
      at: iso(one.at),
      parts: one.parts ?? null,
      complete: one.parts === undefined ? null : one.complete === true
    })),
    ...(isWaiting(row) ? { since: iso(lastProgressAt(transitions)), ...(yield* readProgress(deps, row)) } : atRest),
    transitions: transitions.map((one) => {
      const before = published
      published = one.event_count
      const made = events.filter(({ sequence }) => sequence > before && sequence <= one.event_count)
      return {
        ...Struct.pick(one, ["version", "from", "to", "cause"]),
        event: one.via,
        note: notes[one.version] ?? null,
        at: iso(one.at),
        postings: postings.filter((p) => p.version === one.version).map(toPostingBody),
        events: made.map(({ id: event_id, type: event_type, sequence: event_sequence }) => ({
          event_id,
          event_type,
          event_sequence
        }))
      }
    })
  }
})

/** Reads the amount of a resource, if it has one. */
const readAmount = ({ kinds }: Deps, { data, kind }: Row) => {
  const [amount, currency] = kinds.byName.get(kind)?.searchValues?.(data)?.amounts?.[0] ?? []
  return amount === undefined || currency === undefined
    ? { amount: null, currency: null }
    : { amount: displayAmount(amount, currency), currency }
}

/** Lists the resources that have not ended and have made no progress for some time, oldest first. */
const listStuck = Effect.fnUntraced(function* (deps: Deps, input: Stuck) {
  const { storage } = deps
  const { page, per_page, offset, limit } = toSlice(input)
  const { kind, merchant_id, older_than_seconds = 600, without_queues = false } = input
  const now = yield* Clock.currentTimeMillis
  const { items, total } = yield* storage.idle({
    waits: listWaits(kind, without_queues),
    ...(without_queues ? { without: statesOfQueues } : {}),
    ...progressRule,
    ...(merchant_id === undefined ? {} : { merchant_id }),
    before: now - older_than_seconds * 1000,
    now,
    offset,
    limit
  })
  const shown = yield* Effect.forEach(
    items,
    (row) =>
      Effect.map(readProgress(deps, row), (facts) => ({
        ...toIdentity(row),
        ...readAmount(deps, row),
        since: iso(row.since),
        ...facts
      })),
    { concurrency: JOBS_AT_ONCE }
  )
  return { items: shown, page, per_page, total }
})

export class LedgerReports extends Context.Service<LedgerReports>()("corridor/engine/LedgerReports", {
  make: Effect.gen(function* () {
    const deps = yield* makeDeps
    const { storage } = deps

    return {
      ...bindFirst(deps, { entries: listLedgerEntries, history: readHistory, stuck: listStuck }),
      /** For each currency the sums of both sides, which are always equal; for each class and currency its balance. */
      trialBalance: Effect.map(storage.trialBalance, ({ currencies, classes }) => ({
        currencies: currencies.map(({ currency, debits, credits }) => ({
          currency,
          debits: displayAmount(debits, currency),
          credits: displayAmount(credits, currency),
          difference: displayAmount((BigInt(debits) - BigInt(credits)).toString(), currency)
        })),
        classes: classes.map((one) => ({ ...one, balance: displayAmount(one.balance, one.currency) }))
      }))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
