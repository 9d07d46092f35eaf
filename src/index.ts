/**
 * The public API of the package: Corridor, its error, and the types of inputs and results. Applications written with Effect,
 * and adapters, also use the ports and services.
 */
export { Corridor } from "./embedded/Corridor.ts"
export type {
  MerchantCalls,
  MerchantsCalls,
  MerchantSandboxCalls,
  OperatorCalls,
  RunningCorridor,
  RunningSandbox,
  SandboxCalls,
  SandboxOptions,
  StartOptions
} from "./embedded/Corridor.ts"
export type { CallbackHeaders, ProviderCalls } from "./embedded/providers.ts"
export { approvalOf, Calls, dryRunOf, versionOf } from "./embedded/calls.ts"
export { CorridorError } from "./embedded/error.ts"
export type { EngineServices, LayerOptions, SandboxOf, Settings } from "./embedded/layer.ts"
export type { CallOptions, ChangeOptions, CreateOptions, DryRunOptions, Page } from "./embedded/methods.ts"
export {
  type PricingPolicy,
  pricingOf,
  type RateBand,
  type RateSource,
  type RateTable,
  ratesOf
} from "./embedded/prices.ts"
export { version } from "./version.ts"

export type { Code } from "./engine/calls/codes.ts"
export { codeOf } from "./engine/calls/codes.ts"
export * from "./engine/ports/errors.ts"

export type {
  Adapter,
  CipherAdapter,
  ClockAdapter,
  Ports,
  ProviderAdapter,
  SignerAdapter,
  SimulatedProviderAdapter,
  StorageAdapter,
  WebhookAdapter
} from "./engine/ports/adapter.ts"
export { adapter } from "./engine/ports/adapter.ts"

export type { Call, Role } from "./engine/commit/call.ts"
export { Cipher } from "./engine/ports/Cipher.ts"
export { DeliverySchedule } from "./engine/work/deliveries.ts"
export { Dispatcher } from "./engine/work/queue/Dispatcher.ts"
export { Environment } from "./engine/settings/settings.ts"
export { UnitOfWork } from "./engine/commit/UnitOfWork.ts"
export { Ids } from "./engine/ports/Ids.ts"
export type { ReceivedEvent } from "./engine/work/providers/provider-inputs.ts"
export { Inbox } from "./engine/work/providers/Inbox.ts"
export { type Fees, Pricing, type PricingRequest, type Range } from "./engine/ports/Pricing.ts"
export * from "./engine/ports/Provider.ts"
export { type Candidate, defaultOrder, type RouteRequest, Routing, type RoutingPolicy } from "./engine/ports/Routing.ts"
export { Rates } from "./engine/ports/Rates.ts"
export { type Keeping, RetentionPolicy } from "./engine/settings/retention.ts"
export { Sandbox } from "./engine/ports/Sandbox.ts"
export { ServiceClock } from "./engine/ports/ServiceClock.ts"
export * from "./engine/ports/Signer.ts"
export { Storage } from "./engine/ports/Storage.ts"
export { ActivityLog } from "./engine/settings/settings.ts"
export { WallTime } from "./engine/ports/Time.ts"
export { JobNotifier } from "./engine/ports/JobNotifier.ts"
export { type Delivery, type DeliveryAnswer, UserAgent, WebhookSink } from "./engine/ports/WebhookSink.ts"

export { AccessRequests } from "./engine/resources/access/access-request.ts"
export { ApiKeys } from "./engine/resources/access/api-key.ts"
export { AutoConversions } from "./engine/resources/deposits/auto-conversion.ts"
export { Auth } from "./engine/calls/auth.ts"
export { Beneficiaries } from "./engine/resources/parties/beneficiary.ts"
export { LedgerReports } from "./engine/reports/ledger.ts"
export { Conversions } from "./engine/resources/movements/conversion.ts"
export { Customers } from "./engine/resources/parties/customer.ts"
export { DepositAddresses } from "./engine/resources/wallets/deposit-address.ts"
export { Deposits } from "./engine/resources/deposits/deposits.ts"
export { Events } from "./engine/resources/webhooks/event.ts"
export { Exceptions } from "./engine/resources/deposits/exceptions.ts"
export type { Listed, Versioned } from "./engine/calls/list.ts"
export { Merchants } from "./engine/resources/access/merchant.ts"
export { Offramps } from "./engine/resources/movements/offramp.ts"
export { Onramps } from "./engine/resources/movements/onramp.ts"
export { Quotes } from "./engine/resources/movements/quote.ts"
export { Reference } from "./engine/resources/reference/reference.ts"
export { SandboxOperations } from "./engine/sandbox/sandbox.ts"
export { Transactions } from "./engine/reports/transaction.ts"
export { Transfers } from "./engine/resources/movements/transfer.ts"
export { Verifications } from "./engine/resources/parties/verification.ts"
export { Wallets } from "./engine/resources/wallets/wallet.ts"
export { WalletCredentials } from "./engine/resources/wallets/wallet-credential.ts"
export { WebhookEndpoints } from "./engine/resources/webhooks/webhook-endpoint.ts"

export type { FeeBody } from "./engine/representations/members.ts"
export type { BeneficiaryBody } from "./engine/representations/parties/beneficiary.ts"
export type { CustomerSummaryBody } from "./engine/representations/parties/customer.ts"
export type { AccessRequestBody } from "./engine/representations/access/access-request.ts"
export type { ConversionBody } from "./engine/representations/movements/conversion.ts"
export type { CustomerBody } from "./engine/representations/parties/customer.ts"
export type { DepositAddressBody } from "./engine/representations/wallets/deposit-address.ts"
export type { EventBody } from "./engine/representations/webhooks/event.ts"
export type { ApiKeyBody, MeBody, MerchantBody, NewApiKeyBody } from "./engine/representations/access/merchant.ts"
export type { OfframpBody } from "./engine/representations/movements/offramp.ts"
export type { OnrampBody } from "./engine/representations/movements/onramp.ts"
export type { QuoteBody } from "./engine/representations/movements/quote.ts"
export type {
  CountryBody,
  CurrencyBody,
  PayoutBankBody as ProviderBody
} from "./engine/representations/reference/reference.ts"
export type { TransactionBody } from "./engine/representations/movements/transaction.ts"
export type { TransferBody } from "./engine/representations/movements/transfer.ts"
export type { VerificationBody } from "./engine/representations/parties/verification.ts"
export type { WalletBody } from "./engine/representations/wallets/wallet.ts"
export type { WalletCredentialBody } from "./engine/representations/wallets/wallet-credential.ts"
export type {
  DeliveryBody,
  WebhookEndpointBody,
  WebhookEndpointSecretBody
} from "./engine/representations/webhooks/webhook-endpoint.ts"
