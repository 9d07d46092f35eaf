/**
 * What the API shows of each kind of row, and the schema of it: `RefundBody` and `refundBody` of the representation `refund.ts`. A kind
 * whose names differ, or whose body needs more than the row, is written here.
 */
import { basename, join } from "node:path"
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
import { ApiKeyBody, apiKeyBody } from "../../../src/engine/representations/access/merchant.ts"
import { DepositEventObject, depositEvent } from "../../../src/engine/representations/deposits/deposit.ts"
import { QuoteBody, quoteBody } from "../../../src/engine/representations/movements/quote.ts"
import { VerificationBody, verificationBody } from "../../../src/engine/representations/parties/verification.ts"
import { BankStatementBody, bankStatementBody } from "../../../src/engine/representations/reconciliation/statement.ts"
import {
  BankStatementLineBody,
  bankStatementLineBody
} from "../../../src/engine/representations/reconciliation/statement-line.ts"
import { DepositAddressBody, depositAddressBody } from "../../../src/engine/representations/wallets/deposit-address.ts"
import {
  FundedCredentialBody,
  credentialInEvents,
  WalletCredentialBody,
  walletCredentialBody
} from "../../../src/engine/representations/wallets/wallet-credential.ts"
import { ExceptionBody, exceptionBody } from "../../../src/engine/resources/deposits/exceptions.ts"
import { kinds } from "../../../src/engine/registry.ts"
import { filesIn, root } from "../repository/source.ts"
import { T0 } from "./specimens.ts"

type Shown = ReadonlyArray<readonly [Schema.Top, unknown]>

const wallet = { id: "wal_1", currency: "USDC", label: null }
/** The snapshots of offramps have a recipient that is no bank account. */
const withBeneficiary = ({ beneficiary, ...data }: { readonly beneficiary?: object }): object => ({
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
    data: kind.kind === "offramp" ? withBeneficiary(data) : data,
    created_at: T0,
    updated_at: T0 + 1000
  }) as never

/**
 * Records that no body shows; and kinds whose snapshots have the members of no row, because their machines read none: nothing is
 * stored inside them, and the types hold their bodies.
 */
export const unshown: ReadonlyArray<string> = [
  "accepted_rate",
  "access_grant",
  "batch_part",
  "brake",
  "customer",
  "deposit_total",
  "matching",
  "sender",
  "statement_chunk",
  "statement_file",
  "statement_roster",
  "wallet",
  "webhook_roster"
]

type Rendering = (row: Row<any>) => Shown

const camelOf = (kind: string): string => kind.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const files = filesIn("src/engine/representations", ".ts")

const findRenderings = async (kind: string): Promise<ReadonlyArray<readonly [string, Rendering]>> => {
  const file = files.find((path) => basename(path) === `${kind.replaceAll("_", "-")}.ts`)
  if (file === undefined || unshown.includes(kind)) return []
  const name = `${camelOf(kind)}Body`
  const { [name]: body, [name.charAt(0).toUpperCase() + name.slice(1)]: schema } = await import(join(root, file))
  return body === undefined || schema === undefined ? [] : [[kind, (row) => [[schema, body(row)]]]]
}

export const renderings: Readonly<Record<string, Rendering>> = {
  ...Object.fromEntries((await Promise.all([...kinds.byName.keys()].map(findRenderings))).flat()),
  api_key: (row) => [[ApiKeyBody, apiKeyBody(row)]],
  deposit: (row) => [[DepositEventObject, depositEvent(row)]],
  deposit_address: (row) => [[DepositAddressBody, depositAddressBody(row, wallet)]],
  exception: (row) => [[ExceptionBody, exceptionBody(row, [])]],
  statement: (row) => [[BankStatementBody, bankStatementBody(row)]],
  statement_line: (row) => [[BankStatementLineBody, bankStatementLineBody(row)]],
  limit: (row) => [
    [LimitBody, limitBody(row)],
    [OwnLimitBody, ownLimitBody(row, unused)]
  ],
  quote: (row) => [[QuoteBody, quoteBody(row, T0)]],
  verification: (row) => [[VerificationBody, verificationBody(row, "tier_0", null, T0)]],
  wallet_credential: (row) => [
    [WalletCredentialBody, walletCredentialBody(row, wallet)],
    [FundedCredentialBody, credentialInEvents(row)]
  ]
}
