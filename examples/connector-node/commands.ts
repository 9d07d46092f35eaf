/**
 * What Corridor asks for, by its ids. The laws of the protocol that keep money safe are kept here:
 *
 * - One id is executed once. Its row and what it does to the ledger are one transaction.
 * - The same id with the same content gets the present result. With other content it is a conflict, and nothing happens.
 * - What is not in the table was not executed, and will not be unless it is submitted again: a request that was delayed, and
 *   was signed before `absent` or `unavailable` was said, is refused.
 */
import { createHash } from "node:crypto"
import type { Config } from "./config.ts"
import type { Database, Row } from "./database.ts"
import { isDecimal } from "./money.ts"
import { tolerance_seconds } from "./signatures.ts"

export interface Bank {
  readonly db: Database
  readonly config: Config
}

/** A request that is no request of the protocol: answered with 400, which Corridor takes as unknown. */
export class BadRequest extends Error {}

export type Body = Readonly<Record<string, any>>
export type Result = Readonly<Record<string, unknown>>

/** A request whose signature holds. */
export interface Request {
  /** Of the path, or of the body where the path has none; empty for neither. */
  readonly id: string
  readonly body: Body
  /** Its `webhook-timestamp`: epoch seconds. */
  readonly signed_at: number
}

const is = (what: string, isValid: (value: unknown) => boolean) => ({ what, isValid })
/** No NUL and no unpaired surrogate: a database could not keep them. */
export const isText = (value: unknown, most: number): value is string =>
  typeof value === "string" &&
  value.isWellFormed() &&
  !value.includes("\0") &&
  value !== "" &&
  [...value].length <= most

const text = is("a text of 1 to 2,048 characters", (value) => isText(value, 2048))
const amount = is('a decimal string such as "12.50"', isDecimal)
const object = is("an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value))
/** RFC 3339, with a zone. */
export const isInstant = (value: unknown): boolean =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(value)

const instant = is("an instant such as 2026-01-31T12:00:00Z", isInstant)
const optional = ({ what, isValid }: typeof text) =>
  is(what, (value) => value === null || value === undefined || isValid(value))

const about = { merchant_id: text, resource_id: text }
const submission = { ...about, reference: text, originator: optional(object), kind: text }

/** The content of each command. Other members, such as `attempt` or those of a later version, do not count. */
const contents: Readonly<Record<string, Readonly<Record<string, typeof text>>>> = {
  payout: {
    ...submission,
    amount,
    currency: text,
    source_amount: amount,
    source_currency: text,
    destination: object,
    beneficiary: object,
    purpose_code: optional(text),
    narration: optional(text)
  },
  conversion: {
    ...submission,
    source_amount: amount,
    source_currency: text,
    destination_amount: amount,
    destination_currency: text,
    rate: amount
  },
  refund: { ...about, payin_id: text, amount, currency: text },
  issue: {
    ...about,
    kind: text,
    type: text,
    currency: text,
    country_code: optional(text),
    network: text,
    holder: text
  },
  instruction: { ...about, amount, currency: text, country_code: optional(text), expires_at: instant },
  verification: { ...about, tier: text, customer: object, redirect_url: optional(text) },
  screen: { ...about, name: text, destination: object },
  resolve_account: { country_code: text, bank: object, account_number: text, account_name: optional(text) },
  resolve_proxy: { proxy: text }
}

/**
 * The members of a body that count. Errors: throws {@link BadRequest} that names the member, what was found, and what is
 * taken.
 */
export const contentOf = (operation: string, body: Body): Body =>
  Object.fromEntries(
    Object.entries(contents[operation] ?? {}).map(([name, { what, isValid }]) => {
      if (!isValid(body[name])) throw new BadRequest(`${name}: found ${JSON.stringify(body[name])}; ${what} is taken`)
      return [name, body[name]]
    })
  )

/** Members in one order, and none that is null: the same content is the same text, however it was written. */
const canonical = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(canonical)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, member]) => member !== null)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, member]) => [name, canonical(member)])
        )
      : value

const fingerprintOf = (content: Body): string =>
  createHash("sha256")
    .update(JSON.stringify(canonical(content)))
    .digest("hex")

/** A command as it stands. `result` belongs to `status`. */
export interface Command {
  readonly operation: string
  readonly id: string
  readonly content: Body
  readonly status: string
  readonly result: Body
}

export const find = (db: Database, operation: string, id: string): (Command & { fingerprint: string }) | undefined => {
  const row = db.get("select * from commands where operation = ? and id = ?", operation, id)
  return row === undefined ? undefined : { ...commandOf(row), fingerprint: row["fingerprint"] }
}

const commandOf = (row: Row): Command => ({
  operation: row["operation"],
  id: row["id"],
  content: JSON.parse(row["body"]),
  status: row["status"],
  result: JSON.parse(row["result"] ?? "{}")
})

/** Notes that an id is said to be absent, for as long as earlier requests may come. Inside the transaction of its caller. */
const noteAbsence = ({ db }: Bank, operation: string, { id, signed_at }: Request): void => {
  db.run("delete from absences where signed_at < ?", Math.floor(Date.now() / 1000) - 2 * tolerance_seconds)
  db.run(
    `insert into absences (operation, id, signed_at) values (?, ?, ?)
     on conflict (operation, id) do update set signed_at = max(signed_at, excluded.signed_at)`,
    operation,
    id,
    signed_at
  )
}

/** A command that Corridor looks up. Undefined: it is absent, and this is noted. */
export const lookUp = (bank: Bank, operation: string, request: Request): Command | undefined =>
  bank.db.transaction(() => {
    const command = find(bank.db, operation, request.id)
    if (command === undefined) noteAbsence(bank, operation, request)
    return command
  })

/** What is decided about a new id. A word means that nothing is recorded: the id stays free. */
export type Decision =
  | { readonly status: string; readonly result?: Body; readonly due_at?: number }
  | "unavailable"
  | "unsupported"

/**
 * Answers a known id from its row, and decides about a new one, in the transaction that records the decision. `decide`
 * writes to the ledger what it executes.
 *
 * Errors: throws {@link BadRequest} for a request that comes too late.
 */
export const once = (
  bank: Bank,
  operation: string,
  request: Request,
  decide: (content: Body) => Decision
): Command | "conflict" | "unavailable" | "unsupported" => {
  const { db } = bank
  const { body, id, signed_at } = request
  const content = contentOf(operation, body)
  const fingerprint = fingerprintOf(content)
  return db.transaction(() => {
    const known = find(db, operation, id)
    if (known !== undefined) return known.fingerprint === fingerprint ? known : "conflict"
    const absence = db.get("select signed_at from absences where operation = ? and id = ?", operation, id)
    if (absence !== undefined && absence["signed_at"] > signed_at)
      throw new BadRequest(
        `webhook-timestamp: found ${signed_at}; the id was answered absent or unavailable at ${absence["signed_at"]}, and only a later request is taken`
      )
    const decision = decide(content)
    if (decision === "unavailable") noteAbsence(bank, operation, request)
    if (typeof decision === "string") return decision
    const { status, result = {}, due_at } = decision
    db.run(
      "insert into commands (operation, id, fingerprint, body, status, result, due_at) values (?, ?, ?, ?, ?, ?, ?)",
      operation,
      id,
      fingerprint,
      JSON.stringify(content),
      status,
      JSON.stringify(result),
      due_at ?? null
    )
    return { operation, id, content, status, result }
  })
}

/** Moves a command to another status, inside the transaction of its caller. */
export const update = (db: Database, { operation, id }: Command, status: string, result: Body): void =>
  db.run(
    "update commands set status = ?, result = ? where operation = ? and id = ?",
    status,
    JSON.stringify(result),
    operation,
    id
  )

/** Pending commands whose time has come, the oldest first. */
export const due = (db: Database, now: number): ReadonlyArray<Command> =>
  db
    .all("select * from commands where status = 'pending' and due_at <= ? order by due_at limit 100", now)
    .map(commandOf)
