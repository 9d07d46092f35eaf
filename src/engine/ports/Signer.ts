/**
 * The signer port: it keeps private keys, and signs what the adapters of chains send.
 *
 * A signer returns signatures and never broadcasts, so that the hash of a transaction is on record before any node has it.
 * A service that signs *and* broadcasts is a provider, not a signer.
 */
import { Context, type Effect, Schema } from "effect"

/** `secp256k1`: EVM chains. `ed25519`: Solana. */
export const curves = ["secp256k1", "ed25519"] as const
export type Curve = (typeof curves)[number]

/** `bytes`: for `secp256k1` the 65 bytes of the uncompressed point (0x04, x, y), for `ed25519` 32 bytes. */
export interface PublicKey {
  readonly curve: Curve
  readonly bytes: Uint8Array
}

/**
 * Why a signature is made. `deploy`, `sweep`, `fill` and `cancel` move no money out of the platform: the last two are
 * self-transfers that use up a nonce.
 */
export const signingPurposes = ["payout", "refund", "deploy", "sweep", "fill", "cancel"] as const
export type SigningPurpose = (typeof signingPurposes)[number]

/**
 * What a signature is for, so that a policy can refuse it. `command_id` is the id of the engine's command, or of the
 * adapter's own work. `amount` is a decimal string in `currency`; `destination` is the address that gets the money.
 */
export interface SigningIntent {
  readonly command_id: string
  readonly purpose: SigningPurpose
  readonly amount: string
  readonly currency: string
  readonly destination: string
}

/** The policy of the signer refuses. Nothing was signed, and the same intent will be refused again. */
export class SigningRefused extends Schema.TaggedError<SigningRefused>()("SigningRefused", {
  message: Schema.String
}) {}

/** The signer gave no signature: it could not be reached, has no such key, or gave a wrong signature. */
export class SignerFault extends Schema.TaggedError<SignerFault>()("SignerFault", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

export class Signer extends Context.Service<
  Signer,
  {
    /**
     * The public key that `keyRef` names. Law: it never changes.
     *
     * `name/path` names a key that is derived from the ed25519 key `name`: one for each path, from which nobody computes
     * another. A signer that derives no keys has no such key.
     * Errors: `SignerFault`, also when there is no such key.
     */
    readonly publicKey: (keyRef: string) => Effect.Effect<PublicKey, SignerFault>
    /**
     * Signs with a key.
     *
     * Shapes: `secp256k1` signs `bytes` as a digest of 32 bytes, and returns 65 bytes: r, s in the lower half of the
     * order, and the parity of y (0 or 1), by which the public key is recovered. `ed25519` signs `bytes` as a message, and
     * returns 64 bytes.
     *
     * Law: a returned signature is valid under `publicKey`.
     * Errors: `SigningRefused`, which is definite; `SignerFault` otherwise. In both cases the caller has no signature, so
     * there is nothing that could be broadcast.
     */
    readonly sign: (
      keyRef: string,
      curve: Curve,
      bytes: Uint8Array,
      intent: SigningIntent
    ) => Effect.Effect<Uint8Array, SigningRefused | SignerFault>
  }
>()("corridor/engine/Signer") {}

/** Returns why an intent is refused, or null to allow it. */
export type SigningPolicy = (keyRef: string, intent: SigningIntent) => string | null
