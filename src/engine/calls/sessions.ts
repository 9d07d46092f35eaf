/**
 * Sessions of the console (SESSION-1). A session is a record with an expiry, as that of an idempotency key: nodes share it,
 * a restart keeps it, and retention deletes it. It names the token that it was made with, which is checked at each use.
 */
import { bindFirst } from "../../machines/kernel/bound.ts"
import { Clock, Effect } from "effect"
import { makeAuditEntry } from "../commit/audit.ts"
import type { Operator } from "../commit/call.ts"
import { UnitOfWork } from "../commit/UnitOfWork.ts"
import { sha256, token } from "../crypto/secrets.ts"
import type { StorageFault } from "../ports/errors.ts"
import { Ids } from "../ports/Ids.ts"
import { PLATFORM_MERCHANT, Storage } from "../ports/Storage.ts"
import { wallNow } from "../ports/Time.ts"
import { trustMs } from "./auth.ts"

/** How long a session lasts, and how long without a use. */
export const sessionMs = 12 * 3_600_000
export const idleMs = 3_600_000
/** The least time between two writes of the time of the last use. */
const touchMs = 60_000
const cacheMax = 10_000
/** Records outlive their sessions, because the sandbox may move the clock by which a store deletes them. */
const keptMs = 31 * 24 * 3_600_000

/** Times are wall time, epoch milliseconds: the movable clock does not end a session. */
export interface Session {
  readonly type: "operator" | "merchant"
  /** SHA-256 of the token or API key (hex). */
  readonly hash: string
  readonly created_at: number
  readonly used_at: number
}

/** The audit entry of a sign-in or sign-out. */
interface SignIn {
  readonly operator: Operator
  readonly request_id: string
}

const makeSessionKey = (id_hash: string): string => `session/${id_hash}`
const makeEndKey = (id_hash: string): string => `session_ended/${id_hash}`

const makeSelf = Effect.gen(function* () {
  return {
    ...(yield* Effect.all({ unitOfWork: UnitOfWork, storage: Storage, ids: Ids })),
    cache: new Map<string, { readonly session: Session; readonly text: string; readonly read_at: number }>(),
    /** Counts ends, so that a read that started before an end is not cached after it. */
    generation: 0
  }
})
type Self = Effect.Success<typeof makeSelf>

const rememberSession = (
  self: Self,
  id_hash: string,
  session: Session,
  text: string,
  read_at: number,
  began: number
): void => {
  const { cache } = self
  if (began !== self.generation) return
  if (cache.size >= cacheMax) cache.clear()
  cache.set(id_hash, { session, text, read_at })
}

/** Makes the audit entry of a sign-in or a sign-out; none for a merchant's. */
const makeSignInEntry = ({ ids }: Self, action: string, signIn: SignIn | undefined) =>
  signIn === undefined
    ? Effect.succeed([])
    : Effect.flatMap(Clock.currentTimeMillis, (at) =>
        Effect.map(
          makeAuditEntry(
            PLATFORM_MERCHANT,
            { ...signIn, action, resource: null, note: null, from: null, to: null },
            at
          ),
          (changes) => [changes]
        )
      ).pipe(Effect.provideService(Ids, ids))

const writeSession = Effect.fnUntraced(function* (
  self: Self,
  key: string,
  content: string | undefined,
  action: string,
  signIn: SignIn | undefined
) {
  const { unitOfWork } = self
  yield* unitOfWork.apply(
    PLATFORM_MERCHANT,
    { deduplicationKey: key, deduplication_ms: keptMs, ...(content === undefined ? {} : { content }) },
    Effect.map(makeSignInEntry(self, action, signIn), (changes) => ({ changes, result: undefined }))
  )
})

/** Reads a session, as of the epoch: its own times decide when it has ended, not the clock that the sandbox moves. */
const readSession = Effect.fnUntraced(function* ({ storage }: Self, id_hash: string) {
  const [record, end] = yield* Effect.all(
    [
      storage.idempotencyRecord(PLATFORM_MERCHANT, makeSessionKey(id_hash), 0),
      storage.idempotencyRecord(PLATFORM_MERCHANT, makeEndKey(id_hash), 0)
    ],
    { concurrency: 2 }
  )
  if (end !== undefined || typeof record?.response !== "string") return undefined
  return { session: JSON.parse(record.response) as Session, text: record.response }
})

/** Whether this process has read the session before, so that a request may cost the store a read. */
const isKnown = ({ cache }: Self, id: string): Effect.Effect<boolean> =>
  Effect.map(sha256(id), (id_hash) => cache.has(id_hash))

/** Begins a session, under a new id of 256 random bits, of which only the SHA-256 is stored. */
const beginSession = Effect.fnUntraced(function* (
  self: Self,
  type: Session["type"],
  hash: string,
  signIn: SignIn | undefined
) {
  const { ids } = self
  const id = yield* Effect.provideService(token, Ids, ids)
  const at = yield* wallNow
  const session: Session = { type, hash, created_at: at, used_at: at }
  yield* writeSession(self, makeSessionKey(yield* sha256(id)), JSON.stringify(session), "session.created", signIn)
  return { id, session }
})

/**
 * Reads the session with an id; `undefined` if there is none, or it has ended. Each call counts as a use. Law: a session that this process
 * ended is refused at once; one that another process ended, within `trustMs`.
 */
const useSession = Effect.fnUntraced(function* (
  self: Self,
  id: string
): Effect.fn.Return<Session | undefined, StorageFault> {
  const { cache, storage } = self
  const id_hash = yield* sha256(id)
  const now = yield* wallNow
  const began = self.generation
  let known = cache.get(id_hash)
  if (known === undefined || now - known.read_at >= trustMs || now < known.read_at) {
    const found = yield* readSession(self, id_hash)
    if (found === undefined) {
      cache.delete(id_hash)
      return undefined
    }
    rememberSession(self, id_hash, found.session, found.text, now, began)
    known = { ...found, read_at: now }
  }
  const { session, text } = known
  if (now >= session.created_at + sessionMs || now >= session.used_at + idleMs) return undefined
  if (now - session.used_at < touchMs) return session
  const used: Session = { ...session, used_at: now }
  const touched = JSON.stringify(used)
  // Another node may have written the time of a later use.
  if (yield* storage.replaceResponse(PLATFORM_MERCHANT, makeSessionKey(id_hash), text, touched))
    // What was written says nothing of an end: that was looked for when the session was read.
    rememberSession(self, id_hash, used, touched, known.read_at, began)
  return used
})

/** Ends a session. A repeat has no effect. */
const endSession = Effect.fnUntraced(function* (self: Self, id: string, signIn: SignIn | undefined) {
  const { cache } = self
  const id_hash = yield* sha256(id)
  yield* writeSession(self, makeEndKey(id_hash), undefined, "session.ended", signIn)
  self.generation++
  cache.delete(id_hash)
})

export const makeSessions = Effect.map(makeSelf, (self) =>
  bindFirst(self, { isKnown, begin: beginSession, use: useSession, end: endSession })
)
