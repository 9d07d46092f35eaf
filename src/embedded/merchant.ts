/** Everything a merchant can ask, resource by resource: an entry here is a method of `Corridor.as(merchant_id)`. */
import { Schema } from "effect"
import { AccessRequests, CreateAccessRequest, ListAccessRequests } from "../engine/resources/access/access-request.ts"
import { ApiKeys, CreateApiKey, ListApiKeys } from "../engine/resources/access/api-key.ts"
import {
  Beneficiaries,
  CreateBeneficiary,
  ListBeneficiaries,
  UpdateBeneficiary
} from "../engine/resources/parties/beneficiary.ts"
import { Conversions, CreateConversion, ListConversions } from "../engine/resources/movements/conversion.ts"
import { CreateCustomer, Customers, ListCustomers, UpdateCustomer } from "../engine/resources/parties/customer.ts"
import {
  CreateDepositAddress,
  DepositAddresses,
  DisableDepositAddress,
  ListDepositAddresses
} from "../engine/resources/wallets/deposit-address.ts"
import { Events, FeedEvents, ListEvents } from "../engine/resources/webhooks/event.ts"
import { Merchants } from "../engine/resources/access/merchant.ts"
import { CreateOfframp, ListOfframps, Offramps } from "../engine/resources/movements/offramp.ts"
import { CreateOnramp, ListOnramps, Onramps } from "../engine/resources/movements/onramp.ts"
import {
  CreateConversionQuote,
  CreateOfframpQuote,
  CreateOnrampQuote,
  CreateQuote,
  Quotes
} from "../engine/resources/movements/quote.ts"
import { ListCountries, ListCurrencies, ListProviders, Reference } from "../engine/resources/reference/reference.ts"
import { CreateSender, ListSenders, Senders, UpdateSender } from "../engine/resources/parties/sender.ts"
import { ListTransactions, Transactions } from "../engine/reports/transaction.ts"
import { CreateTransfer, ListTransfers, Transfers } from "../engine/resources/movements/transfer.ts"
import { CreateVerification, ListVerifications, Verifications } from "../engine/resources/parties/verification.ts"
import { CreateWallet, ListWallets, UpdateWallet, Wallets } from "../engine/resources/wallets/wallet.ts"
import {
  CreateWalletCredential,
  ListWalletCredentials,
  WalletCredentials
} from "../engine/resources/wallets/wallet-credential.ts"
import {
  CreateWebhookEndpoint,
  ListDeliveries,
  ListWebhookEndpoints,
  ReplayWebhookEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpoints
} from "../engine/resources/webhooks/webhook-endpoint.ts"
import { change, create, param, read } from "./operation.ts"

const apiKey = [param("key")] as const
const beneficiary = [param("ben")] as const
const sender = [param("snd")] as const
const customer = [param("cust")] as const
const wallet = [param("wal")] as const
const depositAddress = [param("wal"), param("da", "depositAddressId")] as const
const verification = [param("cust", "customerId"), param("kyc", "kycId")] as const
const currencyCode = [{ name: "code", schema: Schema.String }] as const
const walletCredential = [param("wal"), param("wcr", "credentialId")] as const
const webhook = [param("whe")] as const

export const merchantOperations = {
  /** The merchant and its integration. */
  me: read({}, ({ call }) => Merchants.use((s) => s.me(call))),
  apiKeys: {
    create: create({ input: CreateApiKey }, ({ call, input }) => ApiKeys.use((s) => s.create(call, input))),
    list: read({ input: ListApiKeys }, ({ call, input }) => ApiKeys.use((s) => s.list(call, input))),
    revoke: change({ params: apiKey }, ({ call, ids: [id] }) => ApiKeys.use((s) => s.revoke(call, id)))
  },
  customers: {
    create: create({ input: CreateCustomer }, ({ call, input }) => Customers.use((s) => s.create(call, input))),
    list: read({ input: ListCustomers }, ({ call, input }) => Customers.use((s) => s.list(call, input))),
    get: read({ params: customer }, ({ call, ids: [id] }) => Customers.use((s) => s.get(call, id))),
    update: change({ params: customer, input: UpdateCustomer }, ({ call, ids: [id], input }) =>
      Customers.use((s) => s.update(call, id, input))
    )
  },
  verifications: {
    /** The session under way is answered with again; one whose link has lapsed gets a new link. */
    create: create({ params: [verification[0]], input: CreateVerification }, ({ call, ids: [customer_id], input }) =>
      Verifications.use((s) => s.create(call, customer_id, input))
    ),
    list: read({ params: [verification[0]], input: ListVerifications }, ({ call, ids: [customer_id], input }) =>
      Verifications.use((s) => s.list(call, customer_id, input))
    ),
    get: read({ params: verification }, ({ call, ids: [customer_id, id] }) =>
      Verifications.use((s) => s.get(call, customer_id, id))
    )
  },
  wallets: {
    create: create({ input: CreateWallet }, ({ call, input }) => Wallets.use((s) => s.create(call, input))),
    list: read({ input: ListWallets }, ({ call, input }) => Wallets.use((s) => s.list(call, input))),
    get: read({ params: wallet }, ({ call, ids: [id] }) => Wallets.use((s) => s.get(call, id))),
    update: change({ params: wallet, input: UpdateWallet }, ({ call, ids: [id], input }) =>
      Wallets.use((s) => s.update(call, id, input))
    )
  },
  depositAddresses: {
    create: create({ params: wallet, input: CreateDepositAddress }, ({ call, ids: [wallet_id], input }) =>
      DepositAddresses.use((s) => s.create(call, wallet_id, input))
    ),
    list: read({ params: wallet, input: ListDepositAddresses }, ({ call, ids: [wallet_id], input }) =>
      DepositAddresses.use((s) => s.list(call, wallet_id, input))
    ),
    get: read({ params: depositAddress }, ({ call, ids: [wallet_id, id] }) =>
      DepositAddresses.use((s) => s.get(call, wallet_id, id))
    ),
    disable: change({ params: depositAddress, input: DisableDepositAddress }, ({ call, ids: [wallet_id, id], input }) =>
      DepositAddresses.use((s) => s.disable(call, wallet_id, id, input))
    )
  },
  walletCredentials: {
    create: create({ params: wallet, input: CreateWalletCredential }, ({ call, ids: [wallet_id], input }) =>
      WalletCredentials.use((s) => s.create(call, wallet_id, input))
    ),
    list: read({ params: wallet, input: ListWalletCredentials }, ({ call, ids: [wallet_id], input }) =>
      WalletCredentials.use((s) => s.list(call, wallet_id, input))
    ),
    get: read({ params: walletCredential }, ({ call, ids: [wallet_id, id] }) =>
      WalletCredentials.use((s) => s.get(call, wallet_id, id))
    )
  },
  beneficiaries: {
    create: create({ input: CreateBeneficiary }, ({ call, input }) => Beneficiaries.use((s) => s.create(call, input))),
    list: read({ input: ListBeneficiaries }, ({ call, input }) => Beneficiaries.use((s) => s.list(call, input))),
    get: read({ params: beneficiary }, ({ call, ids: [id] }) => Beneficiaries.use((s) => s.get(call, id))),
    update: change({ params: beneficiary, input: UpdateBeneficiary }, ({ call, ids: [id], input }) =>
      Beneficiaries.use((s) => s.update(call, id, input))
    )
  },
  senders: {
    create: create({ input: CreateSender }, ({ call, input }) => Senders.use((s) => s.create(call, input))),
    list: read({ input: ListSenders }, ({ call, input }) => Senders.use((s) => s.list(call, input))),
    get: read({ params: sender }, ({ call, ids: [id] }) => Senders.use((s) => s.get(call, id))),
    update: change({ params: sender, input: UpdateSender }, ({ call, ids: [id], input }) =>
      Senders.use((s) => s.update(call, id, input))
    )
  },
  quotes: {
    /** Prices any operation; `offramp` unless it is named. */
    create: create({ input: CreateQuote }, ({ call, input }) => Quotes.use((s) => s.create(call, input))),
    offramp: create({ input: CreateOfframpQuote }, ({ call, input }) => Quotes.use((s) => s.offramp(call, input))),
    onramp: create({ input: CreateOnrampQuote }, ({ call, input }) => Quotes.use((s) => s.onramp(call, input))),
    conversion: create({ input: CreateConversionQuote }, ({ call, input }) =>
      Quotes.use((s) => s.conversion(call, input))
    ),
    get: read({ params: [param("quo")] }, ({ call, ids: [id] }) => Quotes.use((s) => s.get(call, id)))
  },
  onramps: {
    create: create({ input: CreateOnramp }, ({ call, input }) => Onramps.use((s) => s.create(call, input))),
    list: read({ input: ListOnramps }, ({ call, input }) => Onramps.use((s) => s.list(call, input))),
    get: read({ params: [param("onr")] }, ({ call, ids: [id] }) => Onramps.use((s) => s.get(call, id)))
  },
  offramps: {
    create: create({ input: CreateOfframp }, ({ call, input }) => Offramps.use((s) => s.create(call, input))),
    list: read({ input: ListOfframps }, ({ call, input }) => Offramps.use((s) => s.list(call, input))),
    get: read({ params: [param("ofr")] }, ({ call, ids: [id] }) => Offramps.use((s) => s.get(call, id)))
  },
  conversions: {
    create: create({ input: CreateConversion }, ({ call, input }) => Conversions.use((s) => s.create(call, input))),
    list: read({ input: ListConversions }, ({ call, input }) => Conversions.use((s) => s.list(call, input))),
    get: read({ params: [param("con")] }, ({ call, ids: [id] }) => Conversions.use((s) => s.get(call, id)))
  },
  transfers: {
    create: create({ input: CreateTransfer, as: "transfer" }, ({ call, input }) =>
      Transfers.use((s) => s.create(call, input))
    ),
    list: read({ input: ListTransfers }, ({ call, input }) => Transfers.use((s) => s.list(call, input))),
    get: read({ params: [param("tfr")] }, ({ call, ids: [id] }) => Transfers.use((s) => s.get(call, id)))
  },
  transactions: {
    list: read({ input: ListTransactions }, ({ call, input }) => Transactions.use((s) => s.list(call, input))),
    get: read({ params: [param("txn")] }, ({ call, ids: [id] }) => Transactions.use((s) => s.get(call, id)))
  },
  webhooks: {
    create: create({ input: CreateWebhookEndpoint }, ({ call, input }) =>
      WebhookEndpoints.use((s) => s.create(call, input))
    ),
    list: read({ input: ListWebhookEndpoints }, ({ call, input }) => WebhookEndpoints.use((s) => s.list(call, input))),
    get: read({ params: webhook }, ({ call, ids: [id] }) => WebhookEndpoints.use((s) => s.get(call, id))),
    update: change({ params: webhook, input: UpdateWebhookEndpoint }, ({ call, ids: [id], input }) =>
      WebhookEndpoints.use((s) => s.update(call, id, input))
    ),
    delete: change({ params: webhook }, ({ call, ids: [id] }) => WebhookEndpoints.use((s) => s.remove(call, id))),
    rotateSecret: create({ params: webhook }, ({ call, ids: [id] }) =>
      WebhookEndpoints.use((s) => s.rotateSecret(call, id))
    ),
    replay: create(
      {
        params: webhook,
        input: ReplayWebhookEndpoint,
        before: ({ call, ids: [id] }) => WebhookEndpoints.use((s) => s.checkActive(call, id))
      },
      ({ call, ids: [id], input }) => WebhookEndpoints.use((s) => s.replay(call, id, input))
    ),
    ping: create({ params: webhook }, ({ call, ids: [id] }) => WebhookEndpoints.use((s) => s.ping(call, id))),
    deliveries: read({ params: webhook, input: ListDeliveries }, ({ call, ids: [id], input }) =>
      WebhookEndpoints.use((s) => s.deliveries(call, id, input))
    )
  },
  events: {
    list: read({ input: ListEvents }, ({ call, input }) => Events.use((s) => s.list(call, input))),
    /** Oldest first and without gaps, after the event named. */
    feed: read({ input: FeedEvents }, ({ call, input }) => Events.use((s) => s.feed(call, input))),
    get: read({ params: [param("evt")] }, ({ call, ids: [id] }) => Events.use((s) => s.get(call, id)))
  },
  currencies: {
    list: read({ input: ListCurrencies }, ({ call, input }) => Reference.use((s) => s.currencies(call, input))),
    /** Asks for a gated currency. */
    requestAccess: create({ params: currencyCode, input: CreateAccessRequest }, ({ call, ids: [code], input }) =>
      AccessRequests.use((s) => s.create(call, code, input))
    ),
    accessRequests: read({ input: ListAccessRequests }, ({ call, input }) =>
      AccessRequests.use((s) => s.list(call, input))
    )
  },
  countries: { list: read({ input: ListCountries }, ({ input }) => Reference.use((s) => s.countries(input))) },
  providers: { list: read({ input: ListProviders }, ({ input }) => Reference.use((s) => s.providers(input))) }
} as const
