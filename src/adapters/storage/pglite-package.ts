/** The package of the embedded Postgres, an optional dependency: it is loaded when such a store is opened. */
import { Effect } from "effect"
import { StorageFault } from "../../engine/ports/errors.ts"
import { optionalPeer } from "../../engine/ports/optional-peer.ts"

/** Errors: `StorageFault`, which names the package, when it is not installed. */
export const pglitePackage = Effect.tryPromise({
  try: () => optionalPeer("@electric-sql/pglite", "a pglite: store", () => import("@electric-sql/pglite")),
  catch: (cause) => new StorageFault({ message: (cause as Error).message, retryable: false, cause })
})
