/** Amounts: exact, within the limits, and never a JSON number. */
import { type Case, needs } from "../case.ts"
import { readStatus, type WireResponse } from "../exchange.ts"
import type { SentCommand } from "../journal.ts"
import { isSameAmount, findSmallestUnit, formatUnits } from "../money.ts"
import type { Trial } from "../trial.ts"
import { drawPayout, requirePayoutTerms } from "./fixtures.ts"

const drawPayoutOf = (trial: Trial, amount: string): SentCommand => drawPayout(trial, { amount, source_amount: amount })

/** Fails unless an invalid payout was refused, or rejected for good, and nothing was executed. */
const expectNoExecution = async (trial: Trial, command: SentCommand, answer: WireResponse, what: string) => {
  if (answer.kind === "unknown")
    trial.fail(`${what}; it is to be refused with a 4xx, or rejected: ${answer.fault}.`, answer.exchange)
  const status = readStatus(answer)
  if (status !== "refused" && status !== "rejected")
    trial.fail(`${what}, and the answer is "${String(status)}".`, answer.exchange)
  const found = await trial.lookup(command)
  const result = trial.definite(found)
  const outcome = result["outcome"] as { readonly outcome?: string } | undefined
  if (result["status"] === "pending" || outcome?.outcome === "success")
    trial.fail(`${what}, and its lookup is "${String(result["status"])}".`, found.exchange)
  await trial.neverExecuted(command, what)
}

/** Submits a payout whose amount is replaced by any JSON text. */
const sendRawAmount = (trial: Trial, json: string): Promise<readonly [SentCommand, WireResponse]> => {
  const command = drawPayout(trial)
  const right = `"amount":${JSON.stringify(command.members["amount"])}`
  const body = (text: string): string => text.replace(right, `"amount":${json}`)
  return trial.submit(command, { body }).then((answer) => [command, answer] as const)
}

const invalid: ReadonlyArray<readonly [string, string]> = [
  ["zero", '"0"'],
  ["zero with decimals", '"0.00"'],
  ["negative", '"-5.00"'],
  ["negative zero", '"-0"'],
  ["signed", '"+5.00"'],
  ["empty", '""'],
  ["a space", '" "'],
  ["between spaces", '" 5.00 "'],
  ["without a digit before the point", '".50"'],
  ["without a digit after the point", '"5."'],
  ["with a comma", '"5,00"'],
  ["with a thousands separator", '"1,000.00"'],
  ["in scientific notation", '"5e2"'],
  ["hexadecimal", '"0x10"'],
  ["not a number", '"NaN"'],
  ["infinite", '"Infinity"'],
  ["in Arabic digits", '"٥٠"'],
  ["with a currency", '"NGN 5.00"'],
  ["null", "null"],
  ["true", "true"],
  ["an array", '["5.00"]'],
  ["of nineteen digits", '"1000000000000000000"']
]

export const amountCases: ReadonlyArray<Case> = [
  {
    id: "amounts/exact",
    rule: "An amount is executed to its last decimal: outcome and statement have the amount that was sent.",
    why: "A floating-point number loses cents: 0.29 becomes 0.28, and the books no longer agree.",
    needs: [needs.payouts, needs.statements],
    run: async (trial) => {
      const { range } = requirePayoutTerms(trial.bench)
      const { decimals, least, most } = range
      const step = findSmallestUnit(decimals)
      const whole = 10n ** 18n
      const tricky = [29n, 57n, 58n, 1n, 10n, 99n, 7n]
        .map((hundredths) => (least / whole) * whole + whole + hundredths * (whole / 100n))
        .filter((units) => units >= least && units <= most && units % step === 0n)
      const amounts = [...tricky, least + step, most - step].filter((units) => units >= least && units <= most)
      if (amounts.length === 0) return trial.unjudged("the limits leave one amount")
      const texts = amounts.map((units) => formatUnits(units, decimals))
      const plain = formatUnits(((least + whole - 1n) / whole) * whole, 0)
      const commands = [...new Set([...texts, plain])].map((amount) => drawPayoutOf(trial, amount))
      for (const command of commands) await trial.taken(command)
      await Promise.all(
        commands.map(async (command) => {
          const { amount = null } = await trial.executedOnce(command)
          if (amount !== null && !isSameAmount(amount, command.members["amount"]))
            trial.fail(`${String(command.members["amount"])} was sent, and the outcome has ${String(amount)}.`)
        })
      )
    }
  },
  ...(["minimum", "maximum"] as const).map(
    (limit): Case => ({
      id: `amounts/${limit}`,
      rule: `The ${limit} of the offer is executed: it is inclusive.`,
      why: "Corridor sends what the manifest allows. A payout that is rejected at its limit fails for a customer who was promised it.",
      needs: [needs.payouts],
      run: async (trial) => {
        const { offer, range } = requirePayoutTerms(trial.bench)
        const units = limit === "minimum" ? range.offered.least : range.offered.most
        if (units === null || units <= 0n) return trial.unjudged(`the offer has no ${limit}`)
        if (units > range.most) return trial.unjudged(`the ${limit}, ${offer[limit]}, is above --max-amount`)
        const command = drawPayoutOf(trial, formatUnits(units, range.decimals))
        await trial.taken(command)
        await trial.executedOnceWhereSeen(command)
      }
    })
  ),
  {
    id: "amounts/beyond-limits",
    rule: "An amount just below the smallest or just above the largest of the offer is rejected or refused, and not executed.",
    why: "Limits are promises to the bank. What is above them is held back by the bank later, when the customer counts on it.",
    needs: [needs.payouts],
    run: async (trial) => {
      const { range, offer } = requirePayoutTerms(trial.bench)
      const { offered, decimals } = range
      const step = findSmallestUnit(decimals)
      if ((offered.least ?? 0n) <= step && offered.most === null) return trial.unjudged("the offer has no limits")
      if (offered.least !== null && offered.least > step) {
        const command = drawPayoutOf(trial, formatUnits(offered.least - step, decimals))
        const answer = await trial.submit(command)
        await expectNoExecution(trial, command, answer, `The amount is below the minimum ${offer.minimum}`)
      }
      if (offered.most !== null) {
        const command = drawPayoutOf(trial, formatUnits(offered.most + step, decimals))
        const answer = await trial.submit(command)
        await expectNoExecution(trial, command, answer, `The amount is above the maximum ${offer.maximum}`)
      }
    }
  },
  {
    id: "amounts/invalid",
    rule: "An amount that is zero, negative, or no plain decimal string is refused or rejected, and nothing is executed.",
    why: "A negative payout takes money from the recipient; a misread one pays another amount.",
    needs: [needs.payouts],
    run: async (trial) => {
      for (const [what, json] of invalid) {
        const [command, answer] = await sendRawAmount(trial, json)
        await expectNoExecution(trial, command, answer, `The amount is ${what}, ${json}`)
      }
    }
  },
  {
    id: "amounts/json-number",
    rule: "An amount that is a JSON number is refused, and nothing is executed.",
    why: "A JSON number is a floating-point number in most languages: 0.1 + 0.2 is not 0.3.",
    needs: [needs.payouts],
    run: async (trial) => {
      for (const json of ["5", "5.00", "1e1"]) {
        const [command, answer] = await sendRawAmount(trial, json)
        await expectNoExecution(trial, command, answer, `The amount is the JSON number ${json}`)
      }
    }
  },
  {
    id: "amounts/too-precise",
    rule: "An amount with more decimals than the currency has is refused or rejected, not rounded.",
    why: "A rounded payment is another payment than the one in the books.",
    needs: [needs.payouts],
    run: async (trial) => {
      const { range } = requirePayoutTerms(trial.bench)
      const { decimals, least } = range
      const base = formatUnits(least + findSmallestUnit(decimals), decimals)
      const point = decimals === 0 ? "." : ""
      const texts = [
        `${base}${point}${"0".repeat(17 - decimals)}1`,
        `${base}${point}5`,
        `${base}${point}${"9".repeat(18 - decimals)}`
      ]
      for (const amount of texts) {
        const [command, answer] = await sendRawAmount(trial, JSON.stringify(amount))
        await expectNoExecution(trial, command, answer, `The amount has more decimals than the currency, ${amount}`)
      }
    }
  }
]
