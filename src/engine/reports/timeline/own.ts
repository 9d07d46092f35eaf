/** A timeline as the merchant sees it: nothing of the provider, the platform's accounts or its people (TIMELINE-2). */
import { isGuarded } from "../../../machines/kernel/ledger.ts"
import type { Kind } from "../../commit/kind.ts"
import type { Row } from "../../ports/Storage.ts"
import type { TimelineEntry } from "../../representations/timeline.ts"
import { postingSentence, requestSentence, transitionSentence } from "./sentences.ts"

const PLATFORM = "platform"

const ofMerchant = (account: string): string => (isGuarded(account) ? account : PLATFORM)

/** Who caused a transition, without ids. */
const causes: ReadonlyArray<readonly [pattern: RegExp, cause: string]> = [
  [/^(?:idem|req)\//, "request"],
  [/^(?:provider|answer|lookup|issue)\//, "provider"]
]

/**
 * The entries that the owner of a resource may see. Its transitions are those between statuses, because states between them say
 * how a provider treats the movement. A posting between two accounts of the platform is left out.
 */
export const ownEntries = (
  kind: Kind,
  { data }: Row,
  entries: ReadonlyArray<TimelineEntry>
): ReadonlyArray<TimelineEntry> => {
  const statusOf = (state: string): string => kind.status?.(state, data) ?? state
  let isOperators = false
  return entries.flatMap((entry): ReadonlyArray<TimelineEntry> => {
    switch (entry.type) {
      case "request": {
        isOperators = entry.operator !== null
        if (!isOperators) return [entry]
        const operator = { id: null, name: "operator" }
        const summary = requestSentence("operator", null, operator.name)
        return [{ ...entry, summary, request_id: null, key_id: null, idempotency_key: null, operation: null, operator }]
      }
      case "transition": {
        const from = entry.from === null ? null : statusOf(entry.from)
        const to = statusOf(entry.to)
        const caused = causes.find(([pattern]) => pattern.test(entry.cause))?.[1] ?? "corridor"
        const cause = caused === "request" && isOperators ? "operator" : caused
        if (from === to) return []
        return [
          { ...entry, summary: transitionSentence(kind.kind, entry.event, from, to), from, to, cause, note: null }
        ]
      }
      case "posting": {
        const [debit, credit] = [ofMerchant(entry.debit), ofMerchant(entry.credit)]
        if (debit === PLATFORM && credit === PLATFORM) return []
        return [{ ...entry, summary: postingSentence(entry.amount, entry.currency, debit, credit), debit, credit }]
      }
      case "provider_call":
      case "provider_event":
        return []
      default:
        return [entry]
    }
  })
}
