/** The connector's own books: statement and balances agree with what was executed. */
import { findDuplicate } from "./fixtures.ts"
import { type Case, needs } from "../case.ts"
import { sleep } from "../clock.ts"
import type { Known } from "../journal.ts"
import { formatUnits, parseSignedUnits } from "../money.ts"
import type { Balance, ReadLine } from "../records.ts"

const movesMoney = ({ command }: Known): boolean =>
  command.family === "payout" || command.family === "conversion" || command.family === "refund"

const toSignedUnits = ({ amount, direction }: ReadLine): bigint =>
  (direction === "credit" ? 1n : -1n) * (parseSignedUnits(amount) ?? 0n)

export const bookCases: ReadonlyArray<Case> = [
  {
    id: "books/balances",
    rule: "There is one balance for each currency and network, as decimal strings.",
    why: "Corridor compares balances with its own books, and warns when a float runs out.",
    needs: [needs.statements],
    run: async (trial) => {
      const { balances } = (await trial.call("balances")) as { readonly balances: ReadonlyArray<Balance> }
      const keys = balances.map(({ currency, network }) => `${currency} ${network ?? ""}`.trim())
      const twice = findDuplicate(keys)
      if (twice !== undefined) trial.fail(`There are two balances of ${twice}.`)
    }
  },
  {
    id: "books/statement-pages",
    rule: "The statement is read page by page: a page begins after its cursor, lines keep their order and content, and each has an id of its own.",
    why: "Lines are matched with the books one by one. A line that is skipped, moved or doubled is a difference that nobody can explain.",
    needs: [needs.statements],
    run: async (trial) => {
      const first = await trial.list<ReadLine>("statements", "lines", null)
      const again = await trial.list<ReadLine>("statements", "lines", null)
      const at = first.items.findIndex((line, i) => JSON.stringify(line) !== JSON.stringify(again.items[i]))
      if (at >= 0)
        trial.fail(
          `Read again, line ${at + 1} is ${JSON.stringify(again.items[at])}; it was ${JSON.stringify(first.items[at])}.`
        )
      const twice = findDuplicate(again.items.map(({ id }) => id))
      if (twice !== undefined) trial.fail(`The statement has the line ${twice} twice.`)
      const backwards = again.items.find(
        ({ booked_at }, i) => i > 0 && Date.parse(booked_at) < Date.parse(again.items[i - 1]!.booked_at)
      )
      if (backwards !== undefined)
        trial.fail(`Line ${backwards.id} of ${backwards.booked_at} stands after one that was booked later.`)
      const rest = await trial.list<ReadLine>("statements", "lines", first.cursor)
      if (rest.items.some(({ id }) => first.items.some((line) => line.id === id)))
        trial.fail(`A line up to the cursor ${JSON.stringify(first.cursor)} is read again after it.`)
    }
  },
  {
    id: "books/one-payment-each",
    rule: "At the end of the run each successful command is one payment in the statement, and every other command is none.",
    why: "What was paid twice, or paid after it was rejected or absent, is the platform's loss.",
    needs: [needs.statements],
    phase: "end",
    run: async (trial) => {
      const { journal, records, waits } = trial.bench
      const money = journal.all.filter(movesMoney)
      if (money.length === 0) return trial.unjudged("no other case of this run moves money")
      for (const { command } of money) {
        const { status } = await trial.status(command)
        if (status === "pending") await trial.outcome(command)
      }
      await sleep(waits.watch_ms)
      await records.lines()
      for (const known of money) {
        const { command, settled } = known
        const lines = await records.linesOf(command.id)
        if (settled?.outcome.outcome === "success") trial.countedOnce(command, settled.outcome, lines)
        else if (known.taken === undefined) await trial.neverExecuted(command, "It was never taken")
        else if (settled !== undefined) {
          const currency = command.members["currency"] ?? command.members["source_currency"]
          const sum = lines
            .filter((line) => line.currency === currency)
            .reduce((all, line) => all + toSignedUnits(line), 0n)
          const kept = -(parseSignedUnits(settled.outcome["fee"]) ?? 0n)
          if (settled.outcome.outcome !== "returned" && sum !== 0n && sum !== kept)
            trial.fail(
              `${command.id} ended as "${settled.outcome.outcome}", and its lines sum to ${formatUnits(sum, 2)}.`,
              settled.exchange
            )
        }
      }
    }
  },
  {
    id: "books/balances-agree",
    rule: "Over the run each balance moves by the sum of its statement lines.",
    why: "Books that do not add up hide what was paid twice.",
    needs: [needs.statements],
    phase: "end",
    run: async (trial) => {
      const { journal, records, opening } = trial.bench
      if (!journal.all.some(movesMoney)) return trial.unjudged("no other case of this run moves money")
      if (opening === null) return trial.unjudged("the balances were not read at the beginning")
      let difference = ""
      for (let i = 0; i < 5; i++) {
        const lines = await records.lines()
        const { balances } = (await trial.call("balances")) as { readonly balances: ReadonlyArray<Balance> }
        difference = findBalanceDifference(opening.balances, balances, lines.slice(opening.lines))
        if (difference === "") return
        await sleep(trial.bench.waits.watch_ms)
      }
      trial.fail(difference)
    }
  }
]

/** Finds the first balance that did not change by the sum of its lines; empty: there is none. */
const findBalanceDifference = (
  before: ReadonlyArray<Balance>,
  after: ReadonlyArray<Balance>,
  lines: ReadonlyArray<ReadLine>
): string => {
  const total = (balances: ReadonlyArray<Balance>, currency: string, of: (balance: Balance) => bigint): bigint =>
    balances.filter((balance) => balance.currency === currency).reduce((sum, balance) => sum + of(balance), 0n)
  const available = ({ available }: Balance): bigint => parseSignedUnits(available) ?? 0n
  const all = (balance: Balance): bigint => available(balance) + (parseSignedUnits(balance.pending) ?? 0n)
  for (const currency of new Set([...before, ...after].map(({ currency }) => currency))) {
    const moved = lines
      .filter((line) => line.currency === currency)
      .reduce((sum, line) => sum + toSignedUnits(line), 0n)
    const changes = [available, all].map((of) => total(after, currency, of) - total(before, currency, of))
    if (!changes.includes(moved))
      return `The balance of ${currency} moved by ${formatUnits(changes[0]!, 2)}, and its statement lines sum to ${formatUnits(moved, 2)}.`
  }
  return ""
}
