/**
 * Why a deposit is withheld (DEPOSIT-10, DEPOSIT-12). It keeps every reason that stood when it was confirmed. An
 * approval lifts `tier_limit` and nothing else; an address that is frozen or disabled by then is a reason anew. What is
 * held for its address stays held when the address is unfrozen: the operator alone releases it, and lifts all reasons
 * at once.
 */
import type { DepositData, HoldReason } from "../../../machines/deposits/deposit.ts"
import type { Row, RowKey } from "../../ports/Storage.ts"
import { DepositAddressKind } from "./deposit-address.ts"
import { WalletCredentialKind } from "./wallet-credential.ts"

const stopped: Readonly<Record<string, HoldReason>> = { frozen: "payin_frozen", disabled: "payin_disabled" }

/** What stands against crediting money that arrives at an address or an account as it is now. */
export const blockingReasons = (source: Pick<Row, "status"> | undefined): ReadonlyArray<HoldReason> => {
  const reason = source === undefined ? undefined : stopped[source.status]
  return reason === undefined ? [] : [reason]
}

/** Where a deposit arrived; `undefined` for one that was made here. */
export const sourceOfDeposit = ({ data: d, merchant_id }: Row<DepositData>): RowKey | undefined => {
  const kinds = { deposit_address: DepositAddressKind.kind, credential: WalletCredentialKind.kind }
  const kind = (kinds as Readonly<Record<string, string>>)[d.source_type]
  return kind === undefined ? undefined : { merchant_id, kind, id: d.source_id }
}

/** The reasons that were found when a deposit was withheld, the first of them the one that the merchant is shown. */
export const holdReasons = ({ hold_reason, hold_reasons }: DepositData): ReadonlyArray<HoldReason> =>
  hold_reasons ?? (hold_reason === null ? [] : [hold_reason])

/** All that stands against crediting a held deposit now, its place being as it is. */
export const currentHoldReasons = (
  d: DepositData,
  source: Pick<Row, "status"> | undefined
): ReadonlyArray<HoldReason> => [...new Set([...holdReasons(d), ...blockingReasons(source)])]
