/** A walk of people over a desk, drawn from a seed: what is left is what the open lines are. */
import { Effect } from "effect"
import { it } from "vitest"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { ExternalAccountKind } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { openUntil, unexplainedOn } from "../../../src/engine/resources/reconciliation/unexplained.ts"
import { Closings } from "../../../src/engine/resources/reconciliation/closing.ts"
import { accountDifferences } from "../../../src/engine/resources/reconciliation/balance-differences.ts"
import { statementBalance } from "../../../src/engine/resources/reconciliation/account-days.ts"
import { countingDays } from "../../../src/engine/resources/reconciliation/counting-days.ts"
import { at, brief, type Desk } from "./r1-desk.ts"

const minor = (decimal: string): bigint => BigInt(decimal.replace(".", ""))
const random = (seed: number) => {
  let a = seed * 7919
  return (n: number) => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % n
  }
}
const isLive = (one: { status: string }) => one.status !== "withdrawn" && one.status !== "merged"
const isFree = (one: { status: string }) => one.status === "unmatched" || one.status === "proposed"

const check = Effect.fnUntraced(function* (own: Desk, entries: Map<string, { amount: bigint; reversed: boolean }>) {
  yield* own.match
  const found: Array<string> = []
  const [lines, open] = [yield* own.lines, yield* own.open]
  const all = yield* own.all
  for (const line of lines) {
    const about = open.filter((one) => one.lines.includes(line.id))
    if (about.length > 1) found.push(`line ${line.amount} ${line.status} in ${about.length} breaks`)
    if (about.length > 0 && !isLive(line)) found.push(`withdrawn line ${line.amount} in a break`)
    if (about.length > 0 && isLive(line) && !isFree(line)) found.push(`accounted line ${line.amount} in an open break`)
  }
  const byId = new Map(lines.map((one) => [one.id, one]))
  for (const one of open) {
    if (one.lines.length === 0) continue
    const signed = (l: (typeof lines)[number]) => (l.direction === "debit" ? -minor(l.amount) : minor(l.amount))
    const due = one.lines.reduce(
      (sum, id) => sum + (byId.has(id) && isLive(byId.get(id)!) ? signed(byId.get(id)!) : 0n),
      0n
    )
    const says = one.amount === null ? 0n : one.direction === "debit" ? -minor(one.amount) : minor(one.amount)
    if (one.kind === "missing_in_books" && due !== says) found.push(`break says ${says}, lines ${due}`)
  }
  // outstanding: entries posted that no live line is
  const taken = new Set(
    lines.filter((one) => isLive(one) && !isFree(one)).flatMap(({ matches }) => matches.map((m) => m.resource_id))
  )
  for (const one of yield* own.resolved)
    if (
      (one.kind === "gap" || one.kind === "balance_differs" || one.kind === "missing_on_statement") &&
      one.adjusting_entry_id !== null
    ) {
      taken.add(one.adjusting_entry_id)
      if (one.kind === "missing_on_statement") for (const r of one.resources) taken.add(r)
    }
  let due = 0n
  for (const [id, e] of entries) if (!e.reversed && !taken.has(id)) due -= e.amount
  // entries that explain: covered by lines
  const row = yield* own.reconciled(own.days[6])
  const store = yield* Storage
  const xac = (yield* store.find(ExternalAccountKind.kind, own.id)) as any
  const { differences, stated } = yield* accountDifferences(store, { ...xac.data, id: own.id })
  const { balance, stated: on } = yield* statementBalance(store, xac, own.days[6])
  const net = lines
    .filter((one) => isLive(one) && on !== null && one.booked_on <= on)
    .reduce((sum, one) => sum + (one.direction === "debit" ? -minor(one.amount) : minor(one.amount)), 0n)
  const total = (some: typeof stated) => some.reduce((sum, one) => sum + one.amount, 0n)
  const left = on === null ? 0n : balance - 100000n - net
  if (minor(row.outstanding) !== due) {
    if (on !== null && total(stated) !== left)
      found.push(`WALK differences ${total(stated)} not ${left}, balance ${balance}`)
    else if (differences.some(({ day }) => on !== null && day > on)) found.push(`LATE`)
    else found.push(`outstanding ${row.outstanding} not ${due}`)
  }
  const storage = yield* Storage
  const account = (yield* storage.find(ExternalAccountKind.kind, own.id)) as any
  const { first } = yield* countingDays(storage, own.id)
  for (const day of own.days) {
    const seen = yield* own.reconciled(day)
    if (seen.sealed || (first !== undefined && day < first)) continue
    const [a, b] = [(yield* openUntil(storage, account, day)).unexplained, yield* unexplainedOn(storage, account, day)]
    if (a !== b) found.push(`${day} close ${a} reconciliation ${b}`)
  }
  for (const seal of (yield* (yield* Closings).list({ external_account_id: own.id, per_page: 200 })).items) {
    const of = lines.filter((one) => one.accounted_on === seal.date && isLive(one))
    const sum = of.reduce((sum, one) => sum + (one.direction === "debit" ? -minor(one.amount) : minor(one.amount)), 0n)
    if (of.length !== seal.lines || minor(seal.booked) !== sum)
      found.push(`SEAL ${seal.date} ${seal.lines}/${seal.booked} not ${of.length}/${sum}`)
  }
  // The next day to close begins where the last sealed one ended, and its close leads to its statement but for what is unexplained.
  const before = JSON.stringify([lines, all])
  yield* own.match
  if (JSON.stringify([yield* own.lines, yield* own.all]) !== before) found.push("a run after a run changes something")
  return found
})

const run = (seed: number) =>
  at(
    (own) =>
      Effect.gen(function* () {
        const pick = random(seed)
        const entries = new Map<string, { amount: bigint; reversed: boolean }>()
        const log: Array<string> = []
        const amounts = ["10", "20", "30"]
        const truth = new Map<string, Array<{ amount: string; end_to_end_id: string; direction: "debit" | "credit" }>>()
        for (let step = 0; step < 30; step++) {
          const what = [0, 1, 2, 3, 2, 3, 2, 4, 4, 5, 6, 6, 7, 7, 8, 9, 10][pick(17)]!
          const d = own.days[pick(2)]!
          const tryIt = (name: string, effect: Effect.Effect<unknown, unknown, any>) =>
            Effect.map(Effect.exit(effect), (e) => {
              log.push(`${name}: ${e._tag}`)
              return e
            })
          if (what <= 1) {
            const amount = amounts[pick(3)]!
            const e = yield* own.post(amount)
            entries.set(e.id, { amount: minor(`${amount}.00`), reversed: false })
            log.push(`post ${amount}`)
          } else if (what <= 3) {
            const ids = [...entries.keys()]
            const how = pick(4)
            const lineOf = () => {
              const named = ids.length > 0 && pick(3) > 0 ? ids[pick(ids.length)]! : `NOBODY${pick(3)}`
              return {
                amount: amounts[pick(3)]!,
                end_to_end_id: named,
                direction: pick(5) === 0 ? ("credit" as const) : ("debit" as const)
              }
            }
            const known = truth.get(d) ?? []
            if (how === 0) known.push(lineOf())
            if (how === 1 && known.length > 0) known.splice(pick(known.length), 1)
            if (how === 2) {
              yield* tryIt(
                `interim ${d}`,
                own.says(d, [...known.filter(() => pick(2) === 0), ...(pick(2) === 0 ? [lineOf()] : [])], {
                  format: "mt942"
                })
              )
            } else {
              truth.set(d, known)
              const net = (day: string) =>
                (truth.get(day) ?? []).reduce(
                  (sum, one) => sum + (one.direction === "debit" ? -1 : 1) * Number(one.amount),
                  0
                )
              const opening = d === own.days[0] ? 1000 : 1000 + net(own.days[0])
              yield* tryIt(
                `statement ${d} ${opening} ${known.map((one) => `${one.direction} ${one.amount} ${one.end_to_end_id.slice(-4)}`).join(", ")}`,
                own.ends(d, known, String(opening + net(d)), {
                  opening_balance: { date: d, amount: String(opening) },
                  number: d === own.days[0] ? "1" : "2"
                })
              )
            }
          } else if (what === 10) {
            const accept = pick(2) === 0
            yield* tryIt(`close ${d} ${accept}`, own.close(d, accept))
          } else {
            const open = yield* own.open
            const lines = yield* own.lines
            const free = lines.filter(isFree)
            const accounted = lines.filter((one) => isLive(one) && !isFree(one))
            if (what === 4 && open.length > 0) {
              const one = open[pick(open.length)]!
              const ids = [...entries.keys()]
              const used = new Set(
                lines.flatMap(({ matches, status }) => (isFree({ status }) ? [] : matches.map((m) => m.resource_id)))
              )
              const posted = yield* own.posted
              const left = [...posted].filter(([id, e]) => !e.reversed && !used.has(id))
              void ids
              const chosen = left.filter(() => pick(3) === 0)
              const due = -chosen.reduce((sum, [, e]) => sum + e.amount, 0n)
              let sum = 0n
              const line_ids: Array<string> = []
              for (const l of pick(2) === 0 ? free : free.toReversed()) {
                const add = l.direction === "debit" ? -minor(l.amount) : minor(l.amount)
                if (sum !== due || line_ids.length === 0) line_ids.push(l.id), (sum += add)
              }
              yield* tryIt(
                `match ${line_ids.length} lines ${sum} with ${chosen.length} ${due} through ${brief([one])}`,
                own.resolve(one.id, { action: "match", line_ids, resource_ids: chosen.map(([id]) => id) })
              )
            } else if (what === 5 && open.length > 0) {
              const one = open[pick(open.length)]!
              const exit = yield* tryIt(
                `explain ${brief([one])}`,
                own.resolve(one.id, {
                  action: "explain",
                  from: one.direction === "debit" ? "losses" : "world:simulated",
                  to: one.direction === "debit" ? "world:simulated" : "losses"
                })
              )
              void exit
            } else if (what === 6 && open.length > 0 && accounted.length > 0) {
              const one = open[pick(open.length)]!
              yield* tryIt(
                `unmatch through ${brief([one])}`,
                own.resolve(one.id, { action: "unmatch", line_ids: [accounted[pick(accounted.length)]!.id] })
              )
            } else if (what === 9 && open.length > 0) {
              const one = open[pick(open.length)]!
              yield* tryIt(`dismiss ${brief([one])}`, own.resolve(one.id, { action: "dismiss" }))
            } else if (what === 7) {
              // undo a resolved one
              const resolved = yield* own.resolved
              if (resolved.length > 0) {
                const one = resolved[pick(resolved.length)]!
                const action = one.actions[pick(one.actions.length)] as "unmatch" | "reopen" | undefined
                if (action !== undefined) yield* tryIt(`${action} ${brief([one])}`, own.resolve(one.id, { action }))
              }
            } else if (what === 8 && entries.size > 0) {
              const id = [...entries.keys()][pick(entries.size)]!
              const e = yield* tryIt(`reverse`, own.reverse(id))
              if (e._tag === "Success") entries.get(id)!.reversed = true
            }
          }
          const found = yield* check(own, yield* own.posted)
          if (found.length > 0) {
            throw new Error(
              `seed ${seed}: ${found.join("; ")}\n   ${log.join("\n   ")}\n   ${(yield* own.shown).join(", ")} | ${brief(yield* own.all).join(", ")}`
            )
          }
        }
      }) as never
  )
const seeds = (process.env["R1_SEEDS"] ?? "80").split(",").map(Number)
it.each(seeds)(
  "what people do at a desk leaves each open line in one break, and each break about open lines: seed %d",
  run
)
