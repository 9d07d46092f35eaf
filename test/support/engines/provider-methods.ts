/** The methods of a provider that has every capability but verification and statements, as one flat object. */
import type { Effect } from "effect"
import type { ProviderFault } from "../../../src/engine/ports/errors.ts"
import {
  type CommandStatus,
  type ConversionCommand,
  type Directory,
  type EventSources,
  type PayinCapability,
  type PayoutCommand,
  Provider,
  type Screening,
  type SubmissionResult
} from "../../../src/engine/ports/Provider.ts"

type MovementCommand = PayoutCommand | ConversionCommand

export interface ProviderMethods extends PayinCapability, Directory, Screening, Required<Pick<EventSources, "decode">> {
  readonly name: string
  readonly ready: (merchant_id: string) => Effect.Effect<boolean, ProviderFault>
  readonly submit: (command: MovementCommand) => Effect.Effect<SubmissionResult, ProviderFault>
  readonly lookup: (command: MovementCommand) => Effect.Effect<CommandStatus, ProviderFault>
}

export const methodsOf = (provider: Provider["Service"]): ProviderMethods => {
  const { directory, events, liquidity, name, payins, payouts, ready, screening } = provider
  const isPayout = (command: MovementCommand): command is PayoutCommand => "destination" in command
  return {
    name,
    ready: ready!,
    ...payins!,
    ...directory!,
    ...screening!,
    decode: events!.decode!,
    submit: (command) => (isPayout(command) ? payouts!.submit(command) : liquidity!.submit(command)),
    lookup: (command) => (isPayout(command) ? payouts!.lookup(command) : liquidity!.lookup(command))
  }
}

/** The provider with some of its methods replaced. */
export const withMethods = (provider: Provider["Service"], replaced: Partial<ProviderMethods>): Provider["Service"] => {
  const m = { ...methodsOf(provider), ...replaced }
  return Provider.of({
    ...provider,
    name: m.name,
    ready: m.ready,
    payouts: { submit: m.submit, lookup: m.lookup },
    liquidity: { submit: m.submit, lookup: m.lookup },
    payins: { issue: m.issue, instruct: m.instruct!, refund: m.refund, lookupRefund: m.lookupRefund },
    directory: { banks: m.banks, resolveAccount: m.resolveAccount, resolveProxy: m.resolveProxy },
    screening: { screen: m.screen },
    events: { ...provider.events, decode: m.decode }
  })
}
