import type { Defect } from "../simulation/defect.ts"

export interface TestedDefect extends Defect {
  /** Test files, relative to the root, of which at least one test must fail. */
  readonly tests: ReadonlyArray<string>
}

/** The defects of one file: each has a name, a text that occurs exactly once, and its replacement. */
export const of = (
  file: string,
  tests: ReadonlyArray<string>,
  ...defects: ReadonlyArray<readonly [name: string, from: string, to: string]>
): ReadonlyArray<TestedDefect> => defects.map(([name, from, to]) => ({ name, file, from, to, tests }))
