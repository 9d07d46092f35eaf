/** What the operator of the service can ask, and what the sandbox of the test environment does. */
import { Schema } from "effect"
import {
  AccessRequests,
  ListAccessRequests,
  ReviewAccessRequest,
  RevokeAccessRequest
} from "../engine/resources/access/access-request.ts"
import { AutoConversions } from "../engine/resources/deposits/auto-conversion.ts"
import { Books, Stuck } from "../engine/reports/books.ts"
import { DepositAddresses } from "../engine/resources/wallets/deposit-address.ts"
import { Deposits, Noted, RejectDeposit } from "../engine/resources/deposits/deposits.ts"
import { Exceptions, ListExceptions, ResolveException } from "../engine/resources/deposits/exceptions.ts"
import { CreateMerchant, ListMerchants, Merchants, UpdateMerchant } from "../engine/resources/access/merchant.ts"
import { SandboxOperations } from "../engine/sandbox/sandbox.ts"
import {
  SandboxAdvance,
  SandboxDeposit,
  SandboxOutcome,
  SandboxProvider,
  SandboxScreen,
  SandboxVerification
} from "../engine/sandbox/inputs.ts"
import { WalletCredentials } from "../engine/resources/wallets/wallet-credential.ts"
import { listing, paging } from "../engine/input/schemas.ts"
import { act, change, type Param, param, read, say } from "./operation.ts"

const named = (name: string): Param => ({ name, schema: Schema.String })
const deposit = [param("txn")] as const
const accessRequest = [param("rar")] as const
const depositAddress = [param("da")] as const
const walletCredential = [param("wcr")] as const

export const merchantsOperations = {
  /** With its default customer and an admin key, told this once. `pending` unless told otherwise. */
  create: act({ input: CreateMerchant }, ({ call, input }) => Merchants.use((s) => s.create(call, input))),
  list: read({ input: ListMerchants }, ({ input }) => Merchants.use((s) => s.list(input))),
  update: change({ params: [param("mer")], input: UpdateMerchant }, ({ call, ids: [id], input }) =>
    Merchants.use((s) => s.update(call, id, input))
  )
} as const

export const operatorOperations = {
  deposits: {
    held: read({ input: Schema.Struct(listing) }, ({ input }) => Deposits.use((s) => s.held(input))),
    release: act({ params: deposit, input: Noted }, ({ call, ids: [id], input }) =>
      Deposits.use((s) => s.release(call, id, input.note))
    ),
    reject: act({ params: deposit, input: RejectDeposit }, ({ call, ids: [id], input }) =>
      Deposits.use((s) => s.reject(call, id, input.reason, input.note))
    )
  },
  depositAddresses: {
    freeze: act({ params: depositAddress }, ({ call, ids: [id] }) => DepositAddresses.use((s) => s.freeze(call, id))),
    unfreeze: act({ params: depositAddress }, ({ call, ids: [id] }) =>
      DepositAddresses.use((s) => s.unfreeze(call, id))
    )
  },
  accessRequests: {
    list: read({ input: ListAccessRequests }, ({ input }) => AccessRequests.use((s) => s.all(input))),
    review: act({ params: accessRequest, input: ReviewAccessRequest }, ({ call, ids: [id], input }) =>
      AccessRequests.use((s) => s.review(call, id, input))
    ),
    revoke: act({ params: accessRequest, input: RevokeAccessRequest }, ({ call, ids: [id], input }) =>
      AccessRequests.use((s) => s.revoke(call, id, input))
    )
  },
  walletCredentials: {
    freeze: act({ params: walletCredential }, ({ call, ids: [id] }) =>
      WalletCredentials.use((s) => s.freeze(call, id))
    ),
    unfreeze: act({ params: walletCredential }, ({ call, ids: [id] }) =>
      WalletCredentials.use((s) => s.unfreeze(call, id))
    ),
    /** Converts all that stands on it, at this moment's rate and fee. */
    forward: act({ params: walletCredential, input: Noted }, ({ call, ids: [id], input }) =>
      AutoConversions.use((s) => s.forward(call, id, input.note))
    ),
    disable: act({ params: walletCredential }, ({ call, ids: [id] }) =>
      WalletCredentials.use((s) => s.disable(call, id))
    )
  },
  exceptions: {
    list: read({ input: ListExceptions }, ({ input }) => Exceptions.use((s) => s.list(input))),
    resolve: act({ params: [param("exc")], input: ResolveException }, ({ call, ids: [id], input }) =>
      Exceptions.use((s) => s.resolve(call, id, input))
    )
  },
  ledger: {
    trialBalance: read({}, () => Books.use((s) => s.trialBalance)),
    entries: read({ params: [named("account")], input: Schema.Struct(paging) }, ({ ids: [account], input }) =>
      Books.use((s) => s.entries(account, input))
    )
  },
  /** Every transition of a resource, with the postings and events it made. */
  history: read({ params: [named("id")] }, ({ ids: [id] }) => Books.use((s) => s.history(id))),
  /** What is not at its end and has made no progress, oldest first. */
  stuck: read({ input: Stuck }, ({ input }) => Books.use((s) => s.stuck(input)))
} as const

/** What the simulated provider can be made to say to one merchant. */
export const sandboxOperations = {
  deposit: say({ input: SandboxDeposit }, ({ call, input }) => SandboxOperations.use((s) => s.deposit(call, input))),
  outcome: say({ input: SandboxOutcome }, ({ call, input }) => SandboxOperations.use((s) => s.outcome(call, input))),
  issueDepositAddress: say({ params: depositAddress }, ({ call, ids: [id] }) =>
    SandboxOperations.use((s) => s.issueDepositAddress(call, id))
  ),
  issueWalletCredential: say({ params: walletCredential }, ({ call, ids: [id] }) =>
    SandboxOperations.use((s) => s.issueWalletCredential(call, id))
  ),
  screenBeneficiary: say({ params: [param("ben")], input: SandboxScreen }, ({ call, ids: [id], input }) =>
    SandboxOperations.use((s) => s.screenBeneficiary(call, id, input))
  ),
  verification: say({ params: [param("kyc", "kycId")], input: SandboxVerification }, ({ call, ids: [id], input }) =>
    SandboxOperations.use((s) => s.verification(call, id, input))
  ),
  /** How submissions are answered from now on. */
  provider: say({ input: SandboxProvider }, ({ call, input }) => SandboxOperations.use((s) => s.behave(call, input))),
  /** Runs the merchant's work that is due, and what that makes due. */
  settle: say({}, ({ call }) => SandboxOperations.use((s) => s.settle(call)))
} as const

/** What the sandbox does to the whole service. */
export const timeOperations = {
  /** Moves the service's clock forward; what falls due on the way is run. */
  advance: act({ input: SandboxAdvance }, ({ input }) => SandboxOperations.use((s) => s.advance(input)))
} as const
