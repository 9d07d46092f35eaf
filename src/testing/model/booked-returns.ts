/** What must be booked of returns in parts: each part once, however often it is stated, and nothing else (OUTCOME-8). */
import type { ProviderEvent, RefundReport } from "../../engine/ports/Provider.ts"
import type { Change, RowWrite } from "../../engine/ports/Storage.ts"
import { parseMinorUnits } from "../program/amounts.ts"
import type { Data } from "./orders.ts"
import { findReturnKey } from "../world/returns-in-parts.ts"

interface Books {
  readonly rows: ReadonlyMap<string, RowWrite>
  /** What a resource has posted to suspense and losses, by class and currency. */
  readonly aside: (resource_id: string) => ReadonlyMap<string, bigint>
}

interface Return {
  /** The exception that has what the first report did not bring. */
  readonly exception: string
  readonly currency: string
  readonly missing: bigint
  readonly first: ReadonlySet<string>
  readonly later: Map<string, bigint>
  /** What had come has gone back to the provider: no part can be booked on it. */
  isBounced: boolean
}

export class Returned {
  readonly #ledger: Books
  readonly #returns = new Map<string, Return>()

  constructor(ledger: Books) {
    this.#ledger = ledger
  }

  /** An event of a provider was handled. */
  handled(event: ProviderEvent, sender: string, { rows }: Change): void {
    if (event._tag !== "movement" && event._tag !== "refund") return
    const bounced = rows.some(({ data, from }) => from === null && (data as Data)["reason"] === "refund_bounced")
    const back = bounced
      ? this.#returns.get(findReturnKey({ ...event, outcome: "success" } as RefundReport) ?? "")
      : undefined
    if (back !== undefined) back.isBounced = true
    const about = findReturnKey(event)
    if (about === undefined || !event.parts) return
    const raised = rows.find(
      ({ data, from, kind }) =>
        kind === "exception" &&
        from === null &&
        (data as Data)["rest"] &&
        (data as Data)["resource_id"] === event.resource_id
    )
    const known = this.#returns.get(about)
    if (known === undefined && raised !== undefined) {
      const { missing, currency } = (raised.data as Data)["rest"]
      const first = new Set(event.parts.map(({ id }) => id))
      this.#returns.set(about, {
        exception: raised.id,
        currency,
        missing: BigInt(missing),
        first,
        later: new Map(),
        isBounced: false
      })
    }
    const { provider } = (this.#ledger.rows.get(`exception ${known?.exception}`)?.data ?? {}) as Data
    if (known === undefined || known.isBounced || provider !== sender) return
    for (const { amount, id } of event.parts)
      if (!known.first.has(id)) known.later.set(id, parseMinorUnits(amount, known.currency) ?? 0n)
  }

  /** How what was booked differs from what came. */
  wrong(): ReadonlyArray<string> {
    return [...this.#returns].flatMap(([about, { currency, exception, later, missing }]) => {
      const { rest } = (this.#ledger.rows.get(`exception ${exception}`)?.data ?? {}) as Data
      const came = [...later.values()].reduce((sum, part) => sum + part, 0n)
      const lost = this.#ledger.aside(exception).get(`losses ${currency}`) ?? 0n
      return [
        ...(BigInt(rest.missing) === missing - came
          ? []
          : [`${about}: ${exception} misses ${rest.missing} ${currency}, not ${missing - came}`]),
        ...(rest.way !== "losses" || lost === came
          ? []
          : [`${about}: ${lost} ${currency} of the loss came, not ${came}`])
      ]
    })
  }
}
