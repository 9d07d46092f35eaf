import { Context } from "effect"

/**
 * What happens to a beneficiary whose destination no provider screens. `required`: it is refused, and a live engine does not
 * start without a provider that screens. `none`: it is cleared. Default: `required` in `live`, `none` in `test`.
 */
export type ScreeningPolicy = "required" | "none"
export const ScreeningSetting = Context.Reference<ScreeningPolicy>("corridor/engine/ScreeningSetting", {
  defaultValue: () => "none"
})
