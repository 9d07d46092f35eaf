/** External accounts: the places where money really is (EXTERNAL-1, EXTERNAL-2). */
import { Clock, Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { parseExactAmount } from "../../../machines/kernel/money.ts"
import {
  type PlaceIdentifier,
  ExternalAccount,
  type ExternalAccountData,
  type ExternalAccountEvent,
  externalAccountKinds,
  externalAccountUses,
  type OpeningBalance
} from "../../../machines/reconciliation/external-account.ts"
import { checkVersion } from "../../calls/list.ts"
import { awaitAnswer } from "../../calls/provider-call.ts"
import { readAllRows, makeReads } from "../../calls/reads.ts"
import type { Call } from "../../commit/call.ts"
import { type ChangeSet, type KeyScope, takeReleasedKey } from "../../commit/changeset.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { begin } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { addressFault } from "../../input/addresses.ts"
import { ibanFault } from "../../input/bank-accounts.ts"
import { inCurrency, makeWordFilter } from "../../input/members.ts"
import { findProviderKey, requireOnNetwork } from "../../input/field-checks.ts"
import { findCurrency } from "../../input/amounts.ts"
import {
  CalendarDate,
  CurrencyCode,
  describe,
  listing,
  note,
  Optional,
  SignedAmount,
  Text
} from "../../input/schemas.ts"
import {
  DuplicateResource,
  type InvalidInput,
  invalid,
  InvalidStatus,
  InvariantViolation,
  type StorageFault
} from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { type Provider, Providers } from "../../ports/Provider.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { type Currency, requireCurrency, displayAmount } from "../../reference/currencies.ts"
import { networkOf, wordOf } from "../../representations/members.ts"
import {
  externalAccountBody,
  externalAccountKind,
  externalAccountStatuses,
  identifierScheme,
  usesOf
} from "../../representations/reconciliation/external-account.ts"
import { beginMatching, scheduleMatchingAgain } from "./matching-state.ts"
import { stepRoster } from "./statement-roster.ts"
import { findFeedPosition, makeFirstReading } from "./provider-statement.ts"
import { toCanonicalTarget } from "../deposits/payin-target.ts"

export const ExternalAccountKind: ResourceKind<ExternalAccountData, ExternalAccountEvent> = {
  kind: "external_account",
  prefix: "xac",
  lifecycle: ExternalAccount,
  indexKeys: ({ currency, kind, provider }) => [`provider=${provider}`, `currency=${currency}`, `kind=${kind}`],
  auditView: ({ data: { currency, identifiers, kind, opening, provider, time_zone, uses } }) => ({
    provider,
    currency,
    kind,
    identifiers: identifiers.map(({ network, scheme, value }) => ({ scheme, value: shortenNumber(value), network })),
    opening: { ...opening, balance: displayAmount(opening.balance, currency) },
    time_zone,
    uses
  })
}

/** Shortens an account number for the audit log. */
const shortenNumber = (value: string): string => `…${value.slice(-4)}`

/** An identifier of an active account belongs to that account, in its currency. */
const identifierScope: KeyScope = { name: "external_account", taken: "decide_again" }

const Identifier = Schema.Struct({
  scheme: identifierScheme,
  value: describe(Text(128), "What statements call the account.", "DE89370400440532013000"),
  network: Optional(networkOf("Of an `address`: its network."))
}).annotate({ identifier: "CreatePlaceIdentifier" })

const OpeningIn = Schema.Struct({
  date: describe(CalendarDate, "The first day of the account in these books.", "2026-01-01"),
  balance: describe(
    SignedAmount,
    "What was in the account when that day began. It may be below zero.",
    "25000.00",
    "-12.50"
  )
}).annotate({ identifier: "CreateOpeningBalance" })
const opening = describe(OpeningIn, "What was in the account before Corridor counted.", {
  date: "2026-01-01",
  balance: "25000.00"
})

const identifiersIn = describe(
  Schema.Array(Identifier),
  "What statements call the account: 1 to 20. A bank's account takes `iban`, `bban` and `account_number`, a chain's `address`.",
  [{ scheme: "iban", value: "DE89370400440532013000" }]
)
const timeZoneIn = describe(Text(64), "The time zone of its days, of the IANA database.", "Europe/Berlin")
const usesIn = usesOf("What goes through it. Default: both.")

export const CreateExternalAccount = Schema.Struct({
  provider: describe(Text(64), "The provider whose `world` account it mirrors, in its currency.", "simulated"),
  currency: describe(CurrencyCode, "The currency of the account.", "EUR"),
  kind: externalAccountKind,
  identifiers: identifiersIn,
  opening,
  time_zone: timeZoneIn,
  uses: Optional(usesIn),
  note
}).annotate({ identifier: "CreateExternalAccount" })
export type CreateExternalAccount = typeof CreateExternalAccount.Type

export const UpdateExternalAccount = Schema.Struct({
  identifiers: Optional(identifiersIn),
  opening: Optional(opening),
  time_zone: Optional(timeZoneIn),
  uses: Optional(usesIn),
  status: Optional(wordOf(externalAccountStatuses, "`closed` ends its use, `active` begins it again.")),
  note
}).annotate({ identifier: "UpdateExternalAccount" })
export type UpdateExternalAccount = typeof UpdateExternalAccount.Type

export const ListExternalAccounts = Schema.Struct({
  provider: Optional(Schema.String, "Only those of this provider.", "simulated"),
  currency: inCurrency,
  kind: makeWordFilter(externalAccountKinds, "kind"),
  identifiers: Optional(Schema.String, "Only those that have an identifier with this value.", "DE89370400440532013000"),
  time_zone: Optional(Schema.String, "Only those of this time zone.", "Europe/Berlin"),
  uses: makeWordFilter(externalAccountUses, "use"),
  status: makeWordFilter(externalAccountStatuses, "status"),
  ...listing
})
export type ListExternalAccounts = typeof ListExternalAccounts.Type

const makeDeps = Effect.gen(function* () {
  const { get, list } = yield* makeReads(ExternalAccountKind, ListExternalAccounts, externalAccountBody, [
    "identifiers",
    "time_zone",
    "uses"
  ])
  return {
    unitOfWork: yield* UnitOfWork,
    storage: yield* Storage,
    providers: yield* Providers,
    ids: yield* Ids,
    get,
    list
  }
})
type Deps = Effect.Success<typeof makeDeps>

/** Errors: `InvalidInput` for an identifier that does not fit the account, or that it has twice. */
const checkIdentifiers = Effect.fnUntraced(function* (
  kind: ExternalAccountData["kind"],
  currency: Currency,
  given: CreateExternalAccount["identifiers"]
): Effect.fn.Return<ReadonlyArray<PlaceIdentifier>, InvalidInput> {
  if (given.length < 1 || given.length > 20)
    return yield* invalid("identifiers", `identifiers has ${given.length} entries; it takes 1 to 20.`)
  const identifiers: Array<PlaceIdentifier> = []
  for (const [at, { network, scheme, value }] of given.entries()) {
    const name = `identifiers.${at}`
    if ((scheme === "address") !== (kind === "chain"))
      return yield* invalid(
        `${name}.scheme`,
        `${name}.scheme is ${scheme}. An account of kind ${kind} takes ${kind === "chain" ? "address" : "iban, bban or account_number"}.`
      )
    if (scheme !== "address" && network !== undefined)
      return yield* invalid(`${name}.network`, `${name}.network is of an address; ${scheme} takes none.`)
    if (scheme === "address") {
      if (network === undefined) return yield* invalid(`${name}.network`, `${name}.network is required for an address.`)
      yield* requireOnNetwork(`${name}.network`, currency, network)
    }
    const written = scheme === "iban" ? value.replaceAll(" ", "").toUpperCase() : value.trim()
    const fault = scheme === "iban" ? ibanFault(written) : scheme === "address" ? addressFault(network!, written) : null
    if (fault !== null) return yield* invalid(`${name}.value`, `${name}.value is ${JSON.stringify(value)}: ${fault}.`)
    const identifier = { scheme, value: written, network: network ?? null }
    if (
      identifiers.some((one) => makeIdentifierKey(one, currency.code) === makeIdentifierKey(identifier, currency.code))
    )
      return yield* invalid(name, `${name} repeats ${JSON.stringify(value)}.`)
    identifiers.push(identifier)
  }
  return identifiers
})

/** All accounts of a provider and a currency, the first made first. */
export const readMirrors = (
  { storage }: { readonly storage: Storage["Service"] },
  { currency, provider }: Pick<ExternalAccountData, "currency" | "provider">
) =>
  Effect.map(
    readAllRows(
      storage,
      {
        merchant_id: PLATFORM_MERCHANT,
        kinds: [ExternalAccountKind.kind],
        index_keys: [`provider=${provider}`, `currency=${currency}`]
      },
      () => true
    ),
    (rows) => (rows as ReadonlyArray<Row<ExternalAccountData>>).toReversed()
  )

/** The addresses among identifiers that are not the provider's. One that cannot say it now has none. */
export const listForeign = (provider: Provider["Service"], identifiers: ReadonlyArray<PlaceIdentifier>) =>
  Effect.filter(identifiers, ({ network, value }) =>
    network === null || provider.addresses === undefined
      ? Effect.succeed(false)
      : awaitAnswer("whether an address is its own", provider, provider.addresses.owns(network, value)).pipe(
          Effect.map((isOwn) => !isOwn),
          Effect.orElseSucceed(() => false)
        )
  )

/** Errors: `InvalidInput` for an address that is not the provider's: no statement would be of it. */
const checkOwn = Effect.fnUntraced(function* (
  { providers }: Pick<Deps, "providers">,
  key: string,
  identifiers: ReadonlyArray<PlaceIdentifier>
): Effect.fn.Return<void, InvalidInput> {
  const provider = providers.byName(key)
  const [foreign] = provider === undefined ? [] : yield* listForeign(provider, identifiers)
  if (provider?.addresses === undefined || foreign === undefined) return
  const place = `identifiers.${identifiers.indexOf(foreign)}.value`
  const hot = Option.getOrElse(
    Option.map(yield* Effect.option(provider.addresses.hot_wallet), (address) => `, ${address}`),
    () => ""
  )
  return yield* invalid(
    place,
    `${place} is ${JSON.stringify(foreign.value)}, which is no address of ${provider.name} on ${foreign.network}. It takes its hot wallet${hot}, or a deposit address that it issued: the account's statement is of all of them.`
  )
})

const makeIdentifierKey = ({ network, scheme, value }: PlaceIdentifier, currency: string): string =>
  `${currency}/${network ?? scheme}/${toCanonicalTarget(value)}`

/** Errors: `InvalidInput` for an amount with more decimals than the ledger keeps. */
const decodeOpening = Effect.fnUntraced(function* (
  { code, ledger_scale }: Currency,
  { balance, date }: CreateExternalAccount["opening"]
): Effect.fn.Return<OpeningBalance, InvalidInput> {
  const [, fraction = ""] = balance.split(".")
  if (fraction.replace(/0+$/, "").length > ledger_scale)
    return yield* invalid(
      "opening.balance",
      `opening.balance is ${JSON.stringify(balance)}. It takes at most ${ledger_scale} decimals in ${code}.`
    )
  const minor = parseExactAmount(balance.replace("-", ""), ledger_scale)
  return { date, balance: (balance.startsWith("-") ? -minor : minor).toString() }
})

const checkZone = (zone: string): Effect.Effect<string, InvalidInput> =>
  Option.isSome(DateTime.zoneMakeNamed(zone))
    ? Effect.succeed(zone)
    : Effect.fail(
        invalid(
          "time_zone",
          `time_zone is ${JSON.stringify(zone)}. It takes a name of the IANA database such as Africa/Lagos.`
        )
      )

const checkUses = (
  uses: ExternalAccountData["uses"] = ["payouts", "payins"]
): Effect.Effect<ExternalAccountData["uses"], InvalidInput> =>
  uses.length === 0 || new Set(uses).size < uses.length
    ? Effect.fail(invalid("uses", "uses is a list of payouts, payins or both, each once."))
    : Effect.succeed(uses)

/** Errors: `DuplicateResource` for an identifier of another active account. */
const takeIdentifiers = Effect.fnUntraced(function* (
  { storage }: Deps,
  id: string,
  currency: string,
  identifiers: ReadonlyArray<PlaceIdentifier>
): Effect.fn.Return<ReadonlyArray<ChangeSet>, DuplicateResource | StorageFault> {
  const taken: Array<ChangeSet> = []
  for (const identifier of identifiers) {
    const key = makeIdentifierKey(identifier, currency)
    const found = yield* takeReleasedKey<ExternalAccountData>(
      storage,
      identifierScope,
      key,
      { merchant_id: PLATFORM_MERCHANT, kind: ExternalAccountKind.kind, id },
      ({ data, state }) =>
        state === "active" && data.identifiers.some((one) => makeIdentifierKey(one, data.currency) === key)
    )
    if ("id" in found)
      return yield* new DuplicateResource({
        message: `The ${identifier.scheme} ${JSON.stringify(identifier.value)} in ${currency} belongs to external account ${found.id}, which is active.`
      })
    taken.push(found)
  }
  return taken
})

/**
 * Creates an account. The first of a provider and a currency has the payouts and pay-ins that name no account.
 *
 * Errors: `InvalidInput` for an unknown provider or time zone, and for an identifier that does not fit; `NotFound` for an unknown currency;
 * `DuplicateResource` for an identifier of another active account in its currency.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateExternalAccount) {
  const { ids, providers, unitOfWork } = deps
  const provider = yield* findProviderKey(providers, "provider", input.provider)
  const currency = yield* findCurrency(input.currency)
  const data: ExternalAccountData = {
    provider,
    currency: currency.code,
    kind: input.kind,
    identifiers: yield* checkIdentifiers(input.kind, currency, input.identifiers),
    opening: yield* decodeOpening(currency, input.opening),
    time_zone: yield* checkZone(input.time_zone),
    uses: yield* checkUses(input.uses)
  }
  yield* checkOwn(deps, provider, data.identifiers)
  const id = yield* ids.make(ExternalAccountKind.prefix)
  return yield* unitOfWork.write({ ...call, merchant_id: PLATFORM_MERCHANT }, function* () {
    const taken = yield* takeIdentifiers(deps, id, data.currency, data.identifiers)
    const at = yield* Clock.currentTimeMillis
    const made = yield* begin(ExternalAccountKind, { merchant_id: PLATFORM_MERCHANT, id }, data, at)
    const matching = yield* beginMatching(id, data.opening.date, at)
    // The books of the side may begin earlier by it.
    const runs = yield* Effect.forEach(yield* readMirrors(deps, data), (one) => scheduleMatchingAgain(deps, one.id, at))
    const reading = { jobs: [makeFirstReading(made.row, at)] }
    return {
      changes: [made.changes, ...taken, matching, ...runs.flat(), reading],
      result: externalAccountBody(made.row)
    }
  })
})

const chooseAccountEvent = ({ state }: Row, status: UpdateExternalAccount["status"]): ExternalAccountEvent["type"] =>
  status === undefined || status === state ? "update" : status === "closed" ? "close" : "reopen"

/**
 * Refuses that an account goes on where another one has read the feed since: what moved meanwhile is in the balances of that one, and in none
 * of its own (INGEST-7). Where the feed states no balances, it may.
 */
const checkFeed = Effect.fnUntraced(function* (deps: Deps, { data, id }: Row<ExternalAccountData>) {
  const { held, reader } = yield* findFeedPosition(deps.storage, yield* readMirrors(deps, data))
  if (held !== null && reader !== id)
    return yield* new InvalidStatus({
      message: `${reader} has read the statement of ${data.provider} since external account ${id} was closed, so ${id} has no balances of that time. Create an external account whose opening is what is there now.`
    })
})

/** Errors: `InvalidStatus` for an account that is closed. */
export const checkActive = ({ id, state }: Row<ExternalAccountData>): Effect.Effect<void, InvalidStatus> =>
  state === "closed"
    ? Effect.fail(new InvalidStatus({ message: `External account ${id} is closed. Set its status to active first.` }))
    : Effect.void

/**
 * Changes the given members. `status: "closed"` frees its identifiers, `active` takes them again.
 *
 * Errors: those of `create`; `NotFound`; `InvalidStatus` for other changes of a closed account, and for one that another has read on for; `Conflict` when `If-Match` does not match.
 */
const update = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, input: UpdateExternalAccount) {
  const { unitOfWork } = deps
  return yield* unitOfWork.write({ ...call, merchant_id: PLATFORM_MERCHANT }, function* () {
    const row = yield* unitOfWork.load(ExternalAccountKind, PLATFORM_MERCHANT, id)
    yield* checkVersion(call, String(row.version))
    const currency = requireCurrency(row.data.currency)
    const type = chooseAccountEvent(row, input.status)
    if (type === "update") yield* checkActive(row)
    if (type === "reopen") yield* checkFeed(deps, row)
    const patch = {
      ...(input.identifiers === undefined
        ? {}
        : { identifiers: yield* checkIdentifiers(row.data.kind, currency, input.identifiers) }),
      ...(input.opening === undefined ? {} : { opening: yield* decodeOpening(currency, input.opening) }),
      ...(input.time_zone === undefined ? {} : { time_zone: yield* checkZone(input.time_zone) }),
      ...(input.uses === undefined ? {} : { uses: yield* checkUses(input.uses) })
    }
    if (patch.identifiers !== undefined) yield* checkOwn(deps, row.data.provider, patch.identifiers)
    const held = new Set(
      row.state === "active" ? row.data.identifiers.map((one) => makeIdentifierKey(one, currency.code)) : []
    )
    const wanted = (patch.identifiers ?? row.data.identifiers).filter(
      (one) => !held.has(makeIdentifierKey(one, currency.code))
    )
    const taken = type === "close" ? [] : yield* takeIdentifiers(deps, id, currency.code, wanted)
    const at = yield* Clock.currentTimeMillis
    const next = yield* unitOfWork.step(ExternalAccountKind, row, { type, patch }, at)
    if (next === undefined) throw new InvariantViolation(`external account ${id} takes ${type} when ${row.state}`)
    const isCounted = patch.opening !== undefined || patch.time_zone !== undefined
    // What names no account may go through another of them by now. A run of any of them that decides by former settings begins again.
    const isMatched = isCounted || type !== "update" || patch.uses !== undefined
    const runs = yield* Effect.forEach(isMatched ? yield* readMirrors(deps, row.data) : [], (one) =>
      scheduleMatchingAgain(deps, one.id, at)
    )
    const begun = [...runs.flat(), ...(type === "reopen" ? [{ jobs: [makeFirstReading(next.row, at)] }] : [])]
    // A close of a day is before this change, or after it.
    const roster = isCounted ? [yield* stepRoster(deps, id, () => ({}), at)] : []
    return { changes: [next.changes, ...taken, ...begun, ...roster], result: externalAccountBody(next.row) }
  })
})

const get = ({ get }: Deps, call: Call, id: string) => get({ ...call, merchant_id: PLATFORM_MERCHANT }, id)

const list = ({ list, providers }: Deps, call: Call, input: ListExternalAccounts) =>
  list(
    { ...call, merchant_id: PLATFORM_MERCHANT },
    input.provider === undefined ? input : { ...input, provider: providers.keyOf(input.provider) }
  )

export class ExternalAccounts extends Context.Service<ExternalAccounts>()("corridor/engine/ExternalAccounts", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { create, get, list, update }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
