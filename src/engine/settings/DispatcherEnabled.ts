import { Context } from "effect"

/**
 * Whether this node runs a dispatcher: claims jobs, calls the provider, delivers events and deletes expired data. A node
 * without one only responds to requests. Use it to inspect a restored copy of a store without paying anything again.
 */
export const DispatcherEnabled = Context.Reference<boolean>("corridor/engine/DispatcherEnabled", {
  defaultValue: () => true
})
