/**
 * Everything that a simulation should visit: each declared transition, each provider event in each state, and the
 * exceptions with their reasons.
 */
import { kinds } from "../../engine/registry.ts"
import { movementOutcomes } from "../../engine/ports/Provider.ts"
import { brakeScopes } from "../program/brakes.ts"
import { movements } from "../program/kinds.ts"

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

const listDeclared = (transitions: Transitions | undefined): ReadonlyArray<Declared> =>
  (transitions === undefined ? [] : Array.isArray(transitions) ? transitions : [transitions]).map(
    (one: string | Declared) => (typeof one === "string" ? { target: one } : one)
  )

/** Finds the state in which a transition ends. A transient state leads to the last of its targets, which has no guard. */
const findRestingState = (config: MachineConfig, target: string): string => {
  const last = listDeclared(config.states[target]?.always).at(-1)?.target
  return last === undefined ? target : findRestingState(config, last)
}

/** Lists `kind: from --event--> to` for every declared transition, and `kind: — --> state` for every initial state. */
export const listTransitions = (): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const [kind, { lifecycle }] of kinds.byName) {
    const config = lifecycle.machine.config as unknown as MachineConfig
    const { initial } = config
    const begins = listDeclared(config.states[initial]?.always)
    for (const { target } of begins.length > 0 ? begins : [{ target: initial }]) found.add(`${kind}: — --> ${target}`)
    for (const [state, { always, on = {} }] of Object.entries(config.states)) {
      if (always !== undefined) continue
      // A transition without a target or an action ignores its event.
      for (const [event, transitions] of Object.entries({ ...config.on, ...on }))
        for (const one of listDeclared(transitions))
          if (one.target !== undefined || one.actions !== undefined)
            found.add(`${kind}: ${state} --${event}--> ${findRestingState(config, one.target ?? state)}`)
    }
  }
  return [...found].toSorted()
}

const listRestingStates = (kind: string): ReadonlyArray<string> =>
  Object.entries((kinds.byName.get(kind)!.lifecycle.machine.config as unknown as MachineConfig).states)
    .filter(([, { always }]) => always === undefined)
    .map(([state]) => state)

/** What pauses do: each scope stops each kind of work, several are active at once, and what they stop goes on. */
const brakeWords: ReadonlyArray<string> = [
  ...brakeScopes.flatMap((scope) =>
    ["submission", "resubmission", "refund"].map((what) => `brake ${scope}: stops a ${what}`)
  ),
  ...["several at once", "several stop the same", "is listed", "work goes on"].map((what) => `brake: ${what}`)
]

/** Lists `kind state: outcome` for everything that a provider can report about a movement or a pay-in. */
export const possibleWords = (): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const kind of movements) {
    for (const state of listRestingStates(kind))
      for (const outcome of movementOutcomes) found.push(`${kind} ${state}: ${outcome}`)
    // Submissions are answered, and looked up, while they are in progress.
    for (const state of ["submitting", "unknown"]) {
      for (const answer of ["rejected", "unavailable", "no answer"]) found.push(`${kind} ${state}: ${answer}`)
      for (const result of ["found absent", "found pending", "found settled", "look-up failed"])
        found.push(`${kind} ${state}: ${result}`)
    }
  }
  for (const outcome of ["refund success", "refund failed", "refund answered"])
    found.push(`onramp refunding: ${outcome}`)
  for (const outcome of ["refund success", "refund failed"]) found.push(`onramp returned: ${outcome}`)
  for (const stage of ["detected", "confirmed", "failed"]) {
    for (const state of ["—", ...listRestingStates("deposit")]) found.push(`deposit ${state}: payin ${stage}`)
    for (const state of listRestingStates("onramp")) found.push(`onramp ${state}: payin ${stage}`)
  }
  return [...found, ...brakeWords].toSorted()
}

/** Declared but impossible in a running service, each with its reason. */
export const impossible: Readonly<Record<string, string>> = {
  "merchant: pending --key.made--> pending": "a merchant that was never active makes no calls",
  "merchant: pending --key.revoked--> pending": "a merchant that was never active makes no calls",
  ...Object.fromEntries(
    ["statement", "statement_mapping", "closing"].map((kind) => [
      `${kind}: active --update--> active`,
      "a record that nothing changes"
    ])
  ),
  "deposit credited: payin detected": "a deposit that the platform creates (a reversal, a forward) has no pay-in",
  "deposit credited: payin confirmed": "a deposit that the platform creates (a reversal, a forward) has no pay-in",
  "deposit credited: payin failed": "a deposit that the platform creates (a reversal, a forward) has no pay-in",
  ...Object.fromEntries(
    movements.map((kind) => [
      `${kind}: unknown --provider.unavailable--> rerouted`,
      "an unknown outcome empties the route, so that the movement stays with its provider"
    ])
  )
}

/**
 * What three hundred simulations may miss, because it needs a coincidence of rare things. Thousands of simulations visit it (`npm
 * run simulate`). Each entry names the coincidence.
 */
export const rare: Readonly<Record<string, string>> = Object.fromEntries([
  ["statement_line: — --> matched", "a part of a payment of so few units that it is zero"],
  ...[
    "— --> withdrawn",
    ...["explained", "matched", "proposed", "unmatched"].flatMap((state) => [
      `${state} --withdrawn--> withdrawn`,
      `${state} --merged--> merged`
    ]),
    "withdrawn --merged--> merged",
    "withdrawn --restated--> withdrawn",
    ...["explained", "matched", "unmatched"].map((state) => `withdrawn --restored--> ${state}`),
    "matched --matched--> matched",
    "matched --proposed--> proposed"
  ].map((step) => [
    `statement_line: ${step}`,
    "an interim report or a corrected statement, which the simulated bank does not send and the desk's properties do"
  ]),
  ["break: resolved --found--> open", "a statement that has a withdrawn line again"],
  ["break: resolved --resolved--> resolved", "a line that is withdrawn after a person has decided about it"],
  ...["matched", "looked"].map((event) => [`matching: ended --${event}--> ended`, "a run that ends after its account"]),
  ...["open --adopting--> open", "open --not_adopted--> open", "resolved --not_adopted--> resolved"].map((step) => [
    `break: ${step}`,
    "an adoption that counts to a limit, and a process that ends, or another outcome, before it is done"
  ]),
  ...["failed_again", "rerouted", "returned", "unknown", "waiting"].map((state) => [
    `onramp: ${state} --recall.over--> ${state}`,
    "a payment that is confirmed again after its recall, while its onramp is in this state"
  ]),
  ["deposit: received --recall.over--> received", "a payment that is confirmed again while its deposit waits"],
  ["onramp returned: payin failed", "a recall of what has gone back already"],
  ...[
    ...["submitting", "unknown", "waiting"].map((state) => `${state} --provider.reversed--> refunding`),
    "unknown --provider.returned--> refunding"
  ].map((step) => [`onramp: ${step}`, "a converter, with another bank, that gives back what it was given"]),
  ["approval: executing --refused--> expired", "an approved act that comes to another amount when it is done"],
  ["quote: active --awaited--> active", "an act that waits for an approval longer than its quote"],
  ...["rerouted", "waiting"].map((state) => [
    `onramp: ${state} --payout.begun--> failed`,
    "a recall between a rejection and the next submission"
  ]),
  ...["onramp: waiting --provider.cancelled--> refunding", "onramp waiting: cancelled"].map((key) => [
    key,
    "a cancellation while a rejected submission waits for the next"
  ]),
  [
    "exception: refunding --refund.rejected--> resolved",
    "the last part of a return while an operator refunds the rest, and a rejection of this refund"
  ],
  ...["proposed --proposed--> proposed", "proposed --unmatched--> unmatched", "proposed --explained--> explained"].map(
    (step) => [
      `statement_line: ${step}`,
      "two payments of the same amount of which a line names none, and a person or another statement that decides"
    ]
  ),
  ["statement_line: matched --unmatched--> unmatched", "an operator who undoes a match that was right"],
  ["break: open --found--> open", "a third line of one payment, on a later statement than the second"],
  ["break: open --reopened--> open", "an operator who undoes the match of a line of an open break"],
  ["break: resolved --unsettled--> resolved", "an operator who undoes a match through another break"],
  ...["active", "ended"].map((state) => [
    `matching: ${state} --wanted--> active`,
    "a process that ends between a statement and its matching, or a statement of an account that is opened again"
  ]),
  ["statement_file: active --update--> active", "a file of more than one part"],
  [
    "deposit: held --relieved--> held",
    "a verification that raises a limit for which a deposit is held, which is held for another reason too"
  ],
  [
    "exception: open --reclaimed--> resolved",
    "a return of an offramp that was settled short, before the operator decides"
  ],
  ...["crediting", "refunding", "resolved"].map((state) => [
    `exception: ${state} --part--> ${state}`,
    "a part of a return after the operator has decided about what is missing"
  ]),
  ...movements.map((kind) => [
    `${kind} unknown: rejected`,
    "a rejection that takes seconds to arrive, and meanwhile an event that may belong to an earlier submission"
  ]),
  ...movements.flatMap((kind) => [
    [`${kind} unknown: no answer`, "a lost response, and meanwhile an event that may belong to an earlier submission"],
    [
      `${kind} unknown: unavailable`,
      "a late response, and meanwhile an event that may belong to an earlier submission"
    ],
    [`${kind}: unknown --provider.unavailable--> unknown`, "two events that may belong to an earlier submission"],
    [`${kind}: unknown --provider.unavailable--> failed`, "such an event after a day of rejections"],
    [`${kind}: unknown --provider.absent--> failed`, "a lost response after a day of rejections"],
    [`${kind}: submitting --provider.absent--> failed`, "a crash at the end of a day of rejections"]
  ]),
  ...movements.flatMap((kind) =>
    ["submitting", "unknown", "waiting"].flatMap((state) =>
      ["failed", "refund_failed"].map((word) => [
        `${kind}: ${state} --provider.${word}--> unknown`,
        "a final rejection of a submission that is not the first, or that was looked up meanwhile"
      ])
    )
  ),
  ...["conversion", "offramp"].map((kind) => [
    `${kind}: created --payout.begun--> failed`,
    "a submission between the expiry of its rate and the timer for it"
  ]),
  ["onramp refunding: refund failed", "a refund that bounces before the answer to it is recorded"],
  ["exception: refunding --refund.rejected--> open", "a refund of unapplied funds that the provider rejects"],
  ["onramp: unknown --provider.returned--> returned", "a return of an onramp whose outcome is unknown"],
  ...["detected", "confirmed", "failed"].map((stage) => [
    `onramp rerouted: payin ${stage}`,
    "an event between two providers of a movement"
  ]),
  ...movements.flatMap((kind) =>
    movementOutcomes.map((outcome) => [`${kind} rerouted: ${outcome}`, "an event between two providers of a movement"])
  ),
  ...["transfer", "offramp"].map((kind) => [
    `${kind}: rerouted --payout.blocked--> failed`,
    "a refused screening between two providers of a movement"
  ]),
  ["onramp: rerouted --payin.failed--> failed", "a recall between two providers of a movement"],
  ["exception: refunding --recalled--> refunding", "a recall while a late pay-in is being refunded"],
  ["exception: open --kept--> open", "a recall while a late pay-in is being refunded, and a refund that fails then"],
  ...["exception: open --exposed--> open", "exception: resolved --exposed--> open"].map((key) => [
    key,
    "a recall of money in suspense that an operator pays out then"
  ]),
  ...["deposit", "onramp"].map((kind) => [`${kind}: refunding --recalled--> refunding`, "a recall during a refund"]),
  ...[
    ...["submitting", "unknown", "failed", "failed_again", "returned"].map((state) => `onramp: ${state}`),
    ...["crediting", "resolved"].map((state) => `exception: ${state}`),
    "deposit: failed"
  ].map((from) => [`${from} --recalled--> ${from.split(" ")[1]}`, "a recall after its money had gone elsewhere"]),
  ...["submitting", "unknown"].flatMap((state) =>
    ["unavailable", "absent"].map((word) => [
      `onramp: ${state} --provider.${word}--> failed`,
      "a recall of what its provider then does not execute"
    ])
  ),
  ["exception: resolved --kept--> open", "a recall that was decided before its onramp was found not to be executed"],
  ...["open", "crediting", "refunding", "resolved"].flatMap((state) =>
    ["payin.confirmed", "payin.failed"].flatMap((word) =>
      (state !== "resolved" ? [state] : word === "payin.failed" ? ["open"] : ["open", "resolved"]).map((to) => [
        `exception: ${state} --${word}--> ${to}`,
        "a pay-in that is confirmed again after its recall"
      ])
    )
  ),
  ...["open --resolve--> open", "crediting --credited--> open", "refunding --refund.accepted--> open"].map((step) => [
    `exception: ${step}`,
    "a recall whose own money an operator pays out"
  ]),
  ...["open", "crediting", "refunding"].map((state) => [
    `exception: ${state} --reopened--> ${state}`,
    "a recall that was opened again after an adjusting entry, which is then reversed"
  ]),
  ...movements.map((kind) => [
    `${kind}: waiting --provider.unknown--> unknown`,
    "an amount that cannot be true while a submission waits"
  ]),
  ...["unknown", "pending"].map((word) => [
    `offramp: success --provider.${word}--> success`,
    "a return whose amount cannot be true"
  ]),
  ["merchant: suspended --key.revoked--> suspended", "a revocation in progress while its merchant is suspended"],
  ["beneficiary: — --> blocked", "a refusal that arrives before the response to the screening request"],
  ["beneficiary: pending --update--> blocked", "a refusal that arrives before the response to the screening request"],
  ["beneficiary: active --update--> blocked", "a refusal that arrives before the response to the screening request"],
  ...[
    "exception: open --resolve--> crediting",
    "exception: crediting --credited--> resolved",
    "onramp: failed --payin.applied--> queued",
    "verification: expired --provider.approved--> approved",
    ...movementOutcomes.map((outcome) => `onramp failed_again: ${outcome}`),
    ...["detected", "confirmed", "failed"].map((stage) => `onramp failed_again: payin ${stage}`)
  ].map((key) => [key, "an operator who applies a late event or credits another merchant, which scenarios cover"]),
  ...[
    "onramp: submitting --provider.unavailable--> refunding",
    "conversion: submitting --provider.unavailable--> failed"
  ].map((key): readonly [string, string] => [key, "the last rejection of a day"]),
  ["onramp: unknown --provider.unavailable--> refunding", "such an event after a day of rejections"],
  ["onramp: unknown --provider.absent--> refunding", "a lost response after a day of rejections"],
  ["onramp: submitting --provider.absent--> refunding", "a crash at the end of a day of rejections"]
])
