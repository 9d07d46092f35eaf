/** Money that arrives: accounts for customers, payment instructions for payers, and what is paid to them. */
import { randomBytes } from "node:crypto"
import {
  BadRequest,
  type Bank,
  type Body,
  type Command,
  find,
  isText,
  lookUp,
  once,
  type Request,
  type Result,
  update
} from "./commands.ts"
import { record } from "./events.ts"
import { book } from "./ledger.ts"
import { amountOf, minorOf } from "./money.ts"
import { offerFor } from "./payments.ts"

const name = "Example Bank"
const code = "EXB"

/** A row of its own for each target: no two have one number. Inside the transaction of its caller. */
const accountNumberFor = ({ db }: Bank, operation: string, id: string): string => {
  db.run("insert into targets (operation, id) values (?, ?)", operation, id)
  return String(8_000_000_000n + db.get("select last_insert_rowid() as seq")!["seq"])
}

const stated = ({ country_code, currency, network }: Body) => ({ currency, country_code, network })

/** Opens an account in the name of the holder. It is ready after the bank's delay. */
export const issue = (bank: Bank, request: Request): Result =>
  issueResult(
    once(bank, "issue", request, (order) => {
      if (order["type"] !== "fiat" || offerFor(bank, "issue", stated(order)) === undefined)
        return { status: "rejected", result: { reason: "not_offered" } }
      const account_number = accountNumberFor(bank, "issue", request.id)
      return {
        status: "pending",
        result: {
          provider_resource_id: `acct_${account_number}`,
          target: account_number,
          details: {
            account_number,
            account_name: order["holder"],
            bank_name: name,
            bank_code: code,
            // The number is the customer's own: it identifies the payment.
            reference: null
          }
        },
        due_at: Date.now() + bank.config.delay_ms
      }
    })
  )

const issueResult = (found: Command | string): Result => {
  if (typeof found === "string") return { status: found }
  const { result, status } = found
  return status === "pending" ? { status } : { status: status === "settled" ? "issued" : status, ...result }
}

export const issueStatus = (bank: Bank, request: Request): Result =>
  issueResult(lookUp(bank, "issue", request) ?? "absent")

/** An account whose time has come is ready. */
export const open = (bank: Bank, command: Command): void =>
  bank.db.transaction(() => {
    if (find(bank.db, "issue", command.id)?.status !== "pending") return
    const { kind, merchant_id, resource_id } = command.content
    update(bank.db, command, "settled", command.result)
    record(bank, "issued", { merchant_id, resource_id, kind, ...command.result })
  })

/** One collection account for each currency. The reference identifies the payment, and is never given out twice. */
export const instruction = (bank: Bank, request: Request): Result =>
  instructionResult(
    once(bank, "instruction", request, (order) => {
      const { country_code, currency } = order
      if (offerFor(bank, "payin", { currency, country_code }) === undefined) return "unsupported"
      return {
        status: "issued",
        result: {
          account_name: "Example Bank Collections",
          account_number: "1000000001",
          bank_name: name,
          bank_code: code,
          deposit_reference: `EX${randomBytes(7).toString("hex").toUpperCase()}`
        }
      }
    })
  )

const instructionResult = (found: Command | string): Result =>
  typeof found === "string" ? { status: found } : { status: found.status, ...found.result }

export const instructionStatus = (bank: Bank, request: Request): Result =>
  instructionResult(lookUp(bank, "instruction", request) ?? "absent")

const stages = ["detected", "confirmed", "failed"]

/**
 * Records money that arrives, or is about to, and tells Corridor. A pay-in moves from `detected` to `confirmed` or
 * `failed`; the same stage again changes nothing.
 *
 * Errors: throws {@link BadRequest} for a stage or an amount that cannot be.
 */
export const receive = (bank: Bank, body: Body): Result => {
  const { narration = null, payin_id, sender = null, stage = "confirmed", target } = body
  for (const member of ["target", "amount", "currency"])
    if (!isText(body[member], 2000))
      throw new BadRequest(`${member}: found ${JSON.stringify(body[member])}; a text is taken`)
  if (payin_id !== undefined && !isText(payin_id, 200))
    throw new BadRequest(`payin_id: found ${JSON.stringify(payin_id)}; a text is taken`)
  if (typeof sender !== "object")
    throw new BadRequest(`sender: found ${JSON.stringify(sender)}; an object such as {"name":"Ada"} is taken`)
  const currency: string = body["currency"]
  const minor = minorOf(body["amount"], currency)
  if (minor === undefined)
    throw new BadRequest(`amount: found ${JSON.stringify(body["amount"])}; a positive amount of ${currency} is taken`)
  if (!stages.includes(stage))
    throw new BadRequest(`stage: found ${JSON.stringify(stage)}; ${stages.join(", ")} are taken`)
  const id: string = payin_id ?? `pay_${randomBytes(10).toString("hex")}`
  return bank.db.transaction(() => {
    const known = bank.db.get("select * from payins where payin_id = ?", id)
    if (known !== undefined && (known["minor"] !== minor || known["currency"] !== currency))
      throw new BadRequest(
        `amount: pay-in ${id} is of ${amountOf(known["minor"], known["currency"])} ${known["currency"]}`
      )
    if (known?.["stage"] === stage) return { payin_id: id, stage }
    if (known !== undefined && known["stage"] !== "detected")
      throw new BadRequest(`stage: pay-in ${id} is ${known["stage"]}, which is final`)
    if (known === undefined)
      bank.db.run(
        "insert into payins (payin_id, minor, currency, stage) values (?, ?, ?, ?)",
        id,
        minor,
        currency,
        stage
      )
    else bank.db.run("update payins set stage = ? where payin_id = ?", stage, id)
    if (stage === "confirmed")
      book(bank, { entry: "payin", minor, currency, command_id: null, payin_id: id, reference: id, narration })
    record(bank, "payin", {
      payin_id: id,
      stage,
      target,
      amount: amountOf(minor, currency),
      currency,
      network: "bank",
      transaction_hash: null,
      from_address: null,
      sender: sender === null ? null : { ...sender, account_number: sender.account_number?.slice(-4) },
      narration,
      observed_at: new Date().toISOString()
    })
    return { payin_id: id, stage }
  })
}
