/** When a movement is overdue on statements: the settlement time of its account (BREAK-3). */
import { DateTime } from "effect"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import { BoundedMap } from "../../ports/bounded-map.ts"

const hourMs = 3_600_000
const businessDays = 2

/** Days begin, and offsets of time zones change, on a quarter of an hour: until the next one a settlement takes as long. */
const quarterMs = 900_000
const settlementByQuarter = new BoundedMap<string, number>(20_000)

/**
 * Finds when a movement of `at` becomes overdue on the statements. A chain's: after an hour. A bank's: after two business days, Monday to
 * Friday in the account's time zone, at the same time of day; on a weekend they begin with Monday.
 */
export const findOverdue = (
  { kind, time_zone }: Pick<ExternalAccountData, "kind" | "time_zone">,
  at: number
): number => {
  if (kind === "chain") return at + hourMs
  const key = `${time_zone} ${Math.floor(at / quarterMs)}`
  const known = settlementByQuarter.get(key)
  if (known !== undefined) return at + known
  let zoned = DateTime.makeZonedUnsafe(at, { timeZone: time_zone })
  for (let left = businessDays; left > 0; ) {
    zoned = DateTime.add(zoned, { days: 1 })
    const { weekDay } = DateTime.toParts(zoned)
    if (weekDay !== 0 && weekDay !== 6) left--
  }
  const settlement = DateTime.toEpochMillis(zoned) - at
  settlementByQuarter.set(key, settlement)
  return at + settlement
}

/** The shortest settlement time. Two days of a bank can be an hour short when clocks change. */
export const settlementMin = ({ kind }: Pick<ExternalAccountData, "kind">): number =>
  kind === "chain" ? hourMs : (businessDays * 24 - 1) * hourMs
