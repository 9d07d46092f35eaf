/** A walk of people over a desk, drawn from a seed: what is left is what the open lines are. */
import { Effect } from "effect"
import { it } from "vitest"
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
  let due = 0n
  for (const [id, e] of entries) if (!e.reversed && !taken.has(id)) due -= e.amount
  // entries that explain: covered by lines
  const row = yield* own.reconciled(own.days[6])
  if (minor(row.outstanding) !== due) found.push(`outstanding ${row.outstanding} not ${due}`)
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
        let n = 0
        const bank: Array<Record<string, unknown>> = []
        for (let step = 0; step < 30; step++) {
          const what = [0, 1, 2, 3, 2, 4, 4, 4, 5, 6, 6, 6, 7, 7, 7, 8, 9][pick(17)]!
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
            const named = ids.length > 0 && pick(3) > 0 ? ids[pick(ids.length)]! : `NOBODY${++n}`
            const amount = amounts[pick(3)]!
            const line = {
              amount,
              end_to_end_id: named,
              bank_reference: `R${++n}`,
              direction: pick(5) === 0 ? ("credit" as const) : ("debit" as const)
            }
            bank.push({ ...line, d })
            yield* tryIt(
              `says ${d} ${line.direction} ${amount} ${named.slice(-4)}`,
              own.says(d, [line], { number: String(n) })
            )
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
const seeds = (process.env["R1_SEEDS"] ?? "10,36,49,52").split(",").map(Number)
it.each(seeds)(
  "what people do at a desk leaves each open line in one break, and each break about open lines: seed %d",
  run
)
