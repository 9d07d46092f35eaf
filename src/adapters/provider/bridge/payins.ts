/**
 * Accounts for pay-ins (virtual accounts), and what is paid to them. Each is of the customer that you are, and Bridge turns what arrives into USDC
 * of the wallet.
 */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { IssueCommand, ProviderEvent, RefundCommand } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { readData, entryKey } from "../chain/books.ts"
import { paymentDecimals, textOf } from "../company/answers.ts"
import { idempotencyKey } from "../company/idempotency.ts"
import { makeIssue, type OwnedAccount, type StoredIssue } from "../company/issues.ts"
import { clockSlackMs } from "../company/keyed.ts"
import { dayOf, reject } from "../company/submissions.ts"
import { failWith, lookAtEach, makeTurns, returnDays } from "../company/sweep.ts"
import { type ActivityItem, type Arrival, type DepositNews, newsIn } from "./activity.ts"
import { isLike, type VirtualAccount } from "./calls.ts"
import { amountOf, returnRail, unitsOf } from "./mapping.ts"
import { type BridgeParts, type BridgeTransfers, keyMs } from "./payouts.ts"

/** A deposit, as far as Bridge has said anything of it. In whichever order it says so, the row comes to the same. */
export interface StoredDeposit {
  readonly account: string
  /** When it was first heard of, epoch milliseconds. */
  readonly since: number
  readonly arrival: Arrival | null
  readonly isConfirmed: boolean
  readonly hasFailed: boolean
  /** Whether nothing can be told any more of that it was sent back. Absent: it may be. */
  readonly isJudged?: true
  /** The refund that returns it. */
  readonly refund_id: string | null
}

/** Activity is listed again for so long, milliseconds: an item may be listed later than others that came after it. */
const overlapMs = 24 * 3_600_000
/** The rounds between begin so long before the last one did, milliseconds. */
const shortMs = 10 * 60_000
/** The list of what happens to all accounts. */
const activityList = "activity"
/** The most open deposits that one sweep asks about. */
const askedMax = 20
/** Where the refunds of a deposit are. `none`: none is at Bridge, or was paid. */
type RefundState = "open" | "paid" | "none"

export const depositKey = (key: string, deposit_id: string) => entryKey("bridge_deposit", `${key}/${deposit_id}`)
/** The index key of deposits of which it is not known what becomes of them. */
const openIndex = (key: string): string => `bridge_deposit=${key}`
/** The index key of deposits that were sent back, while a refund of ours may be why. */
const returnIndex = (key: string): string => `bridge_deposit_returned=${key}`

/** What the payer pays to. Undefined: the answer has not all of it. */
const detailsOf = ({ source_deposit_instructions: of }: VirtualAccount) => {
  const accountName = textOf(of, "bank_beneficiary_name") ?? textOf(of, "account_holder_name")
  const accountNumber = textOf(of, "bank_account_number", 40) ?? textOf(of, "iban", 40)
  const bankName = textOf(of, "bank_name")
  if (accountName === null || accountNumber === null || bankName === null) return undefined
  const bankCode = textOf(of, "bank_routing_number", 40) ?? textOf(of, "bic", 40)
  return { accountName, accountNumber, bankName, bankCode, reference: null }
}

const join = (before: StoredDeposit | undefined, { account, arrival, port }: DepositNews, now: number) => ({
  account,
  since: before?.since ?? now,
  arrival: before?.arrival ?? arrival ?? null,
  isConfirmed: before?.isConfirmed === true || port === "confirmed",
  hasFailed: before?.hasFailed === true || port === "failed",
  ...(before?.isJudged && { isJudged: true as const }),
  refund_id: before?.refund_id ?? null
})

const isOpen = ({ arrival, hasFailed, isConfirmed }: StoredDeposit): boolean =>
  !hasFailed && !(isConfirmed && arrival !== null)

const isReturned = ({ arrival, hasFailed, isJudged }: StoredDeposit): boolean =>
  hasFailed && arrival !== null && isJudged !== true

const isSameState = (one: StoredDeposit, other: StoredDeposit): boolean =>
  one.isConfirmed === other.isConfirmed &&
  one.hasFailed === other.hasFailed &&
  (one.arrival === null) === (other.arrival === null)

/** Where the refunds of a deposit are. One whose POST may have been executed is open until it is known. */
const findRefundState = Effect.fnUntraced(function* (
  submissions: BridgeParts["submissions"],
  deposit_id: string
): Effect.fn.Return<RefundState, ProviderFault> {
  const sent = yield* submissions.refundsOf(deposit_id)
  const live = sent.filter(
    ({ company_id, event, sent_at }) =>
      (company_id !== null || sent_at !== null) && !(event?._tag === "refund" && event.outcome === "failed")
  )
  if (live.length === 0) return "none"
  return live.every(({ event }) => event !== null) ? "paid" : "open"
})

/** What is known of deposits, and what is told of them. */
const makeDeposits = ({ books, entries, key, reports, submissions }: BridgeParts) => {
  const read = (id: string) => books.read<StoredDeposit>(depositKey(key, id))
  const isOurs = (account: string) =>
    Effect.map(books.read(entries.keys.account(account)), (issued) => issued !== undefined)
  const write = (id: string, data: StoredDeposit) => ({
    ...{ key: depositKey(key, id), data },
    index_keys: [...(isOpen(data) ? [openIndex(key)] : []), ...(isReturned(data) ? [returnIndex(key)] : [])]
  })
  const list = (index_key: string, page: { readonly from?: number; readonly limit?: number } = {}) =>
    Effect.map(books.list({ kind: depositKey(key, "").kind, index_keys: [index_key], ...page }), (rows) =>
      rows.map(({ data, id }) => ({ ...(data as StoredDeposit), id: id.slice(id.indexOf("/") + 1) }))
    )

  /**
   * Reports what became of a deposit: once, and that it was sent back only if it was reported before. Null: nothing. Law: that it was sent back is
   * told of a refund of ours while one is open, unknown or paid, and of the deposit otherwise: its money may have left without one.
   */
  const report = Effect.fnUntraced(function* (id: string, deposit: StoredDeposit) {
    const { account, arrival, hasFailed, isConfirmed } = deposit
    const issued = yield* books.read<OwnedAccount>(entries.keys.account(account))
    if (issued === undefined || arrival === null) return null
    if (hasFailed && !(yield* reports.reported([id])).has(id)) return null
    if (hasFailed && (yield* findRefundState(submissions, id)) !== "none") return null
    if (!hasFailed && !isConfirmed) return null
    const { at, currency, narration, sender, units } = arrival
    return yield* reports.payin({
      ...{ payin_id: id, target: issued.target, amount: amountOf(BigInt(units)), currency, network: "bank" },
      ...{ observed_at: at, sender, narration },
      ...(hasFailed && { event_id: `payin/${id}/failed`, stage: "failed" })
    })
  })

  /** Takes what Bridge says of a deposit. It is told before the row says that it ended, so that a crash forgets nothing. */
  const take = Effect.fnUntraced(function* (news: DepositNews) {
    const { account, deposit_id: id } = news
    if (!(yield* isOurs(account))) return null
    const now = yield* wallNow
    const event = yield* report(id, join(yield* read(id), news, now))
    yield* books.amend([depositKey(key, id)], ([row]) => {
      const before = readData<StoredDeposit>(row)
      const data = join(before, news, now)
      const isSame = before !== undefined && isSameState(before, data)
      return { entries: isSame ? [] : [write(id, data)], result: undefined }
    })
    return event
  })

  /**
   * Judges again what was sent back while a refund of ours may have been why, and forgets it once nothing can change any more: it is told, or the
   * refund was paid so long ago that it does not come back. What fails between the two is told by the next sweep.
   */
  const judge = Effect.gen(function* () {
    const returned = yield* list(returnIndex(key))
    if (returned.length === 0) return undefined
    const days = yield* submissions.endedWithin(returnDays, "paidOn")
    const paid = yield* Effect.forEach(days, (day) => submissions.list(day))
    const mayBounce = new Set(paid.flat().map(({ payin_id }) => payin_id))
    return yield* lookAtEach(
      returned,
      ({ id }) => `the deposit ${id}`,
      Effect.fnUntraced(function* ({ id, ...deposit }) {
        const state = yield* findRefundState(submissions, id)
        yield* report(id, deposit)
        if (state === "open" || (state === "paid" && mayBounce.has(id))) return
        yield* books.amend([depositKey(key, id)], ([row]) => {
          const before = readData<StoredDeposit>(row)
          const isSame = before === undefined || !isReturned(before)
          return { entries: isSame ? [] : [write(id, { ...before, isJudged: true })], result: undefined }
        })
      })
    )
  })

  /** Takes the items of a list, oldest first. One that cannot be read is a fault, and holds up no other. */
  const takeAll = (items: ReadonlyArray<ActivityItem>) =>
    lookAtEach(
      [...items].reverse(),
      ({ id }) => id,
      Effect.fnUntraced(function* (item) {
        const news = newsIn(item)
        if (typeof news !== "string") return news === null ? null : yield* take(news)
        const { virtual_account_id: account } = item
        return typeof account !== "string" || (yield* isOurs(account))
          ? yield* new ProviderFault({ message: news })
          : null
      })
    )

  return { read, isOurs, write, list, report, takeAll, judge }
}

type Deposits = ReturnType<typeof makeDeposits>

/** Sends deposits back to their payers. */
const makeReturns = (
  { books, config, key, submissions }: BridgeParts,
  transfers: BridgeTransfers,
  deposits: Deposits
) => {
  /** Claims a deposit for a refund: it goes back whole, and once. Undefined: it is claimed. A sentence: it cannot be returned. */
  const claim = Effect.fnUntraced(function* ({ amount, currency, id, payin_id }: RefundCommand) {
    const deposit = yield* deposits.read(payin_id)
    const { arrival = null, refund_id: other = null } = deposit ?? {}
    if (arrival === null) return `Bridge has no deposit ${payin_id} to an account of this provider`
    if (currency !== "USD") return "Bridge returns deposits of USD alone from USDC"
    if (arrival.currency !== currency || String(unitsOf(amount, paymentDecimals)) !== arrival.units)
      return `Bridge returns a deposit whole: it was ${amountOf(BigInt(arrival.units))} ${arrival.currency}`
    if (deposit?.hasFailed === true) return "Bridge has sent the deposit back already"
    if (other !== null && other !== id) {
      const [sent, request] = yield* Effect.all([submissions.find(other), transfers.requestOf(other)])
      const hasFailed = sent?.event?._tag === "refund" && sent.event.outcome === "failed"
      const isVoid = (request === undefined || request.isVoid) && (sent === undefined || sent.sent_at === null)
      if (!hasFailed && !isVoid) return `the deposit is returned by ${other}`
    }
    return yield* books.amend([depositKey(key, payin_id)], ([row]) => {
      const before = readData<StoredDeposit>(row)
      if (before === undefined || before.refund_id !== other)
        return { entries: [], result: "another refund returns the deposit" }
      if (before.hasFailed) return { entries: [], result: "Bridge has sent the deposit back already" }
      const isSame = other === id
      return { entries: isSame ? [] : [deposits.write(payin_id, { ...before, refund_id: id })], result: undefined }
    })
  })

  const requestOf = Effect.fnUntraced(function* (command: RefundCommand) {
    const why = yield* claim(command)
    if (why !== undefined) return reject(why)
    const { amount, currency, id, payin_id } = command
    const units = unitsOf(amount, paymentDecimals)!
    const body = JSON.stringify({
      ...{ client_reference_id: id, amount: amountOf(units), on_behalf_of: config.customer },
      source: { payment_rail: "bridge_wallet", currency: "usdc", bridge_wallet_id: config.wallet },
      destination: { payment_rail: returnRail, currency: currency.toLowerCase(), deposit_id: payin_id }
    })
    return { account: null, deposit_id: payin_id, currency, units: String(units), body }
  })

  return {
    refund: (command: RefundCommand) => transfers.submit(command, requestOf(command)),
    lookupRefund: (command: RefundCommand) => transfers.lookup(command)
  }
}

/** The request for an account, under a key that Bridge forgets. */
interface AskedAccount {
  readonly body: string
  readonly key: string
  /** When the key was first used, epoch milliseconds. */
  readonly keyed_at: number
}

/** How accounts for pay-ins are issued. */
const issuingOf = ({ books, calls, config, entries, key }: BridgeParts) => {
  const isKeyed = ({ keyed_at }: AskedAccount, now: number): boolean => now - keyed_at < keyMs
  /** Whether the last request under a key may still be on its way. */
  const mayArrive = ({ keyed_at }: AskedAccount, now: number): boolean => now - keyed_at < keyMs + config.grace_ms
  /**
   * What may have been made of a request whose key has run out: whatever fits that belongs to no command. The number of a lost account was told to
   * nobody, so one that was paid to is another's.
   */
  const findMade = Effect.fnUntraced(function* ({ body, keyed_at }: AskedAccount) {
    const until = keyed_at + keyMs + config.grace_ms
    const listed = yield* calls.virtualAccountsLike(body, keyed_at - clockSlackMs, until)
    return yield* Effect.filter(
      listed,
      Effect.fnUntraced(function* ({ id }) {
        if ((yield* books.read(entries.keys.account(id))) !== undefined) return false
        return (yield* calls.activityOf(id, 0)).every((item) => newsIn(item) === null)
      })
    )
  })
  /** Whether one of these may have been made for another command, whose key still says so: it has the first word. */
  const isDoubtful = Effect.fnUntraced(function* (
    command_id: string,
    made: ReadonlyArray<VirtualAccount & { readonly created_at: string }>
  ) {
    const now = yield* wallNow
    const own = entries.keys.issue(command_id)
    const rows = yield* books.list({ kind: own.kind, index_keys: [entries.index.unissued] })
    const others = rows
      .filter(({ id }) => id !== own.id)
      .map(({ data }) => (data as unknown as StoredIssue<AskedAccount>).asked)
      .filter((asked) => mayArrive(asked, now))
    return made.some((one) =>
      others.some(({ body, keyed_at }) => isLike(one, body) && Date.parse(one.created_at) >= keyed_at - clockSlackMs)
    )
  })
  /** Finds what was made; where several may be it, a person says which one. */
  const chooseMade = Effect.fnUntraced(function* (command_id: string, asked: AskedAccount) {
    const all = yield* findMade(asked)
    const [made, ...others] = all
    if (made === undefined || (yield* isDoubtful(command_id, all)))
      return yield* new ProviderFault({ message: `what Bridge has made for ${command_id} is not known yet` })
    if (others.length === 0) return made
    const ids = all.map(({ id }) => id).join(", ")
    const action = `deactivate at Bridge all but one of the accounts ${ids}, of which one was made for ${command_id}`
    return { _tag: "pending", awaited_person: { party: "operator", action } } as const
  })
  return {
    company: "Bridge",
    ask: Effect.fnUntraced(function* (
      { currency, id, type }: IssueCommand,
      before: AskedAccount | undefined,
      isVoid: boolean
    ) {
      const isServed = type === "fiat" && config.payins.some((one) => one === currency)
      const why = `no accounts are issued in ${currency}`
      if ((before === undefined || isVoid) && !isServed) return why
      const now = yield* wallNow
      const body = yield* calls.virtualAccountBody(currency)
      const kept = before && !isVoid ? { ...before, body } : undefined
      if (kept !== undefined && isKeyed(kept, now) && before?.body === body) return kept
      if (kept !== undefined && !isKeyed(kept, now)) {
        if (mayArrive(kept, now) || (yield* findMade(kept)).length > 0) return kept
        if (!isServed) return why
      }
      return { body, key: idempotencyKey(`${id}/${before === undefined ? dayOf(now) : now}`), keyed_at: now }
    }),
    make: Effect.fnUntraced(function* ({ id }: IssueCommand, asked: AskedAccount) {
      // A build before wrote down what was made.
      const known = yield* books.read<{ readonly made: VirtualAccount }>(entryKey("bridge_issued", `${key}/${id}`))
      const isChosen = known === undefined && !isKeyed(asked, yield* wallNow)
      const asking = isChosen ? chooseMade(id, asked) : calls.makeVirtualAccount(asked.key, asked.body)
      const made = known?.made ?? (yield* asking)
      if (made === undefined)
        return yield* new ProviderFault({ message: `whether Bridge has made the account of ${id} is not known` })
      if ("_tag" in made) return made
      const details = detailsOf(made)
      if (details === undefined)
        return yield* new ProviderFault({ message: `the account ${made.id} has no details that can be read` })
      const target = details.accountNumber
      return {
        accounts: [entries.keys.account(made.id), entries.keys.account(`number/${target}`)],
        issued: { provider_resource_id: made.id, target, details },
        isChosen
      }
    }),
    lists: () => [activityList]
  }
}

export const makePayins = (parts: BridgeParts, transfers: BridgeTransfers) => {
  const { calls, config, key, rounds } = parts
  const deposits = makeDeposits(parts)

  /** Lists the activity of all accounts since the last round, with an overlap. */
  const list = rounds.read<ActivityItem>({
    ...{ name: activityList, long_ms: overlapMs, short_ms: shortMs, isBegun: config.payins.length > 0 },
    list: ({ from }) => calls.activity(from),
    read: deposits.takeAll
  })

  /** Lists the activity of one account since a deposit was heard of. */
  const lookAtAccount = (account: string, since: number) =>
    Effect.flatMap(Effect.flatMap(calls.activityOf(account, since - overlapMs), deposits.takeAll), failWith)
  const askOpen = makeTurns({
    ...{ keys: Effect.succeed([openIndex(key)]), list: deposits.list, most: askedMax },
    nameOf: ({ id }) => `the deposit ${id}`,
    look: ({ account, since }) => lookAtAccount(account, since)
  })

  return {
    ...makeReturns(parts, transfers, deposits),
    issue: makeIssue<AskedAccount>(parts, issuingOf(parts)),
    /** What a webhook about a deposit is a reason to look up. Null: nothing is told of it. */
    lookUp: Effect.fnUntraced(function* (
      account: string,
      deposit_id: string
    ): Effect.fn.Return<ProviderEvent | null, ProviderFault> {
      if (!(yield* deposits.isOurs(account))) return null
      const since = (yield* deposits.read(deposit_id))?.since ?? (yield* wallNow)
      yield* lookAtAccount(account, since)
      const deposit = yield* deposits.read(deposit_id)
      return deposit === undefined ? null : yield* deposits.report(deposit_id, deposit)
    }),
    /** Whether an account is one that was issued here. */
    isOurs: deposits.isOurs,
    /** What arrived, of a deposit to an account of ours: what is not known of it is looked up. Null: it cannot be read. */
    arrivalOf: Effect.fnUntraced(function* (
      { account, deposit_id }: DepositNews,
      at: number
    ): Effect.fn.Return<Arrival | null, ProviderFault> {
      const known = (yield* deposits.read(deposit_id))?.arrival ?? null
      if (known !== null) return known
      // What cannot be read of the account is said by the sweep.
      yield* Effect.result(lookAtAccount(account, at))
      return (yield* deposits.read(deposit_id))?.arrival ?? null
    }),
    /** Tells what was sent back and is no refund of ours, after a sweep has looked at the refunds. */
    judge: deposits.judge,
    /** Finds what no webhook told. */
    sweeps: [list, askOpen],
    /** Whether an account was issued, or may be. */
    isListening: config.payins.length > 0 ? Effect.succeed(true) : rounds.hasBegun(activityList)
  }
}

export type BridgePayins = ReturnType<typeof makePayins>
