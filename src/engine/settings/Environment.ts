import { Context } from "effect"

/**
 * The environment of this engine: `test` with simulated money, or `live` with real money. API keys name it in their
 * prefix.
 */
export type Environment = "test" | "live"
export const Environment = Context.Reference<Environment>("corridor/engine/Environment", { defaultValue: () => "test" })
