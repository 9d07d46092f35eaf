/** How banks write a currency beside an amount. */

/** What no table of a language has. */
const others: Readonly<Record<string, ReadonlyArray<string>>> = {
  AED: ["Dh", "Dhs", "Dh.", "Dhs."],
  AUD: ["AU$"],
  CAD: ["C$"],
  CHF: ["Fr.", "SFr."],
  CNY: ["RMB", "\u5143"],
  DKK: ["kr."],
  GHS: ["GH\u00a2", "\u20b5"],
  INR: ["Rs", "Rs."],
  JPY: ["\uffe5", "\u5186"],
  KES: ["Ksh", "Kshs", "Ksh."],
  LKR: ["Rs."],
  NGN: ["N"],
  NOK: ["kr."],
  NZD: ["NZ$"],
  PKR: ["Rs."],
  SEK: ["kr."],
  SGD: ["S$", "SG$"],
  TRY: ["TL"],
  TZS: ["TSh", "Tsh."],
  UGX: ["USh", "Ush."],
  USD: ["US$"],
  XAF: ["CFA"],
  XOF: ["CFA"]
}

/** Normalizes the sign of a currency for comparison: without spaces, in lower case. */
export const toPlainSign = (text: string): string => text.replace(/\s/g, "").toLowerCase()

const displays = ["symbol", "narrowSymbol"] as const

const known = new Map<string, ReadonlyArray<string>>()

/** Lists the code and the signs of a currency, as {@link toPlainSign} has them, the longest first. None means another currency. */
export const listSigns = (currency: string): ReadonlyArray<string> => {
  const found = known.get(currency)
  if (found !== undefined) return found
  const signs = /^[A-Z]{3}$/.test(currency)
    ? displays.map(
        (display) =>
          new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: display })
            .formatToParts(0)
            .find(({ type }) => type === "currency")?.value
      )
    : []
  const all = [currency, ...signs, ...(others[currency] ?? [])].filter((sign) => sign !== undefined).map(toPlainSign)
  const sorted = [...new Set(all)].toSorted((a, b) => b.length - a.length)
  known.set(currency, sorted)
  return sorted
}
