/** Operations that are drawn apart from the script, so that the rest of a seed stays as it is. */
import { calm, minute, type Op } from "./program.ts"
import { Chance } from "./random.ts"
import type { ScriptMerchant } from "./script.ts"

/** Where the numbers of each subject's operations begin, after those of the script. */
const numbers = {
  brakes: 0,
  corrections: 1000,
  controls: 2000,
  batches: 3000,
  approvals: 4000,
  limits: 6000,
  fees: 7000,
  bank: 8000,
  payroll: 9000
} as const

/** Operations that a subject adds to those of a seed. */
export type Addition = (
  seed: number,
  ops: ReadonlyArray<Op>,
  merchants: ReadonlyArray<ScriptMerchant>
) => ReadonlyArray<Op>

/**
 * Makes the random source of a subject's operations, and the list to which `add` appends them; `add` returns the number of the
 * operation. None is later than `latest`.
 */
export const makeOperationDrawer = (
  subject: keyof typeof numbers,
  seed: number,
  ops: ReadonlyArray<Op>,
  latest: number = calm - minute
) => {
  const made: Array<Op> = []
  let n = Math.max(...ops.map((op) => op.n)) + numbers[subject]
  const add = (
    at: number,
    call: string,
    args: ReadonlyArray<unknown>,
    as: number | null = null,
    by?: string
  ): number => {
    const op = { n: ++n, at: Math.max(0, Math.min(Math.floor(at), latest)), as, call, args }
    made.push(by === undefined ? op : { ...op, by })
    return n
  }
  return { add, chance: new Chance(`${subject} ${seed}`), made }
}
