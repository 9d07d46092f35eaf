/**
 * All resources of the engine, and other groups of operations. A new resource is added to this list only: kinds,
 * services, operations and the vocabulary of `/v1` are derived from it.
 */
import { Layer } from "effect"
import { kindsOf } from "./commit/Kinds.ts"
import { accessRequest } from "./operations/access/access-request.ts"
import { apiKey } from "./operations/access/api-key.ts"
import { auditEntry } from "./operations/access/audit-entry.ts"
import { merchant } from "./operations/access/merchant.ts"
import { operator } from "./operations/access/operator.ts"
import { limit } from "./operations/controls/limit.ts"
import { approval } from "./operations/controls/approval.ts"
import { approvalRule } from "./operations/controls/approval-rule.ts"
import { deposit } from "./operations/deposits/deposit.ts"
import { exception } from "./operations/deposits/exception.ts"
import { brake } from "./operations/movements/brake.ts"
import { conversion } from "./operations/movements/conversion.ts"
import { batch } from "./operations/movements/batch.ts"
import { feeSchedule } from "./operations/movements/fee-schedule.ts"
import { offramp } from "./operations/movements/offramp.ts"
import { onramp } from "./operations/movements/onramp.ts"
import { quote } from "./operations/movements/quote.ts"
import { acceptedRate } from "./operations/movements/accepted-rate.ts"
import { transfer } from "./operations/movements/transfer.ts"
import { beneficiary } from "./operations/parties/beneficiary.ts"
import { customer } from "./operations/parties/customer.ts"
import { sender } from "./operations/parties/sender.ts"
import { verification } from "./operations/parties/verification.ts"
import { closing } from "./operations/reconciliation/closing.ts"
import { externalAccount } from "./operations/reconciliation/external-account.ts"
import { adjustingEntry } from "./operations/reconciliation/adjusting-entry.ts"
import { reconciliationBreak } from "./operations/reconciliation/break.ts"
import { statement } from "./operations/reconciliation/statement.ts"
import { statementLine } from "./operations/reconciliation/statement-line.ts"
import { statementMapping } from "./operations/reconciliation/statement-mapping.ts"
import { reference } from "./operations/reference/reference.ts"
import { ledgerReports } from "./operations/reports/ledger.ts"
import { operatorLists } from "./operations/reports/operator-lists.ts"
import { providerReports } from "./operations/reports/provider.ts"
import { search } from "./operations/reports/search.ts"
import { statistics } from "./operations/reports/statistics.ts"
import { timelines } from "./operations/reports/timeline.ts"
import { walletStatement } from "./operations/reports/wallet-statement.ts"
import { transaction } from "./operations/reports/transaction.ts"
import { sandbox } from "./operations/sandbox/sandbox.ts"
import { depositAddress } from "./operations/wallets/deposit-address.ts"
import { wallet } from "./operations/wallets/wallet.ts"
import { walletCredential } from "./operations/wallets/wallet-credential.ts"
import { event } from "./operations/webhooks/event.ts"
import { webhookEndpoint } from "./operations/webhooks/webhook-endpoint.ts"
import type { CoreServices } from "./operations/core.ts"
import type { Registration } from "./operations/registration.ts"

/** In the order of the API document. */
export const registry = [
  merchant,
  apiKey,
  reference,
  accessRequest,
  customer,
  verification,
  wallet,
  walletStatement,
  walletCredential,
  depositAddress,
  beneficiary,
  sender,
  quote,
  onramp,
  offramp,
  conversion,
  transfer,
  batch,
  transaction,
  webhookEndpoint,
  event,
  deposit,
  exception,
  brake,
  acceptedRate,
  feeSchedule,
  limit,
  externalAccount,
  adjustingEntry,
  statementMapping,
  statement,
  statementLine,
  reconciliationBreak,
  closing,
  approvalRule,
  approval,
  operator,
  search,
  statistics,
  operatorLists,
  auditEntry,
  providerReports,
  ledgerReports,
  timelines,
  sandbox
] as const satisfies ReadonlyArray<Registration>

export type Registered = (typeof registry)[number]

const registrations: ReadonlyArray<Registration> = registry

export const kinds = kindsOf(
  registrations.flatMap(({ kind }) => kind ?? []),
  registrations.flatMap(({ records }) => records ?? [])
)

/** The layers, each over those before it. */
const allOf = <L extends Layer.Layer<never, never, any>>(layers: ReadonlyArray<Layer.Layer<never, never, any>>) =>
  layers.reduce((before, layer) => Layer.provideMerge(layer, before)) as unknown as Layer.Layer<
    Layer.Success<L>,
    Layer.Error<L>,
    Exclude<Layer.Services<L>, Layer.Success<L>>
  >

type LayerOf<R> = R extends { readonly layer: infer L } ? L : never
type RegisteredLayer = LayerOf<Registered>

/**
 * The services of all registrations. Each may use the core's and those of the registrations before it. A service that nobody has is
 * an error of this declaration, which names it.
 */
export const services: Layer.Layer<Layer.Success<RegisteredLayer>, never, CoreServices> = allOf<RegisteredLayer>(
  registrations.flatMap(({ layer }) => layer ?? [])
)
