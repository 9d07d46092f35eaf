/** Approval rules of the operators and of merchants (APPROVAL-1). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { ApprovalRuleData, ControlledAction } from "../../../machines/controls/approval-rule.ts"
import { ActiveApprovalRules, approvalRulesMax } from "../../calls/ActiveApprovalRules.ts"
import { checkVersion } from "../../calls/list.ts"
import { makeReads } from "../../calls/reads.ts"
import { ApprovalRuleKind } from "../../commit/approval.ts"
import { approvingKeyRoles, approvingOperatorRoles, type Call, makeIdFor } from "../../commit/call.ts"
import { begin } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { findCurrency, parseClientAmount } from "../../input/amounts.ts"
import { makeWordFilter, WaitingTime } from "../../input/members.ts"
import { Amount, Clearable, CurrencyCode, describe, listing, note, Optional } from "../../input/schemas.ts"
import {
  type InvalidAmountPrecision,
  type InvalidInput,
  invalid,
  InvalidStatus,
  type NotFound
} from "../../ports/errors.ts"
import { DryRun } from "../../ports/dry-run.ts"
import { Ids } from "../../ports/Ids.ts"
import { Storage } from "../../ports/Storage.ts"
import { approvalRuleBody, approvalRuleStatuses, Word } from "../../representations/controls/approval-rule.ts"

/** What a merchant's own rules can let wait: what pays out, and what could go around them. */
const ownWords: ReadonlySet<ControlledAction> = new Set([
  "transfer",
  "offramp",
  "onramp",
  "conversion",
  "payout",
  "batch",
  "approval_rule",
  "api_key"
])

const defaultTime = "PT24H"

const aboveIn = Schema.Struct({
  amount: describe(Amount, "Acts of more than this amount wait.", "10000.00"),
  currency: describe(CurrencyCode, "The currency of the amount. An act in another currency waits.", "USDC")
}).annotate({ identifier: "CreateApprovalAbove" })
const aboveExample = { amount: "10000.00", currency: "USDC" }

const members = {
  operations: describe(
    Schema.Array(Word).check(Schema.isMinLength(1, { expected: "at least one word", code: "invalid_value" })),
    "The acts that wait, at least one.",
    ["payout"]
  ),
  approvals: describe(
    Schema.Literals([1, 2, 3]),
    "How many people have to approve, from 1 to 3. None of them is the one who made it.",
    1
  ),
  roles: describe(
    Schema.Array(Schema.String),
    "Who may approve: these roles and those above them. Default: those who may do the act, and for a merchant `approver` and `admin`.",
    ["approver"]
  ),
  expires_after: describe(
    WaitingTime,
    "How long an act waits at most: an ISO 8601 duration from PT1M to P30D. Default: PT24H.",
    defaultTime
  )
}

export const CreateApprovalRule = Schema.Struct({
  operations: members.operations,
  above: Optional(aboveIn, "From which amount on acts wait. Absent: always.", aboveExample),
  approvals: Optional(members.approvals),
  roles: Optional(members.roles),
  expires_after: Optional(members.expires_after),
  note
}).annotate({ identifier: "CreateApprovalRule" })
export type CreateApprovalRule = typeof CreateApprovalRule.Type

export const UpdateApprovalRule = Schema.Struct({
  operations: Optional(members.operations),
  above: Clearable(aboveIn, "From which amount on acts wait. Null: always.", aboveExample),
  approvals: Optional(members.approvals),
  roles: Optional(members.roles),
  expires_after: Optional(members.expires_after),
  status: Optional(Schema.Literals(approvalRuleStatuses), "`ended` ends the rule for good.", "ended"),
  note
}).annotate({ identifier: "UpdateApprovalRule" })
export type UpdateApprovalRule = typeof UpdateApprovalRule.Type

export const ListApprovalRules = Schema.Struct({ status: makeWordFilter(approvalRuleStatuses, "status"), ...listing })

const makeDeps = Effect.gen(function* () {
  return {
    ...(yield* Effect.all({ unitOfWork: UnitOfWork, storage: Storage, ids: Ids, rules: ActiveApprovalRules })),
    ...(yield* makeReads(ApprovalRuleKind, ListApprovalRules, approvalRuleBody))
  }
})
type Deps = Effect.Success<typeof makeDeps>

/**
 * Converts the given members of a rule to their stored form. Errors: `InvalidInput` for a word or role that the rules of the caller do not
 * take; `NotFound` for an unknown currency.
 */
const toPatch = Effect.fnUntraced(function* (
  { operator }: Call,
  { above, approvals, expires_after, operations, roles }: Omit<UpdateApprovalRule, "status" | "note">
): Effect.fn.Return<Partial<ApprovalRuleData>, InvalidInput | InvalidAmountPrecision | NotFound> {
  const foreign = operator === null ? operations?.find((word) => !ownWords.has(word)) : undefined
  if (foreign !== undefined)
    return yield* invalid(
      "operations",
      `operations has ${foreign}; a merchant's rule takes ${[...ownWords].join(", ")}.`
    )
  // What waits can be approved: by those whose role may approve on this side (APPROVAL-14).
  const known: ReadonlyArray<string> = operator === null ? approvingKeyRoles : approvingOperatorRoles
  const role = roles?.find((one) => !known.includes(one))
  if (role !== undefined)
    return yield* invalid("roles", `roles has ${JSON.stringify(role)}; it takes ${known.join(", ")}.`)
  const least =
    above === undefined || above === null
      ? above
      : {
          amount: String(yield* parseClientAmount("above.amount", above.amount, yield* findCurrency(above.currency))),
          currency: above.currency
        }
  return {
    ...(operations === undefined ? {} : { operations: [...new Set(operations)] }),
    ...(least === undefined ? {} : { above: least }),
    ...(approvals === undefined ? {} : { approvals }),
    ...(roles === undefined ? {} : { roles: [...new Set(roles)] }),
    ...(expires_after === undefined ? {} : { expires_after })
  }
})

/** Has this process read the rules of the caller again, unless it is a dry run. */
const refreshRules = ({ rules }: Deps, { merchant_id }: Call) =>
  Effect.map(DryRun, (dryRun) => (dryRun === undefined ? rules.forget(merchant_id) : undefined))

/** Creates a rule. Errors: `InvalidInput`; `NotFound` for a currency; `InvalidStatus` when there are too many active rules. */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateApprovalRule) {
  const { ids, storage, unitOfWork } = deps
  const { merchant_id } = call
  const given = yield* toPatch(call, input)
  const data: ApprovalRuleData = {
    above: null,
    approvals: 1,
    roles: [],
    expires_after: defaultTime,
    operations: input.operations,
    ...given
  }
  const active = { merchant_id, kinds: [ApprovalRuleKind.kind], index_keys: ["status=active"], offset: 0, limit: 1 }
  const made = yield* unitOfWork.write(call, function* () {
    if ((yield* storage.list(active)).total >= approvalRulesMax)
      return yield* new InvalidStatus({ message: `${approvalRulesMax} approval rules are active. End some of them.` })
    const at = yield* Clock.currentTimeMillis
    const id = yield* makeIdFor(call, ids, ApprovalRuleKind.prefix)
    const rule = yield* begin(ApprovalRuleKind, { merchant_id, id }, data, at)
    return { changes: [rule.changes], result: approvalRuleBody(rule.row) }
  })
  yield* refreshRules(deps, call)
  return made
})

/**
 * Changes the given members, and may end the rule. What waits already stays as it is.
 * Errors: those of `create`; `NotFound`; `InvalidStatus` for a rule that has ended; `Conflict` when `If-Match` does not match.
 */
const update = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, input: UpdateApprovalRule) {
  const { unitOfWork } = deps
  const patch = yield* toPatch(call, input)
  const body = yield* unitOfWork.write(call, function* () {
    const row = yield* unitOfWork.load(ApprovalRuleKind, call.merchant_id, id)
    yield* checkVersion(call, String(row.version))
    const at = yield* Clock.currentTimeMillis
    const event = { type: input.status === "ended" ? "end" : "update", patch } as const
    const next = yield* unitOfWork.step(ApprovalRuleKind, row, event, at)
    if (next === undefined) return yield* new InvalidStatus({ message: `Approval rule ${id} has ended.` })
    return { changes: [next.changes], result: approvalRuleBody(next.row) }
  })
  yield* refreshRules(deps, call)
  return body
})

/** Ends the rule. Errors: those of `update`. */
const endRule = (deps: Deps, call: Call, id: string) =>
  Effect.as(update(deps, call, id, { status: "ended" }), { id, success: true as const })

const get = ({ get }: Deps, call: Call, id: string) => get(call, id)
const list = ({ list }: Deps, call: Call, input: typeof ListApprovalRules.Type) => list(call, input)

export class ApprovalRules extends Context.Service<ApprovalRules>()("corridor/engine/ApprovalRules", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { create, update, end: endRule, get, list }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
