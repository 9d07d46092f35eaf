/**
 * What a machine may ask for. Five requests, declared as XState actions without a body, so that a step returns them as
 * data and the engine alone carries them out.
 */
import type { Posting } from "./ledger.ts"

/**
 * Work for the provider. `operation` names the port's method. Asking again under the same name replaces what was asked.
 */
export interface CommandRequest {
  readonly operation: "submit" | "lookup" | "issue" | "refund"
  /** Tells the commands of one resource apart; the command's id, the same for ever, is `<resource id>.<name>`. */
  readonly name: string
  /** Not before this long from now; at once when absent. */
  readonly after_ms?: number
}

/** A deadline: after `after_ms` the machine receives `timer.<name>`. Setting a timer again re-arms it. */
export interface TimerRequest {
  readonly name: string
  readonly after_ms?: number
  /** Epoch milliseconds; instead of `after_ms`. */
  readonly at?: number
}

/** A published event, by its type without the resource (`success`): the engine freezes the body. */
export interface EventRequest {
  readonly type: string
  /** Published while the resource still stands where it stood: its body shows the state before this step. */
  readonly before?: true
}

export interface Outcome {
  readonly postings: ReadonlyArray<Posting>
  readonly events: ReadonlyArray<EventRequest>
  readonly commands: ReadonlyArray<CommandRequest>
  readonly timers: ReadonlyArray<TimerRequest>
  /** Names of timers and commands that are no longer wanted. */
  readonly cancels: ReadonlyArray<string>
}

/** The vocabulary: pass to `setup({ actions: outcomes })`. */
export const outcomes = {
  post: (_: unknown, _params: ReadonlyArray<Posting>): void => {},
  publish: (_: unknown, _params: EventRequest): void => {},
  command: (_: unknown, _params: CommandRequest): void => {},
  timer: (_: unknown, _params: TimerRequest): void => {},
  cancel: (_: unknown, _params: { readonly name: string }): void => {}
} as const

/** Requests as the actions of a state or a transition: what each machine writes most. */
export const post = <Data>(postings: (data: Data) => ReadonlyArray<Posting>) =>
  ({ type: "post", params: ({ context }: { readonly context: Data }) => postings(context) }) as const
export const publish = <const Type extends string>(type: Type) => ({ type: "publish", params: { type } }) as const
export const command = <const Params extends CommandRequest>(params: Params) => ({ type: "command", params }) as const
export const timer = <const Params extends TimerRequest>(params: Params) => ({ type: "timer", params }) as const
export const cancel = <const Name extends string>(name: Name) => ({ type: "cancel", params: { name } }) as const

/** The command that sends money back to its payer. */
export const refundName = "refund"
export const refund = command({ operation: "refund", name: refundName })

/**
 * Gathers the actions of one step.
 *
 * Errors: throws on an action outside the vocabulary, which is a defect of the machine.
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
        throw new Error(`a machine asked for ${type}, which is not in the vocabulary`)
    }
  }
  return outcome
}
