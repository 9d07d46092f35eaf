/**
 * The encryption keys that a store was written with (SERVICE-8). The store records each key together with a probe text
 * that the key sealed, so that a start without one of these keys is refused before anything is written.
 *
 * To rotate a key, every node gets the new one behind the old one, and then before it: what a node seals with the new key, each other
 * one can then open. `rotateKeys` then encrypts again, with the new key, everything that the old one sealed, and removes the old one
 * from the record: it may be deleted. A node that meets a text under a key that it lacks leaves it to the others (`missingKey`).
 */
import { Clock, Effect, Exit } from "effect"
import { Cipher } from "../ports/Cipher.ts"
import { MissingKey, StorageFault } from "../ports/errors.ts"
import { keyLifetime } from "../settings/retention.ts"
import { EMPTY, type Json, type Row, Storage } from "../ports/Storage.ts"

const SETTING = "encryption_keys"
const PROBE = "corridor"

/** The id of the fixed key of the test environment, which is public (SERVICE-7). */
export const developmentKeyId = "ec222440"

/** The size of a page that is read at once. */
const BATCH = 200

/** Makes the fault of a start without a key that the store needs. */
const makeStartFault = (key: string): StorageFault => {
  const message = `it was written with the encryption key ${key}, which is not configured`
  return new StorageFault({ message, retryable: false, cause: new MissingKey(key, message) })
}

/** The id of the key that sealed a text. */
export const readSealingKey = (sealed: string): string => sealed.slice(0, Math.max(0, sealed.indexOf(":")))

/** The probes of the recorded keys, the latest first. */
const recorded = Effect.gen(function* () {
  const storage = yield* Storage
  const text = yield* storage.setting(SETTING)
  return text === undefined ? [] : (JSON.parse(text) as ReadonlyArray<string>)
})

/** Opens a sealed text; `undefined` when the text is not sealed, or was sealed by another key. */
const tryOpen = (cipher: Cipher["Service"], sealed: string): Effect.Effect<string | undefined> =>
  cipher.keys.includes(readSealingKey(sealed))
    ? Effect.map(Effect.exit(cipher.open(sealed)), (exit) => (Exit.isSuccess(exit) ? exit.value : undefined))
    : Effect.undefined

/**
 * Checks that the cipher has each key that the store was written with, and returns their probes. Writes nothing.
 *
 * Errors: a `StorageFault` that is not retryable and whose cause is a `MissingKey`.
 */
export const checkKeys: Effect.Effect<ReadonlyArray<string>, StorageFault, Storage | Cipher> = Effect.gen(function* () {
  const cipher = yield* Cipher
  const probes = yield* recorded
  for (const probe of probes)
    if ((yield* tryOpen(cipher, probe)) !== PROBE) return yield* makeStartFault(readSealingKey(probe))
  return probes
})

/** Records the key that encrypts: each start does once it is admitted. Errors: as of {@link checkKeys}. */
export const rememberKeys: Effect.Effect<void, StorageFault, Storage | Cipher> = Effect.gen(function* () {
  const storage = yield* Storage
  const cipher = yield* Cipher
  const own = yield* cipher.seal(PROBE)
  // When several nodes start at once, one may overwrite the record of another. The other then records its key again.
  while (true) {
    const probes = yield* checkKeys
    if (probes.some((probe) => readSealingKey(probe) === cipher.keys[0])) return
    if (probes.length === 0) yield* storage.define(SETTING, JSON.stringify([own]))
    else yield* storage.assign(SETTING, JSON.stringify([own, ...probes]))
  }
})

const listTexts = (value: Json): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap((one: Json) => listTexts(one))
      : []

const replaceTexts = (value: Json, by: ReadonlyMap<string, string>): Json => {
  if (typeof value === "string") return by.get(value) ?? value
  if (typeof value !== "object" || value === null) return value
  return Array.isArray(value)
    ? value.map((one: Json) => replaceTexts(one, by))
    : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaceTexts(one as Json, by)]))
}

/** The prefix of a stored response that is sealed (`UnitOfWork.ts`). */
export const sealedAnswer = "sealed:"

/** Visits the rows that contain text sealed by a key, page by page. */
const visitRows = <E, R>(key: string, use: (row: Row) => Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    for (let after: Row | null = null; ; ) {
      const rows: ReadonlyArray<Row> = yield* storage.rowsHolding(`"${key}:`, after, BATCH)
      for (const row of rows) yield* use(row)
      if (rows.length < BATCH) return
      after = rows.at(-1)!
    }
  })

/** Visits the stored responses that a key sealed, page by page. */
const visitAnswers = <E, R>(
  key: string,
  use: (answer: {
    readonly merchant_id: string
    readonly key: string
    readonly response: string
  }) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    for (let after: { readonly merchant_id: string; readonly key: string } | null = null; ; ) {
      const answers: Effect.Success<ReturnType<Storage["Service"]["responsesHolding"]>> =
        yield* storage.responsesHolding(`${sealedAnswer}${key}:`, after, BATCH)
      for (const answer of answers) if (answer.response.startsWith(`${sealedAnswer}${key}:`)) yield* use(answer)
      if (answers.length < BATCH) return
      after = answers.at(-1)!
    }
  })

/**
 * The number of uses of a key: rows by kind, and stored responses. `isGiven`: the cipher has the key. `isRecorded`: no start is admitted
 * without it.
 */
export interface KeyUse {
  readonly key: string
  readonly isCurrent: boolean
  readonly isGiven: boolean
  readonly isRecorded: boolean
  readonly rows: Readonly<Record<string, number>>
  readonly answers: number
}

/** Whether no row and no stored response needs the key. */
export const isUnused = ({ answers, rows }: KeyUse): boolean => answers === 0 && Object.keys(rows).length === 0

/**
 * The texts in a row that a key sealed, with their plain text. Without the key, every text that looks sealed is
 * included.
 */
const findSealedTexts = Effect.fnUntraced(function* (row: Row, key: string) {
  const cipher = yield* Cipher
  const found = new Map<string, string>()
  for (const text of listTexts(row.data as Json)) {
    if (!text.startsWith(`${key}:`)) continue
    const plain = cipher.keys.includes(key) ? yield* tryOpen(cipher, text) : ""
    if (plain !== undefined) found.set(text, plain)
  }
  return found
})

/** Counts the rows and responses that contain text sealed by a key. */
const countKeyUse = Effect.fnUntraced(function* (key: string, probes: ReadonlyArray<string>) {
  const cipher = yield* Cipher
  const rows: Record<string, number> = {}
  let answers = 0
  yield* visitRows(key, (row) =>
    Effect.map(findSealedTexts(row, key), (found) => {
      if (found.size > 0) rows[row.kind] = (rows[row.kind] ?? 0) + 1
    })
  )
  yield* visitAnswers(key, () => Effect.sync(() => void answers++))
  return {
    key,
    isCurrent: key === cipher.keys[0],
    isGiven: cipher.keys.includes(key),
    isRecorded: probes.some((probe) => readSealingKey(probe) === key),
    rows,
    answers
  } satisfies KeyUse
})

/** The uses of each key that is configured or recorded, the current one first. Writes nothing. */
export const keyUse: Effect.Effect<ReadonlyArray<KeyUse>, StorageFault, Storage | Cipher> = Effect.gen(function* () {
  const cipher = yield* Cipher
  const probes = yield* recorded
  const keys = new Set([...cipher.keys, ...probes.map(readSealingKey)])
  return yield* Effect.forEach(keys, (key) => countKeyUse(key, probes))
})

/** Removes keys without uses from the record: later starts do not need them. */
const forgetUnused = Effect.gen(function* () {
  const storage = yield* Storage
  const done = new Set((yield* keyUse).filter((use) => !use.isCurrent && isUnused(use)).map(({ key }) => key))
  const probes = yield* checkKeys
  const kept = probes.filter((probe) => !done.has(readSealingKey(probe)))
  if (kept.length < probes.length) yield* storage.assign(SETTING, JSON.stringify(kept))
})

/**
 * Seals the texts of a row again, with the current key. Returns whether there were any.
 *
 * It is a new version of the row, although nothing that is shown of it changes, so that an `If-Match` that was read before is a conflict:
 * the version is what makes a writer that has read the row before decide again. Without it, that writer would put the text under the old
 * key back after the last pass, and the key would be forgotten while it is needed.
 */
const resealRow = Effect.fnUntraced(function* (row: Row, key: string) {
  const storage = yield* Storage
  const cipher = yield* Cipher
  const found = yield* findSealedTexts(row, key)
  if (found.size === 0) return false
  const again = new Map<string, string>()
  for (const [sealed, plain] of found) again.set(sealed, yield* cipher.seal(plain))
  const at = yield* Clock.currentTimeMillis
  const version = row.version + 1
  yield* storage.commit({
    ...EMPTY,
    merchant_id: row.merchant_id,
    at,
    idempotency: {
      key: `sealed_again/${row.kind}/${row.id}/${version}`,
      fingerprint: "",
      response: null,
      expires_at: at + keyLifetime
    },
    rows: [{ ...row, version, data: replaceTexts(row.data as Json, again), via: "sealed_again", from: row.state }]
  })
  return true
})

/**
 * Encrypts again, with the current key, everything that other keys sealed, and returns how many rows and responses that
 * was. Services may keep running: the pass is repeated until nothing is left. A key without uses is then removed from the record, so
 * all nodes must encrypt with the current key by then.
 *
 * Errors: as of {@link checkKeys}.
 */
export const rotateKeys: Effect.Effect<number, StorageFault, Storage | Cipher> = Effect.gen(function* () {
  yield* rememberKeys
  const storage = yield* Storage
  const cipher = yield* Cipher
  const old = [...new Set([...cipher.keys.slice(1), ...(yield* recorded).map(readSealingKey)])].filter(
    (key) => key !== cipher.keys[0]
  )
  const pass = Effect.gen(function* () {
    let moved = 0
    for (const key of old) {
      yield* visitRows(key, (row) => Effect.map(resealRow(row, key), (isMoved) => void (isMoved && moved++)))
      yield* visitAnswers(key, ({ key: name, merchant_id, response }) =>
        Effect.gen(function* () {
          const plain = yield* tryOpen(cipher, response.slice(sealedAnswer.length))
          if (plain === undefined) return
          const again = sealedAnswer + (yield* cipher.seal(plain))
          if (yield* storage.replaceResponse(merchant_id, name, response, again)) moved++
        })
      )
    }
    return moved
  })
  let all = 0
  for (let moved = yield* pass; moved > 0; moved = yield* pass) all += moved
  yield* forgetUnused
  return all
})
