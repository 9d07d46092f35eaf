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
import { wallNow } from "../../../engine/ports/Time.ts"
import type { ChainBooks } from "../chain/books.ts"
import type { CompanyEntries, CommandEntry } from "../company/entries.ts"
import type { CompanyCommand, Posted, CompanySubmissions } from "../company/submissions.ts"
import type { PaystackDirectory } from "./banks.ts"
import type { LedgerRow, PaystackCalls } from "./calls.ts"
import { decimals, type Expected, referenceOf } from "./mapping.ts"
import { countries } from "./options.ts"

export interface PaystackParts {
  readonly domain: "test" | "live"
  readonly books: ChainBooks
  readonly entries: CompanyEntries
  readonly submissions: CompanySubmissions
  readonly directory: PaystackDirectory
  /** Of the integration of a currency. */
  readonly callsOf: (currency: string) => PaystackCalls | undefined
}

const rejected = (reason: string): SubmissionResult => ({ _tag: "rejected", reason, refundable: true })

/** Where the row of a transfer in the ledger is looked for, before its POST by our clock, milliseconds. */
const clockSlackMs = 10 * 60_000

/** Whether a row may be this debit: a fee may be in it. */
const mayBe = ({ currency, difference, model_responsible }: LedgerRow, expected: Expected): boolean => {
  const taken = -BigInt(difference)
  const most = expected.units + expected.units / 10n + 1_000_000n
  return model_responsible === "Transfer" && currency === expected.currency && taken >= expected.units && taken <= most
}

/** What a command is at Paystack; a sentence: it can never be paid there. */
const expectedBy =
  ({ callsOf, domain }: Pick<PaystackParts, "callsOf" | "domain">) =>
  ({ amount, currency, id }: { readonly amount: string; readonly currency: string; readonly id: string }) => {
    const calls = callsOf(currency)
    if (calls === undefined) return `${currency} has no key`
    const units = parseAmount(amount, decimals)
    if (typeof units === "string") return `${amount} ${currency} cannot be paid: it takes ${decimals} decimals`
    const reference = referenceOf(id)
    if (reference === undefined) return `Paystack takes no reference like ${id}`
    return { calls, expected: { reference, units, currency, domain } satisfies Expected }
  }

/** Whether no debit in the ledger since then is of a transfer with our reference. */
const isUnbooked = Effect.fnUntraced(function* (
  { books, entries }: Pick<PaystackParts, "books" | "entries">,
  calls: PaystackCalls,
  command_id: string,
  expected: Expected,
  since: number
) {
  const now = yield* wallNow
  const rows = yield* calls.ledger(since - clockSlackMs, now + clockSlackMs)
  if (rows === undefined) return false
  for (const { model_row } of rows.filter((row) => mayBe(row, expected))) {
    if (typeof model_row !== "string") return false
    const payment = yield* books.read<{ readonly command_id: string }>(entries.keys.payment("payout", model_row))
    if (payment?.command_id === command_id) return false
    if (payment === undefined && (yield* calls.referenceOf(model_row)) === expected.reference) return false
  }
  return true
})

/** Asks about a command that was sent, and records what it is. Returns the report of its outcome; null: there is none. */
export const lookAgain = Effect.fnUntraced(function* (
  { callsOf, domain, submissions }: PaystackParts,
  sent: CommandEntry
): Effect.fn.Return<ProviderEvent | null, ProviderFault> {
  const { command_id, currency, payin_id, units } = sent
  const calls = callsOf(currency)
  const reference = referenceOf(command_id)
  if (calls === undefined || reference === undefined) return null
  const expected: Expected = { reference, units: BigInt(units), currency, domain }
  const seen = yield* payin_id === null ? calls.verify(expected) : calls.findRefund(payin_id, command_id, expected)
  return seen._tag === "found" ? yield* submissions.record(sent, seen) : null
})

export const makePayouts = (parts: PaystackParts) => {
  const { directory, submissions } = parts
  const expectedOf = expectedBy(parts)
  const payout = (
    command: PayoutCommand,
    calls: PaystackCalls,
    expected: Expected,
    post: Effect.Effect<Posted>
  ): CompanyCommand => ({
    purpose: "payout",
    command_id: command.id,
    merchant_id: command.merchant_id,
    resource_id: command.resource_id,
    currency: command.currency,
    units: String(expected.units),
    payin_id: null,
    isFenced: true,
    post,
    look: calls.verify(expected),
    isUnbooked: (since) => isUnbooked(parts, calls, command.id, expected, since)
  })

  const submit = Effect.fnUntraced(function* (
    command: PayoutCommand
  ): Effect.fn.Return<SubmissionResult, ProviderFault> {
    const { beneficiary, currency, destination, narration } = command
    const found = expectedOf(command)
    if (typeof found === "string") return rejected(found)
    if (destination.type !== "fiat") return rejected("Paystack pays to bank accounts")
    if (destination.rail !== null) return rejected(`Paystack does not offer the rail ${destination.rail}`)
    const { bank_code, country_code } = destination
    if (country_code !== countries[found.calls.currency].code)
      return rejected(`Paystack pays ${currency} in ${countries[found.calls.currency].code} alone`)
    if (bank_code === undefined || bank_code === null)
      return rejected("Paystack takes the code of a bank with each account")
    const { calls, expected } = found
    const type = yield* directory.recipientType(calls.currency, bank_code)
    const name = destination.account_name ?? beneficiary.name
    const recipient = yield* calls.recipient({ type, name, account_number: destination.account_number, bank_code })
    const isHeld = typeof recipient === "string" && (yield* submissions.isWaiting(currency))
    const post =
      typeof recipient !== "string"
        ? Effect.succeed(recipient)
        : isHeld
          ? Effect.succeed<Posted>({ _tag: "not_executed", result: { _tag: "unavailable" } })
          : calls.transfer(recipient, narration ?? undefined, expected)
    return yield* submissions.submit(payout(command, calls, expected, post))
  })

  const refund = (command: RefundCommand): CompanyCommand | string => {
    const found = expectedOf(command)
    if (typeof found === "string") return found
    const { id: command_id, merchant_id, payin_id, resource_id } = command
    const { calls, expected } = found
    return {
      ...{ command_id, merchant_id, resource_id, payin_id, currency: command.currency },
      units: String(expected.units),
      purpose: "refund",
      // There is no reference of ours: a second request would be a second refund.
      isFenced: false,
      post: calls.refund(payin_id, command_id, expected),
      look: calls.findRefund(payin_id, command_id, expected),
      isUnbooked: () => Effect.succeed(true)
    }
  }

  /** A command that cannot be asked about: it is absent only if no POST of it may have been executed. */
  const unasked = Effect.fnUntraced(function* (
    id: string,
    why: string
  ): Effect.fn.Return<CommandStatus, ProviderFault> {
    const sent = yield* submissions.find(id)
    if (sent === undefined || sent.sent_at === null) return { _tag: "absent" }
    return yield* new ProviderFault({ message: `${id} was sent, and cannot be looked up: ${why}` })
  })

  return {
    submit,
    lookup: (command: PayoutCommand) => {
      const found = expectedOf(command)
      return typeof found === "string"
        ? unasked(command.id, found)
        : submissions.lookup(payout(command, found.calls, found.expected, Effect.succeed({ _tag: "exists" })))
    },
    refund: (command: RefundCommand) => {
      const asked = refund(command)
      return typeof asked === "string" ? Effect.succeed(rejected(asked)) : submissions.submit(asked)
    },
    lookupRefund: (command: RefundCommand) => {
      const asked = refund(command)
      return typeof asked === "string" ? unasked(command.id, asked) : submissions.lookup(asked)
    }
  }
}
