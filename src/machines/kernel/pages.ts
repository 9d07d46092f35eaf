/**
 * What the pages of a provider's feed that say what an account holds leave open (INGEST-9). Pure: computed from all of them, so that a
 * transfer that the node lists late ends the difference of the block that had it.
 */
import type { AccountOpening, StatedDifference, WalkedBalances } from "./balances.ts"
import type { StatedDays } from "./bookings.ts"

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
 * The blocks that may have had late lines: those that the balances of their day lead to, and the next one, because the last of these may
 * have been before them. Undefined: the next one is not read yet.
 */
const listBlocks = (balances: ReadonlyArray<Balance>, day: string): ReadonlyArray<Balance | undefined> => {
  const blockFrom = (n: number): Balance | undefined => balances.slice(n).find(({ isOfBlock }) => isOfBlock)
  const own = balances.flatMap((one, n) => (one.day === day ? [blockFrom(n)] : []))
  const next = balances.findIndex((one) => one.day > day)
  return [...new Set([...own, next < 0 ? undefined : blockFrom(next)])]
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

/** Takes late lines from the difference that they were, or were a part of, and adds them to the balances that lines lead to since then. */
const addLate = (balances: Array<Balance>, block: Balance | undefined, { amount, day }: LateLines): void => {
  if (block !== undefined && block.opening !== null) block.difference -= amount
  const isBeforeBlock = ({ isOfBlock }: Balance, n: number): boolean =>
    isOfBlock && (block === undefined || n < balances.indexOf(block))
  const begin = balances.findLastIndex(isBeforeBlock) + 1
  const before = balances[begin - 1]
  // Its day goes on after its last block.
  if (before?.day === day && balances[begin]?.day !== day)
    balances.splice(begin, 0, { ...before, isOfBlock: false, opening: before.closing, difference: 0n })
  const end = block === undefined ? balances.length : balances.indexOf(block) + 1
  for (const one of balances.slice(begin, end)) {
    if (one.opening !== null && one.day > day) one.opening += amount
    if (!one.isOfBlock && one.day >= day) one.closing += amount
  }
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
  const balances = pages.flatMap(({ closing, id, last: day, number, opening, unreached }): ReadonlyArray<Balance> => {
    const difference = opening === null ? 0n : (unreached ?? 0n)
    return closing === null ? [] : [{ id, day, isOfBlock: number !== null, opening, closing, difference }]
  })
  const late = pages.flatMap(
    ({ closing, last: day, unreached }): ReadonlyArray<LateLines> =>
      closing === null && unreached !== null ? [{ day, amount: -unreached }] : []
  )
  const [oldest] = balances
  const since = balances.find(({ day }) => day >= date)
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
  let beforeFirst = 0n
  for (const { amount: whole, day } of late) {
    const blocks = listBlocks(balances, day)
    const isFirst = since !== undefined && since === oldest && day <= since.day
    const nearest = blocks.includes(undefined) ? undefined : blocks[0]
    for (const part of splitLate(isFirst && day >= date ? [first, ...blocks] : blocks, whole)) {
      const { amount, block = isFirst ? first : nearest } = part
      if (block !== first || first === undefined) addLate(balances, block, { amount, day })
      else if (day === since!.day) beforeFirst += amount
      if (first !== undefined && block === first) first.difference -= amount
    }
  }
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
