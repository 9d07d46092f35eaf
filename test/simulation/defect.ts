export interface Defect {
  readonly name: string
  /** From the root. */
  readonly file: string
  /** A text that the file holds exactly once, and what stands there instead. */
  readonly from: string
  readonly to: string
}

export const defect = (name: string, file: string, from: string, to: string): Defect => ({ name, file, from, to })
