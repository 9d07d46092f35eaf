/** Totals of the movements that the filters of their lists match, counted one by one (TRANSACTION-12). */
import { Context, Effect, Layer, Schema } from "effect"
import { splitAmount } from "../../machines/kernel/money.ts"
import type { Call } from "../commit/call.ts"
import { failureReasonOf, type Measured, outcomeOf } from "../commit/index-keys.ts"
import { Optional, Text } from "../input/schemas.ts"
import { invalid, type InvalidInput, type StorageFault } from "../ports/errors.ts"
import { providerOf } from "../ports/Provider.ts"
import { type Row, Storage } from "../ports/Storage.ts"
import { requireCurrency, displayAmount } from "../reference/currencies.ts"
import type { TotalBody, TotalsBody } from "../representations/movements/totals.ts"
import type { Transacted } from "../representations/movements/transaction.ts"
import { type MatchInput, type Looked, readMatchingMovements } from "./matching-movements.ts"
import { readMerchantNames } from "./names.ts"
import { ListMovements, OperatorLists } from "./operator-lists.ts"
import { ListTransactions, Transactions } from "./transaction.ts"

const parts = ["type", "status", "recipient", "failure_reason"] as const
const operatorParts = [...parts, "provider", "merchant"] as const
type Part = (typeof operatorParts)[number]

const makePartsParameter = (accepted: ReadonlyArray<Part>) =>
  Optional(
    Text(100),
    `What rows are separated by: one or more of ${accepted.join(", ")}, joined by commas. Default: one row.`,
    "recipient"
  )

const { page: _page, per_page: _perPage, ...own } = ListTransactions.fields
const { page: _allPage, per_page: _allPerPage, ...all } = ListMovements.fields

/** The filters of a list, without its pages. */
export const OwnTotals = Schema.Struct({ ...own, by: makePartsParameter(parts) })
export const AllTotals = Schema.Struct({ ...all, by: makePartsParameter(operatorParts) })

/** Parses the members by which rows are separated. Errors: `InvalidInput` for an unknown one, and for one that is given twice. */
const parseParts = (
  text: string | undefined,
  accepted: ReadonlyArray<Part>
): Effect.Effect<ReadonlyArray<Part>, InvalidInput> => {
  const given = text === undefined ? [] : text.split(",").map((one) => one.trim())
  const wrong = given.find((one, at) => !accepted.some((part) => part === one) || given.indexOf(one) < at)
  return wrong === undefined
    ? Effect.succeed(accepted.filter((part) => given.includes(part)))
    : Effect.fail(
        invalid(
          "by",
          `by has ${JSON.stringify(wrong)}. It takes each of ${accepted.join(", ")} once, joined by commas.`
        )
      )
}

type Named = Pick<
  TotalBody,
  "type" | "status" | "beneficiary_id" | "recipient" | "failure_reason" | "provider" | "merchant_id"
>

const membersOf: Readonly<Record<Part, (shown: Transacted, row: Row) => Named>> = {
  type: ({ type }) => ({ type }),
  status: ({ status }) => ({ status }),
  recipient: ({ beneficiary_id, recipient }) => ({ beneficiary_id, recipient }),
  failure_reason: (_, row) => ({ failure_reason: failureReasonOf(row) ?? null }),
  provider: (_, row) => ({ provider: providerOf(row) ?? null }),
  merchant: (_, { merchant_id }) => ({ merchant_id })
}

type SumName = "sent" | "received" | "fees"

/** Counts and sums of movements, which are added one by one. */
class RunningTotal {
  readonly named: Named
  count = 0
  succeeded = 0
  failed = 0
  readonly sums: Readonly<Record<SumName, Map<string, bigint>>> = {
    sent: new Map(),
    received: new Map(),
    fees: new Map()
  }

  constructor(named: Named) {
    this.named = named
  }

  /** Adds what statistics count, too. What is no movement has its fees alone. */
  add(shown: Transacted, measured: Measured): void {
    const outcome = outcomeOf(measured, shown.status)
    if (outcome === "succeeded")
      for (const { amount, currency } of shown.fee.line_items) this.show("fees", amount, currency)
    if (measured.is_counted === false) return
    this.count += 1
    if (outcome === "failed") this.failed += 1
    if (outcome !== "succeeded") return
    this.succeeded += 1
    this.sum("sent", BigInt(measured.amount), measured.source_currency)
    // What a deposit is converted into is received by its conversion.
    if (shown.received_amount !== null && measured.has_arrived !== true)
      this.show("received", shown.received_amount, shown.destination_currency)
  }

  show(name: SumName, amount: string, currency: string): void {
    this.sum(name, splitAmount(amount, requireCurrency(currency).ledger_scale)?.kept ?? 0n, currency)
  }

  sum(name: SumName, minor: bigint, currency: string): void {
    this.sums[name].set(currency, (this.sums[name].get(currency) ?? 0n) + minor)
  }

  get body(): TotalBody {
    const { count, failed, named, succeeded, sums } = this
    const amounts = (of: ReadonlyMap<string, bigint>) =>
      [...of]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([currency, minor]) => ({ currency, amount: displayAmount(minor, currency) }))
    return {
      ...named,
      count,
      succeeded,
      failed,
      open: count - succeeded - failed,
      sent: amounts(sums.sent),
      received: amounts(sums.received),
      fees: amounts(sums.fees)
    }
  }
}

export class MovementTotals extends Context.Service<MovementTotals>()("corridor/engine/MovementTotals", {
  make: Effect.gen(function* () {
    const [storage, transactions, lists] = yield* Effect.all([Storage, Transactions, OperatorLists])

    const totals = Effect.fnUntraced(function* (
      looked: Looked | undefined,
      input: MatchInput & { readonly by?: string },
      accepted: ReadonlyArray<Part>
    ): Effect.fn.Return<TotalsBody, InvalidInput | StorageFault> {
      const separated = yield* parseParts(input.by, accepted)
      const runningTotals = new Map<string, RunningTotal>()
      const totalOf = (named: Named): RunningTotal => {
        // Of a beneficiary that was renamed, the newest name stands.
        const key = JSON.stringify({ ...named, recipient: null })
        const found = runningTotals.get(key) ?? new RunningTotal(named)
        runningTotals.set(key, found)
        return found
      }
      if (separated.length === 0) totalOf({})
      if (looked !== undefined)
        yield* readMatchingMovements(storage, looked, input, (shown, row, kind) => {
          const measured = kind.statistics?.(row.data, row.state)
          if (measured !== undefined)
            totalOf(Object.assign({}, ...separated.map((part) => membersOf[part](shown, row)))).add(shown, measured)
          return false
        })
      const rows = [...runningTotals.values()].map(({ body }) => body).toSorted((a, b) => b.count - a.count)
      if (!separated.includes("merchant")) return { rows }
      const nameOf = yield* readMerchantNames(storage, rows as ReadonlyArray<{ readonly merchant_id: string }>)
      return { rows: rows.map((row) => ({ ...row, merchant_name: nameOf(row.merchant_id ?? "") })) }
    })

    return {
      /** The movements of the caller. Errors: `InvalidInput` for `by`, and as for {@link readMatchingMovements}. */
      own: (call: Call, input: typeof OwnTotals.Type) => {
        const { by: _by, ...filters } = input
        return totals(transactions.looked(call, filters), input, parts)
      },
      /** The movements of all merchants. Errors: as for `own`. */
      all: (input: typeof AllTotals.Type) => {
        const { by: _by, ...filters } = input
        return Effect.flatMap(lists.looked(filters), (looked) => totals(looked, input, operatorParts))
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(
    Layer.provide(Layer.mergeAll(Transactions.layer, OperatorLists.layer))
  )
}
