/** Every resource of the engine: the one list that a new one joins. */
import { Layer } from "effect"
import type { Kind, ResourceKind } from "./commit/Kind.ts"
import { kindsOf } from "./commit/Kinds.ts"
import { AccessGrantKind, AccessRequestKind, AccessRequests } from "./resources/access/access-request.ts"
import { ApiKeyKind, ApiKeys, MerchantKind } from "./resources/access/api-key.ts"
import { Merchants } from "./resources/access/merchant.ts"
import { DepositKind } from "./resources/deposits/deposit.ts"
import { Deposits } from "./resources/deposits/deposits.ts"
import { ExceptionKind } from "./resources/deposits/exception.ts"
import { Exceptions } from "./resources/deposits/exceptions.ts"
import { ConversionKind, Conversions } from "./resources/movements/conversion.ts"
import { OfframpKind, Offramps } from "./resources/movements/offramp.ts"
import { OnrampKind, Onramps } from "./resources/movements/onramp.ts"
import { QuoteKind, Quotes } from "./resources/movements/quote.ts"
import { TransferKind, Transfers } from "./resources/movements/transfer.ts"
import { Beneficiaries, BeneficiaryKind } from "./resources/parties/beneficiary.ts"
import { CustomerKind, Customers } from "./resources/parties/customer.ts"
import { SenderKind, Senders } from "./resources/parties/sender.ts"
import { DepositTotalKind } from "./resources/parties/tiers.ts"
import { VerificationKind, Verifications } from "./resources/parties/verification.ts"
import { DepositAddressKind, DepositAddresses } from "./resources/wallets/deposit-address.ts"
import { WalletKind, Wallets } from "./resources/wallets/wallet.ts"
import { WalletCredentialKind, WalletCredentials } from "./resources/wallets/wallet-credential.ts"
import { WebhookEndpointKind, WebhookEndpoints } from "./resources/webhooks/webhook-endpoint.ts"
import { WebhookRosterKind } from "./resources/webhooks/webhook-roster.ts"

/** A resource as it joins the engine. */
interface Registration {
  readonly kind: ResourceKind
  /** Kinds of record kept under the ids of its resources. */
  readonly records?: ReadonlyArray<Kind>
  /** Its service. */
  readonly layer: Layer.Layer<never, never, any>
}

const registered = [
  { kind: MerchantKind, layer: Merchants.layer },
  { kind: ApiKeyKind, layer: ApiKeys.layer },
  { kind: AccessRequestKind, records: [AccessGrantKind], layer: AccessRequests.layer },
  { kind: CustomerKind, records: [DepositTotalKind], layer: Customers.layer },
  { kind: VerificationKind, layer: Verifications.layer },
  { kind: WalletKind, layer: Wallets.layer },
  { kind: WalletCredentialKind, layer: WalletCredentials.layer },
  { kind: DepositAddressKind, layer: DepositAddresses.layer },
  { kind: BeneficiaryKind, layer: Beneficiaries.layer },
  { kind: SenderKind, layer: Senders.layer },
  { kind: QuoteKind, layer: Quotes.layer },
  { kind: OnrampKind, layer: Onramps.layer },
  { kind: OfframpKind, layer: Offramps.layer },
  { kind: ConversionKind, layer: Conversions.layer },
  { kind: TransferKind, layer: Transfers.layer },
  { kind: WebhookEndpointKind, records: [WebhookRosterKind], layer: WebhookEndpoints.layer },
  { kind: DepositKind, layer: Deposits.layer },
  { kind: ExceptionKind, layer: Exceptions.layer }
] as const satisfies ReadonlyArray<Registration>

const registrations: ReadonlyArray<Registration> = registered

export const kinds = kindsOf(
  registrations.map(({ kind }) => kind),
  registrations.flatMap(({ records = [] }) => records)
)

type Service = (typeof registered)[number]["layer"]

/** The services of all resources. */
export const resources = Layer.mergeAll(...(registered.map(({ layer }) => layer) as [Service, ...Array<Service>]))
