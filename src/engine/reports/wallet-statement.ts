/** Statements of wallets, from their postings (STATEMENT-11). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { bindFirst } from "../../machines/kernel/bound.ts"
import { isGuarded, ownerOf } from "../../machines/kernel/ledger.ts"
import { FileResponse } from "../calls/operation.ts"
import type { Call } from "../commit/call.ts"
import { Kinds } from "../commit/kind.ts"
import { UnitOfWork } from "../commit/UnitOfWork.ts"
import { CalendarDate, describe, Optional } from "../input/schemas.ts"
import { invalid, makeRangeError } from "../ports/errors.ts"
import { type Row, Storage, type StoredPosting } from "../ports/Storage.ts"
import { iso } from "../ports/Time.ts"
import { displayAmount } from "../reference/currencies.ts"
import {
  formatStatementCamt053,
  formatStatementCsv,
  type WalletStatementBody,
  type WalletStatementLineBody
} from "../representations/wallets/wallet-statement.ts"
import { runInSteps } from "../resources/reconciliation/statement-reader.ts"
import { WalletKind } from "../resources/wallets/wallet.ts"

const day = 86_400_000
const daysMax = 366

/** The most postings of a statement. */
const linesMax = 100_000

export const WalletStatementQuery = Schema.Struct({
  from: describe(CalendarDate, "The first day, of UTC.", "2026-01-01"),
  to: describe(CalendarDate, "The last day, of UTC: at most 366 days from the first on.", "2026-01-31"),
  format: Optional(
    Schema.Literals(["json", "csv", "camt053"]),
    "`csv` and `camt053` answer the file instead of the envelope. `camt053` takes wallets of currencies with three letters. Default: `json`."
  )
})
export type WalletStatementQuery = typeof WalletStatementQuery.Type

const makeDeps = Effect.all({ storage: Storage, kinds: Kinds, unitOfWork: UnitOfWork })
type Deps = Effect.Success<typeof makeDeps>

/** What one transition changed: its postings of the wallet, as one line. */
interface Moved {
  readonly at: number
  readonly resource_id: string
  readonly net: bigint
}

/** Sums the postings of a wallet by the transition that made them, in order. */
const sumMovements = (postings: ReadonlyArray<StoredPosting>, wallet_id: string): ReadonlyArray<Moved> => {
  const moved: Array<Moved & { readonly key: string }> = []
  for (const { amount, at, credit, resource_id, version } of postings) {
    const key = `${resource_id}/${version}`
    const isCredit = isGuarded(credit) && ownerOf(credit) === wallet_id
    const net = isCredit ? BigInt(amount) : -BigInt(amount)
    const last = moved.at(-1)
    if (last?.key === key && last.at === at) moved.splice(-1, 1, { ...last, net: last.net + net })
    else moved.push({ key, at, resource_id, net })
  }
  return moved.filter(({ net }) => net !== 0n)
}

/** Where the kinds of movements keep their rate, and a forward its own. */
interface Rated {
  readonly rate?: string | null
  readonly terms?: { readonly rate?: string | null } | null
  readonly exchange?: { readonly price: { readonly rate: string } | null }
}

const ratedKinds: ReadonlySet<string> = new Set(["onramp", "offramp", "conversion", "deposit"])

/** Rows are read so many at once. */
const rowsAtOnce = 200

const readMovementRows = Effect.fnUntraced(function* (
  { kinds, storage }: Deps,
  merchant_id: string,
  ids: ReadonlyArray<string>
) {
  const keys = ids.flatMap((id) => {
    const kind = kinds.ofId(id)?.kind
    return kind === undefined ? [] : [{ merchant_id, kind, id }]
  })
  const rows = new Map<string, Row>()
  for (let from = 0; from < keys.length; from += rowsAtOnce)
    for (const row of yield* storage.get(keys.slice(from, from + rowsAtOnce))) rows.set(row.id, row)
  return rows
})

type About = Pick<WalletStatementLineBody, "type" | "reference" | "fees" | "rate">

/** Statuses of movements that exchanged nothing in the end: the books have no fee of them. */
const isUndone: ReadonlySet<string> = new Set(["failed", "returned"])

/**
 * The members of a line that describe its resource. A line that returns money, and the line whose money came back, have no fees and no
 * rate: the fees of a statement add up to what was charged.
 */
const describeMovement = ({ kinds }: Deps, row: Row | undefined, id: string, wallet_id: string, net: bigint): About => {
  const kind = row?.kind ?? kinds.ofId(id)?.kind ?? "adjustment"
  const shown = row === undefined ? undefined : kinds.byName.get(kind)?.transaction?.(row)
  if (row === undefined || shown === undefined) return { type: kind, reference: null, fees: [], rate: null }
  const stands = !isUndone.has(shown.status) && (net < 0n ? shown.from_wallet_id : shown.to_wallet_id) === wallet_id
  const { exchange, rate, terms } = row.data as Rated
  return {
    type: shown.type,
    reference: shown.reference,
    fees: stands ? shown.fee.line_items : [],
    rate: stands && ratedKinds.has(kind) ? (rate ?? terms?.rate ?? exchange?.price?.rate ?? null) : null
  }
}

/** Returns the refusal of days in the wrong order, of more than 366 of them, and of a currency that camt.053 cannot have. */
const checkDays = ({ format, from, to }: WalletStatementQuery, currency: string) => {
  const days = (Date.parse(to) - Date.parse(from)) / day + 1
  if (days < 1) return makeRangeError("from", "to", `from is ${from}, and to is ${to}. from must not be after to.`)
  if (days > daysMax)
    return invalid("to", `from ${from} to ${to} are ${days} days; a statement takes at most ${daysMax}`)
  if (format === "camt053" && !/^[A-Z]{3}$/.test(currency))
    return invalid(
      "format",
      `camt053 has no currency ${currency}: it takes those of three letters. Ask for json or csv`
    )
  return undefined
}

/** Reads the statement of a wallet, in the requested format. Errors: `NotFound` for an unknown wallet; `InvalidInput`. */
const readStatement = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  wallet_id: string,
  query: WalletStatementQuery
) {
  const { storage, unitOfWork } = deps
  const { format, from, to } = query
  const { merchant_id } = call
  const { currency } = (yield* unitOfWork.load(WalletKind, merchant_id, wallet_id)).data
  const refusal = checkDays(query, currency)
  if (refusal !== undefined) return yield* refusal
  const { before, postings } = yield* storage.owned({
    merchant_id,
    owner: wallet_id,
    currency,
    from: Date.parse(from),
    to: Date.parse(to) + day,
    limit: linesMax + 1
  })
  if (postings.length > linesMax)
    return yield* invalid(
      "from",
      `From ${from} to ${to} the wallet has more than ${linesMax} postings; a statement takes at most that many. Ask for fewer days.`
    )
  const moved = sumMovements(postings, wallet_id)
  const rows = yield* readMovementRows(deps, merchant_id, [...new Set(moved.map(({ resource_id }) => resource_id))])
  let balance = BigInt(before)
  const shown = (amount: bigint): string => displayAmount(amount.toString(), currency)
  const opening_balance = shown(balance)
  const lines = moved.map(({ at, net, resource_id }): WalletStatementLineBody => {
    balance += net
    return {
      at: iso(at),
      resource_id,
      ...describeMovement(deps, rows.get(resource_id), resource_id, wallet_id, net),
      direction: net < 0n ? "debit" : "credit",
      amount: shown(net < 0n ? -net : net),
      balance: shown(balance)
    }
  })
  const body: WalletStatementBody = {
    wallet_id,
    currency,
    from,
    to,
    opening_balance,
    closing_balance: shown(balance),
    lines
  }
  if (format === undefined || format === "json") return body
  const now = iso(yield* Clock.currentTimeMillis)
  const write = format === "csv" ? formatStatementCsv : formatStatementCamt053
  return new FileResponse(format, yield* Effect.orDie(runInSteps(() => write(body, now))))
})

export class WalletStatements extends Context.Service<WalletStatements>()("corridor/engine/WalletStatements", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { get: readStatement }))
}) {
  static readonly layer = Layer.effect(WalletStatements, WalletStatements.make)
}
