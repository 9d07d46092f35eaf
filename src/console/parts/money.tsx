/** Amounts: the API's decimal text, grouped, never a JavaScript number. */
import { numberText, t } from "../frame/language.ts"
import { isZero } from "./decimal.ts"

const decimalSign = numberText(1.1).charAt(1)

/** A decimal text of the API, exactly, as the language writes it. What is none stays as it is. */
export const decimalText = (amount: string): string => {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(\.\d+)?$/.exec(amount) ?? []
  return whole === ""
    ? amount
    : `${sign === "-" ? "−" : ""}${numberText(BigInt(whole))}${fraction.replace(".", decimalSign)}`
}

export const amountText = (amount: string, currency: string): string => `${decimalText(amount)} ${currency}`

export interface MoneyProps {
  readonly amount: string | null | undefined
  readonly currency: string | null | undefined
}

/** An amount with its currency, where nothing beside it says that. `null` means that the amount is not known yet. */
export const Money = ({ amount, currency }: MoneyProps) =>
  amount === null || amount === undefined ? (
    <span class="dim" title={t("Not known yet")}>
      —
    </span>
  ) : (
    <span class="money">
      {decimalText(amount)} <span class="currency">{currency ?? ""}</span>
    </span>
  )

/** The same, without the currency where it is nothing. */
export const MoneyOrZero = ({ amount, currency }: { readonly amount: string; readonly currency: string | null }) =>
  isZero(amount) ? <span class="dim">0</span> : <Money amount={amount} currency={currency} />
