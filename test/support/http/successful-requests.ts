/**
 * One request that succeeds for every operation of the OpenAPI document, by the operation's id. Where none is written here,
 * it is the first of the operation's examples, about a resource that its creation made.
 */
import type { AnyOperation } from "../../../src/engine/calls/operation.ts"
import { entries } from "../../../src/engine/operations.ts"
import { mt940 } from "../statements/mt940.ts"
import { operatorToken, type Options } from "./server.ts"
import { solana, type Stock } from "./stocked-server.ts"

export interface Request extends Options {
  readonly path: string
}

type Call = (s: Stock) => Request | Promise<Request>

const get = (path: string): Request => ({ path })
const post = (path: string, body: unknown): Request => ({ path, method: "POST", body })
const patch = (path: string, body: unknown): Request => ({ path, method: "PATCH", body })
const remove = (path: string, body?: unknown): Request => ({ path, method: "DELETE", body })
const operator = (request: Request): Request => ({ ...request, key: operatorToken })

const asOperator = { key: operatorToken }

const hooks = "/v1/notifications/webhooks"
const hook = async (s: Stock): Promise<string> => (await s.make(hooks, { url: "http://127.0.0.1:9/hook" })).id

/** An active endpoint whose receiver, where the server's sink says so, was gone when an event came. */
const failedHook = async (s: Stock): Promise<string> => {
  const { id } = await s.make(hooks, { url: "http://127.0.0.1:9/gone" })
  const activate = () => s.make(`${hooks}/${id}`, { active: true }, { method: "PATCH" })
  await activate()
  await s.make(`${hooks}/${id}/replay`, { event_id: s.event })
  await s.settle()
  await activate()
  return id
}

const address = async (s: Stock): Promise<string> =>
  (await s.make(`/v1/wallets/${s.wallet}/deposit-addresses`, { network: "base" })).id

/** An active quote of an onramp into a wallet. */
export const onrampQuote = async (s: Stock): Promise<string> =>
  (await s.make("/v1/onramps/quotes", { wallet_id: s.wallet, source_currency: "NGN", source_amount: "150000" })).id

/** A credential of the USDC wallet's: by default on solana, where it is anyway, in its own currency. */
const credential = async (s: Stock, body: object = { type: "crypto", network: "solana" }): Promise<string> =>
  (await s.make(`/v1/wallets/${s.wallet}/credentials`, body)).id

/** Nairas that stand on a credential of a USDC wallet: their conversion failed. */
export const onCredential = async (s: Stock): Promise<string> => {
  const id = await credential(s, { type: "fiat", currency: "NGN", network: "bank" })
  await s.make("/sandbox/deposits", { credential_id: id, amount: "150750" })
  await s.settle()
  const { json } = await s.api.ask("/v1/conversions")
  const { id: resource_id } = json.data.find((one: any) => one.credential_id === id)
  await s.make("/sandbox/outcomes", { resource_id, outcome: "failed" })
  return id
}

/** A deposit that waits for the operator: it came to a frozen address. */
export const makeHeldDeposit = async (s: Stock): Promise<string> =>
  (await s.make("/sandbox/deposits", { deposit_address_id: s.frozen, amount: "5" })).transaction_id

/** A verification that its customer has opened. */
const underReview = async (s: Stock): Promise<{ readonly id: string; readonly customer_id: string }> => {
  const person = { type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG" }
  const { id: customer_id } = await s.make("/v1/customers", person)
  const { id } = await s.make(`/v1/customers/${customer_id}/verifications`, {})
  await s.make(`/sandbox/verifications/${id}`, { outcome: "opened" })
  return { id, customer_id }
}

/** A pending request for access to euros. */
export const requestAccess = async (s: Stock): Promise<string> =>
  (await s.make("/v1/currencies/EUR/access-requests", {})).id

/** A transfer that succeeded and is then said to have been reversed: the exception it leaves. */
export const openException = async (s: Stock): Promise<string> => {
  const { id } = await s.make("/v1/transfers", { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" })
  await s.settle()
  await s.make("/sandbox/outcomes", { resource_id: id, outcome: "success" })
  await s.make("/sandbox/outcomes", { resource_id: id, outcome: "reversed" })
  const { json } = await s.operate("/operator/v1/exceptions?status=open")
  return json.data.find((one: any) => one.resource_id === id).id
}

const cost = { from: "suspense", to: "world:simulated", amount: "1", currency: "USDC", note: "sent back" }

let batches = 0

/** One payout, and a row with an error. Each batch has a reference of its own. */
const batchOf = (s: Stock) => ({
  reference: `batch-${++batches}`,
  rows: [
    { operation: "transfer", wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1.00" },
    { operation: "transfer", wallet_id: s.wallet, beneficiary_id: "b-17", amount: "1.00" }
  ]
})
const makeBatch = async (s: Stock): Promise<string> =>
  (await s.api.ask("/v1/batches", { body: batchOf(s) })).json.data.id

let accounts = 0

/** Each has a number of its own, which no other active account has. */
const limit = {
  scope: "merchant",
  operations: ["onramp"],
  currency: "USDC",
  max_amount: "1000000",
  window: { rolling: "PT1H" }
}

const externalAccount = () => ({
  provider: "simulated",
  currency: "NGN",
  kind: "bank",
  identifiers: [{ scheme: "account_number", value: `00${++accounts}` }],
  opening: { date: "2026-01-01", balance: "-1.50" },
  time_zone: "Africa/Lagos"
})
/** One that prices none of the quotes of other tests. */
const feeSchedule = { operation: "offramp", source_currency: "USDC", bps: 40, valid_from: "2099-01-01" }
const makeSchedule = async (s: Stock): Promise<string> =>
  (await s.operate("/operator/v1/fee-schedules", { body: feeSchedule })).json.data.id

const makeAccount = async (s: Stock): Promise<string> =>
  (await s.operate("/operator/v1/external-accounts", { body: externalAccount() })).json.data.id

/** An account, and a file of its statements that was taken. */
const takeStatement = async (s: Stock): Promise<{ readonly account: string; readonly statement: string }> => {
  const input = externalAccount()
  const account = (await s.operate("/operator/v1/external-accounts", { body: input })).json.data.id
  const raw = mt940(input.identifiers[0]!.value, `B-${accounts}`)
  const { json } = await s.operate("/operator/v1/statements", { method: "POST", raw })
  return { account, statement: json.data[0].id }
}

/** The break of the line of a file that was taken: the books know nothing of it. */
const openBreak = async (s: Stock): Promise<string> => {
  const { account } = await takeStatement(s)
  return (await s.operate(`/operator/v1/breaks?kind=missing_in_books&external_account_id=${account}`)).json.data[0].id
}

const closeDay = async (s: Stock) => ({
  external_account_id: await makeAccount(s),
  date: "2026-01-05",
  note: "done"
})
const approvalRule = { approvals: 1, roles: ["treasury"] }
/** A rule of a merchant's own, which ends before anything else is asked. */
const ownRule = async (s: Stock): Promise<string> =>
  (await s.make("/v1/approval-rules", { operations: ["batch"], roles: ["approver"] })).id

const operatorRule = async (s: Stock): Promise<string> =>
  (await s.make("/operator/v1/approval-rules", { ...approvalRule, operations: ["break_resolution"] }, asOperator)).id

let approvers = 0

/** A transfer that waits for a rule that has ended since. */
export const waitingPayout = async (s: Stock, at: "/v1" | "/operator/v1"): Promise<string> => {
  const as = at === "/v1" ? {} : asOperator
  const roles = at === "/v1" ? {} : { roles: ["support", "treasury", "admin"] }
  const { id } = await s.make(`${at}/approval-rules`, { operations: ["payout"], ...roles }, as)
  const body = { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" }
  const { json } = await s.api.ask("/v1/transfers", { body })
  await s.api.ask(`${at}/approval-rules/${id}`, { method: "DELETE", ...as })
  return json.meta.approval.id
}

/** Somebody who may approve what the stock has made. */
export const approver = async (s: Stock): Promise<string> =>
  (
    await s.make(
      "/operator/v1/operators",
      { name: "Bisi", email: `${++approvers}@approvers.example`, role: "treasury" },
      asOperator
    )
  ).token
const approverKeys = new WeakMap<Stock, string>()
/** A key has no end here: a request that is kept is asked again after others have been made. */
const approverKey = async (s: Stock): Promise<string> => {
  const kept = approverKeys.get(s)
  if (kept !== undefined) return kept
  const body = { role: "approver", person: `${++approvers}@approvers.example` }
  const { secret } = await s.make("/v1/api-keys", body)
  approverKeys.set(s, secret)
  return secret
}

const decideApproval = (verb: string) => ({
  own: async (s: Stock): Promise<Request> => ({
    ...post(`/v1/approvals/${await waitingPayout(s, "/v1")}/${verb}`, { note: "checked" }),
    key: await approverKey(s)
  }),
  operators: async (s: Stock): Promise<Request> => ({
    ...post(`/operator/v1/approvals/${await waitingPayout(s, "/operator/v1")}/${verb}`, { note: "checked" }),
    key: await approver(s)
  })
})

const pair = (s: Stock) => ({ source_wallet_id: s.wallet, destination_wallet_id: s.tether })
/** An active quote between two wallets. */
export const conversionQuote = async (s: Stock): Promise<string> =>
  (await s.make("/v1/conversions/quotes", { ...pair(s), source_amount: "5" })).id

const written: Readonly<Record<string, Call>> = {
  getMe: () => get("/v1/me"),
  createApiKey: () => post("/v1/api-keys", { role: "viewer", label: "reports" }),
  listApiKeys: () => get("/v1/api-keys"),
  revokeApiKey: async (s) => remove(`/v1/api-keys/${(await s.make("/v1/api-keys", { role: "viewer" })).id}`),
  listCurrencies: (s) => get(`/v1/currencies?customer_id=${s.customer}`),
  createAccessRequest: () =>
    post("/v1/currencies/XOF/access-requests", { countryCode: "SN", reason: "payouts in Dakar" }),
  listAccessRequests: async (s) => {
    await requestAccess(s)
    return get("/v1/currencies/access-requests")
  },
  listCountries: () => get("/v1/countries"),
  listProviders: () => get("/v1/providers?country_code=ZA"),
  createCustomer: () =>
    post("/v1/customers", {
      type: "business",
      name: "Obi Ltd",
      email: "obi@example.com",
      country_code: "NG",
      merchant_reference: "c-1",
      profile: {
        phone: "+2348012345678",
        address: { line1: "1 Marina", city: "Lagos", country_code: "NG" },
        date_of_birth: "01/31/1990",
        id_number: "A1234567",
        id_type: "passport",
        business_licence: "RC-1"
      },
      metadata: { tier: "gold" }
    }),
  listCustomers: () => get("/v1/customers"),
  getCustomer: (s) => get(`/v1/customers/${s.customer}`),
  updateCustomer: (s) => patch(`/v1/customers/${s.customer}`, { metadata: { a: "b" } }),
  createVerification: (s) =>
    post(`/v1/customers/${s.customer}/verifications`, { tier: "tier_1", redirect_url: "https://example.com/done" }),
  listVerifications: (s) => get(`/v1/customers/${s.verified}/verifications`),
  getVerification: (s) => get(`/v1/customers/${s.verified}/verifications/${s.verification}`),
  createWallet: (s) => post("/v1/wallets", { currency: "USDT", customer_id: s.customer }),
  listWallets: () => get("/v1/wallets"),
  getWallet: (s) => get(`/v1/wallets/${s.wallet}`),
  getWalletStatement: (s) => get(`/v1/wallets/${s.wallet}/statement?from=2026-01-01&to=2026-01-31`),
  updateWallet: (s) => patch(`/v1/wallets/${s.wallet}`, { label: "payouts" }),
  createDepositAddress: (s) => post(`/v1/wallets/${s.wallet}/deposit-addresses`, { network: "ethereum" }),
  listDepositAddresses: (s) => get(`/v1/wallets/${s.wallet}/deposit-addresses`),
  getDepositAddress: (s) => get(`/v1/wallets/${s.wallet}/deposit-addresses/${s.address}`),
  disableDepositAddress: async (s) =>
    remove(`/v1/wallets/${s.wallet}/deposit-addresses/${await address(s)}`, { reason: "rotated" }),
  createWalletCredential: (s) =>
    post(`/v1/wallets/${s.wallet}/credentials`, {
      type: "fiat",
      currency: "NGN",
      network: "bank",
      label: "collections",
      metadata: { shop: "4" }
    }),
  listWalletCredentials: async (s) => {
    await credential(s)
    await credential(s, { type: "fiat", currency: "NGN", network: "bank" })
    await s.settle()
    return get(`/v1/wallets/${s.wallet}/credentials`)
  },
  getWalletCredential: async (s) => get(`/v1/wallets/${s.wallet}/credentials/${await credential(s)}`),
  createBeneficiary: (s) =>
    post("/v1/beneficiaries", {
      type: "crypto",
      name: "Treasury",
      currency: "USDC",
      customer_id: s.customer,
      details: { network: "solana", address: solana, memo: "7" }
    }),
  listBeneficiaries: () => get("/v1/beneficiaries"),
  getBeneficiary: (s) => get(`/v1/beneficiaries/${s.fiat}`),
  updateBeneficiary: (s) => patch(`/v1/beneficiaries/${s.fiat}`, { label: "salary" }),
  createSender: (s) =>
    post("/v1/senders", {
      type: "individual",
      name: "Amara Okafor",
      customer_id: s.customer,
      email: "amara@example.com",
      country_code: "GB",
      address: { line1: "12 Mare Street", city: "London", country_code: "GB" },
      date_of_birth: "01/31/1990",
      id_number: "A1234567",
      id_type: "passport",
      merchant_reference: "s-1",
      metadata: { desk: "4" }
    }),
  listSenders: () => get("/v1/senders"),
  getSender: (s) => get(`/v1/senders/${s.sender}`),
  updateSender: (s) => patch(`/v1/senders/${s.sender}`, { email: "amara@example.com" }),
  createOfframpQuote: (s) =>
    post("/v1/offramps/quotes", {
      wallet_id: s.wallet,
      beneficiary_id: s.fiat,
      sender_id: s.sender,
      target_amount: "50000"
    }),
  createQuote: (s) => post("/v1/quotes", { wallet_id: s.wallet, beneficiary_id: s.fiat, source_amount: "20" }),
  createOnrampQuote: (s) =>
    post("/v1/onramps/quotes", {
      wallet_id: s.wallet,
      source_currency: "NGN",
      country_code: "NG",
      source_amount: "20000"
    }),
  createConversionQuote: (s) => post("/v1/conversions/quotes", { ...pair(s), target_amount: "10" }),
  getQuote: (s) => get(`/v1/quotes/${s.executed}`),
  createOnramp: async (s) => post("/v1/onramps", { quote_id: await onrampQuote(s), metadata: { a: "b" } }),
  createConversion: async (s) => post("/v1/conversions", { quote_id: await conversionQuote(s) }),
  createOfframp: async (s) => post("/v1/offramps", { quote_id: (await s.quote({ source_amount: "20" })).id }),
  listOfframps: () => get("/v1/offramps"),
  getOfframp: (s) => get(`/v1/offramps/${s.offramp}`),
  getOfframpTimeline: (s) => get(`/v1/offramps/${s.offramp}/timeline`),
  createTransfer: (s) =>
    post("/v1/transfers", { wallet_id: s.wallet, beneficiary_id: s.crypto, sender_id: s.sender, amount: "2.50" }),
  createBatch: (s) => post("/v1/batches", batchOf(s)),
  getMerchantBatch: async (s) => operator(get(`/operator/v1/batches/${await makeBatch(s)}`)),
  getMerchantBatchSummary: async (s) => operator(get(`/operator/v1/batches/${await makeBatch(s)}/summary`)),
  listMerchantBatchRows: async (s) => operator(get(`/operator/v1/batches/${await makeBatch(s)}/rows`)),
  listTransfers: () => get("/v1/transfers"),
  getTransfer: (s) => get(`/v1/transfers/${s.transfer}`),
  getTransferTimeline: (s) => get(`/v1/transfers/${s.transfer}/timeline`),
  listTransactions: () => get("/v1/transactions"),
  getTransaction: (s) => get(`/v1/transactions/${s.transaction}`),
  getTransactionTimeline: (s) => get(`/v1/transactions/${s.transaction}/timeline`),
  createWebhookEndpoint: () =>
    post(hooks, { url: "http://127.0.0.1:9/new", categories: ["deposit"], description: "d" }),
  listWebhookEndpoints: () => get(hooks),
  getWebhookEndpoint: (s) => get(`${hooks}/${s.active}`),
  updateWebhookEndpoint: (s) => patch(`${hooks}/${s.inactive}`, { description: "spare" }),
  deleteWebhookEndpoint: async (s) => remove(`${hooks}/${await hook(s)}`),
  rotateWebhookSecret: (s) => post(`${hooks}/${s.active}/rotate-secret`, {}),
  replayWebhookEvents: (s) => post(`${hooks}/${s.active}/replay`, { event_id: s.event }),
  replayFailedWebhookEvents: async (s) => post(`${hooks}/${await failedHook(s)}/replay-failed`, {}),
  getWebhookEndpointHealth: (s) => get(`${hooks}/${s.active}/health`),
  listAllWebhookEndpoints: () => operator(get("/operator/v1/webhook-endpoints")),
  getMerchantWebhookEndpoint: (s) => operator(get(`/operator/v1/webhook-endpoints/${s.active}`)),
  getMerchantWebhookEndpointHealth: (s) => operator(get(`/operator/v1/webhook-endpoints/${s.active}/health`)),
  replayFailedMerchantWebhookEvents: async (s) =>
    operator(post(`/operator/v1/webhook-endpoints/${await failedHook(s)}/replay-failed`, {})),
  pingWebhookEndpoint: (s) => post(`${hooks}/${s.active}/ping`, {}),
  listWebhookDeliveries: (s) => get(`${hooks}/${s.active}/deliveries`),
  listMerchantWebhookDeliveries: (s) => operator(get(`/operator/v1/webhook-endpoints/${s.active}/deliveries`)),
  listEvents: () => get("/v1/notifications/events"),
  feedEvents: () => get("/v1/notifications/events/feed"),
  getEvent: (s) => get(`/v1/notifications/events/${s.event}`),
  sandboxDeposit: (s) => post("/sandbox/deposits", { wallet_id: s.wallet, amount: "500" }),
  sandboxOutcome: (s) => post("/sandbox/outcomes", { resource_id: s.transfer, outcome: "success" }),
  sandboxIssueDepositAddress: async (s) =>
    post(`/sandbox/deposit-addresses/${await address(s)}`, { outcome: "issued" }),
  sandboxIssueWalletCredential: async (s) => post(`/sandbox/credentials/${await credential(s)}`, { outcome: "issued" }),
  sandboxScreenBeneficiary: (s) => post(`/sandbox/beneficiaries/${s.crypto_pending}`, { outcome: "screened" }),
  sandboxVerification: (s) => post(`/sandbox/verifications/${s.verification}`, { outcome: "opened" }),
  sandboxProvider: () => post("/sandbox/provider", { submissions: "accept" }),
  getSandboxProvider: () => get("/sandbox/provider"),
  getSandboxClock: () => get("/sandbox/clock"),
  sandboxAdvanceClock: () => post("/sandbox/clock/advance", { seconds: 1 }),
  sandboxSettle: () => post("/sandbox/settle", {}),
  createMerchant: () => operator(post("/operator/v1/merchants", { name: "New", country_code: "KE" })),
  listMerchants: () => operator(get("/operator/v1/merchants")),
  updateMerchant: (s) => operator(patch(`/operator/v1/merchants/${s.other_merchant_id}`, { status: "active" })),
  getMerchant: (s) => operator(get(`/operator/v1/merchants/${s.api.merchant_id}`)),
  createMerchantApiKey: async (s) => {
    const { merchant } = await s.make("/operator/v1/merchants", { name: "Of keys", country_code: "KE" }, asOperator)
    return operator(post(`/operator/v1/merchants/${merchant.id}/api-keys`, { role: "viewer", note: "asked by phone" }))
  },
  listMerchantWallets: (s) => operator(get(`/operator/v1/merchants/${s.api.merchant_id}/wallets`)),
  listMerchantApiKeys: (s) => operator(get(`/operator/v1/merchants/${s.api.merchant_id}/api-keys`)),
  revokeMerchantApiKey: async (s) => {
    const { api_key, merchant } = await s.make("/operator/v1/merchants", { name: "K", country_code: "KE" }, asOperator)
    return operator(post(`/operator/v1/merchants/${merchant.id}/api-keys/${api_key.id}/revoke`, {}))
  },
  listAllAccessRequests: async (s) => {
    await requestAccess(s)
    return operator(get("/operator/v1/access-requests?status=pending"))
  },
  reviewAccessRequest: async (s) =>
    operator(
      post(`/operator/v1/access-requests/${await requestAccess(s)}/review`, { decision: "reject", reason: "no" })
    ),
  revokeAccessRequest: async (s) => {
    const id = await requestAccess(s)
    await s.operate(`/operator/v1/access-requests/${id}/review`, { body: { decision: "approve" } })
    return operator(post(`/operator/v1/access-requests/${id}/revoke`, { reason: "lapsed" }))
  },
  listHeldDeposits: async (s) => {
    await makeHeldDeposit(s)
    return operator(get("/operator/v1/deposits?status=held"))
  },
  releaseDeposit: async (s) =>
    operator(post(`/operator/v1/deposits/${await makeHeldDeposit(s)}/release`, { note: "seen" })),
  rejectDeposit: async (s) =>
    operator(post(`/operator/v1/deposits/${await makeHeldDeposit(s)}/reject`, { reason: "unclear" })),
  freezeDepositAddress: async (s) => {
    const id = await address(s)
    await s.settle()
    return operator(post(`/operator/v1/deposit-addresses/${id}/freeze`, {}))
  },
  unfreezeDepositAddress: async (s) => {
    const id = await address(s)
    await s.settle()
    await s.operate(`/operator/v1/deposit-addresses/${id}/freeze`, { body: {} })
    return operator(post(`/operator/v1/deposit-addresses/${id}/unfreeze`, {}))
  },
  freezeWalletCredential: async (s) => {
    const id = await credential(s)
    await s.settle()
    return operator(post(`/operator/v1/credentials/${id}/freeze`, {}))
  },
  unfreezeWalletCredential: async (s) => {
    const id = await credential(s)
    await s.settle()
    await s.operate(`/operator/v1/credentials/${id}/freeze`, { body: {} })
    return operator(post(`/operator/v1/credentials/${id}/unfreeze`, {}))
  },
  disableWalletCredential: async (s) => operator(post(`/operator/v1/credentials/${await credential(s)}/disable`, {})),
  forwardWalletCredential: async (s) => operator(post(`/operator/v1/credentials/${await onCredential(s)}/forward`, {})),
  listExceptions: async (s) => {
    await openException(s)
    return operator(get("/operator/v1/exceptions"))
  },
  acceptRate: async (s) => {
    const path = "/operator/v1/rates/NGN/accept"
    await s.operate(path, { body: { per_usd: "1500", note: "checked" } })
    return operator(post(path, { per_usd: "1500.5", note: "checked at two banks" }))
  },
  listVerificationReviews: async (s) => {
    const { customer_id } = await underReview(s)
    return operator(get(`/operator/v1/verifications?customer_id=${customer_id}&status=in_progress`))
  },
  reviewVerification: async (s) => {
    const { id } = await underReview(s)
    return operator(post(`/operator/v1/verifications/${id}/review`, { decision: "approve", note: "seen" }))
  },
  resolveException: async (s) =>
    operator(
      post(`/operator/v1/exceptions/${await openException(s)}/resolve`, { action: "dismiss", note: "by mistake" })
    ),
  createFeeSchedule: () => operator(post("/operator/v1/fee-schedules", feeSchedule)),
  endFeeSchedule: async (s) =>
    operator(patch(`/operator/v1/fee-schedules/${await makeSchedule(s)}`, { status: "ended" })),
  createAdjustingEntry: async (s) =>
    operator(post("/operator/v1/adjusting-entries", { ...cost, exception_id: await openException(s) })),
  listAdjustingEntries: async (s) => {
    await s.operate("/operator/v1/adjusting-entries", { body: cost })
    return operator(get("/operator/v1/adjusting-entries"))
  },
  /** Of an entry of the platform's own, in one write: the reversal of one that ended an exception is several. */
  reverseAdjustingEntry: async (s) => {
    const { id } = await s.make("/operator/v1/adjusting-entries", cost, asOperator)
    return operator(post(`/operator/v1/adjusting-entries/${id}/reverse`, { note: "booked twice" }))
  },
  listOwnLimits: async (s) => {
    await s.operate("/operator/v1/limits", { body: limit })
    return get("/v1/limits")
  },
  listLimits: async (s) => {
    await s.operate("/operator/v1/limits", { body: limit })
    return operator(get("/operator/v1/limits"))
  },
  createExternalAccount: () => operator(post("/operator/v1/external-accounts", externalAccount())),
  updateExternalAccount: async (s) =>
    operator(patch(`/operator/v1/external-accounts/${await makeAccount(s)}`, { status: "closed", note: "moved" })),
  createStatementMapping: async (s) =>
    operator(
      post("/operator/v1/statement-mappings", {
        name: "Online export",
        external_account_id: await makeAccount(s),
        columns: { booked_on: "Date", amount: "Amount", remittance: ["Text", "More"] },
        separator: ";",
        decimal: ",",
        dates: "dmy"
      })
    ),
  previewStatementMapping: async (s) =>
    operator(
      post("/operator/v1/statement-mappings/preview", {
        external_account_id: await makeAccount(s),
        start: Buffer.from("Date;Amount\n2026-01-05;12.50\n").toString("base64")
      })
    ),
  createClosing: async (s) => operator(post("/operator/v1/closings", await closeDay(s))),
  listReconciliation: async (s) => {
    await makeAccount(s)
    return operator(get("/operator/v1/reconciliation?date=2026-01-05"))
  },
  takeStatements: async (s) => {
    const input = externalAccount()
    await s.operate("/operator/v1/external-accounts", { body: input })
    const raw = mt940(input.identifiers[0]!.value, `B-${accounts}`)
    return operator({ path: "/operator/v1/statements?format=mt940", method: "POST", raw })
  },
  listStatements: async (s) =>
    operator(get(`/operator/v1/statements?external_account_id=${(await takeStatement(s)).account}`)),
  getStatement: async (s) => operator(get(`/operator/v1/statements/${(await takeStatement(s)).statement}`)),
  listStatementLines: async (s) =>
    operator(get(`/operator/v1/statement-lines?statement_id=${(await takeStatement(s)).statement}`)),
  getStatementLine: async (s) => {
    const { statement } = await takeStatement(s)
    const { json } = await s.operate(`/operator/v1/statement-lines?statement_id=${statement}`)
    return operator(get(`/operator/v1/statement-lines/${json.data[0].id}`))
  },
  listBreaks: async (s) => {
    await openBreak(s)
    return operator(get("/operator/v1/breaks?status=open"))
  },
  getBreak: async (s) => operator(get(`/operator/v1/breaks/${await openBreak(s)}`)),
  resolveBreak: async (s) =>
    operator(
      post(`/operator/v1/breaks/${await openBreak(s)}/resolve`, {
        action: "explain",
        from: "world:simulated",
        to: "suspense",
        note: "nobody knows whose"
      })
    ),
  resolveBreaks: async (s) => {
    // Ends the operators' rules: a file of acts that one covers is not taken.
    const { json } = await s.operate("/operator/v1/approval-rules?status=active&per_page=200")
    for (const { id } of json.data) await s.operate(`/operator/v1/approval-rules/${id}`, { method: "DELETE" })
    return operator({
      path: "/operator/v1/breaks/resolve?format=json",
      method: "POST",
      raw: new TextEncoder().encode(`id,action,note\n${await openBreak(s)},dismiss,seen\n`)
    })
  },
  createApprovalRule: () =>
    post("/v1/approval-rules", { operations: ["batch"], above: { amount: "5", currency: "USDC" } }),
  listApprovalRules: async (s) => {
    await ownRule(s)
    return get("/v1/approval-rules")
  },
  getApprovalRule: async (s) => get(`/v1/approval-rules/${await ownRule(s)}`),
  updateApprovalRule: async (s) => patch(`/v1/approval-rules/${await ownRule(s)}`, { status: "ended" }),
  endApprovalRule: async (s) => remove(`/v1/approval-rules/${await ownRule(s)}`),
  listApprovals: async (s) => {
    await waitingPayout(s, "/v1")
    return get("/v1/approvals")
  },
  getApproval: async (s) => get(`/v1/approvals/${await waitingPayout(s, "/v1")}`),
  approveApproval: decideApproval("approve").own,
  declineApproval: decideApproval("decline").own,
  createOperatorApprovalRule: () =>
    operator(post("/operator/v1/approval-rules", { ...approvalRule, operations: ["break_resolution"] })),
  listOperatorApprovalRules: async (s) => {
    await operatorRule(s)
    return operator(get("/operator/v1/approval-rules"))
  },
  getOperatorApprovalRule: async (s) => operator(get(`/operator/v1/approval-rules/${await operatorRule(s)}`)),
  updateOperatorApprovalRule: async (s) =>
    operator(patch(`/operator/v1/approval-rules/${await operatorRule(s)}`, { status: "ended" })),
  endOperatorApprovalRule: async (s) => operator(remove(`/operator/v1/approval-rules/${await operatorRule(s)}`)),
  listOperatorApprovals: async (s) => {
    await waitingPayout(s, "/operator/v1")
    return operator(get("/operator/v1/approvals"))
  },
  getOperatorApproval: async (s) => operator(get(`/operator/v1/approvals/${await waitingPayout(s, "/operator/v1")}`)),
  approveOperatorApproval: decideApproval("approve").operators,
  declineOperatorApproval: decideApproval("decline").operators,
  listAuditEntries: async (s) => {
    await s.api.ask("/console/session", { key: null, body: { token: operatorToken } })
    return operator(get("/operator/v1/audit"))
  },
  listOwnSearchResults: (s) => get(`/v1/search?q=${s.transfer}`),
  listSearchResults: (s) => operator(get(`/operator/v1/search?q=${s.transfer}`)),
  getTrialBalance: () => operator(get("/operator/v1/ledger/trial-balance")),
  listEntries: (s) => operator(get(`/operator/v1/ledger/accounts/available:${s.wallet}/entries`)),
  listRoutes: () => operator(get("/operator/v1/routes?operation=payout&currency=NGN")),
  getProviderBalances: () => operator(get("/operator/v1/providers/simulated/balances")),
  getProviderStatement: () => operator(get("/operator/v1/providers/simulated/statement")),
  getResource: (s) => operator(get(`/operator/v1/resources/${s.offramp}`)),
  getResourceTimeline: (s) => operator(get(`/operator/v1/resources/${s.offramp}/timeline`)),
  getHistory: (s) => operator(get(`/operator/v1/resources/${s.offramp}/history`)),
  listStuck: () => operator(get("/operator/v1/stuck?older_than_seconds=0"))
}

let made = 0

/** The example of a creation, which can be made again: an operator has an email of their own. */
const creationOf = (operation: AnyOperation): object => {
  const example = (Object.values(operation.examples)[0] ?? {}) as { readonly email?: string }
  return example.email === undefined ? example : { ...example, email: `${++made}.${example.email}` }
}

const deriveRequest =
  (operation: AnyOperation): Call =>
  async (s) => {
    const { area, method, path } = operation
    const as = area === "operator" ? { key: operatorToken } : {}
    const [collection = ""] = path.split("/:")
    const creation = entries.find(({ operation: one }) => one.method === "POST" && one.path === collection)?.operation
    const isOfOne = creation !== undefined && creation !== operation
    // Makes what an operation creates, by the request that is written for it or by its example.
    const { id } = isOfOne
      ? await (async (s: Stock): Promise<any> => {
          const { path, ...request } = await (written[creation.id] ?? deriveRequest(creation))(s)
          return s.make(path, request.body, request)
        })(s)
      : { id: "" }
    const about = { path: path.replace(/:\w+/, id), ...as }
    return method === "GET" ? about : { ...about, method, body: creationOf(operation) }
  }

/** The most bytes of the file that is the body of an operation; `undefined` for a body in JSON. */
export const fileMaxOf = (id: string): number | undefined =>
  entries.find(({ operation }) => operation.id === id)?.operation.fileMax

export const catalogue: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(entries.map(({ operation }) => [operation.id, deriveRequest(operation)])),
  ...written
}
