/** Payouts from a wallet to the bank accounts of others: the commands of the engine, as Bridge is asked them. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandStatus, PayoutCommand, ProviderEvent, SubmissionResult } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { type ChainBooks, dataOf, entryKey } from "../chain/books.ts"
import type { CommandEntry, CompanyEntries } from "../company/entries.ts"
import { idempotencyKey } from "../company/idempotency.ts"
import {
  type CompanyCommand,
  type CompanySubmissions,
  type NotExecuted,
  type Posted,
  reject,
  type Seen
} from "../company/submissions.ts"
import type { BridgeCalls } from "./calls.ts"
import { alpha3 } from "./countries.ts"
import { amountOf, type ExpectedTransfer, mayBe, paymentDecimals, transferSeen, unitsOf } from "./mapping.ts"
import { type BridgeConfig, type BridgeCurrency, isRoutingNumber } from "./options.ts"

export interface BridgeParts {
  readonly key: string
  readonly config: BridgeConfig
  readonly books: ChainBooks
  readonly entries: CompanyEntries
  readonly submissions: CompanySubmissions
  readonly calls: BridgeCalls
}

/** A POST of a command, which every later one under its key repeats: under another body, Bridge would not know it again. */
interface StoredRequest {
  readonly account: string
  readonly currency: string
  readonly units: string
  readonly body: string
  /** Each key is of a round of its own. */
  readonly round: number
  /** When the key was first used, epoch milliseconds. */
  readonly keyed_at: number
  /** Whether Bridge has refused it, and nothing under its key can be executed any more. */
  readonly isVoid: boolean
}

/** A beneficiary's account at Bridge. One that Bridge has closed is made anew, as the next `generation`. */
interface StoredAccount {
  readonly id: string
  readonly generation: number
}

/** Bridge forgets a key after 24 hours. A request is not repeated later than this, milliseconds. */
const keyMs = 20 * 3_600_000
/** A transfer may be listed as made so long before its POST by our clock, milliseconds: one of the two clocks may be wrong. */
const clockSlackMs = 60 * 60_000

const unavailable: NotExecuted = { _tag: "unavailable" }

/** The text of the payment at the bank: SEPA and wires take 140 characters of these. */
const remittanceOf = ({ narration, statement_reference }: PayoutCommand): string =>
  `${statement_reference} ${narration ?? ""}`
    .replaceAll(/[^\w .,()+?:'/-]/g, " ")
    .slice(0, 140)
    .trim()

/** The bank account of a command, as Bridge takes it; or why it does not. */
const accountOf = ({ beneficiary, currency, destination }: PayoutCommand, config: BridgeConfig) => {
  if (destination.type !== "fiat") return "Bridge pays to bank accounts here"
  if (destination.rail !== null) return `Bridge does not offer the rail ${destination.rail}`
  const paid = config.currencies.find((one): one is BridgeCurrency => one === currency)
  if (paid === undefined) return `${currency} is not paid through Bridge here`
  const { account_name, account_number, bank_code, country_code } = destination
  const name = account_name ?? beneficiary.name
  const { city, country_code: home = "", line1, line2, postal_code, state } = beneficiary.address ?? {}
  const words = name.split(/\s+/)
  const owners = {
    individual: { first_name: words.slice(0, -1).join(" ") || name, last_name: words.at(-1) },
    business: { business_name: name }
  }
  const shared = {
    currency: paid.toLowerCase(),
    account_owner_name: name,
    ...(config.account_owner_type && {
      account_owner_type: config.account_owner_type,
      ...owners[config.account_owner_type]
    }),
    ...(line1 && {
      address: { street_line_1: line1, street_line_2: line2, city, state, postal_code, country: alpha3(home) }
    })
  }
  if (paid === "EUR") {
    const country = alpha3(account_number.slice(0, 2))
    if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(account_number) || country === undefined)
      return "Bridge pays EUR to an IBAN"
    return { ...shared, account_type: "iban", iban: { account_number, country } }
  }
  if (country_code !== "US") return "Bridge pays USD in US alone"
  if (!isRoutingNumber(bank_code ?? "")) return "Bridge takes the routing number of a bank with each account"
  const account = { account_number, routing_number: bank_code, checking_or_savings: "checking" }
  return { ...shared, account_type: "us", account }
}

/** What Bridge is asked for a command. */
const makeRequests = ({ books, calls, config, entries, key }: BridgeParts) => {
  const requestKey = (command_id: string) => entryKey("bridge_request", `${key}/${command_id}`)
  const requestOf = (command_id: string) => books.read<StoredRequest>(requestKey(command_id))

  /** Bridge's id of an account: the one that was made before, where it can still be paid. */
  const externalAccount = Effect.fnUntraced(function* (details: object) {
    const body = JSON.stringify(details)
    const digest = createHash("sha256").update(`${config.customer} ${body}`).digest("hex")
    const row = entryKey("bridge_account", `${key}/${digest}`)
    const known = yield* books.read<StoredAccount>(row)
    if (known !== undefined && (yield* calls.isActive(known.id))) return known.id
    const generation = known === undefined ? 0 : known.generation + 1
    // Within a day the same account is made once. On another day the key is worth nothing.
    const day = new Date(yield* wallNow).toISOString().slice(0, 10)
    const id = yield* calls.createAccount(idempotencyKey(`${digest}/${generation}/${day}`), body)
    if (typeof id !== "string") return id
    yield* books.amend([row], () => ({
      entries: [{ key: row, data: { id, generation } satisfies StoredAccount }],
      result: undefined
    }))
    return id
  })

  const makeRequest = Effect.fnUntraced(function* (command: PayoutCommand) {
    const { currency, id } = command
    const units = unitsOf(command.amount, paymentDecimals)
    if (units === undefined) return reject(`${command.amount} ${currency} is no amount that Bridge takes`)
    const details = accountOf(command, config)
    if (typeof details === "string") return reject(details)
    // While Bridge does not say where to, nothing is sent.
    const account = yield* Effect.orElseSucceed(externalAccount(details), () => unavailable)
    if (typeof account !== "string") return account
    const paid = currency === "USD" ? { amount: amountOf(units) } : {}
    const fixed = currency === "USD" ? {} : { amount: amountOf(units) }
    const rail = currency === "EUR" ? "sepa" : config.usd_rail
    const text = remittanceOf(command)
    const body = JSON.stringify({
      ...{ client_reference_id: id, ...paid, on_behalf_of: config.customer },
      source: { payment_rail: "bridge_wallet", currency: "usdc", bridge_wallet_id: config.wallet },
      destination: {
        ...{ payment_rail: rail, currency: currency.toLowerCase(), external_account_id: account, ...fixed },
        ...(rail === "sepa" ? { sepa_reference: text } : rail === "wire" ? { wire_message: text } : {})
      }
    })
    return { account, currency, units: String(units), body }
  })

  /**
   * The request of a command, which is written down before anything is sent; or why there is none. Law: a request is another one, under another
   * key, only where none of the earlier ones can be executed any more: Bridge has refused it, or it is nowhere and its key has run out.
   */
  const prepare = Effect.fnUntraced(function* (command: PayoutCommand) {
    const now = yield* wallNow
    const rowKey = requestKey(command.id)
    const keep = (known: StoredRequest | undefined, sent: CommandEntry | undefined): StoredRequest | undefined => {
      if (known === undefined || (sent?.sent_at ?? null) !== null) return known
      return known.isVoid || now - known.keyed_at >= keyMs ? undefined : known
    }
    const [row, sentRow] = yield* Effect.all([
      requestOf(command.id),
      books.read<CommandEntry>(entries.keys.command(command.id))
    ])
    const before = keep(row, sentRow)
    if (before !== undefined) return before
    const made = yield* makeRequest(command)
    if ("_tag" in made) return made
    return yield* books.amend([rowKey, entries.keys.command(command.id)], ([stored, sent]) => {
      const known = dataOf<StoredRequest>(stored)
      const kept = keep(known, dataOf(sent))
      if (kept !== undefined) return { entries: [], result: kept }
      const request = { ...made, round: (known?.round ?? -1) + 1, keyed_at: now, isVoid: false }
      return { entries: [{ key: rowKey, data: request }], result: request }
    })
  })

  /** Bridge has refused the request, and no earlier one may have been executed: its key is bound to the refusal. */
  const end = (command_id: string, { round }: StoredRequest) =>
    books.amend([requestKey(command_id), entries.keys.command(command_id)], ([row, sentRow]) => {
      const known = dataOf<StoredRequest>(row)
      const isOpen = (dataOf<CommandEntry>(sentRow)?.sent_at ?? null) !== null
      return known === undefined || known.round !== round || isOpen
        ? { entries: [], result: undefined }
        : { entries: [{ key: requestKey(command_id), data: { ...known, isVoid: true } }], result: undefined }
    })

  return { requestOf, prepare, end }
}

const expectedOf = (command_id: string, { account, currency, units }: StoredRequest): ExpectedTransfer => ({
  ...{ command_id, account, currency, units: BigInt(units) }
})

export const makePayouts = (parts: BridgeParts) => {
  const { calls, submissions } = parts
  const { end, prepare, requestOf } = makeRequests(parts)

  /** A command without Bridge's id, among all transfers since its first POST, by its reference. One without a reference that may be it is a fault. */
  const search = Effect.fnUntraced(function* (
    expected: ExpectedTransfer,
    since: number
  ): Effect.fn.Return<Seen, ProviderFault> {
    const { command_id } = expected
    const listed = yield* calls.since(since - clockSlackMs)
    const own = listed.find(({ client_reference_id }) => client_reference_id === command_id)
    if (own !== undefined) {
      const seen = transferSeen(own, expected)
      return seen._tag === "unknown" ? yield* new ProviderFault({ message: seen.message }) : seen
    }
    for (const transfer of listed.filter((one) => mayBe(one, expected)))
      if ((yield* submissions.ofPayment("payout", transfer.id)) === undefined)
        return yield* new ProviderFault({ message: `${command_id} is not found, but ${transfer.id} may be it` })
    return { _tag: "missing" }
  })

  const look = Effect.fnUntraced(function* (
    command_id: string,
    request: StoredRequest
  ): Effect.fn.Return<Seen, ProviderFault> {
    const sent = yield* submissions.find(command_id)
    const expected = expectedOf(command_id, request)
    if (sent === undefined) return { _tag: "missing" }
    if (sent.company_id !== null) return yield* calls.find(sent.company_id, expected)
    if (sent.sent_at === null) return { _tag: "missing" }
    return yield* search(expected, sent.first_sent_at ?? sent.sent_at)
  })

  const commandOf = (command: PayoutCommand, request: StoredRequest, now: number): CompanyCommand => ({
    purpose: "payout",
    ...{ command_id: command.id, merchant_id: command.merchant_id, resource_id: command.resource_id },
    ...{ currency: command.currency, units: request.units, payin_id: null },
    // Bridge gives the first answer again under the same key, for a day. An older command is looked up.
    isFenced: now - request.keyed_at < keyMs,
    // One that Bridge has given an id to is asked about, and not sent again.
    post: Effect.flatMap(submissions.find(command.id), (sent) => {
      if ((sent?.company_id ?? null) !== null) return Effect.succeed<Posted>({ _tag: "exists" })
      const key = idempotencyKey(`${command.id}/${request.round}`)
      const posted = calls.post(key, request.body, expectedOf(command.id, request))
      return Effect.tap(posted, (answer) => submissions.keepId(command.id, answer))
    }),
    look: look(command.id, request),
    // `look` has read the list already.
    isUnbooked: () => Effect.succeed(true)
  })

  return {
    submit: Effect.fnUntraced(function* (command: PayoutCommand): Effect.fn.Return<SubmissionResult, ProviderFault> {
      const request = yield* prepare(command)
      if ("_tag" in request) return request
      const result = yield* submissions.submit(commandOf(command, request, yield* wallNow))
      if (result._tag === "rejected" || result._tag === "unavailable") yield* end(command.id, request)
      return result
    }),
    lookup: Effect.fnUntraced(function* (command: PayoutCommand): Effect.fn.Return<CommandStatus, ProviderFault> {
      const request = yield* requestOf(command.id)
      if (request === undefined) return { _tag: "absent" }
      return yield* submissions.lookup(commandOf(command, request, yield* wallNow))
    }),
    /**
     * Asks about a command that was sent, and records what it is. `id`: of Bridge, where an event names it. Returns the report of its outcome;
     * null: there is none.
     */
    lookAgain: Effect.fnUntraced(function* (
      sent: CommandEntry,
      id?: string
    ): Effect.fn.Return<ProviderEvent | null, ProviderFault> {
      const request = yield* requestOf(sent.command_id)
      if (request === undefined) return null
      const expected = expectedOf(sent.command_id, request)
      const seen =
        sent.company_id === null && id !== undefined
          ? yield* calls.find(id, expected)
          : yield* look(sent.command_id, request)
      return seen._tag === "found" ? yield* submissions.record(sent, seen) : null
    })
  }
}

export type BridgePayouts = ReturnType<typeof makePayouts>
