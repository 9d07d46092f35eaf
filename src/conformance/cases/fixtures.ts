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

/** Finds the first text that a list has twice. */
export const findDuplicate = (all: ReadonlyArray<string>): string | undefined =>
  all.find((one, i) => all.indexOf(one) < i)

export const requirePayoutTerms = ({ subject }: Bench): PayoutTerms => requireFixture(subject.payouts())

export const drawPayout = ({ chance, bench }: Trial, members: draw.DrawnMembers = {}): SentCommand =>
  draw.drawPayout(chance, requirePayoutTerms(bench), members)

export const drawConversion = ({ chance, bench: { subject } }: Trial): SentCommand =>
  draw.drawConversion(chance, requireFixture(subject.conversions()))

export const drawIssue = ({ chance, bench: { subject } }: Trial): SentCommand =>
  draw.drawIssue(chance, requireFixture(subject.payins("issue")))

export const drawInstruction = ({ chance, bench: { subject } }: Trial): SentCommand => {
  const offered = requireFixture(subject.payins("payin"))
  const terms = subject.payouts()
  const range =
    typeof terms === "string"
      ? { decimals: 2, least: 10n ** 19n, most: 10n ** 20n, offered: { least: null, most: null } }
      : terms.range
  return draw.drawInstruction(chance, offered, draw.drawAmount(chance, range))
}

export const drawVerification = ({ chance }: Trial): SentCommand => draw.drawVerification(chance)

/** Gets payment instructions, has them paid, and waits for the event that reports it. */
export const makePayin = async (trial: Trial): Promise<{ readonly payin: draw.Payin; readonly target: string }> => {
  const { bench } = trial
  const command = drawInstruction(trial)
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

/** Makes a new pay-in, and draws the command that refunds all of it. The command is not sent yet. */
export const drawRefund = async (trial: Trial): Promise<SentCommand> =>
  draw.drawRefund(trial.chance, (await makePayin(trial)).payin)
