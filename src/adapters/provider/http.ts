/**
 * A provider behind a connector: a small HTTP server of a bank or a payment company that speaks the provider protocol
 * (`docs/provider-protocol.md`).
 */
import { Effect, Layer, Option, Result, Schema } from "effect"
import { formerlyFault, findBooksKey, readRegistry } from "../../engine/ports/provider-registry.ts"
import { checkOptions, type TakesOf } from "../../engine/input/options.ts"
import { adapter, type ProviderAdapter } from "../../engine/ports/adapter.ts"
import { ProviderFault, type StorageFault } from "../../engine/ports/errors.ts"
import { Ids } from "../../engine/ports/Ids.ts"
import type { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import {
  type Destination,
  type Offer,
  Provider,
  type StatementLine,
  type Statements
} from "../../engine/ports/Provider.ts"
import type { Storage } from "../../engine/ports/Storage.ts"
import { wallNow } from "../../engine/ports/Time.ts"
import { currentTraceparent } from "../../engine/ports/tracing.ts"
import { type Client, makeClient, listSecrets, settingsFault } from "../../protocol/client.ts"
import { Event } from "../../protocol/events.ts"
import { Cursor, formatInstant } from "../../protocol/fields.ts"
import { readEvent } from "../../protocol/messages.ts"
import {
  type InputOf,
  type Operation,
  operations,
  type ResultOf,
  type StatedInputOf
} from "../../protocol/operations.ts"
import { StatementLine as Line, StatementPage } from "../../protocol/results.ts"
import { siftLists } from "../../protocol/sifting.ts"
import { makeTransport } from "../../protocol/transport.ts"
import { openBooks } from "./books.ts"
import { makeBanks } from "./http/banks.ts"
import { keepManifest } from "./http/manifest.ts"
import * as results from "./http/results.ts"

export interface HttpProviderOptions {
  /**
   * The provider's name: lower-case letters, digits, `-` and `_`, at most 40, first a letter. It is in `/providers/<name>/events`,
   * in the ledger, and in the ids of banks. A renamed one says its earlier names in `formerly`.
   */
  readonly name: string
  /**
   * Earlier names of the same provider: the pay-ins, commands and accounts that the store has under them stay its own. An empty
   * list: it never had one.
   */
  readonly formerly?: ReadonlyArray<string>
  /** The base URL of the connector: HTTPS, or HTTP to a loopback address. */
  readonly url: string
  /** The shared secret, `whsec_…`. During a rotation: the new and the old one. */
  readonly secret: string | ReadonlyArray<string>
  /** The longest wait for an answer, to its last byte. Default: 15,000. */
  readonly timeout_ms?: number
  /** What the connector serves, until it has told so once. Default: nothing. */
  readonly offers?: ReadonlyArray<Offer>
  /** The pause between two reads of the manifest. Default: 60,000. */
  readonly manifest_interval_ms?: number
  /** The pause between two reads of the events. Default: 30,000. */
  readonly events_interval_ms?: number
}

/** The longest wait for the manifest at startup. */
const STARTUP_TIMEOUT_MS = 3000

const namePattern = /^[a-z][a-z0-9_-]{0,39}$/

const EventPage = Schema.Struct({ events: Schema.Array(Schema.Unknown), cursor: Cursor })
const pageIn = Schema.decodeUnknownOption(EventPage)
const eventIn = Schema.decodeUnknownOption(Event)
const statementIn = Schema.decodeUnknownOption(StatementPage)
const lineIn = Schema.decodeUnknownOption(Line)

const takes: TakesOf<HttpProviderOptions> = {
  name: "any",
  formerly: "any",
  url: "any",
  secret: "any",
  timeout_ms: "any",
  offers: "object?",
  manifest_interval_ms: "any",
  events_interval_ms: "any"
}

const makeConnectorFault = (provider: string, what: string, cause?: unknown): ProviderFault =>
  new ProviderFault({ message: `${provider}: ${what}`, ...(cause === undefined ? {} : { cause }) })

/** Makes the members of a request to a connector: those members of a port's command that the operation has, null where the command has none. */
const toOperationInput = <O extends Operation>(operation: O, members: StatedInputOf<O>): InputOf<O> =>
  Schema.decodeUnknownSync(operations[operation].input as Schema.Codec<InputOf<O>, StatedInputOf<O>>)(members)

/**
 * Calls an operation and takes a definite result. Everything else is a `ProviderFault`: no valid answer, `conflict`,
 * `unsupported`, and a command that the protocol cannot express.
 */
const makeAsker =
  (provider: string, { call }: Client) =>
  <O extends Operation>(
    operation: O,
    id: string | null,
    members: StatedInputOf<O>
  ): Effect.Effect<Exclude<ResultOf<O>, results.Refused>, ProviderFault> => {
    const what = id === null ? operation : `${operation} ${id}`
    return Effect.suspend(() => call(operation, id, toOperationInput(operation, members))).pipe(
      Effect.mapError(({ reason, message }) => makeConnectorFault(provider, `${what} (${reason}): ${message}`)),
      Effect.catchDefect((cause) => Effect.fail(makeConnectorFault(provider, `${what} cannot be sent`, cause))),
      Effect.flatMap((result) =>
        "status" in result && (result.status === "unsupported" || result.status === "conflict")
          ? Effect.fail(makeConnectorFault(provider, `${what} returned ${result.status}`))
          : Effect.succeed(result as Exclude<ResultOf<O>, results.Refused>)
      )
    )
  }

const makeProvider = Effect.fnUntraced(function* (options: HttpProviderOptions) {
  const { name, url, secret, timeout_ms, offers = [], manifest_interval_ms = 60_000, events_interval_ms } = options
  const secrets = listSecrets(secret)
  const ids = yield* Ids
  const request_id = ids.make("req")
  const settings = { url, secrets, now: wallNow, request_id, traceparent: currentTraceparent }
  const client = siftLists(makeClient({ ...settings, transport: yield* makeTransport({ timeout_ms }) }))
  const startup = makeClient({ ...settings, transport: yield* makeTransport({ timeout_ms: STARTUP_TIMEOUT_MS }) })
  const ask = makeAsker(name, client)
  /** A page of a list whose items are read one by one. */
  const listed = <O extends "events" | "statements", Page>(
    operation: O,
    input: InputOf<O>,
    pageOf: (result: unknown) => Option.Option<Page>
  ): Effect.Effect<Page, ProviderFault> =>
    client.callUnchecked(operation, null, input).pipe(
      Effect.mapError(({ reason, message }) => makeConnectorFault(name, `${operation} (${reason}): ${message}`)),
      Effect.flatMap((result) =>
        Option.match(pageOf(result), {
          onNone: () => {
            const { status } = (result ?? {}) as { readonly status?: unknown }
            const what = status === "unsupported" ? status : `no page of ${operation}`
            return Effect.fail(makeConnectorFault(name, `${operation} returned ${what}`))
          },
          onSome: (page) => Effect.succeed(page)
        })
      )
    )

  /** Its records are under the first name that it had in the store. */
  const key = findBooksKey(yield* readRegistry, options)
  const books = yield* openBooks(key)
  const { present, stated } = yield* keepManifest(
    key,
    books,
    makeAsker(name, startup)("manifest", null, {}),
    manifest_interval_ms
  )
  const offersOf = (): ReadonlyArray<Offer> => {
    const manifest = present()
    return manifest === undefined ? offers : results.toManifest(manifest.offers).offers
  }
  const allBanks = makeBanks(
    key,
    books,
    Effect.map(ask("banks", null, { country_code: null }), ({ banks }) => banks),
    wallNow
  )
  const banks = Effect.suspend(() =>
    offersOf().some(({ operation }) => operation === "directory") ? allBanks : Effect.succeed([])
  )
  /** The command with the code of the bank: movements of earlier releases name it by its id, which the connector does not know. */
  const withBankCode = <C extends { readonly destination: Destination }>(
    command: C
  ): Effect.Effect<C, ProviderFault> => {
    const { destination } = command
    return destination.type === "crypto" || destination.provider_id === null || destination.bank_code !== undefined
      ? Effect.succeed(command)
      : Effect.map(banks, (all) => ({
          ...command,
          destination: { ...destination, bank_code: all.find(({ id }) => id === destination.provider_id)?.code ?? null }
        }))
  }

  const statements: Statements = {
    balances: Effect.map(ask("balances", null, {}), ({ balances }) => balances),
    lines: (after) =>
      listed("statements", { after }, statementIn).pipe(
        Effect.map(({ lines, cursor }) => ({
          // One that is unreadable goes on as it is: it does not hide the others.
          lines: lines.map((one) =>
            Option.match(lineIn(one), { onNone: () => one as StatementLine, onSome: results.toStatementLine })
          ),
          cursor: cursor ?? after
        }))
      )
  }

  return Provider.of({
    name,
    ...(options.formerly && { formerly: options.formerly }),
    identity: Effect.map(stated, ({ id }) => ({
      id: id === null ? null : `connector:${id}`,
      address: url.replace(/\/+$/, "")
    })),
    check: ask("manifest", null, {}).pipe(
      Effect.as([{ status: "ok" as const, sentence: `its connector at ${new URL(url).host} answers with a manifest` }]),
      Effect.catch(({ message }) => Effect.succeed([{ status: "fail" as const, sentence: message }]))
    ),
    get manifest() {
      return { offers: offersOf() }
    },
    payouts: {
      submit: (command) =>
        Effect.flatMap(withBankCode(command), (whole) =>
          Effect.map(ask("payout", command.id, whole), results.toPortResult)
        ),
      lookup: ({ id }) => Effect.map(ask("payout_status", id, {}), results.toPortResult)
    },
    liquidity: {
      submit: (command) => Effect.map(ask("conversion", command.id, command), results.toPortResult),
      lookup: ({ id }) => Effect.map(ask("conversion_status", id, {}), results.toPortResult)
    },
    payins: {
      issue: (command) => Effect.map(ask("issue", command.id, command), results.toIssueResult),
      instruct: (command) => {
        const expires_at = formatInstant(command.expires_at)
        return Effect.map(ask("instruction", command.id, { ...command, expires_at }), results.toInstruction)
      },
      refund: (command) => Effect.map(ask("refund", command.id, command), results.toPortResult),
      lookupRefund: ({ id }) => Effect.map(ask("refund_status", id, {}), results.toPortResult)
    },
    directory: {
      banks: (country_code) =>
        Effect.map(banks, (all) =>
          country_code === null ? all : all.filter((bank) => bank.country_code === country_code)
        ),
      resolveAccount: (account) =>
        Effect.flatMap(request_id, (id) => Effect.map(ask("resolve_account", id, account), results.toPortResult)),
      resolveProxy: (proxy) =>
        Effect.flatMap(request_id, (id) => Effect.map(ask("resolve_proxy", id, { proxy }), results.toPortResult))
    },
    screening: {
      screen: (command) =>
        Effect.flatMap(withBankCode(command), (whole) =>
          Effect.map(ask("screen", command.screening_id, whole), ({ status }) => status)
        )
    },
    verification: {
      start: (command) => Effect.map(ask("verification", command.id, command), results.toVerificationLink),
      lookup: ({ id }) => Effect.map(ask("verification_status", id, {}), results.toVerificationStatus)
    },
    get statements() {
      return results.hasStatements(present()?.offers) ? statements : undefined
    },
    events: {
      decode: (headers, body, bytes) =>
        Effect.map(wallNow, (now_ms) => {
          const read = readEvent({ headers, body: bytes ?? Buffer.from(body) }, { secrets, now_ms })
          if (read === undefined) return undefined
          return Result.match(read, { onSuccess: results.toPortEvent, onFailure: results.toUnreadableEvent })
        }),
      after: (cursor) =>
        present()?.events.readable === false
          ? Effect.succeed({ events: [], cursor: cursor ?? "" })
          : listed("events", { after: cursor === "" ? null : cursor }, pageIn).pipe(
              Effect.map(({ events, cursor }) => ({
                // The engine records one that is unreadable, and it does not hide the others.
                events: events.map((one) =>
                  Option.match(eventIn(one), {
                    onNone: () => results.toUnreadableEvent({ json: one, message: "" }),
                    onSome: results.toPortEvent
                  })
                ),
                cursor
              }))
            ),
      ...(events_interval_ms === undefined ? {} : { interval_ms: events_interval_ms })
    }
  })
})

/**
 * The layer of a connector's provider. It reads the manifest at startup, for at most three seconds, and every minute from then
 * on. While the connector does not respond, the last manifest applies, also after a restart; without one, `offers`.
 *
 * Errors: throws `TypeError` for invalid options.
 */
const layer = (options: HttpProviderOptions): Layer.Layer<Provider, StorageFault, Storage | Ids | JobNotifier> => {
  // Throws `TypeError` for options that cannot be used. The message names the provider and the member, never a
  // secret.
  checkOptions("httpProvider", options, takes)
  const { name, url, secret } = options
  if (!namePattern.test(name)) {
    throw new TypeError(
      `the name of a provider is ${JSON.stringify(name)}; it takes a lower-case letter and up to 39 letters, digits, - or _`
    )
  }
  const wrongNames = formerlyFault(options)
  if (wrongNames !== undefined) throw new TypeError(`provider ${name}: ${wrongNames}`)
  const fault = settingsFault({ url, secrets: listSecrets(secret) })
  if (fault !== null) throw new TypeError(`provider ${name}: ${fault}`)
  for (const member of ["timeout_ms", "manifest_interval_ms", "events_interval_ms"] as const) {
    const value = options[member]
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`provider ${name}: ${member} is ${String(value)}; it takes whole milliseconds, at least 1`)
  }
  return Layer.effect(Provider, makeProvider(options))
}

export const HttpProvider = { layer } as const

/**
 * A provider that is reached over HTTP, through its connector.
 *
 * Errors: throws `TypeError` for invalid options.
 */
export const httpProvider = (options: HttpProviderOptions): ProviderAdapter => adapter("provider", layer(options))
