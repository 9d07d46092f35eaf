/** Deposit addresses (interface, Deposit addresses; decisions 6). */
import { DepositAddress, type DepositAddressData, type DepositAddressEvent } from "../../machines/deposit-address.ts"
import type { Kind } from "../Kind.ts"

export const DepositAddressKind: Kind<DepositAddressData, DepositAddressEvent> = {
  kind: "deposit_address",
  prefix: "da",
  lifecycle: DepositAddress,
  ended: ["disabled"],
  facets: ({ wallet_id }) => [`wallet_id=${wallet_id}`],
  issue: ({ merchant_id, id: resource_id, data }, id) => ({
    id,
    merchant_id,
    kind: "deposit_address",
    resource_id,
    type: "crypto",
    currency: data.currency,
    country_code: null,
    network: data.network,
    holder: data.wallet_id
  })
}
