/**
 * The only code that steps machines. A lifecycle is two pure functions over JSON: `begin` creates a resource, and `step`
 * applies an event to it. They perform no effects: they return what the machine requests as an {@link Outcome}.
 */
import type { AnyStateMachine } from "xstate"
import { flat, type FlatStep } from "./flat.ts"
import { fold, type Outcome } from "./outcome.ts"

/** The result of a step. `data` is JSON: strings for amounts, epoch milliseconds for times. */
export interface Step<Data> {
  readonly state: string
  readonly data: Data
  readonly outcome: Outcome
  /** True when the machine is in a final state. */
  readonly ended: boolean
}

export interface Lifecycle<Data, Event extends { readonly type: string }> {
  readonly kind: string
  /** The version of the machine that new rows are written with. */
  readonly version: string
  readonly machine: AnyStateMachine
  /** Every version that this process can step, with its machine. */
  readonly machines: ReadonlyMap<string, AnyStateMachine>
  /**
   * Whether this process can step rows of a machine version: the current version, or an earlier one that is still
   * loaded.
   */
  readonly knows: (version: string) => boolean
  /**
   * Whether a resource in this state has ended: the state is final, or tagged `ended` (a correction may still follow).
   * The states of the current version decide for a version that is not loaded: a row of a newer release is read, though
   * not stepped.
   */
  readonly hasEnded: (state: string, version?: string) => boolean
  readonly begin: (input: Data) => Step<Data>
  /** The next step, or `undefined` when the state does not accept the event. The caller then ignores the event. */
  readonly step: (state: string, data: Data, event: Event, version?: string) => Step<Data> | undefined
}

const read = <Data>({ actions, context, ended, state }: FlatStep): Step<Data> => ({
  state,
  data: context as Data,
  outcome: fold(actions),
  ended
})

/** The tag of an end state that a correction can still leave: the bank may return a paid offramp. */
export const endedTag = "ended"

const endStatesOf = ({ states }: AnyStateMachine): ReadonlySet<string> =>
  new Set(
    Object.keys(states).filter((state) => states[state]!.type === "final" || states[state]!.tags.includes(endedTag))
  )

/**
 * Makes a lifecycle from a flat machine whose actions are those of `outcome.ts`.
 *
 * `older` maps earlier versions to their machines, for rows that were written with them: a row cannot be restored after
 * a state was renamed.
 * Law: `step` is total: an event that the state does not accept gives `undefined`, never an unchanged snapshot.
 */
export const lifecycle = <Data, Event extends { readonly type: string }>(
  kind: string,
  machine: AnyStateMachine,
  older: Readonly<Record<string, AnyStateMachine>> = {}
): Lifecycle<Data, Event> => {
  const version = machine.version ?? "1"
  const machines = new Map(
    Object.entries<AnyStateMachine>({ ...older, [version]: machine }).map(([v, each]) => [
      v,
      { machine: each, steps: flat(each), ended: endStatesOf(each) }
    ])
  )
  const begun = machines.get(version)!
  return {
    kind,
    version,
    machine,
    machines: new Map([...machines].map(([v, loaded]) => [v, loaded.machine])),
    knows: (stored) => machines.has(stored),
    hasEnded: (state, stored = version) => (machines.get(stored) ?? begun).ended.has(state),
    begin: (input) => read<Data>(begun.steps.begin(input)),
    step: (state, data, event, stored = version) => {
      const chosen = machines.get(stored)
      if (chosen === undefined) throw new Error(`unknown version ${stored} of machine ${kind}`)
      const taken = chosen.steps.step(state, data, event)
      return taken === undefined ? undefined : read<Data>(taken)
    }
  }
}
