/** The call of a merchant's admin, for services that a test calls one by one. */
import type { Call } from "../../../src/engine/commit/call.ts"

export const MERCHANT = "mer_01j9z3k4m5n6p7q8r9s0t1v2w3"

export const call = (more: Partial<Call> = {}): Call => ({
  merchant_id: MERCHANT,
  role: "admin",
  key_id: "key_1",
  operator: null,
  operation: "aTest",
  request_id: "req_1",
  idempotency: null,
  if_match: null,
  reply: (result) => JSON.stringify(result),
  ...more
})
