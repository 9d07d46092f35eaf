/**
 * Defects that only a misbehaving provider reveals: at least one for each kind of misbehaviour (`src/testing/world/deviations.ts`).
 */
import { type Defect, defect } from "./defect.ts"

const places = "src/engine/resources/deposits/payin-target.ts"
const records = "src/engine/resources/deposits/payin-record.ts"
const checked = "src/engine/ports/checked-ports.ts"
const checkedProvider = "src/engine/ports/checked-ports.ts"

const returned = "src/machines/deposits/exception.ts"

export const rude: ReadonlyArray<Defect> = [
  // Returns in parts.
  defect(
    "a part of a return counts in each report that states it",
    returned,
    `parts: [...rest.parts, ...parts],`,
    `parts: rest.parts,`
  ),
  defect(
    "the amount of a part is ignored",
    returned,
    `event.type === "part" && rest !== undefined
    ? pickSmaller(`,
    `event.type === "parts" && rest !== undefined
    ? pickSmaller(`
  ),
  // Contradictory reports.
  defect(
    "a contradictory currency of a pay-in is accepted",
    records,
    `  if (event.currency !== payinTarget.currency) return "another_currency"`,
    ``
  ),
  defect(
    "a contradictory destination of a pay-in is accepted",
    records,
    `  if (!isSameTarget(event, payinTarget)) return "another_target"`,
    ``
  ),
  defect(
    "a contradictory amount of a pay-in is not recorded",
    records,
    `if (event.stage === "detected" || confirmed === undefined) return undefined`,
    `if (event.stage !== "") return undefined`
  ),
  defect(
    "a recalled onramp is paid out",
    "src/machines/movements/onramp.ts",
    `"payin.failed": { target: "withdrawn", actions: ["withdrawn", wentBack] },`,
    ``
  ),
  defect(
    "a recall during the handling of the pay-in is lost",
    "src/engine/resources/deposits/payin.ts",
    `? [records.names(payin, "arrival", onramp)]`,
    `? []`
  ),
  defect(
    "an event with a reused id is dropped",
    "src/engine/work/providers/provider-events.ts",
    `return result === "reused" ? toEventResult(yield* recorded.reused(merchant_id, event, source)) : result`,
    `return toEventResult(result)`
  ),

  // Amounts of outcomes.
  defect(
    "a short settlement is credited in full",
    "src/machines/movements/conversion.ts",
    `available(c.destination_wallet.id), takeQuotedAmount(c), countShortage(c))`,
    `available(c.destination_wallet.id), takeQuotedAmount(c))`
  ),
  defect(
    "the difference of a short settlement is left in clearing",
    "src/machines/movements/transfer.ts",
    `  ...makePosting(clearing(t.provider), "suspense", countShortage(t), t.currency)`,
    ``
  ),
  defect(
    "the difference of a partial return is lost",
    "src/machines/movements/offramp.ts",
    `  returned: { target: "returned", actions: [because("returned"), "cameBack", money.giveBack, lost] },`,
    `  returned: { target: "returned", actions: [because("returned"), "cameBack", money.giveBack] },`
  ),
  defect(
    "an amount in another currency counts",
    "src/engine/resources/deposits/discrepancies.ts",
    `  if (currency !== null && currency !== due.currency) return undefined`,
    ``
  ),
  defect(
    "more than was instructed is credited",
    "src/machines/kernel/payout.ts",
    `  discrepancy?.reason === "short_settlement" ? BigInt(discrepancy.amount) : 0n`,
    `  discrepancy?.reason === "short_settlement" ? BigInt(discrepancy.amount) : -BigInt(discrepancy?.amount ?? "0")`
  ),

  // Destinations.
  defect(
    "an address in another spelling is not recognized",
    places,
    `return evmAddress.test(name) ? name.toLowerCase() : name`,
    `return name`
  ),
  defect(
    "an address on several networks is one destination",
    places,
    "`${network}/${currency}/${toCanonicalTarget(target)}`",
    "`${currency}/${toCanonicalTarget(target)}`"
  ),

  // Verdicts and responses.
  defect(
    "the rejection of a repeat is believed",
    "src/machines/kernel/payout.ts",
    `    event.attempt !== undefined && (context.attempts > 1 || context.lookups > 0),`,
    `    event.attempt === -1 && context.attempts > 1,`
  ),
  defect(
    "the rejection of a repeated refund is believed",
    "src/engine/work/providers/refunds.ts",
    `if (job.attempt <= 1 || !mayEnd)`,
    `if (job.attempt > 0 || !mayEnd)`
  ),
  defect(
    "an invalid response counts as accepted",
    checkedProvider,
    `matches(schemas.SubmissionResult),`,
    `() => true,`
  ),
  defect("an invalid lookup result counts as valid", checkedProvider, `matches(schemas.CommandStatus),`, `() => true,`),
  defect(
    "an invalid screening result counts as cleared",
    checkedProvider,
    `matches(schemas.ScreeningResult),`,
    `() => true,`
  ),
  defect(
    "a negative fee is charged",
    checked,
    `return isShare(fees?.gateway) && isMinorUnits(fees?.network)`,
    `return fees !== null`
  ),
  defect(
    "an invalid rate is quoted",
    "src/engine/ports/asked.ts",
    `const isPositiveDecimal = (value: unknown): boolean => typeof value === "string" && positive.test(value) && /[1-9]/.test(value)`,
    `const isPositiveDecimal = (value: unknown): boolean => typeof value === "string"`
  ),

  // What cannot be read, and who says it.
  defect(
    "an event that cannot be read is dropped",
    "src/engine/work/providers/provider-events.ts",
    `if (read === undefined) return toEventResult(yield* recorded.unreadable(sent))`,
    `if (read === undefined) return { event_id: null, result: "ignored" } as never`
  ),
  defect(
    "an event that cannot be read takes the id of the one that it stands for",
    "src/engine/work/providers/provider-events.ts",
    "const deduplicationKey = `unreadable/${provider}/${key}`",
    "const deduplicationKey = `provider/${provider}/${(content as any).event_id}`"
  ),
  defect(
    "what a renamed provider has is looked for under its new name",
    "src/engine/ports/provider-registry.ts",
    `keepOwnEntries(registry, provider)[0]?.names[0] ?? provider.formerly?.[0] ?? provider.name`,
    `provider.name`
  )
]
