/** Defects that only a rude provider brings to light: one at least for each rudeness (`src/testing/rude.ts`). */
import { type Defect, defect } from "./defect.ts"

const places = "src/engine/resources/deposits/payin-target.ts"
const records = "src/engine/resources/deposits/payin-record.ts"
const checked = "src/engine/ports/checked-ports.ts"

export const rude: ReadonlyArray<Defect> = [
  // Told otherwise.
  defect(
    "a pay-in is followed in another currency",
    records,
    `  if (event.currency !== payinTarget.currency) return "another_currency"`,
    ``
  ),
  defect(
    "a pay-in is followed at another place",
    records,
    `  if (!sameTarget(event, payinTarget)) return "another_target"`,
    ``
  ),
  defect(
    "another amount of a pay-in is lost",
    records,
    `amount !== null && minorOf(event) !== amount ? "another_amount" : undefined`,
    `amount === "" ? "another_amount" : undefined`
  ),
  defect(
    "a recalled onramp is paid out",
    "src/machines/movements/onramp.ts",
    `const recalled = { "payin.failed": { target: "failing", actions: [because("failed"), wentBack] } } as const`,
    `const recalled = {} as const`
  ),
  defect(
    "a recall that is decided while the money arrives is lost",
    "src/engine/resources/deposits/payin-onramp.ts",
    `? [records.names(payin_id, "arrival", onramp)]`,
    `? []`
  ),
  defect(
    "what comes under the id of another event is dropped",
    "src/engine/work/Inbox.ts",
    `return result === "reused" ? eventResultOf(yield* reused(merchant_id, event, source)) : result`,
    `return eventResultOf(result)`
  ),

  // Places.
  defect(
    "an address in another spelling is nobody's",
    places,
    `return evmAddress.test(name) ? name.toLowerCase() : name`,
    `return name`
  ),
  defect(
    "an address is one place on every network",
    places,
    "`${network}/${currency}/${compared(target)}`",
    "`${currency}/${compared(target)}`"
  ),

  // Verdicts and answers.
  defect(
    "the refusal of a repeat is believed",
    "src/machines/kernel/payout.ts",
    `    event.attempt !== undefined && (context.attempts > 1 || context.lookups > 0),`,
    `    event.attempt === -1 && context.attempts > 1,`
  ),
  defect(
    "the refusal of a repeated refund is believed",
    "src/engine/work/JobHandlers.ts",
    `if (answer._tag !== "rejected" || !isRepeat) return answer`,
    `if (answer._tag !== "rejected" || answer.reason !== "") return answer`
  ),
  defect(
    "an answer that is none counts as given",
    checked,
    `const submit = of("submit", answers, shapes.submissionResult)`,
    `const submit = of("submit", answers, () => true)`
  ),
  defect(
    "a standing that is none counts as given",
    checked,
    `const lookup = of("lookup", statuses, shapes.commandStatus)`,
    `const lookup = of("lookup", statuses, () => true)`
  ),
  defect(
    "whatever a screening answers clears",
    checked,
    `const screen = of("screen", "true or false", isBoolean)`,
    `const screen = of("screen", "true or false", () => true)`
  ),
  defect(
    "a fee below zero is charged",
    checked,
    `return isShare(fees?.gateway) && isMinor(fees?.network)`,
    `return fees !== null`
  ),
  defect(
    "a rate that is none is quoted",
    "src/engine/ports/checked-rates.ts",
    `const isWorth = (value: unknown): boolean => typeof value === "string" && positive.test(value) && /[1-9]/.test(value)`,
    `const isWorth = (value: unknown): boolean => typeof value === "string"`
  )
]
