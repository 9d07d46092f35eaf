/** One line for the reason of a failed start. */
import { Cause } from "effect"
import { MissingKey } from "../../engine/ports/errors.ts"
import type { Config } from "../config/config.ts"
import { formatKey, formatStore } from "./composition.ts"

export const describeFailure = (cause: Cause.Cause<unknown>, config: Config): string => {
  const error = Cause.squash(cause) as {
    readonly _tag?: string
    readonly message?: string
    readonly retryable?: boolean
    readonly cause?: { readonly message?: string }
  }
  if (error.cause instanceof MissingKey)
    return (
      `the store ${formatStore(config)} (DATABASE_URL) was written under the encryption key ${formatKey(error.cause.key)}, ` +
      "which CORRIDOR_ENCRYPTION_KEY does not contain. Add that key, after a comma. To change the key, follow docs/runbooks/key-rotation.md."
    )
  if (error._tag === "StorageFault")
    return (
      `the store ${formatStore(config)} (DATABASE_URL) cannot be used: ${error.message}` +
      (error.retryable === true ? ". Start the database, or correct DATABASE_URL: corridor doctor checks it." : "")
    )
  if (error._tag === "ServeError")
    return `HOST:PORT ${config.host}:${config.port} is not available: ${error.cause?.message ?? "it is in use"}`
  // A refusal by the engine or an adapter of how it was put together.
  if (error instanceof TypeError || error instanceof RangeError) return error.message
  return Cause.pretty(cause)
}
