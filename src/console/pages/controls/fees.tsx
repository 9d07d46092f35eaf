/** Fee schedules: the gateway fee of quotes. */
import type { FeeSchedule } from "../../../client/generated/resources.ts"
import { allowOperator } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { byMerchant, byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { PickField } from "../../parts/pick.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { feeOperations } from "../../parts/vocabulary.ts"
import { merchantHref } from "../merchants/merchants.tsx"

const feeText = ({ bps, fixed }: Pick<FeeSchedule, "bps" | "fixed">): string => `${bps} bps + ${fixed}`

const Create = () => (
  <Action<FeeSchedule>
    label="Create fee schedule"
    does="Quotes from then on are priced with it. Quotes that exist keep their fee."
    allowed={allowOperator("treasury")}
    tone="main"
    note="optional"
    fields={
      <>
        <Select name="operation" label="Operation" choices={feeOperations} />
        <PickField of="merchant" name="merchant_id" label="Merchant" hint="Default: every merchant." />
        <Field
          name="source_currency"
          label="From currency"
          list="currency"
          placeholder="USDC"
          hint="Default: every one."
        />
        <Field
          name="destination_currency"
          label="To currency"
          list="currency"
          placeholder="NGN"
          hint="Default: every one."
        />
        <Field name="bps" label="Share, in hundredths of a percent" inputMode="decimal" placeholder="40" />
        <Field name="fixed" label="Fixed part, in the source currency" inputMode="decimal" />
        <Field name="min" label="At least" inputMode="decimal" />
        <Field name="max" label="At most" inputMode="decimal" />
        <Field
          name="valid_from"
          label="From"
          placeholder="2026-02-01"
          hint="Default: now. Tiers by volume take the API."
        />
      </>
    }
    request={(filled) => ({ path: "/operator/v1/fee-schedules", body: filled })}
  />
)

export const FeesPage = () => (
  <ListPage<FeeSchedule>
    title="Fee schedules"
    lead="The gateway fee of quotes. Where none applies, the default fee does."
    actions={<Create />}
    filters={[
      byStatus(["active", "ended"]),
      { name: "operation", label: "Operation", options: feeOperations },
      byMerchant
    ]}
    path="/operator/v1/fee-schedules"
    every={30}
    columns={[
      {
        title: "Quotes",
        cell: ({ destination_currency, id, merchant_id, operation, source_currency }) => (
          <>
            <strong>{words(operation)}</strong> {source_currency ?? "any"} → {destination_currency ?? "any"}
            <br />
            {merchant_id === null ? "Every merchant" : <Id id={merchant_id} brief href={merchantHref(merchant_id)} />}
            <br />
            <Id id={id} brief href={null} copy />
          </>
        )
      },
      {
        title: "Fee",
        cell: (one) => (
          <>
            {feeText(one)}
            <div class="dim">
              {one.min !== null && `at least ${one.min} `}
              {one.max !== null && `at most ${one.max}`}
            </div>
            {one.tiers.map((tier) => (
              <div key={tier.above}>
                from {tier.above} a month: {feeText(tier)}
              </div>
            ))}
          </>
        )
      },
      { title: "From", cell: ({ valid_from }) => <Time at={valid_from} /> },
      {
        title: "Status",
        cell: ({ id, note, status }) => (
          <>
            <StatusPill status={status} />
            {note !== null && <div class="quote">{note}</div>}
            {status === "active" && (
              <Action<FeeSchedule>
                label="End"
                title="End this fee schedule"
                does="The next quote is priced without it."
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
    empty={["There is no schedule", "The default fee applies."]}
    unmatched="No schedule matches"
  />
)
