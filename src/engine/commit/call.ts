/** The caller of an operation, and how its response is stored for a repeat. */

/** Roles of API keys, low to high (AUTH-7). */
export type Role = "viewer" | "developer" | "admin"

const ranks: Readonly<Record<Role, number>> = { viewer: 0, developer: 1, admin: 2 }

/** Whether a role is `least` or higher. */
export const atLeast = (role: Role, least: Role): boolean => ranks[role] >= ranks[least]

/**
 * One call of a merchant.
 *
 * `idempotency`: the caller's key, and the fingerprint that distinguishes a repeat from a reuse. Null: no key was sent.
 * `reply` renders the response that is stored with the effect and returned to a repeat: over HTTP the exact response
 * body, embedded the result as JSON. It is called for each decision, with its result, before the commit.
 */
export interface Call {
  readonly merchant_id: string
  readonly role: Role
  /** The API key of the caller. Null for the embedding application itself. */
  readonly key_id: string | null
  readonly request_id: string
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
  /** The version in the `If-Match` header (HTTP-11). Null when the header is absent or `*`. */
  readonly if_match: string | null
  readonly reply: (result: unknown) => string
  /**
   * Called when the result is an existing movement with the reference that was sent (REFERENCE-3). A response that an
   * attempt to create another has rendered is then void.
   */
  readonly existing?: () => void
}

/** Whether a text has the form of an idempotency key (IDEM-6). */
export const isIdempotencyKey = (key: string): boolean => /^[A-Za-z0-9_-]{8,255}$/.test(key)
