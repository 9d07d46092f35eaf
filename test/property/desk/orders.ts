/** The orders in which what happens may arrive. */
import { type History, type Item, itemsOf } from "./desk.ts"

/** The first time that a file comes: again, it brings nothing. */
const arrivalOf = ({ uploads }: History, order: ReadonlyArray<Item>, label: string): number =>
  order.findIndex((item) => item.startsWith("upload ") && uploads[Number(item.split(" ")[1])]!.label === label)

/** Of a file that came before what must come first: its label. */
const earlyIn = (history: History, order: ReadonlyArray<Item>): string | undefined =>
  history.uploads.find(({ after = [], label }) =>
    after.some((other) => arrivalOf(history, order, other) > arrivalOf(history, order, label))
  )?.label

/** The account of which an item changes the settings. Undefined: it changes none. */
const patchedBy = ({ patches = [] }: History, item: Item): number | undefined =>
  item.startsWith("patch ") ? patches[Number(item.split(" ")[1])]!.account : undefined

/** An order in which the changes of each account follow on one another as the history has them. */
const withPatchesInOrder = (history: History, order: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const left = itemsOf(history).filter((item) => patchedBy(history, item) !== undefined)
  return order.map((item) => {
    const account = patchedBy(history, item)
    if (account === undefined) return item
    const [next] = left.splice(
      left.findIndex((one) => patchedBy(history, one) === account),
      1
    )
    return next!
  })
}

export const isPossible = (history: History, order: ReadonlyArray<Item>): boolean =>
  earlyIn(history, order) === undefined && withPatchesInOrder(history, order).join() === order.join()

const permutations = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length < 2 ? [all] : all.flatMap((one, n) => permutations(all.toSpliced(n, 1)).map((rest) => [one, ...rest]))

/** Every possible order of a history's items. */
export const everyOrder = (history: History): ReadonlyArray<ReadonlyArray<Item>> =>
  permutations(itemsOf(history)).filter((order) => isPossible(history, order))

/** The items in the order of their ranks, each as late as what it must come after. */
export const orderBy = (history: History, ranks: ReadonlyArray<number>): ReadonlyArray<Item> => {
  const items = itemsOf(history)
  const rankOf = new Map(items.map((item, n) => [item, ranks[n % ranks.length] ?? 0]))
  const order = [
    ...withPatchesInOrder(
      history,
      items.toSorted((a, b) => rankOf.get(a)! - rankOf.get(b)!)
    )
  ]
  for (let early = earlyIn(history, order); early !== undefined; early = earlyIn(history, order))
    order.push(...order.splice(arrivalOf(history, order, early), 1))
  return order
}
