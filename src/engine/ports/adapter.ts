/**
 * Adapters as opaque values, for applications that do not use Effect. An adapter holds the layer of a port; an
 * application can only pass it on.
 */
import type { Layer } from "effect"
import type { Cipher } from "./Cipher.ts"
import type { StorageFault } from "./errors.ts"
import type { Ids } from "./Ids.ts"
import type { Provider } from "./Provider.ts"
import type { ServiceClock } from "./ServiceClock.ts"
import type { Curve, Signer } from "./Signer.ts"
import type { Storage } from "./Storage.ts"
import type { JobNotifier } from "./JobNotifier.ts"
import type { WebhookSink } from "./WebhookSink.ts"

const held: unique symbol = Symbol.for("corridor/adapter")

/**
 * An adapter of one port. `port` is the port's name. `simulated`: the provider moves no real money, and the sandbox
 * controls it. `environment`: where its keys work, which is known before it starts; absent: it does not say.
 */
export interface Adapter<Port extends string, Simulated extends boolean = boolean> {
  readonly port: Port
  readonly simulated: Simulated
  readonly environment?: "test" | "live"
  /** Of a signer that makes its keys: the curve of each, which is known before it starts and makes them. Absent: it does not say. */
  readonly curves?: { readonly [keyRef: string]: Curve }
}

/** What is known of an adapter before it starts. */
type Known = Pick<Adapter<string>, "environment" | "curves">

export type StorageAdapter = Adapter<"storage">
export type ProviderAdapter = Adapter<"provider">
export type SimulatedProviderAdapter = Adapter<"provider", true>
export type WebhookAdapter = Adapter<"webhook">
export type CipherAdapter = Adapter<"cipher">
export type ClockAdapter = Adapter<"clock">
export type SignerAdapter = Adapter<"signer">

/** The layer that the adapter of each port holds. */
export interface Ports {
  readonly storage: Layer.Layer<Storage, StorageFault>
  readonly provider: Layer.Layer<Provider, StorageFault, Storage | Ids | JobNotifier | Cipher>
  readonly webhook: Layer.Layer<WebhookSink>
  readonly cipher: Layer.Layer<Cipher>
  readonly clock: Layer.Layer<ServiceClock, StorageFault, Storage>
  readonly signer: Layer.Layer<Signer, StorageFault, Storage | Ids | Cipher>
}

/** Wraps the layer of a port in an adapter. The layer of a `simulated` provider also has its `Sandbox`. */
export const adapter = <P extends keyof Ports, S extends boolean = false>(
  port: P,
  layer: Ports[P],
  simulated: S = false as S,
  known: Known = {}
): Adapter<P, S> => Object.freeze(Object.defineProperty({ port, simulated, ...known }, held, { value: layer }))

/**
 * Checks the keys that the provider of a chain takes of its signer, by the option that names each, before the signer makes them: a key of
 * another curve that was made at a start which then failed would stay in the store. Throws `TypeError`.
 */
export const checkCurves = (
  signer: SignerAdapter,
  curve: Curve,
  keys: { readonly [option: string]: string | undefined }
): void => {
  for (const [option, keyRef] of Object.entries(keys)) {
    const found = keyRef === undefined ? undefined : signer?.curves?.[keyRef.split("/")[0]!]
    if (found !== undefined && found !== curve)
      throw new TypeError(`${option} is ${keyRef}, a key of ${found}; it takes one of ${curve}`)
  }
}

/** The layer of an adapter. Throws `TypeError` for a value that is not an adapter of that port. */
export const layerOf = <P extends keyof Ports>(port: P, value: Adapter<P>): Ports[P] => {
  const layer = (value as Partial<Record<typeof held, Ports[P]>> | undefined)?.[held]
  if (layer === undefined || value.port !== port)
    throw new TypeError(`${port} must be an adapter made by a function of corridor/adapters/${port}/*`)
  return layer
}
