/** All operations by their ids, for what does an act that was stored. */
import { Context } from "effect"
import type { AnyOperation } from "./operation.ts"

export class Operations extends Context.Service<Operations, ReadonlyMap<string, AnyOperation>>()(
  "corridor/engine/Operations"
) {}
