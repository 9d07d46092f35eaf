/** Why a server did not start, and one line for the reason. */
import { Cause } from "effect"
import { MissingKey } from "../../engine/ports/errors.ts"
import type { Config } from "../config/config.ts"
import { formatKey, formatStore } from "./composition.ts"

// Why a server did not start. Nothing runs after either error.

/** The configuration has faults, and nothing was started. The message has one line for each. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
  readonly faults: ReadonlyArray<string>
  constructor(faults: ReadonlyArray<string>) {
    super(faults.join("\n"))
    this.faults = faults
  }
}

/** The server could not start: its store, its address, or a provider. The message is one line. */
export class StartError extends Error {
  override readonly name = "StartError"
}

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
