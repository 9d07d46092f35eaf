/** What people do at a desk, drawn from a seed: what is left is what the open lines are (BREAK-8, CLOSE-4, CLOSE-5). */
import { Effect } from "effect"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import {
  findOpening,
  listOpenLinesUntil,
  readLinesOn
} from "../../../src/engine/resources/reconciliation/account-days.ts"
import { Closings } from "../../../src/engine/resources/reconciliation/closing.ts"
import { readCountingDays } from "../../../src/engine/resources/reconciliation/counting-days.ts"
import { ExternalAccountKind } from "../../../src/engine/resources/reconciliation/external-account.ts"
import {
  listCountedParts,
  readOpenDifferences,
  findUnexplained
} from "../../../src/engine/resources/reconciliation/unexplained.ts"
import { brief, type Desk } from "../../support/statements/day-desk.ts"

type Seen = Effect.Success<Desk["lines"]>[number]

const minor = (decimal: string): bigint => BigInt(decimal.replace(".", ""))
const signed = ({ amount, direction }: Pick<Seen, "amount" | "direction">): bigint =>
  direction === "debit" ? -minor(amount) : minor(amount)
const sumOf = (some: ReadonlyArray<Pick<Seen, "amount" | "direction">>): bigint =>
  some.reduce((sum, one) => sum + signed(one), 0n)

/** Numbers below `n`, the same for each seed. */
const numbersOf = (seed: number) => {
  let a = seed * 7919
  return (n: number): number => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % n
  }
}
const isLive = ({ status }: Pick<Seen, "status">): boolean => status !== "withdrawn"
const isFree = ({ status }: Pick<Seen, "status">): boolean => status === "unmatched" || status === "proposed"

/**
 * What is wrong of lines and breaks. Law: after every act, and what is due with it, each line that nothing accounts for is in one open break,
 * or in one that a person dismissed.
 */
const breachesOfBreaks = (
  lines: ReadonlyArray<Seen>,
  open: Effect.Success<Desk["open"]>,
  resolved: Effect.Success<Desk["resolved"]>
): ReadonlyArray<string> => {
  const byId = new Map(lines.map((one) => [one.id, one]))
  const dismissed = new Set(resolved.filter(({ action }) => action === "dismiss").flatMap((one) => one.lines))
  const ofLines = lines.flatMap((line) => {
    const { length } = open.filter((one) => one.lines.includes(line.id))
    return [
      ...(length === 0 && isFree(line) && isLive(line) && !dismissed.has(line.id)
        ? [`line ${line.amount} is open, and in no break`]
        : []),
      ...(length > 1 ? [`line ${line.amount} is in ${length} breaks`] : []),
      ...(length > 0 && !isFree(line) ? [`line ${line.amount} is ${line.status}, and in an open break`] : [])
    ]
  })
  const ofBreaks = open.flatMap((one) => {
    const due = sumOf(one.lines.flatMap((id) => byId.get(id) ?? []))
    const says = one.amount === null ? 0n : signed({ amount: one.amount, direction: one.direction ?? "credit" })
    return one.kind === "missing_in_books" && due !== says ? [`a break says ${says}, and its lines ${due}`] : []
  })
  return [...ofLines, ...ofBreaks]
}

/** What is posted, and neither on a line nor of an entry that explains a balance or a movement that is missing. */
const postedWithoutLine = Effect.fnUntraced(function* (own: Desk, lines: ReadonlyArray<Seen>) {
  const taken = new Set(
    lines.filter((one) => isLive(one) && !isFree(one)).flatMap(({ matches }) => matches.map((one) => one.resource_id))
  )
  const alone = new Set(["gap", "balance_differs", "missing_on_statement"])
  for (const { adjusting_entry_id, kind, resources } of yield* own.resolved) {
    if (adjusting_entry_id === null || !alone.has(kind)) continue
    taken.add(adjusting_entry_id)
    if (kind === "missing_on_statement") for (const id of resources) taken.add(id)
  }
  let due = 0n
  for (const [id, { amount, reversed }] of yield* own.posted) if (!reversed && !taken.has(id)) due -= amount
  return due
})

/** What is wrong at a desk after all that was done. */
const breaches = Effect.fnUntraced(function* (own: Desk) {
  yield* own.whenDue
  const found = [...breachesOfBreaks(yield* own.lines, yield* own.open, yield* own.resolved)]
  yield* own.match
  const [lines, open, all] = [yield* own.lines, yield* own.open, yield* own.all]
  found.push(...breachesOfBreaks(lines, open, yield* own.resolved))
  const due = yield* postedWithoutLine(own, lines)
  const { outstanding } = yield* own.reconciled(own.days[6])
  if (minor(outstanding) !== due) found.push(`${outstanding} is outstanding, not ${due}`)
  const storage = yield* Storage
  const account = (yield* storage.find(ExternalAccountKind.kind, own.id)) as Parameters<typeof readOpenDifferences>[1]
  const { first } = yield* readCountingDays(storage, own.id)
  for (const day of own.days) {
    if ((yield* own.reconciled(day)).sealed || (first !== undefined && day < first)) continue
    const rows = (yield* listOpenLinesUntil(storage, own.id, day)).filter(({ data }) => data.accounted_on <= day)
    const [a, b] = [
      (yield* readOpenDifferences(storage, account, day, rows)).unexplained,
      yield* findUnexplained(storage, account, day, rows)
    ]
    if (a !== b) found.push(`${day} closes with ${a}, and its reconciliation says ${b}`)
  }
  // The balances lead from one day to the next, by what the closes count.
  const parts = yield* listCountedParts(storage, account)
  for (const day of own.days) {
    const rows = yield* readLinesOn(storage, own.id, day)
    const before = lines.filter((one) => one.accounted_on < day && isLive(one))
    const differing = parts.filter((one) => one.day < day && one.since < day)
    const due = differing.reduce((sum, { amount }) => sum + amount, 100_000n + sumOf(before))
    const opening = yield* findOpening(storage, account, day, rows, parts)
    if (opening !== due) found.push(`${day} begins with ${opening}, not ${due}`)
  }
  for (const seal of (yield* (yield* Closings).list({ external_account_id: own.id, per_page: 200 })).items) {
    const counted = lines.filter((one) => one.accounted_on === seal.date && isLive(one))
    if (counted.length !== seal.lines || minor(seal.booked) !== sumOf(counted))
      found.push(`the seal of ${seal.date} is broken`)
  }
  yield* own.match
  if (JSON.stringify([yield* own.lines, yield* own.all]) !== JSON.stringify([lines, all]))
    found.push("a run after a run changes something")
  return found
})

type Numbers = ReturnType<typeof numbersOf>
type Line = { readonly amount: string; readonly end_to_end_id: string; readonly direction: "debit" | "credit" }

const drawnLine = (own: Desk, pick: Numbers, nobody: string) =>
  Effect.map(own.posted, (posted): Line => {
    const ids = [...posted.keys()]
    return {
      amount: ["10", "20", "30"][pick(3)]!,
      end_to_end_id: ids.length > 0 && pick(3) > 0 ? ids[pick(ids.length)]! : nobody,
      direction: pick(5) === 0 ? "credit" : "debit"
    }
  })

/** What the bank says of a day: an export without balances, or interim reports and statements that correct one another. */
const bankSays = Effect.fnUntraced(function* (
  own: Desk,
  pick: Numbers,
  known: Map<string, Array<Line>>,
  how: Walk,
  n: number
) {
  const day = own.days[pick(2)]!
  const line = yield* drawnLine(own, pick, `NOBODY${how === "exports" || how === "second" ? n : pick(3)}`)
  if (how === "exports" || how === "second")
    return yield* own.says(day, [{ ...line, bank_reference: `R${n}` }], { number: String(n) })
  const lines = known.get(day) ?? []
  known.set(day, lines)
  const what = pick(4)
  if (what === 2) {
    const some = [...lines.filter(() => pick(2) === 0), ...(pick(2) === 0 ? [line] : [])]
    return yield* own.says(day, some, { format: "mt942" })
  }
  if (what === 0) lines.push(line)
  if (what === 1 && lines.length > 0) lines.splice(pick(lines.length), 1)
  const netOf = (some: ReadonlyArray<Line> = []): number =>
    some.reduce((sum, { amount, direction }) => sum + (direction === "debit" ? -1 : 1) * Number(amount), 0)
  const opening = day === own.days[0] ? 1000 : 1000 + netOf(known.get(own.days[0]))
  yield* own.ends(day, lines, String(opening + netOf(lines)), {
    opening_balance: { date: day, amount: String(opening) },
    number: day === own.days[0] ? "1" : "2"
  })
})

/** Matches, through a break, some entries with lines that may be as much. */
const matchSome = Effect.fnUntraced(function* (own: Desk, pick: Numbers, id: string, lines: ReadonlyArray<Seen>) {
  const used = new Set(
    lines.filter((one) => !isFree(one)).flatMap(({ matches }) => matches.map((one) => one.resource_id))
  )
  const left = [...(yield* own.posted)].filter(([entry, { reversed }]) => !reversed && !used.has(entry))
  const chosen = left.filter(() => pick(3) === 0)
  const due = -chosen.reduce((sum, [, { amount }]) => sum + amount, 0n)
  const free = lines.filter(isFree)
  const line_ids: Array<string> = []
  let sum = 0n
  for (const one of pick(2) === 0 ? free : free.toReversed())
    if (sum !== due || line_ids.length === 0) {
      line_ids.push(one.id)
      sum += signed(one)
    }
  yield* own.resolve(id, { action: "match", line_ids, resource_ids: chosen.map(([entry]) => entry) })
})

const acts = ["match", "match", "explain", "unmatch", "unmatch", "undo", "undo", "reverse", "dismiss"] as const

/** One act of a person. It may be refused. */
const personDoes = Effect.fnUntraced(function* (own: Desk, pick: Numbers) {
  const act = acts[pick(acts.length)]!
  const [open, lines, resolved, posted] = [yield* own.open, yield* own.lines, yield* own.resolved, yield* own.posted]
  const one = open[pick(Math.max(1, open.length))]
  const done = resolved[pick(Math.max(1, resolved.length))]
  const accounted = lines.filter((line) => isLive(line) && !isFree(line))
  const name = `${act} ${brief(one === undefined ? [] : [one]).join()}`
  if (act === "undo") {
    const action = done?.actions[pick(Math.max(1, done.actions.length))]
    if (done !== undefined && action !== undefined) yield* own.resolve(done.id, { action })
  } else if (act === "reverse") {
    const id = [...posted.keys()][pick(Math.max(1, posted.size))]
    if (id !== undefined) yield* own.reverse(id)
  } else if (one === undefined) return name
  else if (act === "match") yield* matchSome(own, pick, one.id, lines)
  else if (act === "dismiss") yield* own.resolve(one.id, { action: "dismiss" })
  else if (act === "unmatch") {
    const line = accounted[pick(Math.max(1, accounted.length))]
    if (line !== undefined) yield* own.resolve(one.id, { action: "unmatch", line_ids: [line.id] })
  } else {
    const [from, to] = one.direction === "debit" ? ["losses", "world:simulated"] : ["world:simulated", "losses"]
    yield* own.resolve(one.id, { action: "explain", from, to })
  }
  return name
})

/** How the bank speaks at a desk; `sealed`: with statements, and days are closed; `second`: in exports, and another account has the payouts. */
export type Walk = "exports" | "statements" | "sealed" | "second"

/** Walks over a desk, and says after which act what is wrong first. Empty: nothing. */
export const walked = Effect.fnUntraced(function* (own: Desk, walk: Walk, seed: number, steps: number) {
  const pick = numbersOf(seed)
  const known = new Map<string, Array<Line>>()
  const log: Array<string> = []
  for (let n = 0; n < steps; n++) {
    const what = pick(10)
    const done =
      what < 2
        ? own.post(["10", "20", "30"][pick(3)]!)
        : what < 4
          ? bankSays(own, pick, known, walk, n)
          : what === 4 && walk === "sealed"
            ? own.close(own.days[pick(2)]!, pick(2) === 0)
            : personDoes(own, pick)
    const exit = yield* Effect.exit(done as Effect.Effect<unknown, unknown>)
    log.push(`${what} ${exit._tag === "Success" && typeof exit.value === "string" ? exit.value : exit._tag}`)
    const found = yield* breaches(own)
    if (found.length > 0) return [...found, ...log, ...(yield* own.shown), ...brief(yield* own.all)]
  }
  return []
})
