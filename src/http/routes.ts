/** Every endpoint that is served: one line for each resource's handlers. */
import { Effect } from "effect"
import { accessRequestEndpoints } from "./handlers/access-request.ts"
import { beneficiaryEndpoints } from "./handlers/beneficiary.ts"
import { conversionEndpoints } from "./handlers/conversion.ts"
import { customerEndpoints } from "./handlers/customer.ts"
import { depositAddressEndpoints } from "./handlers/deposit-address.ts"
import { merchantEndpoints } from "./handlers/merchant.ts"
import { offrampEndpoints } from "./handlers/offramp.ts"
import { onrampEndpoints } from "./handlers/onramp.ts"
import { operatorEndpoints } from "./handlers/operator.ts"
import { quoteEndpoints } from "./handlers/quote.ts"
import { referenceEndpoints } from "./handlers/reference.ts"
import { sandboxEndpoints } from "./handlers/sandbox.ts"
import { senderEndpoints } from "./handlers/sender.ts"
import { transactionEndpoints } from "./handlers/transaction.ts"
import { transferEndpoints } from "./handlers/transfer.ts"
import { verificationEndpoints } from "./handlers/verification.ts"
import { walletEndpoints } from "./handlers/wallet.ts"
import { walletCredentialEndpoints } from "./handlers/wallet-credential.ts"
import { webhookEndpoints } from "./handlers/webhook-endpoint.ts"

export const allEndpoints = Effect.map(
  Effect.all([
    merchantEndpoints,
    referenceEndpoints,
    accessRequestEndpoints,
    customerEndpoints,
    verificationEndpoints,
    walletEndpoints,
    walletCredentialEndpoints,
    depositAddressEndpoints,
    beneficiaryEndpoints,
    senderEndpoints,
    quoteEndpoints,
    onrampEndpoints,
    offrampEndpoints,
    conversionEndpoints,
    transferEndpoints,
    transactionEndpoints,
    webhookEndpoints,
    sandboxEndpoints,
    operatorEndpoints
  ]),
  (groups) => groups.flat()
)
