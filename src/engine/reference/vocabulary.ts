/** Words of `/v1` that resources declare, gathered from their registrations. Written by `npm run docs`; a test fails when they are stale. */

/** Categories of events that webhook endpoints subscribe to. */
export const categories = ["onramp", "offramp", "conversion", "transfer", "deposit", "kyc"] as const
export type Category = (typeof categories)[number]

/** Kinds whose resources are shown as transactions. */
export const transactionTypes = ["onramp", "offramp", "conversion", "transfer", "deposit"] as const
