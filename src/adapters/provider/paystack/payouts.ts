/** Payouts and refunds: the commands of the engine, as Paystack is asked them. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { PayoutCommand, ProviderEvent, RefundCommand } from "../../../engine/ports/Provider.ts"
import { memberOf } from "../company/answers.ts"
import type { CommandEntry, KeyOwner } from "../company/entries.ts"
import type { OpenCompany } from "../company/provider.ts"
import {
  type CommandCalls,
  type CompanyCommand,
  type NotExecuted,
  type Posted,
  reject,
  requireSeen,
  type Seen
} from "../company/submissions.ts"
import type { PaystackDirectory } from "./banks.ts"
import { type LedgerRow, type ListedItem, describeItem, type PaystackCalls } from "./calls.ts"
import { type Expected, parsePaystackUnits, readRefund, toPaystackReference } from "./mapping.ts"
import { countries } from "./options.ts"
import type { PaystackOwners } from "./owner.ts"

export interface PaystackParts extends OpenCompany {
  readonly domain: "test" | "live"
  readonly owners: PaystackOwners
  readonly directory: PaystackDirectory
  /** Of the integration of a currency. */
  readonly callsOf: (currency: string) => PaystackCalls | undefined
}

const unavailable: Posted = { _tag: "not_executed", result: { _tag: "unavailable" } }

/** Where a refund, or the row of a command in the ledger, is looked for, before its POST by our clock, milliseconds. */
const clockSlackMs = 10 * 60_000

/** Whether a row may be this debit: a fee may be in it. */
const mayBe = ({ currency, difference }: LedgerRow, expected: Expected): boolean => {
  const taken = -BigInt(difference)
  const most = expected.units + expected.units / 10n + 1_000_000n
  return currency === expected.currency && taken >= expected.units && taken <= most
}

/** Whether an item of the list of refunds may be this one: only what can be read says that it is not. */
const mayBeRefund = ({ amount, currency, transaction }: ListedItem, payin_id: string, expected: Expected): boolean => {
  const of = memberOf(transaction, "id") ?? transaction
  const isDigits = (value: unknown): value is string => typeof value === "string" && /^\d{1,30}$/.test(value)
  if (isDigits(of) && of !== payin_id) return false
  if (isDigits(amount) && BigInt(amount) !== expected.units) return false
  return typeof currency !== "string" || currency.toUpperCase() === expected.currency
}

interface Asked {
  readonly purpose: "payout" | "refund"
  readonly command_id: string
  readonly calls: PaystackCalls
  readonly expected: Expected
}

/** The words of the ledger for what a row is of. No page lists them: another word may be any of both. */
const models: Readonly<Record<string, "payout" | "refund">> = { Transfer: "payout", Refund: "refund" }

/** Whether no debit in the ledger since then can be of this command: each that has its amount is known to be of another thing. */
const isUnbooked = Effect.fnUntraced(function* (
  { books, entries }: Pick<PaystackParts, "books" | "entries">,
  { calls, command_id, expected, purpose }: Asked,
  since: number
) {
  const { items, unreadable } = yield* calls.ledgerSince(since - clockSlackMs)
  if (unreadable.length > 0) return false
  for (const { model_responsible, model_row } of items.filter((row) => mayBe(row, expected))) {
    const model = typeof model_responsible === "string" ? models[model_responsible] : undefined
    if (model === "payout" && purpose === "refund") continue
    if (model === undefined || typeof model_row !== "string") return false
    const payment = yield* books.read<{ readonly command_id: string }>(entries.keys.payment(model, model_row))
    if (payment !== undefined && payment.command_id !== command_id) continue
    if (payment !== undefined || model === "refund") return false
    if ((yield* calls.referenceOf(model_row)) === expected.reference) return false
  }
  return true
})

/** The command that a refund of Paystack's is of, by its id, or else by its note. Undefined: none that is known. */
export const commandOfRefund = Effect.fnUntraced(function* (
  { submissions }: Pick<PaystackParts, "submissions">,
  { id, merchant_note }: ListedItem
) {
  const known = typeof id === "string" ? yield* submissions.ofPayment("refund", id) : undefined
  if (known !== undefined || typeof merchant_note !== "string") return known
  return yield* submissions.find(merchant_note)
})

/**
 * A refund by its note, as Paystack takes no reference for it, among all that were made since its first POST. One that may be it, and is of no
 * other command, is a fault: it is neither found nor missing.
 */
const findRefund = Effect.fnUntraced(function* (
  parts: Pick<PaystackParts, "books" | "entries" | "submissions">,
  { calls, command_id, expected }: Omit<Asked, "purpose">,
  payin_id: string
): Effect.fn.Return<Seen, ProviderFault> {
  const sent = yield* parts.submissions.find(command_id)
  const since = sent?.first_sent_at ?? null
  if (since === null) return { _tag: "missing" }
  const doubtful: Array<ListedItem> = []
  for (const item of yield* calls.refundsOf(payin_id, since - clockSlackMs)) {
    const of = yield* commandOfRefund(parts, item)
    if (of?.command_id === command_id) return yield* requireSeen(readRefund(item, expected))
    if (of === undefined && mayBeRefund(item, payin_id, expected)) doubtful.push(item)
  }
  const [one] = doubtful
  return one === undefined
    ? { _tag: "missing" }
    : yield* new ProviderFault({
        message: `${command_id} is not found, but ${describeItem(one)} among the refunds may be it`
      })
})

/** Asks Paystack about a command. What is missing is so with the key that it was sent with, or nobody knows. */
const look = Effect.fnUntraced(function* (
  parts: Pick<PaystackParts, "books" | "entries" | "submissions" | "owners">,
  { calls, command_id, expected }: Omit<Asked, "purpose">,
  payin_id: string | null
): Effect.fn.Return<Seen, ProviderFault> {
  const asked = { calls, command_id, expected }
  const seen = yield* payin_id === null ? calls.verify(expected) : findRefund(parts, asked, payin_id)
  if (seen._tag === "missing") yield* parts.owners.checkMissing(calls, yield* parts.submissions.find(command_id))
  return seen
})

/** Asks about a command that was sent, and records what it is. Returns the report of its outcome; null: there is none. */
export const lookAgain = Effect.fnUntraced(function* (
  parts: PaystackParts,
  sent: CommandEntry
): Effect.fn.Return<ProviderEvent | null, ProviderFault> {
  const { callsOf, domain, submissions } = parts
  const { command_id, currency, payin_id, units } = sent
  const calls = callsOf(currency)
  const reference = toPaystackReference(command_id)
  if (calls === undefined || reference === undefined) return null
  const expected: Expected = { reference, units: BigInt(units), currency, domain }
  const seen = yield* look(parts, { calls, command_id, expected }, payin_id)
  return seen._tag === "found" ? yield* submissions.record(sent, seen) : null
})

type Command = Pick<PayoutCommand, "id" | "merchant_id" | "resource_id" | "amount" | "currency"> &
  Pick<Partial<PayoutCommand>, "attempt"> & { readonly payin_id?: string }

export const makePayouts = (parts: PaystackParts) => {
  const { callsOf, directory, domain, owners, submissions } = parts

  /** A command, and how Paystack is asked about it; or why it cannot be. */
  const read = ({ amount, attempt, currency, id, merchant_id, resource_id, ...given }: Command) => {
    const { payin_id = null } = given as { readonly payin_id?: string }
    const purpose = payin_id === null ? ("payout" as const) : ("refund" as const)
    const units = parsePaystackUnits(amount)
    const reference = toPaystackReference(id)
    const calls = callsOf(currency)
    const command: CompanyCommand = {
      ...{ command_id: id, purpose, merchant_id, resource_id, currency, payin_id, units: String(units ?? 0) },
      ...(attempt !== undefined && { attempt })
    }
    const why =
      calls === undefined
        ? `${currency} has no key`
        : units === undefined
          ? `${amount} ${currency} cannot be paid: it takes 2 decimals`
          : `Paystack takes no reference like ${id}`
    if (calls === undefined || units === undefined || reference === undefined) return { command, why }
    const expected: Expected = { reference, units, currency, domain }
    const asked = { purpose, calls, command_id: id, expected }
    const ways = {
      // A refund has no reference of ours: a second request would be a second refund.
      isFenced: purpose === "payout",
      post: Effect.succeed<Posted>({ _tag: "exists" }),
      look: look(parts, asked, payin_id),
      isUnbooked: (since: number) => isUnbooked(parts, asked, since)
    } satisfies CommandCalls
    return { command, calls, expected, ways }
  }
  const lookup = (given: Command) => {
    const { command, why = "", ways } = read(given)
    return submissions.lookup(command, ways ?? why)
  }
  /** Whose key is sent with; undefined: no POST may be, and none was. */
  const claimOwner = (calls: PaystackCalls) => Effect.orElseSucceed(owners.claim(calls), () => undefined)
  const withOwner = (ways: CommandCalls, owner: KeyOwner | undefined, post: CommandCalls["post"]): CommandCalls =>
    owner === undefined ? { ...ways, post: Effect.succeed(unavailable) } : { ...ways, sent_by: owner, post }

  /** How a payout is asked for, or why it is not. */
  const preparePayout = Effect.fnUntraced(function* (given: PayoutCommand) {
    const { beneficiary, currency, destination, narration } = given
    const { calls, expected, ways, why } = read(given)
    if (why !== undefined) return reject(why)
    if (destination.type !== "fiat") return reject("Paystack pays to bank accounts")
    if (destination.rail !== null) return reject(`Paystack does not offer the rail ${destination.rail}`)
    const { account_number, bank_code, country_code } = destination
    const { code } = countries[calls.currency]
    if (country_code !== code) return reject(`Paystack pays ${currency} in ${code} alone`)
    if (bank_code === undefined || bank_code === null)
      return reject("Paystack takes the code of a bank with each account")
    const type = yield* directory.recipientType(calls.currency, bank_code)
    const name = destination.account_name ?? beneficiary.name
    const recipient: string | NotExecuted = yield* calls.recipient({ type, name, account_number, bank_code })
    if (typeof recipient !== "string")
      return { ...ways, post: Effect.succeed<Posted>({ _tag: "not_executed", result: recipient }) }
    const isHeld = yield* submissions.isWaiting(currency)
    const post = isHeld ? Effect.succeed(unavailable) : calls.transfer(recipient, narration ?? undefined, expected)
    return withOwner(ways, yield* claimOwner(calls), post)
  })

  const prepareRefund = Effect.fnUntraced(function* (given: RefundCommand) {
    const { calls, expected, ways, why } = read(given)
    if (why !== undefined) return reject(why)
    return withOwner(ways, yield* claimOwner(calls), calls.refund(given.payin_id, given.id, expected))
  })

  return {
    payouts: {
      submit: (given: PayoutCommand) => submissions.submit(read(given).command, preparePayout(given)),
      lookup: (given: PayoutCommand) => lookup(given)
    },
    refunds: {
      refund: (given: RefundCommand) => submissions.submit(read(given).command, prepareRefund(given)),
      lookupRefund: (given: RefundCommand) => lookup(given)
    }
  }
}
