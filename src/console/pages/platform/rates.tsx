/** Rates: what the source says, what was accepted, and the acceptance of a rate that is held. */
import { ActButton } from "../../acts/act.tsx"
import { formatDecimal } from "../../parts/money.tsx"
import type { Rate } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { Field } from "../../parts/field.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { TimeBelow } from "../../parts/time.tsx"

const tones = { accepted: "good", held: "bad", unavailable: "warn" } as const

const AcceptRate = ({ of: { currency, per_usd } }: { readonly of: Rate }) => (
  <ActButton
    label={t("Accept")}
    title={t("Accept a rate of {currency}", { currency })}
    does={t(
      "Check the rate at another source first. Quotes of {currency} are made again while the source is near this rate.",
      { currency }
    )}
    least="treasury"
    path={`/rates/${currency}/accept`}
    tone="danger"
    note="required"
    fields={
      <Field name="per_usd" label={t("{currency} for one US dollar", { currency })} required value={per_usd ?? ""} />
    }
  />
)

export const RatesPage = () => (
  <ListPage<Rate>
    title={t("Rates")}
    lead={t(
      "Units of each currency for one US dollar. A rate that moves further than its band is held: nothing is priced with it."
    )}
    path="/operator/v1/rates"
    every={15}
    keyOf={({ currency }) => currency}
    columns={[
      { title: t("Currency"), cell: ({ currency }) => <strong>{currency}</strong> },
      {
        title: t("Status"),
        cell: ({ reason, status }) => (
          <>
            <StatusPill status={status} tone={tones[status]} />
            {reason !== null && <div class="quote">{reason}</div>}
          </>
        )
      },
      { title: t("Source"), cell: ({ per_usd }) => per_usd && formatDecimal(per_usd) },
      {
        title: t("Accepted"),
        cell: ({ accepted_at, accepted_per_usd }) => (
          <>
            {accepted_per_usd === null ? "—" : formatDecimal(accepted_per_usd)}
            <TimeBelow at={accepted_at} />
          </>
        )
      },
      {
        title: t("By an operator"),
        cell: ({ note, operator_at, operator_per_usd }) => (
          <>
            {operator_per_usd === null ? "—" : formatDecimal(operator_per_usd)}
            <TimeBelow at={operator_at} />
            {note !== null && <div class="quote">{note}</div>}
          </>
        )
      },
      { title: t("Change"), cell: (rate) => <AcceptRate of={rate} /> }
    ]}
    empty={[t("No currency has a rate"), t("Rates appear with the currencies.")]}
  />
)
