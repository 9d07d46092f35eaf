/** Refunds: a pay-in goes back to the owner of the account that it came from. */
import type { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandStatus, RefundCommand, SubmissionResult } from "../../../engine/ports/Provider.ts"
import { dataOf } from "../chain/books.ts"
import * as chain from "../chain/refunds.ts"
import { recipientsOf } from "./destination.ts"
import type { SolanaContext, TokenMint } from "./config.ts"
import { indexKeys, isOpen, type SeenPayin, type SolanaOutgoing } from "./entries.ts"
import { findOutcome, executeOrder, lookup, outgoingKey, reject, findSubmission } from "./outgoing.ts"
import { payinKey, readPayin, stageOf } from "./payins.ts"

const aboutOf = ({ id, merchant_id, resource_id }: RefundCommand) =>
  ({ purpose: "refund", command_id: id, merchant_id, resource_id }) as const

const refundingChain = (context: SolanaContext): chain.RefundingChain<TokenMint> => ({
  ...context,
  recipients: recipientsOf(context),
  readPayin: (payin_id) => readPayin(context, payin_id),
  payinKey: (payin_id) => payinKey(context, payin_id),
  commandKey: (command_id) => outgoingKey(context, command_id),
  payinOf: (row) => {
    const payin = dataOf<SeenPayin>(row)!
    return { ...payin, status: stageOf(payin), payer: payin.payer ?? null }
  },
  withRefunds: (row, refunds) => ({
    key: { merchant_id: row.merchant_id, kind: row.kind, id: row.id },
    data: { ...dataOf<SeenPayin>(row)!, ...refunds },
    index_keys: indexKeys(context.name, row.index_keys.includes(isOpen))
  }),
  endOf: (entry) => findOutcome(context, dataOf<SolanaOutgoing>(entry)!),
  submitted: (command_id) => findSubmission(context, command_id),
  pay: (command, { token, units }, payer, unsigned) => {
    const from = { ...context.hot, account: token.account }
    return executeOrder(context, { ...aboutOf(command), token, amount: units, from, to: payer, memo: null }, unsigned)
  },
  reject: (command, reason, { entry }) => reject(context, aboutOf(command), entry, reason)
})

export const submitRefund = (
  context: SolanaContext,
  command: RefundCommand
): Effect.Effect<SubmissionResult, ProviderFault> => chain.refund(refundingChain(context), command)

export const lookupRefund = (
  context: SolanaContext,
  command: RefundCommand
): Effect.Effect<CommandStatus, ProviderFault> => lookup(context, aboutOf(command))
