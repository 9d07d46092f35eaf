/** Customers (decisions 5). Every merchant has one from the start: its own business, the default customer. */
import { Customer, type CustomerData, type CustomerEvent } from "../../machines/customer.ts"
import { stem } from "../Ids.ts"
import type { Kind } from "../Kind.ts"

export const CustomerKind: Kind<CustomerData, CustomerEvent> = {
  kind: "customer",
  prefix: "cust",
  lifecycle: Customer,
  ended: [],
  facets: ({ type, kyc_status }) => [`type=${type}`, `kyc_status=${kyc_status}`]
}

/** The default customer's id: told from the merchant's, so that nobody has to look it up. */
export const defaultCustomerId = (merchant_id: string): string => `cust_${stem(merchant_id)}`
