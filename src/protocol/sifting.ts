/** Lists of the protocol whose items do not depend on each other: one that is unreadable does not hide the others. */
import { Effect, Result, Schema } from "effect"
import { type Client, UnknownOutcome } from "./client.ts"
import { Bank } from "./commands.ts"
import { decodeResult } from "./messages.ts"
import type { InputOf, Operation, ResultOf } from "./operations.ts"
import { Rate } from "./results.ts"

/** By the operation, which is also the member of its result. */
const items = { banks: Schema.is(Bank), rates: Schema.is(Rate) } as const

const isSiftedOperation = (operation: Operation): operation is keyof typeof items => operation in items

/** Wraps a client so that unreadable banks and rates are left out of their lists, and their number is logged. */
export const siftLists = (client: Client): Client => ({
  ...client,
  call: <O extends Operation>(operation: O, id: string | null, input: InputOf<O>) => {
    if (!isSiftedOperation(operation)) return client.call(operation, id, input)
    return Effect.flatMap(
      client.callUnchecked(operation, id, input),
      Effect.fnUntraced(function* (result: unknown): Effect.fn.Return<ResultOf<O>, UnknownOutcome> {
        const { [operation]: listed } = (result ?? {}) as { readonly [member: string]: unknown }
        const all: ReadonlyArray<unknown> = Array.isArray(listed) ? listed : []
        const kept = all.filter(items[operation])
        if (kept.length < all.length)
          yield* Effect.logWarning(
            `${all.length - kept.length} of ${all.length} ${operation} of the connector cannot be read, and are left out`
          )
        const sifted = kept.length < all.length ? { ...(result as object), [operation]: kept } : result
        const read = decodeResult(operation, sifted)
        return Result.isSuccess(read)
          ? (read.success as ResultOf<O>)
          : yield* new UnknownOutcome({ operation, id, ...read.failure })
      })
    )
  }
})
