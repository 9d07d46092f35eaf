/**
 * The provider port: an adapter offers capabilities under its name. It moves money, issues addresses, and knows banks and
 * accounts. Several providers can be configured; {@link Providers} has them all.
 *
 * The engine sends commands, with ids that the engine makes. A provider sends events, with ids that the provider makes.
 * Command ids, event ids, pay-in ids and ledger accounts belong to one provider.
 */
import { Context, Effect, Layer } from "effect"
import type { ProviderFault } from "./errors.ts"
import type {
  AccountQuery,
  Bank,
  ConversionCommand,
  InstructCommand,
  IssueCommand,
  PayoutCommand,
  RefundCommand,
  ScreeningCommand,
  VerificationCommand
} from "./provider-commands.ts"
import type {
  AccountResolution,
  CommandStatus,
  IssueResult,
  PaymentInstruction,
  ProviderBalance,
  ProxyResolution,
  ScreeningResult,
  ServedRecipient,
  StatementPage,
  SubmissionResult,
  VerificationLink,
  VerificationStatus
} from "./provider-results.ts"
import type { NoEvent, ProviderEvent, UnreadableEvent } from "./provider-events.ts"
import type { ProviderIdentity } from "./provider-registry.ts"
import type { Sandbox } from "./Sandbox.ts"

export type * from "./provider-fields.ts"
export type * from "./provider-commands.ts"
export type * from "./provider-results.ts"
export type * from "./provider-events.ts"
export { movementOutcomes, screeningResults } from "./provider-results.ts"

/**
 * Milliseconds until the engine gives up a call of a provider. The outcome is unknown then, and what a reading has found is not told: an
 * adapter ends its own parts of a call before.
 */
export const providerTimeoutMs = 30_000

/** Whom a payout pays, in which currency, as its command says it. */
export type PayoutRecipient = Pick<PayoutCommand, "currency" | "destination" | "beneficiary">

/** Pays money out to banks and chains. */
export interface Payouts {
  /**
   * Submits a payment instruction.
   *
   * Law: one `id` is executed at most once, however often it is submitted.
   * Errors: `ProviderFault` means that the outcome is *unknown*: the instruction may have been executed. Use `lookup`.
   */
  readonly submit: (command: PayoutCommand) => Effect.Effect<SubmissionResult, ProviderFault>
  /** The status of a command. Errors: `ProviderFault` means that the status is still unknown. */
  readonly lookup: (command: PayoutCommand) => Effect.Effect<CommandStatus, ProviderFault>
  /**
   * Whether it can pay a recipient: `no` where `submit` would reject a payout because of the recipient, whatever its amount. Asked when a
   * movement is made, which waits for it (ROUTE-12); `unknown`, a fault and two seconds of silence count as `yes`. It has no effect, and what
   * it asks the provider, it remembers for some seconds. Absent: it pays all recipients that its manifest offers.
   */
  readonly serves?: (recipient: PayoutRecipient) => Effect.Effect<ServedRecipient, ProviderFault>
}

/** Receives money, and returns it. */
export interface PayinCapability {
  /** Requests an address or account. Idempotent by `id`: the same id gets the same address. */
  readonly issue: (command: IssueCommand) => Effect.Effect<IssueResult, ProviderFault>
  /**
   * The payment instructions for the payer of an onramp; the merchant's call waits for them. Idempotent by `id`.
   * Law: a `depositReference` is unique among onramps, and is not the target of anything else.
   *
   * Absent: it has accounts, and no references for one payment. Then no onramp is routed to it, whatever it offers (ROUTE-11).
   */
  readonly instruct?: (command: InstructCommand) => Effect.Effect<PaymentInstruction, ProviderFault>
  /**
   * Returns money to a payer. Idempotent by `id`. `settled` with `success`: the payer has the money; with
   * `temporarily_unavailable`: as `unavailable`; any other outcome: the refund failed. After `accepted`, a `refund` event or
   * `lookupRefund` reports the outcome. A `refund` event with `failed` after a success says that the money came back.
   *
   * Law: the sum of refunds never exceeds the pay-in, whatever the ids. Money that came back may be refunded again, under
   * another id.
   * Errors: `ProviderFault` means that the outcome is unknown.
   */
  readonly refund: (command: RefundCommand) => Effect.Effect<SubmissionResult, ProviderFault>
  /**
   * The status of a refund. `absent`: it is not executed, and will not be unless it is submitted again; `pending`: it was
   * accepted; `settled`: as for `refund`. Errors: `ProviderFault` means that the status is still unknown.
   */
  readonly lookupRefund: (command: RefundCommand) => Effect.Effect<CommandStatus, ProviderFault>
}

/** Knows banks and the holders of accounts. */
export interface Directory {
  /**
   * The banks of a country (null: of all), ordered by code. Laws: an id begins with `prov_`, as `provider_id` of a beneficiary does; it
   * is the same after every start; and no two providers use one.
   */
  readonly banks: (country_code: string | null) => Effect.Effect<ReadonlyArray<Bank>, ProviderFault>
  readonly resolveAccount: (account: AccountQuery) => Effect.Effect<AccountResolution, ProviderFault>
  readonly resolveProxy: (proxy: string) => Effect.Effect<ProxyResolution, ProviderFault>
}

/** Checks beneficiaries against sanctions and risk lists. */
export interface Screening {
  /** Screens a beneficiary's name and destination. Every `screened` event names its screening. Idempotent by `screening_id`. */
  readonly screen: (command: ScreeningCommand) => Effect.Effect<ScreeningResult, ProviderFault>
}

/** Verifies customers on a page of its own. */
export interface VerificationCapability {
  /** Begins a verification. Idempotent by `id`. The outcome follows in `verification` events. */
  readonly start: (command: VerificationCommand) => Effect.Effect<VerificationLink, ProviderFault>
  readonly lookup: (command: VerificationCommand) => Effect.Effect<VerificationStatus, ProviderFault>
}

/** Exchanges one currency for another. The laws are those of {@link Payouts}. */
export interface Liquidity {
  readonly submit: (command: ConversionCommand) => Effect.Effect<SubmissionResult, ProviderFault>
  readonly lookup: (command: ConversionCommand) => Effect.Effect<CommandStatus, ProviderFault>
}

/** Reports what the platform has at the provider. */
export interface Statements {
  readonly balances: Effect.Effect<ReadonlyArray<ProviderBalance>, ProviderFault>
  /**
   * The lines after a cursor (null: from the beginning), oldest first, and the cursor of the last one. A line that is not one
   * hides no other: the engine puts it among `unreadable`.
   */
  readonly lines: (after: string | null) => Effect.Effect<StatementPage, ProviderFault>
}

/** The addresses of a chain's adapter: its statement is of all of them together. */
export interface OwnAddresses {
  /** The hot wallet, which has the float and pays for gas. */
  readonly hot_wallet: Effect.Effect<string, ProviderFault>
  /** Whether an address on a network is the hot wallet, or a deposit address that the adapter issued. */
  readonly owns: (network: string, address: string) => Effect.Effect<boolean, ProviderFault>
  /** Whether a valid address on a network is the contract, or the mint, of one of its tokens: what is paid to it is lost. Absent: it does not say. */
  readonly isToken?: (network: string, address: string) => boolean
  /** What is wrong with a memo that no transfer of the adapter on a network can have, to be read after its name; null: nothing. Absent: it does not say. */
  readonly memoFault?: (network: string, memo: string) => string | null
}

/** How a provider's events reach the engine: callbacks, or reading, or both. */
export interface EventSources {
  /**
   * Verifies and decodes a callback (`POST /providers/<name>/events`) from its headers, in lower case, and its raw body.
   * `undefined`: the signature is invalid. A signed body that is no event is an {@link UnreadableEvent}; one that is about nothing of
   * the engine's, a {@link NoEvent}. Errors: `ProviderFault` when the provider, who must be asked what it means, did not answer:
   * nothing is acknowledged, and it is sent again. Law: no text of an event contains a NUL or an unpaired surrogate, which a store could not keep. `body`: the text; `bytes`: as they were sent,
   * which are signed, and differ where they are not UTF-8.
   */
  readonly decode?: (
    headers: { readonly [name: string]: string | undefined },
    body: string,
    bytes?: Uint8Array
  ) => Effect.Effect<ProviderEvent | UnreadableEvent | NoEvent | undefined, ProviderFault>
  /**
   * The events after a cursor (null: from the beginning), oldest first, and the cursor after the last one. The engine stores
   * the cursor after it has committed the events, so an event can be read twice and is never missed. The cursor is the
   * provider's own text, at most 8,192 characters. `fault`: what could not be read, and holds up no event of the others; a later reading
   * has it, whatever the cursor is. The reading counts as one that fails (FEED-3).
   */
  readonly after?: (cursor: string | null) => Effect.Effect<
    {
      readonly events: ReadonlyArray<ProviderEvent | UnreadableEvent>
      readonly cursor: string
      readonly fault?: string | undefined
    },
    ProviderFault
  >
  /**
   * Reads again what `after` has passed, from a position of the provider's own (the number of a block or a slot): what was missed
   * is among the next events. Idempotent: what was told is the same event. Returns what will be read.
   */
  readonly rescan?: (from: number) => Effect.Effect<{ readonly from: number; readonly to: number }, ProviderFault>
  /** What a `rescan` has still to read, in one sentence for an operator; null: nothing. */
  readonly rescanning?: Effect.Effect<string | null, ProviderFault>
  /**
   * Of a chain that is read by blocks: the last final block that was read, from the adapter's own records; null: none yet. `at`: its time,
   * in epoch milliseconds; null where it was not recorded.
   */
  readonly lastBlock?: Effect.Effect<{ readonly number: number; readonly at: number | null } | null, ProviderFault>
  /** Milliseconds between two reads. Default: 30,000. */
  readonly interval_ms?: number
}

/** The operations that a provider can serve. `payin` includes refunds. */
export const providerOperations = [
  "payout",
  "conversion",
  "payin",
  "issue",
  "directory",
  "screening",
  "verification"
] as const
export type ProviderOperation = (typeof providerOperations)[number]

/**
 * One service of a provider. An absent member means: all of them.
 *
 * `currency` is the currency of a payout, of a pay-in or of an address, and the source of a conversion.
 */
export interface Offer {
  readonly operation: ProviderOperation
  readonly currency?: string
  /** For a conversion. */
  readonly destination_currency?: string
  readonly country_code?: string
  readonly network?: string
  /** The smallest and the largest amount, inclusive, in `currency`. */
  readonly minimum?: string
  readonly maximum?: string
  /** What the provider charges, in `currency`: a fixed amount, and a share of the amount (`"0.005"` is 0.5 %). */
  readonly cost?: { readonly fixed: string; readonly share: string }
}

/** What a provider serves. */
export interface Manifest {
  readonly offers: ReadonlyArray<Offer>
}

/** A manifest that serves these operations in all currencies, countries, networks and amounts. */
export const makeOpenManifest = (...operations: ReadonlyArray<ProviderOperation>): Manifest => ({
  offers: operations.map((operation) => ({ operation }))
})

/** The name of the provider that gets a row's commands now. Undefined for a row without one: the first configured provider is used. */
export const providerOf = ({ data }: { readonly data: unknown }): string | undefined =>
  (data as { readonly provider?: string } | null)?.provider

/** The name of the provider that a row's pay-ins come from, and that refunds them. */
export const payinProviderOf = (row: { readonly data: unknown }): string | undefined =>
  (row.data as { readonly payin_provider?: string } | null)?.payin_provider ?? providerOf(row)

/** Whether a resource belongs to another provider. The events of this provider about it then do not count. */
export const isAnothers = (row: { readonly data: unknown }, name: string, of = providerOf): boolean =>
  (of(row) ?? name) !== name

/** What an adapter found when it looked at one thing that it depends on. */
export interface ProviderCheck {
  readonly status: "ok" | "warn" | "fail"
  /** What was found; for `warn` and `fail`, with what to do. */
  readonly sentence: string
}

/** One provider. An adapter's layer makes it. */
export class Provider extends Context.Service<
  Provider,
  {
    /**
     * The provider's name, as used in event ids, in `clearing:<name>` and in `/providers/<name>/events`. An adapter gives the
     * configured one; the engine has the first one that the provider had in its store (`provider-registry.ts`).
     */
    readonly name: string
    /** Earlier names of the same provider. Absent: it is not known whether it had any; empty: it had none. */
    readonly formerly?: ReadonlyArray<string> | undefined
    /** What stands behind the name now. Absent: nothing is known. Errors: `ProviderFault` while it cannot be known. */
    readonly identity?: Effect.Effect<ProviderIdentity, ProviderFault>
    /** Of the engine: the configured name, and then the others that the provider has in the store. */
    readonly names?: ReadonlyArray<string>
    /** Of the engine: succeeds once the store has agreed to what stands behind the name. Nothing is asked of it before. */
    readonly admission?: Effect.Effect<void, ProviderFault>
    /** What it serves now. It may change while the provider runs: read it at each use. */
    readonly manifest: Manifest
    /**
     * Whether the provider accepts submissions of this merchant now. If not, nothing is submitted and the movement
     * waits. Absent: always.
     */
    readonly ready?: (merchant_id: string) => Effect.Effect<boolean, ProviderFault>
    readonly payouts?: Payouts
    readonly payins?: PayinCapability
    readonly directory?: Directory
    readonly screening?: Screening
    readonly verification?: VerificationCapability
    readonly liquidity?: Liquidity
    /** A connector may begin or cease to offer them: read it at each use. */
    readonly statements?: Statements | undefined
    /** Absent: it has no addresses, or does not say which. */
    readonly addresses?: OwnAddresses
    readonly events?: EventSources
    /** What an operator should know of the configuration: what is believed without proof. Shown at the start and by `doctor`. */
    readonly cautions?: ReadonlyArray<string>
    /** Looks at what the adapter depends on: nodes, tokens, keys, the other side. It changes nothing, and a failure is a result. */
    readonly check?: Effect.Effect<ReadonlyArray<ProviderCheck>>
    /** Where its keys work: those of `test` move no money. Absent: it does not say. */
    readonly environment?: "test" | "live"
    /** The controls of a simulated provider. Such a provider is not accepted in the live environment. */
    readonly sandbox?: Sandbox["Service"]
  }
>()("corridor/engine/Provider") {}

export class Providers extends Context.Service<
  Providers,
  {
    /** In the order of the configuration. Never empty. */
    readonly all: ReadonlyArray<Provider["Service"]>
    /** By any of its names. */
    readonly byName: (name: string) => Provider["Service"] | undefined
    /** The name in the store of each provider that the configuration names differently. */
    readonly keysByName: ReadonlyMap<string, string>
    /** The name under which the store has what belongs to a provider, configured or not. */
    readonly keyOf: (name: string) => string
  }
>()("corridor/engine/Providers") {
  /** Throws `TypeError` when there is none, or when two have one name. */
  static readonly from = (
    all: ReadonlyArray<Provider["Service"]>,
    keysByName: ReadonlyMap<string, string> = new Map()
  ): Providers["Service"] => {
    const byName = new Map(all.map((provider) => [provider.name, provider]))
    if (all.length === 0) throw new TypeError("at least one provider is required")
    if (byName.size < all.length) {
      const names = all.map(({ name }) => name)
      throw new TypeError(`two providers have the name ${names.find((name, i) => names.indexOf(name) < i)}`)
    }
    const keyOf = (name: string): string => keysByName.get(name) ?? name
    return { all, keysByName, keyOf, byName: (name) => byName.get(keyOf(name)) }
  }
  /** The provider of a layer as the only one. */
  static readonly only = Layer.effect(
    this,
    Effect.map(Provider, (provider) => Providers.from([provider]))
  )
}
