/** Definite answers about money: absent, rejected and settled mean what they say, for ever. */
import { type Case, needs } from "../case.ts"
import { now, sleep } from "../clock.ts"
import { readStatus } from "../exchange.ts"
import type { SentCommand } from "../journal.ts"
import { isSameAmount, findSmallestUnit, formatUnits } from "../money.ts"
import type { Trial } from "../trial.ts"
import { drawConversion, drawPayout, requirePayoutTerms } from "./fixtures.ts"

/** Submits commands that the connector should reject, until one is rejected. Returns that one. */
const submitInvalid = async (trial: Trial): Promise<SentCommand | undefined> => {
  const terms = requirePayoutTerms(trial.bench)
  const { rejected } = trial.bench
  const candidates: Array<SentCommand> = []
  if (rejected !== null) candidates.push(drawPayout(trial, { destination: { ...terms.destinations[0], ...rejected } }))
  const { decimals, offered } = terms.range
  if (offered.most !== null) {
    const above = formatUnits(offered.most + findSmallestUnit(decimals), decimals)
    candidates.push(drawPayout(trial, { amount: above, source_amount: above }))
  }
  for (const command of candidates) {
    const answer = await trial.submit(command)
    if (readStatus(answer) === "rejected") return command
  }
  return undefined
}

/** Fails unless a rejected payout is rejected again, and its look-up never says that it is executed. */
const expectRejection = async (trial: Trial, command: SentCommand): Promise<void> => {
  for (let i = 0; i < 3; i++) {
    const answer = await trial.submit({ ...command, members: { ...command.members, attempt: i + 1 } })
    const { status } = trial.definite(answer)
    if (status !== "rejected")
      trial.fail(`A payout that was rejected is submitted again, and is "${String(status)}".`, answer.exchange)
    const found = await trial.status(command)
    if (found["status"] === "pending") trial.fail("A payout that was rejected is pending.")
  }
  await trial.neverExecuted(command, "It was rejected")
}

/** Looks up interrupted commands, waits, and looks them up again; then fails unless a repeat completes each of them, once. */
const requireRepeatsComplete = async (trial: Trial, commands: ReadonlyArray<SentCommand>): Promise<void> => {
  for (const command of commands) await trial.laterStatus(command)
  await sleep(trial.bench.waits.watch_ms)
  await Promise.all(
    commands.map(async (command) => {
      await trial.laterStatus(command)
      await trial.taken({ ...command, members: { ...command.members, attempt: 1 } })
      await trial.executedOnce(command)
    })
  )
}

export const payoutCases: ReadonlyArray<Case> = [
  {
    id: "payouts/ends",
    rule: "A payout to an account that can be paid ends with `success`, and its amount is the one that was asked for.",
    why: "Money of a payout without an end stays reserved, and the customer waits.",
    needs: [needs.payouts],
    run: async (trial) => {
      const command = drawPayout(trial)
      await trial.taken(command)
      const outcome = await trial.success(command)
      const { settled } = trial.bench.journal.of(command)
      const { amount = null } = outcome
      if (amount !== null && !isSameAmount(amount, command.members["amount"]))
        trial.fail(
          `The payout was of ${String(command.members["amount"])}, and its outcome has the amount ${String(amount)}.`,
          ...(settled === undefined ? [] : [settled.exchange])
        )
      await trial.executedOnceWhereSeen(command)
    }
  },
  {
    id: "payouts/awaits-person",
    rule: "A payout that waits for a person names who must do what, in `awaited_person` of its lookup; it stays `pending`, and a repeat changes nothing.",
    why: "Nobody does what nobody is told. And what waits may still be paid: it is not failed, and not to be paid again.",
    needs: [needs.payouts, needs.waiting],
    run: async (trial) => {
      const command = drawPayout(trial, {
        destination: { ...requirePayoutTerms(trial.bench).destinations[0], ...trial.bench.waiting }
      })
      const { status } = await trial.taken(command)
      if (status !== "accepted") return trial.unjudged(`the payout to --waiting-account is "${String(status)}" at once`)
      const found = await trial.status(command)
      if (found["status"] === "settled") return trial.unjudged("the payout to --waiting-account waited for nobody")
      if ((found["awaited_person"] ?? null) === null)
        trial.fail("A payout to --waiting-account is pending, and its lookup has no `awaited_person`.")
      await trial.taken({ ...command, members: { ...command.members, attempt: 1 } })
      await sleep(trial.bench.waits.watch_ms)
      await trial.executedOnceWhereSeen(command)
    }
  },
  {
    id: "payouts/settled-stays",
    rule: "A settled payout has the same outcome at every lookup, and a repeat changes nothing of it.",
    why: "Corridor has posted the outcome. Another one later is a loss or an exception for a person.",
    needs: [needs.payouts],
    run: async (trial) => {
      const command = drawPayout(trial)
      await trial.taken(command)
      await trial.success(command)
      for (let i = 0; i < 4; i++) {
        await trial.status(command)
        await trial.taken({ ...command, members: { ...command.members, attempt: i + 1 } })
        await sleep(trial.bench.waits.watch_ms / 4)
      }
      await trial.status(command)
    }
  },
  {
    id: "payouts/never-absent",
    rule: "From the moment a payout is taken, its lookup is never `absent`, however soon and often it is asked.",
    why: "`absent` makes Corridor give the money back to the customer, while the bank pays the recipient.",
    needs: [needs.payouts],
    run: async (trial) => {
      for (let i = 0; i < 3; i++) {
        const command = drawPayout(trial)
        // Looks a command up while `work` goes on, and for `after_ms` then: at first as fast as it is answered.
        const after_ms = trial.bench.waits.watch_ms
        const work = trial.taken(command)
        let isTaken = false
        const watching = (async () => {
          while (!isTaken) {
            await trial.status(command)
            await sleep(10)
          }
          const end = now() + after_ms
          for (let pause = 0.1; now() < end; pause = Math.min(60, pause * 1.5)) {
            await trial.status(command)
            await sleep(pause)
          }
        })()
        const taking = work.finally(() => {
          isTaken = true
        })
        await Promise.all([watching, taking])
        await trial.success(command)
      }
    }
  },
  {
    id: "payouts/absent-is-final",
    rule: "After `absent`, nothing begins to execute the payout but a new submission.",
    why: "Corridor has given the money back, or sent it through another bank. An execution that begins later is a second payment.",
    needs: [needs.payouts],
    run: async (trial) => {
      const { waits } = trial.bench
      const commands = Array.from({ length: 4 }, () => drawPayout(trial))
      await Promise.all(commands.map((command) => trial.cut(command)))
      await Promise.all(commands.map((command) => trial.laterStatus(command)))
      await sleep(waits.watch_ms * 2)
      for (const command of commands) {
        const { status } = await trial.laterStatus(command)
        if (status === "absent") await trial.neverExecuted(command, "Its lookup is `absent`")
      }
    }
  },
  {
    id: "payouts/late-request",
    rule: "A submission that was signed before an `absent` of its id, and arrives after it, is refused.",
    why: "A request can be delayed on its way. Corridor has given the money back since, and the payout would be paid by the platform.",
    needs: [needs.payouts],
    run: async (trial) => {
      const command = drawPayout(trial)
      const { wire } = trial.bench
      const late = trial.rewritten(trial.requestOf(command), trial.requestOf(command).body, { skew_s: -5 })
      await trial.absent(command, "It was never submitted")
      const answer = await trial.submit(command, { by: () => wire.send(late) })
      if (answer.kind !== "refused")
        trial.fail(
          "The request was signed five seconds before the lookup that found `absent`, and it is taken.",
          answer.exchange
        )
      await trial.absent(command, "Its submission was signed before an earlier `absent`")
      await sleep(1000)
      await trial.taken(command)
      await trial.executedOnceWhereSeen(command)
    }
  },
  {
    id: "payouts/rejected-stays",
    rule: "A rejected payout is rejected at every repeat, and is never executed.",
    why: "`rejected` gives the money back to the customer. An execution after it is paid by the platform.",
    needs: [needs.payouts],
    run: async (trial) => {
      const command = await submitInvalid(trial)
      if (command === undefined)
        return trial.unjudged("nothing is rejected: --rejected-account names an account that is")
      await expectRejection(trial, command)
    }
  },
  {
    id: "payouts/rejected-after-restart",
    rule: "A rejected payout is rejected after a restart too.",
    why: "`rejected` gives the money back to the customer. An execution after it is paid by the platform.",
    needs: [needs.payouts, needs.restart],
    phase: "restart",
    run: async (trial) => {
      const command = await submitInvalid(trial)
      if (command === undefined)
        return trial.unjudged("nothing is rejected: --rejected-account names an account that is")
      await trial.restart()
      await expectRejection(trial, command)
    }
  },
  {
    id: "payouts/many-at-once",
    rule: "Twenty payouts that are submitted at once are each executed once, each with its own amount.",
    why: "Payouts come in bursts. One that is dropped, doubled or mixed up with another is a wrong payment.",
    needs: [needs.payouts, needs.statements],
    run: async (trial) => {
      const commands = Array.from({ length: 20 }, () => drawPayout(trial))
      await Promise.all(commands.map((command) => trial.taken(command)))
      await Promise.all(commands.map((command) => trial.executedOnce(command)))
    }
  },
  {
    id: "payouts/cut-after-sending",
    rule: "A payout whose connection is cut after the request was sent is either absent for good or executed once; a repeat completes it.",
    why: "A dropped connection is the ordinary fault. Corridor looks the payout up, and repeats it under the same id.",
    needs: [needs.payouts, needs.statements],
    run: async (trial) => {
      const commands = Array.from({ length: 6 }, () => drawPayout(trial))
      await Promise.all(commands.map((command) => trial.cut(command)))
      await requireRepeatsComplete(trial, commands)
    }
  },
  {
    id: "payouts/cut-within-body",
    rule: "A request of which only a part arrived is not executed.",
    why: "A part of an order is no order: its amount and its account may be cut.",
    needs: [needs.payouts],
    run: async (trial) => {
      for (const share of [0.3, 0.98]) {
        const command = drawPayout(trial)
        await trial.cut(command, share)
        await trial.absent(command, "Only a part of the body was sent")
        await trial.neverExecuted(command, "Only a part of the body was sent")
      }
    }
  },
  {
    id: "payouts/killed-while-serving",
    rule: "Payouts that are submitted while the connector is killed are each absent for good, or executed once; none that was taken is forgotten.",
    why: "A process ends between asking the bank and writing it down. What it then forgets is paid twice; what it invents is never paid.",
    needs: [needs.payouts, needs.statements, needs.restart],
    phase: "crash",
    run: async (trial) => {
      for (let round = 0; round < 2; round++) {
        const commands = Array.from({ length: 12 }, () => drawPayout(trial))
        const submitting = Promise.all(
          commands.map(async (command, i) => {
            await sleep(i * 8)
            await trial.submit(command)
          })
        )
        await sleep(trial.chance.between(20, 90))
        await trial.restart()
        await submitting
        await requireRepeatsComplete(trial, commands)
      }
    }
  },
  {
    id: "conversions/both-sides",
    rule: "A conversion takes the source amount once, and gives the destination amount once.",
    why: "A side that is missing or has another amount is a loss of the whole conversion.",
    needs: [needs.conversions, needs.statements],
    run: async (trial) => {
      const command = drawConversion(trial)
      await trial.taken(command)
      await trial.executedOnce(command)
      const { destination_amount, destination_currency } = command.members
      const lines = await trial.bench.records.linesOf(command.id)
      const credits = lines.filter(
        ({ direction, currency }) => direction === "credit" && currency === destination_currency
      )
      const [credit] = credits
      if (credits.length !== 1 || !isSameAmount(credit?.amount, destination_amount))
        trial.fail(
          `The conversion gives ${String(destination_amount)} ${String(destination_currency)}, and the statement has ` +
            `${credits.length === 0 ? "no credit" : credits.map(({ amount }) => amount).join(" and ")} of it.`
        )
    }
  }
]
