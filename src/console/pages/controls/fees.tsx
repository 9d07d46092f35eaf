/** Fee schedules: the gateway fee of quotes. */
import { ActButton } from "../../acts/act.tsx"
import type { FeeSchedule, ListedFeeSchedule } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { allowOperator } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Merchant } from "../../parts/columns.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { byMerchant, byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { amountText, formatDecimal } from "../../parts/money.tsx"
import { PickField } from "../../parts/pick.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { feeOperations } from "../../parts/vocabulary.ts"

/** Formats an amount in the source currency, if the schedule has one. */
const formatInSource = (amount: string, { source_currency }: FeeSchedule): string =>
  source_currency === null ? formatDecimal(amount) : amountText(amount, source_currency)

const formatFee = ({ bps, fixed }: Pick<FeeSchedule, "bps" | "fixed">, of: FeeSchedule): string =>
  t("{bps} bps + {fixed}", { bps, fixed: formatInSource(fixed, of) })

const CreateFeeSchedule = () => (
  <ActButton
    label={t("Create fee schedule")}
    does={t("Quotes from then on are priced with it. Quotes that exist keep their fee.")}
    least="treasury"
    path="/fee-schedules"
    tone="main"
    fields={
      <>
        <Select name="operation" label={t("Operation")} choices={feeOperations} />
        <PickField of="merchant" name="merchant_id" label={t("Merchant")} hint={t("Default: every merchant.")} />
        <Field
          name="source_currency"
          label={t("From currency")}
          list="currency"
          placeholder="USDC"
          hint={t("Default: every one.")}
        />
        <Field
          name="destination_currency"
          label={t("To currency")}
          list="currency"
          placeholder="NGN"
          hint={t("Default: every one.")}
        />
        <Field name="bps" label={t("Share, in hundredths of a percent")} inputMode="decimal" placeholder="40" />
        <Field name="fixed" label={t("Fixed part, in the source currency")} inputMode="decimal" />
        <Field name="min" label={t("At least")} inputMode="decimal" />
        <Field name="max" label={t("At most")} inputMode="decimal" />
        <Field
          name="valid_from"
          label={t("From")}
          placeholder="2026-02-01"
          hint={t("Default: now. Tiers by volume take the API.")}
        />
      </>
    }
  />
)

export const FeesPage = () => (
  <ListPage<ListedFeeSchedule>
    title={t("Fee schedules")}
    lead={t("The gateway fee of quotes. Where none applies, the default fee does.")}
    actions={<CreateFeeSchedule />}
    filters={[
      byStatus(["active", "ended"]),
      { name: "operation", label: t("Operation"), options: feeOperations },
      byMerchant
    ]}
    path="/operator/v1/fee-schedules"
    every={30}
    columns={[
      {
        title: t("Quotes"),
        cell: ({ destination_currency, id, operation, source_currency, ...schedule }) => (
          <>
            <strong>{words(operation)}</strong> {source_currency ?? t("any")} → {destination_currency ?? t("any")}
            <br />
            {schedule.merchant_id === null ? t("Every merchant") : <Merchant of={schedule} />}
            <br />
            <Id id={id} brief href={null} copy />
          </>
        )
      },
      {
        title: t("Fee"),
        cell: (one) => (
          <>
            {formatFee(one, one)}
            {one.min !== null && <div class="dim">{t("at least {min}", { min: formatInSource(one.min, one) })}</div>}
            {one.max !== null && <div class="dim">{t("at most {max}", { max: formatInSource(one.max, one) })}</div>}
            {one.tiers.map((tier) => (
              <div key={tier.above}>
                {t("from {above} a month: {tier}", {
                  above: formatInSource(tier.above, one),
                  tier: formatFee(tier, one)
                })}
              </div>
            ))}
          </>
        )
      },
      { title: t("From"), cell: ({ valid_from }) => <Time at={valid_from} /> },
      {
        title: t("Status"),
        cell: ({ id, note, status }) => (
          <>
            <StatusPill status={status} />
            {note !== null && <div class="quote">{note}</div>}
            {status === "active" && (
              <Action<FeeSchedule>
                label={t("End")}
                title={t("End this fee schedule")}
                does={t("The next quote is priced without it.")}
                allowed={allowOperator("treasury")}
                tone="danger"
                note="optional"
                request={(filled) => ({
                  path: `/operator/v1/fee-schedules/${id}`,
                  method: "PATCH",
                  body: { ...filled, status: "ended" }
                })}
              />
            )}
          </>
        )
      }
    ]}
    empty={[t("There is no schedule"), t("The default fee applies.")]}
    unmatched={t("No schedule matches")}
  />
)
