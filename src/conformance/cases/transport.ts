/** HTTP as networks deliver it: several requests on one connection, slow ones, broken ones. */
import { type Case, needs } from "../case.ts"
import type { Request } from "../../protocol/messages.ts"

import { drawPayout } from "./fixtures.ts"

export const transportCases: ReadonlyArray<Case> = [
  {
    id: "transport/pipelined",
    rule: "Requests that follow one another on a connection without a wait are each answered, in order, each with its own answer.",
    why: "An answer that belongs to another payout settles or releases the wrong money.",
    needs: [needs.payouts],
    run: async (trial) => {
      const { wire, journal } = trial.bench
      const commands = Array.from({ length: 4 }, () => drawPayout(trial))
      const requests: ReadonlyArray<Request> = commands.flatMap((command) => [
        trial.request("payout_status", command.id, {}),
        trial.requestOf(command)
      ])
      const ended = commands.map((command) => journal.submitting(command, 0))
      const answers = await wire.pipelined(requests)
      for (const end of ended) end(answers[0]!.exchange.to_ms)
      for (const answer of answers) trial.definite(answer)
      for (const command of commands) {
        await trial.taken(command)
        await trial.success(command)
      }
    }
  },
  {
    id: "transport/slow-body",
    rule: "A request whose body arrives in small parts, over two seconds, is taken like any other.",
    why: "A slow network is ordinary. A part that is taken for the whole is a wrong payment.",
    needs: [needs.payouts],
    run: async (trial) => {
      const { wire } = trial.bench
      const command = drawPayout(trial, { narration: "Frais d’école – élève n° 7 ✓ 学费" })
      await trial.taken(command, { by: (request) => wire.slowly(request, 2000) })
      await trial.executedOnceWhereSeen(command)
    }
  },
  {
    id: "transport/keep-alive",
    rule: "A connection serves one request after the other, also after one that was refused.",
    why: "A connection that breaks after each refusal turns the next answers into unknown ones.",
    needs: [needs.payouts],
    run: async (trial) => {
      const { wire } = trial.bench
      for (let i = 0; i < 4; i++) {
        const command = drawPayout(trial)
        const bad = trial.rewritten(trial.requestOf(command), "", { headers: { "webhook-signature": null } })
        const [, after] = await wire.pipelined([bad, trial.request("payout_status", command.id, {})])
        if (after !== undefined && after.exchange.status !== null) trial.definite(after)
        await trial.absent(command, "It was never submitted with a signature")
      }
    }
  },
  {
    id: "transport/not-json",
    rule: "A signed body that is no JSON object in UTF-8, or lacks a required member, is refused with a 4xx, and the connector goes on.",
    why: "One broken request must neither stop the connector nor become a payment.",
    needs: [needs.payouts],
    run: async (trial) => {
      const bodies: ReadonlyArray<readonly [string, (text: string) => string]> = [
        ["The body is empty", () => ""],
        ["The body is cut JSON", (text) => text.slice(0, -7)],
        ["The body is an array", (text) => `[${text}]`],
        ["The body is null", () => "null"],
        ["The body is text", () => "payout"],
        ["The body nests ten thousand arrays", () => "[".repeat(10_000)],
        ["The body has no amount", (text) => text.replace(/"amount":"[^"]*",/, "")],
        ["The body has no destination", (text) => text.replace('"destination":', '"elsewhere":')]
      ]
      for (const [what, body] of bodies) {
        const command = drawPayout(trial)
        const answer = await trial.submit(command, { body })
        if (answer.kind !== "refused") trial.fail(`${what}, and it is not refused with a 4xx.`, answer.exchange)
        await trial.absent(command, what)
      }
      await trial.taken(drawPayout(trial))
    }
  },
  {
    id: "transport/unknown-path",
    rule: "An unknown path, and a known path with another method, are answered with a 4xx.",
    why: "A signed result for a request that means nothing could be taken for an answer.",
    needs: [],
    run: async (trial) => {
      const { wire } = trial.bench
      const request = trial.request("manifest", null, {})
      for (const path of ["/", "/payout", "/payouts", "/manifest/x", "/v2/manifest"]) {
        const answer = await wire.send({ ...request, path })
        if (answer.kind !== "refused") trial.fail(`GET ${path} is not answered with a 4xx.`, answer.exchange)
      }
    }
  },
  {
    id: "transport/at-once",
    rule: "Sixty requests at once are all answered.",
    why: "Answers that fail to come leave money unknown and reserved, just when there is much to pay.",
    needs: [],
    run: async (trial) => {
      const { wire } = trial.bench
      const requests = Array.from({ length: 60 }, () => trial.request("manifest", null, {}))
      for (const answer of await Promise.all(requests.map((one) => wire.send(one)))) trial.definite(answer)
    }
  }
]
