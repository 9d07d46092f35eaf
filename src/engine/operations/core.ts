/**
 * The services of the engine that registrations may use, beside one another's. They require the ports and `Kinds`.
 */
import { Layer } from "effect"
import { Deliveries } from "../work/deliveries.ts"
import { Dispatcher } from "../work/queue/Dispatcher.ts"
import { dryRunStorage } from "../commit/dry-run-storage.ts"
import { observedStorage, PublishedTraces } from "../commit/observed-storage.ts"
import { UnitOfWork } from "../commit/UnitOfWork.ts"
import { Inbox } from "../work/providers/Inbox.ts"
import { ClockSkew } from "../work/upkeep/ClockSkew.ts"
import { Claims } from "../commit/Claims.ts"
import { StoreIdentity } from "../work/upkeep/StoreIdentity.ts"
import { BlockedJobs } from "../commit/BlockedJobs.ts"
import { Approvals } from "../resources/controls/approval.ts"
import { BatchPayments } from "../resources/movements/batch-payment.ts"
import { Offramps } from "../resources/movements/offramp.ts"
import { Quotes } from "../resources/movements/quote.ts"
import { Transfers } from "../resources/movements/transfer.ts"
import { Beneficiaries } from "../resources/parties/beneficiary.ts"
import { Access } from "../resources/access/access.ts"
import { AutoConversions } from "../resources/deposits/auto-conversion.ts"
import { Auth } from "../calls/auth.ts"
import { ExceptionCredits } from "../resources/deposits/exception-credit.ts"
import { Exceptions } from "../resources/deposits/exceptions.ts"
import { HeldDeposits } from "../resources/deposits/deposits.ts"
import { Gauges } from "../work/upkeep/Gauges.ts"
import { HostedVerifications } from "../work/providers/hosted-verification.ts"
import { Payins } from "../resources/deposits/payin.ts"
import { Reindexing } from "../work/upkeep/Reindexing.ts"
import { Retention } from "../work/upkeep/Retention.ts"
import { Matchings } from "../resources/reconciliation/matching.ts"
import { movedBooks } from "../resources/reconciliation/moved-books.ts"
import { BreakResolutions } from "../resources/reconciliation/resolution.ts"
import { Reconciliations } from "../work/reconciliation/Reconciliations.ts"
import { StatementChunks } from "../resources/reconciliation/line-joining.ts"
import { Tiers } from "../resources/parties/tiers.ts"
import { VerificationOutcomes } from "../resources/parties/verification-outcome.ts"
import { ActiveApprovalRules } from "../calls/ActiveApprovalRules.ts"
import { ActiveBrakes } from "../calls/ActiveBrakes.ts"
import { CurrentTerms } from "../calls/CurrentTerms.ts"
import { ActiveLimits } from "../calls/ActiveLimits.ts"
import { RateBandCheck } from "../calls/RateBand.ts"
import { ProviderHealth, Routes } from "../calls/Routes.ts"
import { JobHandlers } from "../work/queue/JobHandlers.ts"

/** What pays the rows of batches has the services of movements, which the registrations have as well. */
const batchPayments = BatchPayments.layer.pipe(
  Layer.provide(Layer.mergeAll(Transfers.layer, Offramps.layer, Quotes.layer, Beneficiaries.layer))
)

/** They decide and commit; `Inbox` and `Dispatcher` are the entry points. */
export const core = Layer.mergeAll(Dispatcher.layer, Gauges.layer).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      JobHandlers.layer.pipe(Layer.provide(batchPayments)),
      Retention.layer,
      Reindexing.layer,
      ClockSkew.layer,
      StoreIdentity.layer,
      HostedVerifications.layer
    )
  ),
  Layer.provideMerge(Reconciliations.layer),
  Layer.provideMerge(Layer.mergeAll(Inbox.layer, Deliveries.layer, BlockedJobs.layer)),
  Layer.provideMerge(
    Layer.mergeAll(
      Payins.layer,
      Exceptions.layer,
      StatementChunks.layer,
      Matchings.layer,
      BreakResolutions.layer,
      Approvals.layer
    )
  ),
  Layer.provideMerge(Layer.mergeAll(VerificationOutcomes.layer, ExceptionCredits.layer)),
  Layer.provideMerge(HeldDeposits.layer),
  Layer.provideMerge(AutoConversions.layer),
  Layer.provideMerge(Tiers.layer),
  Layer.provideMerge(Layer.mergeAll(Access.layer, Auth.layer)),
  Layer.provideMerge(Layer.mergeAll(Routes.layer, CurrentTerms.layer)),
  Layer.provideMerge(Layer.mergeAll(ActiveBrakes.layer, ProviderHealth.layer)),
  Layer.provideMerge(Layer.mergeAll(RateBandCheck.layer, ActiveApprovalRules.layer)),
  Layer.provideMerge(Layer.mergeAll(UnitOfWork.layer, Claims.layer)),
  Layer.provideMerge(Layer.mergeAll(ActiveLimits.layer, movedBooks)),
  Layer.provideMerge(dryRunStorage),
  Layer.provideMerge(observedStorage),
  Layer.provideMerge(PublishedTraces.layer)
)

/** What a registration may require: what {@link core} has, and what it requires itself. */
export type CoreServices = Layer.Success<typeof core> | Layer.Services<typeof core>
