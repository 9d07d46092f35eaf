/** How the answers of a company are read: what is the same for all. A connector adds its tables, and the schemas of what it reads. */
import { Effect, flow, Option, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { MovementOutcome } from "../../../engine/ports/Provider.ts"
import { formatAmount, parseAmount } from "../../../machines/kernel/money.ts"
import { type CompanyReply, faultOfNoReply, type NoReply, toStorableText } from "./client.ts"
import type { Posted, Seen, UnreadableReply } from "./submissions.ts"
import { type AnswerRow, findRefusal, type StateRow } from "./tables.ts"

/** A member that may be anything, or be absent. */
export const Loose = Schema.optionalKey(Schema.Unknown)
/** A state, as far as it can be a word of a table. */
export const StateWord = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,80}$/))
/** An id that can be in a path. */
export const PlainId = Schema.String.check(Schema.isPattern(/^[\w-]{1,80}$/))

export const isPlainId = Schema.is(PlainId)

/** Reads a value by a schema. Undefined: it is none of it. */
export const readerOf = <A>(schema: Schema.Decoder<A>): ((value: unknown) => A | undefined) =>
  flow(Schema.decodeUnknownOption(schema), Option.getOrUndefined)

export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as { readonly [name: string]: unknown })[name] : undefined

/** The text of a member; null: it has none. */
export const textOf = (value: unknown, name: string, most?: number): string | null =>
  toStorableText(memberOf(value, name), most)

/** The decimals of a payment, in all currencies that companies pay out. */
export const paymentDecimals = 2

/** Amounts of a company that writes so many decimals. `parse`: undefined: it is none above zero, or has more decimals than `precision`. */
export const amountsOf = (decimals: number) => ({
  format: (units: bigint): string => formatAmount(units, { decimals: paymentDecimals, ledger_scale: decimals }),
  parse: (amount: unknown, precision = decimals): bigint | undefined => {
    const units = typeof amount === "string" ? parseAmount(amount, decimals, precision) : "none"
    return typeof units === "string" ? undefined : units
  }
})

/** What decides nothing. `id`: what the company has made, although it is not understood. */
export const unreadable = (message: string, id?: string): UnreadableReply => ({
  ...{ _tag: "unknown", message },
  ...(id !== undefined && { id })
})

/** What the row of a state says of a command: nothing definite where there is none. `outcome`: what else is known of an end. */
export const seenBy = (
  states: Readonly<Record<string, StateRow>>,
  { command_id, id, state }: { readonly command_id: string; readonly id: string; readonly state: string },
  outcome: (row: StateRow) => Omit<MovementOutcome, "outcome">
): Seen | UnreadableReply => {
  const row = Object.hasOwn(states, state) ? states[state] : undefined
  if (row === undefined || row.port === "unknown")
    return unreadable(`${command_id} has the state ${JSON.stringify(state)}, which decides nothing: ${id}`, id)
  const { awaited_person, port } = row
  return {
    ...{ _tag: "found", id, state, outcome: port === "pending" ? null : { outcome: port, ...outcome(row) } },
    ...(awaited_person && { awaited_person })
  }
}

interface CompanyAnswers {
  readonly company: string
  readonly answers: ReadonlyArray<AnswerRow>
  /** An answer of the company's own that is no success; undefined: it is none. */
  readonly refusalOf: (json: unknown) => { readonly code: string; readonly message: string } | undefined
  /** What a body of a success has; undefined: it is none of the company's. */
  readonly payloadOf: (json: unknown) => unknown
}

export const makeReading = ({ answers, company, payloadOf, refusalOf }: CompanyAnswers) => {
  /** What it said, for an operator. */
  const describe = ({ json, status }: CompanyReply): string => {
    const refusal = refusalOf(json)
    if (refusal === undefined) return `${status}, and no answer of ${company}'s that can be read`
    const code = refusal.code === "" ? "" : ` (${refusal.code})`
    return `${status}: ${toStorableText(refusal.message) ?? "no message"}${code}`
  }
  /** The payload of a success; undefined: it is none, or it is not of the schema. */
  const dataIn = <A>(schema: Schema.Decoder<A>, { json, status }: CompanyReply): A | undefined => {
    return status < 200 || status > 299 ? undefined : readerOf(schema)(payloadOf(json))
  }
  const unclear = (reply: CompanyReply) => unreadable(`${company} answered ${describe(reply)}`)
  /** What an answer that is no success says of the request. */
  const refusalIn = (reply: CompanyReply): Exclude<Posted, Seen> => {
    const refusal = refusalOf(reply.json)
    const refused = refusal && findRefusal(answers, { ...refusal, status: reply.status, said: describe(reply) })
    return refused ?? unclear(reply)
  }
  const Made = Schema.Struct({ id: PlainId })
  const readAnswer = <A>(asked: Effect.Effect<CompanyReply, NoReply>, what: string, read: (reply: CompanyReply) => A) =>
    Effect.flatMap(Effect.mapError(asked, faultOfNoReply), (reply): Effect.Effect<NonNullable<A>, ProviderFault> => {
      const found = read(reply)
      return found === undefined || found === null
        ? Effect.fail(new ProviderFault({ message: `${what}: ${company} answered ${describe(reply)}` }))
        : Effect.succeed(found)
    })
  return {
    describe,
    dataIn,
    refusalIn,
    /** Whether an answer is the company's own, with one of these statuses. */
    isRefusedWith: (reply: CompanyReply, ...statuses: ReadonlyArray<number>): boolean =>
      statuses.includes(reply.status) && refusalOf(reply.json) !== undefined,
    /** How payments are read. `see`: what one says of the command that it should be. */
    paymentsOf: <A, Expected>(
      schemaOf: (expected: Expected) => Schema.Decoder<A>,
      see: (found: A, expected: Expected) => Seen | UnreadableReply
    ) => ({
      /** What the answer to a `POST` says. Total: whatever came, it maps to something. What was made has an id, in whatever form the rest is. */
      readPosted: (reply: CompanyReply, expected: Expected): Posted => {
        const found = dataIn(schemaOf(expected), reply)
        if (found !== undefined) return see(found, expected)
        const made = dataIn(Made, reply)
        return made === undefined
          ? refusalIn(reply)
          : unreadable(`it is at ${company}, in a form that cannot be read: ${made.id}`, made.id)
      },
      /** What the answer to a `GET` says. That it is not found says nothing here: it was there. */
      readFound: (reply: CompanyReply, expected: Expected): Seen | UnreadableReply => {
        const found = dataIn(schemaOf(expected), reply)
        return found === undefined ? unclear(reply) : see(found, expected)
      }
    }),
    /** What an answer has. Errors: it is no success of the schema, or nobody answers. */
    read: <A>(schema: Schema.Decoder<A>, what: string, asked: Effect.Effect<CompanyReply, NoReply>) =>
      readAnswer(asked, what, (reply) => dataIn(schema, reply)),
    readAnswer
  }
}

export type CompanyReading = ReturnType<typeof makeReading>
