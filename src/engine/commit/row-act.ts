/**
 * The controlled action that a written row makes, with its amounts. Each kind declares it once (`Kind.controlledAction`): limits, approval
 * rules, approvals and dry runs all read it there (LIMITS-2, APPROVAL-1).
 */
import type { ActSum, ControlledAction } from "../../machines/controls/approval-rule.ts"

/** Whose an act is, for the scopes of limits. `to_wallet_id`: where it brings money, if it takes it from another wallet. */
export interface ActSubjects {
  readonly customer_id?: string | null
  readonly wallet_id?: string | null
  readonly to_wallet_id?: string | null
  readonly beneficiary_id?: string | null
}

/** The controlled action of a written row. */
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
