/** What a command may contain: any id, any text, members of a later version. */
import { type Case, needs } from "../case.ts"
import * as draw from "../draw.ts"
import type { JsonMembers } from "../exchange.ts"

import { drawPayout } from "./fixtures.ts"

const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"]

const texts: ReadonlyArray<readonly [string, string]> = [
  ["quotes and backslashes", `O'Brien & "Sons" \\ 50% <b>off</b>; drop table payouts; --`],
  ["newlines and tabs", "Invoice 7\nLine two\r\n\tLine three"],
  ["accents", "Frais d’école de Zoë Müller – nº 12 €"],
  ["other scripts", "发票 77 فاتورة счёт የክፍያ ọjà"],
  ["emoji", "Rent 🏠👨‍👩‍👧 paid"],
  ["a combining accent", "Cafe\u0301 Ade\u0300"],
  ["a format template", "{{amount}} ${amount} %s %n {0}"],
  ["spaces around it", "  Salary March  "]
]

/** Omits members that are null. */
const omitNulls = (value: unknown): unknown =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value)
          .filter(([, member]) => member !== null)
          .map(([name, member]) => [name, omitNulls(member)])
      )

export const contentCases: ReadonlyArray<Case> = [
  {
    id: "contents/ids",
    rule: "An id has 1 to 200 characters; it is read from the percent-encoded path and compared exactly, also by case.",
    why: "An id that is cut or folded is another command's: one of the two is never paid, or paid twice.",
    needs: [needs.payouts],
    run: async (trial) => {
      const { chance } = trial
      const of = (length: number): string => Array.from({ length }, () => chance.pick(letters)).join("")
      const ids = [
        of(1),
        of(200),
        `${of(20)}.payout`,
        `${of(12)}-_.~${of(4)}`,
        `${of(10)}:${of(4)}@${of(4)}`,
        `${of(10)}+${of(4)}=${of(4)}&${of(2)}`,
        `${of(10)}%2F${of(4)}`,
        `${of(10)}'${of(4)}`
      ]
      for (const id of ids) {
        const command = { ...drawPayout(trial), id }
        if ((await trial.status(command))["status"] !== "absent") continue
        await trial.taken(command)
        await trial.known(command)
        await trial.executedOnceWhereSeen(command)
      }
      const cased = { ...drawPayout(trial), id: `${of(24)}a` }
      await trial.taken(cased)
      const upper = { ...drawPayout(trial), id: `${cased.id.slice(0, -1)}A` }
      await trial.absent(upper, "Only an id that differs in case was submitted")
    }
  },
  {
    id: "contents/unknown-members",
    rule: "Members that the connector does not know are ignored, in the body and in the objects within.",
    why: "The protocol grows. A connector that refuses a new member stops paying when Corridor is updated.",
    needs: [needs.payouts],
    run: async (trial) => {
      const command = drawPayout(trial)
      const body = (text: string): string => {
        const members = JSON.parse(text) as JsonMembers
        return JSON.stringify({
          ...members,
          batch: { id: "bat_1", of: 3 },
          destination: { ...(members["destination"] as JsonMembers), branch_code: "001" },
          beneficiary: { ...(members["beneficiary"] as JsonMembers), phone: null }
        })
      }
      await trial.taken(command, { body })
      await trial.executedOnceWhereSeen(command)
    }
  },
  {
    id: "contents/null-or-absent",
    rule: "An optional member that is null and one that is absent are the same content.",
    why: "A repeat in the other form would be a conflict, and the payout would stay unknown.",
    needs: [needs.payouts],
    run: async (trial) => {
      const command = drawPayout(trial, { purpose_code: null, narration: null, originator: null })
      const body = (text: string): string => JSON.stringify(omitNulls(JSON.parse(text)))
      await trial.taken(command, { body })
      await trial.taken(command)
      await trial.taken(command, { body })
      await trial.executedOnceWhereSeen(command)
    }
  },
  {
    id: "contents/text",
    rule: "A narration and a name may have any character: quotes, newlines, accents, other scripts. A repeat is the same content.",
    why: "A text that breaks the connector leaves a payout unknown; one that is changed turns its repeat into a conflict.",
    needs: [needs.payouts],
    run: async (trial) => {
      for (const [, text] of texts) {
        const beneficiary = { id: draw.drawId(trial.chance, "ben"), name: text.replace(/\s+/g, " ").trim() }
        const command = drawPayout(trial, { narration: text, beneficiary })
        const answer = await trial.submit(command)
        const { status } = trial.definite(answer)
        const again = await trial.submit(command)
        const { status: repeated } = trial.definite(again)
        if (repeated === "conflict" || (status === "rejected") !== (repeated === "rejected"))
          trial.fail(
            `The narration is ${JSON.stringify(text)}: the first answer is "${String(status)}", that of the repeat "${String(repeated)}".`,
            answer.exchange,
            again.exchange
          )
        if (status !== "rejected") await trial.executedOnceWhereSeen(command)
      }
    }
  },
  {
    id: "contents/long-text",
    rule: "Texts have up to 500 characters.",
    why: "A long narration that breaks the connector leaves a payout unknown.",
    needs: [needs.payouts],
    run: async (trial) => {
      const command = drawPayout(trial, { narration: "Invoice é7 ".repeat(46).slice(0, 500) })
      await trial.taken(command)
      await trial.taken(command)
      await trial.executedOnceWhereSeen(command)
    }
  }
]
