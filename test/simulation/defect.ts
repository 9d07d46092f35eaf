export interface Defect {
  readonly name: string
  /** Relative to the root. */
  readonly file: string
  /** A text that occurs exactly once in the file, and its replacement. */
  readonly from: string
  readonly to: string
}

export const defect = (name: string, file: string, from: string, to: string): Defect => ({ name, file, from, to })
