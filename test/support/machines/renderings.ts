/** What the API shows of each kind of row, and the schema of it. */
import {
  LimitBody,
  limitBody,
  OwnLimitBody,
  ownLimitBody,
  unused
} from "../../../src/engine/representations/controls/limit.ts"
import type { Schema } from "effect"
import type { Kind } from "../../../src/engine/commit/kind.ts"
import type { Row } from "../../../src/engine/ports/Storage.ts"
import { AccessRequestBody, accessRequestBody } from "../../../src/engine/representations/access/access-request.ts"
import { AuditEntryBody, auditEntryBody } from "../../../src/engine/representations/access/audit-entry.ts"
import {
  ApiKeyBody,
  apiKeyBody,
  MerchantBody,
  merchantBody
} from "../../../src/engine/representations/access/merchant.ts"
import { OperatorBody, operatorBody } from "../../../src/engine/representations/access/operator.ts"
import { ApprovalBody, approvalBody } from "../../../src/engine/representations/controls/approval.ts"
import { ApprovalRuleBody, approvalRuleBody } from "../../../src/engine/representations/controls/approval-rule.ts"
import { DepositEventObject, depositEvent } from "../../../src/engine/representations/deposits/deposit.ts"
import { ConversionBody, conversionBody } from "../../../src/engine/representations/movements/conversion.ts"
import { OfframpBody, offrampBody } from "../../../src/engine/representations/movements/offramp.ts"
import { OnrampBody, onrampBody } from "../../../src/engine/representations/movements/onramp.ts"
import { BatchBody, batchBody } from "../../../src/engine/representations/movements/batch.ts"
import { FeeScheduleBody, feeScheduleBody } from "../../../src/engine/representations/movements/fee-schedule.ts"
import { QuoteBody, quoteBody } from "../../../src/engine/representations/movements/quote.ts"
import { TransferBody, transferBody } from "../../../src/engine/representations/movements/transfer.ts"
import { BeneficiaryBody, beneficiaryBody } from "../../../src/engine/representations/parties/beneficiary.ts"
import { VerificationBody, verificationBody } from "../../../src/engine/representations/parties/verification.ts"
import { BreakBody, breakBody } from "../../../src/engine/representations/reconciliation/break.ts"
import {
  AdjustingEntryBody,
  adjustingEntryBody
} from "../../../src/engine/representations/reconciliation/adjusting-entry.ts"
import {
  ExternalAccountBody,
  externalAccountBody
} from "../../../src/engine/representations/reconciliation/external-account.ts"
import { ClosingBody, closingBody } from "../../../src/engine/representations/reconciliation/closing.ts"
import { BankStatementBody, bankStatementBody } from "../../../src/engine/representations/reconciliation/statement.ts"
import {
  BankStatementLineBody,
  bankStatementLineBody
} from "../../../src/engine/representations/reconciliation/statement-line.ts"
import {
  StatementMappingBody,
  statementMappingBody
} from "../../../src/engine/representations/reconciliation/statement-mapping.ts"
import { DepositAddressBody, depositAddressBody } from "../../../src/engine/representations/wallets/deposit-address.ts"
import {
  FundedCredentialBody,
  fundedCredential,
  WalletCredentialBody,
  walletCredentialBody
} from "../../../src/engine/representations/wallets/wallet-credential.ts"
import {
  WebhookEndpointBody,
  webhookEndpointBody
} from "../../../src/engine/representations/webhooks/webhook-endpoint.ts"
import { ExceptionBody, exceptionBody } from "../../../src/engine/resources/deposits/exceptions.ts"
import { T0 } from "./specimens.ts"

type Shown = ReadonlyArray<readonly [Schema.Top, unknown]>

const wallet = { id: "wal_1", currency: "USDC", label: null }
/** The snapshots of offramps have a recipient that is no bank account. */
const paidTo = ({ beneficiary, ...data }: { readonly beneficiary?: object }): object => ({
  ...data,
  beneficiary: {
    ...beneficiary,
    type: "fiat",
    details: {
      country_code: "NG",
      network: "bank",
      account_number: "0123456789",
      provider: { id: "prov_1", name: "Access Bank", code: "044" },
      account_name: null
    }
  }
})

/** A row with the data of a golden snapshot, as the store returns it. */
export const rowOf = (kind: Kind, version: string, state: string, data: object): Row<any> =>
  ({
    merchant_id: "mer_1",
    kind: kind.kind,
    id: `${"prefix" in kind ? String(kind.prefix) : kind.kind}_1`,
    version: 1,
    machine: version,
    state,
    status: kind.status?.(state, data) ?? state,
    customer_id: "cust_1",
    root_id: null,
    data: kind.kind === "offramp" ? paidTo(data) : data,
    created_at: T0,
    updated_at: T0 + 1000
  }) as never

export const renderings: Readonly<Record<string, (row: Row<any>) => Shown>> = {
  access_request: (row) => [[AccessRequestBody, accessRequestBody(row)]],
  api_key: (row) => [[ApiKeyBody, apiKeyBody(row)]],
  approval: (row) => [[ApprovalBody, approvalBody(row)]],
  approval_rule: (row) => [[ApprovalRuleBody, approvalRuleBody(row)]],
  audit_entry: (row) => [[AuditEntryBody, auditEntryBody(row)]],
  batch: (row) => [[BatchBody, batchBody(row)]],
  beneficiary: (row) => [[BeneficiaryBody, beneficiaryBody(row)]],
  conversion: (row) => [[ConversionBody, conversionBody(row)]],
  deposit: (row) => [[DepositEventObject, depositEvent(row)]],
  deposit_address: (row) => [[DepositAddressBody, depositAddressBody(row, wallet)]],
  exception: (row) => [[ExceptionBody, exceptionBody(row)]],
  break: (row) => [[BreakBody, breakBody(row)]],
  adjusting_entry: (row) => [[AdjustingEntryBody, adjustingEntryBody(row)]],
  external_account: (row) => [[ExternalAccountBody, externalAccountBody(row)]],
  statement: (row) => [[BankStatementBody, bankStatementBody(row)]],
  closing: (row) => [[ClosingBody, closingBody(row)]],
  statement_mapping: (row) => [[StatementMappingBody, statementMappingBody(row)]],
  statement_line: (row) => [[BankStatementLineBody, bankStatementLineBody(row)]],
  fee_schedule: (row) => [[FeeScheduleBody, feeScheduleBody(row)]],
  limit: (row) => [
    [LimitBody, limitBody(row)],
    [OwnLimitBody, ownLimitBody(row, unused)]
  ],
  merchant: (row) => [[MerchantBody, merchantBody(row)]],
  offramp: (row) => [[OfframpBody, offrampBody(row)]],
  onramp: (row) => [[OnrampBody, onrampBody(row)]],
  operator: (row) => [[OperatorBody, operatorBody(row)]],
  quote: (row) => [[QuoteBody, quoteBody(row, T0)]],
  transfer: (row) => [[TransferBody, transferBody(row)]],
  verification: (row) => [[VerificationBody, verificationBody(row, "tier_0", null, T0)]],
  wallet_credential: (row) => [
    [WalletCredentialBody, walletCredentialBody(row, wallet)],
    [FundedCredentialBody, fundedCredential(row)]
  ],
  webhook_endpoint: (row) => [[WebhookEndpointBody, webhookEndpointBody(row)]]
}
