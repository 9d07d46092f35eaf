/** The rows of the store that a batch is: itself, and its parts, which have the rows of the batch. */
import {
  type BatchData,
  type BatchEvent,
  BatchPart,
  type BatchPartData,
  type BatchPartEvent,
  PayoutBatch
} from "../../../machines/movements/batch.ts"
import { endsApprovals } from "../../commit/approval.ts"
import type { RowAction } from "../../commit/row-act.ts"
import type { Kind, ResourceKind } from "../../commit/kind.ts"
import type { Row } from "../../ports/Storage.ts"

/** The confirmation of a batch as an act. */
export const batchAct = ({ data: { sums } }: Pick<Row<BatchData>, "data">): RowAction => ({
  words: ["batch"],
  sums,
  field: "id"
})

export const BatchKind: ResourceKind<BatchData, BatchEvent> = {
  kind: "batch",
  prefix: "bat",
  lifecycle: PayoutBatch,
  controlledAction: (row) => (row.via === "confirm" ? batchAct(row) : undefined),
  // What waits is its confirmation.
  derivedWrites: endsApprovals((state) => state === "draft")
}

export const BatchPartKind: Kind<BatchPartData, BatchPartEvent> = { kind: "batch_part", lifecycle: BatchPart }

/**
 * The rows of a part, but for the last. A payment that ends in between repeats no more than the look at these. It stays: the parts of a
 * batch that is stored are found by it.
 */
export const partSize = 100

/** The part that has a row. Rows are counted from 1. */
export const partOf = (row: number): number => Math.floor((row - 1) / partSize)

export const partId = (batch: string, part: number): string => `${batch}.${part}`
