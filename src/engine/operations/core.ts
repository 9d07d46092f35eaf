/**
 * The services of the engine that registrations may use, beside one another's. They require the ports and `Kinds`.
 */
import { Layer } from "effect"
import { Deliveries } from "../work/deliveries.ts"
import { Dispatcher } from "../work/queue/Dispatcher.ts"
import { observedStorage } from "../commit/observed-storage.ts"
import { PublishedTraces } from "../commit/PublishedTraces.ts"
import { UnitOfWork } from "../commit/UnitOfWork.ts"
import { Inbox } from "../work/providers/Inbox.ts"
import { ClockSkew } from "../work/upkeep/ClockSkew.ts"
import { Claims } from "../commit/Claims.ts"
import { StoreIdentity } from "../work/upkeep/StoreIdentity.ts"
import { Parking } from "../commit/Parking.ts"
import { Access } from "../resources/access/access.ts"
import { AutoConversions } from "../resources/deposits/auto-conversion.ts"
import { Auth } from "../calls/auth.ts"
import { ExceptionCredits } from "../resources/deposits/exception-credit.ts"
import { Exceptions } from "../resources/deposits/exceptions.ts"
import { HeldDeposits } from "../resources/deposits/held-deposits.ts"
import { Gauges } from "../work/upkeep/Gauges.ts"
import { HostedVerifications } from "../work/providers/hosted-verification.ts"
import { Payins } from "../resources/deposits/payin.ts"
import { Reindexing } from "../work/upkeep/Reindexing.ts"
import { Retention } from "../work/upkeep/Retention.ts"
import { Tiers } from "../resources/parties/tiers.ts"
import { VerificationOutcomes } from "../resources/parties/verification-outcome.ts"
import { ActiveBrakes } from "../calls/ActiveBrakes.ts"
import { RateBandCheck } from "../calls/RateBand.ts"
import { ProviderHealth } from "../calls/ProviderHealth.ts"
import { Routes } from "../calls/Routes.ts"
import { JobHandlers } from "../work/queue/JobHandlers.ts"

/** They decide and commit; `Inbox` and `Dispatcher` are the entry points. */
export const core = Layer.mergeAll(Dispatcher.layer, Gauges.layer).pipe(
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
  Layer.provideMerge(PublishedTraces.layer)
)

/** What a registration may require: what {@link core} has, and what it requires itself. */
export type CoreServices = Layer.Success<typeof core> | Layer.Services<typeof core>
