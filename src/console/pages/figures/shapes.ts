/** A row of the statistics, as the API has it. */
export interface Row {
  /** The beginning of the hour or day, UTC. */
  readonly at?: string | null
  readonly operation?: string | null
  /** `USDC-NGN`. */
  readonly corridor?: string | null
  readonly provider?: string | null
  readonly failure_reason?: string | null
  readonly merchant_id?: string | null
  readonly count: number
  readonly succeeded: number
  readonly failed: number
  readonly open: number
  readonly success_share: string | null
  readonly volume: ReadonlyArray<{ readonly currency: string; readonly amount: string }>
  readonly seconds_to_success: { readonly p50: number; readonly p95: number } | null
}

export interface Stats {
  readonly from: string
  readonly to: string
  readonly rows: ReadonlyArray<Row>
}
