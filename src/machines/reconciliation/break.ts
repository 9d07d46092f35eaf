/**
 * A break: a difference between the books and a statement, `open` until it is `resolved` by matching or by a person (BREAK-1). A
 * resolution that a person made is undone by `reopened`. What matching has ended may turn out to be adopted.
 */
import { assign, setup } from "xstate"
import { endedTag, lifecycle, outcomes } from "../kernel/lifecycle.ts"
import type { Counted } from "../kernel/payout.ts"

export const breakKinds = [
  "missing_in_books",
  "missing_on_statement",
  "amount_differs",
  "executed_twice",
  "contradicts_status",
  "balance_differs",
  "gap"
] as const
export type BreakWord = (typeof breakKinds)[number]

/** Whether breaks of a kind are about statement lines. Others are about a movement, or about a balance. */
export const isOfLines = (kind: BreakWord): boolean => kind !== "missing_on_statement" && !isOfStatements(kind)

/** Whether breaks of a kind are about balances of statements that do not fit together. */
export const isOfStatements = (kind: BreakWord): boolean => kind === "balance_differs" || kind === "gap"

/** What a person does with a break. `unmatch` and `reopen` undo. */
export const breakActions = ["match", "explain", "adopt", "dismiss", "unmatch", "reopen"] as const
export type BreakAction = (typeof breakActions)[number]

/** The timer of an adoption that has begun. */
export const adoptionTimer = "adoption"

/** A movement of the books, by the step that made it. `amount`: minor units. */
export interface MovementName {
  readonly resource_id: string
  readonly version: number
  readonly amount: string
}

/** What a break may be about, besides its own lines and resources. */
export interface BreakCandidate {
  readonly resource_id: string
  readonly amount: string
  readonly rule: string
}

/**
 * The part that is found anew by each matching. Amounts are minor units of `currency`, as decimal integer text. `since`: when its money moved,
 * or when what shows it came, if that was before: epoch milliseconds.
 */
export interface BreakDifference {
  readonly kind: BreakWord
  readonly severity: "low" | "high"
  readonly amount: string | null
  /** Of the lines or movements, as the bank books them; of a balance, what it has more (`credit`) or less. Null: none, as of a gap. */
  readonly direction?: "credit" | "debit" | null
  /** What may be lost. Null: nothing. */
  readonly exposure: string | null
  readonly line_ids: ReadonlyArray<string>
  readonly resource_ids: ReadonlyArray<string>
  readonly candidates: ReadonlyArray<BreakCandidate>
  /** The movements that are subtracted from its lines: the rest is the amount. Absent in rows of earlier releases. */
  readonly told_from?: ReadonlyArray<MovementName>
  /** The resource whose unknown outcome the line decides, if a person says so. */
  readonly adopt: string | null
  readonly since: number
  /** The statements that it is about; of a gap or a balance, the one that differs is the last. Absent in rows of earlier releases. */
  readonly statement_ids?: ReadonlyArray<string>
}

export type UndatedDifference = Omit<BreakDifference, "since">

/** Whether two differences are equal in all members that matching computes. */
export const isSameDifference = (a: BreakDifference, b: BreakDifference): boolean =>
  JSON.stringify(toDifference(a)) === JSON.stringify(toDifference(b))

/** The members by which a difference is compared with a dismissed one. */
type Weighed = Pick<BreakDifference, "kind" | "amount" | "direction" | "exposure" | "resource_ids">

/**
 * Whether a difference is covered by the dismissal of another (BREAK-6): it has the same kind, amount and direction, names no other
 * resource, and has no more exposure. Otherwise it is a new difference, which nobody has dismissed.
 */
export const isDismissedAs = (dismissed: Weighed, now: Weighed): boolean =>
  dismissed.kind === now.kind &&
  dismissed.amount === now.amount &&
  // Rows of earlier releases did not say which way.
  (dismissed.direction === undefined || dismissed.direction === (now.direction ?? null)) &&
  BigInt(now.exposure ?? "0") <= BigInt(dismissed.exposure ?? "0") &&
  now.resource_ids.every((id) => dismissed.resource_ids.includes(id))

/** The members of a break that matching computes, without those that people decide. */
export const toDifference = (b: BreakDifference): BreakDifference => ({
  ...{ kind: b.kind, severity: b.severity, amount: b.amount, direction: b.direction ?? null, exposure: b.exposure },
  ...{ line_ids: b.line_ids, resource_ids: b.resource_ids, candidates: b.candidates, adopt: b.adopt },
  since: b.since,
  ...(b.told_from === undefined ? {} : { told_from: b.told_from }),
  ...(b.statement_ids === undefined ? {} : { statement_ids: b.statement_ids })
})

/**
 * `statement_id`: the statement of a gap or a balance.
 * `movements`: what the books have and no statement has; for a break that an entry explains, what it accounts for. `accounted_on`: the day
 * whose close counted a gap or a balance when it was found; in rows of earlier releases also that of a line that was opened again.
 */
export interface BreakData extends BreakDifference {
  readonly external_account_id: string
  readonly currency: string
  readonly statement_id: string | null
  readonly movements: ReadonlyArray<MovementName>
  readonly accounted_on?: string
  /** A person has undone a match of its lines: matching leaves them to people. */
  readonly held: boolean
  /** The lines that people hold, also those that are withdrawn by now. Absent: its lines, as in rows of earlier releases. */
  readonly held_lines?: ReadonlyArray<string>
  /** What it was before people held its lines. What it is now is computed from that and the lines that they hold. */
  readonly found?: UndatedDifference
  readonly action: BreakAction | "cleared" | null
  readonly note: string | null
  readonly adjusting_entry_id: string | null
  /** What the act that wrote it recognises as paid by an adoption, minor units. */
  readonly adopted_amount?: string | undefined
  /** Limits have counted an adoption that is not recorded yet. */
  readonly adopting?: true | undefined
  /** What limits counted of the act that ended it without an entry. */
  readonly counted?: ReadonlyArray<Counted> | undefined
  /** The lines that the resolution matched or explained. */
  readonly settled_lines: ReadonlyArray<string>
  readonly resolved_at: number | null
}

/** The resources whose movements `match` takes where it names none: those of the break, or its only candidate. */
export const listMatchedByDefault = ({
  candidates: [candidate, ...others],
  movements,
  resource_ids
}: Pick<BreakData, "candidates" | "movements" | "resource_ids">): ReadonlyArray<string> => {
  const named = resource_ids.length > 0 ? resource_ids : movements.map((one) => one.resource_id)
  return named.length > 0 || candidate === undefined || others.length > 0 ? named : [candidate.resource_id]
}

/**
 * What a person who decides about a break has seen of it: what differs, and what an act takes that names nothing. What its lines may be besides is
 * none of it.
 */
export const toSeenDifference = (b: BreakData): ReadonlyArray<unknown> => [
  ...[b.kind, b.severity, b.amount, b.direction ?? null, b.exposure ?? "0", b.adopt],
  ...[b.line_ids.toSorted(), b.resource_ids.toSorted(), listMatchedByDefault(b).toSorted()],
  (b.told_from ?? []).map(({ resource_id, version }) => `${resource_id}@${version}`).toSorted()
]

/** Whether a break is what was seen of it. A row of an earlier release does not say all, and counts as the same. */
export const isSeenBreak = (seen: BreakData, now: BreakData): boolean => {
  const { direction = now.direction ?? null, told_from = now.told_from ?? [] } = seen
  return JSON.stringify(toSeenDifference({ ...seen, direction, told_from })) === JSON.stringify(toSeenDifference(now))
}

/** Which statement says it by now, and the day whose close counts that. */
type StatedOn = Pick<BreakData, "accounted_on" | "statement_id">

/** What people hold of a break. */
export type HeldPart = Pick<BreakData, "held_lines" | "found">

export type BreakEvent =
  /** It is found again, otherwise. `hold`: of a break that people hold. */
  | { readonly type: "found"; readonly difference: BreakDifference & Partial<StatedOn>; readonly hold?: HeldPart }
  /** Nothing is different any more. */
  | { readonly type: "cleared"; readonly at: number; readonly hold?: HeldPart }
  | {
      readonly type: "resolved"
      readonly action: "match" | "explain" | "adopt" | "dismiss"
      readonly note: string
      readonly at: number
      readonly adjusting_entry_id?: string
      readonly settled_lines?: ReadonlyArray<string>
      readonly movements?: ReadonlyArray<MovementName>
      readonly adopted_amount?: string
    }
  /** An adoption begins: limits count it before the movement succeeds. */
  | { readonly type: "adopting"; readonly adopted_amount: string }
  /** The adoption was none: the outcome was decided meanwhile. What limits counted is given back. */
  | { readonly type: "not_adopted" }
  /** The lines that its match settled are free, by another break, which has them now, or by an entry that is reversed. */
  | { readonly type: "unsettled"; readonly line_ids: ReadonlyArray<string> }
  /** A person has undone what ended it, or a match of its lines. `held`: matching leaves its lines to people. */
  | {
      readonly type: "reopened"
      readonly note: string
      readonly held: boolean
      readonly difference: BreakDifference & Partial<StatedOn>
      readonly hold?: HeldPart
      readonly adopted_amount?: string
    }

const machine = setup({
  types: { context: {} as BreakData, events: {} as BreakEvent, input: {} as BreakData },
  guards: {
    isAdopted: ({ context, event }) =>
      context.action === "cleared" && event.type === "resolved" && event.action === "adopt",
    isAdopting: ({ context }) => context.adopting === true,
    isMatch: ({ context }) => context.action === "match",
    isHeld: ({ context }) => (context.action === "cleared" || context.action === "dismiss") && context.held
  },
  actions: {
    ...outcomes,
    found: assign(({ event }) =>
      event.type === "found"
        ? { ...event.difference, ...event.hold, action: null, resolved_at: null, settled_lines: [] }
        : {}
    ),
    cleared: assign(({ event }) =>
      event.type === "cleared" ? { ...event.hold, action: "cleared" as const, resolved_at: event.at } : {}
    ),
    resolved: assign(({ context, event }) =>
      event.type === "resolved"
        ? {
            action: event.action,
            note: event.note,
            resolved_at: event.at,
            adjusting_entry_id: event.adjusting_entry_id ?? null,
            adopted_amount: event.adopted_amount,
            adopting: undefined,
            // An adoption was counted when it began; any other act is counted in its own commit.
            counted: event.action === "adopt" ? context.counted : undefined,
            settled_lines: event.settled_lines ?? [],
            movements: event.movements ?? context.movements
          }
        : {}
    ),
    adopting: assign(({ event }) =>
      event.type === "adopting" ? { adopting: true as const, adopted_amount: event.adopted_amount } : {}
    ),
    notAdopted: assign(() => ({ adopting: undefined, adopted_amount: undefined })),
    unsettled: assign(({ context, event }) => {
      if (event.type !== "unsettled") return {}
      const without = (ids: ReadonlyArray<string>) => ids.filter((id) => !event.line_ids.includes(id))
      const { held, held_lines, line_ids } = context
      return { action: "cleared" as const, ...(held ? { held_lines: without(held_lines ?? line_ids) } : {}) }
    }),
    reopened: assign(({ context, event }) =>
      event.type === "reopened"
        ? {
            ...event.difference,
            ...event.hold,
            action: null,
            note: event.note,
            resolved_at: null,
            adjusting_entry_id: null,
            adopted_amount: event.adopted_amount,
            adopting: undefined,
            settled_lines: [],
            held: event.held,
            // The entry that is undone is none of what it is about.
            movements: context.movements.filter(({ resource_id }) => resource_id !== context.adjusting_entry_id)
          }
        : {}
    )
  }
}).createMachine({
  id: "break",
  version: "1",
  context: ({ input }) => input,
  initial: "open",
  states: {
    open: {
      on: {
        found: { actions: "found" },
        cleared: { target: "resolved", actions: "cleared" },
        resolved: { target: "resolved", actions: "resolved" },
        reopened: { actions: "reopened" },
        adopting: { actions: "adopting" },
        not_adopted: { actions: "notAdopted" }
      }
    },
    resolved: {
      tags: [endedTag],
      on: {
        reopened: { target: "open", actions: "reopened" },
        // Matching may have ended it meanwhile.
        not_adopted: { guard: "isAdopting", actions: "notAdopted" },
        unsettled: { guard: "isMatch", actions: "unsettled" },
        // A statement has a line again that people held, or what they dismissed of their lines is another difference by now.
        found: { guard: "isHeld", target: "open", actions: "found" },
        // Matching may find that nothing differs before what a person has adopted is recorded.
        resolved: { guard: "isAdopted", actions: "resolved" }
      }
    }
  }
})

export const Break = lifecycle<BreakData, BreakEvent>("break", machine)
