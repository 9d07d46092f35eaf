/**
 * A provider whose results are validated where they enter the engine. A result that does not match the port's types is a
 * `ProviderFault`: its outcome is unknown, and nothing of it is stored.
 */
import type { Effect } from "effect"
import { Option, Schema } from "effect"
import { validating } from "./checked-rates.ts"
import type { ProviderFault } from "./errors.ts"
import type { PayoutCommand, Provider, ProviderEvent } from "./Provider.ts"
import * as schemas from "./provider-schemas.ts"
import type { Json } from "./Storage.ts"
import { traced } from "./tracing.ts"

const isA = (schema: Schema.ConstraintDecoder<unknown>): ((value: unknown) => boolean) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (value) => Option.isSome(decode(value))
}

/** The results of each method, in words and as a test. */
const results = {
  ready: ["true or false", (value: unknown) => typeof value === "boolean"],
  submit: ["accepted, settled {outcome}, rejected {reason, refundable} or unavailable", isA(schemas.SubmissionResult)],
  lookup: ["absent, pending or settled {outcome}", isA(schemas.CommandStatus)],
  issue: ["pending, issued {issued} or rejected {reason}", isA(schemas.IssueResult)],
  instruct: ["an account and a reference", isA(schemas.Instruction)],
  screen: ["cleared, held or refused", isA(schemas.ScreeningResult)],
  resolveAccount: ["resolved {account_name} or unresolved", isA(schemas.Account)],
  resolveProxy: ["resolved {account_name} or why not", isA(schemas.Proxy)],
  banks: ["a list of banks", isA(schemas.Banks)],
  start: ["a link {hosted_url, expires_at}", isA(schemas.VerificationLink)],
  verified: ["absent, pending, opened, approved or rejected {reason}", isA(schemas.VerificationStatus)],
  balances: ["a list of balances", isA(schemas.Balances)],
  lines: ["{lines, cursor}", isA(schemas.StatementPage)],
  after: ["{events, cursor}", isA(schemas.EventPage)]
} as const

const event = Schema.decodeUnknownOption(schemas.Event)

/** Decodes a provider event; `undefined` for a value that is not one, whatever its static type. */
export const decodeEvent = (value: unknown): ProviderEvent | undefined => Option.getOrUndefined(event(value))

/** What may be stored of a value that is not a provider event: everything except the payer's details (DEPOSIT-14). */
export const redacted = (value: unknown): Json =>
  JSON.parse(
    JSON.stringify(value, (name, member: unknown) =>
      name === "sender" ? undefined : typeof member === "bigint" ? String(member) : member
    ) ?? "null"
  )

type Method<Input, A> = (input: Input) => Effect.Effect<A, ProviderFault>

/** The ids in the input of a call. Its other members are not for spans. */
const subjectOf = (input: unknown) => {
  const { id, resource_id } = (typeof input === "object" && input !== null ? input : {}) as Partial<PayoutCommand>
  return { "corridor.command_id": id, "corridor.resource_id": resource_id }
}

/** The provider with validated results, and a span for each call. It has the same capabilities. */
export const checkedProvider = (provider: Provider["Service"]): Provider["Service"] => {
  /** `as`: the key of the result, where a method's name has several. */
  const checked = <Input, A>(
    name: string,
    method: Method<Input, A>,
    as = name as keyof typeof results
  ): Method<Input, A> => {
    const [expected, isValid] = results[as]
    const check = validating(`the provider ${provider.name}`, name, expected, isValid)
    return (input) =>
      traced(
        () => ({
          name: `corridor.provider.${name}`,
          kind: "client",
          attributes: { "corridor.provider": provider.name, ...subjectOf(input) }
        }),
        () => check(() => method(input))
      )
  }
  const { ready, payouts, payins, directory, screening, verification, liquidity, statements, events } = provider
  return {
    ...provider,
    // It may change while the provider runs.
    get manifest() {
      return provider.manifest
    },
    ...(ready && { ready: checked("ready", ready) }),
    ...(payouts && {
      payouts: { submit: checked("submit", payouts.submit), lookup: checked("lookup", payouts.lookup) }
    }),
    ...(liquidity && {
      liquidity: { submit: checked("submit", liquidity.submit), lookup: checked("lookup", liquidity.lookup) }
    }),
    ...(payins && {
      payins: {
        issue: checked("issue", payins.issue),
        instruct: checked("instruct", payins.instruct),
        refund: checked("refund", payins.refund, "submit"),
        lookupRefund: checked("lookupRefund", payins.lookupRefund, "lookup")
      }
    }),
    ...(directory && {
      directory: {
        banks: checked("banks", directory.banks),
        resolveAccount: checked("resolveAccount", directory.resolveAccount),
        resolveProxy: checked("resolveProxy", directory.resolveProxy)
      }
    }),
    ...(screening && { screening: { screen: checked("screen", screening.screen) } }),
    ...(verification && {
      verification: {
        start: checked("start", verification.start),
        lookup: checked("lookup", verification.lookup, "verified")
      }
    }),
    ...(statements && {
      statements: {
        balances: checked("balances", () => statements.balances)(undefined),
        lines: checked("lines", statements.lines)
      }
    }),
    ...(events && {
      events: { ...events, ...(events.after && { after: checked("after", events.after) }) }
    })
  }
}
