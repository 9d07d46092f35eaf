/** The records of calls with an idempotency key (IDEM-1, IDEM-7, IDEM-8, OPERATOR-8). */
import { Clock, Effect } from "effect"
import { sealedAnswer } from "../crypto/EncryptionKeys.ts"
import type { Cipher } from "../ports/Cipher.ts"
import type { Ids } from "../ports/Ids.ts"
import {
  type Change,
  type CommitResult,
  EMPTY,
  type IdempotencyRecord,
  type IdempotencyWrite,
  PLATFORM_MERCHANT,
  type Storage
} from "../ports/Storage.ts"
import { IdempotencyConflict, IdempotencyInProgress, StorageFault } from "../ports/errors.ts"
import { acquireUseReleaseSync } from "../ports/when-ended.ts"
import { keyLifetime } from "../settings/retention.ts"
import type { Call } from "./call.ts"

/**
 * The calls with an idempotency key that run in this process. A concurrent repeat is rejected without a read of the store.
 * Between nodes, the commit decides: one of them wins (IDEM-7).
 */
export class InFlight {
  readonly #running = new Map<string, string>()

  /**
   * Runs `self` unless a request of the merchant with the same key is running. Errors: `IdempotencyInProgress`; `IdempotencyConflict` if
   * the fingerprint of the running request is different. A dry run (`isDry`) takes no key, so that it stands in no request's way.
   */
  readonly guard = <A, E, R>(
    merchant_id: string,
    idempotency: { readonly key: string; readonly fingerprint: string },
    self: Effect.Effect<A, E, R>,
    isDry = false
  ): Effect.Effect<A, E | IdempotencyConflict | IdempotencyInProgress, R> => {
    const name = `${merchant_id} ${idempotency.key}`
    return acquireUseReleaseSync(
      () => {
        const runningFingerprint = this.#running.get(name)
        if (runningFingerprint === undefined && !isDry) this.#running.set(name, idempotency.fingerprint)
        return runningFingerprint
      },
      (runningFingerprint): Effect.Effect<A, E | IdempotencyConflict | IdempotencyInProgress, R> => {
        if (runningFingerprint === undefined) return self
        return runningFingerprint === idempotency.fingerprint
          ? Effect.fail(
              new IdempotencyInProgress({
                message: "The first request with this Idempotency-Key is still running. Repeat this one shortly."
              })
            )
          : Effect.fail(
              new IdempotencyConflict({ message: "This Idempotency-Key is in use by another request. Use a new key." })
            )
      },
      (runningFingerprint) => {
        if (runningFingerprint === undefined && !isDry) this.#running.delete(name)
      }
    )
  }
}

/** The key of the record of a call, by the idempotency key that the caller sent. */
const toRecordKey = (key: string): string => `idem/${key}`

/** The response of a record that names the merchant whose Change has the response. */
const elsewhere = "merchant:"

/** The response of a record whose response was deleted: its key stays used. */
const forgotten = "{}"

/** The merchant whose Change has the response, if a record names one. */
const findEffectMerchant = ({ response }: IdempotencyRecord): string | undefined =>
  response?.startsWith(elsewhere) === true ? response.slice(elsewhere.length) : undefined

const makeReuseError = () =>
  new IdempotencyConflict({ message: "This Idempotency-Key was used before with another request. Use a new key." })

/** Refuses a call whose key has a record: the first request is still running, or it was another one. */
const refuseRepeat = (idempotency: IdempotencyWrite, { record }: Extract<CommitResult, { _tag: "Repeated" }>) =>
  record.fingerprint === idempotency.fingerprint
    ? new IdempotencyInProgress({
        message: "The first request with this Idempotency-Key is still running. Repeat this one shortly."
      })
    : makeReuseError()

/** Names the record of a call that was made before. `key`: as in its `Call`. */
export interface PastCall {
  readonly merchant_id: string
  readonly key: string
}

type Store = Storage["Service"]

/** Reads the record of a call, as long as it has not expired. */
const readRecord = (storage: Store, merchant_id: string, key: string) =>
  Clock.clockWith((clock) => storage.idempotencyRecord(merchant_id, toRecordKey(key), clock.currentTimeMillisUnsafe()))

/** Finds the record that has the response of a call, and the merchant with which it lies. Undefined: there is none. */
const findResponseRecord = Effect.fnUntraced(function* (
  storage: Store,
  { key, merchant_id }: PastCall,
  own: IdempotencyRecord | undefined
) {
  const owner = (own === undefined ? undefined : findEffectMerchant(own)) ?? merchant_id
  const record = owner === merchant_id ? own : yield* readRecord(storage, owner, key)
  return record === undefined ? undefined : { ...record, response: record.response ?? "", merchant_id: owner }
})

const findRecord = (storage: Store, call: PastCall) =>
  Effect.flatMap(readRecord(storage, call.merchant_id, call.key), (own) => findResponseRecord(storage, call, own))

/** The response of a call whose act has two commits, until the second: of one request, since two calls never have the same (IDEM-7). */
const begun = "begun:"

/** The response of a call in two commits until the second, which names the request that made the first. */
export const makeBegunResponse = ({ request_id }: Call): string => begun + request_id
export const isResponseBegun = (response: string): boolean => response.startsWith(begun)

/** Replaces the stored response of a call. Does nothing where it is that already, or there is none. */
const replaceResponse = Effect.fnUntraced(function* (storage: Store, call: PastCall, to: string) {
  const effect = yield* findRecord(storage, call)
  if (effect === undefined || effect.response === to) return
  const { key, merchant_id, response } = effect
  if (!(yield* storage.replaceResponse(merchant_id, key, response, to)))
    return yield* new StorageFault({ message: `the response of ${key} has changed meanwhile`, retryable: true })
})

/** Stores the response of a call in two commits after the second. A final response that is stored already stays: both did the same. */
const storeFinalResponse = Effect.fnUntraced(function* (
  storage: Store,
  { idempotency, merchant_id }: Call,
  to: string
) {
  if (idempotency === null) return
  const effect = yield* findRecord(storage, { merchant_id, key: idempotency.key })
  if (effect === undefined || !isResponseBegun(effect.response)) return
  yield* storage.replaceResponse(effect.merchant_id, effect.key, effect.response, to)
})

interface Parts {
  readonly storage: Storage["Service"]
  readonly cipher: Cipher["Service"]
  readonly ids: Ids["Service"]
  readonly commit: (change: Change) => Effect.Effect<CommitResult, StorageFault>
}

/** Decrypts a stored response, if it is encrypted. */
const openResponse = (cipher: Cipher["Service"], text: string): Effect.Effect<string, StorageFault> =>
  text.startsWith(sealedAnswer) ? cipher.open(text.slice(sealedAnswer.length)) : Effect.succeed(text)

/** Reads the response for a repeat of a call. Errors: `IdempotencyConflict` for another request. */
const replayResponse = Effect.fnUntraced(function* (
  { cipher, storage }: Pick<Parts, "cipher" | "storage">,
  { fingerprint, key, merchant_id }: PastCall & { readonly fingerprint: string },
  own: IdempotencyRecord
) {
  if (own.fingerprint !== fingerprint) return yield* makeReuseError()
  const effect = yield* findResponseRecord(storage, { merchant_id, key }, own)
  return effect === undefined ? undefined : yield* openResponse(cipher, effect.response)
})

export const makeIdempotency = ({ cipher, commit, ids, storage }: Parts) => {
  const kept = (text: string, secret: boolean | undefined): Effect.Effect<string> =>
    secret === true ? Effect.map(cipher.seal(text), (sealed) => sealedAnswer + sealed) : Effect.succeed(text)

  /** The record of a call. `expires_at`: that of the claim, if there is one. */
  const idempotencyOf = (
    { idempotency }: Call,
    at: number,
    response: string,
    expires_at = at + keyLifetime
  ): Effect.Effect<IdempotencyWrite> => {
    if (idempotency === null) {
      return Effect.map(ids.make("req"), (id) => ({ key: `req/${id}`, fingerprint: "", response: null, expires_at }))
    }
    const { fingerprint, key, lasts } = idempotency
    return Effect.succeed({
      key: toRecordKey(key),
      fingerprint,
      response,
      expires_at: lasts === true ? null : expires_at
    })
  }

  /**
   * Reserves the key of an operator's call that writes to a merchant: its repeats look under the platform merchant, while the
   * response is stored with the effect, under the merchant. Returns when the key expires; `undefined` for any other call.
   *
   * Errors: `IdempotencyConflict` and `IdempotencyInProgress` when another request has the key.
   * Law: after a crash between the claim and the effect, a repeat of the call has the effect, once.
   */
  const claim = (call: Call): ReturnType<typeof reserved> =>
    call.operator === null || call.idempotency === null || call.merchant_id === PLATFORM_MERCHANT
      ? Effect.undefined
      : reserved(call)

  const reserved = Effect.fnUntraced(function* (
    call: Call
  ): Effect.fn.Return<number | undefined, IdempotencyConflict | IdempotencyInProgress | StorageFault> {
    const at = yield* Clock.currentTimeMillis
    const idempotency = yield* idempotencyOf(call, at, elsewhere + call.merchant_id)
    const verdict = yield* commit({ merchant_id: PLATFORM_MERCHANT, at, idempotency, ...EMPTY })
    if (verdict._tag !== "Repeated") return idempotency.expires_at ?? undefined
    const { record } = verdict
    if (record.fingerprint === idempotency.fingerprint && record.response === idempotency.response)
      return record.expires_at ?? undefined
    return yield* refuseRepeat(idempotency, verdict)
  })

  const claimed = ({ idempotency }: Call) =>
    idempotency === null
      ? Effect.undefined
      : Effect.map(readRecord(storage, PLATFORM_MERCHANT, idempotency.key), (record) =>
          record === undefined ? undefined : findEffectMerchant(record)
        )

  const replay = ({ idempotency, merchant_id }: Call) =>
    idempotency === null
      ? Effect.undefined
      : Effect.flatMap(readRecord(storage, merchant_id, idempotency.key), (own) =>
          own === undefined
            ? Effect.undefined
            : replayResponse({ cipher, storage }, { merchant_id, ...idempotency }, own)
        )

  const responseOf = Effect.fnUntraced(function* (call: PastCall) {
    const effect = yield* findRecord(storage, call)
    return effect === undefined || effect.response === forgotten
      ? undefined
      : yield* openResponse(cipher, effect.response)
  })

  const recordRefusal = Effect.fnUntraced(function* (call: Call, reply: string) {
    if (call.idempotency === null) return
    const at = yield* Clock.currentTimeMillis
    const idempotency = yield* idempotencyOf(call, at, reply)
    const record = (merchant_id: string) => commit({ merchant_id, at, idempotency, ...EMPTY })
    let verdict = yield* record(call.merchant_id)
    const merchant_id =
      verdict._tag === "Repeated" && verdict.record.fingerprint === idempotency.fingerprint
        ? findEffectMerchant(verdict.record)
        : undefined
    if (merchant_id !== undefined) verdict = yield* record(merchant_id)
    if (verdict._tag === "Repeated" && verdict.record.response !== reply)
      return yield* refuseRepeat(idempotency, verdict)
  })

  return {
    claim,
    claimed,
    finish: (call: Call, response: string) => storeFinalResponse(storage, call, response),
    forget: (call: PastCall) => replaceResponse(storage, call, forgotten),
    idempotencyOf,
    kept,
    recordRefusal,
    refuseRepeat,
    replay,
    responseOf
  }
}
