/** What Bridge says of pay-ins and of its wallet, and what the port says of it: the tables of `docs/providers/bridge.md`, and pure functions over them. */
import { Schema } from "effect"
import type { PayinEvent } from "../../../engine/ports/Provider.ts"
import { Loose, paymentDecimals, isPlainId, PlainId, textOf } from "../company/answers.ts"
import { unitsOf } from "./mapping.ts"
import { currencies } from "./options.ts"

/** `port`: what it makes of a deposit. `none`: it says nothing about money that is paid in. */
export interface ActivityRow {
  readonly port: "waits" | "arrived" | "confirmed" | "failed" | "none"
  readonly means: string
}

/** What happens to an account for pay-ins. A word that is not here is a fault, and says nothing about a deposit. */
export const activities: Readonly<Record<string, ActivityRow>> = {
  funds_scheduled: { port: "none", means: "a payment by ACH is announced" },
  funds_received: { port: "arrived", means: "Bridge has the payment: its amount is what the payer sent" },
  in_review: { port: "waits", means: "Bridge reviews it, for a day or for many" },
  payment_submitted: { port: "waits", means: "its USDC is on its way to the wallet" },
  payment_processed: { port: "confirmed", means: "its USDC is in the wallet" },
  refunded: { port: "failed", means: "it was sent back to the payer" },
  microdeposit: { port: "none", means: "a bank tries the account: Bridge keeps it" },
  account_update: { port: "none", means: "the account has changed" },
  deactivation: { port: "none", means: "the account takes nothing any more" },
  reactivation: { port: "none", means: "the account takes payments again" }
}

/** An item of the activity of accounts, as far as a list must have it. */
export type ActivityItem = typeof ActivityItem.Type
export const ActivityItem = Schema.Struct({
  ...{ id: PlainId, created_at: Schema.String, virtual_account_id: Loose, type: Loose, deposit_id: Loose },
  ...{ amount: Loose, currency: Loose, source: Loose }
})

/** A payment as it arrived. `units` of a cent. */
export interface Arrival {
  readonly units: string
  readonly currency: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly sender: PayinEvent["sender"]
  readonly narration: string | null
}

/** What an item says of a deposit. */
export interface DepositNews {
  readonly account: string
  readonly deposit_id: string
  readonly port: Exclude<ActivityRow["port"], "none">
  readonly arrival?: Arrival
}

const arrivalIn = ({ amount, created_at, currency, source }: ActivityItem): Arrival | undefined => {
  const units = unitsOf(amount, paymentDecimals)
  const paid = typeof currency === "string" ? currencies.find((one) => one === currency.toUpperCase()) : undefined
  if (units === undefined || paid === undefined) return undefined
  const name = textOf(source, "sender_name") ?? textOf(source, "originator_name")
  const narration = textOf(source, "description") ?? textOf(source, "wire_message")
  return {
    ...{ units: String(units), currency: paid, at: Date.parse(created_at), narration },
    sender: name === null ? null : { name }
  }
}

/** What an item says of a deposit. Null: nothing. A sentence: it cannot be read. Total. */
export const newsIn = (item: ActivityItem): DepositNews | string | null => {
  const { deposit_id, id, type, virtual_account_id } = item
  const row = typeof type === "string" && Object.hasOwn(activities, type) ? activities[type] : undefined
  if (row?.port === "none") return null
  const what = `the activity ${id} of an account`
  if (row === undefined) return `${what} is ${JSON.stringify(type) ?? "nothing"}, which decides nothing`
  if (!isPlainId(deposit_id) || !isPlainId(virtual_account_id)) return `${what} names no deposit that can be read`
  const news = { account: virtual_account_id, deposit_id, port: row.port }
  if (row.port !== "arrived") return news
  const arrival = arrivalIn(item)
  return arrival === undefined ? `${what} has no amount that can be read` : { ...news, arrival }
}

/** Whether the wallet has more or less after an item of its history. A word that is not here says neither. */
export const walletTypes: Readonly<Record<string, "credit" | "debit">> = {
  deposit: "credit",
  direct_deposit: "credit",
  return: "credit",
  withdrawal: "debit"
}

/** An item of the history of the wallet, as far as a list must have it. */
export type WalletItem = typeof WalletItem.Type
export const WalletItem = Schema.Struct({
  ...{ id: PlainId, created_at: Schema.String, amount: Loose, currency: Loose, type: Loose },
  payment_route: Schema.optionalKey(Schema.NullOr(Schema.Struct({ transfer_id: Loose })))
})

/** What moved. `transfer`: Bridge's id of the transfer that moved it; null: it was none. Undefined: the item cannot be read. Total. */
export const moveIn = ({ amount, created_at, currency, payment_route, type }: WalletItem) => {
  const direction = typeof type === "string" && Object.hasOwn(walletTypes, type) ? walletTypes[type] : undefined
  const units = unitsOf(amount)
  if (direction === undefined || units === undefined || typeof currency !== "string") return undefined
  if (currency.toLowerCase() !== "usdc") return undefined
  const transfer = payment_route?.transfer_id
  return { direction, units, at: Date.parse(created_at), transfer: isPlainId(transfer) ? transfer : null }
}
