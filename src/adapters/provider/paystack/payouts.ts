/** Payouts and refunds: the commands of the engine, as Paystack is asked them. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type {
  CommandStatus,
  PayoutCommand,
  ProviderEvent,
  RefundCommand,
  SubmissionResult
} from "../../../engine/ports/Provider.ts"
import { parseAmount } from "../../../machines/kernel/money.ts"
import type { ChainBooks } from "../chain/books.ts"
import type { CompanyEntries, CommandEntry, KeyOwner } from "../company/entries.ts"
import { type CompanyCommand, type CompanySubmissions, type Posted, reject, type Seen } from "../company/submissions.ts"
import type { ReadRound } from "../company/windows.ts"
import type { PaystackDirectory } from "./banks.ts"
import { type LedgerRow, type ListedItem, describeItem, type PaystackCalls } from "./calls.ts"
import { decimals, type Expected, readRefund, toPaystackReference } from "./mapping.ts"
import { countries } from "./options.ts"
import type { PaystackOwners } from "./owner.ts"

export interface PaystackParts {
  readonly domain: "test" | "live"
  readonly books: ChainBooks
  readonly entries: CompanyEntries
  readonly submissions: CompanySubmissions
  readonly round: ReadRound
  readonly owners: PaystackOwners
  readonly directory: PaystackDirectory
  /** Of the integration of a currency. */
  readonly callsOf: (currency: string) => PaystackCalls | undefined
}

const unavailable = { _tag: "not_executed", result: { _tag: "unavailable" } } as const

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
  const of = typeof transaction === "object" && transaction !== null ? (transaction as ListedItem).id : transaction
  const isDigits = (value: unknown): value is string => typeof value === "string" && /^\d{1,30}$/.test(value)
  if (isDigits(of) && of !== payin_id) return false
  if (isDigits(amount) && BigInt(amount) !== expected.units) return false
  return typeof currency !== "string" || currency.toUpperCase() === expected.currency
}

/** What a command is at Paystack; a sentence: it can never be paid there. */
const checkCommand =
  ({ callsOf, domain }: Pick<PaystackParts, "callsOf" | "domain">) =>
  ({ amount, currency, id }: { readonly amount: string; readonly currency: string; readonly id: string }) => {
    const calls = callsOf(currency)
    if (calls === undefined) return `${currency} has no key`
    const units = parseAmount(amount, decimals)
    if (typeof units === "string") return `${amount} ${currency} cannot be paid: it takes ${decimals} decimals`
    const reference = toPaystackReference(id)
    if (reference === undefined) return `Paystack takes no reference like ${id}`
    return { calls, expected: { reference, units, currency, domain } satisfies Expected }
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
    if (of?.command_id === command_id) {
      const seen = readRefund(item, expected)
      return seen._tag === "unknown" ? yield* new ProviderFault({ message: seen.message }) : seen
    }
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

/** A command that cannot be asked about: it is absent only if no POST of it may have been executed. */
const answerWithoutLookup = (submissions: CompanySubmissions) =>
  Effect.fnUntraced(function* (id: string, why: string): Effect.fn.Return<CommandStatus, ProviderFault> {
    const sent = yield* submissions.find(id)
    if (sent === undefined || sent.sent_at === null) return { _tag: "absent" }
    return yield* new ProviderFault({ message: `${id} was sent, and cannot be looked up: ${why}` })
  })

export const makePayouts = (parts: PaystackParts) => {
  const { directory, owners, submissions } = parts
  const expectedOf = checkCommand(parts)
  const unasked = answerWithoutLookup(submissions)
  const payout = (
    command: PayoutCommand,
    calls: PaystackCalls,
    expected: Expected,
    post: Effect.Effect<Posted>,
    sent_by?: KeyOwner
  ): CompanyCommand => ({
    ...(sent_by && { sent_by }),
    purpose: "payout",
    command_id: command.id,
    merchant_id: command.merchant_id,
    resource_id: command.resource_id,
    currency: command.currency,
    units: String(expected.units),
    payin_id: null,
    isFenced: true,
    post,
    look: look(parts, { calls, command_id: command.id, expected }, null),
    isUnbooked: (since) => isUnbooked(parts, { purpose: "payout", calls, command_id: command.id, expected }, since)
  })
  /** Whose key is sent with; undefined: no POST may be, and none was. */
  const claimOwner = (calls: PaystackCalls) => Effect.orElseSucceed(owners.claim(calls), () => undefined)

  const submit = Effect.fnUntraced(function* (
    command: PayoutCommand
  ): Effect.fn.Return<SubmissionResult, ProviderFault> {
    const { beneficiary, currency, destination, narration } = command
    const found = expectedOf(command)
    if (typeof found === "string") return reject(found)
    if (destination.type !== "fiat") return reject("Paystack pays to bank accounts")
    if (destination.rail !== null) return reject(`Paystack does not offer the rail ${destination.rail}`)
    const { bank_code, country_code } = destination
    if (country_code !== countries[found.calls.currency].code)
      return reject(`Paystack pays ${currency} in ${countries[found.calls.currency].code} alone`)
    if (bank_code === undefined || bank_code === null)
      return reject("Paystack takes the code of a bank with each account")
    const { calls, expected } = found
    const type = yield* directory.recipientType(calls.currency, bank_code)
    const name = destination.account_name ?? beneficiary.name
    const recipient = yield* calls.recipient({ type, name, account_number: destination.account_number, bank_code })
    const isHeld = typeof recipient === "string" && (yield* submissions.isWaiting(currency))
    const owner = typeof recipient === "string" ? yield* claimOwner(calls) : undefined
    const post =
      typeof recipient !== "string"
        ? Effect.succeed(recipient)
        : isHeld || owner === undefined
          ? Effect.succeed<Posted>(unavailable)
          : calls.transfer(recipient, narration ?? undefined, expected)
    return yield* submissions.submit(payout(command, calls, expected, post, owner))
  })

  const refund = (command: RefundCommand, sent_by?: KeyOwner): CompanyCommand | string => {
    const found = expectedOf(command)
    if (typeof found === "string") return found
    const { id: command_id, merchant_id, payin_id, resource_id } = command
    const { calls, expected } = found
    return {
      ...(sent_by && { sent_by }),
      ...{ command_id, merchant_id, resource_id, payin_id, currency: command.currency },
      units: String(expected.units),
      purpose: "refund",
      // There is no reference of ours: a second request would be a second refund.
      isFenced: false,
      post: sent_by === undefined ? Effect.succeed(unavailable) : calls.refund(payin_id, command_id, expected),
      look: look(parts, { calls, command_id, expected }, payin_id),
      isUnbooked: (since) => isUnbooked(parts, { purpose: "refund", calls, command_id, expected }, since)
    }
  }

  return {
    submit,
    lookup: (command: PayoutCommand) => {
      const found = expectedOf(command)
      return typeof found === "string"
        ? unasked(command.id, found)
        : submissions.lookup(payout(command, found.calls, found.expected, Effect.succeed({ _tag: "exists" })))
    },
    refund: Effect.fnUntraced(function* (command: RefundCommand): Effect.fn.Return<SubmissionResult, ProviderFault> {
      const calls = parts.callsOf(command.currency)
      const asked = refund(command, calls === undefined ? undefined : yield* claimOwner(calls))
      return typeof asked === "string" ? reject(asked) : yield* submissions.submit(asked)
    }),
    lookupRefund: (command: RefundCommand) => {
      const asked = refund(command)
      return typeof asked === "string" ? unasked(command.id, asked) : submissions.lookup(asked)
    }
  }
}
