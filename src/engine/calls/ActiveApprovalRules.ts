/**
 * Which acts wait for approval, and what is written when one does (APPROVAL-1, APPROVAL-3). The executor asks for acts of the API, and
 * the creation of movements for payouts.
 */
import { Context, Effect, Layer } from "effect"
import type { ApprovalData, Person } from "../../machines/controls/approval.ts"
import type { ActSum, ApprovalRuleData, ControlledAction } from "../../machines/controls/approval-rule.ts"
import type { ApiKeyData } from "../../machines/access/api-key.ts"
import type { OperatorData } from "../../machines/access/operator.ts"
import { sumActs } from "../commit/acts.ts"
import { ApprovalKind, ApprovalRuleKind } from "../commit/approval.ts"
import type { Call } from "../commit/call.ts"
import { begin } from "../commit/steps.ts"
import { parseDuration, foldText, isIdentity } from "../input/members.ts"
import type { StorageFault } from "../ports/errors.ts"
import { Ids } from "../ports/Ids.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../ports/Storage.ts"
import { readAllRows } from "./reads.ts"
import { type LastRead, makeLastRead } from "./last-read.ts"

/** How long a node uses the rules that it has read. Its own changes apply at once. */
const freshMs = 1000
const merchantsMax = 10_000
/** The most rules that a node reads in one list for all owners. */
const togetherMax = 200
/** The most rules that one owner can make. Creations at once may make a few more. */
export const approvalRulesMax = 100

export type Side = ApprovalData["side"]

export interface CoveredAct {
  readonly merchant_id: string
  /** Its words: a transfer is a payout, too. */
  readonly words: ReadonlyArray<ControlledAction>
  /** The amounts of the act. Absent: they are not known yet, and every rule over its words covers it. */
  readonly sums?: ReadonlyArray<ActSum>
  /** The limits that ask for approval and over which it is. Absent: none. */
  readonly over?: ReadonlyArray<string>
}

/** The conditions of one side for an action: its rules and, for the operators, limits. */
export interface Demand {
  readonly side: Side
  /** The word of the act that is covered. */
  readonly word: ControlledAction
  /** The limits over which it is. */
  readonly limits: ReadonlyArray<string>
  readonly needed: number
  /** Of each rule; empty: those who may do the act. */
  readonly roles: ReadonlyArray<ReadonlyArray<string>>
  /** The shortest time of the rules, or the time of a limit, if that is longer. */
  readonly expires_after_ms: number
}

/** Whether an act exceeds the amount up to which a rule lets acts pass. Law: adding to an act never lets it pass. */
const exceedsRule = ({ above }: ApprovalRuleData, sums: CoveredAct["sums"] = []): boolean => {
  if (above === null) return true
  const isComparable = ({ received, taken }: ActSum): boolean =>
    taken[1] === above.currency || received?.[1] === above.currency
  // What cannot be compared waits, whatever else the act comes to.
  if (sums.length === 0 || !sums.every(isComparable)) return true
  const same = sumActs(sums).find(([, currency]) => currency === above.currency)
  return same !== undefined && BigInt(same[0]) > BigInt(above.amount)
}

/** The least time that an action over a limit waits: a day. */
const limitExpiryMs = 24 * 60 * 60 * 1000

/** The limits over which an act is, for the side that may approve that: the operators (LIMITS-10). */
const listLimitsOver = (side: Side, { over = [] }: CoveredAct): ReadonlyArray<string> =>
  side === "operator" ? over : []

/** Decides which approval one side demands for an act. Empty: none. */
const decideDemand = (side: Side, rules: ReadonlyArray<ApprovalRuleData>, act: CoveredAct): ReadonlyArray<Demand> => {
  const covering = rules.filter(
    (rule) => act.words.some((word) => rule.operations.includes(word)) && exceedsRule(rule, act.sums)
  )
  const limits = listLimitsOver(side, act)
  if (covering.length === 0 && limits.length === 0) return []
  const times = covering.map(({ expires_after }) => parseDuration(expires_after) ?? 0)
  return [
    {
      side,
      word: act.words.find((word) => covering.some(({ operations }) => operations.includes(word))) ?? act.words[0]!,
      limits,
      needed: Math.max(1, ...covering.map(({ approvals }) => approvals)),
      // A limit asks for those who may do the act, whatever the rules ask for.
      roles: [...covering.map(({ roles }) => roles), ...(limits.length > 0 ? [[]] : [])],
      expires_after_ms: Math.max(
        ...(times.length > 0 ? [Math.min(...times)] : []),
        ...(limits.length > 0 ? [limitExpiryMs] : [])
      )
    }
  ]
}

/** The person of an API key: the one it was made for, the operator or the key that made it, or the key itself. */
export const personOfKey = ({ data, id }: Row<ApiKeyData>): string => data.person ?? id

/** The name of an API key: its label, or the person whom an admin named. Null: it has neither. */
export const nameOfKey = ({ data: { label, person } }: Row<ApiKeyData>): string | null =>
  label ?? (person === null || person === undefined || isIdentity(person) ? null : person)

/** Lists all ids of a person. An operator who creates an API key is the same person as that key (APPROVAL-6). */
const listIdentities = ({ id, person }: Person): ReadonlyArray<string> =>
  [id, person].flatMap((one) => (one === null ? [] : [foldText(one)]))

/** Whether two callers are one person. */
export const isSamePerson = (a: Person, b: Person): boolean => {
  const names = listIdentities(b)
  return listIdentities(a).some((one) => names.includes(one))
}

type Rules = ReadonlyArray<ApprovalRuleData>
type RulesByOwner = ReadonlyMap<string, Rules>

const activeRules = { kinds: [ApprovalRuleKind.kind], index_keys: ["status=active"] } as const

/** Reads all rules of an owner: concurrent creations may exceed the maximum, and no rule is left out for that. */
const readRules = (storage: Storage["Service"], merchant_id: string): Effect.Effect<Rules, StorageFault> =>
  Effect.map(
    readAllRows(storage, { ...activeRules, merchant_id }, () => true),
    (rows) => (rows as ReadonlyArray<Row<ApprovalRuleData>>).map(({ data }) => data)
  )

/** Reads the rules of all owners in one list. Undefined where they are more than one list takes. */
const readRulesOfAll = (storage: Storage["Service"]): Effect.Effect<RulesByOwner | undefined, StorageFault> =>
  Effect.map(storage.list({ ...activeRules, offset: 0, limit: togetherMax }), ({ items, total }) => {
    if (total > items.length) return undefined
    const rules = new Map<string, Array<ApprovalRuleData>>()
    for (const { data, merchant_id } of items as ReadonlyArray<Row<ApprovalRuleData>>) {
      const own = rules.get(merchant_id)
      if (own === undefined) rules.set(merchant_id, [data])
      else own.push(data)
    }
    return rules
  })

const makeDeps = Effect.gen(function* () {
  const storage = yield* Storage
  return {
    storage,
    ids: yield* Ids,
    known: new Map<string, LastRead<Rules>>(),
    // A list of all owners fails with any of the cells, and each owner's with its own alone.
    together: storage.shards === 1 ? makeLastRead(readRulesOfAll(storage), freshMs) : undefined
  }
})
type Deps = Effect.Success<typeof makeDeps>

/** Reads the rules of an owner, through a cache. */
const readOwnRules = (deps: Deps, merchant_id: string): LastRead<Rules>["current"] => {
  const { known } = deps
  let rules = known.get(merchant_id)
  if (rules === undefined) {
    if (known.size >= merchantsMax) known.clear()
    rules = makeLastRead(readRules(deps.storage, merchant_id), freshMs)
    known.set(merchant_id, rules)
  }
  return rules.current
}

interface CoveringRules {
  readonly ofPlatform: Rules
  readonly own: Rules
}

const noRules: Rules = []

/** Reads the rules of the platform and of a merchant, each through its own cache. */
const readRulesByOwner = (deps: Deps, merchant_id: string): Effect.Effect<CoveringRules, StorageFault> =>
  Effect.flatMap(readOwnRules(deps, PLATFORM_MERCHANT), (ofPlatform) =>
    merchant_id === PLATFORM_MERCHANT
      ? Effect.succeed({ ofPlatform, own: noRules })
      : Effect.map(readOwnRules(deps, merchant_id), (own) => ({ ofPlatform, own }))
  )

/**
 * Reads the active rules of the platform and of a merchant. Every payout asks for them: while all owners have few, a node reads them in one
 * list, however many merchants pay.
 */
const readActiveRules = (deps: Deps, merchant_id: string): Effect.Effect<CoveringRules, StorageFault> =>
  deps.together === undefined
    ? readRulesByOwner(deps, merchant_id)
    : Effect.flatMap(deps.together.current, (all) =>
        all === undefined
          ? readRulesByOwner(deps, merchant_id)
          : Effect.succeed({
              ofPlatform: all.get(PLATFORM_MERCHANT) ?? noRules,
              own: merchant_id === PLATFORM_MERCHANT ? noRules : (all.get(merchant_id) ?? noRules)
            })
      )

/** Lists the approvals that an action needs, by side. Empty: it does not wait. */
const listDemands = (deps: Deps, act: CoveredAct): Effect.Effect<ReadonlyArray<Demand>, StorageFault> =>
  Effect.map(readActiveRules(deps, act.merchant_id), ({ ofPlatform, own }) => [
    ...decideDemand("operator", ofPlatform, act),
    ...decideDemand("merchant", own, act)
  ])

/**
 * Identifies the caller: an operator by the email, an API key by its person. The configured token and an embedding application identify no
 * person.
 */
const identifyCaller = Effect.fnUntraced(function* (
  { storage }: Deps,
  { key_id, merchant_id, operator }: Pick<Call, "operator" | "key_id" | "merchant_id">
): Effect.fn.Return<Person, StorageFault> {
  if (operator !== null) {
    if (operator.id === null) return { id: null, name: operator.name, person: null }
    const [row] = yield* storage.get([{ merchant_id: PLATFORM_MERCHANT, kind: "operator", id: operator.id }])
    const email = (row as Row<OperatorData> | undefined)?.data.email
    return { id: operator.id, name: operator.name, person: email ?? operator.id }
  }
  if (key_id === null) return { id: null, name: "application", person: null }
  const [row] = yield* storage.get([{ merchant_id, kind: "api_key", id: key_id }])
  const key = row as Row<ApiKeyData> | undefined
  if (key === undefined) return { id: key_id, name: key_id, person: key_id }
  return { id: key_id, name: nameOfKey(key) ?? key_id, person: personOfKey(key) }
})

/** What waits. `until`: when it can no longer be done, epoch milliseconds. Absent: never. */
type About = Pick<
  ApprovalData,
  "operation" | "resource_id" | "takes" | "act" | "amounts" | "recipient" | "beneficiary_id"
> & {
  readonly until?: number
}

/** Makes the approval of an act that waits, which lies with the merchant of the Change. `at`: epoch milliseconds. */
const makeWaitingApproval = Effect.fnUntraced(function* (
  deps: Deps,
  merchant_id: string,
  made_by: Person,
  demand: Demand,
  { until = Infinity, ...about }: About,
  at: number
) {
  const { ids } = deps
  const data: ApprovalData = {
    side: demand.side,
    made_by,
    approvals: [],
    declined: null,
    needed: demand.needed,
    roles: demand.roles,
    expires_at: Math.min(at + demand.expires_after_ms, until),
    refusal: null,
    ...(demand.limits.length === 0 ? {} : { limits: demand.limits }),
    ...about
  }
  const id = yield* ids.make(ApprovalKind.prefix)
  return yield* begin(ApprovalKind, { merchant_id, id }, data, at).pipe(Effect.provideService(Ids, ids))
})

export class ActiveApprovalRules extends Context.Service<ActiveApprovalRules>()("corridor/engine/ActiveApprovalRules", {
  make: Effect.map(makeDeps, (deps) => ({
    demands: (act: CoveredAct) => listDemands(deps, act),
    callerOf: (call: Pick<Call, "operator" | "key_id" | "merchant_id">) => identifyCaller(deps, call),
    begin: (merchant_id: string, made_by: Person, demand: Demand, about: About, at: number) =>
      makeWaitingApproval(deps, merchant_id, made_by, demand, about, at),
    /** The rules of an owner have changed in this process. */
    forget: (merchant_id: string): void => {
      deps.known.delete(merchant_id)
      deps.together?.forget()
    }
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
