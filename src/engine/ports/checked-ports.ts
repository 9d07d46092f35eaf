/**
 * Ports whose results are validated where they enter the engine: the provider, the rates and the pricing policy. A
 * result that does not match the port's types is a `ProviderFault`, and nothing of it is stored. Every service of the
 * engine uses these.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { checkedRates, validating } from "./checked-rates.ts"
import { type Fees, Pricing, type Range } from "./Pricing.ts"
import { Provider, type ProviderEvent } from "./Provider.ts"
import { Account, SubmissionResult, Banks, Event, Instruction, Proxy, CommandStatus } from "./provider-schemas.ts"
import { Rates } from "./Rates.ts"
import type { Json } from "./Storage.ts"

const isMinor = (value: unknown): value is string => typeof value === "string" && /^\d{1,38}$/.test(value)
const isShare = (value: unknown): boolean => typeof value === "string" && /^0(\.\d{1,40})?$/.test(value)
const areFees = (value: unknown): boolean => {
  const fees = value as Partial<Fees> | null | undefined
  return isShare(fees?.gateway) && isMinor(fees?.network)
}
const isRange = (value: unknown): boolean => {
  const { minimum, maximum } = (value ?? {}) as Partial<Range>
  const isBound = (bound: unknown): boolean => bound === null || isMinor(bound)
  if (!isBound(minimum) || !isBound(maximum)) return false
  return typeof minimum !== "string" || typeof maximum !== "string" || BigInt(minimum) <= BigInt(maximum)
}

export const checkedPricing = (pricing: Pricing["Service"]): Pricing["Service"] => {
  const port = "the pricing policy"
  const fees = validating(port, "fees", "{gateway: a decimal in [0, 1), network: minor units, 0 or more}", areFees)
  const outbound = validating(port, "outbound", "{minimum, maximum}: minor units or null, in this order", isRange)
  return {
    fees: (request) => fees(() => pricing.fees(request)),
    outbound: (currency, network) => outbound(() => pricing.outbound(currency, network))
  }
}

const isA = (schema: Schema.ConstraintDecoder<unknown>): ((value: unknown) => boolean) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (value) => Option.isSome(decode(value))
}

const isBoolean = (value: unknown): boolean => typeof value === "boolean"
const shapes = {
  submissionResult: isA(SubmissionResult),
  commandStatus: isA(CommandStatus),
  instruction: isA(Instruction),
  account: isA(Account),
  proxy: isA(Proxy),
  banks: isA(Banks)
}

const event = Schema.decodeUnknownOption(Event)

/** Decodes a provider event; `undefined` for a value that is not one, whatever its static type. */
export const decodeEvent = (value: unknown): ProviderEvent | undefined => Option.getOrUndefined(event(value))

/** What may be stored of a value that is not a provider event: everything except the payer's details (DEPOSIT-14). */
export const redacted = (value: unknown): Json =>
  JSON.parse(
    JSON.stringify(value, (name, member: unknown) =>
      name === "sender" ? undefined : typeof member === "bigint" ? String(member) : member
    ) ?? "null"
  )

export const checkedProvider = (provider: Provider["Service"]): Provider["Service"] => {
  const of = (method: string, expected: string, isValid: (value: unknown) => boolean) =>
    validating(`the provider ${provider.name}`, method, expected, isValid)
  const answers = "accepted, rejected {reason, refundable} or unavailable"
  const statuses = "absent, pending or settled {outcome}"
  const ready = of("ready", "true or false", isBoolean)
  const submit = of("submit", answers, shapes.submissionResult)
  const lookup = of("lookup", statuses, shapes.commandStatus)
  const issue = of("issue", "nothing", () => true)
  const instruct = of("instruct", "an account and a reference", shapes.instruction)
  const refund = of("refund", answers, shapes.submissionResult)
  const lookupRefund = of("lookupRefund", statuses, shapes.commandStatus)
  const screen = of("screen", "true or false", isBoolean)
  const resolveAccount = of("resolveAccount", "resolved {account_name} or unresolved", shapes.account)
  const resolveProxy = of("resolveProxy", "resolved {account_name} or why not", shapes.proxy)
  const banks = of("banks", "a list of banks", shapes.banks)
  return {
    name: provider.name,
    ready: (merchant_id) => ready(() => provider.ready(merchant_id)),
    submit: (command) => submit(() => provider.submit(command)),
    lookup: (command) => lookup(() => provider.lookup(command)),
    issue: (command) => issue(() => provider.issue(command)),
    instruct: (command) => instruct(() => provider.instruct(command)),
    refund: (command) => refund(() => provider.refund(command)),
    lookupRefund: (command) => lookupRefund(() => provider.lookupRefund(command)),
    screen: (beneficiary) => screen(() => provider.screen(beneficiary)),
    resolveAccount: (account) => resolveAccount(() => provider.resolveAccount(account)),
    resolveProxy: (proxy) => resolveProxy(() => provider.resolveProxy(proxy)),
    banks: (country_code) => banks(() => provider.banks(country_code)),
    decode: (headers, body) => provider.decode(headers, body)
  }
}

/** Replaces the given ports by validated ones. */
export const checkedPorts: Layer.Layer<Provider | Rates | Pricing, never, Provider | Rates | Pricing> =
  Layer.effectContext(
    Effect.gen(function* () {
      return Context.make(Provider, checkedProvider(yield* Provider)).pipe(
        Context.add(Rates, checkedRates(yield* Rates)),
        Context.add(Pricing, checkedPricing(yield* Pricing))
      )
    })
  )
