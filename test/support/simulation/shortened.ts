import { programOf, reduceProgram } from "../../../src/testing/index.ts"

/** The beginning of a seed's simulation, and what goes wrong in it. */
export const shortenProgram = (seed: number, operations: number) => {
  const program = programOf(seed)
  const keep = program.ops.map(({ n }) => n).slice(0, operations)
  return reduceProgram(program, { keep, without: [], always: [], salt: 0 })
}
