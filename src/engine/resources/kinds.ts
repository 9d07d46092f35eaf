/** Every kind of resource by its name: the one list that a new resource joins. */
import type { Kind } from "../commit/Kind.ts"
import { AccessGrantKind, AccessRequestKind } from "./access/access-request.ts"
import { ApiKeyKind, MerchantKind } from "./access/api-key.ts"
import { BeneficiaryKind } from "./parties/beneficiary.ts"
import { ConversionKind } from "./movements/conversion.ts"
import { CustomerKind } from "./parties/customer.ts"
import { DepositAddressKind } from "./wallets/deposit-address.ts"
import { DepositKind } from "./deposits/deposit.ts"
import { ExceptionKind } from "./deposits/exception.ts"
import { OfframpKind } from "./movements/offramp.ts"
import { OnrampKind } from "./movements/onramp.ts"
import { QuoteKind } from "./movements/quote.ts"
import { SenderKind } from "./parties/sender.ts"
import { DepositTallyKind } from "./parties/tiers.ts"
import { TransferKind } from "./movements/transfer.ts"
import { VerificationKind } from "./parties/verification.ts"
import { WalletKind } from "./wallets/wallet.ts"
import { WalletCredentialKind } from "./wallets/wallet-credential.ts"
import { WebhookEndpointKind } from "./webhooks/webhook-endpoint.ts"
import { WebhookRosterKind } from "./webhooks/webhook-roster.ts"

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
