/**
 * Exchange rates. Decimals are computed with a decimal library only here. Rates leave this module as decimal strings,
 * and prices are computed from them with integers (`machines/kernel/pricing.ts`).
 */
import Big from "big.js"
import { Context, Effect, Layer } from "effect"
import { InvariantViolation, type ProviderFault } from "./errors.ts"
import { requireCurrency } from "../reference/currencies.ts"

/**
 * A separate constructor, so that its precision and rounding cannot be changed elsewhere: 40 decimals, rounded towards
 * zero, strings only.
 */
const Decimal = Big()
Decimal.DP = 40
Decimal.RM = Big.roundDown
Decimal.strict = true

const SIGNIFICANT_DIGITS = 12

/** Simulated mid rates: units of a currency for one US dollar (PRICE-1). */
export const simulatedMidRates: Readonly<Record<string, string>> = {
  EUR: "0.92",
  GHS: "12.5",
  KES: "129",
  NGN: "1500",
  UGX: "3700",
  USD: "1",
  USDC: "1",
  USDT: "1",
  XOF: "600",
  ZAR: "18"
}

const requireMid = (table: Readonly<Record<string, string>>, code: string): string => {
  const mid = Object.hasOwn(table, code) ? table[code] : undefined
  if (mid === undefined) throw new InvariantViolation(`no mid rate for ${code}`)
  return mid
}

/** Formats a rate with all of its digits, without an exponent. */
const formatDecimal = (rate: Big.Big): string => rate.toFixed()

/** A mid rate: `per_usd` units of a currency for `usd` US dollars (default: `"1"`), both positive decimal strings. */
export interface MidRate {
  readonly per_usd: string
  readonly usd?: string
}

/** Computes the units of a currency for one US dollar, rounded down to 40 decimals. */
export const perUsdOf = ({ per_usd, usd = "1" }: MidRate): string =>
  usd === "1" ? per_usd : formatDecimal(new Decimal(per_usd).div(usd))

/**
 * The rate for a customer: units of `destination` for one unit of `source`, after a spread in the platform's favour.
 *
 * Shapes: `spread` is a fraction (`"0.005"`). The result has at most 12 significant digits, rounded down once, without
 * exponent or trailing zeros. From fiat to crypto the spread raises the price of the crypto, 1 / (mid × 1.005);
 * otherwise it lowers the mid, mid × 0.995. Cross rates go through the US dollar. Source: PRICE-1, PRICE-2.
 */
export const computeCustomerRate = (
  source: MidRate & { readonly type: "fiat" | "crypto" },
  destination: MidRate & { readonly type: "fiat" | "crypto" },
  spread: string
): string => {
  const one = new Decimal("1")
  // Products first, and one division: a rate that is rounded twice can lose a unit of its last digit.
  const given = new Decimal(destination.per_usd).times(source.usd ?? "1")
  const taken = new Decimal(source.per_usd).times(destination.usd ?? "1")
  const rate =
    source.type === "fiat" && destination.type === "crypto"
      ? given.div(taken.times(one.plus(spread)))
      : given.times(one.minus(spread)).div(taken)
  return formatDecimal(rate.prec(SIGNIFICANT_DIGITS, Big.roundDown))
}

export class Rates extends Context.Service<
  Rates,
  {
    /**
     * Units of `destination` that a customer gets for one unit of `source`, including all spreads.
     *
     * Shapes: `source` and `destination` are currency codes. The result is a positive decimal string of at most 12
     * significant digits, without exponent.
     * Law: a quote locks the rate; a later call may return another.
     * Errors: `ProviderFault` when no rate is available. Nothing is quoted then.
     */
    readonly rate: (source: string, destination: string) => Effect.Effect<string, ProviderFault>
    /**
     * Units of a currency for one US dollar at the mid rate, without spread, for fees, ranges and limits that are set
     * in dollars. A positive decimal string. Errors: `ProviderFault` when no rate is available.
     */
    readonly perUsd: (code: string) => Effect.Effect<string, ProviderFault>
  }
>()("corridor/engine/Rates") {
  /** Rates from a table of mid rates per dollar and a spread. A code that is not in the table is a defect. */
  static readonly ofTable = (mids: Readonly<Record<string, string>>, spread: string): Rates["Service"] => {
    const side = (code: string) => ({ type: requireCurrency(code).type, per_usd: requireMid(mids, code) })
    return Rates.of({
      rate: (source, destination) => Effect.sync(() => computeCustomerRate(side(source), side(destination), spread)),
      perUsd: (code) => Effect.sync(() => requireMid(mids, code))
    })
  }

  /** The layer of {@link ofTable}. */
  static readonly table = (mids: Readonly<Record<string, string>>, spread: string): Layer.Layer<Rates> =>
    Layer.succeed(Rates, Rates.ofTable(mids, spread))

  /** The simulated market of the test environment, with a spread of 50 basis points (PRICE-1). */
  static readonly layer = Rates.table(simulatedMidRates, "0.005")
}
