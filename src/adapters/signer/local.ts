/**
 * A signer with keys of its own, kept in the store and sealed under the encryption key. A rotation of the encryption key
 * seals them again. No function returns a private key, and no message contains one.
 */
import { hkdfSync } from "node:crypto"
import { base58 } from "@scure/base"
import { Clock, Effect, Exit, Layer } from "effect"
import { checkOptions } from "../../engine/input/options.ts"
import { adapter, type SignerAdapter } from "../../engine/ports/adapter.ts"
import { Cipher } from "../../engine/ports/Cipher.ts"
import { InvariantViolation, StorageFault } from "../../engine/ports/errors.ts"
import { Ids } from "../../engine/ports/Ids.ts"
import {
  type Curve,
  curves,
  Signer,
  SignerFault,
  SigningRefused,
  type SigningPolicy
} from "../../engine/ports/Signer.ts"
import { EMPTY, PLATFORM_MERCHANT, type Row, type RowKey, Storage } from "../../engine/ports/Storage.ts"
import { keyLifetime } from "../../engine/settings/retention.ts"
import { isPrivateKey, derivePublicKey, signWithKey } from "./keys.ts"

/**
 * A key. Without `secret`, the first start generates it. With `secret`, the first start imports it, and later starts check
 * that it is the stored key: 32 bytes in hexadecimal, with or without `0x`; for `ed25519` also the 64 bytes in base58 that
 * Solana's wallets export.
 */
export interface LocalKey {
  readonly curve: Curve
  readonly secret?: string
}

export interface LocalSignerOptions {
  /** The keys by their `keyRef`. A key that was stored before stays usable without being listed. */
  readonly keys: { readonly [keyRef: string]: LocalKey }
  readonly policy?: SigningPolicy
}

interface Stored {
  readonly curve: Curve
  /** Hexadecimal. */
  readonly public_key: string
  readonly sealed: string
}

const rowKey = (keyRef: string): RowKey => ({ merchant_id: PLATFORM_MERCHANT, kind: "signer_key", id: keyRef })

const hexKey = /^(?:0x)?([0-9a-f]{64})$/i

/** Decodes a secret to its 32 bytes. Errors: throws `TypeError`, which never contains the secret. */
const decodeSecret = (keyRef: string, { curve, secret = "" }: LocalKey): Uint8Array => {
  const [, digits] = hexKey.exec(secret.trim()) ?? []
  if (digits !== undefined) {
    const bytes = Buffer.from(digits, "hex")
    if (isPrivateKey(curve, bytes)) return bytes
  }
  if (curve === "ed25519" && /^[1-9A-HJ-NP-Za-km-z]{80,90}$/.test(secret.trim())) {
    const pair = Buffer.from(base58.decode(secret.trim()))
    if (pair.length === 64 && pair.subarray(32).equals(derivePublicKey(curve, pair.subarray(0, 32))))
      return pair.subarray(0, 32)
  }
  const forms = curve === "ed25519" ? "32 bytes in hexadecimal, or 64 bytes in base58" : "32 bytes in hexadecimal"
  throw new TypeError(`keys.${keyRef}.secret is no private key of ${curve}: it must be ${forms}`)
}

const toSignerFault = (cause: StorageFault): SignerFault =>
  new SignerFault({ message: "the signer cannot read its keys", cause })

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const makeDeps = Effect.fnUntraced(function* ({ keys, policy }: LocalSignerOptions) {
  return { keys, policy, storage: yield* Storage, cipher: yield* Cipher, ids: yield* Ids }
})
type Deps = Effect.Success<ReturnType<typeof makeDeps>>

const readKeyRow = ({ storage }: Deps, keyRef: string): Effect.Effect<Stored | undefined, StorageFault> =>
  Effect.map(storage.get([rowKey(keyRef)]), ([row]) => row?.data as Stored | undefined)

const generateSecret = Effect.fnUntraced(function* ({ ids }: Deps, curve: Curve): Effect.fn.Return<Uint8Array> {
  while (true) {
    const secret = yield* ids.secret(32)
    if (isPrivateKey(curve, secret)) return secret
  }
})

/** Stores a key, sealed. If two nodes start at once, the key of the first is kept. */
const storeKey = Effect.fnUntraced(function* (deps: Deps, keyRef: string, key: LocalKey) {
  const { cipher, storage } = deps
  const isGiven = key.secret !== undefined
  const secret = isGiven ? decodeSecret(keyRef, key) : yield* generateSecret(deps, key.curve)
  const at = yield* Clock.currentTimeMillis
  const data: Stored = {
    curve: key.curve,
    public_key: toHex(derivePublicKey(key.curve, secret)),
    sealed: yield* cipher.seal(toHex(secret))
  }
  const row: Row = {
    ...rowKey(keyRef),
    version: 1,
    machine: "1",
    state: "kept",
    status: "kept",
    customer_id: null,
    root_id: null,
    created_at: at,
    updated_at: at,
    hidden: false,
    event_count: 0,
    index_keys: [],
    data
  }
  const name = `signer_key/${keyRef}`
  yield* storage.commit({
    ...EMPTY,
    merchant_id: PLATFORM_MERCHANT,
    at,
    idempotency: { key: name, fingerprint: "", response: null, expires_at: at + keyLifetime },
    rows: [{ ...row, via: isGiven ? "imported" : "generated", from: null }]
  })
})

/**
 * Compares a configured key with the stored one, and returns whether one is stored. Errors: throws `TypeError` if they differ;
 * `StorageFault` if the cipher does not open the stored one.
 */
const compareKey = Effect.fnUntraced(function* (deps: Deps, keyRef: string, key: LocalKey) {
  if (keyRef === "") throw new TypeError("a key of localSigner has an empty name")
  const given = key.secret === undefined ? undefined : decodeSecret(keyRef, key)
  const kept = yield* readKeyRow(deps, keyRef)
  if (kept === undefined) return false
  if (kept.curve !== key.curve) {
    throw new TypeError(`keys.${keyRef}.curve is ${key.curve}, but the stored key is one of ${kept.curve}`)
  }
  if (given !== undefined && toHex(derivePublicKey(key.curve, given)) !== kept.public_key)
    throw new TypeError(`keys.${keyRef}.secret is not the stored key, whose public key is ${kept.public_key}`)
  // Money that is sent to an address of a key that does not open cannot be moved.
  yield* unsealSecret(deps, keyRef, kept.sealed).pipe(
    Effect.mapError(({ message }) => new StorageFault({ message, retryable: false }))
  )
  return true
})

/** Opens a sealed secret. One that cannot be opened is a fault: the encryption key is missing. */
const unsealSecret = Effect.fnUntraced(function* ({ cipher }: Deps, keyRef: string, sealed: string) {
  const exit = yield* Effect.exit(cipher.open(sealed))
  if (Exit.isSuccess(exit)) return Buffer.from(exit.value, "hex")
  const id = sealed.slice(0, Math.max(0, sealed.indexOf(":")))
  return yield* new SignerFault({
    message: `the signer cannot open its key ${keyRef}: it was sealed under the encryption key ${id}, which is not configured`
  })
})

/** Reads the secret of a key that is stored, or derives it from a stored one by its path. */
const readSecret = Effect.fnUntraced(function* (deps: Deps, keyRef: string) {
  const own = yield* readKeyRow(deps, keyRef).pipe(Effect.mapError(toSignerFault))
  if (own !== undefined) return { curve: own.curve, secret: yield* unsealSecret(deps, keyRef, own.sealed) }
  const [name = "", ...path] = keyRef.split("/")
  const from = path.length === 0 ? undefined : yield* readKeyRow(deps, name).pipe(Effect.mapError(toSignerFault))
  if (from === undefined) return yield* new SignerFault({ message: `the signer has no key ${JSON.stringify(keyRef)}` })
  if (from.curve !== "ed25519")
    return yield* new SignerFault({ message: `${keyRef} derives from a key of ${from.curve}, not of ed25519` })
  // HKDF (RFC 5869) with SHA-256: the key and the path determine the derived key.
  const secret = yield* unsealSecret(deps, name, from.sealed)
  return { curve: from.curve, secret: new Uint8Array(hkdfSync("sha256", secret, "corridor", path.join("/"), 32)) }
})

/**
 * The layer of the signer. Errors: dies with a `TypeError` for a secret that is no key, or differs from the stored one. Fails
 * with a `StorageFault` when the store cannot be reached, or when the cipher does not open a stored key of `keys`.
 */
const layer = (options: LocalSignerOptions): Layer.Layer<Signer, StorageFault, Storage | Ids | Cipher> =>
  Layer.effect(
    Signer,
    Effect.gen(function* () {
      const deps = yield* makeDeps(options)
      // Law: where one of the keys that are not stored is refused, none is stored.
      const keys = Object.entries(deps.keys)
      const missing = yield* Effect.filter(keys, ([keyRef, key]) =>
        Effect.map(compareKey(deps, keyRef, key), (is) => !is)
      )
      for (const [keyRef, key] of missing) {
        yield* storeKey(deps, keyRef, key)
        if (!(yield* compareKey(deps, keyRef, key))) throw new InvariantViolation(`the key ${keyRef} is stored`)
      }
      return Signer.of({
        /** Law: only a key that signs is told: it is opened for it. */
        publicKey: Effect.fnUntraced(function* (keyRef) {
          const { curve, secret } = yield* readSecret(deps, keyRef)
          return { curve, bytes: derivePublicKey(curve, secret) }
        }),
        sign: Effect.fnUntraced(function* (keyRef, curve, bytes, intent) {
          const key = yield* readSecret(deps, keyRef)
          if (key.curve !== curve)
            return yield* new SignerFault({ message: `the key ${keyRef} is one of ${key.curve}, not of ${curve}` })
          const refusal = deps.policy?.(keyRef, intent) ?? null
          if (refusal !== null) return yield* new SigningRefused({ message: refusal })
          return yield* Effect.tryPromise({
            try: () => signWithKey(curve, key.secret, bytes),
            catch: (cause) => new SignerFault({ message: "the signer failed", cause })
          })
        })
      })
    })
  )

export const LocalSigner = { layer } as const

/**
 * A signer whose keys are in the store, sealed under the encryption key. Anyone who has both controls the money.
 *
 * Errors: throws `TypeError` for an unknown option.
 */
export const localSigner = (options: LocalSignerOptions): SignerAdapter => {
  checkOptions("localSigner", options, { keys: "object", policy: "function?" })
  for (const [keyRef, one] of Object.entries(options.keys))
    checkOptions(`keys.${keyRef} of localSigner`, one, { curve: curves, secret: "string?" })
  const declared = Object.entries(options.keys).map(([keyRef, { curve }]) => [keyRef, curve] as const)
  return adapter("signer", LocalSigner.layer(options), false, { curves: Object.fromEntries(declared) })
}
