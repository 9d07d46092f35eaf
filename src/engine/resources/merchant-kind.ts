import { Merchant, type MerchantData, type MerchantEvent } from "../../machines/merchant.ts"
import type { Kind } from "../Kind.ts"

/** A merchant is the owner of itself: its row's `merchant_id` is its id. */
export const merchantKind: Kind<MerchantData, MerchantEvent> = {
  kind: "merchant",
  prefix: "mer",
  lifecycle: Merchant,
  ended: []
}
