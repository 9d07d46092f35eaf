/**
 * The reasons to hold a deposit (DEPOSIT-10, DEPOSIT-12). A deposit keeps every reason that applied when it was confirmed.
 * An approval removes only `tier_limit`; an address that is frozen or disabled by then adds a reason. Unfreezing an address
 * does not release its deposits: only the operator releases them, which removes all reasons.
 */
import type { DepositData, HoldReason } from "../../../machines/deposits/deposit.ts"
import type { Row, RowKey } from "../../ports/Storage.ts"
import { DepositAddressKind } from "./deposit-address.ts"
import { WalletCredentialKind } from "./wallet-credential.ts"

const stopped: Readonly<Record<string, HoldReason>> = { frozen: "payin_frozen", disabled: "payin_disabled" }

/** The reasons to hold money that arrives at an address or account in its current status. */
export const blockingReasons = (source: Pick<Row, "status"> | undefined): ReadonlyArray<HoldReason> => {
  const reason = source === undefined ? undefined : stopped[source.status]
  return reason === undefined ? [] : [reason]
}

/** The key of the address or credential of a deposit. Undefined for a deposit that the platform made. */
export const sourceOfDeposit = ({ data: d, merchant_id }: Row<DepositData>): RowKey | undefined => {
  const kinds = { deposit_address: DepositAddressKind.kind, credential: WalletCredentialKind.kind }
  const kind = (kinds as Readonly<Record<string, string>>)[d.source_type]
  return kind === undefined ? undefined : { merchant_id, kind, id: d.source_id }
}

/** The reasons that a deposit is held for. The merchant sees the first. */
export const holdReasons = ({ hold_reason, hold_reasons }: DepositData): ReadonlyArray<HoldReason> =>
  hold_reasons ?? (hold_reason === null ? [] : [hold_reason])

/** The reasons that a deposit is held for, and those of its address or account in its current status. */
export const currentHoldReasons = (
  d: DepositData,
  source: Pick<Row, "status"> | undefined
): ReadonlyArray<HoldReason> => [...new Set([...holdReasons(d), ...blockingReasons(source)])]
