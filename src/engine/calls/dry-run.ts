/** The preview of a dry run: what its Changes would have written (DRYRUN-1, DRYRUN-4). */
import { isGuarded } from "../../machines/kernel/ledger.ts"
import type { Kinds } from "../commit/kind.ts"
import type { DryRunRecord, NotAsked } from "../ports/dry-run.ts"
import type { Change, JobWrite, PostingWrite, RowWrite } from "../ports/Storage.ts"
import { displayAmount } from "../reference/currencies.ts"
import type { ApprovalBody } from "../representations/controls/approval.ts"
import type { DryRunBody } from "../representations/dry-run.ts"

/** Makes the empty record of a dry run. `within`: the dry run that contains it, whose writes it sees. */
export const makeDryRun = (within?: DryRunRecord): DryRunRecord => ({
  changes: [],
  written: [],
  not_asked: [],
  limits: [],
  ...(within === undefined ? {} : { within })
})

/** An account of the platform as a merchant sees it, also in a timeline. */
const PLATFORM = "platform"

const toPosting =
  (isOwn: boolean) =>
  ({ amount, credit, currency, debit, resource_id }: PostingWrite): ReadonlyArray<DryRunBody["postings"][number]> => {
    const shown = (account: string): string => (isOwn && !isGuarded(account) ? PLATFORM : account)
    if (shown(debit) === PLATFORM && shown(credit) === PLATFORM) return []
    return [
      {
        resource_id,
        debit: shown(debit),
        credit: shown(credit),
        amount: displayAmount(amount, currency),
        currency
      }
    ]
  }

/** The members of a movement's data that say which way it takes. */
interface Routed {
  readonly provider?: string
  readonly route?: ReadonlyArray<string>
  readonly currency?: string
  readonly source_currency?: string
  readonly destination_currency?: string
  readonly network?: string
  readonly destination?: { readonly network?: string }
  readonly wallet?: { readonly network?: string }
}

/** The providers of a new movement, in order, as a dry run shows them. */
const findRoute = ({ data }: RowWrite, isOwn: boolean): DryRunBody["route"] => {
  const {
    currency,
    destination,
    destination_currency,
    network,
    provider,
    route = [],
    source_currency,
    wallet
  } = data as Routed
  const source = source_currency ?? currency
  if (provider === undefined || source === undefined) return null
  return {
    provider: isOwn ? null : provider,
    fallbacks: isOwn ? [] : route,
    source_currency: source,
    destination_currency: destination_currency ?? source,
    network: network ?? destination?.network ?? wallet?.network ?? null
  }
}

/** The commands that have an effect at a provider. */
const effects: ReadonlySet<unknown> = new Set(["submit", "refund", "issue"])

/** The command of a job that has an effect at its provider, as a list. */
const listCommands = ({ body }: JobWrite): ReadonlyArray<NotAsked> =>
  effects.has(body["operation"]) && typeof body["provider"] === "string"
    ? [{ provider: body["provider"], operation: String(body["operation"]) }]
    : []

const collectParts = <Part extends "postings" | "events" | "jobs" | "rows">(
  changes: ReadonlyArray<Change>,
  part: Part
): Change[Part] => changes.flatMap((change): ReadonlyArray<unknown> => change[part]) as unknown as Change[Part]

/** Makes the preview of a dry run. `isOwn`: for a merchant, who sees no providers and no accounts of the platform (TIMELINE-2). */
export const toDryRunBody = (
  { byName }: Kinds["Service"],
  { awaits, changes, limits, not_asked }: DryRunRecord,
  isOwn: boolean,
  approval: ApprovalBody | undefined
): DryRunBody => {
  const movement = collectParts(changes, "rows").find(
    ({ kind, version }) => version === 1 && byName.get(kind)?.transaction
  )
  return {
    postings: collectParts(changes, "postings").flatMap(toPosting(isOwn)),
    events: collectParts(changes, "events").map(({ object_id, type }) => ({ type, resource_id: object_id })),
    route: movement === undefined ? null : findRoute(movement, isOwn),
    // A merchant sees nothing of what others use (LIMITS-12).
    limits: limits.flatMap(({ scope, ...one }) => (isOwn && scope === "platform" ? [] : [one])),
    approval: approval === undefined ? (awaits ?? null) : { operation: approval.operation, needed: approval.needed },
    not_asked: [...not_asked, ...collectParts(changes, "jobs").flatMap(listCommands)].map(
      ({ operation, provider }) => ({
        provider: isOwn ? null : provider,
        operation
      })
    )
  }
}
