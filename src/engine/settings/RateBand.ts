import { Context } from "effect"
import type { BandWidths } from "../../machines/kernel/rate-band.ts"
import type { Rates } from "../ports/Rates.ts"

/** How far rates may move before an operator has to accept them (RATE-1 to RATE-4). Widths are fractions. */
export interface RateBandWidths extends BandWidths {
  /** How far the rate of a pair may be from the cross rate of its two currencies. */
  readonly cross: string
  /** How far a rate may be from that of the second source. */
  readonly between: string
}

const width = /^\d{1,3}(?:\.\d{1,18})?$/

/** Whether a text is a width of a band. */
export const isWidth = (given: unknown): boolean =>
  typeof given === "string" && width.test(given) && /[1-9]/.test(given)

export const defaultBand: RateBandWidths = { minute: "0.1", day: "0.3", cross: "0.3", between: "0.1" }

/** The band of an engine, and its second source. `off`: every rate is used. */
export interface Band {
  readonly widths: RateBandWidths
  readonly second: Rates["Service"] | null
}
export const RateBandSetting = Context.Reference<Band | "off">("corridor/engine/RateBandSetting", {
  defaultValue: () => ({ widths: defaultBand, second: null })
})
