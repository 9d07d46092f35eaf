/** The known name that a misspelt one probably means. It needs no other module: the client and the receiver have it too. */

/** Measures the optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours each count as one. */
const measureDistance = (a: string, b: string): number => {
  let before: Array<number> = []
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row[j] = Math.min(above[j]! + 1, row[j - 1]! + 1, replaced)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    before = above
    above = row
  }
  return above[b.length]!
}

/** Removes what people get wrong in names: `walletId`, `wallet-id` and `Wallet_ID` then equal `wallet_id`, or differ by one letter. */
const foldName = (name: string): string => name.replace(/[_\-.\s]/g, "").toLowerCase()

/** The longest name that is compared. */
export const nameMax = 64

/** Finds the known name that was probably meant: at most a third of its letters may differ. */
export const findNearest = (name: string, known: Iterable<string>): string | undefined => {
  if (name.length > nameMax) return undefined
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const found = measureDistance(foldName(name), foldName(candidate))
    const isNear = found <= Math.floor(foldName(candidate).length / 3)
    if (isNear && (best === undefined || found < best.distance)) best = { name: candidate, distance: found }
  }
  return best?.name
}

/** Makes the end of a message about an unknown name: `Did you mean …?` with the nearest known one as `show` writes it, or nothing. */
export const proposeNearest = (
  name: string,
  known: Iterable<string>,
  show: (near: string) => string = (near) => near
): string => {
  const near = findNearest(name, known)
  return near === undefined ? "" : ` Did you mean ${show(near)}?`
}
