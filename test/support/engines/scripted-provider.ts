/** A provider of payouts and conversions that answers as a test says, and counts what it executes. */
import { Effect } from "effect"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import {
  type CommandStatus,
  type ConversionCommand,
  type PayoutCommand,
  Provider,
  type SubmissionResult,
  makeOpenManifest
} from "../../../src/engine/ports/Provider.ts"

type Command = PayoutCommand | ConversionCommand

/** `lost`: it executes the command, and its answer never arrives. `dropped`: neither. */
export type Answer = SubmissionResult["_tag"] | "lost" | "dropped"

const success = { outcome: "success", reason: null, transaction_hash: null } as const
const fault = Effect.fail(new ProviderFault({ message: "no answer" }))

/** `answers`: to the submissions of each command, in order; the last one repeats. Default: it accepts. */
export const makeScriptedProvider = (name: string, ...answers: ReadonlyArray<Answer>) => {
  const submitted: Array<Command> = []
  const executions = new Map<string, number>()
  /** What a look-up says of what it has not executed. */
  const lookups: { answer: CommandStatus["_tag"] } = { answer: "absent" }
  const submit = (command: Command): Effect.Effect<SubmissionResult, ProviderFault> =>
    Effect.suspend((): Effect.Effect<SubmissionResult, ProviderFault> => {
      const earlier = submitted.filter(({ id }) => id === command.id).length
      submitted.push(command)
      const answer = answers[Math.min(earlier, answers.length - 1)] ?? "accepted"
      const executes = answer === "accepted" || answer === "settled" || answer === "lost"
      if (executes) executions.set(command.id, 1)
      switch (answer) {
        case "lost":
        case "dropped":
          return fault
        case "settled":
          return Effect.succeed({ _tag: "settled", outcome: success })
        case "rejected":
          return Effect.succeed({ _tag: "rejected", reason: "failed", refundable: true })
        default:
          return Effect.succeed({ _tag: answer })
      }
    })
  const lookup = ({ id }: Command): Effect.Effect<CommandStatus> =>
    Effect.sync(() =>
      executions.has(id) || lookups.answer === "settled"
        ? { _tag: "settled", outcome: success }
        : { _tag: lookups.answer as "absent" | "pending" }
    )
  const provider = Provider.of({
    name,
    manifest: makeOpenManifest("payout", "conversion"),
    payouts: { submit, lookup },
    liquidity: { submit, lookup }
  })
  return { provider, submitted, executions, lookups }
}
