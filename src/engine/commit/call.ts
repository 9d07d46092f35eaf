/**
 * Who calls an operation, and how its answer is kept for a repeat.
 */

/** Roles of API keys, low to high (AUTH-7). */
export type Role = "viewer" | "developer" | "admin"

const ranks: Readonly<Record<Role, number>> = { viewer: 0, developer: 1, admin: 2 }

/** Whether a role is `least` or above it. */
export const atLeast = (role: Role, least: Role): boolean => ranks[role] >= ranks[least]

/**
 * One call of a merchant's.
 *
 * `idempotency`: the caller's key, and the fingerprint that tells a repeat from a reuse; absent, the call is simply made.
 * `reply` renders what is recorded with the effect and given to a repeat: over HTTP the exact response body, embedded the
 * result as JSON. It is called once, with the operation's result, before the commit.
 */
export interface Call {
  readonly merchant_id: string
  readonly role: Role
  /** The API key that calls; null for the embedding application itself. */
  readonly key_id: string | null
  readonly request_id: string
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
  /** The version an `If-Match` header names (HTTP-11); null: none was sent, or `*`. */
  readonly if_match: string | null
  readonly reply: (result: unknown) => string
  /** Called when the result is a movement that was made before, under the reference that was sent (REFERENCE-3). */
  readonly existing?: () => void
}

/** Whether a text may be an idempotency key (IDEM-6). */
export const isIdempotencyKey = (key: string): boolean => /^[A-Za-z0-9_-]{8,255}$/.test(key)
