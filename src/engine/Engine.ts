/**
 * The assembled engine: all services over the ports, as one layer. It requires only the ports; the composition root
 * chooses their adapters.
 */
import { Layer } from "effect"
import { checkedPorts } from "./ports/checked-ports.ts"
import { Deliveries } from "./work/deliveries.ts"
import { Dispatcher } from "./work/queue/Dispatcher.ts"
import { observedStorage } from "./commit/observed-storage.ts"
import { PublishedTraces } from "./commit/PublishedTraces.ts"
import { UnitOfWork } from "./commit/UnitOfWork.ts"
import { Kinds } from "./commit/Kinds.ts"
import { kinds, services } from "./registry.ts"
import { Ids } from "./ports/Ids.ts"
import { Inbox } from "./work/providers/Inbox.ts"
import { ClockSkew } from "./work/upkeep/ClockSkew.ts"
import { Claims } from "./commit/Claims.ts"
import { StoreIdentity } from "./work/upkeep/StoreIdentity.ts"
import { Parking } from "./commit/Parking.ts"
import { Pricing } from "./ports/Pricing.ts"
import { Rates } from "./ports/Rates.ts"
import { Access } from "./resources/access/access.ts"
import { AutoConversions } from "./resources/deposits/auto-conversion.ts"
import { Auth } from "./calls/auth.ts"
import { ExceptionCredits } from "./resources/deposits/exception-credit.ts"
import { Exceptions } from "./resources/deposits/exceptions.ts"
import { HeldDeposits } from "./resources/deposits/held-deposits.ts"
import { Gauges } from "./work/upkeep/Gauges.ts"
import { HostedVerifications } from "./work/providers/hosted-verification.ts"
import { Payins } from "./resources/deposits/payin.ts"
import { Reindexing } from "./work/upkeep/Reindexing.ts"
import { Retention } from "./work/upkeep/Retention.ts"
import { SandboxOperations } from "./sandbox/sandbox.ts"
import { Tiers } from "./resources/parties/tiers.ts"
import { VerificationOutcomes } from "./resources/parties/verification-outcome.ts"
import { JobNotifier } from "./ports/JobNotifier.ts"
import { ActiveBrakes } from "./calls/ActiveBrakes.ts"
import { RateBandCheck } from "./calls/RateBand.ts"
import { ProviderHealth } from "./calls/ProviderHealth.ts"
import { Routes } from "./calls/Routes.ts"
import { JobHandlers } from "./work/queue/JobHandlers.ts"

/** The services that decide and commit, and the two entry points, `Inbox` and `Dispatcher`. */
const core = Layer.mergeAll(Dispatcher.layer, Gauges.layer).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      JobHandlers.layer,
      Retention.layer,
      Reindexing.layer,
      ClockSkew.layer,
      StoreIdentity.layer,
      HostedVerifications.layer
    )
  ),
  Layer.provideMerge(Layer.mergeAll(Inbox.layer, Deliveries.layer, Parking.layer)),
  Layer.provideMerge(Layer.mergeAll(Payins.layer, Exceptions.layer)),
  Layer.provideMerge(Layer.mergeAll(VerificationOutcomes.layer, ExceptionCredits.layer)),
  Layer.provideMerge(HeldDeposits.layer),
  Layer.provideMerge(AutoConversions.layer),
  Layer.provideMerge(Tiers.layer),
  Layer.provideMerge(Layer.mergeAll(Access.layer, Auth.layer)),
  Layer.provideMerge(Routes.layer),
  Layer.provideMerge(Layer.mergeAll(ActiveBrakes.layer, ProviderHealth.layer)),
  Layer.provideMerge(RateBandCheck.layer),
  Layer.provideMerge(Layer.mergeAll(UnitOfWork.layer, Claims.layer)),
  Layer.provideMerge(observedStorage),
  Layer.provideMerge(PublishedTraces.layer),
  Layer.provideMerge(Layer.succeed(Kinds, kinds))
)

/**
 * The engine over its ports: `Storage`, `Providers`, `WebhookSink`, `Cipher`, `Rates`, `Pricing`. It uses the `Sandbox`
 * of a simulated provider if there is one.
 */
export const layer = services.pipe(Layer.provideMerge(core), Layer.provide(checkedPorts))

/** Ids from the runtime's random source, and the hints from commits to the dispatcher. */
export const local = Layer.mergeAll(Ids.layer, JobNotifier.layer)

/** The default prices: the table of rates and the default policy. Each can be replaced. */
export const prices = Pricing.layer.pipe(Layer.provideMerge(Rates.layer))

/** The services of `/sandbox`, over the engine, the `Sandbox` of the simulated provider and a `ServiceClock`. */
export const sandbox = SandboxOperations.layer
