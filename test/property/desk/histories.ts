/**
 * Histories drawn from a seed: what a bank truly booked in some days, cut into files in every way that banks do, with what goes wrong on
 * purpose. Amounts are few, so that much is alike, and no sum of them is another of them.
 */
import fc from "fast-check"
import { type Act, type History, type Item, itemsOf, type Movement, type Patch, type Upload } from "./desk.ts"
import { dayAfter, type Entry, type Format, type Sheet, signed } from "./files.ts"
import { dayIn, instantOf } from "./oracle.ts"
import { orderBy } from "./orders.ts"

const zones = ["Africa/Lagos", "Pacific/Auckland", "America/Los_Angeles", "UTC"] as const
const amounts = [1001n, 3013n, 9157n] as const
const others = [777n, 5003n, 1001n, 3013n] as const

interface Size {
  readonly days: number
  readonly extras: number
  /** Whether statements overlap in every way, and the account comes back to balances that it had. */
  readonly isCutAnyhow?: true
  /** Whether the bank books payouts together, and some files have them in detail. */
  readonly hasBatches?: true
  /** Whether many lines name one payout, of its amount and of others. */
  readonly isRepeated?: true
  /** Whether banks correct statements, also the parts of a day. */
  readonly isCorrected?: true
}

const drawnBooking = ({ hasBatches, isCutAnyhow, isRepeated }: Size) =>
  fc.record({
    /**
     * `payout`, `entry`: a movement with its booking. `lost`: a movement without one. `fee`, `credit`: a booking of nothing. `back`: a credit
     * that is paid out again. `twice`: another booking under the name of a payout; `short`: one of another amount. `failed`, `unknown`: the
     * booking of such a payout. `batch`: a booking of two or three payouts together.
     */
    what: isRepeated
      ? fc.constantFrom(...(["payout", "twice", "twice", "short", "short", "fee"] as const))
      : hasBatches
        ? fc.constantFrom(...(["batch", "batch", "payout", "fee", "credit", "lost", "twice", "short"] as const))
        : isCutAnyhow
          ? fc.constantFrom(...(["payout", "fee", "credit", "back", "back"] as const))
          : fc.constantFrom(
              ...([
                "payout",
                "payout",
                "payout",
                "entry",
                "fee",
                "fee",
                "credit",
                "lost",
                "twice",
                "short",
                "failed",
                "unknown"
              ] as const)
            ),
    amount: fc.nat(3),
    name: fc.constantFrom(...(["statement", "id", "provider", "reference", "none", "none"] as const)),
    late: fc.integer({ min: 0, max: 5 }),
    /** Whether a person acts on it, where nothing else is like it. */
    act: fc.constantFrom(...(["none", "dismiss", "explain", "match"] as const))
  })

const drawnDay = (size: Size) =>
  fc.record({
    bookings: fc.array(drawnBooking(size), { maxLength: 4 }),
    /**
     * The statements of the day: one; two parts of it; two pages; one of each booking, all under one number; the day at noon and in the evening;
     * with one of the night that has nothing; none; or one whose balances are not those of the days around it.
     */
    cut: size.isCutAnyhow
      ? fc.constantFrom(...(["day", "parts", "parts", "pages", "noon", "night", "one number", "one number"] as const))
      : fc.constantFrom(...(["day", "day", "day", "parts", "none", "shifted"] as const)),
    at: fc.nat(3)
  })

const drawnExtra = ({ hasBatches, isCorrected, isCutAnyhow }: Size) =>
  fc.record({
    kind: isCorrected
      ? fc.constantFrom(...(["wrong version", "wrong version", "wrong version", "interim", "period", "again"] as const))
      : hasBatches
        ? fc.constantFrom(
            ...(["interim", "interim", "notification", "twin", "twin", "period", "export", "again"] as const)
          )
        : isCutAnyhow
          ? fc.constantFrom(...(["interim", "twin", "period", "rolling", "rolling", "again"] as const))
          : fc.constantFrom(
              ...([
                "interim",
                "interim",
                "interim parts",
                "notification",
                "phantom",
                "twin",
                "period",
                "period",
                "export",
                "export with balances",
                "wrong version",
                "again"
              ] as const)
            ),
    day: fc.nat(11),
    days: fc.nat(3),
    size: fc.nat(4),
    camt: fc.boolean(),
    references: fc.constantFrom(...(["own", "none", "other"] as const)),
    /** Whether it states amounts alone. */
    mute: fc.boolean()
  })

const planOf = (size: Size) =>
  fc.record({
    zone: fc.constantFrom(...zones),
    start: fc.nat(6),
    camt: size.hasBatches === true ? fc.constantFrom(true, true, false) : fc.boolean(),
    references: fc.constantFrom(...(["unique", "none", "constant"] as const)),
    isNumbered: fc.boolean(),
    /** Which files have a batch in detail, of those that can. */
    detailed:
      size.hasBatches === true
        ? fc.constantFrom(...(["all", "all", "statements", "reports", "reports", "none"] as const))
        : fc.constant("none" as const),
    /** Whether all days come in one file, and in which order. */
    file: fc.constantFrom(...(["each", "each", "one", "newest first"] as const)),
    days: fc.array(drawnDay(size), { minLength: 1, maxLength: size.days, size: "max" }),
    extras: fc.array(drawnExtra(size), { maxLength: size.extras, size: "max" }),
    opens: fc.constantFrom(...(["right", "right", "right", "wrong"] as const)),
    lag: fc.nat(5),
    ranks: fc.array(fc.nat(1000), { minLength: 40, maxLength: 40 })
  })

type Plan = ReturnType<typeof planOf> extends fc.Arbitrary<infer A> ? A : never

interface Booked extends Entry {
  /** Which booking it is. */
  readonly place: number
}

const net = (entries: ReadonlyArray<Entry>): bigint => entries.reduce((sum, one) => sum + signed(one), 0n)

const nameOf = (movement: Movement, by: Plan["days"][number]["bookings"][number]["name"]): string => {
  if (movement.kind === "entry") return `{${movement.label}:id}`
  if (by === "provider") return movement.provider_reference!
  if (by === "reference") return movement.reference!
  return `{${movement.label}:${by === "id" ? "id" : "statement"}}`
}

export interface Drawn {
  readonly history: History
  readonly order: ReadonlyArray<Item>
  /** What the bank booked. */
  readonly truth: ReadonlyArray<Entry>
}

/** The history of a plan. Undefined where balances are alike by chance, which tell a part of a day from the whole. */
const drawn = (plan: Plan, { isCorrected, isCutAnyhow }: Size): Drawn | undefined => {
  const first = dayAfter("2026-12-01", plan.start)
  const days = plan.days.map((_, n) => dayAfter(first, n))
  const movements: Array<Movement> = []
  const acts: Array<Act> = []
  const truth: Array<Booked> = []
  const book = (day: string, direction: "credit" | "debit", amount: bigint, text: string | null): number => {
    const place = truth.length + 1
    const reference = plan.references === "unique" ? `B${place}` : plan.references === "constant" ? "POS" : null
    truth.push({ place, day, direction, amount, reference, end_to_end: null, name: null, text })
    return place
  }
  for (const [n, { bookings }] of plan.days.entries())
    for (const one of bookings) {
      const day = days[n]!
      const label = `M${movements.length + 1}`
      const amount = amounts[one.amount % amounts.length]!
      const isPaid = ["payout", "entry", "lost", "failed", "unknown"].includes(one.what)
      if (isPaid) {
        // Whose day is another is not alike: its line has its name.
        const isLate = one.what === "payout" && one.late === 0 && one.name !== "none"
        const movement: Movement = {
          label,
          kind: one.what === "entry" || (one.what === "lost" && one.late > 2) ? "entry" : "payout",
          at: new Date(instantOf(plan.zone, day, 14)).toISOString(),
          amount,
          reference: `INV-${label}`,
          provider_reference: `FT1000${label}`,
          reported:
            one.what === "failed"
              ? one.late === 0
                ? "failed late"
                : "failed"
              : one.what === "unknown"
                ? "never"
                : isLate
                  ? "late"
                  : "at once"
        }
        movements.push(movement)
        if (one.what === "lost") continue
        const isNamed = one.name !== "none" || one.what === "failed" || one.what === "unknown"
        // The provider's reference comes with its report.
        const by = one.name === "provider" && one.what !== "payout" ? "statement" : one.name
        book(day, "debit", amount, isNamed ? `PAY ${nameOf(movement, by)} OK` : null)
        continue
      }
      if (one.what === "batch") {
        const payouts = Array.from(
          { length: 2 + (one.late % 2) },
          (_, n): Movement => ({
            label: `M${movements.length + n + 1}`,
            kind: "payout",
            at: new Date(instantOf(plan.zone, day, 14)).toISOString(),
            amount: amounts[(one.amount + n * (one.late > 2 ? 1 : 0)) % amounts.length]!,
            reference: `INV-M${movements.length + n + 1}`,
            provider_reference: `FT1000M${movements.length + n + 1}`,
            reported: "at once"
          })
        )
        movements.push(...payouts)
        const named = payouts.map((payout) => (one.name === "none" ? null : nameOf(payout, one.name)))
        const text = one.name === "none" ? null : `PAY ${named.join(" ")} OK`
        const place = book(
          day,
          "debit",
          payouts.reduce((sum, { amount }) => sum + amount, 0n),
          one.late > 3 ? null : text
        )
        const parts = payouts.map(({ amount }, n) => ({ amount, text: named[n] === null ? null : `PAY ${named[n]}` }))
        truth[place - 1] = { ...truth[place - 1]!, parts }
        continue
      }
      if (one.what === "back") {
        for (const direction of ["credit", "debit"] as const)
          book(day, direction, others[one.amount % others.length]!, null)
        continue
      }
      const named = movements.find(({ kind, reported }) => kind === "payout" && reported === "at once")
      if (one.what === "twice" || one.what === "short") {
        if (named === undefined) continue
        const due = one.what === "twice" ? named.amount : named.amount + (one.late > 2 ? 100n : -100n)
        book(day, "debit", due, `PAY ${nameOf(named, one.name === "none" ? "id" : one.name)} OK`)
        continue
      }
      const direction = one.what === "credit" ? "credit" : "debit"
      const text = one.late > 2 ? `fee ${truth.length}` : null
      const on = { day, direction, amount: 60_000n + 7n * BigInt(truth.length) } as const
      // What a person decides is about a line alone of its kind, which its day's statement has.
      const hasStatement = plan.days[n]!.cut !== "none"
      if (hasStatement && (one.act === "dismiss" || one.act === "explain")) {
        book(day, direction, on.amount, text)
        acts.push({ action: one.act, on })
      } else if (hasStatement && one.act === "match" && n > 0 && direction === "debit") {
        // Of the day before, and so not alike.
        const at = new Date(instantOf(plan.zone, days[n - 1]!, 14)).toISOString()
        const none = { reference: null, provider_reference: null, reported: "at once" } as const
        movements.push({ label, kind: "entry", at, amount: on.amount, ...none })
        book(day, direction, on.amount, null)
        acts.push({ action: "match", on, movement: label })
      } else book(day, direction, others[one.amount % others.length]!, text)
    }

  const begin = 100_000n
  const balanceBefore = (place: number): bigint => begin + net(truth.filter((one) => one.place < place))
  const ofDays = (from: number, to: number) => truth.filter(({ day }) => days[from]! <= day && day <= days[to]!)
  const placeOf = (n: number) => (ofDays(0, n - 1).at(-1)?.place ?? 0) + 1
  const asStated = (
    entries: ReadonlyArray<Booked>,
    { mute, references }: Pick<Plan["extras"][number], "mute" | "references">
  ) =>
    entries.map((one) => ({
      ...one,
      reference: references === "own" ? one.reference : references === "none" ? null : `X${one.place}`,
      text: mute ? null : one.text
    }))
  const own = { mute: false, references: "own" } as const
  const isDetailed = (format: Format): boolean =>
    plan.detailed === "all"
      ? format.startsWith("camt")
      : plan.detailed === "statements"
        ? format === "camt.053"
        : plan.detailed === "reports" && (format === "camt.052" || format === "camt.054")
  const sheetOf = (
    format: Format,
    number: number | null,
    from: number,
    to: number,
    entries: ReadonlyArray<Entry>,
    opening: bigint | null,
    made: string | null = null,
    page = ""
  ): Sheet => ({
    format,
    number: number === null ? null : `${number}${page}`,
    made,
    from: days[from]!,
    to: days[to]!,
    opening,
    closing: opening === null ? null : opening + net(entries),
    entries: isDetailed(format) ? entries : entries.map(({ parts: _, ...one }) => one)
  })

  const base: Format = plan.camt ? "camt.053" : "mt940"
  const other: Format = plan.camt ? "mt940" : "camt.053"
  const interim = (camt: boolean): Format => (camt ? "camt.052" : "mt942")
  const statements: Array<Sheet> = []
  const hasBalances = new Set(["twin", "period", "export with balances", "wrong version"])
  const isAlone = !plan.extras.some(({ kind }) => hasBalances.has(kind))
  let number = 0
  const next = () => (plan.isNumbered ? ++number : null)
  for (const [n, { at, cut }] of plan.days.entries()) {
    const entries = ofDays(n, n)
    const opening = balanceBefore(placeOf(n))
    if (cut === "none") {
      number++
      continue
    }
    const head = entries.slice(0, 1 + at)
    const rest = entries.slice(1 + at)
    if (cut === "pages") {
      // Only MT940 has pages.
      const [one, other] = base === "mt940" ? [++number, number] : [next(), next()]
      statements.push(sheetOf(base, one, n, n, head, opening))
      statements.push(sheetOf(base, other, n, n, rest, opening + net(head), null, base === "mt940" ? "/2" : ""))
    } else if (cut === "one number" && entries.length > 1) {
      number++
      for (const one of entries) statements.push(sheetOf(base, number, n, n, [one], balanceBefore(one.place)))
      // At night nothing was booked since.
      if (at === 0) statements.push(sheetOf(base, number, n, n, [], opening + net(entries)))
    } else if (cut === "noon") {
      statements.push(sheetOf(base, null, n, n, head, opening, `${days[n]!}T12:00:00Z`))
      statements.push(sheetOf(base, null, n, n, entries, opening))
    } else if (cut === "night") {
      statements.push(sheetOf(base, next(), n, n, entries, opening))
      statements.push(sheetOf(base, next(), n, n, [], opening + net(entries)))
    } else if (cut === "parts" && rest.length > 0) {
      statements.push(sheetOf(base, next(), n, n, head, opening))
      statements.push(sheetOf(base, next(), n, n, rest, opening + net(head)))
    } else {
      const shift = cut === "shifted" && isAlone ? 100n : 0n
      statements.push(sheetOf(base, next(), n, n, entries, opening + shift))
    }
  }

  const uploads: Array<Upload> = []
  const label = () => `U${uploads.length + 1}`
  const isOne = plan.file !== "each" && statements.length > 0
  if (isOne) {
    const sheets = plan.file === "one" ? statements : statements.toReversed()
    uploads.push({ label: label(), sheets })
  } else for (const sheet of statements) uploads.push({ label: label(), sheets: [sheet] })

  for (const [n, extra] of plan.extras.entries()) {
    const day = extra.day % days.length
    const to = Math.min(days.length - 1, day + extra.days)
    const entries = ofDays(day, day)
    const prefix = asStated(entries.slice(0, 1 + extra.size), extra)
    const add = (...sheets: ReadonlyArray<Sheet>) => {
      for (const sheet of sheets) uploads.push({ label: label(), sheets: [sheet] })
    }
    const series = 1000 + 10 * n
    switch (extra.kind) {
      case "interim":
        if (prefix.length > 0) add(sheetOf(interim(extra.camt), null, day, day, prefix, null))
        break
      case "notification":
        if (prefix.length > 0) add(sheetOf("camt.054", null, day, day, prefix.slice(-1), null))
        break
      case "interim parts": {
        const rest = asStated(entries.slice(1 + extra.size), extra)
        const format = interim(extra.camt)
        if (rest.length > 0)
          add(sheetOf(format, series, day, day, prefix, null), sheetOf(format, series + 1, day, day, rest, null))
        break
      }
      case "phantom": {
        const lost = movements.find((one) => one.reported === "at once" && dayIn(plan.zone, one.at) === days[day])
        // Where no reference tells it from a booking of its amount, either may be the one that is withdrawn.
        const isTold = plan.references !== "none" && extra.references !== "other"
        const isNaming = extra.size > 0 && isTold && lost !== undefined
        const more: Entry = {
          day: days[day]!,
          direction: "debit",
          amount: isNaming ? lost.amount : 4409n,
          reference: `P${n}`,
          end_to_end: null,
          name: null,
          text: isNaming ? `PAY {${lost.label}:id} OK` : null
        }
        add(sheetOf(interim(extra.camt), null, day, day, [...prefix, more], null))
        break
      }
      case "twin":
        add(sheetOf(other, null, day, day, asStated(entries, extra), balanceBefore(placeOf(day))))
        break
      case "period":
        add(
          sheetOf(
            extra.camt ? "camt.053" : "mt940",
            plan.isNumbered ? series : null,
            day,
            to,
            asStated(ofDays(day, to), extra),
            balanceBefore(placeOf(day))
          )
        )
        break
      case "rolling": {
        const format = extra.camt ? "camt.053" : "mt940"
        if (day + 2 >= days.length) break
        for (const [at, begin] of [day, day + 1].entries()) {
          const end = Math.min(days.length - 1, begin + 1 + extra.days)
          const name = plan.isNumbered ? series + at : null
          add(sheetOf(format, name, begin, end, asStated(ofDays(begin, end), extra), balanceBefore(placeOf(begin))))
        }
        break
      }
      case "export":
        if (ofDays(day, to).length > 0) add(sheetOf("csv", null, day, to, asStated(ofDays(day, to), own), null))
        break
      case "export with balances":
        if (ofDays(day, to).length > 0)
          add(sheetOf("csv", null, day, to, asStated(ofDays(day, to), extra), balanceBefore(placeOf(day))))
        break
      case "wrong version": {
        const at = uploads.findIndex(
          ({ sheets: [sheet] }) =>
            sheet?.format === base &&
            sheet.number !== null &&
            sheet.from === days[day] &&
            sheet.to === days[day] &&
            (isCorrected !== true || extra.days % 2 === 0 || sheet.opening !== balanceBefore(placeOf(day)))
        )
        if (
          isOne ||
          at < 0 ||
          (plan.days[day]!.cut === "parts" && isCorrected !== true) ||
          Number(uploads[at]!.sheets[0]!.number) >= 1000
        )
          break
        const [{ entries: right, number, opening }] = uploads[at]!.sheets as readonly [Sheet]
        const wrong =
          extra.size > 2
            ? [...right, { ...nothing, day: days[day]!, amount: 4409n }]
            : right.toSpliced(extra.size % Math.max(1, right.length), 1)
        // A camt says when it was made, MT940 does not: there the one that comes later is.
        const made = base === "camt.053" ? `${days[day]}T18:00:00Z` : null
        const name = label()
        uploads.push({
          label: name,
          sheets: [sheetOf(base, Number(number), day, day, wrong, opening, made)]
        })
        if (made === null) uploads[at] = { ...uploads[at]!, after: [...(uploads[at]!.after ?? []), name] }
        break
      }
      case "again": {
        const [known] = uploads.slice(extra.size % Math.max(1, uploads.length))
        if (known !== undefined) uploads.push(known)
      }
    }
  }
  if (uploads.length === 0) return undefined

  const history: History = {
    opening: { date: "2026-11-01", balance: plan.opens === "right" ? begin : begin + 12345n },
    zone: plan.zone,
    movements,
    uploads,
    acts,
    now: new Date(instantOf(plan.zone, dayAfter(days.at(-1)!, plan.lag), 15)).toISOString()
  }
  // Where the first opening is not the account's, a day that comes back to its balance may begin with any of them.
  const isClear =
    isCutAnyhow && plan.opens === "right" ? isTold(uploads, days, truth, balanceBefore) : !hasChance(begin, truth)
  if (!isClear) return undefined
  return { history, order: orderBy(history, plan.ranks.slice(0, itemsOf(history).length)), truth }
}

const nothing: Entry = {
  day: "",
  direction: "debit",
  amount: 0n,
  reference: null,
  end_to_end: null,
  name: null,
  text: null
}

/** Whether the account has one balance at two moments: then balances cannot tell a part of a day from the whole. */
const hasChance = (begin: bigint, truth: ReadonlyArray<Booked>): boolean => {
  const balances: Array<bigint> = [begin]
  for (const one of truth) balances.push(balances.at(-1)! + signed(one))
  return new Set(balances).size !== balances.length
}

/**
 * Whether balances tell which statements share something: none that two ends of statements have on a day is there twice. Or where it is, their
 * bookings do: of two that share some, one has all of the other; of others, none has.
 */
const isTold = (
  uploads: ReadonlyArray<Upload>,
  days: ReadonlyArray<string>,
  truth: ReadonlyArray<Booked>,
  balanceBefore: (place: number) => bigint
): boolean =>
  days.every((day) => {
    const own = uploads
      .flatMap(({ sheets }) => sheets)
      .filter(({ from, opening, to }) => opening !== null && from <= day && day <= to)
      .map(({ entries }) => (entries as ReadonlyArray<Booked>).filter((one) => one.day === day))
      .filter((entries) => entries.length > 0)
      .map((entries) => ({ from: entries[0]!.place, to: entries.at(-1)!.place + 1 }))
    const places = new Set(own.flatMap(({ from, to }) => [from, to]))
    if (new Set([...places].map(balanceBefore)).size === places.size) return true
    const amountsIn = ({ from, to }: (typeof own)[number]) => truth.slice(from - 1, to - 1).map(signed)
    const isIn = (a: ReadonlyArray<bigint>, b: ReadonlyArray<bigint>): boolean =>
      a.every((one) => a.filter((other) => other === one).length <= b.filter((other) => other === one).length)
    return own.every((a, n) =>
      own.slice(n + 1).every((b) => {
        const [one, other] = [amountsIn(a), amountsIn(b)]
        const isWithin = (a.from <= b.from && b.to <= a.to) || (b.from <= a.from && a.to <= b.to)
        return a.from < b.to && b.from < a.to ? isWithin : !isIn(one, other) && !isIn(other, one)
      })
    )
  })

const historyOf = (size: Size): fc.Arbitrary<Drawn> =>
  planOf(size)
    .map((plan) => drawn(plan, size))
    .filter((one) => one !== undefined)

const drawnOther = fc.record({
  zone: fc.constantFrom(...zones),
  camt: fc.boolean(),
  bookings: fc.array(
    fc.record({
      /**
       * `named`: a booking under the name of a movement; `short`: one of another amount; `phantom`: one that an interim report alone has. `fee`,
       * `credit`: a booking of nothing.
       */
      what: fc.constantFrom(...(["named", "named", "named", "short", "phantom", "fee", "credit"] as const)),
      movement: fc.nat(20),
      name: fc.constantFrom(...(["statement", "id", "provider", "reference"] as const)),
      amount: fc.nat(3),
      day: fc.nat(11)
    }),
    { minLength: 1, maxLength: 4 }
  ),
  /** Whether one statement has all of its days. */
  isOne: fc.boolean(),
  patches: fc.array(
    fc.record({
      account: fc.constantFrom(...([0, 1] as const)),
      what: fc.constantFrom(...(["zone", "balance", "uses"] as const)),
      zone: fc.constantFrom(...zones),
      uses: fc.constantFrom(...([["payouts"], ["payins"], ["payins", "payouts"]] as const)),
      more: fc.constantFrom(...([0n, 12_345n] as const))
    }),
    { maxLength: 2 }
  ),
  ranks: fc.array(fc.nat(1000), { minLength: 40, maxLength: 40 })
})

type Other = typeof drawnOther extends fc.Arbitrary<infer A> ? A : never

/** A history with another account, of which statements name the same movements, and with changes of settings. */
const withOther = (
  { history, truth }: Drawn,
  { bookings, camt, isOne, patches, ranks, zone }: Other
): Drawn | undefined => {
  const days = [
    ...new Set(history.uploads.flatMap(({ sheets }) => sheets.flatMap(({ from, to }) => [from, to])))
  ].sort()
  // What a person matches is of the first account.
  const free = history.movements.filter(({ label }) => history.acts.every((act) => act.movement !== label))
  const booked: Array<Booked> = []
  const reported: Array<Entry> = []
  for (const one of bookings.toSorted((a, b) => (a.day % days.length) - (b.day % days.length))) {
    const day = days[one.day % days.length]!
    const place = booked.length + 1
    const none = { day, reference: `O${place}`, end_to_end: null, name: null }
    const movement = free[one.movement % Math.max(1, free.length)]
    if (one.what === "fee" || one.what === "credit") {
      const direction = one.what === "credit" ? ("credit" as const) : ("debit" as const)
      booked.push({ ...none, place, direction, amount: others[one.amount % others.length]!, text: null })
      continue
    }
    if (movement === undefined) continue
    const isTold = movement.reported === "at once" || movement.reported === "late"
    const by = one.name === "provider" && !isTold ? "statement" : one.name
    const name = movement.kind === "payout" && movement.provider_reference === null ? null : nameOf(movement, by)
    const amount = movement.amount - (one.what === "short" ? 100n : 0n)
    const entry = { ...none, direction: "debit" as const, amount, text: name === null ? null : `PAY ${name} OK` }
    if (one.what === "phantom") reported.push({ ...entry, reference: `P${reported.length}` })
    else booked.push({ ...entry, place })
  }
  const begin = 50_000n
  if (booked.length + reported.length === 0 || hasChance(begin, booked)) return undefined
  const format: Format = camt ? "camt.053" : "mt940"
  const of = (from: string, to: string): Sheet => {
    const opening = begin + net(booked.filter(({ day }) => day < from))
    const entries = booked.filter(({ day }) => from <= day && day <= to)
    return { format, number: null, made: null, from, to, opening, closing: opening + net(entries), entries, account: 1 }
  }
  const finals = isOne ? [of(days[0]!, days.at(-1)!)] : days.map((day) => of(day, day))
  const reports = reported.map((one): Sheet => {
    const none = { number: null, made: null, opening: null, closing: null, account: 1 } as const
    return { ...none, format: camt ? "camt.052" : "mt942", from: one.day, to: one.day, entries: [one] }
  })
  const settings = new Map(
    patches.map(({ account, more, uses, what, zone }): readonly [string, Patch] => {
      const opening = account === 0 ? history.opening : { date: history.opening.date, balance: begin }
      const patch =
        what === "zone"
          ? { zone }
          : what === "uses"
            ? { uses }
            : { opening: { date: opening.date, balance: opening.balance + more } }
      return [`${account} ${what}`, { account, ...patch }]
    })
  )
  const more: History = {
    ...history,
    other: { opening: { date: history.opening.date, balance: begin }, zone },
    patches: [...settings.values()],
    uploads: [
      ...history.uploads,
      ...[...finals, ...reports].map((sheet, n): Upload => ({ label: `O${n + 1}`, sheets: [sheet] }))
    ]
  }
  return { history: more, order: orderBy(more, ranks.slice(0, itemsOf(more).length)), truth }
}

const sharedHistory: fc.Arbitrary<Drawn> = fc
  .tuple(historyOf({ days: 4, extras: 2 }), drawnOther)
  .map(([drawn, other]) => withOther(drawn, other))
  .filter((one) => one !== undefined)

const drawnChange = fc.record({
  account: fc.constantFrom(...([0, 1] as const)),
  what: fc.constantFrom(...(["zone", "uses", "uses", "back"] as const)),
  zone: fc.constantFrom(...zones),
  uses: fc.constantFrom(...([["payouts"], ["payins"], ["payins", "payouts"]] as const))
})

const unsettledHistory: fc.Arbitrary<Drawn> = fc
  .tuple(
    sharedHistory,
    fc.array(drawnChange, { minLength: 1, maxLength: 3 }),
    fc.nat(2),
    fc.array(fc.nat(1000), { minLength: 60, maxLength: 60 })
  )
  .map(([{ history, truth }, changes, clocks, ranks]): Drawn => {
    const first = [history, history.other!]
    const patches = changes.flatMap(({ account, uses, what, zone }): ReadonlyArray<Patch> => {
      if (what === "zone") return [{ account, zone }]
      if (what === "uses") return [{ account, uses }]
      return [{ account, zone: first[account]!.zone, uses: ["payouts", "payins"] }]
    })
    const more: History = { ...history, clocks, patches: [...(history.patches ?? []), ...patches] }
    return { history: more, order: orderBy(more, ranks.slice(0, itemsOf(more).length)), truth }
  })

/** The kinds of drawn histories, by the name that `run.ts` takes. */
export const histories = {
  /** Up to four days and about eight files. */
  drawn: historyOf({ days: 4, extras: 4 }),
  /** Up to ten days and about forty files. */
  long: historyOf({ days: 10, extras: 26 }),
  /** Up to four days, of which statements are corrected, also parts of a day. */
  corrected: historyOf({ days: 4, extras: 3, isCorrected: true }),
  /** Up to four days, on which several lines name one payout. */
  repeated: historyOf({ days: 4, extras: 2, isRepeated: true }),
  /** Up to three days, in which the bank books payouts together, in detail or as one. */
  batches: historyOf({ days: 3, extras: 3, hasBatches: true }),
  /** Up to three days, in which parts, pages and periods overlap in every way, and of which balances alone do not tell. */
  cut: historyOf({ days: 3, extras: 3, isCutAnyhow: true }),
  /** Up to four days of two accounts of one provider, and changes of their settings. */
  shared: sharedHistory,
  /** Two accounts whose settings change again and again, also back to what they were, while the clock runs between. */
  unsettled: unsettledHistory
}
