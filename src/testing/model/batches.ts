/** Batches: each row becomes one movement at most, and that which the row asks for (BATCH-4 to BATCH-6). */
import type { Change, RowWrite } from "../../engine/ports/Storage.ts"
import { parseMinorUnits } from "../program/amounts.ts"
import { minute } from "../program/program.ts"

type Data = Readonly<Record<string, any>>

/** How long after a batch was cancelled a process may go on with what it has begun. */
const begunMs = 3 * minute

interface Draft {
  readonly reference: string
  readonly rows: ReadonlyArray<Data>
}

/** The row of a batch that a Change pays. */
export interface PaidRow {
  readonly key: string
  readonly reference: string
  readonly sent: Data
}

export class ModelBatches {
  readonly #drafts = new Map<string, Draft>()
  /** By batch and row: its movement. */
  readonly #made = new Map<string, string>()
  readonly #confirmed = new Set<string>()
  /** When a batch was cancelled, on the service clock. */
  readonly #cancelled = new Map<string, number>()

  /** A batch was checked: the response names it. */
  drafted(id: string, { reference, rows }: Data): void {
    this.#drafts.set(id, { reference, rows })
  }

  /** A confirmation was acknowledged. */
  confirmed(id: string): void {
    this.#confirmed.add(id)
  }

  /** A batch was written. */
  moved({ id, state }: RowWrite, at: number): void {
    if (state === "cancelled" && !this.#cancelled.has(id)) this.#cancelled.set(id, at)
  }

  /** What a Change pays of a batch. `undefined`: nothing. */
  paidIn({ unique_keys }: Change): PaidRow | undefined {
    // The batch itself has the key of a row that was refused.
    const key = unique_keys.find(({ key, owner, scope }) => scope === "batch_row" && !key.startsWith(`${owner}/`))?.key
    const [batch = "", row] = key?.split("/") ?? []
    const draft = this.#drafts.get(batch)
    const sent = draft?.rows[Number(row) - 1]
    if (key === undefined || draft === undefined || sent === undefined) return undefined
    return { key, sent, reference: sent["reference"] ?? `${draft.reference}-${row}` }
  }

  /** How the movement of a row differs from it. */
  made({ key, reference, sent }: PaidRow, { created_at, data, id, kind }: RowWrite): string | undefined {
    const first = this.#made.get(key)
    if (first !== undefined) return `${id} pays row ${key}, which ${first} has paid already`
    this.#made.set(key, id)
    const cancelled = this.#cancelled.get(key.split("/")[0]!)
    if (cancelled !== undefined && created_at > cancelled + begunMs) return `${id} pays row ${key} of a cancelled batch`
    const m = data as Data
    const { amount, beneficiary_id, operation, source_amount, target_amount, wallet_id } = sent
    if (kind !== operation || m["wallet_id"] !== wallet_id || m["reference"] !== reference)
      return `${id} of row ${key} is a ${kind} of ${m["wallet_id"]} with the reference ${m["reference"]}`
    if (beneficiary_id !== undefined && m["beneficiary_id"] !== beneficiary_id)
      return `${id} of row ${key} pays ${m["beneficiary_id"]}`
    const [asked, has, currency] =
      amount !== undefined
        ? [amount, m["amount"], m["currency"]]
        : source_amount !== undefined
          ? [source_amount, m["source_amount"], m["source_currency"]]
          : [target_amount, m["quoted_received_amount"], m["destination_currency"]]
    return BigInt(has) === parseMinorUnits(asked, currency) ? undefined : `${id} of row ${key} is of ${has} ${currency}`
  }

  /** What is wrong at the end: each row has ended once, and what is said of it is true. */
  wrong(rows: ReadonlyMap<string, RowWrite>): ReadonlyArray<string> {
    const found: Array<string> = []
    const shown = new Set<string>()
    const approved = new Set(
      [...rows.values()]
        .filter(
          ({ data, kind, state }) => kind === "approval" && state === "approved" && (data as Data)["refusal"] === null
        )
        .map(({ data }) => (data as Data)["resource_id"])
    )
    for (const { data, id, kind, state } of rows.values()) {
      const batch = kind === "batch_part" ? rows.get(`batch ${id.split(".")[0]}`) : undefined
      if (
        kind === "batch" &&
        (state === "processing" || (state === "draft" && (this.#confirmed.has(id) || approved.has(id))))
      )
        found.push(`${id} is still ${state} at the end`)
      for (const { errors, failure, resource_id, row } of (batch === undefined
        ? []
        : (data as Data)["rows"]) as Array<Data>) {
        const key = `${batch!.id}/${row}`
        shown.add(key)
        if ((this.#made.get(key) ?? null) !== resource_id)
          found.push(`row ${key} shows ${resource_id}, but ${this.#made.get(key)} paid it`)
        const ends = [errors.length > 0, failure !== null, resource_id !== null].filter(Boolean).length
        if (batch!.state === "completed" ? ends !== 1 : ends > 1) found.push(`row ${key} has ended ${ends} times`)
      }
    }
    for (const [key, id] of this.#made) if (!shown.has(key)) found.push(`${id} pays ${key}, which is no row`)
    return found
  }
}
