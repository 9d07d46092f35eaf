/** Signatures of requests: the connector executes what Corridor signed, and nothing else. */
import { type Case, needs } from "../case.ts"
import type { WireResponse, Forgery, JsonMembers } from "../exchange.ts"
import type { SentCommand } from "../journal.ts"
import type { Trial } from "../trial.ts"
import { drawPayout } from "./fixtures.ts"

const stranger = `whsec_${Buffer.from("another secret of thirty-two byt").toString("base64")}`

/** Fails unless the answer refuses the payout, and nothing was executed. */
const expectRefusal = async (trial: Trial, command: SentCommand, answer: WireResponse, what: string): Promise<void> => {
  if (answer.kind === "result")
    trial.fail(`${what}, and the answer is a signed ${JSON.stringify(answer.result)}.`, answer.exchange)
  if (answer.kind === "unknown")
    trial.fail(`${what}; it is to be refused with a status from 400 to 499: ${answer.fault}.`, answer.exchange)
  await trial.absent(command, what)
  await trial.neverExecuted(command, what)
}

/** Submits a payout with each forgery, and fails unless each is refused and nothing is executed. Then submits the genuine one. */
const checkForgeries = async (trial: Trial, all: ReadonlyArray<readonly [string, Forgery]>): Promise<void> => {
  const command = drawPayout(trial)
  for (const [what, forgery] of all) {
    const answer = await trial.submit(command, { forgery })
    await expectRefusal(trial, command, answer, what)
  }
  await trial.taken(command)
}

const why = "Without it, anyone who reaches the port can pay out the platform's money."

export const signatureCases: ReadonlyArray<Case> = [
  {
    id: "signatures/missing",
    rule: "A request without a signature, its timestamp or its id is refused, and nothing is executed.",
    why,
    needs: [needs.payouts],
    run: (trial) =>
      checkForgeries(trial, [
        [
          "The request is not signed at all",
          { headers: { "webhook-id": null, "webhook-timestamp": null, "webhook-signature": null } }
        ],
        ["webhook-signature is missing", { headers: { "webhook-signature": null } }],
        ["webhook-timestamp is missing", { headers: { "webhook-timestamp": null } }],
        ["webhook-id is missing", { headers: { "webhook-id": null } }]
      ])
  },
  {
    id: "signatures/malformed",
    rule: "A signature that is cut, empty, of another version, or whose timestamp is no number is refused.",
    why,
    needs: [needs.payouts],
    run: (trial) =>
      checkForgeries(trial, [
        ["The signature is empty", { signature: () => "v1," }],
        ["The signature is cut", { signature: (right) => right.slice(0, 20) }],
        ["The signature has no version", { signature: (right) => right.slice(3) }],
        ["The signature is of an unknown version", { signature: (right) => `v9${right.slice(2)}` }],
        ["The timestamp is no number", { headers: { "webhook-timestamp": "now" } }]
      ])
  },
  {
    id: "signatures/wrong-secret",
    rule: "A request that another secret signed is refused, and nothing is executed.",
    why,
    needs: [needs.payouts],
    run: (trial) => checkForgeries(trial, [["Another secret signed the request", { secret: stranger }]])
  },
  {
    id: "signatures/reading",
    rule: "A GET that another secret signed is refused: a lookup, the statement, the events.",
    why: "The statement and the events name customers, accounts and amounts.",
    needs: [],
    run: async (trial) => {
      const { subject, wire } = trial.bench
      const readings = [
        ["manifest", true],
        ["balances", subject.serves("balances")],
        ["statements", subject.serves("statements")],
        ["events", subject.manifest.events.readable]
      ] as const
      for (const [operation] of readings.filter(([, isServed]) => isServed)) {
        for (const forgery of [{ secret: stranger }, { headers: { "webhook-signature": null } }] as const) {
          const request = trial.request(operation, null, {})
          const answer = await wire.send(trial.rewritten(request, "", forgery))
          if (answer.kind !== "refused")
            trial.fail(`GET ${request.path} without a valid signature is not refused with a 4xx.`, answer.exchange)
        }
      }
    }
  },
  {
    id: "signatures/stale",
    rule: "A request that was signed more than 300 s ago is refused, whatever its signature.",
    why: "A request that was recorded is sent again later, when the id may be forgotten or the secret replaced.",
    needs: [needs.payouts],
    run: (trial) =>
      checkForgeries(trial, [
        ["The request was signed 310 s ago", { skew_s: -310 }],
        ["The request was signed a day ago", { skew_s: -86_400 }]
      ])
  },
  {
    id: "signatures/future",
    rule: "A request that is signed for a time more than 300 s ahead is refused.",
    why: "Such a request could be kept and sent for as long as its time is ahead.",
    needs: [needs.payouts],
    run: (trial) =>
      checkForgeries(trial, [
        ["The request is signed for a time 310 s ahead", { skew_s: 310 }],
        ["The request is signed for a time a day ahead", { skew_s: 86_400 }]
      ])
  },
  {
    id: "signatures/clock-skew",
    rule: "A request is taken when the clocks differ by less than 300 s.",
    why: "Clocks of two companies differ. Refusing a payout for two minutes stops all payouts.",
    needs: [needs.payouts],
    run: async (trial) => {
      for (const skew_s of [-240, 240]) await trial.taken(drawPayout(trial), { forgery: { skew_s } })
    }
  },
  {
    id: "signatures/other-body",
    rule: "A request whose signature is of another body is refused, and nothing is executed.",
    why: "Someone who can change a request on its way can change the account or the amount.",
    needs: [needs.payouts],
    run: async (trial) => {
      const command = drawPayout(trial)
      const { body } = trial.requestOf(command)
      await checkForgeries(trial, [
        ["The signature is of another payout", { signed_body: body }],
        ["The signature is of an empty body", { signed_body: "" }]
      ])
      const amount = String(command.members["amount"])
      const answer = await trial.submit(command, {
        body: (text) => text.replace(`"amount":"${amount}"`, `"amount":"1${amount}"`),
        forgery: { signed_body: body }
      })
      await expectRefusal(trial, command, answer, "The amount was changed after signing")
    }
  },
  {
    id: "signatures/other-operation",
    rule: "A body that names another operation than the path is refused with 400, and nothing is executed.",
    why: "The signature covers neither method nor path: a signed refund sent to the path of payouts must not be paid.",
    needs: [needs.payouts],
    run: async (trial) => {
      for (const operation of ["payout_status", "refund", "conversion", "screen", ""]) {
        const command = drawPayout(trial)
        const answer = await trial.submit(command, {
          body: (text) => JSON.stringify({ ...(JSON.parse(text) as JsonMembers), operation })
        })
        await expectRefusal(trial, command, answer, `The body names the operation ${JSON.stringify(operation)}`)
      }
      const command = drawPayout(trial)
      const answer = await trial.submit(command, {
        body: (text) => JSON.stringify({ ...(JSON.parse(text) as JsonMembers), operation: undefined })
      })
      await expectRefusal(trial, command, answer, "The body names no operation")
    }
  },
  {
    id: "signatures/other-id",
    rule: "A body whose id is not the one of the path is refused with 400, and neither id is executed.",
    why: "A signed payout sent to another path would be paid a second time, under that path's id.",
    needs: [needs.payouts],
    run: async (trial) => {
      const [one, other] = [drawPayout(trial), drawPayout(trial)]
      const { wire } = trial.bench
      const paid = drawPayout(trial)
      await trial.taken(paid)
      const cases = [
        [one, other],
        [one, paid]
      ] as const
      for (const [path, body] of cases) {
        const answer = await trial.submit(path, {
          by: (request) => wire.send(trial.rewritten(request, trial.requestOf(body).body))
        })
        await expectRefusal(trial, path, answer, "The id of the body is not the one of the path")
      }
      await trial.absent(other, "It was named in the body of another id's request")
      await trial.executedOnceWhereSeen(paid)
    }
  },
  {
    id: "signatures/rotation",
    rule: "One valid signature among several is enough, and signatures of other versions are ignored.",
    why: "While a secret is replaced, Corridor signs with the old and the new one. Refusing that stops all payouts.",
    needs: [needs.payouts],
    run: async (trial) => {
      const other = `v1,${Buffer.alloc(32, 7).toString("base64")}`
      const signatures: ReadonlyArray<(right: string) => string> = [
        (right) => `${right} ${other}`,
        (right) => `${other} ${right}`,
        (right) => `v1a,${"A".repeat(86)}== ${right}`
      ]
      for (const signature of signatures) await trial.taken(drawPayout(trial), { forgery: { signature } })
    }
  },
  {
    id: "signatures/replayed",
    rule: "The same signed bytes, received twice, are executed once.",
    why: "A proxy that repeats a request, or someone who recorded it, must not pay twice.",
    needs: [needs.payouts, needs.statements],
    run: async (trial) => {
      const command = drawPayout(trial)
      const { wire } = trial.bench
      const request = trial.requestOf(command)
      await trial.taken(command, { by: () => wire.send(request) })
      const again = await trial.submit(command, { by: () => wire.send(request) })
      if (again.kind === "unknown") trial.definite(again)
      await trial.executedOnce(command)
    }
  },
  {
    id: "signatures/answers-are-bound",
    rule: "Each answer is signed at its own time under an id of its own, and names the request_id, operation and id of its request.",
    why: "An old `absent` or `rejected` that is sent again releases money that was paid.",
    needs: [needs.payouts],
    run: async (trial) => {
      const { wire } = trial.bench
      const command = drawPayout(trial)
      const lookups = Array.from({ length: 3 }, () => trial.requestOf(command)).map(({ id }) =>
        trial.request("payout_status", id, {})
      )
      for (const request of lookups) trial.definite(await wire.send(request))
      await trial.taken(command)
      const many = Array.from({ length: 6 }, () => drawPayout(trial))
      const answers = await Promise.all(
        many.flatMap((one) => [
          wire.send(trial.request("payout_status", one.id, {})),
          wire.send(trial.request("manifest", null, {}))
        ])
      )
      for (const answer of answers) trial.definite(answer)
    }
  }
]
