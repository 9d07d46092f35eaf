/**
 * The statuses that end an object, by event category, each with the statuses that a correction can still bring.
 * Written by `npm run docs` from the registry; a test fails when it is stale.
 */
export const terminalStatuses: {
  readonly [category: string]: { readonly [status: string]: ReadonlyArray<string> }
} = {
  onramp: { success: [], failed: ["processing", "returned", "success", "temporary_failure"], returned: [] },
  offramp: { success: ["returned"], failed: [], returned: [] },
  conversion: { success: [], failed: [], returned: [] },
  transfer: { success: [], failed: [] },
  deposit: { confirmed: [], failed: [] },
  kyc: { approved: [], rejected: [] }
}
