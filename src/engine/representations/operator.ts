/** The shapes of the operator API: lists, ledger, history, stuck resources, held deposits (OPERATOR-3, LEDGER-1, LEDGER-2). */
import { Schema } from "effect"
import { describe } from "../input/schemas.ts"
import { personParties } from "../ports/provider-fields.ts"
import {
  amountOf,
  anyIdOf,
  countOf,
  currencyCodeOf,
  idOf,
  orNull,
  textOf,
  timeOf,
  transactionHashText,
  wordOf
} from "./members.ts"
import { TransactionBody } from "./movements/transaction.ts"
import { CustomerBody } from "./parties/customer.ts"

const kindBody = textOf("The kind of the resource, such as `offramp` or `deposit`.", "offramp")
const stateBody = textOf("The state of its machine, finer than `status`: see `docs/machines.md`.", "submitting")
const merchantIdBody = textOf("The merchant that it belongs to.", "mer_01j9z3k4m5n6p7q8r9s0t1v2w3")
const providerReferenceBody = orNull(
  textOf(
    "The provider's own reference of the payment, as its statements show it. Null if it is not known.",
    "FT26031XK92"
  )
)

const posting = {
  resource_id: anyIdOf("The resource that posted.", "ofr"),
  version: countOf("The version of the resource that posted: 1 at its creation.", 2),
  debit: textOf(
    "The account that is debited: its class, and what it belongs to.",
    "available:wal_01j9z3k4m5n6p7q8r9s0t1v2w3"
  ),
  credit: textOf("The account that is credited.", "reserved:wal_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  amount: amountOf("The amount, in `currency`.", "100.00"),
  currency: currencyCodeOf("The currency of the posting."),
  at: timeOf("When it was committed.")
}

export const EntryBody = Schema.Struct({ merchant_id: merchantIdBody, ...posting }).annotate({
  identifier: "LedgerEntry",
  description: "A posting of the ledger: one amount from one account to another."
})

export const TrialBalanceBody = Schema.Struct({
  currencies: describe(
    Schema.Array(
      Schema.Struct({
        currency: currencyCodeOf("The currency."),
        debits: amountOf("The sum of all debits.", "184250.00"),
        credits: amountOf("The sum of all credits.", "184250.00"),
        difference: amountOf("Debits less credits: zero.", "0.00")
      }).annotate({ identifier: "CurrencyBalance", description: "The sums of a currency." })
    ),
    "The sums of each currency."
  ),
  classes: describe(
    Schema.Array(
      Schema.Struct({
        class: textOf("The class of the accounts, see `docs/ledger.md`.", "available"),
        currency: currencyCodeOf("The currency."),
        balance: amountOf("The sum of the balances of its accounts.", "975.00")
      }).annotate({ identifier: "ClassBalance", description: "The balance of a class of accounts." })
    ),
    "The balance of each class of accounts, by currency."
  )
}).annotate({ identifier: "TrialBalance", description: "The sums of the ledger. Debits and credits are always equal." })

const LastAnswerBody = Schema.Struct({
  at: timeOf("When it came."),
  answer: textOf("What the provider said.", "pending")
}).annotate({ identifier: "LastAnswer", description: "The provider's last answer." })

const sinceBody = timeOf(
  "The time of the last progress. A retry, or a `pending` answer of the provider, is no progress."
)
const reasonBody = textOf(
  "What it waits for, such as `outcome_unknown`, `awaiting_person`, `provider_not_ready`, `other_provider`, `awaiting_release` or `paused`.",
  "outcome_unknown"
)
/** The person who must act before the provider goes on. Null: none. */
export const awaitedPersonBody = describe(
  Schema.NullOr(
    Schema.Struct({
      party: wordOf(personParties, "Who acts.", {
        operator: "a person of the platform, at the provider",
        provider: "a person of the provider",
        customer: "the payer or the recipient"
      }),
      action: textOf("What the person does.", "enter the code that the provider sent to the owner's telephone")
    }).annotate({ identifier: "AwaitedPerson", description: "A person without whom a command does not go on." })
  ),
  "Who must act before the provider goes on. Null: nobody, or the provider has not said."
)
const attemptsBody = countOf("The number of submissions to the provider.", 1)
const nextAttemptBody = orNull(timeOf("When the next attempt is due. Null if none is.", "2026-01-31T09:35:00.000Z"))
const lastAnswerBody = describe(Schema.NullOr(LastAnswerBody), "The provider's last answer. Null without one.")

const OutcomeBody = Schema.Struct({
  outcome: textOf("What the provider reported.", "success"),
  at: timeOf("When it was recorded."),
  provider: orNull(textOf("The provider. Null if it is not recorded.", "simulated")),
  command_id: textOf(
    "The command that it answers: the provider's idempotency key.",
    "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3.payout"
  ),
  reason: orNull(textOf("The provider's reason. Null without one.", "account_closed")),
  amount: orNull(amountOf("The amount that it states, in `currency`. Null if it states none.", "147753.75")),
  currency: orNull(currencyCodeOf("The currency of `amount`. Null if it states none.", "NGN")),
  fee: orNull(amountOf("The fee that it charged, in `fee_currency`. Null if it states none.", "50.00")),
  fee_currency: orNull(currencyCodeOf("The currency of `fee`. Null if it states none.", "NGN")),
  parts: describe(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          id: textOf("The provider's id of the part.", "part_1"),
          amount: amountOf("What the part brought.", "60.00")
        }).annotate({ identifier: "ReportedPart", description: "A part of a return, as the provider states it." })
      )
    ),
    "The parts of a return. Null if it states none.",
    [{ id: "part_1", amount: "60.00" }]
  ),
  complete: describe(
    Schema.NullOr(Schema.Boolean),
    "Whether it says that no more parts follow. Null without parts.",
    true
  ),
  provider_reference: providerReferenceBody,
  transaction_hash: orNull(transactionHashText("The hash of the payment. Null if it states none."))
}).annotate({ identifier: "ReportedOutcome", description: "What the provider reported of a command, in its words." })

const TransitionBody = Schema.Struct({
  version: countOf("The version that the transition made: 1 at the creation.", 2),
  from: orNull(textOf("The state before. Null at the creation.", "created")),
  to: textOf("The state after.", "submitting"),
  event: textOf("The event of the machine.", "payout.begun"),
  cause: textOf(
    "What caused it: a request, a job, a timer or an event of the provider.",
    "job:ofr_01j9z3k4m5n6p7q8r9s0t1v2w3.payout"
  ),
  note: orNull(textOf("The operator's note. Null without one.", "Confirmed by phone")),
  at: timeOf("When it was committed."),
  postings: describe(
    Schema.Array(Schema.Struct(posting).annotate({ identifier: "Posting", description: "A posting of the ledger." })),
    "The postings that it made."
  ),
  events: describe(
    Schema.Array(
      Schema.Struct({
        event_id: idOf("evt", "The id of the event."),
        event_type: textOf("The type of the event.", "offramp.processing"),
        event_sequence: countOf("Its number among the events of the resource.", 3)
      }).annotate({ identifier: "PublishedEvent", description: "An event that was published." })
    ),
    "The events that it published."
  )
}).annotate({ identifier: "ResourceTransition", description: "A transition of the resource." })

const identity = {
  id: anyIdOf("The id of the resource.", "ofr"),
  kind: kindBody,
  merchant_id: merchantIdBody,
  status: textOf("Its status.", "processing"),
  state: stateBody
}

export const HistoryBody = Schema.Struct({
  ...identity,
  since: describe(orNull(sinceBody), "The time of the last progress. Null when the resource has ended."),
  reason: describe(orNull(reasonBody), "What it waits for. Null when the resource has ended."),
  awaited_person: awaitedPersonBody,
  attempts: describe(
    orNull(attemptsBody),
    "The number of submissions to the provider. Null when the resource has ended."
  ),
  last_answer: lastAnswerBody,
  next_attempt_at: nextAttemptBody,
  provider: orNull(textOf("The provider that has it. Null without one.", "simulated")),
  provider_reference: providerReferenceBody,
  outcomes: describe(
    Schema.Array(OutcomeBody),
    "What the provider reported of its commands, oldest first, in the provider's words."
  ),
  transitions: describe(Schema.Array(TransitionBody), "All transitions, oldest first.")
}).annotate({ identifier: "ResourceHistory", description: "Everything that happened to a resource." })

export const StuckBody = Schema.Struct({
  ...identity,
  amount: orNull(amountOf("What it is about: of a movement, what leaves its source. Null if that is no amount.")),
  currency: orNull(currencyCodeOf("The currency of `amount`. Null without one.")),
  since: sinceBody,
  reason: reasonBody,
  awaited_person: awaitedPersonBody,
  attempts: attemptsBody,
  last_answer: lastAnswerBody,
  next_attempt_at: nextAttemptBody
}).annotate({ identifier: "StuckResource", description: "A resource that has made no progress for some time." })

export const HeldDepositBody = Schema.Struct({
  ...TransactionBody.fields,
  merchant_id: merchantIdBody,
  hold_reasons: describe(
    Schema.Array(Schema.Literals(["tier_limit", "payin_frozen", "payin_disabled"])),
    "All reasons to hold the deposit; `metadata.hold_reason` has the first. `tier_limit`: over the customer's limit. `payin_frozen`, `payin_disabled`: its address or credential is frozen or disabled.",
    ["tier_limit"]
  )
}).annotate({ identifier: "HeldDeposit", description: "A deposit that waits for the operator." })

export const merchantFields = {
  merchant_id: merchantIdBody,
  merchant_name: orNull(textOf("The name of the merchant. Null for the platform's own records.", "Lagos Trading"))
}

export const customerFields = {
  customer_name: orNull(textOf("The name of the customer. Null if it is not known.", "Ada Obi"))
}

export const MovementBody = Schema.Struct({
  ...TransactionBody.fields,
  ...merchantFields,
  provider: orNull(textOf("The provider that has it now. Null without one.", "simulated")),
  failure_reason: describe(Schema.NullOr(Schema.String), "Why it failed or was returned. Null for any other.", null)
}).annotate({ identifier: "Movement", description: "A movement of any merchant, as its transaction." })
export type MovementBody = typeof MovementBody.Type

export const MerchantCustomerBody = Schema.Struct({ ...CustomerBody.fields, ...merchantFields }).annotate({
  identifier: "MerchantCustomer",
  description: "A customer of any merchant."
})
export type MerchantCustomerBody = typeof MerchantCustomerBody.Type

export const LedgerAccountBody = Schema.Struct({
  account: textOf(
    "The id of the account: its class and what it belongs to, or the class alone.",
    "available:wal_01j9z3k4m5n6p7q8r9s0t1v2w3",
    "fees"
  ),
  class: textOf("The class of the account, see `docs/ledger.md`.", "available"),
  merchant_id: orNull(idOf("mer", "The merchant. Null for an account of the platform itself.")),
  currency: currencyCodeOf("The currency of the balance."),
  balance: amountOf("Credits less debits.", "975.00")
}).annotate({ identifier: "LedgerAccount", description: "An account of the ledger, in one currency." })
export type LedgerAccountBody = typeof LedgerAccountBody.Type
