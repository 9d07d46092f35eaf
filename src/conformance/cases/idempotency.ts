/** One id is one command: the cases that every kind of command shares. */
import { type CaseArea, type Case, type Need, needs } from "../case.ts"
import * as draw from "../draw.ts"
import { type JsonMembers, readStatus } from "../exchange.ts"
import type { SentCommand } from "../journal.ts"
import type { Trial } from "../trial.ts"
import { drawConversion, drawInstruction, drawIssue, drawPayout, drawRefund, drawVerification } from "./fixtures.ts"

interface Kind {
  readonly area: CaseArea
  /** "payout", for sentences. */
  readonly noun: string
  readonly make: (trial: Trial) => SentCommand | Promise<SentCommand>
  readonly need: Need
  /** Whether executions are lines of the statement. */
  readonly isMoney: boolean
  /** Whether two commands may have one content: two equal salaries are two payouts. */
  readonly isRepeatable: boolean
  readonly twice: string
  readonly lost: string
}

const kinds: ReadonlyArray<Kind> = [
  {
    area: "payouts",
    noun: "payout",
    make: drawPayout,
    need: needs.payouts,
    isMoney: true,
    isRepeatable: true,
    twice: "The recipient is paid twice, and the platform loses the amount.",
    lost: "Corridor gives the money back to the customer while the bank pays the recipient."
  },
  {
    area: "conversions",
    noun: "conversion",
    make: drawConversion,
    need: needs.conversions,
    isMoney: true,
    isRepeatable: true,
    twice: "The platform buys the currency twice, and carries the difference of the rates.",
    lost: "Corridor gives the money back to the customer while the exchange is made."
  },
  {
    area: "refunds",
    noun: "refund",
    make: drawRefund,
    need: needs.refunds,
    isMoney: true,
    isRepeatable: false,
    twice: "The payer gets the money back twice.",
    lost: "The payer never gets the money back, or gets it while Corridor keeps it for a person to look at."
  },
  {
    area: "issues",
    noun: "issue of an address",
    make: drawIssue,
    need: needs.issues,
    isMoney: false,
    isRepeatable: false,
    twice: "A customer has two addresses, and Corridor knows one: what is paid to the other is credited to nobody.",
    lost: "An address that a customer was given is not Corridor's: what is paid there is credited to nobody."
  },
  {
    area: "instructions",
    noun: "payment instruction",
    make: drawInstruction,
    need: needs.payins,
    isMoney: false,
    isRepeatable: false,
    twice: "A payer has two references, and Corridor knows one: the payment is credited to nobody.",
    lost: "The reference that a payer was given is forgotten: the payment is credited to nobody."
  },
  {
    area: "verifications",
    noun: "verification",
    make: drawVerification,
    need: needs.verification,
    isMoney: false,
    isRepeatable: false,
    twice: "A customer verifies on one page while Corridor waits for the other.",
    lost: "A customer's verification is begun again from nothing."
  }
]

/** Reverses the order of the members of each object in a value. */
const reverseMembers = (value: unknown): unknown =>
  typeof value !== "object" || value === null
    ? value
    : Array.isArray(value)
      ? value.map(reverseMembers)
      : Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([name, member]) => [name, reverseMembers(member)])
        )

/** Other texts of the same JSON value. */
const rewritings: ReadonlyArray<(text: string) => string> = [
  (text) => JSON.stringify(reverseMembers(JSON.parse(text))),
  (text) => `\n${JSON.stringify(JSON.parse(text), null, "\t")}\r\n `,
  (text) =>
    JSON.stringify(reverseMembers(JSON.parse(text)), null, 3).replace(
      /[^\0-\x7e]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`
    )
]

/** Makes the repeat of a command with the next attempt number, as Corridor does. */
const makeNextAttempt = ({ id, family, members }: SentCommand): SentCommand => ({
  id,
  family,
  members: "attempt" in members ? { ...members, attempt: Number(members["attempt"]) + 1 } : members
})

const makeCases = ({ area, noun, make, need, isMoney, isRepeatable, twice, lost }: Kind): ReadonlyArray<Case> => {
  /** Waits until the command has ended; for money, counts its payments. What was issued is the same at a repeat. */
  const once = async (trial: Trial, command: SentCommand): Promise<void> => {
    if (isMoney) {
      await trial.executedOnce(command)
      return
    }
    await (command.family === "issue" ? trial.issued(command) : trial.known(command))
    await trial.taken(command)
    await trial.known(command)
  }
  const counted = isMoney ? [need, needs.statements] : [need]

  return [
    {
      id: `${area}/unknown-is-absent`,
      rule: `The lookup of an id that was never submitted is answered \`absent\`, with status 200 and signed, however often it is asked.`,
      why: "Corridor takes an unsigned answer or a 404 for unknown, and keeps the money reserved for ever.",
      needs: [need],
      run: async (trial) => {
        const command = await make(trial)
        for (let i = 0; i < 3; i++) await trial.absent(command, "The id was never submitted")
        await trial.taken(command)
        await trial.known(command)
      }
    },
    {
      id: `${area}/repeat`,
      rule: `A ${noun} that is submitted again with the same content is not executed again; \`attempt\` is not content.`,
      why: twice,
      needs: counted,
      run: async (trial) => {
        const command = await make(trial)
        await trial.taken(command)
        await trial.taken(command)
        await trial.taken(makeNextAttempt(command))
        await trial.known(command)
        await once(trial, command)
        await trial.taken(makeNextAttempt(makeNextAttempt(command)))
        for (let i = 0; i < 3; i++) await trial.known(command)
        await once(trial, command)
      }
    },
    {
      id: `${area}/repeat-in-other-form`,
      rule: "The same content with members in another order, other whitespace or escaped characters is a repeat, not a conflict.",
      why: `A client that is rewritten repeats its commands in another form. ${twice}`,
      needs: counted,
      run: async (trial) => {
        const command = await make(trial)
        await trial.taken(command)
        for (const body of rewritings) await trial.taken(command, { body })
        await once(trial, command)
      }
    },
    {
      id: `${area}/at-once`,
      rule: `A ${noun} that eight callers submit at once is executed once, and each gets a result that is definite.`,
      why: twice,
      needs: counted,
      run: async (trial) => {
        for (let round = 0; round < 2; round++) {
          const command = await make(trial)
          const answers = await Promise.all(Array.from({ length: 8 }, () => trial.submit(command)))
          const taken = answers.filter((answer) => readStatus(answer) !== "unavailable")
          for (const answer of answers) trial.definite(answer)
          const other = taken.find((answer) =>
            ["conflict", "rejected", "unsupported"].includes(String(readStatus(answer)))
          )
          if (other !== undefined)
            trial.fail(
              `One of eight callers with the same content is answered "${String(readStatus(other))}".`,
              other.exchange
            )
          if (taken.length === 0) await trial.taken(command)
          await once(trial, command)
        }
      }
    },
    {
      id: `${area}/conflict`,
      rule: "An id that is known with other content is answered `conflict`, and nothing is executed or changed.",
      why: `${twice} Or the first one's recipient gets the second one's amount.`,
      needs: counted,
      run: async (trial) => {
        const command = await make(trial)
        await trial.taken(command)
        await once(trial, command)
        for (const [member, other] of draw.listChangedCommands(trial.chance, command)) {
          const answer = await trial.submit(other)
          const status = trial.definite(answer)["status"]
          if (status !== "conflict")
            trial.fail(
              `The id is known with another ${member}, and the answer is ${JSON.stringify(status)}.`,
              answer.exchange
            )
        }
        await trial.taken(command)
        await once(trial, command)
      }
    },
    {
      id: `${area}/conflict-at-once`,
      rule: "Of eight callers with one id and different contents at once, one is served and the others get `conflict`.",
      why: `${twice} Two callers that are both served have both been paid.`,
      needs: counted,
      run: async (trial) => {
        const first = await make(trial)
        const [, second] = draw.listChangedCommands(trial.chance, first)[0]!
        const both = Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? first : second))
        const answers = await Promise.all(both.map((command) => trial.bench.wire.send(trial.requestOf(command))))
        const served = new Set<SentCommand>()
        answers.forEach((answer, i) => {
          const { status } = trial.definite(answer)
          if (status !== "conflict" && status !== "unavailable" && status !== "rejected") served.add(both[i]!)
        })
        if (served.size > 1) {
          const one = answers.find((answer, i) => both[i] === first && readStatus(answer) !== "conflict")!
          const other = answers.find((answer, i) => both[i] === second && readStatus(answer) !== "conflict")!
          trial.fail("Two different contents under one id are both taken.", one.exchange, other.exchange)
        }
        const [kept] = [...served]
        if (kept === undefined) return trial.unjudged("no caller was served")
        await trial.taken(kept)
        await once(trial, kept)
      }
    },
    {
      id: `${area}/restart`,
      rule: `After a restart the connector knows each ${noun} that it has taken: its lookup is never \`absent\`, and a repeat executes nothing.`,
      why: `${lost} Or the repeat is executed: ${twice.charAt(0).toLowerCase()}${twice.slice(1)}`,
      needs: [...counted, needs.restart],
      phase: "restart",
      run: async (trial) => {
        const fresh = await make(trial)
        const ended = await make(trial)
        await trial.taken(ended)
        await once(trial, ended)
        await trial.taken(fresh)
        await trial.restart()
        for (const command of [fresh, ended]) {
          await trial.known(command)
          await trial.taken(makeNextAttempt(command))
          await once(trial, command)
        }
        const [, other] = draw.listChangedCommands(trial.chance, ended)[0]!
        const answer = await trial.submit(other)
        if (trial.definite(answer)["status"] !== "conflict")
          trial.fail("After a restart, other content under a known id is no conflict.", answer.exchange)
      }
    },
    {
      id: `${area}/different-ids`,
      rule: `Two ids are two commands, whatever else they have in common: content, reference, or all but the last character of the id.`,
      why: isMoney
        ? "A connector that drops what looks like a repeat pays one of two recipients, and reports both as paid."
        : "Two customers share what belongs to one of them.",
      needs: counted,
      run: async (trial) => {
        const one = await make(trial)
        const long = one.id.padEnd(199, "0123456789")
        const ids = [one.id, `${one.id}${trial.chance.pick(["2", "-b", ".1"])}`, `${long}A`, `${long}B`, `${long}a`]
        const commands: Array<SentCommand> = []
        for (const id of ids) {
          // Two merchants may have one reference. What else is issued belongs to one resource.
          const other = isRepeatable ? one : await make(trial)
          const [merchant_id, resource_id] = [draw.drawId(trial.chance, "mer"), draw.drawId(trial.chance, "tfr")]
          commands.push({ ...other, id, members: { ...other.members, merchant_id, resource_id } })
        }
        const results: Array<readonly [SentCommand, JsonMembers]> = []
        for (const command of commands) results.push([command, await trial.taken(command)])
        requireDistinct(trial, results)
        if (isMoney) await Promise.all(commands.map((command) => trial.executedOnce(command)))
      }
    }
  ]
}

/** Fails if two ids got the same address, reference or page. */
const requireDistinct = (trial: Trial, results: ReadonlyArray<readonly [SentCommand, JsonMembers]>): void => {
  const seen = new Map<unknown, SentCommand>()
  for (const [command, result] of results) {
    for (const member of ["provider_resource_id", "target", "deposit_reference", "hosted_url"]) {
      const value = result[member]
      if (value === undefined || value === null) continue
      const before = seen.get(`${member} ${String(value)}`)
      if (before !== undefined)
        trial.fail(`The ids ${before.id} and ${command.id} get the same ${member}, ${JSON.stringify(value)}.`)
      seen.set(`${member} ${String(value)}`, command)
    }
  }
}

export const idempotencyCases: ReadonlyArray<Case> = kinds.flatMap(makeCases)
