import { Context, Effect } from "effect"

/**
 * Whether each request, each state change of a resource, and each failed delivery or call to a provider is logged. A server does
 * so; an embedded engine leaves it to its host.
 */
export const ActivityLog = Context.Reference<boolean>("corridor/engine/ActivityLog", { defaultValue: () => false })

/** Logs beside work that goes on although a Logger of the host throws (TELEMETRY-9). */
export const unfailing = (log: Effect.Effect<void>): Effect.Effect<void> => Effect.catchCause(log, () => Effect.void)

/** Logs a failure at `warn`, with the ids of what it concerns, if activity is logged. */
export const logFailure = (text: string, ids: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(ActivityLog) ? unfailing(Effect.annotateLogs(Effect.logWarning(text), ids)) : Effect.void
  )
