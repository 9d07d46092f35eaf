import { Effect } from "effect"
import { AutoConversions } from "../../engine/resources/deposits/auto-conversion.ts"
import { Books } from "../../engine/reports/books.ts"
import { DepositAddresses } from "../../engine/resources/wallets/deposit-address.ts"
import { Deposits } from "../../engine/resources/deposits/deposits.ts"
import { Exceptions } from "../../engine/resources/deposits/exceptions.ts"
import { WalletCredentials } from "../../engine/resources/wallets/wallet-credential.ts"
import { OperatorApi } from "../api/operator.ts"
import { endpoints } from "../endpoint.ts"

export const operatorEndpoints = Effect.gen(function* () {
  const books = yield* Books
  const deposits = yield* Deposits
  const addresses = yield* DepositAddresses
  const conversions = yield* AutoConversions
  const credentials = yield* WalletCredentials
  const exceptions = yield* Exceptions
  return endpoints(OperatorApi, {
    listHeldDeposits: ({ query }) => deposits.held(query),
    releaseDeposit: ({ call, params, body }) => deposits.release(call, params.id, body.note),
    rejectDeposit: ({ call, params, body }) => deposits.reject(call, params.id, body.reason, body.note),
    freezeDepositAddress: ({ call, params }) => addresses.freeze(call, params.id),
    unfreezeDepositAddress: ({ call, params }) => addresses.unfreeze(call, params.id),
    freezeWalletCredential: ({ call, params }) => credentials.freeze(call, params.id),
    unfreezeWalletCredential: ({ call, params }) => credentials.unfreeze(call, params.id),
    forwardWalletCredential: ({ call, params, body }) => conversions.forward(call, params.id, body.note),
    disableWalletCredential: ({ call, params }) => credentials.disable(call, params.id),
    listExceptions: ({ query }) => exceptions.list(query),
    resolveException: ({ call, params, body }) => exceptions.resolve(call, params.id, body),
    getTrialBalance: () => books.trialBalance,
    listEntries: ({ params, query }) => books.entries(params.account, query),
    getHistory: ({ params }) => books.history(params.id),
    listStuck: ({ query }) => books.stuck(query)
  })
})
