/** What a run found. */
import type { Exchange } from "./exchange.ts"

/** `skipped`: it cannot be judged here, for a reason that is no fault. `not-run`: the run ended before. */
export type Verdict =
  | { readonly id: string; readonly status: "passed" }
  | { readonly id: string; readonly status: "skipped" | "not-run"; readonly reason: string }
  | {
      readonly id: string
      readonly status: "failed"
      readonly found: string
      readonly rule: string
      readonly why: string
      readonly exchanges: ReadonlyArray<Exchange>
    }

export interface Summary {
  readonly seed: string
  readonly verdicts: ReadonlyArray<Verdict>
  readonly calls: number
  readonly restarts: number
  readonly elapsed_ms: number
  /** Amounts that were executed, by currency. */
  readonly moved: Readonly<Record<string, string>>
}

export const countOf = (verdicts: ReadonlyArray<Verdict>, status: Verdict["status"]): number =>
  verdicts.filter((verdict) => verdict.status === status).length

/** Whether nothing failed, and everything ran that could. */
export const isPass = ({ verdicts }: Summary): boolean =>
  verdicts.every(({ status }) => status === "passed" || status === "skipped")
