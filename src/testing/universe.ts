/**
 * Everything that a simulation should visit: each transition that a machine declares, each word of the provider's in each
 * state, and what cannot be, with its reason.
 */
import { kinds } from "../engine/registry.ts"
import { movementOutcomes } from "../engine/ports/Provider.ts"

interface Declared {
  readonly target?: string
  readonly guard?: unknown
  readonly actions?: unknown
  readonly reenter?: boolean
}

type Transitions = string | Declared | ReadonlyArray<string | Declared>

interface StateConfig {
  readonly on?: Readonly<Record<string, Transitions>>
  readonly always?: Transitions
}

interface MachineConfig extends StateConfig {
  readonly initial: string
  readonly states: Readonly<Record<string, StateConfig>>
}

const each = (transitions: Transitions | undefined): ReadonlyArray<Declared> =>
  (transitions === undefined ? [] : Array.isArray(transitions) ? transitions : [transitions]).map(
    (one: string | Declared) => (typeof one === "string" ? { target: one } : one)
  )

/** A transition that leads nowhere and does nothing is a word that is left unheard. */
const isHeard = ({ actions, target }: Declared): boolean => target !== undefined || actions !== undefined

/** Where a transition comes to rest: a state that is left at once leads on to the last of its targets, unless a guard says. */
const restsAt = ({ states }: MachineConfig, target: string): string =>
  each(states[target]?.always).at(-1)?.target ?? target

/** `kind: from --event--> to` of every transition declared, and `kind: — → state` of every state a resource begins in. */
export const declaredTransitions = (): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const [kind, { lifecycle }] of kinds.byName) {
    const config = lifecycle.machine.config as unknown as MachineConfig
    const { initial } = config
    const begins = each(config.states[initial]?.always)
    for (const { target } of begins.length > 0 ? begins : [{ target: initial }]) found.add(`${kind}: — --> ${target}`)
    for (const [state, { always, on = {} }] of Object.entries(config.states)) {
      if (always !== undefined) continue
      for (const [event, transitions] of Object.entries({ ...config.on, ...on }))
        for (const one of each(transitions))
          if (isHeard(one)) found.add(`${kind}: ${state} --${event}--> ${restsAt(config, one.target ?? state)}`)
    }
  }
  return [...found].toSorted()
}

const movements = ["transfer", "offramp", "conversion", "onramp"] as const

/** The states of a kind that a resource rests in. */
const restingStates = (kind: string): ReadonlyArray<string> =>
  Object.entries((kinds.byName.get(kind)!.lifecycle.machine.config as unknown as MachineConfig).states)
    .filter(([, { always }]) => always === undefined)
    .map(([state]) => state)

/** `kind state: word` of everything that a provider can tell of a movement or a pay-in. */
export const possibleWords = (): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const kind of movements) {
    for (const state of restingStates(kind))
      for (const outcome of movementOutcomes) found.push(`${kind} ${state}: ${outcome}`)
    // A submission is answered, and looked up, while it is under way.
    for (const state of ["submitting", "unknown"]) {
      for (const answer of ["rejected", "unavailable", "no answer"]) found.push(`${kind} ${state}: ${answer}`)
      for (const standing of ["found absent", "found pending", "found settled", "look-up failed"])
        found.push(`${kind} ${state}: ${standing}`)
    }
  }
  for (const stage of ["detected", "confirmed", "failed"]) {
    for (const state of ["—", ...restingStates("deposit")]) found.push(`deposit ${state}: payin ${stage}`)
    for (const state of restingStates("onramp")) found.push(`onramp ${state}: payin ${stage}`)
  }
  return found.toSorted()
}

/** What is declared and cannot happen in a running service, each with its reason. */
export const impossible: Readonly<Record<string, string>> = {
  "merchant: pending --key.made--> pending": "a merchant that was never active makes no calls",
  "merchant: pending --key.revoked--> pending": "a merchant that was never active makes no calls",
  "deposit credited: payin detected": "what the house made by itself (a reversal, a forward) has no pay-in",
  "deposit credited: payin confirmed": "what the house made by itself (a reversal, a forward) has no pay-in",
  "deposit credited: payin failed": "what the house made by itself (a reversal, a forward) has no pay-in"
}

/**
 * What two hundred worlds need not show, because several rare things must meet; thousands do (`npm run simulate`).
 * Each with what must meet.
 */
export const rare: Readonly<Record<string, string>> = Object.fromEntries([
  ...movements.map((kind) => [
    `${kind} unknown: rejected`,
    "a refusal on its way for seconds, and meanwhile a word that may be of an earlier submission"
  ]),
  ...movements.flatMap((kind) => [
    [`${kind} unknown: no answer`, "an answer lost, and meanwhile a word that may be of an earlier submission"],
    [`${kind} unknown: unavailable`, "a refusal on its way, and meanwhile a word that may be of an earlier submission"],
    [`${kind}: unknown --provider.unavailable--> unknown`, "two words in a row that may be of an earlier submission"],
    [`${kind}: unknown --provider.unavailable--> failed`, "such a refusal after a day of others"],
    [`${kind}: unknown --provider.absent--> failed`, "an answer lost after a day of refusals"],
    [`${kind}: submitting --provider.absent--> failed`, "a process that dies at the end of a day of refusals"]
  ]),
  ...movements.flatMap((kind) =>
    ["submitting", "unknown", "waiting"].flatMap((state) =>
      ["failed", "refund_failed"].map((word) => [
        `${kind}: ${state} --provider.${word}--> unknown`,
        "a refusal for good of a submission that is not the first, or was looked up meanwhile"
      ])
    )
  ),
  ...["conversion", "offramp"].map((kind) => [
    `${kind}: created --payout.begun--> failed`,
    "a submission in the moment between the end of its rate and the timer that tells of it"
  ]),
  ["exception: refunding --recalled--> refunding", "a recall while what came too late is on its way back"],
  ["beneficiary: — --> blocked", "a refusal that comes before the answer to the question"],
  ["beneficiary: pending --update--> blocked", "a refusal that comes before the answer to the question"],
  ["beneficiary: active --update--> blocked", "a refusal that comes before the answer to the question"],
  ...[
    "exception: open --resolve--> crediting",
    "exception: crediting --credited--> resolved",
    "onramp: failed --payin.applied--> queued",
    "verification: expired --provider.approved--> approved",
    ...movementOutcomes.map((outcome) => `onramp failed_again: ${outcome}`),
    ...["detected", "confirmed", "failed"].map((stage) => `onramp failed_again: payin ${stage}`)
  ].map((key) => [key, "an operator who applies a late word or credits another merchant, which scenarios do"]),
  ...[
    "onramp: submitting --provider.unavailable--> refunding",
    "conversion: submitting --provider.unavailable--> failed"
  ].map((key): readonly [string, string] => [key, "the last refusal of a day of them"]),
  ["onramp: unknown --provider.unavailable--> refunding", "such a refusal after a day of others"],
  ["onramp: unknown --provider.absent--> refunding", "an answer lost after a day of refusals"],
  ["onramp: submitting --provider.absent--> refunding", "a process that dies at the end of a day of refusals"]
])
