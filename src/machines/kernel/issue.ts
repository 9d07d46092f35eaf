/** Shared by deposit addresses and wallet credentials: the provider issues each of them once. */
import { cancel, command } from "./outcome.ts"

/** The name of the command that requests an address. */
export const issueName = "issue"

export const issue = command({ operation: "issue", name: issueName })

export const stopIssue = cancel(issueName)

export const issued = { target: "active", actions: ["issued", stopIssue] } as const

/** Details that are issued after the resource was disabled are kept: money that arrives there must find its owner. */
export const issuedLate = { guard: "unissued", actions: ["issued", stopIssue] } as const
