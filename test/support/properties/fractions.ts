/**
 * Exact fractions, written apart from the money code so that one can be held against the other.
 */
export interface Ratio {
  readonly above: bigint
  readonly below: bigint
}

export const over = (above: bigint, below: bigint): Ratio => ({ above, below })

/** Reads a decimal by its definition: the sum of each digit times its power of ten. */
export const ratio = (decimal: string): Ratio => {
  let above = 0n
  let below = 1n
  let behindPoint = false
  for (const character of decimal) {
    if (character === ".") {
      behindPoint = true
      continue
    }
    above = above * 10n + BigInt(character)
    if (behindPoint) below *= 10n
  }
  return { above, below }
}

export const times = (a: Ratio, b: Ratio): Ratio => over(a.above * b.above, a.below * b.below)
export const minus = (a: Ratio, b: Ratio): Ratio => over(a.above * b.below - b.above * a.below, a.below * b.below)

/** The greatest decimal of so many places that is not above `a` (`a` ≥ 0). */
export const roundDown = (a: Ratio, decimals: number): Ratio => {
  const { above, below } = over(a.above * 10n ** BigInt(decimals), a.below)
  return over((above - (above % below)) / below, 10n ** BigInt(decimals))
}

/** The least decimal of so many places that is not below `a` (`a` ≥ 0). */
export const roundUp = (a: Ratio, decimals: number): Ratio => {
  const down = roundDown(a, decimals)
  return minus(a, down).above === 0n ? down : over(down.above + 1n, down.below)
}
