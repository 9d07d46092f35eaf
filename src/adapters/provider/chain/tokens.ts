/** The tokens of a chain, and amounts of them. */
import { formatAmount, type Minor, parseAmount } from "../../../machines/kernel/money.ts"

export interface ChainToken {
  readonly currency: string
  readonly decimals: number
}

/** Formats units of a token's smallest unit as exact decimal text, without trailing zeros. */
export const formatTokenAmount = (units: bigint, decimals: number): string =>
  formatAmount(units, { decimals: 0, ledger_scale: decimals })

/** What a command pays: `units` of a token, in its smallest unit. */
export interface Payable<Token> {
  readonly token: Token
  readonly units: Minor
}

/** Resolves the token, amount and recipient of a command, or says why it can never be paid. */
export const resolvePayment = <Token extends ChainToken>(
  { network, tokens }: { readonly network: string; readonly tokens: ReadonlyArray<Token> },
  { amount, currency }: { readonly amount: string; readonly currency: string }
): Payable<Token> | string => {
  const token = tokens.find((one) => one.currency === currency)
  if (token === undefined) return `${currency} is not configured on ${network}`
  const units = parseAmount(amount, token.decimals)
  return typeof units === "string" ? `${amount} is not an amount of ${currency}` : { token, units }
}
