/**
 * The only code that calls XState. A lifecycle is two pure functions over JSON: `begin` makes a resource, `step` gives it
 * an event. Nothing runs; what the machine asks for comes back as an {@link Outcome}.
 */
import { type AnyActorScope, type AnyStateMachine, createActor } from "xstate"
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
  /** Whether rows of this version can be stepped here: its own, and those of earlier releases that are still loaded. */
  readonly knows: (version: string) => boolean
  /** Whether a resource in this state has come to its end: the state is final, or tagged `ended` (a correction may follow). */
  readonly hasEnded: (state: string, version?: string) => boolean
  readonly begin: (input: Data) => Step<Data>
  /** The next step, or `undefined` when the state does not accept the event: it is then nobody's to apply. */
  readonly step: (state: string, data: Data, event: Event, version?: string) => Step<Data> | undefined
}

interface Snapshot {
  readonly value: unknown
  readonly context: unknown
  readonly status: string
  readonly error?: unknown
}

interface Asked {
  readonly type: string
  readonly params: unknown
}

/**
 * What XState's own `initialTransition` and `transition` do, without the actor that they build, begin and throw away at
 * each call: that costs more than the step. One inert actor stands for all; it is never started and keeps nothing.
 */
const pure = (machine: AnyStateMachine): ((run: (scope: AnyActorScope) => unknown) => [Snapshot, Array<Asked>]) => {
  const self = createActor(machine)
  const nothing = (): void => {}
  return (run) => {
    const asked: Array<Asked> = []
    const snapshot = run({
      self,
      system: self.system,
      id: "",
      sessionId: "",
      logger: nothing,
      defer: nothing,
      emit: nothing,
      stopChild: nothing,
      actionExecutor: (action: Asked) => {
        asked.push(action)
      }
    } as AnyActorScope) as Snapshot
    return [snapshot, asked]
  }
}

const read = <Data>([snapshot, asked]: readonly [Snapshot, ReadonlyArray<Asked>]): Step<Data> => {
  // XState keeps what a machine throws on its way into the first state.
  if (snapshot.status === "error") throw snapshot.error
  return {
    state: snapshot.value as string,
    data: snapshot.context as Data,
    outcome: fold(asked),
    ended: snapshot.status === "done"
  }
}

/** The tag of a state at a resource's end that a correction can still leave: a paid offramp may be returned by the bank. */
export const endedTag = "ended"

const endedIn = ({ states }: AnyStateMachine): ReadonlySet<string> =>
  new Set(
    Object.keys(states).filter((state) => states[state]!.type === "final" || states[state]!.tags.includes(endedTag))
  )

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
  const machines = new Map(
    Object.entries({ ...older, [version]: machine }).map(([v, each]) => [
      v,
      { machine: each, run: pure(each), ended: endedIn(each) }
    ])
  )
  const begun = machines.get(version)!
  return {
    kind,
    version,
    machine,
    knows: (stored) => machines.has(stored),
    hasEnded: (state, stored = version) => machines.get(stored)?.ended.has(state) === true,
    begin: (input) => read<Data>(begun.run((scope) => machine.getInitialSnapshot(scope, input))),
    step: (state, data, event, stored = version) => {
      const chosen = machines.get(stored)
      if (chosen === undefined) throw new Error(`no machine ${kind} of version ${stored}`)
      const before = chosen.machine.resolveState({ value: state, context: data })
      return before.can(event)
        ? read<Data>(chosen.run((scope) => chosen.machine.transition(before, event, scope)))
        : undefined
    }
  }
}
