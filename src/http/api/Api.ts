/** The whole contract: every group, from which the OpenAPI document and the typed client come. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AccessRequestsApi, OperatorAccessApi } from "./access-request.ts"
import { BeneficiariesApi } from "./beneficiary.ts"
import { ConversionsApi } from "./conversion.ts"
import { CustomersApi } from "./customer.ts"
import { DepositAddressesApi } from "./deposit-address.ts"
import { ApiKeysApi, MeApi, OperatorMerchantsApi } from "./merchant.ts"
import { OfframpsApi } from "./offramp.ts"
import { OnrampsApi } from "./onramp.ts"
import { OperatorApi } from "./operator.ts"
import { QuotesApi } from "./quote.ts"
import { ReferenceApi } from "./reference.ts"
import { SandboxApi } from "./sandbox.ts"
import { SendersApi } from "./sender.ts"
import { TransactionsApi } from "./transaction.ts"
import { TransfersApi } from "./transfer.ts"
import { VerificationsApi } from "./verification.ts"
import { WalletsApi } from "./wallet.ts"
import { WalletCredentialsApi } from "./wallet-credential.ts"
import { EventsApi, WebhookEndpointsApi } from "./webhook-endpoint.ts"

export class Api extends HttpApi.make("corridor")
  .add(
    MeApi,
    ApiKeysApi,
    ReferenceApi,
    AccessRequestsApi,
    CustomersApi,
    VerificationsApi,
    WalletsApi,
    WalletCredentialsApi,
    DepositAddressesApi,
    BeneficiariesApi,
    SendersApi,
    QuotesApi,
    OnrampsApi,
    OfframpsApi,
    ConversionsApi,
    TransfersApi,
    TransactionsApi,
    WebhookEndpointsApi,
    EventsApi,
    SandboxApi,
    OperatorMerchantsApi,
    OperatorAccessApi,
    OperatorApi
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Corridor",
      version: "1",
      description:
        "Cross-border payments on stablecoin rails: onramps, offramps, conversions, transfers and deposits. " +
        "Amounts are decimal strings. Money movements are asynchronous: a creation answers with an early state, and later " +
        "states are read, or arrive as webhook events. In a request body, null counts as absent wherever a member is " +
        "optional. Members and parameters that are not known are ignored and named in meta.warnings, each with the nearest " +
        "known name; `Prefer: handling=strict` refuses them."
    })
  ) {}
