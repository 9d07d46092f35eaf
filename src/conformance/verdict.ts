/** What a run found. */
import type { RecordedExchange } from "./exchange.ts"

/** `skipped`: it cannot be judged here, for a reason that is no fault. `not-run`: the run ended before. */
export type CaseVerdict =
  | { readonly id: string; readonly status: "passed" }
  | { readonly id: string; readonly status: "skipped" | "not-run"; readonly reason: string }
  | {
      readonly id: string
      readonly status: "failed"
      readonly found: string
      readonly rule: string
      readonly why: string
      readonly exchanges: ReadonlyArray<RecordedExchange>
    }

export interface Summary {
  readonly seed: string
  readonly verdicts: ReadonlyArray<CaseVerdict>
  readonly calls: number
  readonly restarts: number
  readonly elapsed_ms: number
  /** Amounts that were executed, by currency. */
  readonly moved: Readonly<Record<string, string>>
}

export const countVerdicts = (verdicts: ReadonlyArray<CaseVerdict>, status: CaseVerdict["status"]): number =>
  verdicts.filter((verdict) => verdict.status === status).length

/** Whether no case failed, and every case ran that could. */
export const isPass = ({ verdicts }: Summary): boolean =>
  verdicts.every(({ status }) => status === "passed" || status === "skipped")
