/**
 * Plays a history on an engine over the memory store, by its public calls alone, and reads back a picture that names no id and no time: a
 * movement by its label, a statement by its file and its place in it.
 */
import { Clock, type Context, Duration, Effect, Layer } from "effect"
import { aesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import * as MovableClock from "../../../src/adapters/clock/movable.ts"
import { simulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { memoryWebhooks } from "../../../src/adapters/webhook/memory.ts"
import { Corridor, type RunningSandbox } from "../../../src/embedded/Corridor.ts"
import { adapter } from "../../../src/engine/ports/adapter.ts"
import type { Storage } from "../../../src/engine/ports/Storage.ts"
import { ACCOUNTS, bytesOf, CURRENCY, csvMapping, decimal, type Entry, joined, type Sheet } from "./files.ts"

/**
 * What the books move on the account, out of it. A `payout` is an offramp, which has names; an `entry` is an adjusting entry, which has
 * its id alone. `at` is when it is made and, if it is `reported` at once, when it succeeds.
 */
export interface Movement {
  readonly label: string
  readonly kind: "payout" | "entry"
  readonly at: string
  readonly amount: bigint
  readonly reference: string | null
  readonly provider_reference: string | null
  readonly reported: "at once" | "late" | "failed" | "failed late" | "never"
}

/** A file of one or more statements. Texts of entries may have `{LABEL:id}` and `{LABEL:statement}`, the names of a movement. */
export interface Upload {
  readonly label: string
  readonly sheets: ReadonlyArray<Sheet>
  /** The bytes, where they are not written from the sheets. */
  readonly text?: string
  /** The labels of uploads that arrive before it, where that is part of the input: of two statements without a creation date. */
  readonly after?: ReadonlyArray<string>
}

/** What a person does with the break of the only line of its day, direction and amount. */
export interface Act {
  readonly action: "dismiss" | "explain" | "match"
  readonly on: Pick<Entry, "day" | "direction" | "amount">
  /** With `match`: the movement. */
  readonly movement?: string
}

export interface Settings {
  readonly opening: { readonly date: string; readonly balance: bigint }
  readonly zone: string
  readonly uses?: ReadonlyArray<"payouts" | "payins">
}

/** What a person changes of an account's settings. Those of one account are in this order, whatever comes between them. */
export interface Patch extends Partial<Settings> {
  readonly account: 0 | 1
  readonly status?: "active" | "closed"
}

/** `opening`, `zone` and `uses` are those of its first account. */
export interface History extends Settings {
  /** Another account of the same provider and currency, which is made after the first. */
  readonly other?: Settings
  readonly patches?: ReadonlyArray<Patch>
  readonly movements: ReadonlyArray<Movement>
  readonly uploads: ReadonlyArray<Upload>
  readonly acts: ReadonlyArray<Act>
  /** How often the clock does what is due, between what comes. */
  readonly clocks?: number
  /** When the files come, and people act. */
  readonly now: string
  /** The days of which the picture has the close. By default all that statements speak of. */
  readonly closes?: ReadonlyArray<string>
}

/**
 * What comes in some order: a file, a provider's late report, an act, a change of settings, a run of the clock; or that a person dismisses
 * all breaks that are open.
 */
export type Item =
  | `upload ${number}`
  | `report ${string}`
  | `act ${number}`
  | `patch ${number}`
  | `clock ${number}`
  | "dismiss"

export const itemsOf = ({ acts, clocks = 0, movements, patches = [], uploads }: History): ReadonlyArray<Item> => [
  ...uploads.map((_, n): Item => `upload ${n}`),
  ...movements
    .filter((one) => one.reported === "late" || one.reported === "failed late")
    .map(({ label }): Item => `report ${label}`),
  ...acts.map((_, n): Item => `act ${n}`),
  ...patches.map((_, n): Item => `patch ${n}`),
  ...Array.from({ length: clocks }, (_, n): Item => `clock ${n}`)
]

export interface SeenLine {
  readonly account: number
  readonly day: string
  readonly accounted: string
  readonly direction: "credit" | "debit"
  readonly amount: bigint
  readonly status: string
  readonly matches: ReadonlyArray<{ readonly movement: string; readonly rule: string }>
  /** What the bank says of it. */
  readonly words: string
}

export interface SeenStatement {
  readonly label: string
  readonly lines: number
  readonly own: number | undefined
  readonly shared: ReadonlyArray<{ readonly statement: string; readonly lines: number }>
  readonly warnings: ReadonlyArray<string>
}

export interface SeenBreak {
  readonly account: number
  readonly kind: string
  readonly severity: string
  readonly amount: bigint | null
  readonly direction: "credit" | "debit" | null
  readonly since: string
  readonly lines: ReadonlyArray<SeenLine>
  readonly movements: ReadonlyArray<string>
  readonly candidates: ReadonlyArray<string>
  readonly statements: ReadonlyArray<string>
}

/** What the close of a day would say, and what the reconciliation says of it. */
export interface SeenDay {
  readonly account: number
  readonly day: string
  readonly opening: bigint
  readonly closing: bigint
  readonly statement_closing: bigint | null
  readonly unexplained: bigint
  readonly lines: number
  readonly reconciled: bigint
}

export interface Picture {
  readonly lines: ReadonlyArray<SeenLine>
  readonly statements: ReadonlyArray<SeenStatement>
  /** Open ones. */
  readonly breaks: ReadonlyArray<SeenBreak>
  readonly days: ReadonlyArray<SeenDay>
}

export const hundredths = (amount: string): bigint => {
  const [whole = "", decimals = ""] = amount.replace("-", "").split(".")
  const size = BigInt(whole + decimals.padEnd(2, "0").slice(0, 2))
  return amount.startsWith("-") ? -size : size
}

const cipher = aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] })

/** A machine whose wall clock stands still, and on which short waits take no time. */
const standingClock = (at: number): Layer.Layer<never> =>
  Layer.effect(
    Clock.Clock,
    Effect.map(
      Clock.Clock,
      (here): Clock.Clock => ({
        currentTimeMillisUnsafe: () => at,
        currentTimeMillis: Effect.succeed(at),
        currentTimeNanosUnsafe: () => BigInt(at) * 1_000_000n,
        currentTimeNanos: Effect.succeed(BigInt(at) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => here.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: here.monotonicTimeNanos,
        sleep: (duration) => (Duration.toMillis(duration) < 500 ? Effect.yieldNow : here.sleep(duration))
      })
    )
  )

const nodeOn = (store: Context.Context<Storage>, begin: number): Promise<RunningSandbox> =>
  Corridor.start({
    storage: adapter("storage", Layer.succeedContext(store)),
    provider: simulatedProvider({ mode: "manual", delay_ms: 0 }),
    webhooks: memoryWebhooks(),
    cipher,
    // Payouts of any amount.
    pricing: {
      fees: () => ({ gateway: "0", network: "0" }),
      outbound: () => Promise.resolve({ minimum: null, maximum: null })
    },
    clock: adapter("clock", MovableClock.layer.pipe(Layer.provide(standingClock(begin)))),
    dispatcher: false
  })

interface Listed<A> {
  readonly items: ReadonlyArray<A>
  readonly has_more: boolean
}

const every = async <A>(page: (page: number) => Promise<Listed<A>>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for (let n = 1; ; n++) {
    const { has_more, items } = await page(n)
    all.push(...items)
    if (!has_more) return all
  }
}

const zonedDay = (timeZone: string, at: string): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone }).format(Date.parse(at))

const note = "seen"
const DAY = 86_400_000

/** A movement that the books have, with the names that a bank may write. */
interface Made {
  readonly id: string
  readonly statement: string
}

export interface Desk {
  readonly node: RunningSandbox
  readonly account: string
  /** Does what is next, on one of the nodes. What cannot be done yet is done later, and returns false. */
  readonly apply: (item: Item, on?: number) => Promise<boolean>
  readonly take: (label: string, bytes: Uint8Array, mapping?: string) => Promise<ReadonlyArray<string>>
  readonly mapping: (hasBalances: boolean) => Promise<string>
  readonly advance: (seconds: number) => Promise<void>
  readonly dismissAll: () => Promise<void>
  /** The breaks that name movements, by their open lines, of several `together`: those that are open and those that a person has dismissed, without ids. */
  readonly named: () => Promise<{ readonly open: ReadonlyArray<string>; readonly dismissed: ReadonlyArray<string> }>
  /**
   * The open lines, and what the breaks that say what they are come to: those that are open, and of each other line the last that a person has
   * dismissed. Credits less debits. `strays`: the lines that no break, or more than one, is about.
   */
  readonly weigh: () => Promise<{
    readonly lines: bigint
    readonly breaks: bigint
    readonly strays: ReadonlyArray<string>
  }>
  readonly outstanding: (day: string) => Promise<bigint>
  readonly close: (day: string, accept?: boolean) => Promise<SeenDay>
  readonly read: () => Promise<Picture>
  readonly made: ReadonlyMap<string, Made>
  readonly end: () => Promise<void>
}

const openingIn = ({ balance, date }: Settings["opening"]) => ({ date, balance: decimal(balance) })

/** Settings, or some of them, as the API takes them. */
const settingsIn = ({ opening, uses, zone }: Partial<Settings>) => ({
  ...(opening === undefined ? {} : { opening: openingIn(opening) }),
  ...(zone === undefined ? {} : { time_zone: zone }),
  ...(uses === undefined ? {} : { uses })
})

/** The account, and the movements at their times. The clock shows `now` then. */
export const open = async (history: History, nodes = 1): Promise<Desk> => {
  const store = Effect.runSync(Effect.scoped(Layer.build(MemoryStorage.layer)))
  const now = Date.parse(history.now)
  const times = history.movements.map(({ at }) => Date.parse(at))
  const begin = Math.min(now, ...times) - DAY / 24
  const first = await nodeOn(store, begin)
  const { operator } = first
  const accounts: Array<string> = []
  for (const [n, settings] of [history, ...(history.other === undefined ? [] : [history.other])].entries()) {
    const { id } = await operator.externalAccounts.create({
      provider: "simulated",
      currency: CURRENCY,
      kind: "bank",
      identifiers: [{ scheme: "account_number", value: ACCOUNTS[n]! }],
      ...settingsIn(settings),
      opening: openingIn(settings.opening),
      time_zone: settings.zone
    })
    accounts.push(id)
  }

  let at = begin
  const moveTo = async (time: number) => {
    if (time > at) await first.sandbox.advance({ seconds: (time - at) / 1000 })
    at = Math.max(at, time)
  }

  const made = new Map<string, Made>()
  const labels = new Map<string, string>()
  const payouts = history.movements.filter(({ kind }) => kind === "payout")
  const merchant = payouts.length === 0 ? undefined : await merchantOn(first)
  const report = (label: string) => {
    const { amount, provider_reference, reported } = history.movements.find((one) => one.label === label)!
    const hasFailed = reported === "failed" || reported === "failed late"
    return merchant!.sandbox.outcome({
      resource_id: made.get(label)!.id,
      outcome: hasFailed ? "failed" : "success",
      ...(hasFailed ? {} : { amount: decimal(amount) }),
      ...(provider_reference === null ? {} : { provider_reference })
    })
  }
  const inTime = history.movements.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
  for (const [time, together] of Map.groupBy(inTime, (one) => Date.parse(one.at))) {
    await moveTo(time)
    for (const one of together) {
      const id =
        one.kind === "payout"
          ? await merchant!.pay(one)
          : (
              await operator.adjustingEntries.create({
                from: "losses",
                to: "world:simulated",
                amount: decimal(one.amount),
                currency: CURRENCY,
                note
              })
            ).id
      labels.set(id, one.label)
      made.set(one.label, { id, statement: "" })
    }
    if (together.some(({ kind }) => kind === "payout")) await merchant!.sandbox.settle()
    for (const one of together) {
      if (one.kind !== "payout") continue
      const { id } = made.get(one.label)!
      const [command] = (await operator.resources.get(id)).commands
      made.set(one.label, { id, statement: command?.statement_reference ?? "" })
      if (one.reported === "at once" || one.reported === "failed") await report(one.label)
    }
  }
  await moveTo(now)
  const others = await Promise.all(Array.from({ length: nodes - 1 }, () => nodeOn(store, begin)))
  const running = [first, ...others]

  const named = (text: string): string =>
    text.replaceAll(/\{(\w+):(id|statement)\}/g, (_, label, name: keyof Made) => made.get(label)![name])
  const written = (sheet: Sheet): Sheet => ({
    ...sheet,
    entries: sheet.entries.map((one) => ({
      ...one,
      text: one.text === null ? null : named(one.text),
      reference: one.reference === null ? null : named(one.reference),
      end_to_end: one.end_to_end === null ? null : named(one.end_to_end),
      ...(one.parts === undefined
        ? {}
        : { parts: one.parts.map((part) => ({ ...part, text: part.text === null ? null : named(part.text) })) })
    }))
  })

  const mappings = new Map<boolean, Promise<string>>()
  const mapping = (hasBalances: boolean): Promise<string> => {
    const known = mappings.get(hasBalances)
    if (known !== undefined) return known
    const input = { ...csvMapping(hasBalances), external_account_id: accounts[0]! }
    const creation = operator.statementMappings.create(input).then(({ id }) => id)
    mappings.set(hasBalances, creation)
    return creation
  }

  const statements = new Map<string, string>()
  const take = async (
    label: string,
    bytes: Uint8Array,
    csv?: string,
    on = 0,
    account: 0 | 1 = 0
  ): Promise<ReadonlyArray<string>> => {
    const taken = await running[on % nodes]!.operator.statements.take({
      file: bytes,
      external_account_id: accounts[account]!,
      ...(csv === undefined ? {} : { mapping: csv })
    } as never)
    return taken.map(({ id }, n) => {
      if (!statements.has(id)) statements.set(id, `${label}.${n + 1}`)
      return id
    })
  }

  const linesNow = () => every((page) => operator.statementLines.list({ per_page: 200, page }))
  const breaksNow = () => every((page) => operator.breaks.list({ status: "open", per_page: 200, page }))

  const act = async ({ action, movement, on }: Act, node: RunningSandbox): Promise<boolean> => {
    const found = (await linesNow()).filter(
      (one) =>
        one.external_account_id === accounts[0] &&
        one.booked_on === on.day &&
        one.direction === on.direction &&
        hundredths(one.amount) === on.amount
    )
    const breaks = await breaksNow()
    const line = found.find(({ id }) => breaks.some(({ lines }) => lines.includes(id)))
    const about = breaks.find(({ lines }) => line !== undefined && lines.includes(line.id))
    if (line === undefined || about === undefined) return false
    await node.operator.breaks.resolve(about.id, {
      note,
      action,
      ...(action === "explain"
        ? on.direction === "debit"
          ? { from: "costs:simulated", to: "world:simulated" }
          : { from: "world:simulated", to: "fees" }
        : action === "match"
          ? { line_ids: [line.id], resource_ids: [made.get(movement!)!.id] }
          : {})
    })
    return true
  }

  const apply = async (item: Item, on = 0): Promise<boolean> => {
    const [what, which = ""] = item.split(" ")
    if (what === "dismiss") {
      await dismissAll()
      return true
    }
    if (what === "patch") {
      const { account, status, ...settings } = history.patches![Number(which)]!
      await running[on % nodes]!.operator.externalAccounts.update(accounts[account]!, {
        note,
        ...settingsIn(settings),
        ...(status === undefined ? {} : { status })
      })
      return true
    }
    if (what === "clock") {
      await moveTo(at + 1000)
      return true
    }
    if (what === "act") return act(history.acts[Number(which)]!, running[on % nodes]!)
    if (what === "report") {
      await report(which)
      return true
    }
    const { label, sheets, text } = history.uploads[Number(which)]!
    const [sheet] = sheets
    const all = sheets.map(written)
    const bytes =
      text !== undefined
        ? new TextEncoder().encode(named(text))
        : all.length > 1
          ? joined(all, label)
          : bytesOf(all[0]!, label)
    await take(
      label,
      bytes,
      sheet?.format === "csv" ? await mapping(sheet.opening !== null) : undefined,
      on,
      sheet?.account
    )
    return true
  }

  /** Dismisses what is open, also what that leaves open. */
  const dismissAll = async (): Promise<void> => {
    for (let rows = await breaksNow(); rows.length > 0; rows = await breaksNow())
      for (const { id } of rows) await operator.breaks.resolve(id, { note, action: "dismiss" })
  }

  const namedNow = async () => {
    const lines = new Map((await linesNow()).map((one) => [one.id, one]))
    const resolved = await every((page) =>
      operator.breaks.list({ status: "resolved", action: "dismiss", per_page: 200, page })
    )
    const isOpen = ({ status }: { readonly status: string }) => status === "unmatched" || status === "proposed"
    const shown = (some: ReadonlyArray<Awaited<ReturnType<typeof breaksNow>>[number]>): ReadonlyArray<string> =>
      some.flatMap(({ amount, direction, kind, lines: ids, resources }) => {
        if (kind === "missing_on_statement" || resources.length === 0) return []
        const own = ids.flatMap((id) => lines.get(id) ?? []).filter(isOpen)
        const what = own.length > 1 ? "together" : `${kind} ${direction} ${amount}`
        return own.map((line) => `${what} of ${line.booked_on} ${line.direction} ${line.amount}`)
      })
    return { open: shown(await breaksNow()), dismissed: shown(resolved) }
  }

  const weigh = async () => {
    const isOfLines = ({ kind }: { readonly kind: string }) =>
      !["missing_on_statement", "gap", "balance_differs"].includes(kind)
    const signedOf = (one: { readonly amount: string | null; readonly direction: string | null }): bigint =>
      (one.direction === "debit" ? -1n : 1n) * hundredths(one.amount ?? "0")
    const open = (await breaksNow()).filter(isOfLines)
    const dismissed = (
      await every((page) => operator.breaks.list({ status: "resolved", action: "dismiss", per_page: 200, page }))
    ).filter(isOfLines)
    const lines = (await linesNow()).filter(({ status }) => status === "unmatched" || status === "proposed")
    const about = new Map(open.map((one) => [one.id, one]))
    const strays: Array<string> = []
    for (const line of lines) {
      const own = open.filter((one) => one.lines.includes(line.id))
      // Newest first.
      const last = dismissed.find((one) => one.lines.includes(line.id))
      if (own.length === 0 && last !== undefined) about.set(last.id, last)
      else if (own.length !== 1) strays.push(`${line.booked_on} ${line.direction} ${line.amount} in ${own.length}`)
    }
    const sum = (some: Iterable<bigint>) => [...some].reduce((total, one) => total + one, 0n)
    return { lines: sum(lines.map(signedOf)), breaks: sum([...about.values()].map(signedOf)), strays }
  }

  const reconciled = async (day: string, account = 0) =>
    (await operator.reconciliation.list({ external_account_id: accounts[account]!, date: day })).items[0]!

  const close = async (day: string, accept = false): Promise<SeenDay> => {
    const input = { external_account_id: accounts[0]!, date: day, ...(accept ? { accept, note } : {}) }
    return dayOf(await operator.closings.create(input), 0n, 0)
  }

  const read = async (): Promise<Picture> => {
    const [all, open] = [await linesNow(), await breaksNow()]
    const labelOf = (id: string): string => labels.get(id) ?? (id.startsWith("adj_") ? "by hand" : id)
    const lines = all.map((one): SeenLine & { readonly id: string } => ({
      id: one.id,
      account: accounts.indexOf(one.external_account_id),
      day: one.booked_on,
      accounted: one.accounted_on,
      direction: one.direction,
      amount: hundredths(one.amount),
      status: one.status,
      matches: one.matches
        .map(({ resource_id, rule }) => ({ movement: labelOf(resource_id), rule }))
        .toSorted((a, b) => (`${a.movement} ${a.rule}` < `${b.movement} ${b.rule}` ? -1 : 1)),
      words: [one.bank_reference, one.end_to_end_id, one.counterparty.name, one.remittance].join("|")
    }))
    const byId = new Map(lines.map((one) => [one.id, one]))
    const seen: Array<SeenStatement> = []
    for (const [id, label] of statements) {
      const body = (await operator.statements.get(id)) as Awaited<ReturnType<typeof operator.statements.get>> & {
        readonly lines_own?: number
        readonly lines_shared?: ReadonlyArray<{ readonly statement_id: string; readonly lines: number }>
      }
      seen.push({
        label,
        lines: body.lines,
        own: body.lines_own,
        shared: (body.lines_shared ?? [])
          .map((one) => ({ statement: statements.get(one.statement_id) ?? one.statement_id, lines: one.lines }))
          .toSorted((a, b) => (a.statement < b.statement ? -1 : 1)),
        warnings: body.warnings.map(({ code }) => code).toSorted()
      })
    }
    const breaks = open.map((one): SeenBreak => {
      const { statements: about } = one as typeof one & { readonly statements?: ReadonlyArray<string> }
      return {
        account: accounts.indexOf(one.external_account_id),
        kind: one.kind,
        severity: one.severity,
        amount: one.amount === null ? null : hundredths(one.amount),
        direction: one.direction,
        since: one.since,
        lines: one.lines.map((id) => byId.get(id)!),
        movements: one.resources.map(labelOf).toSorted(),
        candidates: one.candidates.map(({ resource_id }) => labelOf(resource_id)).toSorted(),
        statements: (about ?? (one.statement_id === null ? [] : [one.statement_id]))
          .map((id) => statements.get(id) ?? id)
          .toSorted()
      }
    })
    const days: Array<SeenDay> = []
    for (const [account, id] of accounts.entries())
      for (const day of (account === 0 ? history.closes : undefined) ?? daysOf(history, account)) {
        // No day is closed before it is there in the zone of its account.
        if (day > zonedDay((await operator.externalAccounts.get(id)).time_zone, history.now)) continue
        const closing = await operator.closings.create(
          { external_account_id: id, date: day, accept: true, note },
          { dryRun: true }
        )
        days.push(dayOf(closing, hundredths((await reconciled(day, account)).unexplained), account))
      }
    return { lines, statements: seen.toSorted((a, b) => (a.label < b.label ? -1 : 1)), breaks, days }
  }

  return {
    node: first,
    account: accounts[0]!,
    apply,
    take,
    mapping,
    advance: (seconds) => moveTo(at + seconds * 1000),
    dismissAll,
    named: namedNow,
    weigh,
    outstanding: async (day) => hundredths((await reconciled(day)).outstanding),
    close,
    read,
    made,
    end: async () => void (await Promise.all(running.map((one) => one.close())))
  }
}

const dayOf = (
  closing: {
    readonly date: string
    readonly opening: string
    readonly closing: string
    readonly statement_closing: string | null
    readonly unexplained: string
    readonly lines: number
  },
  reconciled: bigint,
  account: number
): SeenDay => ({
  account,
  day: closing.date,
  opening: hundredths(closing.opening),
  closing: hundredths(closing.closing),
  statement_closing: closing.statement_closing === null ? null : hundredths(closing.statement_closing),
  unexplained: hundredths(closing.unexplained),
  lines: closing.lines,
  reconciled
})

/** The days that the statements of an account speak of, by their files. */
export const daysOf = ({ uploads }: History, account = 0): ReadonlyArray<string> => {
  const days = uploads.flatMap(({ sheets }) =>
    sheets
      .filter((sheet) => (sheet.account ?? 0) === account)
      .flatMap(({ entries, from, to }) => [from, to, ...entries.map(({ day }) => day)])
  )
  return [...new Set(days)].toSorted()
}

const merchantOn = async (node: RunningSandbox) => {
  const { merchant } = await node.merchants.create({ name: "Ada Ltd", country_code: "NG", status: "active" })
  const calls = node.as(merchant.id)
  const sandbox = node.sandbox.as(merchant.id)
  const wallet = await calls.wallets.create({ currency: "USDC" })
  await sandbox.deposit({ wallet_id: wallet.id, amount: "10000000" })
  const [bank] = (await calls.providers.list({ country_code: "NG" })).items
  const beneficiary = await calls.beneficiaries.create({
    type: "fiat",
    name: "Chidi",
    currency: CURRENCY,
    details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank!.id }
  })
  const pay = async ({ amount, reference }: Movement): Promise<string> => {
    const quote = await calls.quotes.offramp({
      wallet_id: wallet.id,
      beneficiary_id: beneficiary.id,
      target_amount: decimal(amount)
    })
    const { id } = await calls.offramps.create({ quote_id: quote.id, ...(reference === null ? {} : { reference }) })
    return id
  }
  return { sandbox, pay }
}

/** By when all that follows from what arrived has followed. */
const AFTERWARDS_SECONDS = 3600

/**
 * Plays a history in an order, and reads the picture after the last job. An act whose line has no break yet waits for the next file, as a
 * person does.
 */
export const play = (history: History, order: ReadonlyArray<Item> = itemsOf(history), nodes = 1): Promise<Picture> =>
  playing(history, order, (desk) => desk.read(), nodes)

/** Plays a history in an order, and uses the desk after the last job. */
export const playing = async <A>(
  history: History,
  order: ReadonlyArray<Item>,
  use: (desk: Desk) => Promise<A>,
  nodes = 1
): Promise<A> => {
  const desk = await open(history, nodes)
  try {
    let waiting: ReadonlyArray<Item> = []
    for (const [n, item] of order.entries()) {
      const still: Array<Item> = []
      for (const one of [item, ...waiting]) if (!(await desk.apply(one, n))) still.push(one)
      waiting = still
    }
    await desk.advance(AFTERWARDS_SECONDS)
    return await use(desk)
  } finally {
    await desk.end()
  }
}

const amountOf = (line: Pick<SeenLine, "direction" | "amount">): string => `${line.direction} ${decimal(line.amount)}`
const onAccount = ({ account }: { readonly account: number }): string => (account === 0 ? "" : " of the other account")

/** What of a picture any order of the same gives: all but which of several statements a shared line is counted and quoted by. */
export const textOf = (picture: Picture): ReadonlyArray<string> => [
  ...picture.lines
    .map((one) => {
      const matches = one.matches.map(({ movement, rule }) => `${movement} by ${rule}`).join(" + ")
      return `line${onAccount(one)} ${one.day} (${one.accounted}) ${amountOf(one)} ${one.status} ${matches}`
    })
    .toSorted(),
  ...picture.statements.map(
    (one) =>
      `statement ${one.label} ${one.lines} lines, warnings [${one.warnings.filter((code) => code !== "overlaps").join()}]`
  ),
  ...picture.breaks
    .map((one) => {
      const lines = one.lines.map((line) => `${line.day} ${amountOf(line)}`).toSorted()
      const amount = one.amount === null ? "-" : `${one.direction} ${decimal(one.amount)}`
      const [movements, candidates, statements] = [one.movements, one.candidates, one.statements].map((all) =>
        all.join()
      )
      return `break${onAccount(one)} ${one.kind} ${one.severity} ${amount}, lines [${lines.join()}], movements [${movements}], candidates [${candidates}], statements [${statements}]`
    })
    .toSorted(),
  ...picture.days.map(
    (one) =>
      `day${onAccount(one)} ${one.day} ${decimal(one.opening)} to ${decimal(one.closing)}, ${one.lines} lines, unexplained ${decimal(one.unexplained)}, reconciled ${decimal(one.reconciled)}`
  )
]

/** The rest of a picture: how a shared line is counted and quoted. */
export const ownersOf = (picture: Picture): ReadonlyArray<string> => [
  ...picture.lines.map((one) => `line${onAccount(one)} ${one.day} ${amountOf(one)} ${one.words}`).toSorted(),
  ...picture.statements.map((one) => {
    const shared = one.shared.map(({ lines, statement }) => `${lines} with ${statement}`).join(", ")
    return `statement ${one.label} has ${one.own} of its own, and ${shared}`
  })
]
