/** What each of several lines has of each of several movements that they are matched with, and how that is read again (LINE-1). */
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"

/** Shares amounts out, the first first: what each of some has of each of others. */
export const shareOut = (
  some: ReadonlyArray<bigint>,
  others: ReadonlyArray<bigint>
): ReadonlyArray<ReadonlyArray<bigint>> => {
  const left = [...others]
  return some.map((one) => {
    let due = one
    return left.map((rest, n) => {
      const share = rest < due ? rest : due
      left[n] = rest - share
      due -= share
      return share
    })
  })
}

const keepIf = (isWanted: (amount: bigint) => boolean, some: ReadonlyArray<bigint>): ReadonlyArray<bigint> =>
  some.map((one) => (isWanted(one) ? (one < 0n ? -one : one) : 0n))

/**
 * Shares signed movements out to signed lines of the same sum: lines have movements of their own direction first. What is then left of lines
 * cancels itself out, and they have it of the first movement; what is left of movements does, and the first line has it.
 *
 * Law: the shares of a line sum to it, and those of a movement to that. Either all shares have the direction of their line, or all that of their
 * movement.
 */
export const shareSigned = (
  lines: ReadonlyArray<bigint>,
  parts: ReadonlyArray<bigint>
): ReadonlyArray<ReadonlyArray<bigint>> => {
  // Movements without a line cancel each other out, and so do lines without a movement.
  if (lines.length === 0 || parts.length === 0) return lines.map(() => [])
  const [isOut, isIn] = [(amount: bigint) => amount > 0n, (amount: bigint) => amount < 0n]
  const [outs, ins] = [isOut, isIn].map((one) => shareOut(keepIf(one, lines), keepIf(one, parts)))
  const shares = lines.map((_, line) => parts.map((_, part) => outs![line]![part]! - ins![line]![part]!))
  for (const [n, line] of lines.entries()) shares[n]![0]! += line - shares[n]!.reduce((sum, share) => sum + share)
  for (const [n, part] of parts.entries())
    if (n > 0) {
      const left = part - shares.reduce((sum, line) => sum + line[n]!, 0n)
      shares[0]![n]! += left
      shares[0]![0]! -= left
    }
  return shares
}

/**
 * Reads the shares of a matched line. `isOwn`: they have the direction of the line, else each has that of its movement. Of one movement the line
 * is all: rows of earlier releases said what is common to both.
 */
export const readShares = ({ amount, matches }: Pick<StatementLineData, "amount" | "matches">) => {
  const [match, ...others] = matches
  if (match !== undefined && others.length === 0) return { isOwn: true, shares: [{ ...match, amount: BigInt(amount) }] }
  const shares = matches.map((one) => ({ ...one, amount: BigInt(one.amount) }))
  return { isOwn: shares.reduce((sum, one) => sum + one.amount, 0n) === BigInt(amount), shares }
}
