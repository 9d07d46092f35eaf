import { Schema } from "effect"
import { DepositAddressBody } from "../../engine/representations/wallets/deposit-address.ts"
import {
  EntryBody,
  HeldDepositBody,
  HistoryBody,
  StuckBody,
  TrialBalanceBody
} from "../../engine/representations/operator.ts"
import { TransactionBody } from "../../engine/representations/movements/transaction.ts"
import { WalletCredentialBody } from "../../engine/representations/wallets/wallet-credential.ts"
import { Noted, RejectDeposit } from "../../engine/resources/deposits/deposits.ts"
import { Stuck } from "../../engine/reports/books.ts"
import { ExceptionBody, ListExceptions, ResolveException } from "../../engine/resources/deposits/exceptions.ts"
import { Id, listing, Optional, paging } from "../../engine/input/schemas.ts"
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
  post("releaseDeposit", "/operator/v1/deposits/:id/release", Noted, TransactionBody, {
    summary: "Credit a held deposit",
    params: deposit,
    errors: ["invalid_status", "external_service_unavailable"]
  }),
  post("rejectDeposit", "/operator/v1/deposits/:id/reject", RejectDeposit, TransactionBody, {
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
  post("forwardWalletCredential", "/operator/v1/credentials/:id/forward", Noted, TransactionBody, {
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
    description: [
      "`credit`: the money becomes a deposit in the wallet named, or else in the one it was meant for. No limit holds it.",
      "A wallet of another merchant is credited a moment later.",
      "`refund`: it goes back to its payer.",
      "`apply`: what came too late is taken as if it had come in time. That is an approval after its link has lapsed, or a",
      "payment that was made before its onramp's deadline, at the locked rate.",
      "`dismiss`: no money came, or it was given back outside of this service. Nothing of it stays in suspense."
    ].join(" "),
    params: { id: Id("exc") },
    errors: ["invalid_status", "external_service_unavailable"],
    examples: {
      credit: { action: "credit", wallet_id: "wal_01hxyz0000000000000000000", note: "confirmed with the bank" },
      dismiss: { action: "dismiss", note: "the bank sent it back by hand" }
    }
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
    summary: "List resources that are not at their end and have made no progress, oldest first",
    query: Stuck
  })
)
