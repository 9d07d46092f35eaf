/** Transfers to approved addresses and payouts to linked banks: the commands of the engine, as Circle is asked them. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandStatus, PayoutCommand, ProviderEvent, SubmissionResult } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { shared } from "../../../protocol/shared.ts"
import { type ChainBooks, dataOf, entryKey } from "../chain/books.ts"
import type { CompanyEntries, CommandEntry } from "../company/entries.ts"
import { idempotencyKey } from "../company/idempotency.ts"
import { type CompanyCommand, type CompanySubmissions, type Posted, reject, type Seen } from "../company/submissions.ts"
import type { ReadRound } from "../company/windows.ts"
import type { CircleBanks } from "./banks.ts"
import type { CircleCalls } from "./calls.ts"
import {
  toComparableAddress,
  formatPaymentAmount,
  type ExpectedPayment,
  mayBe,
  paymentDecimals,
  parsePaymentUnits
} from "./mapping.ts"
import { chains, type CircleConfig } from "./options.ts"

export interface CircleParts {
  readonly key: string
  readonly config: CircleConfig
  readonly books: ChainBooks
  readonly entries: CompanyEntries
  readonly submissions: CompanySubmissions
  readonly round: ReadRound
  readonly calls: CircleCalls
  readonly banks: CircleBanks
}

/** The first POST of a command, which every later one repeats: under another body, Circle would not know it again. */
interface StoredRequest {
  readonly kind: ExpectedPayment["kind"]
  readonly to: string
  readonly chain: string | null
  readonly units: string
  readonly body: string
  readonly made_at: number
}

/** How long the list of approved addresses is used, milliseconds. */
const keepMs = 10_000
/** A payment may be listed as made so long before its POST by our clock, milliseconds: one of the two clocks may be wrong. */
const clockSlackMs = 60 * 60_000

const unavailable: SubmissionResult = { _tag: "unavailable" }

/** What Circle is asked for a command. */
const makeRequests = ({ banks, books, calls, config, entries, key }: CircleParts) => {
  const recipients = shared(calls.recipients, keepMs, wallNow)
  const requestKey = (command_id: string) => entryKey("circle_request", `${key}/${command_id}`)
  const requestOf = (command_id: string) => books.read<StoredRequest>(requestKey(command_id))

  /** Where a command is paid to, as Circle names it; or why it is not. */
  const destinationOf = Effect.fnUntraced(function* ({ currency, destination }: PayoutCommand) {
    if (destination.type === "fiat") {
      if (currency !== "USD") return reject(`Circle pays USD to linked banks, and no ${currency}`)
      const bank = yield* banks.find(destination.bank_code ?? "", destination.account_number)
      if (bank === undefined) return reject("the account is no bank account that is linked at Circle")
      if (bank.status !== "complete") return bank.status === "failed" ? reject("the bank is not linked") : unavailable
      return { kind: "payout", to: bank.id, chain: null, target: { type: "wire", id: bank.id } } as const
    }
    const network = config.networks.find((one) => one === destination.network)
    if (currency !== "USDC" || network === undefined)
      return reject(`Circle does not transfer ${currency} on ${destination.network} here`)
    if (destination.memo !== null) return reject("a transfer by Circle has no memo")
    const to = toComparableAddress(destination.address)
    const chain = chains[network]
    const recipient = (yield* recipients.get).find(
      (one) => one.chain === chain && toComparableAddress(one.address) === to
    )
    if (recipient === undefined) return reject("the address is not among the recipients that are approved at Circle")
    // It may wait for an administrator, and for 24 hours after that. It may also have been approved since the list was read.
    if (recipient.status !== "active") return unavailable
    return { kind: "transfer", to, chain, target: { type: "verified_blockchain", addressId: recipient.id } } as const
  })

  const makeRequest = Effect.fnUntraced(function* (command: PayoutCommand) {
    const units = parsePaymentUnits(command.amount, paymentDecimals)
    if (units === undefined) return reject(`${command.amount} ${command.currency} is no amount that Circle takes`)
    // While Circle does not say where to, nothing is sent.
    const found = yield* Effect.orElseSucceed(destinationOf(command), () => unavailable)
    if ("_tag" in found) return found
    const { chain, kind, target, to } = found
    const amount = { amount: formatPaymentAmount(units), currency: "USD" }
    const body = JSON.stringify({ idempotencyKey: idempotencyKey(command.id), destination: target, amount })
    return { kind, to, chain, units: String(units), body }
  })

  /**
   * The request of a command, which is written down before anything is sent; or why there is none. Its time is that of the first POST that
   * may have been executed.
   */
  const prepare = Effect.fnUntraced(function* (command: PayoutCommand, stored: StoredRequest | undefined) {
    const made_at = yield* wallNow
    const made = stored ?? (yield* makeRequest(command))
    if ("_tag" in made) return made
    const keys = [requestKey(command.id), entries.keys.command(command.id)] as const
    return yield* books.amend([...keys], ([row, sentRow]) => {
      const known = dataOf<StoredRequest>(row)
      const request: StoredRequest = { ...(known ?? made), made_at }
      return known !== undefined && (dataOf<CommandEntry>(sentRow)?.sent_at ?? null) !== null
        ? { entries: [], result: known }
        : { entries: [{ key: keys[0], data: request }], result: request }
    })
  })

  return { requestOf, prepare }
}

const toExpectedPayment = (command_id: string, { chain, kind, to, units }: StoredRequest): ExpectedPayment => ({
  ...{ command_id, chain, kind, to, units: BigInt(units) }
})

export const makePayouts = (parts: CircleParts) => {
  const { books, calls, entries, submissions } = parts
  const { prepare, requestOf } = makeRequests(parts)

  /** Payments that may be a command whose answer was lost: made since its first POST, and of no other command. */
  const candidates = Effect.fnUntraced(function* (command_id: string, request: StoredRequest) {
    const expected = toExpectedPayment(command_id, request)
    const listed = yield* calls.payments(request.kind, { from: request.made_at - clockSlackMs })
    const alike = listed.filter((payment) => mayBe(payment, expected))
    const rows = yield* books.get(alike.map(({ id }) => entries.keys.payment("payout", id)))
    return alike.filter(({ id }) => !rows.some((row) => row.id === entries.keys.payment("payout", id).id))
  })

  /** What Circle has of a command. Without Circle's id, nobody can ask about it: a payment like it leaves it unknown. */
  const look = Effect.fnUntraced(function* (command_id: string, request: StoredRequest) {
    const sent = yield* submissions.find(command_id)
    if (sent === undefined || sent.sent_at === null) return { _tag: "missing" } satisfies Seen
    if (sent.company_id !== null) return yield* calls.find(sent.company_id, toExpectedPayment(command_id, request))
    const [one] = yield* candidates(command_id, request)
    if (one === undefined) return { _tag: "missing" } satisfies Seen
    return yield* new ProviderFault({ message: `the answer to ${command_id} was lost, and ${one.id} may be its own` })
  })

  const commandOf = (command: PayoutCommand, request: StoredRequest): CompanyCommand => ({
    purpose: "payout",
    ...{ command_id: command.id, merchant_id: command.merchant_id, resource_id: command.resource_id },
    ...{ currency: command.currency, units: request.units, payin_id: null },
    // Circle gives the first result again, under the same key.
    isFenced: true,
    // One that Circle has given an id to is asked about, and not sent again.
    post: Effect.flatMap(submissions.find(command.id), (sent) =>
      (sent?.company_id ?? null) === null
        ? Effect.tap(calls.post(request.body, toExpectedPayment(command.id, request)), (posted) =>
            submissions.keepId({ command_id: command.id, purpose: "payout" }, posted)
          )
        : Effect.succeed<Posted>({ _tag: "exists" })
    ),
    look: look(command.id, request),
    // `look` has read the list already.
    isUnbooked: () => Effect.succeed(true)
  })

  return {
    submit: Effect.fnUntraced(function* (command: PayoutCommand): Effect.fn.Return<SubmissionResult, ProviderFault> {
      const request = yield* prepare(command, yield* requestOf(command.id))
      return "_tag" in request ? request : yield* submissions.submit(commandOf(command, request))
    }),
    lookup: Effect.fnUntraced(function* (command: PayoutCommand): Effect.fn.Return<CommandStatus, ProviderFault> {
      const request = yield* requestOf(command.id)
      return request === undefined ? { _tag: "absent" } : yield* submissions.lookup(commandOf(command, request))
    }),
    /** Asks about a command that was sent, and records what it is. Returns the report of its outcome; null: there is none. */
    lookAgain: Effect.fnUntraced(function* (sent: CommandEntry): Effect.fn.Return<ProviderEvent | null, ProviderFault> {
      const { command_id, company_id } = sent
      const request = yield* requestOf(command_id)
      // Without Circle's id only the same POST would tell, and that would pay what never arrived: the engine alone submits.
      if (request === undefined || company_id === null) return null
      const seen = yield* calls.find(company_id, toExpectedPayment(command_id, request))
      return seen._tag === "found" ? yield* submissions.record(sent, seen) : null
    })
  }
}

export type CirclePayouts = ReturnType<typeof makePayouts>
