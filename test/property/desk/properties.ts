/** What must hold of every drawn history, each as a function that returns what does not. */
import {
  daysOf,
  type History,
  type Item,
  itemsOf,
  type Movement,
  ownersOf,
  type Picture,
  play,
  playing,
  type SeenLine,
  textOf
} from "./desk.ts"
import { decimal, type Sheet, signed } from "./files.ts"
import type { Drawn } from "./histories.ts"
import { breaches } from "./laws.ts"
import { dayIn, expect } from "./oracle.ts"
import { noisy, withoutNoise } from "./noise.ts"
import { isPossible, orderBy } from "./orders.ts"

export type Property = (drawn: Drawn) => Promise<ReadonlyArray<string>>

/** What one of two texts has more often, each with the side that has it. */
const differences = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): ReadonlyArray<string> => {
  const rest = [...other]
  const only = one.filter((text) => {
    const at = rest.indexOf(text)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
  return [...only.map((text) => `only first: ${text}`), ...rest.map((text) => `only second: ${text}`)]
}

/** A picture in which statements of the same days, number and balances have one name: a difference of balances names one of them. */
const withoutTwins = ({ uploads }: History, picture: Picture): Picture => {
  const names = new Map<string, string>()
  const nameOf = new Map(
    uploads.flatMap(({ label, sheets }) =>
      sheets.map((sheet, n) => {
        const [own, content] = [`${label}.${n + 1}`, contentOf(sheet)]
        if (!names.has(content)) names.set(content, own)
        return [own, names.get(content)!] as const
      })
    )
  )
  const named = (label: string): string => nameOf.get(label) ?? label
  return {
    ...picture,
    statements: picture.statements.map((one) => ({ ...one, label: named(one.label) })),
    breaks: picture.breaks.map((one) => ({ ...one, statements: one.statements.map(named) }))
  }
}

const contentOf = ({ closing, format, from, made, number, opening, to }: Sheet): string =>
  [format, number, made, from, to, opening, closing].join()

const backwards = ({ history, order }: Drawn): ReadonlyArray<Item> =>
  orderBy(
    history,
    itemsOf(history).map((item) => -order.indexOf(item))
  )

/** The items of a history among those of one that has more, which are spread over them. */
const spread = (history: History, order: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const more = itemsOf(history).filter((item) => !order.includes(item))
  const all = [...order]
  for (const [n, item] of more.entries()) all.splice((7 * n) % (all.length + 1), 0, item)
  return isPossible(history, all) ? all : [...more, ...order]
}

/** An order in which a person dismisses what is open, again and again. */
const dismissing = (order: ReadonlyArray<Item>): ReadonlyArray<Item> =>
  order.flatMap((item, n): ReadonlyArray<Item> => (n % 2 === 0 ? [item, "dismiss"] : [item]))

/**
 * What is outstanding at the end of a day: what was posted by then, since the account's first day, and no line of these days is; less what is
 * posted later, of lines of these days.
 */
const outstandingOn = (
  { movements, now, opening, zone }: History,
  lines: ReadonlyArray<SeenLine>,
  day: string
): bigint => {
  const today = dayIn(zone, now)
  const live = lines.filter(({ status }) => status === "matched" || status === "explained")
  const postedOn = ({ at, kind, reported }: Movement): string | undefined =>
    kind === "entry" || reported === "at once" ? dayIn(zone, at) : reported === "late" ? today : undefined
  const isSoon = (date: string | undefined): boolean => date !== undefined && date >= opening.date && date <= day
  let sum = 0n
  for (const one of movements) {
    const line = live.find(({ matches }) => matches.some(({ movement }) => movement === one.label))
    const posted = postedOn(one)
    if (isSoon(posted) && !isSoon(line?.day)) sum -= one.amount
    if (!isSoon(posted) && isSoon(line?.day) && posted! > day) sum += one.amount
  }
  // What a person explained is posted today.
  if (day < today)
    for (const line of live.filter(({ day: booked, status }) => status === "explained" && isSoon(booked)))
      sum -= signed(line)
  return sum
}

const outstandingOf: Property = ({ history, order }) =>
  playing(history, order, async (desk) => {
    const { lines } = await desk.read()
    const found: Array<string> = []
    for (const day of new Set([...daysOf(history), dayIn(history.zone, history.now)])) {
      const due = day < history.opening.date ? 0n : outstandingOn(history, lines, day)
      const seen = await desk.outstanding(day)
      if (seen !== due) found.push(`${day} has ${decimal(seen)} outstanding, not ${decimal(due)}`)
    }
    return found
  })

const isReport = (item: Item): boolean => item.startsWith("report ")

/** By when what follows from an outcome has followed, and by when the clock has looked at everything, seconds. */
const SOON = 10
const ALL = 13 * 3600

const outcomesOf: Property = ({ history, order }) =>
  playing(
    history,
    order.filter((item) => !isReport(item)),
    async (desk) => {
      // By now all is overdue that will be, and the clock looks twice a day.
      await desk.advance(7 * 86_400)
      const isOpen = ({ status }: SeenLine): boolean => status === "unmatched" || status === "proposed"
      // Where no line is open, nothing waits for an outcome.
      if (!(await desk.read()).lines.some(isOpen)) return []
      for (const item of order.filter(isReport)) {
        await desk.apply(item)
        await desk.advance(SOON)
      }
      const soon = await desk.read()
      await desk.advance(ALL)
      return differences(textOf(soon), textOf(await desk.read()))
    }
  )

/** The account begins on the second of its days, with what was in it then. */
const begunLater = (drawn: Drawn): Drawn => {
  const days = daysOf(drawn.history)
  const date = days[Math.min(1, days.length - 1)] ?? drawn.history.opening.date
  const before = drawn.truth.filter(({ day }) => day < date).reduce((sum, one) => sum + signed(one), 0n)
  const acts = drawn.history.acts.filter(({ on }) => on.day >= date)
  const opening = { date, balance: drawn.history.opening.balance + before }
  const closes = days.filter((day) => day >= date)
  const history = { ...drawn.history, acts, opening, closes }
  return { ...drawn, history, order: drawn.order.filter((item) => itemsOf(history).includes(item)) }
}

export const properties = {
  /** The engine says what the oracle says. */
  oracle: async ({ history, order }) => breaches(history, await play(history, order), order),
  /** 18.1: an order and the one backwards give one picture. */
  orders: async (drawn) => {
    const other = backwards(drawn)
    const [one, two] = [await play(drawn.history, drawn.order), await play(drawn.history, other)]
    // A person says what a line is where matching has not said it yet.
    const isSaid = drawn.history.acts.some(({ action }) => action === "match")
    const textIn = (picture: Picture) =>
      textOf(withoutTwins(drawn.history, picture)).map((text) =>
        isSaid ? text.replaceAll(" by alike", " by person") : text
      )
    return differences(textIn(one), textIn(two))
  },
  /** The same of what shows which statement a shared line is counted and quoted by. */
  owners: async (drawn) => {
    const other = backwards(drawn)
    const [one, two] = [await play(drawn.history, drawn.order), await play(drawn.history, other)]
    return differences(ownersOf(one), ownersOf(two))
  },
  /** 18.5: a thousand rows that have nothing to do with it change nothing. */
  size: async ({ history, order }) => {
    if (history.opening.balance !== 100_000n) return []
    const more = noisy(history, 1000)
    const [alone, among] = [await play(history, order), await play(more, spread(more, order))]
    return differences(textOf(withoutNoise(alone)), textOf(withoutNoise(among)))
  },
  /** A day of which no break is open is closed, whatever people dismissed of it (CLOSE-5), and the closes lead from one to the next. */
  closable: ({ history, order }) =>
    playing(history, dismissing(order), async (desk) => {
      await desk.dismissAll()
      const refused: Array<string> = []
      for (const day of daysOf(history))
        await desk.close(day).catch((error: Error) => void refused.push(`${day}: ${error.message}`))
      return refused
    }),
  /**
   * BREAK-6: what a person dismisses is a difference, whenever he does. What differs of a line that names movements is open, or was dismissed as
   * that: no later line or movement is hidden behind it. All that is open, and all that is dismissed, come to what the open lines differ by.
   */
  dismissed: async ({ history, order }) => {
    const whole = await playing(history, order, (desk) => desk.named())
    const { dismissed, open, weighed } = await playing(history, dismissing(order), async (desk) => ({
      ...(await desk.named()),
      weighed: await desk.weigh()
    }))
    const due = weighed.lines - expect(history, order).told
    return [
      // What was dismissed together may be what is left of it.
      ...whole.open.filter(
        (one) =>
          !one.startsWith("together") &&
          !open.includes(one) &&
          !dismissed.includes(one) &&
          !dismissed.includes(`together${one.slice(one.indexOf(" of "))}`)
      ),
      ...weighed.strays,
      ...(weighed.breaks === due
        ? []
        : [`breaks come to ${decimal(weighed.breaks)}, and their lines differ by ${decimal(due)}`])
    ]
  },
  /** What the books have since the account's first day and no line is, is outstanding, and nothing else (CLOSE-4). */
  outstanding: (drawn) => outstandingOf(drawn),
  /** The same of an account that begins amid its history: what moved before is in its opening balance. */
  begun: (drawn) => outstandingOf(begunLater(drawn)),
  /** 18.1: an outcome is seen when it comes, however old the open lines are. The clock, which looks at all of them, finds nothing after it. */
  outcomes: (drawn) => outcomesOf(drawn),
  /** Two nodes on one store say what one says. */
  nodes: async ({ history, order }) => breaches(history, await play(history, order, 2), order)
} as const satisfies Record<string, Property>
