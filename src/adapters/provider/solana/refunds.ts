/** Refunds: a pay-in goes back to the owner of the account that it came from. */
import type { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandStatus, RefundCommand, SubmissionResult } from "../../../engine/ports/Provider.ts"
import { readData } from "../chain/books.ts"
import * as chain from "../chain/refunds.ts"
import { makeRecipients } from "./destination.ts"
import type { SolanaContext, TokenMint } from "./config.ts"
import { toIndexKeys, isOpen, type SeenPayin, type SolanaOutgoing } from "./entries.ts"
import { findOutcome, executeOrder, lookUpCommand, outgoingKey, rejectTransfer, findSubmission } from "./outgoing.ts"
import { payinKey, readPayin, stageOf } from "./payins.ts"

const toAbout = ({ id, merchant_id, resource_id }: RefundCommand) =>
  ({ purpose: "refund", command_id: id, merchant_id, resource_id }) as const

const makeRefundingChain = (context: SolanaContext): chain.RefundingChain<TokenMint> => ({
  ...context,
  recipients: makeRecipients(context),
  readPayin: (payin_id) => readPayin(context, payin_id),
  payinKey: (payin_id) => payinKey(context, payin_id),
  commandKey: (command_id) => outgoingKey(context, command_id),
  payinOf: (row) => {
    const payin = readData<SeenPayin>(row)!
    return { ...payin, status: stageOf(payin), payer: payin.payer ?? null }
  },
  withRefunds: (row, refunds) => ({
    key: { merchant_id: row.merchant_id, kind: row.kind, id: row.id },
    data: { ...readData<SeenPayin>(row)!, ...refunds },
    index_keys: toIndexKeys(context.name, row.index_keys.includes(isOpen))
  }),
  endOf: (entry) => findOutcome(context, readData<SolanaOutgoing>(entry)!),
  submitted: (command_id) => findSubmission(context, command_id),
  pay: (command, { token, units }, payer, unsigned) => {
    const from = { ...context.hot, account: token.account }
    return executeOrder(context, { ...toAbout(command), token, amount: units, from, to: payer, memo: null }, unsigned)
  },
  reject: (command, reason, { entry }) => rejectTransfer(context, toAbout(command), entry, reason)
})

export const submitRefund = (
  context: SolanaContext,
  command: RefundCommand
): Effect.Effect<SubmissionResult, ProviderFault> => chain.executeRefund(makeRefundingChain(context), command)

export const lookUpRefund = (
  context: SolanaContext,
  command: RefundCommand
): Effect.Effect<CommandStatus, ProviderFault> => lookUpCommand(context, toAbout(command))
