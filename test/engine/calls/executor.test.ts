/** The one order of checks, and what a call holds, keeps and cannot be interrupted in, whichever entry point it has. */
import { Deferred, Effect, Fiber, Result, Schema } from "effect"
import { expect, it } from "vitest"
import { Admission } from "../../../src/engine/calls/Admission.ts"
import {
  type Credential,
  type Execute,
  makeExecutor,
  type CallOutcome,
  type CallRequest
} from "../../../src/engine/calls/executor.ts"
import { get, post } from "../../../src/engine/calls/operation.ts"
import { Id } from "../../../src/engine/input/schemas.ts"
import {
  AuthenticationFailed,
  ExternalServiceUnavailable,
  InvalidStatus,
  NotFound,
  type Refusal
} from "../../../src/engine/ports/errors.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { ApiKeys } from "../../../src/engine/resources/access/api-key.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { sha256 } from "../../../src/engine/crypto/secrets.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"

const Body = Schema.Struct({ name: Schema.String })

/** A write that does what it is told. */
const writing = (
  run: Effect.Effect<{ readonly name: string }, Refusal>,
  before: Effect.Effect<void, Refusal> = Effect.void
) =>
  post(
    "renameCustomer",
    "/v1/customers/:id/name",
    {
      summary: "Rename a customer",
      params: { id: Id("cust") },
      input: Body,
      output: Body,
      limited: true,
      precheck: () => before
    },
    () => run
  )

const reading = (run: Effect.Effect<{ readonly name: string }, Refusal>) =>
  get("readName", "/v1/names", { summary: "Read a name", output: Body }, () => run)

/** Lets other fibers run until they wait. */
const settled = Effect.repeat(Effect.yieldNow, { times: 50 })

const done = Effect.succeed({ name: "Ada" })

/** A submission with nothing wrong. */
const sent = (credential: Credential, over: Partial<CallRequest> = {}): CallRequest => ({
  request_id: undefined,
  isOperator: credential._tag === "Operator",
  credential: () => Result.succeed(credential),
  key: undefined,
  keyName: "key",
  if_match: null,
  strict: false,
  fingerprint: () => Effect.succeed("fingerprint"),
  params: () => ({ id: "cust_1" }),
  query: () => ({}),
  body: () => Result.succeed({ name: "Ada" }),
  render: (result) => JSON.stringify(result),
  renderRefusal: ({ _tag }) => _tag,
  ...over
})

/** A merchant, its admin key and a viewer's key. */
const caller = Effect.gen(function* () {
  const merchants = yield* Merchants
  const keys = yield* ApiKeys
  const { api_key, merchant } = yield* merchants.create(yield* call(PLATFORM_MERCHANT), {
    name: "Lagos",
    country_code: "NG",
    status: "active"
  })
  const viewer = yield* keys.create(yield* call(merchant.id), { role: "viewer" })
  const keyOf = (secret: string) => Effect.map(sha256(secret), (hash): Credential => ({ _tag: "ApiKey", hash }))
  return { merchant_id: merchant.id, admin: yield* keyOf(api_key.secret), viewer: yield* keyOf(viewer.secret) }
})

const executor = (limits = { writes: 8, reads: 8 }, rate_per_second = 0) =>
  makeExecutor({ admission: new Admission(limits), rate_per_second })

const inWorld = <A, E>(effect: Effect.Effect<A, E, any>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, makeSimulatedEngine()) as Effect.Effect<A, E>)

/** Why a call was refused, and the first field that is to blame. */
const wording = (outcome: CallOutcome): string => {
  if (outcome._tag !== "Refused") return outcome._tag
  const { failure } = outcome
  return "errors" in failure && failure.errors[0] !== undefined
    ? `${failure._tag} ${failure.errors[0].field}`
    : failure._tag
}

covers("HTTP-6")
it("checks in one order: a call is refused for the first thing that is wrong with it, whatever comes later", () =>
  inWorld(
    Effect.gen(function* () {
      const { admin, viewer } = yield* caller
      const open = yield* executor()
      const limited = yield* executor(undefined, 1)
      yield* open(writing(done))(sent(admin, { key: "used-before", fingerprint: () => Effect.succeed("other") }))
      for (let n = 0; n < 2; n++) yield* limited(writing(done))(sent(admin))

      const refused = writing(
        Effect.fail(new NotFound({ message: "no customer" })),
        Effect.fail(new InvalidStatus({ message: "not now" }))
      )
      const late = writing(Effect.fail(new NotFound({ message: "no customer" })))
      const body = { body: () => Result.succeed({ nam: "Ada" }) }
      const query = { ...body, strict: true, query: () => ({ page: "1" }) }
      const params = { ...query, params: () => ({ id: "wal_1" }) }
      const key = { ...params, key: "used-before" }
      const malformed = { ...params, key: "short" }
      const nobody = {
        ...malformed,
        credential: () => Result.fail(new AuthenticationFailed({ message: "who?" }))
      }
      const steps: ReadonlyArray<readonly [string, Execute, CallRequest]> = [
        ["RateLimited", (yield* executor({ writes: 0, reads: 0 }, 1))(refused), sent(viewer, nobody)],
        ["AuthenticationFailed", limited(refused), sent(viewer, nobody)],
        ["Forbidden", limited(refused), sent(viewer, malformed)],
        ["RateLimited", limited(refused), sent(admin, malformed)],
        ["BadRequest key", open(refused), sent(admin, malformed)],
        ["IdempotencyConflict", open(refused), sent(admin, key)],
        ["InvalidInput id", open(refused), sent(admin, params)],
        ["InvalidStatus", open(refused), sent(admin, query)],
        ["InvalidInput page", open(late), sent(admin, query)],
        ["BadRequest name", open(late), sent(admin, body)],
        ["NotFound", open(late), sent(admin)],
        ["Completed", open(writing(done)), sent(admin)]
      ]
      const outcomes = yield* Effect.forEach(steps, ([, execute, submission]) =>
        Effect.map(execute(submission), wording)
      )
      expect(outcomes).toEqual(steps.map(([expected]) => expected))
    })
  ))

it("holds no place while a body arrives, and takes one again for what follows", () =>
  inWorld(
    Effect.gen(function* () {
      const { admin } = yield* caller
      const prepare = yield* executor({ writes: 1, reads: 1 })
      const arrived = yield* Deferred.make<void>()
      const slow = yield* Effect.forkChild(prepare(writing(done))(sent(admin, { receive: Deferred.await(arrived) })))
      yield* settled
      expect(wording(yield* prepare(writing(done))(sent(admin)))).toBe("Completed")

      const inside = yield* Deferred.make<void>()
      const busy = yield* Effect.forkChild(
        prepare(writing(Effect.as(Deferred.await(inside), { name: "" })))(sent(admin))
      )
      yield* settled
      yield* Deferred.succeed(arrived, undefined)
      expect(wording(yield* Fiber.join(slow))).toBe("RateLimited")
      yield* Deferred.succeed(inside, undefined)
      expect(wording(yield* Fiber.join(busy))).toBe("Completed")
    })
  ))

it("always lets the operator in", () =>
  inWorld(
    Effect.gen(function* () {
      const { admin } = yield* caller
      const read = (yield* executor({ writes: 0, reads: 0 }))(reading(done))
      expect([
        wording(yield* read(sent(admin))),
        wording(yield* read(sent({ _tag: "Operator", operator: { id: null, name: "Ada", role: "viewer" } })))
      ]).toEqual(["RateLimited", "Completed"])
    })
  ))

it("finishes a write that nobody waits for any more, and gives up a read", () =>
  inWorld(
    Effect.gen(function* () {
      const { admin } = yield* caller
      const prepare = yield* executor()
      const finished: Array<string> = []
      for (const [name, make] of [
        ["write", writing],
        ["read", reading]
      ] as const) {
        const go = yield* Deferred.make<void>()
        const run = Effect.andThen(
          Deferred.await(go),
          Effect.sync(() => ({ name: finished[finished.push(name) - 1]! }))
        )
        const asked = yield* Effect.forkChild(prepare(make(run))(sent(admin)))
        yield* settled
        yield* Effect.forkChild(Fiber.interrupt(asked))
        yield* settled
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.await(asked)
      }
      expect(finished).toEqual(["write"])
    })
  ))

it("keeps what a key was answered with, a refusal too, unless a repeat may be answered otherwise", () =>
  inWorld(
    Effect.gen(function* () {
      const { admin } = yield* caller
      const prepare = yield* executor()
      const twice = Effect.fnUntraced(function* (key: string, run: Effect.Effect<{ readonly name: string }, Refusal>) {
        const execute = prepare(writing(run))
        return [yield* execute(sent(admin, { key })), yield* execute(sent(admin, { key }))] as const
      })
      const made = yield* twice("key-of-made", done)
      expect(made[1]).toEqual({ _tag: "Repeated", text: made[0]._tag === "Completed" ? made[0].text : "" })
      const missing = yield* twice("key-of-missing", Effect.fail(new NotFound({ message: "no customer" })))
      expect(missing[1]).toEqual({ _tag: "Repeated", text: "NotFound" })
      const away = new ExternalServiceUnavailable({ message: "no answer" })
      const passing = yield* twice("key-of-passing", Effect.fail(away))
      expect(passing.map(wording)).toEqual(["ExternalServiceUnavailable", "ExternalServiceUnavailable"])
    })
  ))
