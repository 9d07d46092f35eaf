/**
 * The assembled engine: all services over the ports, as one layer. It requires only the ports; the composition root
 * chooses their adapters.
 */
import { Layer } from "effect"
import { checkedPorts } from "./ports/checked-ports.ts"
import { Operations } from "./calls/operation.ts"
import { Kinds } from "./commit/kind.ts"
import { entries } from "./operations.ts"
import { core } from "./operations/core.ts"
import { kinds, services } from "./registry.ts"
import { Ids } from "./ports/Ids.ts"
import { Pricing } from "./ports/Pricing.ts"
import { Rates } from "./ports/Rates.ts"
import { SandboxOperations } from "./sandbox/sandbox.ts"
import { JobNotifier } from "./ports/JobNotifier.ts"

/**
 * The engine over its ports: `Storage`, `Providers`, `WebhookSink`, `Cipher`, `Rates`, `Pricing`. It uses the `Sandbox`
 * of a simulated provider if there is one.
 */
export const layer = services.pipe(
  Layer.provideMerge(core),
  Layer.provideMerge(Layer.succeed(Kinds, kinds)),
  Layer.provideMerge(Layer.sync(Operations, () => new Map(entries.map(({ operation }) => [operation.id, operation])))),
  Layer.provide(checkedPorts)
)

/** Ids from the runtime's random source, and the hints from commits to the dispatcher. */
export const local = Layer.mergeAll(Ids.layer, JobNotifier.layer)

/** The default prices: the table of rates and the default policy. Each can be replaced. */
export const prices = Pricing.layer.pipe(Layer.provideMerge(Rates.layer))

/** The services of `/sandbox`, over the engine, the `Sandbox` of the simulated provider and a `ServiceClock`. */
export const sandbox = SandboxOperations.layer
