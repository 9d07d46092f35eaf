/**
 * Acts of the API that wait for approval (APPROVAL-3). The act is tried as a dry run first, so that what would be refused does not wait, and
 * rules can compare its amounts. Then its call is stored, and nothing of it is done.
 */
import { Clock, Effect, Result } from "effect"
import type { ApprovalData } from "../../machines/controls/approval.ts"
import type { ControlledWord } from "../../machines/controls/approval-rule.ts"
import type { Call } from "../commit/call.ts"
import type { UnitOfWork } from "../commit/UnitOfWork.ts"
import type { Cipher } from "../ports/Cipher.ts"
import { DryRun, type DryRunRecord } from "../ports/dry-run.ts"
import { type BadRequest, type Fault, Forbidden, type Refusal } from "../ports/errors.ts"
import { approvalBody } from "../representations/controls/approval.ts"
import type { ActiveApprovalRules, Demand, Side } from "./ActiveApprovalRules.ts"
import { newDryRun } from "./dry-run.ts"
import type { AnyOperation } from "./operation.ts"

/** The path parameters and the body of a call, as they were sent. */
export interface SentInput {
  readonly params: unknown
  readonly body: unknown
}

interface Given {
  readonly call: Call
  readonly params: Readonly<Record<string, unknown>>
  readonly input: unknown
}

interface Deps {
  readonly rules: ActiveApprovalRules["Service"]
  readonly unitOfWork: UnitOfWork["Service"]
  readonly cipher: Cipher["Service"]
}

export const wordOf = ({ word }: AnyOperation, given: Given): ControlledWord | undefined =>
  typeof word === "function" ? word(given as never) : word

/** Members of responses that nobody may know before the act is done. */
const secrets = new Set(["token", "secret", "signing_secret"])

const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secrets.has(name) ? "shown when the act is approved" : withoutSecrets(member)
    ])
  )
}

type Tried = { readonly result: unknown; readonly demand: Demand } | undefined

/** What a call that is tried may do: nothing. */
const tried = (call: Call): Call => ({ ...call, reply: () => "", existing: () => {}, waits: () => {} })

/**
 * Tries an act, and says what the rules of a side that has not approved it yet ask for it. Undefined: it does not wait.
 * Errors: those of the act.
 */
const trial = Effect.fnUntraced(function* (
  { rules }: Deps,
  operation: AnyOperation,
  word: ControlledWord,
  given: Given,
  approved: ReadonlyArray<Side>,
  record: DryRunRecord
): Effect.fn.Return<Tried, Refusal | Fault> {
  const about = { merchant_id: given.call.merchant_id, words: [word] }
  const first = (demands: ReadonlyArray<Demand>) => demands.find(({ side }) => !approved.includes(side))
  if (first(yield* rules.demands({ ...about, amounts: [] })) === undefined) return undefined
  // A file has many acts, some of which may succeed: each waits by itself.
  if (operation.fileMax !== undefined)
    return yield* new Forbidden({
      message: `A rule covers ${word}, so a file of such acts is not taken. Make each by itself.`
    })
  const run = operation.run as (given: object) => Effect.Effect<unknown, Refusal | Fault>
  const result = yield* Effect.provideService(run({ ...given, call: tried(given.call) }), DryRun, record)
  const amounts = record.changes.flatMap(({ postings }) =>
    postings.map(({ amount, currency }) => [amount, currency] as const)
  )
  const demand = first(yield* rules.demands({ ...about, amounts }))
  return demand === undefined ? undefined : { result, demand }
})

/**
 * Lets an act wait if rules cover it, and returns the resource as it is. Undefined: it does not wait.
 *
 * `dryRun`: of a dry run, which lets nothing wait. Errors: those of the act.
 */
export const waiting = Effect.fnUntraced(function* (
  deps: Deps,
  operation: AnyOperation,
  given: Given,
  sent: () => Result.Result<SentInput, BadRequest>,
  approved: ReadonlyArray<Side>,
  dryRun: DryRunRecord | undefined
): Effect.fn.Return<{ readonly result: unknown } | undefined, Refusal | Fault> {
  const { cipher, rules, unitOfWork } = deps
  const { call } = given
  const word = wordOf(operation, given)
  if (word === undefined) return undefined
  const record = dryRun ?? newDryRun()
  const found = yield* trial(deps, operation, word, given, approved, record)
  if (found === undefined) {
    if (dryRun !== undefined) record.changes.length = 0
    return undefined
  }
  const { demand, result: made } = found
  const input = sent()
  if (Result.isFailure(input)) return yield* input.failure
  const asIs = operation.asIs as ((given: object) => Effect.Effect<unknown, Refusal | Fault>) | undefined
  const shown = asIs === undefined ? undefined : yield* asIs(given)
  const versioned = shown as { readonly body?: unknown } | undefined
  const result = withoutSecrets(shown === undefined ? made : (versioned?.body ?? shown))
  const { id, name, role } = call.operator ?? { id: null, name: "", role: "" }
  const act: ApprovalData["act"] = {
    operation_id: operation.id,
    input: yield* cipher.seal(JSON.stringify(input.success)),
    request_id: call.request_id,
    if_match: call.if_match,
    operator: call.operator === null ? null : { id, name, role },
    key_id: call.key_id,
    role: call.role,
    approved
  }
  const made_by = yield* rules.callerOf(call)
  const decide = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const about = { operation: word, resource_id: call.subject ?? null, act }
    const approval = yield* rules.begin(call.merchant_id, made_by, demand, about, at)
    call.waits?.(approvalBody(approval.row))
    return { changes: [approval.changes], result, audited: approval.row }
  })
  if (dryRun !== undefined) return { result: (yield* decide).result }
  return { result: yield* unitOfWork.write(call, decide) }
})
