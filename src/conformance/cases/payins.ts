/** Money in: addresses, references, and returning what was paid. */
import { readStatus } from "../exchange.ts"
import { type Case, needs } from "../case.ts"
import * as draw from "../draw.ts"
import type { Details } from "../../protocol/details.ts"
import { toCanonicalText } from "../journal.ts"
import { isSameAmount, formatUnits, parseSignedUnits } from "../money.ts"
import type { Trial } from "../trial.ts"
import { drawInstruction, drawIssue, makePayin } from "./fixtures.ts"

/** Draws a refund of a part of a pay-in, given in hundredths. */
const drawPartialRefund = (trial: Trial, payin: draw.Payin, hundredths: bigint) => {
  const decimals = /\.(\d+)$/.exec(payin.amount)?.[1]?.length ?? 0
  const unit = 10n ** BigInt(18 - decimals)
  const part = (((parseSignedUnits(payin.amount) ?? 0n) * hundredths) / 100n / unit) * unit
  return draw.drawRefund(trial.chance, { ...payin, amount: formatUnits(part, decimals) })
}

export const payinCases: ReadonlyArray<Case> = [
  {
    id: "issues/target",
    rule: "An address or account is issued with a target of its own, at once or by an event, and its lookup agrees.",
    why: "Pay-ins are credited by their target. A target of two customers credits the wrong one.",
    needs: [needs.issues],
    run: async (trial) => {
      const targets = new Map<string, string>()
      for (let i = 0; i < 5; i++) {
        const command = drawIssue(trial)
        await trial.taken(command)
        const { target } = await trial.issued(command)
        const before = targets.get(String(target))
        if (before !== undefined)
          trial.fail(`The ids ${before} and ${command.id} have the same target, ${String(target)}.`)
        targets.set(String(target), command.id)
      }
    }
  },
  {
    id: "issues/details",
    rule: "The details are what was asked for: those of a bank account, or an address on the network, which is also the target. The event of an issue has the details of its lookup, and no two ids have the same.",
    why: "The payer follows the details. Money that is paid to another account, or with nothing that tells two customers apart, is credited to nobody or to the wrong one.",
    needs: [needs.issues],
    run: async (trial) => {
      const seen = new Map<string, string>()
      for (let i = 0; i < 3; i++) {
        const command = drawIssue(trial)
        await trial.taken(command)
        const result = await trial.issued(command)
        const { details, target } = result as { readonly details: Details; readonly target: string }
        const { network, type } = command.members as { readonly network: string; readonly type: string }
        const isAddress = "address" in details
        const shown = JSON.stringify(details)
        if (isAddress !== (type === "crypto"))
          trial.fail(`An issue of the type ${JSON.stringify(type)} has the details ${shown}.`)
        if (isAddress && (details.network !== network || details.address.toLowerCase() !== target.toLowerCase()))
          trial.fail(`An address on ${network} with the target ${target} has the details ${shown}.`)
        const where = isAddress ? shown : JSON.stringify([details.account_number, details.reference])
        if (seen.has(where)) trial.fail(`The ids ${seen.get(where)} and ${command.id} have the same details, ${shown}.`)
        seen.set(where, command.id)
        const { callbacks, follower } = trial.bench
        const events = [...((await follower?.readOn()) ?? []), ...(callbacks?.events ?? [])]
        const event = events.find(
          ({ type, resource_id }) => type === "issued" && resource_id === command.members["resource_id"]
        )
        if (event !== undefined && toCanonicalText(event["details"]) !== toCanonicalText(result["details"]))
          trial.fail(
            `The details of ${command.id} are ${shown}, and its event has ${toCanonicalText(event["details"])}.`
          )
      }
    }
  },
  {
    id: "instructions/reference",
    rule: "Each instruction has a deposit reference of its own, and its lookup has the same.",
    why: "A payment is credited by its reference. A reference of two payers credits the wrong one.",
    needs: [needs.payins],
    run: async (trial) => {
      const references = new Set<unknown>()
      for (let i = 0; i < 6; i++) {
        const command = drawInstruction(trial)
        const { deposit_reference } = await trial.taken(command)
        await trial.known(command)
        if (references.has(deposit_reference))
          trial.fail(`Two instructions have the reference ${JSON.stringify(deposit_reference)}.`)
        references.add(deposit_reference)
      }
    }
  },
  {
    id: "instructions/paid",
    rule: "A payment with the reference is reported once as confirmed, with its target, amount and currency.",
    why: "Money that is not reported is credited to nobody; reported under two ids, it is credited twice.",
    needs: [needs.refunds],
    run: async (trial) => {
      const { payin, target } = await makePayin(trial)
      const { bench } = trial
      await bench.records.lines().catch(() => undefined)
      const events = (await bench.follower?.readOn()) ?? bench.callbacks?.events ?? []
      const ids = new Set(events.filter((event) => event["target"] === target).map((event) => event["payin_id"]))
      if (ids.size !== 1) trial.fail(`One payment with the reference ${target} has ${ids.size} pay-in ids.`)
      const event = events.find((one) => one["payin_id"] === payin.payin_id && one["stage"] === "confirmed")
      if (event !== undefined && !isSameAmount(event["amount"], payin.amount))
        trial.fail(`${payin.amount} were paid in, and the event has ${String(event["amount"])}.`)
    }
  },
  {
    id: "refunds/unknown-pay-in",
    rule: "A refund of a pay-in that the connector does not know is rejected or refused, at every repeat.",
    why: "Money that never came in is paid out.",
    needs: [needs.payins],
    run: async (trial) => {
      const terms = trial.bench.subject.payins("payin")
      if (typeof terms === "string") return trial.unjudged(terms)
      const payin_id = `pay_${draw.drawUlid(trial.chance)}`
      const command = draw.drawRefund(trial.chance, { payin_id, amount: "5.00", currency: terms.currency })
      for (let i = 0; i < 3; i++) {
        const answer = await trial.submit(command)
        if (answer.kind === "unknown") trial.definite(answer)
        const status = readStatus(answer)
        if (status !== "rejected" && status !== "refused")
          trial.fail(`The pay-in is unknown, and its refund is "${String(status)}".`, answer.exchange)
      }
      await trial.neverExecuted(command, "The pay-in is unknown")
    }
  },
  {
    id: "refunds/never-more-than-paid",
    rule: "The sum of the refunds of a pay-in never exceeds it, whatever their ids and however many come at once.",
    why: "A pay-in that is returned twice is the platform's loss.",
    needs: [needs.refunds],
    run: async (trial) => {
      const { payin } = await makePayin(trial)
      const refunds = Array.from({ length: 5 }, () => drawPartialRefund(trial, payin, 60n))
      const answers = await Promise.all(refunds.map((command) => trial.submit(command)))
      const taken = refunds.filter((_, i) => {
        const { status } = trial.definite(answers[i]!)
        return status === "accepted" || status === "settled"
      })
      const ends = await Promise.all(taken.map((command) => trial.outcome(command)))
      const paid = ends.filter(({ outcome }) => outcome === "success").length
      if (paid > 1) trial.fail(`${paid} refunds of 60 % of one pay-in succeeded.`, answers[0]!.exchange)
      if (paid === 0) trial.fail("No refund of 60 % of a pay-in succeeded.", answers[0]!.exchange)
      const rest = drawPartialRefund(trial, payin, 40n)
      await trial.taken(rest)
      await trial.success(rest)
    }
  }
]
