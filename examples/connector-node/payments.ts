/**
 * Money that leaves: payouts, conversions and refunds. A command is executed in the transaction that accepts it, settles
 * after the bank's delay, and may come back later.
 */
import { randomBytes } from "node:crypto"
import {
  BadRequest,
  type Bank,
  type Body,
  type Command,
  type Decision,
  find,
  lookUp,
  once,
  type Request,
  type Result,
  update
} from "./commands.ts"
import type { Offer } from "./config.ts"
import { record } from "./events.ts"
import { balanceOf, book } from "./ledger.ts"
import { amountOf, feeOf, minorOf } from "./money.ts"

export type Payment = "payout" | "conversion" | "refund"

const rejected = (reason: string, refundable = true): Decision => ({
  status: "rejected",
  result: { reason, refundable }
})

const referenceOf = (): string => `BK${randomBytes(6).toString("hex").toUpperCase()}`

/** The first offer of an operation that takes these members. A member that the command leaves open is taken. */
export const offerFor = (
  { config }: Bank,
  operation: Offer["operation"],
  wanted: { readonly [name in "currency" | "destination_currency" | "country_code" | "network"]?: string | null }
): Offer | undefined =>
  config.offers.find(
    (offer) =>
      offer.operation === operation &&
      (["currency", "destination_currency", "country_code", "network"] as const).every(
        (name) => offer[name] === undefined || (wanted[name] ?? offer[name]) === offer[name]
      )
  )

const isWithin = (minor: bigint, currency: string, { minimum, maximum }: Offer): boolean =>
  minor >= (minimum === undefined ? 0n : (minorOf(minimum, currency) ?? 0n)) &&
  (maximum === undefined || minor <= (minorOf(maximum, currency) ?? minor))

/** Whether submissions are taken now. Not executed, they may be submitted again. */
const isOpen = ({ db }: Bank): boolean =>
  db.get("select value from settings where name = 'availability'")?.["value"] !== "closed"

/** Takes the money out of the platform's balance: this is the execution of the command. */
export const execute = (
  bank: Bank,
  entry: Payment,
  id: string,
  minor: bigint,
  currency: string,
  body: Body
): string => {
  const reference = referenceOf()
  book(bank, {
    entry,
    minor: -minor,
    currency,
    command_id: id,
    payin_id: body["payin_id"] ?? null,
    reference,
    narration: body["narration"] ?? body["reference"] ?? null
  })
  return reference
}

/** Checks that the balance holds the amount and its fee, executes, and leaves the outcome to {@link conclude}. */
const accept = (
  bank: Bank,
  entry: Payment,
  id: string,
  minor: bigint,
  currency: string,
  body: Body,
  offer?: Offer
): Decision => {
  const fee = feeOf(minor, currency, offer?.cost)
  if (!isOpen(bank) || balanceOf(bank, currency) < minor + fee) return "unavailable"
  const provider_reference = execute(bank, entry, id, minor, currency, body)
  return {
    status: "pending",
    result: { provider_reference, fee: fee === 0n ? null : amountOf(fee, currency) },
    due_at: Date.now() + bank.config.delay_ms * (isReviewed(body) ? 10 : 1)
  }
}

/** A bank asks its accounts here. This one has no account whose number is zeros. */
export const isAccount = (account_number: unknown): boolean => !/^0*$/.test(String(account_number ?? ""))

/** Payments to an account number that ends in 0010 wait for a person of the bank, ten times as long as others. */
const isReviewed = ({ destination }: Body): boolean => String(destination?.account_number ?? "").endsWith("0010")

export const payout = (bank: Bank, request: Request): Result =>
  submissionResult(
    once(bank, "payout", request, (order) => {
      const { amount, currency, destination } = order
      const { country_code, network } = destination
      const offer = offerFor(bank, "payout", { currency, country_code, network })
      const minor = minorOf(amount, currency)
      if (offer === undefined || destination.type !== "fiat") return rejected("not_offered")
      if (minor === undefined) return rejected("amount_invalid")
      if (!isWithin(minor, currency, offer)) return rejected("amount_out_of_range")
      if (destination.rail !== "payshap" && !isAccount(destination.account_number)) return rejected("account_not_found")
      return accept(bank, "payout", request.id, minor, currency, order, offer)
    })
  )

/** A bank compares `rate` with its own price here, and rejects what it would lose on. */
export const conversion = (bank: Bank, request: Request): Result =>
  submissionResult(
    once(bank, "conversion", request, (order) => {
      const { source_amount, source_currency: currency, destination_amount, destination_currency } = order
      const offer = offerFor(bank, "conversion", { currency, destination_currency })
      const minor = minorOf(source_amount, currency)
      if (offer === undefined) return rejected("not_offered")
      if (minor === undefined || minorOf(destination_amount, destination_currency) === undefined)
        return rejected("amount_invalid")
      if (!isWithin(minor, currency, offer)) return rejected("amount_out_of_range")
      return accept(bank, "conversion", request.id, minor, currency, order, offer)
    })
  )

/** Law: the refunds of a pay-in never exceed it, whatever their ids. */
export const refund = (bank: Bank, request: Request): Result =>
  submissionResult(
    once(bank, "refund", request, (order) => {
      const { amount, currency, payin_id } = order
      const payin = bank.db.get("select * from payins where payin_id = ? and stage = 'confirmed'", payin_id)
      const minor = minorOf(amount, currency)
      if (payin === undefined || payin["currency"] !== currency) return rejected("payin_not_found", false)
      if (minor === undefined) return rejected("amount_invalid", false)
      if (payin["refunded"] + minor > payin["minor"]) return rejected("amount_above_payin", false)
      const decision = accept(bank, "refund", request.id, minor, currency, order)
      if (decision !== "unavailable")
        bank.db.run("update payins set refunded = refunded + ? where payin_id = ?", minor, payin_id)
      return decision
    })
  )

/** A bank says here who must act before a payment goes on. */
const awaitedPersonOf = ({ content }: Command): Body =>
  isReviewed(content) ? { awaited_person: { party: "provider", action: "review the payout" } } : {}

const submissionResult = (found: ReturnType<typeof once>): Result => {
  if (typeof found === "string") return { status: found }
  const { result, status } = found
  if (status === "rejected") return { status, ...result }
  return status === "settled" ? { status, outcome: result } : { status: "accepted", ...awaitedPersonOf(found) }
}

/** `GET` of a command by its id. A rejected one has ended without an execution. */
export const status = (bank: Bank, operation: Payment, request: Request): Result => {
  const command = lookUp(bank, operation, request)
  if (command === undefined) return { status: "absent" }
  if (command.status === "pending") return { status: "pending", ...awaitedPersonOf(command) }
  return {
    status: "settled",
    outcome:
      command.status === "settled"
        ? command.result
        : { outcome: "failed", reason: command.result["reason"], transaction_hash: null }
  }
}

/** How a payment ends. `amount`: of a success, what was paid; of a return, what came back. Undefined: all of it. */
export interface Ending {
  readonly outcome: string
  readonly amount?: string | undefined
  readonly reason?: string | undefined
}

const endings: Readonly<Record<Payment, ReadonlyArray<string>>> = {
  payout: ["success", "failed", "cancelled", "returned", "reversed"],
  conversion: ["success", "failed"],
  refund: ["success", "failed"]
}

/** Endings that may follow a success: the money comes back days later. */
const later: Readonly<Record<Payment, ReadonlyArray<string>>> = {
  payout: ["returned", "reversed"],
  conversion: [],
  refund: ["failed"]
}

/**
 * Ends a payment: what was not paid is booked back, and Corridor is told, in one transaction.
 *
 * Errors: throws {@link BadRequest} for an unknown id, and for an ending that cannot follow what is.
 */
export const conclude = (bank: Bank, operation: Payment, id: string, { amount, outcome, reason }: Ending): void =>
  bank.db.transaction(() => {
    const command = find(bank.db, operation, id)
    if (command === undefined) throw new BadRequest(`id: no ${operation} has the id ${id}`)
    const { content, result, status } = command
    const isFirst = status === "pending"
    const taken = isFirst ? endings[operation] : result["outcome"] === "success" ? later[operation] : []
    if (!taken.includes(outcome))
      throw new BadRequest(
        `outcome: found ${JSON.stringify(outcome)}; the ${operation} is ${result["outcome"] ?? status}, and ${taken.length === 0 ? "none" : taken.join(", ")} is taken`
      )
    const currency: string = operation === "conversion" ? content["source_currency"] : content["currency"]
    const ordered = minorOf(operation === "conversion" ? content["source_amount"] : content["amount"], currency)!
    const out = isFirst ? ordered : minorOf(result["amount"], currency)!
    const stated = amount === undefined ? out : minorOf(amount, currency)
    if (stated === undefined || stated > out)
      throw new BadRequest(`amount: found ${JSON.stringify(amount)}; at most ${amountOf(out, currency)} is taken`)
    const isSuccess = outcome === "success"
    const isPartial = isSuccess || outcome === "returned" || outcome === "reversed"
    const back = isSuccess ? out - stated : isPartial ? stated : out
    const line = { command_id: id, payin_id: content["payin_id"] ?? null, reference: result["provider_reference"] }
    if (back > 0n) book(bank, { ...line, entry: "back", minor: back, currency, narration: reason ?? outcome })
    if (isSuccess && operation === "conversion") {
      const { destination_amount, destination_currency } = content
      const bought = minorOf(destination_amount, destination_currency)!
      book(bank, { ...line, entry: "converted", minor: bought, currency: destination_currency, narration: null })
    }
    const fee: string | null = isSuccess && isFirst ? result["fee"] : null
    if (fee !== null) book(bank, { ...line, entry: "fee", minor: -minorOf(fee, currency)!, currency, narration: null })
    if (operation === "refund" && !isSuccess)
      bank.db.run("update payins set refunded = refunded - ? where payin_id = ?", back, content["payin_id"])
    // This bank sends a refund at once. One that sends it in instalments adds a part with each, and reports again.
    const parts =
      operation === "refund" && isSuccess
        ? {
            parts: [{ id: `${result["provider_reference"]}/1`, amount: amountOf(stated, currency) }],
            complete: stated === out
          }
        : {}
    const ended = {
      outcome,
      reason: reason ?? null,
      transaction_hash: null,
      amount: isPartial && operation !== "conversion" ? amountOf(stated, currency) : null,
      fee,
      fee_currency: fee === null ? null : currency,
      provider_reference: result["provider_reference"]
    }
    update(bank.db, command, "settled", { ...ended, ...parts })
    const { merchant_id, resource_id } = content
    const { transaction_hash: _, ...refunded } = { ...ended, ...parts }
    record(
      bank,
      operation === "refund" ? "refund" : "movement",
      operation === "refund"
        ? { merchant_id, resource_id, command_id: id, ...refunded }
        : { merchant_id, resource_id, ...ended }
    )
  })

/** A payment whose time has come succeeds, unless it has ended meanwhile. */
export const settle = (bank: Bank, { id, operation }: Command): void => {
  if (find(bank.db, operation, id)?.status === "pending")
    conclude(bank, operation as Payment, id, { outcome: "success" })
}
