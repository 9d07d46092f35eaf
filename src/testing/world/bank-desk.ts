/**
 * Who resolves breaks in a simulation: an operator who asks the bank what its lines are (BREAK-4 to BREAK-6), in the middle of everything,
 * and at the end of all that is left.
 */
import { Effect, Result } from "effect"
import { Calls } from "../../embedded/calls.ts"
import type { MovementEvent } from "../../engine/ports/Provider.ts"
import { toSuccessOfLine } from "../../engine/ports/provider-events.ts"
import { requireOperation } from "../program/operations.ts"
import type { BankNoise, PayingBank } from "./bank.ts"

interface FoundBreak {
  readonly id: string
  readonly kind: string
  readonly lines: ReadonlyArray<string>
  readonly resources: ReadonlyArray<string>
  readonly actions: ReadonlyArray<string>
  readonly action: string | null
  readonly amount: string | null
}

interface FoundLine {
  readonly id: string
  readonly bank_reference: string | null
  readonly end_to_end_id: string | null
  readonly amount: string
  readonly currency: string
}

type Refused = { readonly _tag: string; readonly message: string }

/** An act on a break: `event` is what an adoption reports. */
interface Act {
  readonly input: object
  readonly event?: MovementEvent
}

const callOperation = <A>(call: string, args: ReadonlyArray<unknown>) =>
  Effect.flatMap(Calls, (calls) => calls.run(null, requireOperation(call), args)) as Effect.Effect<A, Refused, Calls>

export const listBreaks = (status: "open" | "resolved") =>
  Effect.gen(function* () {
    const all: Array<FoundBreak> = []
    for (let page = 1; ; page++) {
      const { items } = yield* callOperation<{ readonly items: ReadonlyArray<FoundBreak> }>("operator.breaks.list", [
        { status, page, per_page: 200 }
      ])
      all.push(...items)
      if (items.length < 200) return all
    }
  })

/** Lists the two adjusting entries that could explain a break, one in each direction. */
const listCandidateEntries = (account: string): ReadonlyArray<Act> =>
  [
    { from: account, to: "world:simulated" },
    { from: "world:simulated", to: account }
  ].map((sides) => ({ input: { action: "explain", ...sides } }))

const accountOf: Readonly<Partial<Record<BankNoise, string>>> = {
  amount: "losses",
  fee: "costs:simulated",
  short_batch: "losses",
  stranger: "losses"
}

const dismissal: Act = { input: { action: "dismiss" } }

/** Chooses the acts that may resolve a break, the best first. `isEnd`: the bank's statements have all arrived. */
const chooseBreakActs = Effect.fnUntraced(function* (
  found: FoundBreak,
  open: ReadonlyArray<FoundBreak>,
  bank: PayingBank,
  isEnd = false
) {
  const { actions, kind, lines, resources } = found
  // What a balance has beyond its lines may come with another file. What differs at the end is an entry too many: lines are there instead.
  if (kind === "gap" || kind === "balance_differs")
    return isEnd ? [...listCandidateEntries("receivable:simulated"), dismissal] : [dismissal]
  const [first] = lines
  const line = first === undefined ? undefined : yield* callOperation<FoundLine>("operator.statementLines.get", [first])
  const written = line === undefined ? undefined : bank.lineOf(line.bank_reference ?? "", line.end_to_end_id ?? "")
  const explained = listCandidateEntries(accountOf[written?.noise ?? "missing"] ?? "receivable:simulated")
  const acts: Array<Act> = []
  // Adopting a line reports the success of the payment.
  if (line !== undefined && actions.includes("adopt"))
    acts.push({
      input: { action: "adopt" },
      event: toSuccessOfLine({ ...line, transaction_hash: null }, resources[0] ?? "")
    })
  if (written?.noise === "lump") acts.push({ input: { action: "match", resource_ids: written.resource_ids } })
  if (written?.noise === "split") {
    const [of] = resources
    const parts = open.filter((one) => one.kind === kind && one.resources.some((id) => id === of))
    acts.push({ input: { action: "match", line_ids: parts.flatMap((one) => one.lines) } })
  }
  return [...acts, ...explained, { input: { action: "match" } }]
})

/** An act that was begun: it is the same when its operation is repeated. */
interface Begun {
  readonly id: string
  readonly acts: ReadonlyArray<Act>
}

export class BankDesk {
  readonly #bank: PayingBank
  readonly #spoken: (event: MovementEvent) => void
  readonly #begun = new Map<number, Begun>()

  /** `spoken`: learns what an adoption is about to report. */
  constructor(bank: PayingBank, spoken: (event: MovementEvent) => void) {
    this.#bank = bank
    this.#spoken = spoken
  }

  /** Resolves one of the open breaks, if there is one. Errors: that of the last act, where none is taken. */
  resolve(n: number, nth: number): Effect.Effect<unknown, Refused, Calls> {
    return Effect.gen({ self: this }, function* () {
      const begun = this.#begun.get(n) ?? (yield* this.#chosen(nth))
      if (begun === undefined) return null
      this.#begun.set(n, begun)
      return yield* this.#acted(`key-of-op-${n}`, begun)
    })
  }

  /** Opens what was dismissed although money differs. What is over ends again by itself. */
  readonly reopenAll = (round: number): Effect.Effect<void, Refused, Calls> =>
    Effect.gen(function* () {
      const isMoney = ({ action, amount, kind }: FoundBreak): boolean =>
        action === "dismiss" && (kind !== "gap" || /[1-9]/.test(amount ?? ""))
      const dismissed = (yield* listBreaks("resolved")).filter(isMoney)
      // A line may have accounted for it since. What is left by mistake is missing in the sums.
      for (const { id } of dismissed)
        yield* Effect.ignore(
          callOperation("operator.breaks.resolve", [
            id,
            { action: "reopen", note: "again" },
            { idempotencyKey: `reopen-${round}-${id}` }
          ])
        )
    })

  /** Resolves all that is open at the end. Returns how many breaks it found. */
  readonly resolveAll = (round: number): Effect.Effect<number, Refused, Calls> =>
    Effect.gen({ self: this }, function* () {
      const open = yield* listBreaks("open")
      for (const found of open) {
        const acts = yield* chooseBreakActs(found, open, this.#bank, true)
        // Another act may have ended it meanwhile.
        yield* Effect.ignore(this.#acted(`end-${round}-${found.id}`, { id: found.id, acts }))
      }
      return open.length
    })

  #chosen(nth: number): Effect.Effect<Begun | undefined, Refused, Calls> {
    return Effect.gen({ self: this }, function* () {
      const open = yield* listBreaks("open")
      // Those with lines are few beside what is on no statement.
      const ofLines = open.filter(({ lines }) => lines.length > 0)
      const some = nth % 4 > 0 && ofLines.length > 0 ? ofLines : open
      const found = some[nth % some.length]
      return found === undefined ? undefined : { id: found.id, acts: yield* chooseBreakActs(found, open, this.#bank) }
    })
  }

  #acted(key: string, { acts, id }: Begun): Effect.Effect<unknown, Refused, Calls> {
    return Effect.gen({ self: this }, function* () {
      for (const [nth, { event, input }] of acts.entries()) {
        if (event !== undefined) this.#spoken(event)
        const done = yield* Effect.result(
          callOperation("operator.breaks.resolve", [
            id,
            { ...input, note: "seen" },
            { idempotencyKey: `${key}-${nth}` }
          ])
        )
        if (Result.isSuccess(done)) return done.success
        const isRefused = ["InvalidInput", "InvalidStatus"].includes(done.failure._tag)
        if (!isRefused || nth === acts.length - 1) return yield* Effect.fail(done.failure)
      }
      return null
    })
  }
}
