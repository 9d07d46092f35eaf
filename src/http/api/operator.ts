import { Schema } from "effect"
import { DepositAddressBody } from "../../engine/representations/deposit-address.ts"
import {
  EntryBody,
  HeldDepositBody,
  HistoryBody,
  StuckBody,
  TrialBalanceBody
} from "../../engine/representations/operator.ts"
import { TransactionBody } from "../../engine/representations/transaction.ts"
import { WalletCredentialBody } from "../../engine/representations/wallet-credential.ts"
import { ExceptionBody, ListExceptions, ResolveException } from "../../engine/resources/exceptions.ts"
import { Id, IntegerParam, listing, Optional, paging, Text } from "../../engine/schemas.ts"
import { get, group, list, Nothing, post } from "./contract.ts"

const deposit = { id: Id("txn") }
const address = { id: Id("da") }
const credential = { id: Id("wcr") }

export const OperatorApi = group(
  "operator",
  "Operator",
  "What the operator of this service decides and looks into."
).add(
  list("listHeldDeposits", "/operator/v1/deposits", HeldDepositBody, {
    summary: "List deposits that wait for a decision",
    query: Schema.Struct({ status: Optional(Schema.Literals(["held"])), ...listing })
  }),
  post("releaseDeposit", "/operator/v1/deposits/:id/release", Nothing, TransactionBody, {
    summary: "Credit a held deposit",
    params: deposit,
    errors: ["invalid_status", "external_service_unavailable"]
  }),
  post("rejectDeposit", "/operator/v1/deposits/:id/reject", Schema.Struct({ reason: Text(255) }), TransactionBody, {
    summary: "Send a held deposit back",
    description: "It fails once the provider has taken the refund.",
    params: deposit,
    errors: ["invalid_status"],
    examples: { reject: { reason: "sender could not be verified" } }
  }),
  post("freezeDepositAddress", "/operator/v1/deposit-addresses/:id/freeze", Nothing, DepositAddressBody, {
    summary: "Freeze a deposit address",
    params: address,
    errors: ["invalid_status"]
  }),
  post("unfreezeDepositAddress", "/operator/v1/deposit-addresses/:id/unfreeze", Nothing, DepositAddressBody, {
    summary: "Unfreeze a deposit address",
    params: address,
    errors: ["invalid_status"]
  }),
  post("freezeWalletCredential", "/operator/v1/credentials/:id/freeze", Nothing, WalletCredentialBody, {
    summary: "Freeze a wallet credential",
    description: "What arrives is held until it is looked at.",
    params: credential,
    errors: ["invalid_status"]
  }),
  post("unfreezeWalletCredential", "/operator/v1/credentials/:id/unfreeze", Nothing, WalletCredentialBody, {
    summary: "Unfreeze a wallet credential",
    params: credential,
    errors: ["invalid_status"]
  }),
  post("forwardWalletCredential", "/operator/v1/credentials/:id/forward", Nothing, TransactionBody, {
    summary: "Convert what stands on a wallet credential and credit its wallet",
    description: "The whole balance, at this moment's rate and fee: for money whose conversion failed or was returned.",
    params: credential,
    errors: ["invalid_status", "ledger_insufficient_funds", "external_service_unavailable"]
  }),
  post("disableWalletCredential", "/operator/v1/credentials/:id/disable", Nothing, WalletCredentialBody, {
    summary: "Disable a wallet credential for good",
    description: "What arrives later is held.",
    params: credential,
    errors: ["invalid_status"]
  }),
  list("listExceptions", "/operator/v1/exceptions", ExceptionBody, {
    summary: "List what the provider said that fits no resource",
    query: ListExceptions
  }),
  post("resolveException", "/operator/v1/exceptions/:id/resolve", ResolveException, ExceptionBody, {
    summary: "Resolve an exception",
    params: { id: Id("exc") },
    errors: ["invalid_status"],
    examples: { credit: { action: "credit", note: "confirmed with the bank" } }
  }),
  get("getTrialBalance", "/operator/v1/ledger/trial-balance", TrialBalanceBody, { summary: "Show the trial balance" }),
  list("listEntries", "/operator/v1/ledger/accounts/:account/entries", EntryBody, {
    summary: "List the entries of an account",
    params: { account: Schema.String },
    query: Schema.Struct(paging)
  }),
  get("getHistory", "/operator/v1/resources/:id/history", HistoryBody, {
    summary: "Show every transition of a resource, with the postings and events it made",
    params: { id: Schema.String }
  }),
  list("listStuck", "/operator/v1/stuck", StuckBody, {
    summary: "List resources that have not ended and that nothing is due for",
    query: Schema.Struct({ older_than_seconds: Optional(IntegerParam(0, 315_360_000)), ...paging })
  })
)
