/** Payouts and refunds: the commands of the engine, as Paystack is asked them. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { PayoutCommand, PayoutRecipient, RefundCommand, ServedRecipient } from "../../../engine/ports/Provider.ts"
import { memberOf } from "../company/answers.ts"
import { writeJson } from "../company/client.ts"
import { type KeyedCommand, type MadeRequest, makeKeyedPayments } from "../company/keyed.ts"
import type { OpenCompany } from "../company/provider.ts"
import { reject, unavailable } from "../company/submissions.ts"
import type { PaystackDirectory } from "./banks.ts"
import { type LedgerRow, type PaystackItem, describeItem, type PaystackCalls } from "./calls.ts"
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

/** Where the row of a command in the ledger is looked for, before its POST by our clock, milliseconds. */
const clockSlackMs = 10 * 60_000

/** Whether a row may be this debit: a fee may be in it. */
const mayBe = ({ currency, difference }: LedgerRow, expected: Expected): boolean => {
  const taken = -BigInt(difference)
  const most = expected.units + expected.units / 10n + 1_000_000n
  return currency === expected.currency && taken >= expected.units && taken <= most
}

/** Whether an item of the list of refunds may be this one: only what can be read says that it is not. */
const mayBeRefund = ({ amount, currency, transaction }: PaystackItem, { payin_id, ...expected }: Asked): boolean => {
  const of = memberOf(transaction, "id") ?? transaction
  const isDigits = (value: unknown): value is string => typeof value === "string" && /^\d{1,30}$/.test(value)
  if (isDigits(of) && of !== payin_id) return false
  if (isDigits(amount) && BigInt(amount) !== expected.units) return false
  return typeof currency !== "string" || currency.toUpperCase() === expected.currency
}

/** What Paystack is asked for a command. */
interface PaystackRequest extends MadeRequest {
  readonly currency: string
  /** The pay-in that a refund returns. Null: it is a payout. */
  readonly payin_id: string | null
}

/** A refund in a list, and the command that it is of. */
interface FoundRefund {
  readonly id: string
  readonly item: PaystackItem
  readonly of: string | undefined
}

const requestOf = (
  { amount, currency }: KeyedCommand,
  payin_id: string | null,
  members: { readonly [name: string]: string | undefined }
): PaystackRequest => {
  const units = parsePaystackUnits(amount)!
  return { currency, payin_id, units: String(units), body: writeJson(members, { amount: units }) }
}

/** A command, and what must be in each answer about it. */
interface Asked extends Expected {
  readonly command_id: string
  readonly payin_id: string | null
}

/** The words of the ledger for what a row is of. No page lists them: another word may be any of both. */
const models: Readonly<Record<string, "payout" | "refund">> = { Transfer: "payout", Refund: "refund" }

/** Whether no debit in the ledger since then can be of this command: each that has its amount is known to be of another thing. */
const isUnbooked = Effect.fnUntraced(function* (
  { books, entries }: Pick<PaystackParts, "books" | "entries">,
  calls: PaystackCalls,
  expected: Asked,
  since: number
) {
  const { command_id, payin_id } = expected
  const { items, unreadable } = yield* calls.ledgerSince(since - clockSlackMs)
  if (unreadable.length > 0) return false
  for (const { model_responsible, model_row } of items.filter((row) => mayBe(row, expected))) {
    const model = typeof model_responsible === "string" ? models[model_responsible] : undefined
    if (model === "payout" && payin_id !== null) continue
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
  { id, merchant_note }: PaystackItem
) {
  const known = typeof id === "string" ? yield* submissions.ofPayment("refund", id) : undefined
  if (known !== undefined || typeof merchant_note !== "string") return known
  return yield* submissions.find(merchant_note)
})

/** The bank account of a recipient, as Paystack takes it; or why it does not. */
const accountOf = (destination: PayoutRecipient["destination"], currency: PaystackCalls["currency"]) => {
  if (destination.type !== "fiat") return "Paystack pays to bank accounts"
  if (destination.rail !== null) return `Paystack does not offer the rail ${destination.rail}`
  const { account_name, account_number, bank_code, country_code } = destination
  const { code } = countries[currency]
  if (country_code !== code) return `Paystack pays ${currency} in ${code} alone`
  if (bank_code === undefined || bank_code === null) return "Paystack takes the code of a bank with each account"
  return { account_name, account_number, bank_code }
}

export const makePayouts = (parts: PaystackParts) => {
  const { callsOf, directory, domain, owners, submissions } = parts
  const requireCalls = (currency: string) => {
    const calls = callsOf(currency)
    return calls === undefined
      ? Effect.fail(new ProviderFault({ message: `keys.${currency} is not set` }))
      : Effect.succeed(calls)
  }
  const { lookAgain, lookup, submit } = makeKeyedPayments<PaystackRequest, Asked, FoundRefund>(parts, {
    ...{ kind: "paystack_request", isRemade: true, parse: parsePaystackUnits },
    expect: (command_id, { currency, payin_id, units }) => ({
      ...{ command_id, payin_id, currency, domain },
      ...{ reference: toPaystackReference(command_id) ?? "", units: BigInt(units) }
    }),
    recall: ({ command_id, currency, payin_id, units }) =>
      units === "0" || callsOf(currency) === undefined || toPaystackReference(command_id) === undefined
        ? undefined
        : { currency, payin_id, units, body: "" },
    // A refund has no reference of ours: a second request would be a second refund.
    isFenced: ({ payin_id }) => payin_id === null,
    claim: Effect.fnUntraced(function* ({ currency, payin_id }) {
      const isHeld = payin_id === null && (yield* submissions.isWaiting(currency))
      // Whose key sends it must be known: no POST may be, and none was.
      const claimed = Effect.flatMap(requireCalls(currency), owners.claim)
      return isHeld ? undefined : yield* Effect.orElseSucceed(claimed, () => undefined)
    }),
    post: ({ body, currency, payin_id }, expected) => {
      const calls = callsOf(currency)!
      return payin_id === null ? calls.transfer(body, expected) : calls.refund(body, expected)
    },
    find: (_, expected) => (expected.payin_id === null ? callsOf(expected.currency)?.verify(expected) : undefined),
    // Paystack takes no reference for a refund: it is found by its note among all that were made since its first POST.
    list: Effect.fnUntraced(function* ({ currency, payin_id }, since) {
      const items = yield* (yield* requireCalls(currency)).refundsOf(payin_id!, since)
      return yield* Effect.forEach(items, (item) =>
        Effect.map(commandOfRefund(parts, item), (sent) => ({ item, id: describeItem(item), of: sent?.command_id }))
      )
    }),
    see: ({ item, of }, expected) => (of === expected.command_id ? readRefund(item, expected) : undefined),
    mayBe: ({ item, of }, expected) => of === undefined && mayBeRefund(item, expected),
    checkMissing: (expected, sent) => {
      const calls = callsOf(expected.currency)
      // Without a key only what was never sent is missing.
      return calls === undefined ? Effect.void : owners.checkMissing(calls, sent)
    },
    isUnbooked: (expected, since) =>
      Effect.flatMap(requireCalls(expected.currency), (calls) => isUnbooked(parts, calls, expected, since))
  })

  /** What keeps a command from being asked for. Undefined: nothing. */
  const faultOf = ({ amount, currency, id }: KeyedCommand): string | undefined => {
    if (callsOf(currency) === undefined) return `${currency} has no key`
    if (parsePaystackUnits(amount) === undefined) return `${amount} ${currency} cannot be paid: it takes 2 decimals`
    return toPaystackReference(id) === undefined ? `Paystack takes no reference like ${id}` : undefined
  }

  const makePayout = Effect.fnUntraced(function* (command: PayoutCommand) {
    const { beneficiary, currency, destination, narration } = command
    const why = faultOf(command)
    const calls = callsOf(currency)
    if (why !== undefined || calls === undefined) return reject(why ?? "")
    const account = accountOf(destination, calls.currency)
    if (typeof account === "string") return reject(account)
    const { account_number, bank_code } = account
    const type = yield* directory.recipientType(calls.currency, bank_code)
    const name = account.account_name ?? beneficiary.name
    const recipient = yield* calls.recipient({ type, name, account_number, bank_code })
    if (typeof recipient !== "string") return recipient ?? unavailable
    const members = { source: "balance", recipient, reference: toPaystackReference(command.id), currency }
    return requestOf(command, null, { ...members, reason: narration ?? undefined })
  })

  return {
    lookAgain,
    payouts: {
      submit: (command: PayoutCommand) => submit(command, makePayout(command)),
      lookup,
      serves: ({ currency, destination }: PayoutRecipient) =>
        Effect.sync((): ServedRecipient => {
          const calls = callsOf(currency)
          return calls === undefined || typeof accountOf(destination, calls.currency) === "string" ? "no" : "unknown"
        })
    },
    refunds: {
      refund: (command: RefundCommand) => {
        const { currency, id: merchant_note, payin_id: transaction } = command
        const why = faultOf(command)
        const request = () => requestOf(command, transaction, { transaction, currency, merchant_note })
        return submit(
          command,
          Effect.sync(() => (why === undefined ? request() : reject(why)))
        )
      },
      lookupRefund: lookup
    }
  }
}

export type PaystackPayouts = ReturnType<typeof makePayouts>
