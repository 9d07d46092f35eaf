/** The amounts that a provider states of its outcomes: what is due, what differs from it, fees, and impossible amounts. */
import type {
  CommandStatus,
  ConversionCommand,
  MovementOutcome,
  MovementOutcomeType,
  PayoutCommand
} from "../../engine/ports/Provider.ts"
import { parseMinorUnits } from "../program/amounts.ts"

/** An amount in the ledger's units. */
export interface Sum {
  readonly amount: bigint
  readonly currency: string
}

/** What the provider delivers for a movement, and what a return brings back at most. */
export interface Dues {
  readonly due: Sum
  readonly given: Sum
}

/** Outcomes whose amount says something. */
export const outcomesWithAmount: ReadonlySet<MovementOutcomeType> = new Set(["success", "returned", "reversed"])

/** Reads the amount that an outcome states. Null: none. Undefined: an impossible one, so that the outcome does not count. */
export const readStatedAmount = (
  { due, given }: Dues,
  { amount, currency, outcome, parts }: Pick<MovementOutcome, "amount" | "currency" | "outcome" | "parts">
): bigint | null | undefined => {
  if (!outcomesWithAmount.has(outcome)) return null
  const expected = (outcome === "success" ? due : given).currency
  if (currency && currency !== expected) return undefined
  if (parts) return parts.reduce((sum, part) => sum + (parseMinorUnits(part.amount, expected) ?? 0n), 0n)
  return amount ? parseMinorUnits(amount, expected) : null
}

/** Decimals of amounts, as providers write them. */
const decimalsOf: Readonly<Record<string, number>> = { USDC: 6, USDT: 6, UGX: 0, XOF: 0 }

export const formatAmount = (amount: bigint, currency: string): string => {
  const decimals = decimalsOf[currency] ?? 2
  const digits = amount.toString().padStart(decimals + 1, "0")
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

type Said = Pick<MovementOutcome, "amount" | "currency" | "fee" | "fee_currency" | "provider_reference">

interface Instructed {
  readonly success: readonly [amount: string, currency: string]
  readonly back: readonly [amount: string, currency: string]
}

/** What a provider states of the outcomes of its commands: the same each time, unless it cannot be true. */
export class StatedAmounts {
  readonly #instructed = new Map<string, Instructed>()
  readonly #said = new Map<string, { readonly said: Said; readonly plausible: boolean }>()
  readonly #strikes: (about: string) => boolean
  readonly #fraction: (...of: ReadonlyArray<string | number>) => number

  constructor(strikes: (about: string) => boolean, fraction: (...of: ReadonlyArray<string | number>) => number) {
    this.#strikes = strikes
    this.#fraction = fraction
  }

  /** Notes what a command instructs. */
  submitted(command: PayoutCommand | ConversionCommand): void {
    this.#instructed.set(
      command.resource_id,
      "destination" in command
        ? { success: [command.amount, command.currency], back: [command.amount, command.currency] }
        : {
            success: [command.destination_amount, command.destination_currency],
            back: [command.source_amount, command.source_currency]
          }
    )
  }

  /** An outcome with what the provider states of it. `certain`: a look-up, which is not wrong about its own books. */
  of<Outcome extends MovementOutcome>(resource_id: string, outcome: Outcome, certain: boolean): Outcome {
    const key = `${resource_id} ${outcome.outcome}`
    const instructed = this.#instructed.get(resource_id)
    if (instructed === undefined || !outcomesWithAmount.has(outcome.outcome)) return outcome
    const known = this.#said.get(key) ?? this.#drawn(key, outcome.outcome, instructed)
    this.#said.set(key, known)
    return known.plausible || !certain ? { ...outcome, ...known.said } : outcome
  }

  /** What a return of a movement brings back, if nothing else is stated of it. */
  back(resource_id: string): readonly [amount: string, currency: string] | undefined {
    const stated = this.#said.get(`${resource_id} success`)?.said.amount
    return stated === undefined ? this.#instructed.get(resource_id)?.back : undefined
  }

  /** The result of a look-up, with what the provider states of an outcome. */
  found({ resource_id }: PayoutCommand | ConversionCommand, found: CommandStatus): CommandStatus {
    return found._tag === "settled" ? { ...found, outcome: this.of(resource_id, found.outcome, true) } : found
  }

  #drawn(key: string, outcome: MovementOutcomeType, { back, success }: Instructed) {
    const [amount, currency] = outcome === "success" ? success : back
    const due = parseMinorUnits(amount, currency)
    // Returns are rare, so that each draws three times.
    const chances = outcome === "success" ? [key] : [key, `${key} again`, `${key} once more`]
    if (due === undefined || due < 4n || !chances.some((chance) => this.#strikes(chance)))
      return { said: {}, plausible: true }
    const part = 1n + (due * BigInt(Math.floor(this.#fraction("part", key) * 500))) / 1000n
    const provider_reference = `ref/${key}`
    const fee = { fee: formatAmount(part, currency), fee_currency: currency }
    switch (Math.floor(this.#fraction("stated", key) * 7)) {
      case 0:
      case 1:
        return { said: { amount: formatAmount(due - part, currency), provider_reference }, plausible: true }
      case 2:
        return { said: { amount: formatAmount(due - part, currency), ...fee, provider_reference }, plausible: true }
      case 3:
        return { said: { amount: formatAmount(due + part, currency), currency, provider_reference }, plausible: true }
      case 4:
        return { said: { amount, currency, ...fee, provider_reference }, plausible: true }
      case 5:
        return { said: { amount, currency: currency === "EUR" ? "USD" : "EUR" }, plausible: false }
      default:
        return { said: { amount: `${amount.includes(".") ? amount : `${amount}.`}0000001` }, plausible: false }
    }
  }
}
