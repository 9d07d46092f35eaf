/** Events that count for nothing by themselves, and are recorded for the operator: once for each content. */
import { Clock, Effect } from "effect"
import type { Kinds } from "../../commit/Kinds.ts"
import type { HandlerResult, Source } from "../../commit/source.ts"
import { sha256 } from "../../crypto/secrets.ts"
import { isKeptUnreadable, recordUnreadable, resourceIdOf } from "../../input/unreadable-event.ts"
import type { StorageFault, Unavailable } from "../../ports/errors.ts"
import type { ProviderEvent } from "../../ports/Provider.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"
import type { ExceptionDetails } from "../../resources/deposits/exception.ts"

interface Recording {
  readonly kinds: Kinds["Service"]
  readonly storage: Storage["Service"]
  readonly provider: string
  /** How long an event id is remembered. */
  readonly remembering: Pick<Source, "deduplication_ms">
  readonly isOurs: (row: Row) => boolean
  /** What an event would put at risk under an id of its own (EXCEPTION-5). */
  readonly exposedBy: (
    event: ProviderEvent
  ) => Effect.Effect<Pick<ExceptionDetails, "exposure" | "severity">, StorageFault>
  readonly recordIgnored: (
    merchant_id: string,
    source: Source,
    details: Omit<ExceptionDetails, "provider">
  ) => Effect.Effect<HandlerResult, Unavailable>
}

/** The records of one provider. */
export const recording = ({ exposedBy, isOurs, kinds, provider, recordIgnored, remembering, storage }: Recording) => {
  /** The resource that a message names, if it exists and is this provider's. */
  const subjectOf = Effect.fnUntraced(function* (id: string | null): Effect.fn.Return<Row | undefined, StorageFault> {
    const kind = id === null ? undefined : kinds.ofId(id)
    const row = id === null || kind === undefined ? undefined : yield* storage.find(kind.kind, id)
    return row === undefined || !isOurs(row) ? undefined : row
  })

  return {
    /** An event whose id was used for another event: recorded beside the first, once for each content. */
    reused: Effect.fnUntraced(function* (merchant_id: string, event: ProviderEvent, source: Source) {
      const now = yield* Clock.currentTimeMillis
      const first = yield* storage.idempotencyRecord(merchant_id, source.deduplicationKey!, now)
      const recorded: unknown = first?.response ? JSON.parse(first.response) : null
      const deduplicationKey = `${source.deduplicationKey}/${yield* sha256(source.content!)}`
      const about = { event, reason: "event_id_reused", recorded, ...(yield* exposedBy(event)) } as const
      return yield* recordIgnored(merchant_id, { ...source, deduplicationKey }, about)
    }),

    /** A message that is no event (PROTOCOL-10): recorded with the resource that it names. Its id stays free for the event. */
    unreadable: Effect.fnUntraced(function* (sent: unknown) {
      const { content, fault, key } = isKeptUnreadable(sent) ? sent : yield* recordUnreadable(sent)
      yield* Effect.logWarning(`an event of ${provider} could not be read: ${fault}`)
      const row = yield* subjectOf(resourceIdOf(content))
      const deduplicationKey = `unreadable/${provider}/${key}`
      return yield* recordIgnored(
        row?.merchant_id ?? PLATFORM_MERCHANT,
        { ...remembering, deduplicationKey },
        {
          event: null,
          unreadable: content,
          reason: "unreadable_event",
          detail: fault,
          ...(row === undefined ? {} : { row })
        }
      )
    })
  }
}
