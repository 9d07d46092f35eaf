/** Held deposits: money that arrived and waits for an operator. */
import type { HeldDeposit } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { Acts } from "../../acts/acts.tsx"
import { customerColumn, merchantColumn, moneyColumn } from "../../parts/columns.tsx"
import { byCustomer, byMerchant } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { ReasonView } from "../../parts/reason.tsx"
import { Time } from "../../parts/time.tsx"
import { holdReason } from "./explained.ts"

export const HeldDepositsPage = () => (
  <ListPage<HeldDeposit>
    title={t("Held deposits")}
    lead={t("Money that arrived and is credited to nobody yet. Release or reject each.")}
    filters={[byMerchant, byCustomer]}
    path="/operator/v1/deposits"
    every={15}
    columns={[
      { title: t("Received"), cell: ({ created_at }) => <Time at={created_at} /> },
      { title: t("Deposit"), cell: ({ id }) => <Id id={id} brief /> },
      moneyColumn(t("Amount"), ({ source_amount, source_currency }) => ({
        amount: source_amount,
        currency: source_currency
      })),
      {
        title: t("Held because"),
        cell: ({ hold_reasons }) =>
          hold_reasons.length === 0 ? (
            <span class="dim">{t("The reason no longer applies. Release it.")}</span>
          ) : (
            <ul class="bare">
              {hold_reasons.map((one) => (
                <li key={one}>
                  <ReasonView name={one} sentence={holdReason(one)} />
                </li>
              ))}
            </ul>
          )
      },
      customerColumn,
      merchantColumn,
      {
        title: t("Decide"),
        cell: (row) => <Acts of={{ kind: "deposit", id: row.id, state: "held", body: { ...row } }} />
      }
    ]}
    empty={[
      t("No deposit is held"),
      t("Deposits above a customer's limit, or to a frozen or disabled address, appear here.")
    ]}
  />
)
