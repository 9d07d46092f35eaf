/** The two tables of a connector, as data that its page shows: what a state means, and which answers to a `POST` decide something. */
import type { AwaitedPerson } from "../../../engine/ports/Provider.ts"
import type { NotExecuted, Posted, Seen } from "./submissions.ts"

/** `left`: whether money may have left. `mayLeave`: whether it still may. `port`: what the engine is told. */
export interface StateRow {
  readonly left: "no" | "maybe" | "yes" | "it came back" | "not clear"
  readonly mayLeave: boolean
  readonly port: "pending" | "success" | "failed" | "returned" | "unknown"
  /** Who must act before it goes on. */
  readonly awaited_person?: AwaitedPerson
  /** The reason begins with it. */
  readonly reason?: string
  readonly means: string
}

/** `executed`: whether the request was. `port`: what the engine is told. */
export interface AnswerRow {
  readonly says: string
  /** Absent: any. */
  readonly statuses?: ReadonlyArray<number>
  /** Any of these codes, or a message like this. Neither: the status decides. */
  readonly codes?: ReadonlyArray<string | number>
  readonly message?: RegExp
  readonly executed: "no" | "earlier"
  readonly port: "unavailable" | "rejected" | "look up" | "unknown"
  /** The reason begins with it. */
  readonly reason?: string
}

/** A state that may still pay. */
export const openState = (means: string, over: Partial<StateRow> = {}): StateRow => ({
  ...{ left: "maybe", mayLeave: true, port: "pending", means, ...over }
})
/** A state after which nothing is paid. */
export const endState = (port: StateRow["port"], means: string, over: Partial<StateRow> = {}): StateRow => ({
  left: port === "success" ? "yes" : port === "returned" ? "it came back" : "no",
  ...{ mayLeave: false, port, means, ...over }
})
/** Nothing goes on before somebody of the platform does this. */
export const operatorMust = (action: string): Partial<StateRow> => ({ awaited_person: { party: "operator", action } })

type Says = Pick<AnswerRow, "statuses" | "codes" | "message" | "reason">
/** The request was made before under its reference or key. */
export const makeEarlierRequest = (says: string, of: Says, port: AnswerRow["port"] = "look up"): AnswerRow => ({
  ...{ says, ...of, executed: "earlier", port }
})
/** Nothing was executed, and it may be tried again. */
export const notNow = (says: string, of: Says): AnswerRow => ({ says, ...of, executed: "no", port: "unavailable" })
/** Nothing was executed, nor ever will be. */
export const makeRefusal = (says: string, of: Says): AnswerRow => ({ says, ...of, executed: "no", port: "rejected" })

/** An answer of the company's own that is no success. `said`: in words, for an operator. */
export interface CompanyRefusal {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly said: string
}

const isLike = ({ codes = [], message, statuses }: AnswerRow, refusal: CompanyRefusal): boolean => {
  if (statuses?.includes(refusal.status) === false) return false
  if (codes.length === 0 && message === undefined) return true
  return codes.some((code) => String(code) === refusal.code) || message?.test(refusal.message) === true
}

/** What a refusal says of the request: the first row that fits. Undefined: it is on no list, and decides nothing. */
export const findRefusal = (
  rows: ReadonlyArray<AnswerRow>,
  refusal: CompanyRefusal
): Exclude<Posted, Seen | { readonly _tag: "unknown" }> | undefined => {
  const row = rows.find((one) => isLike(one, refusal))
  if (row === undefined || row.port === "unknown") return undefined
  if (row.port === "look up") return { _tag: "exists" }
  const result: NotExecuted =
    row.port === "unavailable"
      ? { _tag: "unavailable" }
      : { _tag: "rejected", reason: `${row.reason ?? ""}${row.says}: ${refusal.said}`, refundable: true }
  return { _tag: "not_executed", result }
}
