/**
 * Ports whose results are validated where they enter the engine: the providers, the rates and the pricing policy. A
 * result that does not match the port's types is a `ProviderFault`: its outcome is unknown, and nothing of it is stored. Every service of the
 * engine uses these.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import { type Fees, Pricing, type Range } from "./Pricing.ts"
import { type PayoutCommand, type Provider, Providers, type StatementPage, type Statements } from "./Provider.ts"
import { Rates } from "./Rates.ts"
import type { Json } from "./Storage.ts"
import { recordAnswer, makeValidatedCall, validateRates } from "./asked.ts"
import { DryRun, standInText } from "./dry-run.ts"
import { ProviderFault } from "./errors.ts"
import { metrics, type Series } from "./metrics.ts"
import { AnyEventPage, ProviderEvent } from "./provider-events.ts"
import type { AskedOperation } from "./storage-records.ts"
import { runInSpan } from "./tracing.ts"
import { onExitSync } from "./when-ended.ts"
import * as schemas from "./provider-results.ts"

/** Makes a function that tells whether a value matches a schema. */
const matches = (schema: Schema.ConstraintDecoder<unknown>): ((value: unknown) => boolean) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (value) => Option.isSome(decode(value))
}

type Result = readonly [words: string, isValid: (value: unknown) => boolean, answers: ReadonlyArray<string>]

const some = ["answered"]

/** The results of each method: in words, as a test, and the answers that the metrics count. */
const results = {
  ready: ["true or false", (value: unknown) => typeof value === "boolean", some],
  submit: [
    "accepted, settled {outcome}, rejected {reason, refundable} or unavailable",
    matches(schemas.SubmissionResult),
    ["accepted", "settled", "rejected", "unavailable"]
  ],
  lookup: ["absent, pending or settled {outcome}", matches(schemas.CommandStatus), ["absent", "pending", "settled"]],
  serves: ["yes, no or unknown", matches(schemas.ServedRecipient), schemas.servedRecipients],
  issue: [
    "pending, issued {issued} or rejected {reason}",
    matches(schemas.IssueResult),
    ["pending", "issued", "rejected"]
  ],
  instruct: ["an account and a reference", matches(schemas.PaymentInstruction), some],
  screen: ["cleared, held or refused", matches(schemas.ScreeningResult), schemas.screeningResults],
  resolveAccount: [
    "resolved {account_name}, unresolved or unchecked",
    matches(schemas.AccountResolution),
    ["resolved", "unresolved", "unchecked"]
  ],
  resolveProxy: [
    "resolved {account_name} or why not",
    matches(schemas.ProxyResolution),
    ["resolved", "unregistered", "no_answer", "unavailable", "switched_off"]
  ],
  banks: ["a list of banks, whose ids begin with prov_", matches(schemas.Banks), some],
  start: ["a link {hosted_url, expires_at}", matches(schemas.VerificationLink), some],
  verified: [
    "absent, pending, opened, approved or rejected {reason}",
    matches(schemas.VerificationStatus),
    ["absent", "pending", "opened", "approved", "rejected"]
  ],
  balances: ["a list of balances", matches(schemas.Balances), some],
  lines: ["{lines, cursor}", matches(schemas.AnyStatementPage), some],
  after: ["{events, cursor}", matches(AnyEventPage), some]
} as const satisfies Readonly<Record<string, Result>>

/** Names a valid result for the metrics: one of its method's `answers`. */
const nameAnswer = (value: unknown): string =>
  typeof value === "string" ? value : ((value as { readonly _tag?: string } | null)?._tag ?? some[0]!)

/** Makes a wrapper for the calls of one method, which counts and times them however they end. The series exist from the start. */
const makeMeter = (provider: string, call: string, answers: ReadonlyArray<string>) => {
  const duration = metrics.calling.of({ provider, call })
  const seriesOf = (answer: string): Series => metrics.calls.of({ provider, call, answer })
  const [fault, givenUp] = [seriesOf("fault"), seriesOf("given_up")]
  for (const answer of answers) seriesOf(answer)
  return <A>(ask: Effect.Effect<A, ProviderFault>): Effect.Effect<A, ProviderFault> =>
    Clock.clockWith((clock) => {
      const began = clock.monotonicTimeNanosUnsafe()
      return onExitSync(ask, (exit) => {
        duration.record(Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9)
        const ended = Exit.isSuccess(exit)
          ? seriesOf(nameAnswer(exit.value))
          : Cause.hasInterruptsOnly(exit.cause)
            ? givenUp
            : fault
        ended.record(1)
      })
    })
}

const event = Schema.decodeUnknownOption(ProviderEvent)

/** Decodes a provider event. `undefined` for another value, whatever its static type. */
export const decodeEvent = (value: unknown): ProviderEvent | undefined => Option.getOrUndefined(event(value))

/** The methods that requests ask, as the history names them. */
const askedOperations: { readonly [method: string]: AskedOperation } = {
  screen: "screen",
  resolveAccount: "resolve_account",
  resolveProxy: "resolve_proxy",
  banks: "banks",
  instruct: "instruct",
  start: "start_verification"
}

const isLine = matches(schemas.StatementLine)

/** Makes an unreadable statement line safe to show, by leaving out the details of the payer (DEPOSIT-14). */
const redactPayer = (value: unknown): Json =>
  JSON.parse(
    JSON.stringify(value, (name, member: unknown) =>
      name === "sender" ? undefined : typeof member === "bigint" ? String(member) : member
    ) ?? "null"
  )

/** Moves the invalid lines of a page to its `unreadable` ones. */
const keepReadableLines = ({ lines, unreadable = [], ...page }: StatementPage): StatementPage => {
  const others = [...unreadable, ...lines.filter((line) => !isLine(line)).map(redactPayer)]
  return { ...page, lines: lines.filter(isLine), ...(others.length === 0 ? {} : { unreadable: others }) }
}

/** How long the stand-in for a verification page would last, milliseconds. */
const dayMs = 24 * 3_600_000

/**
 * What a dry run takes for the answer to a command that has an effect, which no provider is then asked (DRYRUN-3): an account that nobody
 * can pay to, a page that does not exist, and a screening that clears. `now`: epoch milliseconds. The other commands are no
 * request's, and come from jobs alone. `text`: what stands for each member of an account.
 */
const standIns: { readonly [method: string]: (now: number, text: string) => unknown } = {
  screen: () => "cleared" satisfies schemas.ScreeningResult,
  instruct: (_now, text) =>
    ({
      accountName: text,
      accountNumber: text,
      bankName: text,
      bankCode: text,
      depositReference: text
    }) satisfies schemas.PaymentInstruction,
  start: (now) =>
    ({
      hosted_url: "https://dry-run.invalid/not-asked",
      expires_at: now + dayMs
    }) satisfies schemas.VerificationLink
}

/** Calls a method of a provider. In a dry run, a method with an effect is not called: the run records that, and gets a stand-in. */
const askUnlessDry = <A>(
  provider: string,
  method: string,
  operation: AskedOperation,
  ask: Effect.Effect<A, ProviderFault>
): Effect.Effect<A, ProviderFault> => {
  const standIn = standIns[method]
  if (standIn === undefined) return ask
  return Effect.withFiber((fiber) => {
    const dryRun = fiber.getRef(DryRun)
    if (dryRun === undefined) return ask
    dryRun.not_asked.push({ provider, operation })
    return Effect.map(Clock.currentTimeMillis, (now) => standIn(now, standInText(dryRun)) as A)
  })
}

type Method<Input, A> = (input: Input) => Effect.Effect<A, ProviderFault>

const readableLines =
  (lines: Method<string | null, StatementPage>): Method<string | null, StatementPage> =>
  (after) =>
    Effect.map(lines(after), keepReadableLines)

/** The ids in the input of a call. Its other members are not for spans. */
const readInputIds = (input: unknown) => {
  const { id, resource_id } = (typeof input === "object" && input !== null ? input : {}) as Partial<PayoutCommand>
  return { "corridor.command_id": id, "corridor.resource_id": resource_id }
}

/** The provider's idempotency key in the input of a call. */
const readIdempotencyKey = (input: unknown): string | null => {
  const { id, screening_id } = (typeof input === "object" && input !== null ? input : {}) as {
    readonly id?: string
    readonly screening_id?: string
  }
  return id ?? screening_id ?? null
}

/** Wraps a provider so that its results are validated, and each call has a span. It has the same capabilities. */
export const wrapProvider = (provider: Provider["Service"]): Provider["Service"] => {
  /** `call`: its name in metrics. `as`: the key of the result, where a method's name has several. */
  const checkCalls = <Input, A>(
    call: string,
    name: string,
    method: Method<Input, A>,
    as = name as keyof typeof results
  ): Method<Input, A> => {
    const [expected, isValid, answers] = results[as]
    const { admission } = provider
    const ask = (input: Input) =>
      admission === undefined
        ? method(input)
        : Effect.andThen(
            admission,
            Effect.suspend(() => method(input))
          )
    const check = makeValidatedCall(`the provider ${provider.name}`, name, expected, isValid)
    const meter = makeMeter(provider.name, call, answers)
    const operation = askedOperations[name]
    return (input) => {
      const answer = runInSpan(
        () => ({
          name: `corridor.provider.${name}`,
          kind: "client",
          attributes: { "corridor.provider": provider.name, ...readInputIds(input) }
        }),
        () => meter(check(() => ask(input)))
      )
      if (operation === undefined) return answer
      const asked = recordAnswer(
        { provider: provider.name, operation, command: readIdempotencyKey(input), answerOf: nameAnswer },
        answer
      )
      return askUnlessDry(provider.name, name, operation, asked)
    }
  }
  const { admission, payouts, payins, directory, screening, verification, liquidity, events } = provider
  // A provider that may not be used yet takes no submissions: they wait, and nothing is unknown.
  const ready = provider.ready ?? (admission === undefined ? undefined : () => Effect.succeed(true))
  const withdrawn = Effect.suspend(() =>
    Effect.fail(new ProviderFault({ message: `the provider ${provider.name} reports no statements any more` }))
  )
  let reported: Statements | undefined
  return {
    ...provider,
    // These may change while the provider runs.
    get manifest() {
      return provider.manifest
    },
    get statements() {
      if (provider.statements === undefined) return undefined
      return (reported ??= {
        balances: checkCalls("balances", "balances", () => provider.statements?.balances ?? withdrawn)(undefined),
        lines: readableLines(
          checkCalls("statement", "lines", (after: string | null) => provider.statements?.lines(after) ?? withdrawn)
        )
      })
    },
    ...(ready && { ready: checkCalls("ready", "ready", ready) }),
    ...(payouts && {
      payouts: {
        submit: checkCalls("payout_submit", "submit", payouts.submit),
        lookup: checkCalls("payout_lookup", "lookup", payouts.lookup),
        ...(payouts.serves && { serves: checkCalls("payout_serves", "serves", payouts.serves) })
      }
    }),
    ...(liquidity && {
      liquidity: {
        submit: checkCalls("conversion_submit", "submit", liquidity.submit),
        lookup: checkCalls("conversion_lookup", "lookup", liquidity.lookup)
      }
    }),
    ...(payins && {
      payins: {
        issue: checkCalls("issue", "issue", payins.issue),
        ...(payins.instruct && { instruct: checkCalls("instruct", "instruct", payins.instruct) }),
        refund: checkCalls("refund_submit", "refund", payins.refund, "submit"),
        lookupRefund: checkCalls("refund_lookup", "lookupRefund", payins.lookupRefund, "lookup")
      }
    }),
    ...(directory && {
      directory: {
        banks: checkCalls("banks", "banks", directory.banks),
        resolveAccount: checkCalls("resolve_account", "resolveAccount", directory.resolveAccount),
        resolveProxy: checkCalls("resolve_proxy", "resolveProxy", directory.resolveProxy)
      }
    }),
    ...(screening && { screening: { screen: checkCalls("screen", "screen", screening.screen) } }),
    ...(verification && {
      verification: {
        start: checkCalls("verification_start", "start", verification.start),
        lookup: checkCalls("verification_lookup", "lookup", verification.lookup, "verified")
      }
    }),
    ...(events && {
      events: { ...events, ...(events.after && { after: checkCalls("events", "after", events.after) }) }
    })
  }
}

const isMinorUnits = (value: unknown): value is string => typeof value === "string" && /^\d{1,38}$/.test(value)
const isShare = (value: unknown): boolean => typeof value === "string" && /^0(\.\d{1,40})?$/.test(value)
const isFees = (value: unknown): boolean => {
  const fees = value as Partial<Fees> | null | undefined
  return isShare(fees?.gateway) && isMinorUnits(fees?.network)
}
const isRange = (value: unknown): boolean => {
  const { minimum, maximum } = (value ?? {}) as Partial<Range>
  const isBound = (bound: unknown): boolean => bound === null || isMinorUnits(bound)
  if (!isBound(minimum) || !isBound(maximum)) return false
  return typeof minimum !== "string" || typeof maximum !== "string" || BigInt(minimum) <= BigInt(maximum)
}

export const wrapPricing = (pricing: Pricing["Service"]): Pricing["Service"] => {
  const port = "the pricing policy"
  const fees = makeValidatedCall(
    port,
    "fees",
    "{gateway: a decimal in [0, 1), network: minor units, 0 or more}",
    isFees
  )
  const outbound = makeValidatedCall(
    port,
    "outbound",
    "{minimum, maximum}: minor units or null, in this order",
    isRange
  )
  return {
    fees: (request) => fees(() => pricing.fees(request)),
    outbound: (currency, network) => outbound(() => pricing.outbound(currency, network))
  }
}

/** Replaces the given ports by validated ones. */
export const checkedPorts: Layer.Layer<Providers | Rates | Pricing, never, Providers | Rates | Pricing> =
  Layer.effectContext(
    Effect.gen(function* () {
      const { keysByName, all } = yield* Providers
      return Context.make(Providers, Providers.from(all.map(wrapProvider), keysByName)).pipe(
        Context.add(Rates, validateRates("the rate source", yield* Rates)),
        Context.add(Pricing, wrapPricing(yield* Pricing))
      )
    })
  )
