/**
 * What a written row is an act of, and what that comes to. Each kind says it once (`Kind.controlledAction`): what limits count, what rules compare, and
 * what an approval and a dry run show are all read from there (LIMITS-2, APPROVAL-1).
 */
import type { ActSum, ControlledAction } from "../../machines/controls/approval-rule.ts"

/** Whose an act is, for the scopes of limits. `to_wallet_id`: where it brings money, if it takes it from another wallet. */
export interface ActSubjects {
  readonly customer_id?: string | null
  readonly wallet_id?: string | null
  readonly to_wallet_id?: string | null
  readonly beneficiary_id?: string | null
}

/** What a row that is written makes an act of. */
export interface RowAction extends ActSubjects {
  /** A transfer is a payout, too. */
  readonly words: readonly [ControlledAction, ...ReadonlyArray<ControlledAction>]
  readonly sums: ReadonlyArray<ActSum>
  /** Absent: the merchant of the row. */
  readonly merchant_id?: string
  /** The member of the request that a refusal names. */
  readonly field: string
  /** It waits as what it is, and so counts where it is made: a payout. */
  readonly waits?: true
}
