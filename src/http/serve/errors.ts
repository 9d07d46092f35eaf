/** Why a server did not start. Nothing runs after either error. */

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
