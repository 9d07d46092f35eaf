/** Words of `/v1` that resources declare. Written by `npm run docs` from the registry; a test fails when it is stale. */

/** Categories of events that webhook endpoints subscribe to. */
export const categories = ["onramp", "offramp", "conversion", "transfer", "deposit", "kyc"] as const
export type Category = (typeof categories)[number]

/** Kinds whose resources are shown as transactions. */
export const transactionTypes = ["onramp", "offramp", "conversion", "transfer", "deposit"] as const
