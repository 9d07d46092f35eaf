/**
 * The only code that steps machines. A lifecycle is two pure functions over JSON: `begin` creates a resource, and `step`
 * applies an event to it. They perform no effects: they return what the machine requests as an {@link Outcome}.
 */
import {
  type ActionFunction,
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  assign,
  type MachineContext,
  setup
} from "xstate"
import { evaluateGuard } from "xstate/guards"
import type { Posting } from "./ledger.ts"

// The five requests that a machine can make. They are XState actions without a body: a step returns them as data, and
// the engine carries them out.

/** An assignment that a machine with any data can name. */
export type Note<Params> = ActionFunction<any, any, any, Params, never, never, never, never, never>

/**
 * A command to the provider. `operation` is a method of the port. A second request with the same name replaces the
 * first.
 */
export interface CommandRequest {
  readonly operation: "submit" | "lookup" | "issue" | "refund" | "verify"
  /** Distinguishes the commands of one resource. The id of a command is `<resource id>.<name>` and never changes. */
  readonly name: string
  /** The delay before the command runs. Default: none. */
  readonly after_ms?: number
}

/** A deadline: after `after_ms` the machine receives `timer.<name>`. Setting a timer again replaces it. */
export interface TimerRequest {
  readonly name: string
  readonly after_ms?: number
  /** Epoch milliseconds; instead of `after_ms`. */
  readonly at?: number
}

/** A published event. `type` has no resource prefix (`success`). The engine stores the body as it is at this step. */
interface EventRequest {
  readonly type: string
  /** The body shows the resource as it was before this step. */
  readonly before?: true
}

export interface Outcome {
  readonly postings: ReadonlyArray<Posting>
  readonly events: ReadonlyArray<EventRequest>
  readonly commands: ReadonlyArray<CommandRequest>
  readonly timers: ReadonlyArray<TimerRequest>
  /** Names of timers and commands to cancel. */
  readonly cancels: ReadonlyArray<string>
}

/** The actions that a machine may use: pass them to `setup({ actions: outcomes })`. */
export const outcomes = {
  post: (_: unknown, _params: ReadonlyArray<Posting>): void => {},
  publish: (_: unknown, _params: EventRequest): void => {},
  command: (_: unknown, _params: CommandRequest): void => {},
  timer: (_: unknown, _params: TimerRequest): void => {},
  cancel: (_: unknown, _params: { readonly name: string }): void => {}
} as const

/** Makes the action that posts. Those below make the other actions, in the same short form. */
export const post = <Data>(postings: (data: Data) => ReadonlyArray<Posting>) =>
  ({ type: "post", params: ({ context }: { readonly context: Data }) => postings(context) }) as const
export const publish = <const Type extends string>(type: Type) => ({ type: "publish", params: { type } }) as const
export const command = <const Params extends CommandRequest>(params: Params) => ({ type: "command", params }) as const
export const timer = <const Params extends TimerRequest>(params: Params) => ({ type: "timer", params }) as const
export const cancel = <const Name extends string>(name: Name) => ({ type: "cancel", params: { name } }) as const

/** The command that returns money to its payer. */
export const refundName = "refund"
/** The name of the command for a later decision to refund, counted from 1. A failed refund is never sent again. */
export const toRefundName = (decision: number): string => (decision > 1 ? `${refundName}_${decision}` : refundName)
export const refund = command({ operation: "refund", name: refundName })

/**
 * Collects the actions of one step into an outcome.
 *
 * Errors: throws for an unknown action, which is a defect of the machine.
 */
export const collectOutcome = (
  actions: ReadonlyArray<{ readonly type: string; readonly params: unknown }>
): Outcome => {
  const outcome = {
    postings: [] as Array<Posting>,
    events: [] as Array<EventRequest>,
    commands: [] as Array<CommandRequest>,
    timers: [] as Array<TimerRequest>,
    cancels: [] as Array<string>
  }
  for (const { type, params } of actions) {
    switch (type) {
      case "post":
        outcome.postings.push(...(params as ReadonlyArray<Posting>))
        break
      case "publish":
        outcome.events.push(params as EventRequest)
        break
      case "command":
        outcome.commands.push(params as CommandRequest)
        break
      case "timer":
        outcome.timers.push(params as TimerRequest)
        break
      case "cancel":
        outcome.cancels.push((params as { name: string }).name)
        break
      default:
        throw new Error(`unknown machine action: ${type}`)
    }
  }
  return outcome
}

// Steps of a flat machine: one of its states is active, and no state has states of its own. XState defines the machine, selects its
// transitions and evaluates its guards. Its interpreter also orders the states that nested and parallel states enter and leave, which
// costs more than a step and decides nothing here. Law: both take the same steps (`test/simulation/flat-machines.test.ts`).

/** An action that a step asks for, with its parameters. */
interface ActionRequest {
  readonly type: string
  readonly params: unknown
}

interface FlatStep {
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

const findImplementation = ({ implementations }: Machine, action: Action): unknown =>
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

/** Runs actions in order: assignments change the context, others are collected. The parameters of each see the assignments before it. */
const runActions = ({ actions, at, event }: Taking, asked: ReadonlyArray<Action>): void => {
  for (const action of asked) {
    const args = { context: at.context, event }
    const given = typeof action === "object" ? action.params : undefined
    const params = typeof given === "function" ? given(args) : given
    const implementation = findImplementation(at.machine, action)
    if (isAssignment(implementation)) at.context = applyAssignment(implementation, args, params)
    else
      actions.push({
        type: typeof action === "function" ? action.name : typeof action === "string" ? action : action.type,
        params
      })
  }
}

/**
 * Follows a transition, and returns the state it leads to. Without a target, the state is not left; nor by its own transition to itself,
 * unless that re-enters. A transition of the root leaves any state.
 */
const followTransition = (taking: Taking, from: AnyStateNode, transition: AnyTransitionDefinition): AnyStateNode => {
  const [to] = transition.target ?? []
  const isLeft = to !== undefined && (to !== from || transition.source !== from || transition.reenter)
  if (isLeft) runActions(taking, from.exit)
  runActions(taking, transition.actions)
  if (!isLeft) return from
  runActions(taking, to.entry)
  return to
}

const isEnabled = ({ at, event }: Taking, { guard }: AnyTransitionDefinition): boolean =>
  guard === undefined ||
  evaluateGuard(guard, at.context as MachineContext, event, at as Parameters<typeof evaluateGuard>[3])

/** Finds the first transition of a state for the event whose guard passes. */
const findTransition = (taking: Taking, { transitions }: AnyStateNode): AnyTransitionDefinition | undefined =>
  transitions.get(taking.event.type)?.find((transition) => isEnabled(taking, transition))

/** Follows eventless transitions until none is open. */
const followEventless = (taking: Taking, entered: AnyStateNode): FlatStep => {
  let state = entered
  for (;;) {
    const next = state.always?.find((transition) => isEnabled(taking, transition))
    if (next === undefined) break
    state = followTransition(taking, state, next)
  }
  const { actions, at } = taking
  return { state: state.key, context: at.context, actions, ended: state.type === "final" }
}

/** Says why a machine is not flat, or which feature of actors it uses. Undefined: it is flat. */
const findFault = (machine: Machine): string | undefined => {
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
      .map((action) => findImplementation(machine, action))
      .find((one) => typeof one === "function" && "resolve" in one && !isAssignment(one))
    if (built !== undefined) return `${name} has an action other than an assignment that XState performs`
  }
  return undefined
}

/** Makes the functions that take the steps of a flat machine. Errors: throws for a machine that is not flat. */
const flattenMachine = (machine: AnyStateMachine) => {
  const reason = findFault(machine)
  if (reason !== undefined) throw new Error(`the machine ${machine.id} is not flat: ${reason}`)
  const takingFrom = (context: unknown, event: Event): Taking => ({ at: { machine, context }, event, actions: [] })
  return {
    /** The first step. */
    begin: (input: unknown): FlatStep => {
      const { context } = machine.config
      const event = { type: "xstate.init", input }
      const taking = takingFrom(typeof context === "function" ? context({ input } as never) : context, event)
      const [state] = machine.root.initial.target!
      runActions(taking, machine.root.initial.actions)
      runActions(taking, state!.entry)
      return followEventless(taking, state!)
    },
    /** The next step; undefined when the state has no open transition for the event. */
    step: (state: string, context: unknown, event: Event): FlatStep | undefined => {
      const from = machine.states[state]
      if (from === undefined) throw new Error(`the machine ${machine.id} has no state ${state}`)
      const taking = takingFrom(context, event)
      const next = findTransition(taking, from) ?? findTransition(taking, machine.root)
      if (next === undefined || (next.target === undefined && next.actions.length === 0)) return undefined
      return followEventless(taking, followTransition(taking, from, next))
    }
  }
}

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

const toStep = <Data>({ actions, context, ended, state }: FlatStep): Step<Data> => ({
  state,
  data: context as Data,
  outcome: collectOutcome(actions),
  ended
})

/** The tag of an end state that a correction can still leave: the bank may return a paid offramp. */
export const endedTag = "ended"

const listEndStates = ({ states }: AnyStateMachine): ReadonlySet<string> =>
  new Set(
    Object.keys(states).filter((state) => states[state]!.type === "final" || states[state]!.tags.includes(endedTag))
  )

/**
 * Makes a lifecycle from a flat machine whose actions are {@link outcomes}.
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
      { machine: each, steps: flattenMachine(each), ended: listEndStates(each) }
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
    begin: (input) => toStep<Data>(begun.steps.begin(input)),
    step: (state, data, event, stored = version) => {
      const chosen = machines.get(stored)
      if (chosen === undefined) throw new Error(`unknown version ${stored} of machine ${kind}`)
      const taken = chosen.steps.step(state, data, event)
      return taken === undefined ? undefined : toStep<Data>(taken)
    }
  }
}

export interface Update<Data> {
  readonly type: "update"
  readonly patch: Partial<Data>
}

/** Makes the lifecycle of a resource with a single state. Its event `update` replaces members of the data. */
export const makeRecordLifecycle = <Data extends object>(kind: string): Lifecycle<Data, Update<Data>> =>
  lifecycle<Data, Update<Data>>(
    kind,
    setup({ types: { context: {} as Data, events: {} as Update<Data>, input: {} as Data } }).createMachine({
      id: kind,
      version: "1",
      context: ({ input }) => input,
      initial: "active",
      states: {
        active: { on: { update: { actions: assign(({ context, event }) => ({ ...context, ...event.patch })) } } }
      }
    })
  )

// Shared by deposit addresses and wallet credentials: the provider issues each of them once.

/** The name of the command that requests an address. */
export const issueName = "issue"

export const issue = command({ operation: "issue", name: issueName })

export const stopIssue = cancel(issueName)

export const issued = { target: "active", actions: ["issued", stopIssue] } as const

/** Details that are issued after the resource was disabled are kept: money that arrives there must find its owner. */
export const issuedLate = { guard: "unissued", actions: ["issued", stopIssue] } as const
