/** People who let payouts wait, and approve or decline them: drawn apart from the script, so that the rest of a seed stays as it is. */
import { movementOutcomes } from "../../engine/ports/Provider.ts"
import { calm, day, hour, minute, type Op, second } from "./program.ts"
import { makeOperationDrawer } from "./apart.ts"

const payouts: ReadonlySet<string> = new Set(["transfers.create", "offramps.create", "batches.confirm"])

/** A person, who calls as an operator, or with a key of a merchant. */
interface Approver {
  readonly token: string
  /** What precedes the name of an operation. */
  readonly table: "operator." | ""
}

/**
 * Adds, in every eighth simulation, approval rules of operators and merchants that cover payouts for some days. Acts that wait are approved
 * once or twice, declined, or left until they expire. An operator's rule covers limits too: acts that wait are done when they are approved.
 */
export const drawApprovals = (seed: number, ops: ReadonlyArray<Op>): ReadonlyArray<Op> => {
  const { add, chance, made } = makeOperationDrawer("approvals", seed, ops)
  if (seed % 8 !== 3) return []
  const operators = ["Ada", "Efe", "Ngozi"].map((name): Approver => {
    const input = { name, email: `${name.toLowerCase()}@example.com`, role: "treasury" }
    return { token: `@${add(second, "operator.operators.create", [input])}.token`, table: "operator." }
  })
  const merchants = ops
    .filter(({ call }) => call === "merchants.create")
    .map((merchant) => ({
      ...merchant,
      approvers: ["ada", "chidi", "efe"].map((name): Approver => {
        const input = { role: "approver", person: `${name}@merchant.example` }
        return { token: `@${add(merchant.at + minute, "apiKeys.create", [input], merchant.n)}.secret`, table: "" }
      })
    }))
  const decide = (at: number, as: number | null, { table, token }: Approver): void => {
    const decision = chance.happens(0.8) ? "approve" : "decline"
    const args = [`?approval/pending#${chance.between(0, 99)}`, { note: "seen" }]
    add(at, `${table}approvals.${decision}`, args, as, token)
  }
  /** Up to three decisions about what waits then: soon, later, or several at once. */
  const decideSome = (at: number, as: number | null, approvers: ReadonlyArray<Approver>): void => {
    let when = at
    // The same person may try twice.
    let approver = chance.pick(approvers)
    for (let times = chance.between(0, 3); times > 0; times--) {
      when += chance.pick([
        0,
        chance.between(1, 5 * minute),
        chance.between(1, 5 * minute),
        chance.between(1, 8 * hour)
      ])
      decide(when, as, approver)
      if (chance.happens(0.6)) approver = chance.pick(approvers)
    }
  }
  const cover = (merchant: (typeof merchants)[number] | null, from: number, until: number): void => {
    const table = merchant === null ? "operator." : ""
    const input = {
      operations: chance.pick([["payout"], ["payout"], ["transfer"], ["offramp"], ["transfer", "offramp"]]),
      ...chance.pick<object>([{}, {}, { above: { amount: "20.00", currency: "USDC" } }]),
      approvals: chance.pick([1, 2]),
      expires_after: chance.pick(["PT30M", "PT6H", "PT24H"])
    }
    const as = merchant?.n ?? null
    const rule = `@${add(from, `${table}approvalRules.create`, [input], as)}.id`
    if (chance.happens(0.3))
      add((from + until) / 2, `${table}approvalRules.update`, [rule, { approvals: chance.pick([1, 2]) }], as)
    add(until, `${table}approvalRules.end`, [rule], as)
    const covered = ops.filter(
      ({ as, at, call }) => payouts.has(call) && at >= from && at <= until && (merchant === null || as === merchant.n)
    )
    for (const { as, at, call, n } of covered) {
      decideSome(at, as, merchant === null ? operators : merchant.approvers)
      // Reports of what was not submitted.
      if (call === "batches.confirm" || chance.happens(0.5)) continue
      const word = { resource_id: `@${n}.id`, outcome: chance.pick(movementOutcomes) }
      add(at + chance.between(second, 20 * minute), "sandbox.outcome", [word], as)
    }
  }
  for (let times = chance.between(4, 8); times > 0; times--) {
    const from = chance.between(hour, calm - 8 * day)
    cover(chance.pick([null, null, ...merchants]), from, from + chance.between(2 * day, 12 * day))
  }
  /** Acts of operators that wait. */
  const from = chance.between(day, calm - 3 * day)
  const limit = { scope: "merchant", operations: ["payout"], currency: "USDC", max_amount: "900000000.00" }
  const id = `@${add(from, "operator.limits.create", [{ ...limit, window: "movement" }])}.id`
  const covered = [{ operations: ["limit"], approvals: 1, expires_after: "PT6H" }]
  const rule = `@${add(from + minute, "operator.approvalRules.create", covered)}.id`
  for (let hours = 1; hours < 9; hours++) {
    const at = from + hours * hour
    add(at, "operator.limits.update", [id, { status: hours % 2 === 0 ? "active" : "disabled" }])
    decideSome(at, null, operators)
  }
  add(from + 10 * hour, "operator.approvalRules.end", [rule, { note: "kept" }])
  for (const [nth, call] of ["update", "rotateToken", "revoke"].entries()) {
    const operator = made.findLast(({ call }) => call === "operator.operators.create")!.n
    add(calm - day + nth * hour, `operator.operators.${call}`, [
      `@${operator}.id`,
      nth === 0 ? { name: "Ngozi Eze" } : {}
    ])
  }
  return made
}
