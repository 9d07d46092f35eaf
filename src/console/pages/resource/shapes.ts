/** The shapes of a resource and its timeline, as the API has them. */

export interface Related {
  readonly id: string
  readonly kind: string
  readonly relation: string
}

export interface Resource {
  readonly id: string
  readonly kind: string
  readonly merchant_id: string
  readonly merchant_name: string | null
  readonly customer_id: string | null
  readonly status: string
  readonly state: string
  /** The version of its machine. */
  readonly machine: string
  readonly created_at: string
  readonly updated_at: string
  readonly resource: Readonly<Record<string, unknown>>
  readonly related: ReadonlyArray<Related>
}

export interface WaitsFor {
  readonly reason: string
  readonly sentence: string
  readonly since: string
  readonly until: string | null
  readonly next_attempt_at: string | null
  readonly attempts: number
}

export interface Explanation {
  readonly reason: string | null
  readonly message: string | null
  readonly provider_reason: string | null
  readonly money: ReadonlyArray<{ readonly account: string; readonly currency: string; readonly summary: string }>
  readonly next_step: string | null
}

interface EntryOf<Type extends string> {
  readonly type: Type
  readonly at: string
  readonly summary: string
}

export interface Transition extends EntryOf<"transition"> {
  readonly version: number
  readonly from: string | null
  readonly to: string
  readonly event: string
  readonly cause: string
  readonly note: string | null
}

export interface Posting extends EntryOf<"posting"> {
  readonly version: number
  readonly debit: string
  readonly credit: string
  readonly amount: string
  readonly currency: string
}

export type Entry =
  | (EntryOf<"request"> & {
      readonly request_id: string | null
      readonly key_id: string | null
      readonly operator: { readonly id: string | null; readonly name: string } | null
      readonly idempotency_key: string | null
      readonly operation: string | null
    })
  | Transition
  | Posting
  | (EntryOf<"provider_call"> & {
      readonly provider: string | null
      readonly operation: string
      readonly command_id: string | null
      readonly attempt: number
      readonly latency_ms: number | null
      readonly answer: string | null
      readonly provider_reference: string | null
    })
  | (EntryOf<"provider_event"> & { readonly provider: string; readonly event_id: string; readonly event: string })
  | (EntryOf<"timer"> & {
      readonly name: string
      readonly due_at: string | null
      readonly outcome: "armed" | "fired" | "cancelled"
    })
  | (EntryOf<"event"> & {
      readonly event_id: string
      readonly event_type: string
      readonly event_sequence: number
    })
  | (EntryOf<"delivery"> & {
      readonly delivery_id: string
      readonly event_id: string
      readonly event_type: string
      readonly endpoint_id: string
      readonly url: string | null
      readonly attempt: number
      readonly status_code: number | null
      readonly error: string | null
      readonly latency_ms: number | null
      readonly response_body: string | null
      readonly outcome: "delivered" | "failed" | "retried" | "pending"
      readonly next_attempt_at: string | null
    })

export interface Timeline {
  readonly id: string
  readonly kind: string
  readonly merchant_id: string
  readonly status: string
  readonly state: string
  readonly machine: string
  readonly created_at: string
  readonly ended_at: string | null
  readonly waits_for: WaitsFor | null
  readonly explanation: Explanation
  readonly entries: ReadonlyArray<Entry>
  readonly truncated: boolean
}
