/** What must hold of every drawn history, each as a function that returns what does not. */
import { type History, type Item, itemsOf, ownersOf, play, textOf } from "./desk.ts"
import type { Drawn } from "./histories.ts"
import { breaches } from "./laws.ts"
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

export const properties = {
  /** The engine says what the oracle says. */
  oracle: async ({ history, order }) => breaches(history, await play(history, order), order),
  /** 18.1: an order and the one backwards give one picture. */
  orders: async (drawn) => {
    const other = backwards(drawn)
    const [one, two] = [await play(drawn.history, drawn.order), await play(drawn.history, other)]
    return differences(textOf(one), textOf(two))
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
  /** Two nodes on one store say what one says. */
  nodes: async ({ history, order }) => breaches(history, await play(history, order, 2), order)
} as const satisfies Record<string, Property>
