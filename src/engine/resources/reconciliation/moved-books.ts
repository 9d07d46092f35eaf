/**
 * Which accounts have open lines, by provider, as this node knows them. Money that moves at the provider may explain such a line, so the
 * Change that moves it also writes a job that looks at these accounts (MATCH-7).
 */
import { Effect, Layer } from "effect"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { movedTimer } from "../../../machines/reconciliation/matching.ts"
import { classOf, ownerOf } from "../../../machines/kernel/ledger.ts"
import { makeLastRead } from "../../calls/last-read.ts"
import { readAllRows } from "../../calls/reads.ts"
import { MovedBooks } from "../../commit/moved-books.ts"
import { jobId } from "../../commit/steps.ts"
import { DryRun } from "../../ports/dry-run.ts"
import { type Change, type JobWrite, PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { ExternalAccountKind } from "./external-account.ts"
import { MatchingStateKind } from "./matching-state.ts"
import { listAccountsWithOpenLines, StatementLineKind } from "./statement-line.ts"

/** How long a node uses what it has read, in milliseconds. The lines that another node has stored meanwhile are looked at after a minute. */
const FRESH_MS = 30_000

/** What a merchant moves in this time asks for one look, but for what it moves at once. */
const TOGETHER_MS = 1_000

/** The accounts of the ledger at which an outcome moves money, and a provider is given it. */
const classes: ReadonlySet<string> = new Set(["world", "clearing"])

const listProviders = ({ postings }: Change): ReadonlySet<string> =>
  new Set(
    postings.flatMap(({ credit, debit }) =>
      [credit, debit].flatMap((account) => (classes.has(classOf(account)) ? [ownerOf(account)] : []))
    )
  )

interface Waiting {
  readonly accounts: ReadonlyArray<Row<ExternalAccountData>>
  readonly open: ReadonlySet<string>
}

const readWaiting = Effect.fnUntraced(function* (storage: Storage["Service"]) {
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [ExternalAccountKind.kind], index_keys: [] }
  const accounts = (yield* readAllRows(storage, query, () => true)) as ReadonlyArray<Row<ExternalAccountData>>
  const open = yield* listAccountsWithOpenLines(
    storage,
    accounts.map(({ id }) => id)
  )
  return { accounts, open } satisfies Waiting as Waiting
})

/** `nth`: of the Changes of the merchant that ask for a look at once. No two write one job, for which one would wait. */
const askForLook = ({ at, merchant_id }: Change, account_id: string, nth: number): JobWrite => {
  const period = Math.floor(at / TOGETHER_MS) + 1
  const id = jobId(account_id, `${movedTimer}_${period}_${nth}`)
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

/** Numbers for those that do something at once: each has the lowest that no other of its name has. */
const makeNumbers = () => {
  const taken = new Map<string, Set<number>>()
  return {
    take: (name: string): number => {
      const own = taken.get(name) ?? new Set<number>()
      taken.set(name, own)
      let nth = 0
      while (own.has(nth)) nth++
      own.add(nth)
      return nth
    },
    give: (name: string, nth: number): void => {
      const own = taken.get(name)
      own?.delete(nth)
      if (own?.size === 0) taken.delete(name)
    }
  }
}

export const movedBooks = Layer.effect(
  MovedBooks,
  Effect.map(Storage, (storage) => {
    let known: ReadonlySet<string> = new Set()
    /** The accounts of which this node has written lines since it began to read last. */
    let since = new Set<string>()
    const read = Effect.suspend(() => {
      const own = (since = new Set<string>())
      return Effect.map(readWaiting(storage), ({ accounts, open }) => {
        known = open
        return Map.groupBy(
          accounts.filter(({ id }) => open.has(id) || own.has(id)),
          ({ data }) => data.provider
        )
      })
    })
    const waiting = makeLastRead(read, FRESH_MS)
    const readIds = Effect.fnUntraced(function* (providers: ReadonlySet<string>) {
      if ((yield* DryRun) !== undefined) return []
      const accounts = yield* waiting.current
      return [...providers].flatMap((provider) => (accounts.get(provider) ?? []).map(({ id }) => id))
    })
    const numbers = makeNumbers()
    return {
      committed: (change, commit) => {
        const providers = listProviders(change)
        if (providers.size === 0) return commit(change)
        // An outcome is not held up: what is not known now, the clock looks at.
        const ids = Effect.orElseSucceed(readIds(providers), (): ReadonlyArray<string> => [])
        const nameOf = (id: string): string => `${change.merchant_id} ${id}`
        return Effect.flatMap(ids, (all) =>
          all.length === 0
            ? commit(change)
            : Effect.acquireUseRelease(
                Effect.sync(() => all.map((id) => ({ id, nth: numbers.take(nameOf(id)) }))),
                (own) =>
                  commit({
                    ...change,
                    jobs: [...change.jobs, ...own.map(({ id, nth }) => askForLook(change, id, nth))]
                  }),
                (own) => Effect.sync(() => own.forEach(({ id, nth }) => numbers.give(nameOf(id), nth)))
              )
        )
      },
      written: ({ rows }) => {
        let isNews = rows.some(({ kind }) => kind === ExternalAccountKind.kind)
        for (const { data, kind } of rows) {
          if (kind !== StatementLineKind.kind) continue
          const { external_account_id } = data as StatementLineData
          since.add(external_account_id)
          // More lines of an account that waits are no news.
          isNews ||= !known.has(external_account_id)
        }
        if (isNews) waiting.forget()
      }
    }
  })
)
