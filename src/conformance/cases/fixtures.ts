/** What several cases begin with: a command that the connector should take. */
import type { Bench } from "../bench.ts"
import { Unjudged } from "../breach.ts"
import { until } from "../clock.ts"
import * as draw from "../draw.ts"
import type { SentCommand } from "../journal.ts"
import type { PayoutTerms } from "../subject.ts"
import type { Trial } from "../trial.ts"

const requireFixture = <A>(found: A): Exclude<A, string> => {
  if (typeof found === "string") throw new Unjudged(found)
  return found as Exclude<A, string>
}

/** The first text that a list has twice. */
export const findDuplicate = (all: ReadonlyArray<string>): string | undefined =>
  all.find((one, i) => all.indexOf(one) < i)

export const termsOf = ({ subject }: Bench): PayoutTerms => requireFixture(subject.payouts())

export const payout = ({ chance, bench }: Trial, members: draw.DrawnMembers = {}): SentCommand =>
  draw.payout(chance, termsOf(bench), members)

export const conversion = ({ chance, bench: { subject } }: Trial): SentCommand =>
  draw.conversion(chance, requireFixture(subject.conversions()))

export const issue = ({ chance, bench: { subject } }: Trial): SentCommand =>
  draw.issue(chance, requireFixture(subject.payins("issue")))

export const instruction = ({ chance, bench: { subject } }: Trial): SentCommand => {
  const offered = requireFixture(subject.payins("payin"))
  const terms = subject.payouts()
  const range =
    typeof terms === "string"
      ? { decimals: 2, least: 10n ** 19n, most: 10n ** 20n, offered: { least: null, most: null } }
      : terms.range
  return draw.instruction(chance, offered, draw.drawAmount(chance, range))
}

export const verification = ({ chance }: Trial): SentCommand => draw.verification(chance)

/** Gets payment instructions, has them paid, and waits for the event that says so. */
export const payIn = async (trial: Trial): Promise<{ readonly payin: draw.Payin; readonly target: string }> => {
  const { bench } = trial
  const command = instruction(trial)
  const result = await trial.taken(command)
  const target = String(result["deposit_reference"])
  const { amount, currency } = command.members as { readonly amount: string; readonly currency: string }
  await bench.payIn?.({ target, amount, currency })
  const found = await until(bench.waits.settle_ms, async () => {
    const read = (await bench.follower?.readOn()) ?? []
    const sent = bench.callbacks?.events ?? []
    return [...read, ...sent].find(
      (event) => event.type === "payin" && event["target"] === target && event["stage"] === "confirmed"
    )
  })
  if (found === undefined)
    return trial.fail(
      `${amount} ${currency} were paid in with the reference ${target} (--pay-in), and no event confirms them within ${bench.waits.settle_ms / 1000} s.`
    )
  return {
    target,
    payin: { payin_id: String(found["payin_id"]), amount: String(found["amount"]), currency: String(found["currency"]) }
  }
}

/** A command, not sent yet, that refunds all of a new pay-in. */
export const drawRefund = async (trial: Trial): Promise<SentCommand> =>
  draw.refund(trial.chance, (await payIn(trial)).payin)
