/** A provider of your own, written with promises. */
import { Effect, Layer, Predicate } from "effect"
import { findNearest } from "../../engine/input/nearest.ts"
import { adapter, type ProviderAdapter } from "../../engine/ports/adapter.ts"
import { ProviderFault } from "../../engine/ports/errors.ts"
import { formerlyFault } from "../../engine/ports/provider-registry.ts"
import {
  type Directory,
  type EventSources,
  type Liquidity,
  type Manifest,
  type PayinCapability,
  type Payouts,
  Provider,
  type ProviderEvent,
  type ProviderOperation,
  providerOperations,
  type ReportedEvent,
  type Screening,
  type Statements,
  makeOpenManifest,
  type VerificationCapability
} from "../../engine/ports/Provider.ts"

export type { ReportedEvent }

/** `signal` is aborted when the engine stops waiting. The outcome is then unknown. */
export interface CallContext {
  readonly signal: AbortSignal
}

/** A word comes as a promise only: in an `async` function, TypeScript would take a single one for any text beside `Promise<A> | A`. */
type Answer<A> = [A] extends [string] ? Promise<A> : Promise<A> | A

type Method<F> = F extends (input: infer I) => Effect.Effect<infer A, infer _E>
  ? (input: I, context: CallContext) => Answer<A>
  : F extends Effect.Effect<infer A, infer _E>
    ? (none: null, context: CallContext) => Answer<A>
    : never

/** A capability of the port, its methods with promises. */
type Promised<C> = { readonly [K in keyof C]: Method<NonNullable<C[K]>> }

export interface ProviderDefinition {
  /** Lower-case letters, digits, `_` and `-`. It names the provider's events, accounts and callbacks. */
  readonly name: string
  /** Earlier names of the same provider: what the store has under them stays its own. An empty list: it never had one. */
  readonly formerly?: ReadonlyArray<string>
  /**
   * The id of what stands behind it: an account number, a tenant, the id of an installation. Two providers never have the same,
   * and it never changes. Without it, a store cannot tell that another name is for the same provider.
   */
  readonly identity?: string
  /** What the provider serves. Default: all that its capabilities can do, in all currencies, countries and amounts. */
  readonly manifest?: Manifest
  /** Whether submissions of this merchant are accepted now. If not, its movements wait. Default: always. */
  readonly ready?: (merchant_id: string, context: CallContext) => Promise<boolean> | boolean
  readonly payouts?: Promised<Payouts>
  readonly payins?: Promised<PayinCapability>
  readonly directory?: Promised<Directory>
  readonly screening?: Promised<Screening>
  readonly verification?: Promised<VerificationCapability>
  readonly liquidity?: Promised<Liquidity>
  readonly statements?: Promised<Statements>
  readonly events?: {
    /**
     * Verifies and decodes a callback, from its headers in lower case, the text of its body, and its bytes. `undefined`, or an
     * error: the signature is invalid. Of a signed body that is no event, return its value all the same: it is recorded for the
     * operator, with the reason. Compare signatures in constant time.
     */
    readonly decode?: (
      headers: { readonly [name: string]: string | undefined },
      body: string,
      bytes: Uint8Array
    ) => Promise<ReportedEvent | undefined> | ReportedEvent | undefined
    /** The events after a cursor (null: from the beginning), oldest first, and the cursor after the last one. */
    readonly after?: (
      cursor: string | null,
      context: CallContext
    ) =>
      | Promise<{ readonly events: ReadonlyArray<ReportedEvent>; readonly cursor: string }>
      | { readonly events: ReadonlyArray<ReportedEvent>; readonly cursor: string }
    /** Milliseconds between two reads. Default: 30,000. */
    readonly interval_ms?: number
  }
  /** Releases what the provider holds, when the engine closes. */
  readonly close?: () => Promise<void> | void
}

/** The methods of each capability, and the operations that it serves. */
const capabilities = {
  payouts: { methods: ["submit", "lookup", "serves"], operations: ["payout"] },
  liquidity: { methods: ["submit", "lookup"], operations: ["conversion"] },
  payins: { methods: ["issue", "instruct", "refund", "lookupRefund"], operations: ["payin", "issue"] },
  directory: { methods: ["banks", "resolveAccount", "resolveProxy"], operations: ["directory"] },
  screening: { methods: ["screen"], operations: ["screening"] },
  verification: { methods: ["start", "lookup"], operations: ["verification"] },
  statements: { methods: ["balances", "lines"], operations: [] }
} as const satisfies Readonly<
  Record<string, { readonly methods: ReadonlyArray<string>; readonly operations: ReadonlyArray<ProviderOperation> }>
>
type Capability = keyof typeof capabilities

/** What a provider need not have: instructions for one payment (ROUTE-11), and recipients that it cannot pay (ROUTE-12). */
const optionalMethods: ReadonlySet<string> = new Set(["instruct", "serves"])
const isLeftOut = (given: object, method: string): boolean =>
  optionalMethods.has(method) && (given as Unknowns)[method] === undefined

const names = Object.keys(capabilities) as ReadonlyArray<Capability>
const members = ["name", "formerly", "identity", "manifest", "ready", ...names, "events", "close"]

type Unknowns = { readonly [name: string]: unknown }

const formatValue = (value: unknown): string =>
  value === undefined
    ? "not set"
    : typeof value === "string"
      ? JSON.stringify(value.slice(0, 80))
      : typeof value === "object" && value !== null
        ? Array.isArray(value)
          ? "a list"
          : "an object"
        : typeof value === "function"
          ? "a function"
          : String(value)

const listUnknownMembers = (path: string, given: Unknowns, known: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.keys(given)
    .filter((name) => given[name] !== undefined && !known.includes(name))
    .map((name) => {
      const near = findNearest(name, known)
      return `${path}${name} is not a member of a provider${near === undefined ? "" : `; did you mean ${path}${near}?`}`
    })

const namePattern = /^[a-z][a-z0-9_-]{0,63}$/

const listOfferFaults = (manifest: unknown, served: ReadonlyArray<string>): ReadonlyArray<string> => {
  const offers = Predicate.isReadonlyObject(manifest) ? manifest["offers"] : undefined
  if (!Array.isArray(offers)) return [`manifest.offers is ${formatValue(offers)}; it takes a list of offers`]
  return offers.flatMap((offer: unknown, at) => {
    const operation = Predicate.isReadonlyObject(offer) ? offer["operation"] : undefined
    if (served.includes(operation as string)) return []
    const takes = providerOperations.includes(operation as ProviderOperation)
      ? "the provider has no capability for it"
      : `it takes ${providerOperations.join(", ")}`
    return [`manifest.offers[${at}].operation is ${formatValue(operation)}; ${takes}`]
  })
}

/** Lists every fault of a provider definition. Types find most of them; JavaScript has no types. */
const listDefinitionFaults = (definition: Unknowns): ReadonlyArray<string> => {
  const { events, formerly, identity, manifest, name } = definition
  const wrongNames = formerlyFault({ name: String(name), formerly })
  const present = names.filter((capability) => definition[capability] !== undefined)
  const served = present.flatMap((capability): ReadonlyArray<string> => capabilities[capability].operations)
  const ofCapability = (capability: Capability): ReadonlyArray<string> => {
    const given = definition[capability]
    const methods: ReadonlyArray<string> = capabilities[capability].methods
    const required = methods.filter((method) => !optionalMethods.has(method))
    return Predicate.isReadonlyObject(given)
      ? methods
          .filter((method) => typeof given[method] !== "function" && !isLeftOut(given, method))
          .map((method) => `${capability}.${method} is ${formatValue(given[method])}; it takes a function`)
      : [`${capability} is ${formatValue(given)}; it takes an object of ${required.join(", ")}`]
  }
  return [
    ...(typeof name === "string" && namePattern.test(name)
      ? name === "simulated"
        ? [`name is "simulated", which is the name of the simulated provider`]
        : []
      : [`name is ${formatValue(name)}; it takes a lower-case letter, and then up to 63 letters, digits, _ or -`]),
    ...(wrongNames === undefined ? [] : [wrongNames]),
    ...(identity === undefined || (typeof identity === "string" && /^[\x21-\x7e]{1,200}$/.test(identity))
      ? []
      : [`identity is ${formatValue(identity)}; it takes 1 to 200 printable characters without spaces`]),
    ...listUnknownMembers("", definition, members),
    ...present.flatMap(ofCapability),
    ...(present.length === 0 ? [`no capability is set; a provider has at least one of ${names.join(", ")}`] : []),
    ...(manifest === undefined ? [] : listOfferFaults(manifest, served)),
    ...(Predicate.isReadonlyObject(events)
      ? listUnknownMembers("events.", events, ["decode", "after", "interval_ms"])
      : []),
    ...["ready", "close"]
      .filter((method) => definition[method] !== undefined && typeof definition[method] !== "function")
      .map((method) => `${method} is ${formatValue(definition[method])}; it takes a function`)
  ]
}

const readErrorMessage = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

type Caller = (input: unknown) => Effect.Effect<never, ProviderFault>

/** Wraps methods that return promises or values as methods that return Effects. They keep their receiver, so an instance of a class will do. */
const wrapMethods = (provider: string, path: string, given: object, methods: ReadonlyArray<string>): unknown =>
  Object.fromEntries(
    methods
      .filter((method) => !isLeftOut(given, method))
      .map((method): [string, Caller] => [
        method,
        (input) =>
          Effect.tryPromise({
            try: async (signal) =>
              (given as Readonly<Record<string, (input: unknown, context: CallContext) => never>>)[method]!(input, {
                signal
              }),
            catch: (cause) =>
              new ProviderFault({
                message: `${path}${method} of ${provider} failed: ${readErrorMessage(cause)}`,
                cause
              })
          })
      ])
  )

type Port = Provider["Service"]

const toEventSource = (name: string, events: NonNullable<ProviderDefinition["events"]>): EventSources => {
  const { after, decode, interval_ms } = events
  return {
    ...(interval_ms !== undefined && { interval_ms }),
    ...(after && (wrapMethods(name, "events.", events, ["after"]) as Required<Pick<EventSources, "after">>)),
    ...(decode && {
      decode: (headers: { readonly [name: string]: string | undefined }, body: string, bytes?: Uint8Array) =>
        Effect.tryPromise(async () => decode.call(events, headers, body, bytes ?? new TextEncoder().encode(body))).pipe(
          // The engine completes and validates an event before it uses it.
          Effect.map((event) => event as ProviderEvent | undefined),
          Effect.catch(({ cause }) =>
            Effect.as(
              Effect.logWarning(`a callback of ${name} could not be decoded: ${readErrorMessage(cause)}`),
              undefined
            )
          )
        )
    })
  }
}

/**
 * Makes a provider from your own functions. Its methods return promises or values; `screen` may return the result alone, as text. The laws are
 * those of the port (`Payouts`, `PayinCapability`, …): above all, one command id is executed at most once, and `absent` is definite.
 *
 * A method that throws, or whose promise is rejected, has not answered: the outcome is *unknown*, the money stays reserved, and the engine
 * asks `lookup` until it answers. The same applies to a result that does not have the port's types.
 *
 * Errors: throws `TypeError` for an invalid definition; the message names every fault.
 */
export const defineProvider = (definition: ProviderDefinition): ProviderAdapter => {
  const faults = Predicate.isReadonlyObject(definition)
    ? listDefinitionFaults(definition as unknown as Unknowns)
    : [`it is ${formatValue(definition)}`]
  if (faults.length > 0) throw new TypeError(`the provider cannot be defined: ${faults.join("; ")}`)
  const { close } = definition
  const made = Effect.sync(() => {
    const { events, formerly, identity, manifest, name, ready } = definition
    const present = names.filter((capability) => definition[capability] !== undefined)
    const made = Object.fromEntries(
      present.map((capability) => [
        capability,
        wrapMethods(name, `${capability}.`, definition[capability]!, capabilities[capability].methods)
      ])
    ) as Omit<Pick<Port, Capability>, "statements"> & {
      readonly statements?: Pick<Statements, "lines"> & { readonly balances: (none: null) => Statements["balances"] }
    }
    const { statements, ...others } = made
    const operations = present.flatMap(
      (capability): ReadonlyArray<ProviderOperation> => capabilities[capability].operations
    )
    return Provider.of({
      name,
      ...(formerly && { formerly }),
      ...(identity !== undefined && { identity: Effect.succeed({ id: `custom:${identity}`, address: null }) }),
      manifest: manifest ?? makeOpenManifest(...operations),
      ...others,
      ...(statements && {
        statements: { balances: Effect.suspend(() => statements.balances(null)), lines: statements.lines }
      }),
      ...(ready && (wrapMethods(name, "", definition, ["ready"]) as Required<Pick<Port, "ready">>)),
      ...(events && { events: toEventSource(name, events) })
    })
  })
  return adapter(
    "provider",
    Layer.effect(
      Provider,
      close === undefined
        ? made
        : Effect.acquireRelease(made, () =>
            Effect.tryPromise(async () => close.call(definition)).pipe(
              Effect.catch((error) =>
                Effect.logWarning(`${definition.name} did not close: ${readErrorMessage(error.cause)}`)
              )
            )
          )
    )
  )
}
