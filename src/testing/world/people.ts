/**
 * Calls of people: of the holder of an operator's token or of an API key. An application's own calls are nobody's, so that none of them
 * approves anything (APPROVAL-5).
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { Admission, CallLimits } from "../../engine/calls/Admission.ts"
import { type CallOutcome, makeExecutor } from "../../engine/calls/executor.ts"
import type { AnyOperation } from "../../engine/calls/operation.ts"
import { sha256 } from "../../engine/crypto/secrets.ts"
import { type Fault, Refusal } from "../../engine/ports/errors.ts"

const writeRefusal = Schema.encodeSync(Refusal)
const readRefusal = Schema.decodeUnknownSync(Refusal)

interface PersonalCall {
  readonly operation: AnyOperation
  /** The ids, then the input. */
  readonly args: ReadonlyArray<unknown>
  readonly key: string
}

export class PeopleCalls extends Context.Service<
  PeopleCalls,
  {
    /** Runs an operation that writes, as the holder of a token or of the secret of a key. A repeat of a key has no effect. */
    readonly run: (token: string, call: PersonalCall) => Effect.Effect<unknown, Refusal | Fault, unknown>
  }
>()("corridor/testing/PeopleCalls") {
  static readonly layer = Layer.effect(
    PeopleCalls,
    Effect.gen(function* () {
      const executor = yield* makeExecutor({ admission: new Admission(yield* CallLimits), rate_per_second: 0 })
      return PeopleCalls.of({
        run: (token, call) =>
          Effect.flatMap(sha256(token), (hash) => {
            const { args, key, operation } = call
            const { area, id, implied, names } = operation
            const input = args[names.length] ?? implied ?? {}
            const isOperator = area === "operator"
            return Effect.flatMap(
              executor(call.operation)({
                request_id: undefined,
                isOperator,
                credential: () => Result.succeed({ _tag: isOperator ? "OperatorToken" : "ApiKey", hash }),
                key,
                keyName: "idempotencyKey",
                if_match: null,
                strict: false,
                fingerprint: () => sha256(`${id}\n${JSON.stringify(args)}`),
                params: () => Object.fromEntries(names.map((name, at) => [name, args[at]])),
                query: () => ({}),
                body: () => Result.succeed(input),
                render: (result) => JSON.stringify({ result }),
                renderRefusal: (refusal) => JSON.stringify({ refusal: writeRefusal(refusal) })
              }),
              (outcome: CallOutcome): Effect.Effect<unknown, Refusal | Fault> => {
                if (outcome._tag === "Refused") return Effect.fail(outcome.failure)
                const { refusal, result } = JSON.parse(outcome.text) as {
                  readonly refusal?: unknown
                  readonly result?: unknown
                }
                return refusal === undefined ? Effect.succeed(result) : Effect.fail(readRefusal(refusal))
              }
            )
          })
      })
    })
  )
}
