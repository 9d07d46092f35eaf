/** Every kind of resource by its name: the one list that a new resource joins. */
import type { Kind } from "./Kind.ts"
import { AccessGrantKind, AccessRequestKind } from "./resources/access-request.ts"
import { ApiKeyKind, MerchantKind } from "./resources/api-key.ts"
import { BeneficiaryKind } from "./resources/beneficiary.ts"
import { ConversionKind } from "./resources/conversion.ts"
import { CustomerKind } from "./resources/customer.ts"
import { DepositAddressKind } from "./resources/deposit-address.ts"
import { DepositKind } from "./resources/deposit.ts"
import { ExceptionKind } from "./resources/exception.ts"
import { OfframpKind } from "./resources/offramp.ts"
import { OnrampKind } from "./resources/onramp.ts"
import { QuoteKind } from "./resources/quote.ts"
import { SenderKind } from "./resources/sender.ts"
import { DepositTallyKind } from "./resources/tiers.ts"
import { TransferKind } from "./resources/transfer.ts"
import { VerificationKind } from "./resources/verification.ts"
import { WalletKind } from "./resources/wallet.ts"
import { WalletCredentialKind } from "./resources/wallet-credential.ts"
import { WebhookEndpointKind, WebhookRosterKind } from "./resources/webhook-endpoint.ts"

const all: ReadonlyArray<Kind> = [
  AccessRequestKind,
  ApiKeyKind,
  BeneficiaryKind,
  ConversionKind,
  CustomerKind,
  DepositAddressKind,
  DepositKind,
  ExceptionKind,
  MerchantKind,
  OfframpKind,
  OnrampKind,
  QuoteKind,
  SenderKind,
  TransferKind,
  VerificationKind,
  WalletKind,
  WalletCredentialKind,
  WebhookEndpointKind
]

/** Records kept under the id of another kind's resource. */
const beside: ReadonlyArray<Kind> = [AccessGrantKind, DepositTallyKind, WebhookRosterKind]

export const kinds: ReadonlyMap<string, Kind> = new Map([...all, ...beside].map((kind) => [kind.kind, kind]))

const byPrefix: ReadonlyMap<string, Kind> = new Map(all.map((kind) => [kind.prefix, kind]))

/** The kind an id belongs to, by its prefix; `undefined` for ids of no kind. */
export const kindOfId = (id: string): Kind | undefined => byPrefix.get(id.slice(0, id.indexOf("_")))

/** The kind of what a provider issues. */
export const issuedKind = ({ kind }: { readonly kind: "deposit_address" | "wallet_credential" }): Kind =>
  kind === "wallet_credential" ? WalletCredentialKind : DepositAddressKind
