/** The row of a currency's last accepted rate (RATE-3). */
import { AcceptedRate, type AcceptedRateData, type AcceptedRateEvent } from "../../machines/movements/accepted-rate.ts"
import type { ResourceKind } from "./kind.ts"

export const AcceptedRateKind: ResourceKind<AcceptedRateData, AcceptedRateEvent> = {
  kind: "accepted_rate",
  prefix: "rte",
  lifecycle: AcceptedRate,
  auditView: ({ data: { currency, operator_per_usd } }) => ({ currency, per_usd: operator_per_usd })
}

/** The id of the row of a currency. */
export const rateId = (currency: string): string => `${AcceptedRateKind.prefix}_${currency.toLowerCase()}`
