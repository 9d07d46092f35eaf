/** What has not ended and makes no progress: why, since when, and what happens next. */
import type { StuckResource } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { useQuery } from "../../frame/location.ts"
import { Merchant, moneyColumn } from "../../parts/columns.tsx"
import { byMerchant } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { ReasonView } from "../../parts/reason.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Ago, Time, TimeBelow } from "../../parts/time.tsx"
import { stuckReason } from "./explained.ts"
import { Said } from "../../parts/said.tsx"

/** Those of which no other list shows what waits. */
const kinds = [
  "onramp",
  "offramp",
  "conversion",
  "transfer",
  "deposit",
  "batch",
  "verification",
  "beneficiary",
  "deposit_address",
  "wallet_credential"
]

/** Periods by the words that the filter shows. */
const periods: Readonly<Record<string, number>> = { any_time: 0, "1_hour": 3600, "1_day": 86_400 }

export const StuckPage = () => {
  const { waits = "" } = useQuery().query
  return (
    <ListPage<StuckResource>
      title={t("Stuck")}
      lead={t("What has not ended and has made no progress, oldest first. What people decide is in lists of its own.")}
      filters={[
        {
          name: "waits",
          label: t("No progress for"),
          options: [
            ["any_time", t("Any time")],
            ["1_hour", t("1 hour")],
            ["1_day", t("1 day")]
          ],
          any: t("10 minutes")
        },
        { name: "kind", label: t("Kind"), options: kinds },
        byMerchant
      ]}
      caption={t("Stuck resources")}
      path="/operator/v1/stuck"
      query={{
        waits: undefined,
        without_queues: "true",
        older_than_seconds: Object.hasOwn(periods, waits) ? periods[waits] : undefined
      }}
      every={10}
      columns={[
        {
          title: t("Since"),
          cell: ({ since }) => (
            <>
              <Ago at={since} />
              <TimeBelow at={since} />
            </>
          )
        },
        {
          title: t("Resource"),
          cell: ({ id, kind: what, status, ...row }) => (
            <>
              {words(what)} <StatusPill status={status} />
              <br />
              <Id id={id} brief />
              <br />
              <Merchant of={row} />
            </>
          )
        },
        moneyColumn(t("Amount"), ({ amount, currency }) => ({ amount, currency })),
        {
          title: t("Why"),
          cell: ({ awaited_person, reason }) => (
            <>
              <ReasonView name={reason} sentence={stuckReason(reason)} />
              {awaited_person && (
                <div>
                  {words(awaited_person.party)}: <Said>{awaited_person.action}</Said>
                </div>
              )}
            </>
          )
        },
        {
          title: t("Last answer"),
          cell: ({ attempts, last_answer }) => (
            <>
              {last_answer === null ? (
                <span class="dim">{t("None")}</span>
              ) : (
                <>
                  {last_answer.answer}
                  <TimeBelow at={last_answer.at} />
                </>
              )}
              {attempts > 0 && <div class="dim">{t("{count} attempt|{count} attempts", { count: attempts })}</div>}
            </>
          )
        },
        {
          title: t("Next attempt"),
          cell: ({ next_attempt_at }) =>
            next_attempt_at === null ? <span class="dim">{t("None is planned")}</span> : <Time at={next_attempt_at} />
        }
      ]}
      empty={[
        t("Nothing is stuck"),
        t("What waits for less time is not listed. Choose “Any time” to see everything that is in progress.")
      ]}
    />
  )
}
