/**
 * The accounts that have lines which nothing accounts for, by their provider, as a node knows them. What moves at the provider may be such a
 * line: the Change that moves it has a job of its merchant, by which they are looked at (MATCH-7).
 */
import { Effect, Layer } from "effect"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import { movedTimer } from "../../../machines/reconciliation/matching.ts"
import { classOf, ownerOf } from "../../../machines/kernel/ledger.ts"
import { lastRead } from "../../calls/last-read.ts"
import { everyRow } from "../../calls/reads.ts"
import { MovedBooks } from "../../commit/moved-books.ts"
import { jobId } from "../../commit/steps.ts"
import { DryRun } from "../../ports/dry-run.ts"
import { type Change, type JobWrite, PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { ExternalAccountKind } from "./external-account.ts"
import { MatchingStateKind } from "./matching-state.ts"
import { listAccountsWithOpenLines, StatementLineKind } from "./statement-line.ts"

/** How long a node uses what it has read, in milliseconds. The lines that another node has stored meanwhile are looked at after a minute. */
const FRESH_MS = 30_000

/** What a merchant moves in this time asks for one look. */
const TOGETHER_MS = 1_000

/** The accounts of the ledger at which an outcome moves money, and a provider is given it. */
const classes: ReadonlySet<string> = new Set(["world", "clearing"])

const listProviders = ({ postings }: Change): ReadonlySet<string> =>
  new Set(
    postings.flatMap(({ credit, debit }) =>
      [credit, debit].flatMap((account) => (classes.has(classOf(account)) ? [ownerOf(account)] : []))
    )
  )

const readWaiting = Effect.fnUntraced(function* (storage: Storage["Service"]) {
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [ExternalAccountKind.kind], index_keys: [] }
  const accounts = (yield* everyRow(storage, query, () => true)) as ReadonlyArray<Row<ExternalAccountData>>
  const open = yield* listAccountsWithOpenLines(
    storage,
    accounts.map(({ id }) => id)
  )
  return Map.groupBy(
    accounts.filter(({ id }) => open.has(id)),
    ({ data }) => data.provider
  )
})

const askForLook = ({ at, merchant_id }: Change, account_id: string): JobWrite => {
  const period = Math.floor(at / TOGETHER_MS) + 1
  const id = jobId(account_id, `${movedTimer}_${period}`)
  return {
    id,
    queue: "timer",
    partition_key: `${merchant_id}.${id}`,
    status: "pending",
    due_at: period * TOGETHER_MS,
    attempt: 0,
    created_at: at,
    body: { kind: MatchingStateKind.kind, id: account_id, name: movedTimer },
    log: []
  }
}

export const movedBooks = Layer.effect(
  MovedBooks,
  Effect.map(Storage, (storage) => {
    const waiting = lastRead(readWaiting(storage), FRESH_MS)
    const readIds = Effect.fnUntraced(function* (change: Change, providers: ReadonlySet<string>) {
      if ((yield* DryRun) !== undefined) return []
      const accounts = yield* waiting.current
      return [...providers].flatMap((provider) =>
        (accounts.get(provider) ?? []).map(({ id }) => askForLook(change, id))
      )
    })
    const kinds: ReadonlySet<string> = new Set([StatementLineKind.kind, ExternalAccountKind.kind])
    return {
      jobsOf: (change) => {
        const providers = listProviders(change)
        // An outcome is not held up: what is not known now, the clock looks at.
        return providers.size === 0 ? Effect.succeed([]) : Effect.orElseSucceed(readIds(change, providers), () => [])
      },
      written: ({ rows }) => {
        if (rows.some(({ kind }) => kinds.has(kind))) waiting.forget()
      }
    }
  })
)
