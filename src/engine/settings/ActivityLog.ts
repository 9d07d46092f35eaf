import { Context } from "effect"

/**
 * Whether each request and each state change of a resource is logged, at the level `info`. A server does; an embedded engine
 * leaves it to its host.
 */
export const ActivityLog = Context.Reference<boolean>("corridor/engine/ActivityLog", { defaultValue: () => false })
