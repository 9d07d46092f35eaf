/**
 * The five requests that a machine can make. They are XState actions without a body: a step returns them as data, and
 * the engine carries them out.
 */
import type { ActionFunction } from "xstate"
import type { Posting } from "./ledger.ts"

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
export interface EventRequest {
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

/** Short forms of the actions, for states and transitions. */
export const post = <Data>(postings: (data: Data) => ReadonlyArray<Posting>) =>
  ({ type: "post", params: ({ context }: { readonly context: Data }) => postings(context) }) as const
export const publish = <const Type extends string>(type: Type) => ({ type: "publish", params: { type } }) as const
export const command = <const Params extends CommandRequest>(params: Params) => ({ type: "command", params }) as const
export const timer = <const Params extends TimerRequest>(params: Params) => ({ type: "timer", params }) as const
export const cancel = <const Name extends string>(name: Name) => ({ type: "cancel", params: { name } }) as const

/** The command that returns money to its payer. */
export const refundName = "refund"
/** The name of the command for a later decision to refund, counted from 1. A failed refund is never sent again. */
export const refundNameOf = (decision: number): string => (decision > 1 ? `${refundName}_${decision}` : refundName)
export const refund = command({ operation: "refund", name: refundName })

/**
 * Collects the actions of one step into an outcome.
 *
 * Errors: throws for an unknown action, which is a defect of the machine.
 */
export const fold = (actions: ReadonlyArray<{ readonly type: string; readonly params: unknown }>): Outcome => {
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
