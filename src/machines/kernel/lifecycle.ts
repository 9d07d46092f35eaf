/**
 * The only code that calls XState. A lifecycle is two pure functions over JSON: `begin` makes a resource, `step` gives it
 * an event. Nothing runs; what the machine asks for comes back as an {@link Outcome}.
 */
import { type AnyStateMachine, initialTransition, transition } from "xstate"
import { fold, type Outcome } from "./outcome.ts"

/** Where a machine stands after a step. `data` is JSON: strings for amounts, epoch milliseconds for times. */
export interface Step<Data> {
  readonly state: string
  readonly data: Data
  readonly outcome: Outcome
  /** True when the machine has ended (a final state). */
  readonly ended: boolean
}

export interface Lifecycle<Data, Event extends { readonly type: string }> {
  readonly kind: string
  /** The version of the machine that new rows are written with. */
  readonly version: string
  readonly machine: AnyStateMachine
  readonly begin: (input: Data) => Step<Data>
  /** The next step, or `undefined` when the state does not accept the event: it is then nobody's to apply. */
  readonly step: (state: string, data: Data, event: Event, version?: string) => Step<Data> | undefined
}

interface Snapshot {
  readonly value: unknown
  readonly context: unknown
  readonly status: string
}

const read = <Data>([snapshot, actions]: readonly [Snapshot, ReadonlyArray<unknown>]): Step<Data> => ({
  state: snapshot.value as string,
  data: snapshot.context as Data,
  outcome: fold(actions as ReadonlyArray<{ type: string; params: unknown }>),
  ended: snapshot.status === "done"
})

/**
 * Makes a lifecycle of a flat machine whose actions are the vocabulary of `outcome.ts`.
 *
 * `older` holds machines of earlier versions by version, for rows written with them (a renamed state breaks restoring).
 * Law: `step` is total: an event that the state does not accept gives `undefined`, never an unchanged snapshot.
 */
export const lifecycle = <Data, Event extends { readonly type: string }>(
  kind: string,
  machine: AnyStateMachine,
  older: Readonly<Record<string, AnyStateMachine>> = {}
): Lifecycle<Data, Event> => {
  const version = machine.version ?? "1"
  const machines: Readonly<Record<string, AnyStateMachine>> = { ...older, [version]: machine }
  return {
    kind,
    version,
    machine,
    begin: (input) => read<Data>(initialTransition<AnyStateMachine>(machine, input) as never),
    step: (state, data, event, stored = version) => {
      const chosen = machines[stored]
      if (chosen === undefined) throw new Error(`no machine ${kind} of version ${stored}`)
      const before = chosen.resolveState({ value: state, context: data })
      return before.can(event) ? read<Data>(transition<AnyStateMachine>(chosen, before, event) as never) : undefined
    }
  }
}
