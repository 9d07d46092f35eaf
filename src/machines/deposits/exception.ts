/**
 * An exception: a provider event that fits no resource, kept for an operator together with its money, if any arrived
 * (EXCEPTION-1, EXCEPTION-2).
 */
import { assign, setup } from "xstate"
import { type AccountId, type Posting, makePosting, world } from "../kernel/ledger.ts"
import { endedTag, lifecycle, outcomes, post, toRefundName, timer } from "../kernel/lifecycle.ts"
import type { Counted } from "../kernel/payout.ts"

/** Why exceptions are recorded. */
export const exceptionReasons = [
  "already_funded",
  "ambiguous_target",
  "another_amount",
  "another_currency",
  "another_provider",
  "another_target",
  "contradicts_state",
  "event_id_reused",
  "implausible_amount",
  "late_funding",
  "not_applicable",
  "over_refund",
  "over_return",
  "over_settlement",
  "partial_refund",
  "partial_return",
  "recalled",
  "refund_bounced",
  "refund_failed",
  "refused_screening",
  "remainder",
  "short_settlement",
  "target_taken",
  "unknown_resource",
  "unknown_target",
  "unreadable_amount",
  "unreadable_event",
  "wrong_currency"
] as const
export type ExceptionReason = (typeof exceptionReasons)[number]

/** Money at risk, in minor units. */
export interface Exposure {
  readonly amount: string
  readonly currency: string
}

/** A part of a return, by the provider's id of it. `amount` is in minor units. */
export interface ReturnedPart {
  readonly id: string
  readonly amount: string
}

/**
 * What a return has not brought yet, in minor units, and the parts that came after its first report (OUTCOME-8). `way`: where a part
 * goes. `payer`: to the payer, out of suspense. `losses`: back to the platform, which has paid the customer. `suspense`: to the money of
 * the exception.
 */
export interface Rest {
  readonly way: "payer" | "losses" | "suspense"
  readonly missing: string
  readonly currency: string
  readonly parts: ReadonlyArray<ReturnedPart>
  /** The parts of what the first report brought, if it named none and a later one did. */
  readonly first?: ReadonlyArray<ReturnedPart>
  /** The provider has said that no more parts follow. */
  readonly complete?: true
}

type Resolution = "refund" | "credit" | "apply" | "dismiss" | "adjust"

/** The deposit that a credit creates, and its owner. */
export interface Credited {
  readonly merchant_id: string
  /** The owner of the wallet. */
  readonly customer_id: string
  readonly wallet_id: string
  readonly transaction_id: string
}

/** `amount` is in minor units and is in `suspense` until the exception is resolved. Null: no money arrived. */
export interface ExceptionData {
  readonly resource_id: string | null
  readonly resource_kind: string | null
  readonly reason: string
  readonly provider: string
  readonly provider_event: unknown
  /** The record that the provider's event contradicts. Null when it contradicts none. */
  readonly recorded?: unknown
  /** What could not be taken. Absent where the reason says it all. */
  readonly detail?: string
  /** `high` when money is at risk; `exposure` is then its amount. Absent means `low`. */
  readonly severity?: "low" | "high"
  readonly exposure?: Exposure | null
  readonly amount: string | null
  readonly currency: string | null
  /**
   * True when the step that raised the exception has already posted the money to suspense. Otherwise it is posted on
   * entry.
   */
  readonly booked: boolean
  /**
   * Of a recall that is open again: its money has left suspense with a decision, and `paid` somebody, or `booked` alone. Absent or null:
   * it has not.
   */
  readonly gone?: "paid" | "booked" | null
  readonly payin_id: string | null
  /** The wallet that `credit` uses when the operator names none. */
  readonly wallet_id: string | null
  /** The credential account to credit instead, when the money did not come from a wallet's account. */
  readonly credit_account?: AccountId | null
  /** The provider withheld it as its fee. */
  readonly withheld?: true
  /** Absent: nothing was returned in part. */
  readonly rest?: Rest
  /** Its pay-in has failed since then, and was not confirmed again. Another exception reports that. */
  readonly recalled?: boolean
  /** The id of that exception. */
  readonly recalled_by?: string
  /** Of a recall: its pay-in was confirmed again, and has not failed since. */
  readonly confirmed_again?: boolean
  /**
   * What has taken its money out of suspense, without a payment, while its pay-in had failed: it is missing if the pay-in is confirmed
   * again. Absent or null: nothing has.
   */
  readonly given_up?: "dismissed" | "adjusted" | null
  /** The operator decided to refund it knowing of that. Absent: not, so that the refund is not made if it can still be kept back. */
  readonly despite_recall?: true
  /** How often the operator decided to refund it. Each decision has a command of its own. Absent: at most once. */
  readonly refunds?: number
  readonly action: Resolution | null
  readonly note: string | null
  /** Absent until the money is credited. */
  readonly credited?: Credited
  /** When it was decided to credit or to apply the money, whatever was decided since. Absent: it was not, or before this member was. */
  readonly given_at?: number
  /** What its resolution counts of limits, given back when its refund is rejected. Absent: no limit covers it. */
  readonly counted?: ReadonlyArray<Counted>
  /** The adjusting entry that it ended with. Absent for another end. */
  readonly adjusting_entry_id?: string
  readonly resolved_at: number | null
}

export type ExceptionEvent =
  | {
      readonly type: "resolve"
      readonly action: Resolution
      readonly note: string
      readonly at: number
      readonly credited?: Credited
      /** The deposit belongs to another merchant, so a second commit creates it. */
      readonly elsewhere?: boolean
    }
  /** Its pay-in has failed, as the exception `by` reports. An operator's decision that is being made about the money must be made again. */
  | { readonly type: "recalled"; readonly by: string }
  /**
   * Its pay-in was confirmed again after its recall. `opens`: of a recall, an adjusting entry has booked money of the pay-in, which a person
   * decides about again.
   */
  | { readonly type: "payin.confirmed"; readonly opens?: true }
  /** The pay-in whose recall it reports has failed again. `exposure`: what has left of it. `money`: what that has freed, once more. */
  | {
      readonly type: "payin.failed"
      readonly exposure: Exposure | null
      readonly money?: Exposure & { readonly payin_id: string | null }
    }
  /**
   * Of the pay-in whose recall it reports, less is paid out than before: a refund failed, or its money came back. `exposure`: what
   * still is. `money`: what a movement has left in suspense that ended with the recall.
   */
  | {
      readonly type: "kept"
      readonly exposure: Exposure | null
      readonly money?: Exposure & { readonly payin_id: string | null }
    }
  /** More of it is being paid out since then: refunded once more, or credited. */
  | { readonly type: "exposed"; readonly exposure: Exposure | null }
  /** The movement that was settled short was returned: its customer has the whole amount back. */
  | { readonly type: "reclaimed"; readonly at: number }
  /**
   * More of a return has come: parts that are new. `first`: those that the first report did not name. `complete`: no more follow. They may
   * be more than is missing: the provider gives back what it had charged, too.
   */
  | {
      readonly type: "part"
      readonly at: number
      readonly parts: ReadonlyArray<ReturnedPart>
      readonly first?: ReadonlyArray<ReturnedPart>
      readonly complete: boolean
    }
  /** An adjusting entry has booked it. */
  | { readonly type: "adjusted"; readonly entry: string; readonly note: string; readonly at: number }
  /** An entry of it is reversed. `refills`: the entry had taken its money, which is in suspense again. Absent: it had none. */
  | { readonly type: "reopened"; readonly entry: string; readonly refills?: boolean }
  /** The deposit of another merchant was created. */
  | { readonly type: "credited"; readonly at: number }
  /** `missing`: what the payer did not get of it, in minor units, which another exception keeps. Absent: nothing. */
  | { readonly type: "refund.accepted"; readonly at: number; readonly missing?: string }
  | { readonly type: "refund.rejected"; readonly at: number }

/** The timer that credits another merchant. */
export const creditTimer = "credit"

/** The money of an exception that no decision has taken out of suspense. Null: there is none. It leaves with the end of the exception. */
export const findMoney = ({
  amount,
  currency,
  gone
}: Pick<ExceptionData, "amount" | "currency" | "gone">): Exposure | null =>
  amount === null || currency === null || (gone ?? null) !== null ? null : { amount, currency }

/** The actions that pay nobody: what is dismissed has not come, or has gone back; what is adjusted is the platform's matter. */
const paysNobody: ReadonlySet<unknown> = new Set(["dismiss", "adjust"])

/** Finds the part of an exception's money that it keeps, in minor units: without what it pays out, or may have paid out. */
export const findKeptAmount = ({
  data: { action, amount, gone },
  state
}: {
  readonly data: ExceptionData
  readonly state: string
}): bigint => {
  const isPaid = gone === "paid" || ((gone ?? null) === null && state !== "open" && !paysNobody.has(action))
  return amount === null || isPaid ? 0n : BigInt(amount)
}

/** Makes the action that posts the money of an exception, if it has any. `between` gets the provider's `world` account. */
const makePost = (between: (outside: AccountId) => readonly [debit: AccountId, credit: AccountId]) =>
  post((e: ExceptionData) => {
    const money = findMoney(e)
    return money === null ? [] : makePosting(...between(world(e.provider)), money.amount, money.currency)
  })

/** Takes the money out of suspense. The deposit that it credits, or the movement that it is applied to, posts where it goes. */
const letGo = makePost((outside) => ["suspense", outside])

/** Puts the money back into suspense: it was taken out because the pay-in had failed, and the pay-in is confirmed after all. */
const refill = post((e: ExceptionData) =>
  e.amount === null || e.currency === null ? [] : makePosting(world(e.provider), "suspense", e.amount, e.currency)
)

/** Books what a recall has freed. */
const bookFreed = {
  type: "post",
  params: ({ context, event }: { readonly context: ExceptionData; readonly event: { readonly type: string } }) => {
    const { money } = event as Extract<ExceptionEvent, { type: "payin.failed" }>
    return money === undefined ? [] : makePosting(world(context.provider), "suspense", money.amount, money.currency)
  }
} as const

/** The platform has paid the customer, so the money is its own, unless the provider has it. */
const reclaim = post((e: ExceptionData) =>
  e.amount === null || e.currency === null
    ? []
    : makePosting("suspense", e.withheld === true ? world(e.provider) : "losses", e.amount, e.currency)
)

interface PartArgs {
  readonly context: ExceptionData
  readonly event: { readonly type: string }
}

type PartEvent = Extract<ExceptionEvent, { type: "part" }>

const pickSmaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Finds how much of the missing amount of a return an event brings, in minor units. */
const findArrival = ({ context: { rest }, event }: PartArgs): bigint =>
  event.type === "part" && rest !== undefined
    ? pickSmaller(
        BigInt(rest.missing),
        (event as PartEvent).parts.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
      )
    : 0n

/** Whether an event says something new of a return: each part counts once. */
const isNewReturn = ({ context: { rest }, event }: PartArgs): boolean => {
  if (rest === undefined || event.type !== "part") return false
  const { complete, first, parts } = event as PartEvent
  if (parts.length > 0) return !parts.some(({ id }) => rest.parts.some((known) => known.id === id))
  return (complete && rest.complete !== true) || (first !== undefined && rest.first === undefined)
}

const bookArrival = ({ provider }: ExceptionData, { currency, way }: Rest, brought: bigint): ReadonlyArray<Posting> =>
  way === "payer"
    ? makePosting("suspense", world(provider), brought, currency)
    : makePosting(world(provider), way, brought, currency)

/** Makes the action that posts the money of further parts of a return, if the rest goes one of these ways. */
const bookParts = (...ways: ReadonlyArray<Rest["way"]>) =>
  ({
    type: "post",
    params: (args: PartArgs): ReadonlyArray<Posting> => {
      const { rest } = args.context
      return rest === undefined || !ways.includes(rest.way) ? [] : bookArrival(args.context, rest, findArrival(args))
    }
  }) as const

/** The rest of a return after an event with further parts: less is missing, and the parts are known. */
const subtractFromRest = (rest: Rest, args: PartArgs): Rest => {
  const { complete, first, parts } = args.event as PartEvent
  return {
    ...rest,
    missing: (BigInt(rest.missing) - findArrival(args)).toString(),
    parts: [...rest.parts, ...parts],
    ...(first === undefined ? {} : { first }),
    ...(complete ? { complete } : {})
  }
}

/** Computes the members of an open exception of a return after `brought` has come. The rest is at risk, unless it is a fee. */
const computeOpenMembers = (
  { amount, exposure }: ExceptionData,
  rest: Rest,
  brought: bigint
): Partial<ExceptionData> => {
  const held = BigInt(amount ?? "0") + (rest.way === "suspense" ? brought : rest.way === "payer" ? -brought : 0n)
  const isFee = rest.way === "payer" && rest.complete === true && rest.missing !== "0"
  const exposed = BigInt(exposure?.amount ?? "0") - brought
  const isAtRisk = !isFee && exposed > 0n
  return {
    rest,
    amount: held > 0n ? held.toString() : null,
    exposure: isAtRisk ? { amount: exposed.toString(), currency: rest.currency } : null,
    severity: isAtRisk || rest.way === "suspense" ? "high" : "low",
    ...(isFee ? { withheld: true as const } : {})
  }
}

/** The members that an event with further parts of a return changes. None for another event. */
const addParts = (args: PartArgs): Partial<ExceptionData> => {
  const { rest } = args.context
  return rest === undefined || args.event.type !== "part"
    ? {}
    : computeOpenMembers(args.context, subtractFromRest(rest, args), findArrival(args))
}

/** Finds the amount that reached the payer while a refund of it was under way, and that is still in suspense. */
const findArrivedMeanwhile = ({ amount, rest }: ExceptionData): bigint =>
  rest?.way === "payer" ? BigInt(amount ?? "0") - BigInt(rest.missing) : 0n

/** Whether no part of a return is missing, and no money is left to decide about. */
const isReturnComplete = (rest: Rest, { amount, exposure }: Partial<ExceptionData>): boolean =>
  rest.way !== "suspense" && rest.missing === "0" && amount === null && exposure === null

/** The members of an exception that ends because the last part of its return has arrived. */
const dismissByParts = (at: number) => ({
  action: "dismiss" as const,
  note: "Parts have brought the rest.",
  resolved_at: at
})

/** The name of the command of the latest decision to refund. */
const latestRefundName = ({ refunds = 1 }: Pick<ExceptionData, "refunds">): string => toRefundName(refunds)

const bookMeanwhile = post((e: ExceptionData) =>
  e.rest === undefined ? [] : bookArrival(e, e.rest, findArrivedMeanwhile(e))
)

type Context = { readonly context: ExceptionData }

const isRecall = ({ reason }: ExceptionData): boolean => reason === "recalled"

/** Records that an action ends an exception without paying its money to anybody, if the pay-in has failed by its last report. */
const recordGivenUp = (e: ExceptionData, by: NonNullable<ExceptionData["given_up"]>): Partial<ExceptionData> => {
  const hasFailed = isRecall(e) ? e.confirmed_again !== true : e.recalled === true
  return hasFailed && findMoney(e) !== null ? { given_up: by } : {}
}

/** The exposure and severity of a recall when `by` more of its own money has left, in minor units (EXCEPTION-5). */
const changeExposure = ({ currency, exposure, ...e }: ExceptionData, by: bigint): Partial<ExceptionData> => {
  const amount = BigInt(exposure?.amount ?? "0") + by
  if (!isRecall(e as ExceptionData) || currency === null) return {}
  return amount > 0n
    ? { exposure: { amount: amount.toString(), currency }, severity: "high" }
    : { exposure: null, severity: "low" }
}

const findMoneyAmount = (e: ExceptionData): bigint => BigInt(findMoney(e)?.amount ?? "0")

/** Empties the record of what a decision has added to limits, so that it does not count for the next decision. */
const clearCounts = ({ counted }: ExceptionData): Partial<ExceptionData> =>
  counted === undefined ? {} : { counted: [] }

const refund = {
  type: "command",
  params: ({ context }: Context) => ({ operation: "refund", name: latestRefundName(context) }) as const
} as const

/** Whether an event decides to credit the money to the exception's own merchant. */
const isCredit = (context: ExceptionData, event: ExceptionEvent): boolean =>
  event.type === "resolve" &&
  event.action === "credit" &&
  event.elsewhere !== true &&
  event.credited !== undefined &&
  findMoney(context) !== null

/** What a recall is told when its pay-in fails again. */
const failedAgain = { guard: "recall", actions: [bookFreed, "failedAgain", "weighed"] } as const

/** What a recall is told while a decision about its own money is made: an entry of it from before is reversed. */
const reversedMeanwhile = { guard: "recall", actions: "refilled" } as const

const machine = setup({
  types: { context: {} as ExceptionData, events: {} as ExceptionEvent, input: {} as ExceptionData },
  actions: {
    ...outcomes,
    resolved: assign(({ context, event }) =>
      event.type === "resolve"
        ? {
            ...clearCounts(context),
            ...(event.action === "dismiss" ? recordGivenUp(context, "dismissed") : {}),
            action: event.action,
            note: event.note,
            resolved_at: event.at,
            ...(event.action === "credit" || event.action === "apply" ? { given_at: event.at } : {}),
            ...(event.credited === undefined ? {} : { credited: event.credited })
          }
        : {}
    ),
    refundDecided: assign(({ context }) => ({ refunds: (context.refunds ?? 0) + 1 })),
    despiteRecall: assign(({ context }) => (context.recalled === true ? { despite_recall: true as const } : {})),
    recalled: assign(({ event }) =>
      event.type === "recalled" ? { recalled: true as const, recalled_by: event.by } : {}
    ),
    weighed: assign(({ event }) => {
      if (event.type !== "kept" && event.type !== "exposed" && event.type !== "payin.failed") return {}
      const { exposure } = event
      const money =
        event.type !== "exposed" && event.money !== undefined
          ? { ...event.money, booked: true, gone: null, given_up: null }
          : {}
      return { exposure, severity: exposure === null ? ("low" as const) : ("high" as const), ...money }
    }),
    reclaimed: assign(({ event }) =>
      event.type === "reclaimed"
        ? {
            action: "dismiss" as const,
            note: "The movement was returned. Its customer has the whole amount back.",
            resolved_at: event.at
          }
        : {}
    ),
    returned: assign((args) => addParts(args)),
    returnedLater: assign((args) => {
      const { rest } = args.context
      return rest === undefined || args.event.type !== "part" ? {} : { rest: subtractFromRest(rest, args) }
    }),
    returnedMeanwhile: assign(({ context }) =>
      context.rest?.way === "payer" ? computeOpenMembers(context, context.rest, findArrivedMeanwhile(context)) : {}
    ),
    whole: assign(({ event }) =>
      event.type === "part"
        ? dismissByParts(event.at)
        : event.type === "refund.rejected"
          ? { ...dismissByParts(event.at), counted: [] }
          : {}
    ),
    // Of a recall, its own money is at risk from the decision to pay it out until that has failed.
    leaves: assign(({ context }) => changeExposure(context, findMoneyAmount(context))),
    isBack: assign(({ context }) => changeExposure(context, -findMoneyAmount(context))),
    // It is paid, but for what another exception keeps of it. The decision stays on record.
    paid: assign(({ context, event }) => {
      const missing = event.type === "refund.accepted" ? (event.missing ?? "0") : "0"
      return { ...changeExposure(context, -BigInt(missing)), ...clearCounts(context), gone: "paid" as const }
    }),
    adjusted: assign(({ context, event }) =>
      event.type === "adjusted"
        ? {
            ...clearCounts(context),
            ...recordGivenUp(context, "adjusted"),
            action: "adjust" as const,
            note: event.note,
            adjusting_entry_id: event.entry,
            resolved_at: event.at
          }
        : {}
    ),
    // Money that it had has left suspense with its end. A decision that paid it out stays on record.
    openedAgain: assign(({ context }) => {
      const { action, amount, gone = null } = context
      const isBooked = paysNobody.has(action)
      return {
        ...clearCounts(context),
        ...(isBooked ? { action: null, note: null } : {}),
        resolved_at: null,
        gone: gone ?? (amount === null ? null : isBooked ? ("booked" as const) : ("paid" as const))
      }
    }),
    refilled: assign(({ event }) =>
      event.type === "reopened" && event.refills === true ? { gone: null, given_up: null } : {}
    ),
    unresolved: assign({ action: null, note: null, resolved_at: null, counted: [] }),
    cameAgain: assign({ gone: null, given_up: null }),
    confirmedAgain: assign(({ context }) => (isRecall(context) ? { confirmed_again: true } : { recalled: false })),
    failedAgain: assign({ confirmed_again: false })
  },
  guards: {
    isOfEntry: ({ context, event }) =>
      event.type === "reopened" && context.action === "adjust" && context.adjusting_entry_id === event.entry,
    reclaimable: ({ context }) => context.reason === "short_settlement",
    recall: ({ context }) => isRecall(context),
    isMissing: ({ context }) => context.given_up === "dismissed",
    opens: ({ context, event }) =>
      event.type === "payin.confirmed" &&
      isRecall(context) &&
      (event.opens === true || context.given_up === "adjusted"),
    keepsMoney: ({ context, event }) => isRecall(context) && event.type === "kept" && event.money !== undefined,
    returns: isNewReturn,
    whole: (args) => {
      const { rest } = args.context
      return rest !== undefined && isNewReturn(args) && isReturnComplete(subtractFromRest(rest, args), addParts(args))
    },
    wholeMeanwhile: ({ context }) =>
      context.rest !== undefined &&
      isReturnComplete(context.rest, computeOpenMembers(context, context.rest, findArrivedMeanwhile(context))),
    unbooked: ({ context }) => context.amount !== null && !context.booked,
    creditElsewhere: ({ event }) =>
      event.type === "resolve" && event.action === "credit" && event.elsewhere === true && event.credited !== undefined,
    credit: ({ context, event }) => isCredit(context, event),
    creditOfRecall: ({ context, event }) => isRecall(context) && isCredit(context, event),
    refund: ({ context, event }) =>
      event.type === "resolve" && event.action === "refund" && findMoney(context) !== null && context.payin_id !== null,
    applyOrDismiss: ({ event }) => event.type === "resolve" && (event.action === "apply" || event.action === "dismiss")
  }
}).createMachine({
  id: "exception",
  version: "1",
  context: ({ input }) => input,
  initial: "raised",
  states: {
    raised: {
      always: [
        { guard: "unbooked", target: "open", actions: makePost((outside) => [outside, "suspense"]) },
        { target: "open" }
      ]
    },
    open: {
      on: {
        recalled: { actions: "recalled" },
        kept: { guard: "recall", actions: "weighed" },
        exposed: { guard: "recall", actions: "weighed" },
        "payin.confirmed": [
          // A recall that was opened again since its money was dismissed.
          { guard: "isMissing", actions: [refill, "cameAgain", "confirmedAgain"] },
          { actions: "confirmedAgain" }
        ],
        "payin.failed": failedAgain,
        adjusted: { target: "resolved", actions: "adjusted" },
        // A recall that was opened again since the entry.
        reopened: reversedMeanwhile,
        part: [
          { guard: "whole", target: "resolved", actions: [bookParts("payer", "losses"), "returned", "whole"] },
          { guard: "returns", actions: [bookParts("payer", "losses", "suspense"), "returned"] }
        ],
        reclaimed: { guard: "reclaimable", target: "resolved", actions: ["reclaimed", reclaim] },
        resolve: [
          {
            guard: "creditElsewhere",
            target: "crediting",
            actions: ["leaves", "resolved", timer({ name: creditTimer, after_ms: 0 })]
          },
          // What is paid of a recall is at risk, so that it stays open.
          { guard: "creditOfRecall", actions: ["leaves", "resolved", letGo, "paid"] },
          { guard: "credit", target: "resolved", actions: ["resolved", letGo] },
          {
            guard: "refund",
            target: "refunding",
            actions: ["leaves", "resolved", "refundDecided", "despiteRecall", refund]
          },
          // A dismissal means that no money arrived, or that it was returned outside this service.
          { guard: "applyOrDismiss", target: "resolved", actions: ["resolved", letGo] }
        ]
      }
    },
    crediting: {
      on: {
        credited: [
          { guard: "recall", target: "open", actions: [letGo, "paid"] },
          { target: "resolved", actions: letGo }
        ],
        reopened: reversedMeanwhile,
        recalled: { actions: "recalled" },
        "payin.confirmed": { actions: "confirmedAgain" },
        "payin.failed": failedAgain,
        part: { guard: "returns", actions: "returnedLater" }
      }
    },
    refunding: {
      on: {
        "refund.accepted": [
          { guard: "recall", target: "open", actions: [letGo, "paid"] },
          { target: "resolved", actions: letGo }
        ],
        reopened: reversedMeanwhile,
        "refund.rejected": [
          { guard: "wholeMeanwhile", target: "resolved", actions: [bookMeanwhile, "returnedMeanwhile", "whole"] },
          { target: "open", actions: ["unresolved", bookMeanwhile, "returnedMeanwhile", "isBack"] }
        ],
        recalled: { actions: "recalled" },
        "payin.confirmed": { actions: "confirmedAgain" },
        "payin.failed": failedAgain,
        part: { guard: "returns", actions: "returnedLater" }
      }
    },
    // Money that the platform had lost is its own, whenever it comes.
    resolved: {
      tags: [endedTag],
      on: {
        reopened: [
          { guard: "isOfEntry", target: "open", actions: ["unresolved", "refilled"] },
          // An entry from before it was opened again and decided on once more.
          { guard: "recall", target: "open", actions: ["openedAgain", "refilled"] }
        ],
        recalled: { actions: "recalled" },
        // What was given up because it had not come has come. Of a refund, parts may have reached the payer meanwhile.
        "payin.confirmed": [
          {
            guard: "isMissing",
            target: "open",
            actions: [refill, bookMeanwhile, "returnedMeanwhile", "unresolved", "cameAgain", "confirmedAgain"]
          },
          { guard: "opens", target: "open", actions: ["openedAgain", "confirmedAgain"] },
          { actions: "confirmedAgain" }
        ],
        "payin.failed": {
          guard: "recall",
          target: "open",
          actions: ["openedAgain", bookFreed, "failedAgain", "weighed"]
        },
        // Whatever ended it: that was decided before this money was paid out, or was in suspense.
        exposed: { guard: "recall", target: "open", actions: ["openedAgain", "weighed"] },
        kept: { guard: "keepsMoney", target: "open", actions: ["openedAgain", "weighed"] },
        part: { guard: "returns", actions: [bookParts("losses"), "returnedLater"] }
      }
    }
  }
})

export const Exception = lifecycle<ExceptionData, ExceptionEvent>("exception", machine)
