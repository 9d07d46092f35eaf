/**
 * What the pages of a provider's feed that say what an account holds leave open (INGEST-9). Pure: computed from all of them, so that a
 * transfer that the node lists late ends the difference of the block that had it.
 */
import type { AccountOpening, StatedDifference, WalkedBalances } from "./balances.ts"
import type { StatedDays } from "./bookings.ts"
import { compareCodeUnits, findFirst } from "./order.ts"

/**
 * A statement of a page. `unreached`: what its block has beyond what its lines lead to. Of lines that come late, or that are read again, which
 * have no balance: less what those move that come late. Null: of neither.
 */
export interface StatedPage extends StatedDays {
  readonly unreached: bigint | null
}

/**
 * A balance at the end of a statement. `isOfBlock`: a chain states it; else lines lead to it. `opening`: what its statement begins with.
 * Null: nothing says it, and nothing differs. `difference`: what it has beyond what lines lead to.
 */
interface Balance {
  readonly id: string
  readonly day: string
  readonly isOfBlock: boolean
  opening: bigint | null
  closing: bigint
  difference: bigint
}

/** Lines of a day that a page has after the feed had passed that day. */
interface LateLines {
  readonly day: string
  readonly amount: bigint
}

/**
 * The balances after one block up to the next one, which ends them; at the end, those that no block ends yet. `before`: the block before.
 * `late`: the lines that came late in it.
 */
interface Stretch {
  readonly place: number
  readonly before: Balance | undefined
  readonly balances: Array<Balance>
  readonly block: Balance | undefined
  readonly late: Array<LateLines>
}

/** What late lines move before a day, and up to its end. */
const sumLate = (late: ReadonlyArray<LateLines>): ((day: string) => readonly [before: bigint, until: bigint]) => {
  const ofDays = [...Map.groupBy(late, ({ day }) => day)].toSorted(([a], [b]) => compareCodeUnits(a, b))
  const days = ofDays.map(([day]) => day)
  const sums = [0n]
  for (const [, some] of ofDays) sums.push(some.reduce((sum, { amount }) => sum + amount, sums.at(-1)!))
  return (day) => {
    const at = findFirst(days.length, (n) => days[n]! >= day)
    return [sums[at]!, sums[days[at] === day ? at + 1 : at]!]
  }
}

/** The balances of a feed in the order of its pages, by the blocks that end them. */
class Stretches {
  private readonly all: ReadonlyArray<Stretch>
  private readonly byBlock: ReadonlyMap<Balance | undefined, Stretch>
  private readonly byDay = new Map<string, Set<Stretch>>()
  /** The latest day of each stretch and of those before it. */
  private readonly latest: Array<string> = []

  constructor(balances: ReadonlyArray<Balance>) {
    const all: Array<Stretch> = []
    let own: Array<Balance> = []
    const end = (block: Balance | undefined) => {
      all.push({ place: all.length, before: all.at(-1)?.block, balances: own, block, late: [] })
      own = []
    }
    for (const one of balances) {
      own.push(one)
      if (one.isOfBlock) end(one)
    }
    end(undefined)
    this.all = all
    this.byBlock = new Map(all.map((one) => [one.block, one]))
    for (const one of all) {
      for (const { day } of one.balances) this.speaksOf(one, day)
      this.latest.push(
        one.balances.reduce((day, { day: other }) => (other > day ? other : day), this.latest.at(-1) ?? "")
      )
    }
  }

  private speaksOf(stretch: Stretch, day: string) {
    this.byDay.set(day, (this.byDay.get(day) ?? new Set()).add(stretch))
  }

  /**
   * The blocks that may have had late lines: those that the balances of their day lead to, and the next one, because the last of these may
   * have been before them. Undefined: the next one is not read yet.
   */
  listBlocks = (day: string): ReadonlyArray<Balance | undefined> => {
    const own = [...(this.byDay.get(day) ?? [])].toSorted((a, b) => a.place - b.place)
    const next = this.all[findFirst(this.all.length, (place) => this.latest[place]! > day)]
    return [...new Set([...own.map(({ block }) => block), next?.block])]
  }

  /** Takes late lines from the difference that they were, or were a part of, and adds them to the balances that lines lead to since then. */
  addLate = (block: Balance | undefined, { amount, day }: LateLines): void => {
    if (block !== undefined && block.opening !== null) block.difference -= amount
    const stretch = this.byBlock.get(block)!
    const { balances, before, late } = stretch
    // Its day goes on after its last block.
    if (before?.day === day && balances[0]?.day !== day) {
      // It begins with its block, whatever came late there so far.
      const [earlier, known] = sumLate(late)(day)
      const [opening, closing] = [before.closing - earlier, before.closing - known]
      balances.unshift({ ...before, isOfBlock: false, opening, closing, difference: 0n })
      this.speaksOf(stretch, day)
    }
    late.push({ amount, day })
  }

  /** Adds what has come late to the balances, once, and lists them. */
  settle = (): ReadonlyArray<Balance> =>
    this.all.flatMap(({ balances, late }) => {
      const sumUntil = sumLate(late)
      for (const one of balances) {
        const [before, until] = sumUntil(one.day)
        if (one.opening !== null) one.opening += before
        if (!one.isOfBlock) one.closing += until
      }
      return balances
    })
}

/** The parts of late lines that balances lack: all of one, if that is what it lacks, else as much as each lacks. The rest comes last. */
const splitLate = (
  blocks: ReadonlyArray<Balance | undefined>,
  amount: bigint
): ReadonlyArray<{ readonly block: Balance | undefined; readonly amount: bigint }> => {
  const exact = blocks.find((one) => one?.difference === amount)
  if (exact !== undefined) return [{ block: exact, amount }]
  let rest = amount
  const parts = blocks.flatMap((block) => {
    if (block === undefined || block.difference * rest <= 0n) return []
    const isLess = amount < 0n ? block.difference > rest : block.difference < rest
    const part = isLess ? block.difference : rest
    rest -= part
    return [{ block, amount: part }]
  })
  return rest === 0n ? parts : [...parts, { block: undefined, amount: rest }]
}

/**
 * Walks over the pages of an account in the order in which they were read.
 *
 * Laws: the parts of differences up to a day sum to what its closing is, less the opening balance and all lines since, also those that come
 * late: these state no balance, and their day ends with what its block has. What was before the account's first day says nothing.
 */
export const walkPages = (
  { balance, date }: AccountOpening,
  pages: ReadonlyArray<StatedPage>
): Pick<WalkedBalances, "differences" | "closings"> => {
  const stated = pages.flatMap(({ closing, id, last: day, number, opening, unreached }): ReadonlyArray<Balance> => {
    const difference = opening === null ? 0n : (unreached ?? 0n)
    return closing === null ? [] : [{ id, day, isOfBlock: number !== null, opening, closing, difference }]
  })
  const late = pages.flatMap(
    ({ closing, last: day, unreached }): ReadonlyArray<LateLines> =>
      closing === null && unreached !== null ? [{ day, amount: -unreached }] : []
  )
  const [oldest] = stated
  const since = stated.find(({ day }) => day >= date)
  // Pages without a balance may be before the oldest: only what it begins with itself is known.
  const isStated = (one: Balance): boolean =>
    one !== oldest ||
    pages
      .slice(
        0,
        pages.findIndex(({ id }) => id === one.id)
      )
      .every(({ unreached }) => unreached !== null)
  const isKnown = since !== undefined && since.opening !== null && isStated(since)
  const first: Balance | undefined = isKnown
    ? { ...since, isOfBlock: true, opening: null, difference: since.opening! - balance }
    : undefined
  const stretches = new Stretches(stated)
  let beforeFirst = 0n
  for (const { amount: whole, day } of late) {
    const blocks = stretches.listBlocks(day)
    const isFirst = since !== undefined && since === oldest && day <= since.day
    const nearest = blocks.includes(undefined) ? undefined : blocks[0]
    for (const part of splitLate(isFirst && day >= date ? [first, ...blocks] : blocks, whole)) {
      const { amount, block = isFirst ? first : nearest } = part
      if (block !== first || first === undefined) stretches.addLate(block, { amount, day })
      else if (day === since!.day) beforeFirst += amount
      if (first !== undefined && block === first) first.difference -= amount
    }
  }
  const balances = stretches.settle()
  const isBefore = ({ day }: LateLines): boolean => day >= date && since !== undefined && day < since.day
  const known = late.filter(isBefore)
  const begin = isKnown ? since.opening! - known.reduce((sum, { amount }) => sum + amount, balance + beforeFirst) : 0n
  const differing = balances.filter(({ day }) => day >= date)
  return {
    differences: [...(isKnown ? [{ ...since, difference: begin }] : []), ...differing].flatMap(
      ({ day, difference, id }): ReadonlyArray<StatedDifference> =>
        difference === 0n
          ? []
          : [{ kind: "balance_differs", statement_ids: [id], amount: difference, day, messages: [] }]
    ),
    closings: new Map(balances.map(({ closing, day }) => [day, closing]))
  }
}
