/** Seeded defects of approvals, limits, fee schedules and statements. */
import { type Defect, defect } from "./defect.ts"

const transfer = "src/machines/movements/transfer.ts"
const offramp = "src/machines/movements/offramp.ts"
const terms = "src/engine/calls/CurrentTerms.ts"
const release = "src/engine/resources/movements/creation.ts"

export const controls: ReadonlyArray<Defect> = [
  defect(
    "a transfer that must wait does not",
    transfer,
    `always: [{ guard: "awaits", target: "approving" }, { target: "queued" }]`,
    `always: [{ target: "queued" }]`
  ),
  defect(
    "a declined transfer keeps its reservation",
    transfer,
    `"approval.declined": { target: "failed", actions: [because("cancelled"), money.release] }`,
    `"approval.declined": { target: "failed", actions: [because("cancelled")] }`
  ),
  defect("the approval of one side is enough", offramp, `{ guard: "awaitsMore", actions: "approved" },`, ``),
  defect(
    "the rate of an approved offramp is not kept",
    offramp,
    `{ target: "created", actions: ["approved", "relocked"] }`,
    `{ target: "created", actions: ["approved"] }`
  ),
  defect(
    "one person approves twice",
    "src/engine/resources/controls/approval.ts",
    `if (state === "pending" && data.approvals.some((given) => isSamePerson(given.by, by)))`,
    `if (data.approvals.length > 2)`
  ),
  defect(
    "what has no amount in the currency of a rule does not wait",
    "src/engine/calls/ActiveApprovalRules.ts",
    `if (sums.length === 0 || !sums.every(isComparable)) return true`,
    `if (sums.length === 0) return true`
  ),
  defect(
    "the longest time of several rules counts",
    "src/engine/calls/ActiveApprovalRules.ts",
    `[Math.min(...times)]`,
    `[Math.max(...times)]`
  ),
  defect("a limit does not get back what has failed", release, `return isUnmoved(row) ? [] :`, `return`),
  defect(
    "a limit gets back money that is lost",
    release,
    `(status === "failed" || status === "returned") && !hasRefundFailed(data)`,
    `(status === "failed" || status === "returned") && data.attempts >= 0`
  ),
  defect(
    "a limit gets back what returned after its success",
    release,
    `if ((counted === undefined && over === undefined) || before.status === "success") return`,
    `if (counted === undefined && over === undefined) return`
  ),
  defect(
    "a disabled limit stops payouts",
    "src/engine/calls/ActiveLimits.ts",
    `index_keys: ["status=active"] }`,
    `index_keys: [] }`
  ),
  defect(
    "the schedule of a merchant comes after others",
    terms,
    `(d.merchant_id === null ? 0 : 4)`,
    `(d.merchant_id === null ? 4 : 0)`
  ),
  defect("a schedule applies before its date", terms, `d.valid_from <= at && covers`, `covers`),
  defect(
    "the fixed part of a fee is not charged",
    "src/machines/kernel/pricing.ts",
    `fixed: units(fixed),`,
    `fixed: units("0".repeat(fixed.length)),`
  ),
  defect(
    "a line of another amount is the payment that it names",
    "src/machines/kernel/matching.ts",
    `(one) => this.isOpen(one) && one.direction === line.direction && one.amount === line.amount`,
    `(one) => this.isOpen(one) && one.direction === line.direction`
  ),
  defect(
    "what is paid twice is missing in the books",
    "src/machines/kernel/matching.ts",
    `if (isTwice) return found("executed_twice", line.amount, { told_from: isAskedElsewhere ? [] : same })`,
    `if (isTwice) return found("missing_in_books", line.amount, { told_from: isAskedElsewhere ? [] : same })`
  ),
  defect(
    "a batch line is the payments that it names, whatever they sum to",
    "src/machines/kernel/matching.ts",
    `isAlone && sumMovements(parts) === line.amount) this.match(line, parts, "batch_reference")`,
    `isAlone) this.match(line, parts, "batch_reference")`
  ),
  defect(
    "a payment of which the statement has a part is missing too",
    "src/engine/resources/reconciliation/missing-movements.ts",
    `!isStepNamed(named, one) &&`,
    ``
  )
]
