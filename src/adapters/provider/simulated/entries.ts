/** How the books store their entries: keys, row data and index keys. */
import type { IssueCommand, RefundCommand } from "../../../engine/ports/Provider.ts"
import type { Behaviour } from "../../../engine/ports/Sandbox.ts"
import type { Row } from "../../../engine/ports/Storage.ts"
import type { EntryWrite } from "../books.ts"
import type { EntryKey } from "./books.ts"
import { countExecutions, type SimulatedInstruction, type MovementCommand } from "./instruction.ts"
import type { SimulatedPayin, SimulatedRefund } from "./refund.ts"

export const instructionKind = "simulated_instruction"
export const refundKind = "simulated_refund"
/** Index key of instructions that were paid out. */
export const executedIndexKey = "executed=true"
export const resourceIndexKey = (resource_id: string): string => `resource_id=${resource_id}`

export const behaviourKey = (merchant_id: string): EntryKey => ({
  merchant_id,
  kind: "simulated_behaviour",
  id: merchant_id
})
export const payinKey = (merchant_id: string, id: string): EntryKey => ({ merchant_id, kind: "simulated_payin", id })

type Named<Command extends { readonly id: string; readonly merchant_id: string }> = Pick<Command, "id" | "merchant_id">

export const instructionKey = ({ merchant_id, id }: Named<MovementCommand>): EntryKey => ({
  merchant_id,
  kind: instructionKind,
  id
})
export const issueKey = ({ merchant_id, id }: Named<IssueCommand>): EntryKey => ({
  merchant_id,
  kind: "simulated_issue",
  id
})
export const refundKey = ({ merchant_id, id }: Named<RefundCommand>): EntryKey => ({
  merchant_id,
  kind: refundKind,
  id
})

/** Reads a merchant's behaviour. Without an entry, its submissions are accepted and its refunds settled. */
export const readBehaviour = (row: Row | undefined): Behaviour => ({
  submissions: "accept",
  refunds: "settle",
  ...(row?.data as Partial<Behaviour> | undefined)
})

export const readInstruction = (row: Row | undefined): SimulatedInstruction | undefined =>
  row?.data as SimulatedInstruction | undefined
export const readPayin = (row: Row | undefined): SimulatedPayin | undefined => row?.data as SimulatedPayin | undefined
export const readRefund = (row: Row | undefined): SimulatedRefund | undefined =>
  row?.data as SimulatedRefund | undefined

export const makeInstructionEntry = (merchant_id: string, data: SimulatedInstruction): EntryWrite<EntryKey> => ({
  key: instructionKey({ merchant_id, id: data.command_id }),
  data,
  index_keys: [resourceIndexKey(data.resource_id), ...(countExecutions(data) > 0 ? [executedIndexKey] : [])]
})

export const makeRefundEntry = (merchant_id: string, id: string, data: SimulatedRefund): EntryWrite<EntryKey> => ({
  key: refundKey({ merchant_id, id }),
  data,
  index_keys: data.resource_id === undefined ? [] : [resourceIndexKey(data.resource_id)]
})
