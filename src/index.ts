/**
 * The package's public surface: Corridor, its error, the types of what it takes and gives, and, for applications written
 * with Effect and for adapters, the ports and the services.
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
export { Calls, versionOf } from "./embedded/calls.ts"
export { CorridorError } from "./embedded/error.ts"
export type { EngineServices, LayerOptions, SandboxOf, Settings } from "./embedded/layer.ts"
export type { CallOptions, ChangeOptions, CreateOptions, Page } from "./embedded/operation.ts"
export type { PricingPolicy, RateSource, RateTable } from "./embedded/prices.ts"
export { version } from "./version.ts"

export type { Code } from "./engine/codes.ts"
export { codeOf } from "./engine/codes.ts"
export * from "./engine/errors.ts"

export type {
  Adapter,
  CipherAdapter,
  ClockAdapter,
  Ports,
  ProviderAdapter,
  SimulatedProviderAdapter,
  StorageAdapter,
  WebhookAdapter
} from "./engine/Adapter.ts"
export { adapter } from "./engine/Adapter.ts"

export type { Call, Role } from "./engine/Call.ts"
export { Cipher } from "./engine/Cipher.ts"
export { DeliverySchedule } from "./engine/deliveries.ts"
export { Dispatcher } from "./engine/Dispatcher.ts"
export { Environment } from "./engine/Environment.ts"
export { Host } from "./engine/Host.ts"
export { Ids, type Prefix } from "./engine/Ids.ts"
export { Inbox } from "./engine/Inbox.ts"
export { type Fees, Pricing, type PricingRequest, type Range } from "./engine/Pricing.ts"
export * from "./engine/Provider.ts"
export { Rates } from "./engine/Rates.ts"
export { type Keeping, RetentionPolicy } from "./engine/Retention.ts"
export { Sandbox } from "./engine/Sandbox.ts"
export { ServiceClock } from "./engine/ServiceClock.ts"
export { Storage } from "./engine/Storage.ts"
export { WallTime } from "./engine/Time.ts"
export { Wake } from "./engine/Wake.ts"
export { type Delivery, type DeliveryAnswer, UserAgent, WebhookSink } from "./engine/WebhookSink.ts"

export { AccessRequests } from "./engine/resources/access-request.ts"
export { ApiKeys } from "./engine/resources/api-key.ts"
export { AutoConversions } from "./engine/resources/auto-conversion.ts"
export { Auth } from "./engine/resources/auth.ts"
export { Beneficiaries } from "./engine/resources/beneficiary.ts"
export { Books } from "./engine/resources/books.ts"
export { Conversions } from "./engine/resources/conversion.ts"
export { Customers } from "./engine/resources/customer.ts"
export { DepositAddresses } from "./engine/resources/deposit-address.ts"
export { Deposits } from "./engine/resources/deposits.ts"
export { Events } from "./engine/resources/event.ts"
export { Exceptions } from "./engine/resources/exceptions.ts"
export type { Listed, Versioned } from "./engine/resources/list.ts"
export { Merchants } from "./engine/resources/merchant.ts"
export { Offramps } from "./engine/resources/offramp.ts"
export { Onramps } from "./engine/resources/onramp.ts"
export { Quotes } from "./engine/resources/quote.ts"
export { Reference } from "./engine/resources/reference.ts"
export { SandboxOperations } from "./engine/resources/sandbox.ts"
export { Transactions } from "./engine/resources/transaction.ts"
export { Transfers } from "./engine/resources/transfer.ts"
export { Verifications } from "./engine/resources/verification.ts"
export { Wallets } from "./engine/resources/wallet.ts"
export { WalletCredentials } from "./engine/resources/wallet-credential.ts"
export { WebhookEndpoints } from "./engine/resources/webhook-endpoint.ts"

export type { BeneficiaryBody, CustomerSummaryBody, FeeBody } from "./engine/representations/shared.ts"
export type { AccessRequestBody } from "./engine/representations/access-request.ts"
export type { ConversionBody } from "./engine/representations/conversion.ts"
export type { CustomerBody } from "./engine/representations/customer.ts"
export type { DepositAddressBody } from "./engine/representations/deposit-address.ts"
export type { EventBody } from "./engine/representations/event.ts"
export type { ApiKeyBody, MeBody, MerchantBody, NewApiKeyBody } from "./engine/representations/merchant.ts"
export type { OfframpBody } from "./engine/representations/offramp.ts"
export type { OnrampBody } from "./engine/representations/onramp.ts"
export type { QuoteBody } from "./engine/representations/quote.ts"
export type { CountryBody, CurrencyBody, ProviderBody } from "./engine/representations/reference.ts"
export type { TransactionBody } from "./engine/representations/transaction.ts"
export type { TransferBody } from "./engine/representations/transfer.ts"
export type { VerificationBody } from "./engine/representations/verification.ts"
export type { WalletBody } from "./engine/representations/wallet.ts"
export type { WalletCredentialBody } from "./engine/representations/wallet-credential.ts"
export type {
  DeliveryBody,
  WebhookEndpointBody,
  WebhookEndpointSecretBody
} from "./engine/representations/webhook-endpoint.ts"
