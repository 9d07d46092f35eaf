/** The connector's own account statement: from outside, how often a command was executed is seen nowhere else. */
import type { JsonMembers } from "./exchange.ts"

export interface ReadLine {
  readonly id: string
  readonly booked_at: string
  readonly direction: "credit" | "debit"
  readonly amount: string
  readonly currency: string
  readonly command_id: string | null
  readonly payin_id: string | null
}

export interface Balance {
  readonly currency: string
  readonly network: string | null
  readonly available: string
  readonly pending: string
}

/** The most pages of one reading: a connector that never ends its list must not keep the kit. */
export const PAGES_MAX = 400

/**
 * Reads a list from a cursor to its end, page by page. `read` gets the cursor; `of` the items of a page. A page without
 * items ends the list.
 */
export const pages = async <A>(
  after: string | null,
  read: (after: string | null) => Promise<JsonMembers>,
  of: string
): Promise<{ readonly items: ReadonlyArray<A>; readonly cursor: string | null }> => {
  const items: Array<A> = []
  let cursor = after
  for (let page = 0; page < PAGES_MAX; page++) {
    const result = await read(cursor)
    const found = result[of] as ReadonlyArray<A>
    const next = (result["cursor"] ?? null) as string | null
    items.push(...found)
    if (found.length === 0 || next === null || next === cursor) return { items, cursor: next ?? cursor }
    cursor = next
  }
  return { items, cursor }
}

/** Keeps what was read, and reads on from its end. Readers wait for one another. */
export class StatementReader {
  readonly #read: (after: string | null) => Promise<JsonMembers>
  readonly #lines = new Map<string, ReadLine>()
  #cursor: string | null = null
  #turn: Promise<unknown> = Promise.resolve()

  constructor(read: (after: string | null) => Promise<JsonMembers>) {
    this.#read = read
  }

  /** All lines until now, oldest first. */
  lines(): Promise<ReadonlyArray<ReadLine>> {
    const reading = this.#turn.then(async () => {
      const { items, cursor } = await pages<ReadLine>(this.#cursor, this.#read, "lines")
      for (const line of items) this.#lines.set(line.id, line)
      this.#cursor = cursor
      return [...this.#lines.values()]
    })
    this.#turn = reading.catch(() => undefined)
    return reading
  }

  async linesOf(command_id: string): Promise<ReadonlyArray<ReadLine>> {
    return (await this.lines()).filter((line) => line.command_id === command_id)
  }
}
