/**
 * The assembled engine: every service over the ports, as one layer. What it still needs are the ports themselves; which
 * adapters they are is decided where it is composed.
 */
import { Layer } from "effect"
import { checked } from "./checked.ts"
import { Deliveries } from "./deliveries.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { Host } from "./Host.ts"
import { Ids } from "./Ids.ts"
import { Inbox } from "./Inbox.ts"
import { NodeClock } from "./NodeClock.ts"
import { Parking } from "./Parking.ts"
import { Pricing } from "./Pricing.ts"
import { Rates } from "./Rates.ts"
import { Access } from "./resources/access.ts"
import { AccessRequests } from "./resources/access-request.ts"
import { ApiKeys } from "./resources/api-key.ts"
import { AutoConversions } from "./resources/auto-conversion.ts"
import { Auth } from "./resources/auth.ts"
import { Beneficiaries } from "./resources/beneficiary.ts"
import { Books } from "./resources/books.ts"
import { Conversions } from "./resources/conversion.ts"
import { Customers } from "./resources/customer.ts"
import { DepositAddresses } from "./resources/deposit-address.ts"
import { Deposits } from "./resources/deposits.ts"
import { Events } from "./resources/event.ts"
import { ExceptionCredits } from "./resources/exception-credit.ts"
import { Exceptions } from "./resources/exceptions.ts"
import { HeldDeposits } from "./resources/held-deposits.ts"
import { HostedVerifications } from "./resources/hosted-verification.ts"
import { Merchants } from "./resources/merchant.ts"
import { Offramps } from "./resources/offramp.ts"
import { Onramps } from "./resources/onramp.ts"
import { Payins } from "./resources/payin.ts"
import { Quotes } from "./resources/quote.ts"
import { Reference } from "./resources/reference.ts"
import { Retention } from "./Retention.ts"
import { SandboxOperations } from "./resources/sandbox.ts"
import { Senders } from "./resources/sender.ts"
import { Tiers } from "./resources/tiers.ts"
import { Transactions } from "./resources/transaction.ts"
import { Transfers } from "./resources/transfer.ts"
import { Verifications } from "./resources/verification.ts"
import { VerificationOutcomes } from "./resources/verification-outcome.ts"
import { Wallets } from "./resources/wallet.ts"
import { WalletCredentials } from "./resources/wallet-credential.ts"
import { WebhookEndpoints } from "./resources/webhook-endpoint.ts"
import { Wake } from "./Wake.ts"
import { Workers } from "./Workers.ts"

/** The services behind `/v1` and the operator's routes: a new resource's joins here. */
const resources = Layer.mergeAll(
  AccessRequests.layer,
  ApiKeys.layer,
  Beneficiaries.layer,
  Books.layer,
  Conversions.layer,
  Customers.layer,
  DepositAddresses.layer,
  Deposits.layer,
  Events.layer,
  Merchants.layer,
  Offramps.layer,
  Onramps.layer,
  Quotes.layer,
  Reference.layer,
  Senders.layer,
  Transactions.layer,
  Transfers.layer,
  Verifications.layer,
  Wallets.layer,
  WalletCredentials.layer,
  WebhookEndpoints.layer
)

/** What decides and commits, and the two doors. */
const core = Dispatcher.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Workers.layer, Retention.layer, NodeClock.layer)),
  Layer.provideMerge(Layer.mergeAll(Inbox.layer, Deliveries.layer, Parking.layer)),
  Layer.provideMerge(Layer.mergeAll(Payins.layer, Exceptions.layer)),
  Layer.provideMerge(Layer.mergeAll(VerificationOutcomes.layer, ExceptionCredits.layer)),
  Layer.provideMerge(HeldDeposits.layer),
  Layer.provideMerge(AutoConversions.layer),
  Layer.provideMerge(Tiers.layer),
  Layer.provideMerge(Layer.mergeAll(Access.layer, Auth.layer)),
  Layer.provideMerge(Host.layer)
)

/**
 * The engine over its ports: `Storage`, `Provider`, `WebhookSink`, `Cipher`, `Rates`, `Pricing`. The simulated provider's
 * `Sandbox` is used where it is there.
 */
export const layer = resources.pipe(Layer.provideMerge(core), Layer.provide(checked))

/** Ids out of the platform's randomness, and the hint from commits to the dispatcher. */
export const local = Layer.mergeAll(Ids.layer, Wake.layer)

/** Prices of the house: the table of rates and the default policy, each replaceable. */
export const prices = Pricing.layer.pipe(Layer.provideMerge(Rates.layer))

/** What `/sandbox` and the hosted page do; over the engine, the simulated provider's `Sandbox` and a `ServiceClock`. */
export const sandbox = Layer.mergeAll(SandboxOperations.layer, HostedVerifications.layer)
