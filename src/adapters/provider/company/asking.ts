/** What the calls of all connectors are made of, over the client of one key. */
import { Effect, type Schema } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CompanyReading } from "./answers.ts"
import { type CompanyClient, type CompanyReply, faultOfNoReply, type NoReply, pathWith } from "./client.ts"
import { type NotExecuted, requireSeen, type Seen, unavailable, type UnreadableReply } from "./submissions.ts"

export interface QueryMembers {
  readonly [name: string]: string | undefined
}

/** `where`: what a fault adds to what it is about, such as the currency of the key. */
export const makeAsking = (reading: CompanyReading, ask: CompanyClient, where = "") => {
  const get = (path: string, query: QueryMembers = {}) => ask({ method: "GET", path: pathWith(path, query) })
  /** Any answer. Errors: there is none. */
  const replyTo = (asked: Effect.Effect<CompanyReply, NoReply>) => Effect.mapError(asked, faultOfNoReply)
  return {
    get,
    replyTo,
    post: (path: string, body: string, idempotency_key?: string) =>
      ask({ ...{ method: "POST", path, body }, ...(idempotency_key !== undefined && { idempotency_key }) }),
    /** What an answer has. Errors: it is no success of the schema, or nobody answers. */
    read: <A>(schema: Schema.Decoder<A>, what: string, asked: Effect.Effect<CompanyReply, NoReply> = get(what)) =>
      reading.read(schema, `${what}${where}`, asked),
    /** What the company has of a command. */
    look: (path: string, read: (reply: CompanyReply) => Seen | UnreadableReply): Effect.Effect<Seen, ProviderFault> =>
      Effect.flatMap(replyTo(get(path)), (reply) => requireSeen(read(reply))),
    /** Makes what moves no money. Undefined: whether it was made is not known; only a listed answer says that it was not. */
    make: <A>(
      asked: Effect.Effect<CompanyReply, NoReply>,
      read: (reply: CompanyReply) => A | undefined
    ): Effect.Effect<A | NotExecuted | undefined> =>
      Effect.match(asked, {
        onFailure: ({ isSent }) => (isSent ? undefined : unavailable),
        onSuccess: (reply) => {
          const refusal = reading.refusalIn(reply)
          return read(reply) ?? (refusal._tag === "not_executed" ? refusal.result : undefined)
        }
      })
  }
}

export type Asking = ReturnType<typeof makeAsking>
