/** The order of two texts by their UTF-16 code units: negative if `a` comes first. For days and ids, which are ASCII. */
export const compareCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Appends values to a list. A spread of them as arguments overflows the stack from some 120,000 on. */
export const appendAll = <A>(list: Array<A>, more: Iterable<A>): void => {
  for (const one of more) list.push(one)
}

/** The first of so many places from which on something is so, found by halves. Their count: it is so of none. */
export const findFirst = (count: number, isSo: (place: number) => boolean): number => {
  let low = 0
  for (let high = count; low < high; ) {
    const middle = (low + high) >>> 1
    if (isSo(middle)) high = middle
    else low = middle + 1
  }
  return low
}
