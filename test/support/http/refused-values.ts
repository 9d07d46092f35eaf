/** Values that an amount or a reference never takes, as rows of refusals. */
import { type ExpectedRefusal, says } from "./refusals.ts"
import type { Stock } from "./stocked-server.ts"

/** A name, a body made of the stock, and what it is refused with. */
export type Row = readonly [string, (s: Stock) => unknown, ExpectedRefusal]

const malformed = [
  "-0",
  "-1",
  "+1",
  "1e3",
  "1E3",
  ".5",
  "5.",
  "1,5",
  "1_000",
  " 1",
  "1 ",
  "1\n",
  "0x10",
  "",
  "NaN",
  "Infinity",
  "9".repeat(19),
  `1.${"0".repeat(19)}`,
  "١",
  "１",
  "1.2.3",
  "1\u0000",
  "$1"
]
const mistyped = [1, 1.5, 0, true, ["1"], { value: "1" }]
const zeros = ["0", "0.00", "000", "0.000000000000000000"]

/** What every amount refuses; `formed` is the code for a fault of its form. */
export const amountRows = (name: string, valid: (s: Stock) => object, formed: string): ReadonlyArray<Row> => [
  ...malformed.map(
    (amount): Row => [
      `${name} ${JSON.stringify(amount)}`,
      (s) => ({ ...valid(s), [name]: amount }),
      says(formed, `${name} invalid_format`)
    ]
  ),
  ...mistyped.map(
    (amount): Row => [
      `${name} as ${JSON.stringify(amount)}`,
      (s) => ({ ...valid(s), [name]: amount }),
      says(formed, `${name} invalid_type`)
    ]
  ),
  ...zeros.map(
    (amount): Row => [
      `${name} of nothing: ${amount}`,
      (s) => ({ ...valid(s), [name]: amount }),
      says("invalid_input", `${name} invalid_value`)
    ]
  )
]

const references: ReadonlyArray<unknown> = [
  "",
  " ",
  " a",
  "a ",
  "a\u00a0",
  "a\n",
  "a\tb",
  "a\u0000",
  "a\u007f",
  "a\u200bb",
  "a\u2028b",
  "\ud800",
  "x".repeat(129),
  7,
  ["a"],
  {}
]
const referenceCode = (reference: unknown): string =>
  typeof reference !== "string" ? "invalid_type" : reference.length > 128 ? "too_long" : "invalid_format"
/** What every reference refuses. */
export const referenceRows = (valid: (s: Stock) => object, code: string): ReadonlyArray<Row> =>
  references.map(
    (reference): Row => [
      `the reference ${JSON.stringify(reference)?.slice(0, 20)}`,
      (s) => ({ ...valid(s), reference }),
      says(code, `reference ${referenceCode(reference)}`)
    ]
  )
