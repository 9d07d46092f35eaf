/** The cause of a write: the call of an operation, or an internal event; and the origin that its Change keeps. */
import { Effect } from "effect"
import type { ControlledAction } from "../../machines/controls/approval-rule.ts"
import type { Ids } from "../ports/Ids.ts"
import type { Change, Json, Lease, Origin } from "../ports/Storage.ts"
import type { ApprovalBody } from "../representations/controls/approval.ts"
import type { ChangeSet } from "./changeset.ts"

/** Roles of API keys, low to high, and `approver`, which reads and approves, and makes nothing (AUTH-7, APPROVAL-6). */
export const keyRoles = ["viewer", "approver", "developer", "admin"] as const
export type Role = (typeof keyRoles)[number]

/** Whether a role is `least` or higher. Only an admin is above an approver, who is above a viewer alone. */
export const hasRole = (role: Role, least: Role): boolean =>
  least === "approver" ? role === "approver" || role === "admin" : keyRoles.indexOf(role) >= keyRoles.indexOf(least)

/** Roles of operators, low to high (OPERATOR-7). */
export const operatorRoles = ["viewer", "support", "treasury", "admin"] as const
export type OperatorRole = (typeof operatorRoles)[number]

/** Whether an operator's role is `least` or higher. */
export const hasOperatorRole = (role: OperatorRole, least: OperatorRole): boolean =>
  operatorRoles.indexOf(role) >= operatorRoles.indexOf(least)

/** The roles that may approve what waits: of API keys, and of operators. A rule names no other (APPROVAL-14). */
export const approvingKeyRoles = keyRoles.filter((role) => hasRole(role, "approver"))
export const approvingOperatorRoles = operatorRoles.filter((role) => hasOperatorRole(role, "support"))

/** Who acts through the operator API. `id` is null for the configured token and for an embedding application. */
export interface Operator {
  readonly id: string | null
  readonly name: string
  readonly role: OperatorRole
}

/**
 * One call of a merchant or an operator. A call of an operator has the rights of an admin over every merchant, as far as
 * the operator's own role allows the operation.
 *
 * `idempotency`: the caller's key, and the fingerprint that distinguishes a repeat from a reuse. Null: no key was sent. `lasts`: the key
 * never expires.
 * `reply` renders the response that is stored with the effect and returned to a repeat: over HTTP the exact response
 * body, embedded the result as JSON. It is called for each decision, with its result, before the commit.
 */
export interface Call {
  readonly merchant_id: string
  readonly role: Role
  /** The API key of the caller. Null for the embedding application itself. */
  readonly key_id: string | null
  /** Null for a call of a merchant. */
  readonly operator: Operator | null
  /** The id of the operation. */
  readonly operation: string
  /** The id of the resource that the path names, and the caller's note. Absent without one. */
  readonly subject?: string | undefined
  readonly note?: string | undefined
  readonly request_id: string
  readonly idempotency: { readonly key: string; readonly fingerprint: string; readonly lasts?: true } | null
  /** The versions in the `If-Match` header, with spaces between them (HTTP-11). Null when the header is absent or `*`: any version. */
  readonly if_match: string | null
  readonly reply: (result: unknown) => string
  /**
   * Called when the result is an existing movement with the reference that was sent (REFERENCE-3). A response that an
   * attempt to create another has rendered is then void.
   */
  readonly existing?: () => void
  /** The words of its act, the one that always applies first, and the member that a refusal by a limit names. Absent: of no operation. */
  readonly act?: { readonly words: ReadonlyArray<ControlledAction>; readonly field: string }
  /** Of an act that has waited: the ids of what it makes, as its maker was told them. Absent: new ones are made. */
  readonly ids?: ReadonlyArray<string>
  /** Called when what the call does waits for approval: the response has the approval (APPROVAL-3). Absent: it does not wait any more. */
  readonly waits?: (approval?: ApprovalBody) => void
}

/** Makes the id of what a call creates: the one that its maker was told when the call began to wait, or else a new one (APPROVAL-3). */
export const makeIdFor = (
  { ids: told = [] }: Pick<Call, "ids">,
  ids: Ids["Service"],
  prefix: string
): Effect.Effect<string> => {
  const known = told.find((id) => id.startsWith(`${prefix}_`))
  return known === undefined ? ids.make(prefix) : Effect.succeed(known)
}

/** Whether a text has the form of an idempotency key (IDEM-6). */
export const isIdempotencyKey = (key: string): boolean => /^[A-Za-z0-9_-]{8,255}$/.test(key)

/** A part of a list of ETags: no text begins with two of them, so that reading one takes as long as the text is. */
const part = /[ \t]+|(?<comma>,)|(?<weak>W\/)?"(?<opaque>[\x21\x23-\x7e\x80-\u{ff}]*)"/uy

/** Parses a list of ETags to its strong tags. Undefined for a text that is no such list. */
const parseStrongTags = (text: string): ReadonlyArray<string> | undefined => {
  const tags: Array<string> = []
  let isNext = true
  for (let at = 0; at < text.length; at = part.lastIndex) {
    part.lastIndex = at
    const { comma, opaque, weak } = part.exec(text)?.groups ?? {}
    if (part.lastIndex === 0 || (opaque !== undefined && !isNext)) return undefined
    if (opaque !== undefined && weak === undefined) tags.push(opaque)
    isNext = comma !== undefined || (isNext && opaque === undefined)
  }
  return tags
}

/**
 * Parses the `If-Match` of a change (HTTP-11, HTTP-12): the versions that it may be of, with spaces between them. Null for any: without the
 * header, or for `*`. A list of ETags names each of them (RFC 9110, 13.1.1). A weak one names none, nor does a text that is not a list: the
 * change conflicts. A version may stand alone, without quotes.
 */
export const parseVersions = (given: string | undefined): string | null => {
  const text = given?.trim()
  if (text === undefined || text === "*") return null
  const tags = /["\s,]/.test(text) ? parseStrongTags(text) : [text]
  return (tags ?? []).flatMap((tag) => (tag === "" ? [] : [tag.split("-", 1)[0]!])).join(" ")
}

// The cause of an internal write, its result, and the origin of a Change: what its history shows people of its cause.

/**
 * The cause of an internal write: an external event with its own id, a claimed job, or both. `content` is the text of
 * the event: the same key with other content is not a repeat. `isSame`: whether a stored content says the same. Absent: it has the same text.
 */
export interface Source {
  readonly deduplicationKey?: string
  readonly content?: string
  readonly isSame?: (stored: string) => boolean
  /** How long `deduplicationKey` is stored, milliseconds. Absent: for ever. */
  readonly deduplication_ms?: number
  readonly lease?: Lease
  /** Shown in the history. */
  readonly origin?: Pick<Origin, "calls" | "provider">
  /**
   * A command's job, and its log including the new result. A job that the step writes in its place keeps this log. `begun_by`: the
   * claim under which a submission begins, by which its worker knows the job again.
   */
  readonly answered?: { readonly job: string; readonly log: ReadonlyArray<Json>; readonly begun_by?: string }
}

/** Copies the log of the answered job to the job that replaces it. */
export const copyJobLog = (changes: ChangeSet, { answered }: Source): ChangeSet => {
  if (answered === undefined || changes.jobs === undefined) return changes
  const { begun_by, log } = answered
  const mark = begun_by === undefined ? {} : { begun_by }
  return {
    ...changes,
    jobs: changes.jobs.map((job) => (job.id === answered.job ? { ...job, log, body: { ...job.body, ...mark } } : job))
  }
}

/**
 * `applied`: written now. `duplicate`: written before, or the job's lease belongs to another worker. `reused`: nothing
 * was written, because the key was used for other content.
 */
export type ApplyResult<A> =
  | { readonly _tag: "applied"; readonly result: A }
  | { readonly _tag: "duplicate" | "reused" }

/** How an event was handled. `ignored`: the resource's state does not accept it. */
export type EventResult = "applied" | "ignored" | "duplicate"

/** The result of one handler. `reused`: the event's id was used for another event. */
export type HandlerResult = EventResult | "reused"

/** The result of an applied decision, or why nothing was written. */
export const unwrapResult = <A>(applied: ApplyResult<A>): A | "duplicate" | "reused" =>
  applied._tag === "applied" ? applied.result : applied._tag

/** Makes the origin of a Change from a call, and from the calls to providers and the rate source that it made. */
export const makeOrigin = (
  { key_id, operation, operator, request_id: id }: Call,
  asked: Origin["calls"] = []
): Origin => ({
  request: {
    id,
    key_id,
    operation,
    ...(operator === null ? {} : { operator: { id: operator.id, name: operator.name } })
  },
  ...(asked.length === 0 ? {} : { calls: [...asked] })
})

/** Adds its origin to a Change: the cause that is known, and the timers that it sets and cancels. Only a Change with rows has one. */
export const addOrigin = <C extends Change>(change: C, known: Origin = {}): C => {
  if (change.rows.length === 0) return change
  const timers = change.jobs.filter(({ due_at, queue }) => queue === "timer" && due_at !== null)
  const origin: Origin = {
    ...known,
    ...(timers.length === 0 ? {} : { timers: Object.fromEntries(timers.map(({ due_at, id }) => [id, due_at!])) }),
    ...(change.cancels.length === 0 ? {} : { cancels: change.cancels })
  }
  return Object.keys(origin).length === 0 ? change : { ...change, origin }
}
