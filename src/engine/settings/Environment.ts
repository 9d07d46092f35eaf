import { Context } from "effect"

/** Which of the two worlds this engine serves: `test` with simulated money, `live` with real. Keys carry it. */
export type Environment = "test" | "live"
export const Environment = Context.Reference<Environment>("corridor/engine/Environment", { defaultValue: () => "test" })
