/** What the statement of Solana keeps from one reading for the next. */
import { BoundedMap } from "../../../engine/ports/bounded-map.ts"
import type { SolanaTransaction } from "./rpc.ts"

/** What a statement has of a final transaction. */
export interface ReadTransaction extends Pick<SolanaTransaction, "slot" | "tokens"> {
  readonly at: number
  /** What it changed of the hot wallet. */
  readonly lamports: bigint
}

/** What a process keeps for the next reading, and may lose: it then reads more, and waits longer. */
export interface StatementReadings {
  /** Final transactions, by signature and by how many accounts were watched. */
  readonly transactions: Map<string, ReadTransaction>
  /** The slot at which a page was first read without all of its lines, by its cursor. */
  readonly unreached: Map<string, number>
}

export const newStatementReadings = (): StatementReadings => ({
  transactions: new BoundedMap(20_000),
  unreached: new BoundedMap(100)
})
