/** The operator's first page: what needs attention, the platform's balances, the providers and the pauses. */
import type { ClassBalance, ConfiguredProvider, ListedBrake, TrialBalance } from "../../client/generated/resources.ts"
import { formatNumber, rich, t } from "../frame/language.ts"
import { to } from "../frame/base.ts"
import { type LoadOptions, useLoad } from "../frame/load.ts"
import { Waiting } from "../frame/waiting.tsx"
import { HealthPill, LastFault } from "./platform/providers.tsx"
import { OverTime } from "./figures/over-time.tsx"
import { PeriodTotals } from "./figures/totals.tsx"
import { moneyColumn } from "../parts/columns.tsx"
import { isZero } from "../parts/decimal.ts"
import { Money } from "../parts/money.tsx"
import { Card, Page } from "../parts/page.tsx"
import { Show } from "../parts/states.tsx"
import { TableView } from "../parts/table.tsx"
import { words } from "../parts/text.ts"
import { Time } from "../parts/time.tsx"

const poll: LoadOptions = { every: 10 }

/** Lists of which the number of open entries is shown. */
const queues = [
  {
    label: t("Stuck"),
    path: "/operator/v1/stuck?without_queues=true",
    page: "/stuck",
    hint: t("in progress for too long")
  },
  {
    label: t("Open exceptions"),
    path: "/operator/v1/exceptions?status=open",
    page: "/exceptions?status=open",
    hint: t("money that could not be matched")
  },
  {
    label: t("Open breaks"),
    path: "/operator/v1/breaks?status=open",
    page: "/breaks",
    hint: t("between the books and the statements")
  },
  {
    label: t("Held deposits"),
    path: "/operator/v1/deposits",
    page: "/deposits",
    hint: t("wait for release or rejection")
  },
  {
    label: t("Verifications"),
    path: "/operator/v1/verifications?status=in_progress",
    page: "/verifications?status=in_progress",
    hint: t("in review")
  },
  {
    label: t("Access requests"),
    path: "/operator/v1/access-requests?status=pending",
    page: "/access-requests?status=pending",
    hint: t("wait for a decision")
  }
] as const

const Attention = ({ label, path, page, hint }: (typeof queues)[number]) => {
  const { answer, error } = useLoad<ReadonlyArray<unknown>>(`${path}${path.includes("?") ? "&" : "?"}per_page=1`, poll)
  const total = answer.value?.meta.total
  const [pathname = "", query = ""] = page.split("?")
  return (
    <a
      class={total !== undefined && total > 0 ? "count some" : "count"}
      href={to(pathname, Object.fromEntries(new URLSearchParams(query)))}
    >
      <span class="count-label">{label}</span>
      <span class="count-number">
        {total === undefined ? (error.value === undefined ? "…" : "?") : formatNumber(total)}
      </span>
      <span class="dim">{error.value === undefined ? hint : t("could not be read")}</span>
    </a>
  )
}

/** Money between two places: it should return to zero. */
const passing = new Set(["clearing", "suspense"])

const Balances = () => {
  const balance = useLoad<TrialBalance>("/operator/v1/ledger/trial-balance", poll)
  return (
    <Card title={t("In transit")} actions={<a href={to("/ledger")}>{t("Trial balance")}</a>} flush>
      <Show of={balance}>
        {({ classes, currencies }) => {
          const off = currencies.filter(({ difference }) => !isZero(difference))
          const rows = classes.filter((one) => passing.has(one.class) && !isZero(one.balance))
          return (
            <>
              {off.map(({ currency, difference }) => (
                <p key={currency} class="failure">
                  {rich("The ledger of {currency} does not balance: {money}", {
                    currency,
                    money: <Money amount={difference} currency={currency} />
                  })}
                </p>
              ))}
              <TableView<ClassBalance>
                caption={t("Balances of clearing and suspense")}
                rows={rows}
                keyOf={(row) => `${row.class} ${row.currency}`}
                columns={[
                  { title: t("Accounts"), cell: (row) => words(row.class) },
                  moneyColumn(t("Balance"), (row) => ({ amount: row.balance, currency: row.currency }))
                ]}
                empty={[t("Nothing is in transit"), t("Clearing and suspense are zero in every currency.")]}
              />
            </>
          )
        }}
      </Show>
    </Card>
  )
}

const Providers = () => {
  const providers = useLoad<ReadonlyArray<ConfiguredProvider>>("/operator/v1/providers", poll)
  return (
    <Card title={t("Providers")} actions={<a href={to("/providers")}>{t("All providers")}</a>} flush>
      <Show of={providers}>
        {(rows) => (
          <TableView
            caption={t("Health of the providers")}
            rows={rows}
            keyOf={({ name }) => name}
            columns={[
              {
                title: t("Provider"),
                cell: ({ name, simulated }) => (simulated ? t("{name} (simulated)", { name }) : name)
              },
              {
                title: t("Health"),
                cell: (one) => (
                  <>
                    <HealthPill {...one} />
                    <LastFault of={one.events.last_fault} />
                  </>
                )
              }
            ]}
          />
        )}
      </Show>
    </Card>
  )
}

const describeBrake = (brake: ListedBrake): string =>
  brake.scope === "all"
    ? t("All movements")
    : brake.scope === "corridor"
      ? t("{from} to {to}", { from: brake.source_currency ?? t("any"), to: brake.destination_currency ?? t("any") })
      : (brake.provider ?? brake.merchant_name ?? brake.merchant_id ?? words(brake.scope))

const Brakes = () => {
  const brakes = useLoad<ReadonlyArray<ListedBrake>>("/operator/v1/brakes?status=active", poll)
  return (
    <Card title={t("Active pauses")} actions={<a href={to("/brakes")}>{t("All pauses")}</a>} flush>
      <Show of={brakes}>
        {(rows) => (
          <TableView
            caption={t("Active pauses")}
            rows={rows}
            columns={[
              { title: t("Stops"), cell: describeBrake },
              { title: t("Note"), cell: ({ note }) => note ?? <span class="dim">{t("none")}</span> },
              { title: t("Since"), cell: ({ created_at }) => <Time at={created_at} /> }
            ]}
            empty={[t("No pause is active"), t("New movements are accepted everywhere.")]}
          />
        )}
      </Show>
    </Card>
  )
}

export const OverviewPage = () => (
  <Page title={t("Overview")} lead={t("What needs attention, and where money is.")}>
    <section aria-label={t("What needs attention")} class="counts">
      <Waiting />
      {queues.map((queue) => (
        <Attention key={queue.label} {...queue} />
      ))}
    </section>
    <PeriodTotals />
    <OverTime />
    <div class="grid">
      <Balances />
      <Providers />
      <Brakes />
    </div>
  </Page>
)
