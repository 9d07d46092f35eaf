/**
 * Steps of a flat machine: one of its states is active, and no state has states of its own. XState defines the machine, selects its
 * transitions and evaluates its guards. Its interpreter also orders the states that nested and parallel states enter and leave, which
 * costs more than a step and decides nothing here. Law: both take the same steps (`test/simulation/flat-machines.test.ts`).
 */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, MachineContext } from "xstate"
import { evaluateGuard } from "xstate/guards"

/** An action that a step asks for, with its parameters. */
export interface ActionRequest {
  readonly type: string
  readonly params: unknown
}

export interface FlatStep {
  readonly state: string
  readonly context: unknown
  readonly actions: ReadonlyArray<ActionRequest>
  readonly ended: boolean
}

type Machine = Pick<AnyStateMachine, "config" | "implementations" | "root" | "states">
type Event = { readonly type: string }
type Action = AnyStateNode["entry"][number]

/** The parts of a snapshot that guards and transitions read. */
interface Moment {
  readonly machine: Machine
  context: unknown
}

interface Assignment {
  readonly assignment: ((args: unknown, params: unknown) => object) | Readonly<Record<string, unknown>>
}

/** What a step is made of while it is taken. */
interface Taking {
  readonly at: Moment
  readonly event: Event
  readonly actions: Array<ActionRequest>
}

const implementationOf = ({ implementations }: Machine, action: Action): unknown =>
  typeof action === "function" ? action : implementations.actions[typeof action === "string" ? action : action.type]

const isAssignment = (implementation: unknown): implementation is Assignment =>
  typeof implementation === "function" && "assignment" in implementation

const applyAssignment = ({ assignment }: Assignment, args: { readonly context: unknown }, params: unknown): unknown =>
  Object.assign(
    {},
    args.context,
    typeof assignment === "function"
      ? assignment(args, params)
      : Object.fromEntries(
          Object.entries(assignment).map(([name, value]) => [
            name,
            typeof value === "function" ? value(args, params) : value
          ])
        )
  )

/** Assignments are made in turn, and each action's parameters see those before it. */
const act = ({ actions, at, event }: Taking, asked: ReadonlyArray<Action>): void => {
  for (const action of asked) {
    const args = { context: at.context, event }
    const given = typeof action === "object" ? action.params : undefined
    const params = typeof given === "function" ? given(args) : given
    const implementation = implementationOf(at.machine, action)
    if (isAssignment(implementation)) at.context = applyAssignment(implementation, args, params)
    else
      actions.push({
        type: typeof action === "function" ? action.name : typeof action === "string" ? action : action.type,
        params
      })
  }
}

/**
 * Follows a transition. Without a target, the state is not left; nor by its own transition to itself, unless that re-enters. A transition
 * of the root leaves any state.
 */
const follow = (taking: Taking, from: AnyStateNode, transition: AnyTransitionDefinition): AnyStateNode => {
  const [to] = transition.target ?? []
  const isLeft = to !== undefined && (to !== from || transition.source !== from || transition.reenter)
  if (isLeft) act(taking, from.exit)
  act(taking, transition.actions)
  if (!isLeft) return from
  act(taking, to.entry)
  return to
}

const isOpen = ({ at, event }: Taking, { guard }: AnyTransitionDefinition): boolean =>
  guard === undefined ||
  evaluateGuard(guard, at.context as MachineContext, event, at as Parameters<typeof evaluateGuard>[3])

const find = (taking: Taking, { transitions }: AnyStateNode): AnyTransitionDefinition | undefined =>
  transitions.get(taking.event.type)?.find((transition) => isOpen(taking, transition))

/** Follows eventless transitions until none is open. */
const settle = (taking: Taking, entered: AnyStateNode): FlatStep => {
  let state = entered
  for (;;) {
    const next = state.always?.find((transition) => isOpen(taking, transition))
    if (next === undefined) break
    state = follow(taking, state, next)
  }
  const { actions, at } = taking
  return { state: state.key, context: at.context, actions, ended: state.type === "final" }
}

/** Why a machine is not flat, or asks for what only an actor does. */
const wrong = (machine: Machine): string | undefined => {
  const { root } = machine
  if (root.entry.length + root.exit.length > 0 || root.always !== undefined) return "its root has actions of its own"
  for (const [name, state] of Object.entries({ ...machine.states, root })) {
    if (state !== root && state.type !== "atomic" && state.type !== "final") return `${name} is ${state.type}`
    if ([...state.transitions.keys()].some((type) => type.includes("*"))) return `${name} takes events by a pattern`
    if (state.invoke.length > 0) return `${name} invokes an actor`
    if (state.after.length > 0) return `${name} waits by itself`
    if (state.type === "final" && state.exit.length > 0) return `${name} is final and has exit actions`
    const transitions = [...[...state.transitions.values()].flat(), ...(state.always ?? [])]
    const built = [...state.entry, ...state.exit, ...transitions.flatMap(({ actions }) => actions)]
      .map((action) => implementationOf(machine, action))
      .find((one) => typeof one === "function" && "resolve" in one && !isAssignment(one))
    if (built !== undefined) return `${name} has an action other than an assignment that XState performs`
  }
  return undefined
}

/** The steps of a flat machine. Errors: throws for a machine that is not flat. */
export const flat = (machine: AnyStateMachine) => {
  const reason = wrong(machine)
  if (reason !== undefined) throw new Error(`the machine ${machine.id} is not flat: ${reason}`)
  const takingFrom = (context: unknown, event: Event): Taking => ({ at: { machine, context }, event, actions: [] })
  return {
    /** The first step. */
    begin: (input: unknown): FlatStep => {
      const { context } = machine.config
      const event = { type: "xstate.init", input }
      const taking = takingFrom(typeof context === "function" ? context({ input } as never) : context, event)
      const [state] = machine.root.initial.target!
      act(taking, machine.root.initial.actions)
      act(taking, state!.entry)
      return settle(taking, state!)
    },
    /** The next step; undefined when the state has no open transition for the event. */
    step: (state: string, context: unknown, event: Event): FlatStep | undefined => {
      const from = machine.states[state]
      if (from === undefined) throw new Error(`the machine ${machine.id} has no state ${state}`)
      const taking = takingFrom(context, event)
      const next = find(taking, from) ?? find(taking, machine.root)
      if (next === undefined || (next.target === undefined && next.actions.length === 0)) return undefined
      return settle(taking, follow(taking, from, next))
    }
  }
}
