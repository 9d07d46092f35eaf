/** The manifest says what the connector serves, and it serves that. */
import { readStatus } from "../exchange.ts"
import { parseSignedUnits } from "../money.ts"
import { type Operation, operationNames, operations, type Service } from "../../protocol/operations.ts"
import { type Case, needs } from "../case.ts"
import * as draw from "../draw.ts"
import { parseManifest } from "../subject.ts"
import { toCanonicalText } from "../journal.ts"

/** Operations without a command, each with the service that offers it. */
const readings: ReadonlyArray<readonly [Operation, Service]> = [
  ["banks", "directory"],
  ["rates", "rates"],
  ["balances", "statements"],
  ["statements", "statements"]
]

export const manifestCases: ReadonlyArray<Case> = [
  {
    id: "manifest/well-formed",
    rule: "The manifest names protocol 1, and offers with known operations, amounts as decimal strings, and limits in order.",
    why: "Corridor sends a payout only to a connector whose manifest offers it. A wrong limit sends money where it cannot be paid.",
    needs: [],
    run: async (trial) => {
      const answer = await trial.bench.wire.send(trial.request("manifest", null, {}))
      const manifest = parseManifest(trial.definite(answer))
      if (manifest.offers.length === 0) trial.fail("The manifest has no offers.", answer.exchange)
      for (const { operation, currency, destination_currency, minimum, maximum } of manifest.offers) {
        const [least, most] = [parseSignedUnits(minimum ?? "0") ?? 0n, parseSignedUnits(maximum ?? "0") ?? 0n]
        if (minimum !== null && maximum !== null && least > most)
          trial.fail(
            `The offer of ${operation} ${currency ?? ""} has the minimum ${minimum}, above its maximum ${maximum}.`,
            answer.exchange
          )
        if (operation === "conversion" && currency !== null && currency === destination_currency)
          trial.fail(`The conversion of ${currency} has itself as its destination.`, answer.exchange)
      }
    }
  },
  {
    id: "manifest/stable",
    rule: "The manifest is the same whenever it is read, by several callers at once too.",
    why: "Routing freezes a provider on a movement. Offers that come and go leave movements without one.",
    needs: [],
    run: async (trial) => {
      const requests = Array.from({ length: 4 }, () => trial.request("manifest", null, {}))
      const answers = await Promise.all(requests.map((request) => trial.bench.wire.send(request)))
      const [first, ...others] = answers.map((answer) => toCanonicalText(trial.definite(answer)))
      const other = others.findIndex((text) => text !== first)
      if (other >= 0)
        trial.fail("Two readings of the manifest differ.", answers[0]!.exchange, answers[other + 1]!.exchange)
    }
  },
  {
    id: "manifest/identity-stays",
    rule: "The `id` of the manifest is the same after a restart.",
    why: "A connector with another id is another connector: Corridor does not use it under the name of the first.",
    needs: [needs.identity, needs.restart],
    phase: "restart",
    run: async (trial) => {
      const before = await trial.bench.wire.send(trial.request("manifest", null, {}))
      await trial.restart()
      const after = await trial.bench.wire.send(trial.request("manifest", null, {}))
      if (trial.definite(before)["id"] !== trial.definite(after)["id"])
        trial.fail("The manifest has another `id` after the restart.", before.exchange, after.exchange)
    }
  },
  {
    id: "manifest/offers-are-served",
    rule: "What the manifest offers is served; an operation that it does not offer is answered `unsupported`, signed, with status 200.",
    why: "A payout that goes to a connector which does not serve it stays unknown, and its money stays reserved.",
    needs: [],
    run: async (trial) => {
      const { subject, wire } = trial.bench
      for (const [operation, service] of readings) {
        const answer = await wire.send(trial.request(operation, null, {}))
        const isUnsupported = trial.definite(answer)["status"] === "unsupported"
        if (isUnsupported && subject.offers(service))
          trial.fail(`The manifest offers ${service}, and ${operation} is "unsupported".`, answer.exchange)
      }
      const lookups = operationNames.filter((name) => name.endsWith("_status"))
      for (const operation of lookups) {
        const { service } = operations[operation]
        const answer = await wire.send(trial.request(operation, `${draw.drawId(trial.chance, "tfr")}.payout`, {}))
        const status = trial.definite(answer)["status"]
        const isOffered = service !== null && subject.offers(service)
        if (isOffered && status === "unsupported")
          trial.fail(`The manifest offers ${service}, and ${operation} is "unsupported".`, answer.exchange)
        if (!isOffered && status !== "unsupported" && status !== "absent")
          trial.fail(`${operation}, which is not offered, is answered ${JSON.stringify(status)}.`, answer.exchange)
      }
    }
  },
  {
    id: "manifest/unoffered-currency",
    rule: "A payout in a currency that the manifest does not offer is not executed.",
    why: "A payout in the wrong currency pays another amount of money than the customer gave.",
    needs: [({ subject }) => (typeof subject.payouts() === "string" ? "no payout is offered" : undefined)],
    run: async (trial) => {
      const { subject } = trial.bench
      const terms = subject.payouts()
      if (typeof terms === "string") return trial.unjudged(terms)
      const offered = subject.manifest.offers.filter(({ operation }) => operation === "payout")
      const other = ["JPY", "BRL", "INR"].find((code) =>
        offered.every(({ currency }) => currency !== null && currency !== code)
      )
      if (other === undefined) return trial.unjudged("payouts of all currencies are offered")
      const command = draw.drawPayout(trial.chance, { ...terms, currency: other })
      const answer = await trial.submit(command)
      if (answer.kind === "unknown") trial.definite(answer)
      const status = readStatus(answer)
      if (status === "accepted" || status === "settled")
        trial.fail(`A payout of ${other}, which is not offered, is answered "${status}".`, answer.exchange)
      await trial.neverExecuted(command, "The currency is not offered")
    }
  }
]
