/** Exact decimals of any currency, as integers of 10^-18. No amount of a file is ever a JavaScript number. */
import { formatAmount, splitAmount } from "../machines/kernel/money.ts"

const scale = 18

/** A count of 10^-18 of a currency's unit, whatever its decimals. Negative: of a balance, or of a sum. */
export type Units = bigint

/**
 * Parses plain decimal text (`1000`, `1000.5`, `00.05`): digits, and at most one point with at most 18 decimals after it. Undefined for
 * anything else, a sign or an exponent included, and for more than 18 digits before the point.
 */
export const parseDecimal = (text: string): Units | undefined => {
  if (!/^\d+(?:\.\d{0,18})?$/.test(text)) return undefined
  return splitAmount(text.replace(/^0+(?=\d)/, "").replace(/\.$/, ""), scale)?.kept
}

/** Formats units as canonical decimal text: no zeros at either end that say nothing, `-` for a negative amount. */
export const formatUnits = (units: Units): string => formatAmount(units, { decimals: 0, ledger_scale: scale })
