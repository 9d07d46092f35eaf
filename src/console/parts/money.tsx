/** Amounts: the API's decimal text, grouped, never a JavaScript number. */
import { formatNumber, t } from "../frame/language.ts"
import { isZero } from "./decimal.ts"

const decimalSign = formatNumber(1.1).charAt(1)

/** Formats a decimal text of the API exactly, as the language writes it. Other text stays as it is. */
export const formatDecimal = (amount: string): string => {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(\.\d+)?$/.exec(amount) ?? []
  return whole === ""
    ? amount
    : `${sign === "-" ? "−" : ""}${formatNumber(BigInt(whole))}${fraction.replace(".", decimalSign)}`
}

export const amountText = (amount: string, currency: string): string => `${formatDecimal(amount)} ${currency}`

export interface MoneyProps {
  readonly amount: string | null | undefined
  readonly currency: string | null | undefined
}

/** An amount with its currency. `null` means that the amount is not known yet. */
export const Money = ({ amount, currency }: MoneyProps) =>
  amount === null || amount === undefined ? (
    <span class="dim" title={t("Not known yet")}>
      —
    </span>
  ) : (
    <span class="money">
      {formatDecimal(amount)} <span class="currency">{currency ?? ""}</span>
    </span>
  )

/** An amount with its currency; a zero amount without it. */
export const MoneyOrZero = ({ amount, currency }: { readonly amount: string; readonly currency: string | null }) =>
  isZero(amount) ? <span class="dim">0</span> : <Money amount={amount} currency={currency} />
