/** What a deposit address and a wallet credential share: the provider issues them, once. */
import { cancel, command } from "./outcome.ts"

const name = "issue"

export const issue = command({ operation: "issue", name })

/** Nobody waits for it any more. */
export const stopIssue = cancel(name)

export const issued = { target: "active", actions: ["issued", stopIssue] } as const

/** What is issued after it was disabled is still ours: money that arrives there must find its owner. */
export const issuedLate = { guard: "unissued", actions: ["issued", stopIssue] } as const
