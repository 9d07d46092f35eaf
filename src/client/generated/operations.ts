/** The operations by method: verb, path, and what it takes. Written by `npm run openapi`; a test fails when it is stale. */

export const merchant = {
  me: "GET /v1/me",
  apiKeys: { create: "POST /v1/api-keys input", list: "LIST /v1/api-keys dated", revoke: "DELETE /v1/api-keys/:id" },
  currencies: {
    list: "LIST /v1/currencies input",
    requestAccess: "POST /v1/currencies/:code/access-requests input",
    accessRequests: "LIST /v1/currencies/access-requests dated"
  },
  countries: { list: "LIST /v1/countries input" },
  providers: { list: "LIST /v1/providers input" },
  customers: {
    create: "POST /v1/customers input",
    list: "LIST /v1/customers dated",
    get: "GET /v1/customers/:id",
    update: "PATCH /v1/customers/:id input"
  },
  verifications: {
    create: "POST /v1/customers/:customerId/verifications input",
    list: "LIST /v1/customers/:customerId/verifications dated",
    get: "GET /v1/customers/:customerId/verifications/:kycId"
  },
  wallets: {
    create: "POST /v1/wallets input",
    list: "LIST /v1/wallets dated",
    get: "GET /v1/wallets/:id",
    update: "PATCH /v1/wallets/:id input",
    statement: "GET /v1/wallets/:id/statement input"
  },
  walletCredentials: {
    create: "POST /v1/wallets/:id/credentials input",
    list: "LIST /v1/wallets/:id/credentials dated",
    get: "GET /v1/wallets/:id/credentials/:credentialId"
  },
  depositAddresses: {
    create: "POST /v1/wallets/:id/deposit-addresses input",
    list: "LIST /v1/wallets/:id/deposit-addresses dated",
    get: "GET /v1/wallets/:id/deposit-addresses/:depositAddressId",
    disable: "DELETE /v1/wallets/:id/deposit-addresses/:depositAddressId input"
  },
  beneficiaries: {
    create: "POST /v1/beneficiaries input",
    list: "LIST /v1/beneficiaries dated",
    get: "GET /v1/beneficiaries/:id",
    update: "PATCH /v1/beneficiaries/:id input"
  },
  senders: {
    create: "POST /v1/senders input",
    list: "LIST /v1/senders dated",
    get: "GET /v1/senders/:id",
    update: "PATCH /v1/senders/:id input"
  },
  quotes: {
    offramp: "POST /v1/offramps/quotes input",
    onramp: "POST /v1/onramps/quotes input",
    conversion: "POST /v1/conversions/quotes input",
    create: "POST /v1/quotes input",
    get: "GET /v1/quotes/:id"
  },
  onramps: {
    create: "POST /v1/onramps input",
    list: "LIST /v1/onramps dated",
    get: "GET /v1/onramps/:id",
    timeline: "GET /v1/onramps/:id/timeline"
  },
  offramps: {
    create: "POST /v1/offramps input",
    list: "LIST /v1/offramps dated",
    get: "GET /v1/offramps/:id",
    timeline: "GET /v1/offramps/:id/timeline"
  },
  conversions: {
    create: "POST /v1/conversions input",
    list: "LIST /v1/conversions dated",
    get: "GET /v1/conversions/:id",
    timeline: "GET /v1/conversions/:id/timeline"
  },
  transfers: {
    create: "POST /v1/transfers input",
    list: "LIST /v1/transfers dated",
    get: "GET /v1/transfers/:id",
    timeline: "GET /v1/transfers/:id/timeline"
  },
  batches: {
    create: "POST /v1/batches input",
    list: "LIST /v1/batches dated",
    get: "GET /v1/batches/:id",
    rows: "LIST /v1/batches/:id/rows input",
    summary: "GET /v1/batches/:id/summary",
    confirm: "POST /v1/batches/:id/confirm",
    cancel: "POST /v1/batches/:id/cancel"
  },
  transactions: {
    list: "LIST /v1/transactions dated",
    totals: "GET /v1/transactions/totals input",
    get: "GET /v1/transactions/:id",
    timeline: "GET /v1/transactions/:id/timeline"
  },
  webhooks: {
    create: "POST /v1/notifications/webhooks input",
    list: "LIST /v1/notifications/webhooks dated",
    get: "GET /v1/notifications/webhooks/:id",
    update: "PATCH /v1/notifications/webhooks/:id input",
    delete: "DELETE /v1/notifications/webhooks/:id",
    rotateSecret: "POST /v1/notifications/webhooks/:id/rotate-secret",
    replay: "POST /v1/notifications/webhooks/:id/replay input",
    replayFailed: "POST /v1/notifications/webhooks/:id/replay-failed",
    health: "GET /v1/notifications/webhooks/:id/health",
    ping: "POST /v1/notifications/webhooks/:id/ping",
    deliveries: "LIST /v1/notifications/webhooks/:id/deliveries dated"
  },
  events: {
    list: "LIST /v1/notifications/events dated",
    feed: "FEED /v1/notifications/events/feed input",
    get: "GET /v1/notifications/events/:id"
  },
  limits: { list: "LIST /v1/limits dated" },
  approvalRules: {
    create: "POST /v1/approval-rules input",
    list: "LIST /v1/approval-rules dated",
    get: "GET /v1/approval-rules/:id",
    update: "PATCH /v1/approval-rules/:id input",
    end: "DELETE /v1/approval-rules/:id"
  },
  approvals: {
    list: "LIST /v1/approvals dated",
    get: "GET /v1/approvals/:id",
    approve: "POST /v1/approvals/:id/approve input",
    decline: "POST /v1/approvals/:id/decline input"
  },
  search: "LIST /v1/search input",
  stats: "GET /v1/stats input"
} as const

export const sandbox = {
  deposit: "POST /sandbox/deposits input",
  outcome: "POST /sandbox/outcomes input",
  issueDepositAddress: 'POST /sandbox/deposit-addresses/:id {"outcome":"issued"}',
  issueWalletCredential: 'POST /sandbox/credentials/:id {"outcome":"issued"}',
  screenBeneficiary: "POST /sandbox/beneficiaries/:id input",
  verification: "POST /sandbox/verifications/:kycId input",
  provider: "POST /sandbox/provider input",
  behaviour: "GET /sandbox/provider",
  settle: "POST /sandbox/settle",
  now: "GET /sandbox/clock",
  advance: "POST /sandbox/clock/advance input"
} as const

export const merchants = {
  create: "POST /operator/v1/merchants input",
  list: "LIST /operator/v1/merchants dated",
  get: "GET /operator/v1/merchants/:id",
  update: "PATCH /operator/v1/merchants/:id input",
  apiKeys: {
    create: "POST /operator/v1/merchants/:id/api-keys input",
    list: "LIST /operator/v1/merchants/:id/api-keys dated",
    revoke: "POST /operator/v1/merchants/:id/api-keys/:keyId/revoke input"
  }
} as const

export const operator = {
  accessRequests: {
    list: "LIST /operator/v1/access-requests dated",
    review: "POST /operator/v1/access-requests/:id/review input",
    revoke: "POST /operator/v1/access-requests/:id/revoke input"
  },
  verifications: {
    list: "LIST /operator/v1/verifications dated",
    review: "POST /operator/v1/verifications/:id/review input"
  },
  wallets: { list: "LIST /operator/v1/merchants/:id/wallets dated" },
  walletCredentials: {
    freeze: "POST /operator/v1/credentials/:id/freeze input",
    unfreeze: "POST /operator/v1/credentials/:id/unfreeze input",
    forward: "POST /operator/v1/credentials/:id/forward input",
    disable: "POST /operator/v1/credentials/:id/disable input"
  },
  depositAddresses: {
    freeze: "POST /operator/v1/deposit-addresses/:id/freeze input",
    unfreeze: "POST /operator/v1/deposit-addresses/:id/unfreeze input"
  },
  batches: {
    get: "GET /operator/v1/batches/:id",
    rows: "LIST /operator/v1/batches/:id/rows input",
    summary: "GET /operator/v1/batches/:id/summary"
  },
  webhooks: {
    list: "LIST /operator/v1/webhook-endpoints dated",
    get: "GET /operator/v1/webhook-endpoints/:id",
    health: "GET /operator/v1/webhook-endpoints/:id/health",
    replayFailed: "POST /operator/v1/webhook-endpoints/:id/replay-failed input",
    deliveries: "LIST /operator/v1/webhook-endpoints/:id/deliveries dated"
  },
  deposits: {
    held: "LIST /operator/v1/deposits dated",
    release: "POST /operator/v1/deposits/:id/release input",
    reject: "POST /operator/v1/deposits/:id/reject input"
  },
  exceptions: { list: "LIST /operator/v1/exceptions dated", resolve: "POST /operator/v1/exceptions/:id/resolve input" },
  brakes: {
    create: "POST /operator/v1/brakes input",
    list: "LIST /operator/v1/brakes dated",
    release: "POST /operator/v1/brakes/:id/release input"
  },
  rates: { list: "LIST /operator/v1/rates input", accept: "POST /operator/v1/rates/:currency/accept input" },
  feeSchedules: {
    create: "POST /operator/v1/fee-schedules input",
    list: "LIST /operator/v1/fee-schedules dated",
    get: "GET /operator/v1/fee-schedules/:id",
    end: "PATCH /operator/v1/fee-schedules/:id input"
  },
  limits: {
    create: "POST /operator/v1/limits input",
    list: "LIST /operator/v1/limits dated",
    get: "GET /operator/v1/limits/:id",
    update: "PATCH /operator/v1/limits/:id input"
  },
  externalAccounts: {
    create: "POST /operator/v1/external-accounts input",
    list: "LIST /operator/v1/external-accounts dated",
    get: "GET /operator/v1/external-accounts/:id",
    update: "PATCH /operator/v1/external-accounts/:id input"
  },
  adjustingEntries: {
    create: "POST /operator/v1/adjusting-entries input",
    list: "LIST /operator/v1/adjusting-entries dated",
    get: "GET /operator/v1/adjusting-entries/:id",
    reverse: "POST /operator/v1/adjusting-entries/:id/reverse input"
  },
  statementMappings: {
    create: "POST /operator/v1/statement-mappings input",
    preview: "POST /operator/v1/statement-mappings/preview input",
    list: "LIST /operator/v1/statement-mappings dated",
    get: "GET /operator/v1/statement-mappings/:id"
  },
  statements: {
    take: "POST /operator/v1/statements file",
    list: "LIST /operator/v1/statements dated",
    get: "GET /operator/v1/statements/:id"
  },
  statementLines: { list: "LIST /operator/v1/statement-lines dated", get: "GET /operator/v1/statement-lines/:id" },
  breaks: {
    list: "LIST /operator/v1/breaks dated",
    resolveAll: "POST /operator/v1/breaks/resolve file",
    get: "GET /operator/v1/breaks/:id",
    resolve: "POST /operator/v1/breaks/:id/resolve input"
  },
  closings: {
    create: "POST /operator/v1/closings input",
    list: "LIST /operator/v1/closings dated",
    get: "GET /operator/v1/closings/:id"
  },
  reconciliation: { list: "LIST /operator/v1/reconciliation input" },
  approvalRules: {
    create: "POST /operator/v1/approval-rules input",
    list: "LIST /operator/v1/approval-rules dated",
    get: "GET /operator/v1/approval-rules/:id",
    update: "PATCH /operator/v1/approval-rules/:id input",
    end: "DELETE /operator/v1/approval-rules/:id input"
  },
  approvals: {
    list: "LIST /operator/v1/approvals dated",
    get: "GET /operator/v1/approvals/:id",
    approve: "POST /operator/v1/approvals/:id/approve input",
    decline: "POST /operator/v1/approvals/:id/decline input"
  },
  me: "GET /operator/v1/me",
  operators: {
    create: "POST /operator/v1/operators input",
    list: "LIST /operator/v1/operators dated",
    get: "GET /operator/v1/operators/:id",
    update: "PATCH /operator/v1/operators/:id input",
    rotateToken: "POST /operator/v1/operators/:id/rotate-token input",
    revoke: "POST /operator/v1/operators/:id/revoke input"
  },
  search: "LIST /operator/v1/search input",
  stats: "GET /operator/v1/stats input",
  movements: { list: "LIST /operator/v1/movements dated", totals: "GET /operator/v1/movements/totals input" },
  customers: { list: "LIST /operator/v1/customers dated" },
  ledger: {
    accounts: "LIST /operator/v1/ledger/accounts input",
    trialBalance: "GET /operator/v1/ledger/trial-balance input",
    entries: "LIST /operator/v1/ledger/accounts/:account/entries input"
  },
  audit: "LIST /operator/v1/audit dated",
  providers: {
    list: "LIST /operator/v1/providers input",
    routes: "LIST /operator/v1/routes input",
    balances: "GET /operator/v1/providers/:provider/balances",
    statement: "GET /operator/v1/providers/:provider/statement input"
  },
  history: "GET /operator/v1/resources/:id/history",
  stuck: "LIST /operator/v1/stuck input",
  resources: { get: "GET /operator/v1/resources/:id", timeline: "GET /operator/v1/resources/:id/timeline" }
} as const
