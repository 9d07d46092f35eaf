/** Runs the cases: in an order of the seed's, several at once, those that restart the connector together. */
import { Chance } from "../testing/program/random.ts"
import type { Bench } from "./bench.ts"
import { Breach, Unjudged } from "./breach.ts"
import { CannotRun } from "./cannot-run.ts"
import type { Case } from "./case.ts"
import { now } from "./clock.ts"
import { isSameAmount, formatUnits, parseSignedUnits } from "./money.ts"
import { Meeting } from "./restarts.ts"
import { Trial } from "./trial.ts"
import type { Summary, CaseVerdict } from "./verdict.ts"

/** How many cases are in progress at once. */
const CONCURRENCY = 6

/** Plans the cases of a run: all that `only` names, in a drawn order. */
export const planCases = (
  cases: ReadonlyArray<Case>,
  only: ReadonlyArray<string>,
  seed: string
): ReadonlyArray<Case> => {
  const isNamed = ({ id }: Case): boolean =>
    only.length === 0 || only.some((name) => id === name || id.startsWith(`${name}/`))
  const chance = new Chance(`${seed} order`)
  const all = cases.filter(isNamed)
  const left = [...all]
  return Array.from({ length: left.length }, () => left.splice(chance.between(0, left.length - 1), 1)[0]!)
}

const runCase = async (one: Case, trial: Trial): Promise<CaseVerdict> => {
  const { id, rule, why } = one
  try {
    await one.run(trial)
    return { id, status: "passed" }
  } catch (error) {
    if (error instanceof Breach)
      return { id, status: "failed", found: error.message, rule, why, exchanges: error.exchanges }
    if (error instanceof Unjudged) return { id, status: "skipped", reason: error.message }
    if (error instanceof CannotRun) return { id, status: "not-run", reason: error.message }
    return { id, status: "not-run", reason: `the kit failed: ${(error as Error).stack ?? String(error)}` }
  }
}

/** Runs the cases of `plan` on a bench. `onVerdict` is called as soon as a case has ended. */
export const runCases = async (
  plan: ReadonlyArray<Case>,
  bench: Bench,
  seed: string,
  onVerdict: (verdict: CaseVerdict) => void
): Promise<Summary> => {
  const began = now()
  const verdicts: Array<CaseVerdict> = []
  const ended = (verdict: CaseVerdict): void => {
    verdicts.push(verdict)
    onVerdict(verdict)
  }
  const possible: Array<Case> = []
  for (const one of plan) {
    const reason = one.needs.map((need) => need(bench)).find((found) => found !== undefined)
    if (reason === undefined) possible.push(one)
    else ended({ id: one.id, status: "skipped", reason })
  }
  const of = (phase: Case["phase"]): Array<Case> => possible.filter((one) => one.phase === phase)
  const run = async (one: Case, restart: () => Promise<void>): Promise<void> =>
    ended(await runCase(one, new Trial(new Chance(`${seed} ${one.id}`), bench, restart)))
  const restart = (): Promise<void> => bench.restarts.restart()

  const queue = of(undefined)
  const worker = async (): Promise<void> => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) await run(one, restart)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))

  const restarting = of("restart")
  const meeting = new Meeting(restarting.length, restart)
  await Promise.all(
    restarting.map(async (one) => {
      let hasCome = false
      await run(one, () => {
        hasCome = true
        return meeting.come()
      })
      if (!hasCome) meeting.leave()
    })
  )
  for (const one of [...of("crash"), ...of("end")]) await run(one, restart)

  // What the run executed, by currency.
  const { journal } = bench
  const sums = new Map<string, bigint>()
  for (const { command, settled } of journal.all) {
    const amount = command.members["amount"] ?? command.members["source_amount"]
    const currency = String(command.members["currency"] ?? command.members["source_currency"])
    if (settled?.outcome.outcome === "success" && isSameAmount(amount, amount))
      sums.set(currency, (sums.get(currency) ?? 0n) + (parseSignedUnits(amount) ?? 0n))
  }
  return {
    seed,
    verdicts,
    calls: bench.wire.calls,
    restarts: bench.restarts.count,
    elapsed_ms: now() - began,
    moved: Object.fromEntries([...sums].map(([currency, sum]) => [currency, formatUnits(sum, 2)]))
  }
}
