/** The ledger: the trial balance, and the accounts with their balances. */
import type { CurrencyBalance, LedgerAccount, TrialBalance } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { merchantColumn, moneyColumn } from "../../parts/columns.tsx"
import { isZero } from "../../parts/decimal.ts"
import { byCurrency } from "../../parts/filters.tsx"
import { Download } from "../../parts/file.tsx"
import { Listing } from "../../parts/listing.tsx"
import { Money } from "../../parts/money.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Empty, Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { TableView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"

export const accountHref = (account: string): string => to(`/ledger/accounts/${encodeURIComponent(account)}`)

const trialBalancePath = "/operator/v1/ledger/trial-balance"

const TrialBalanceCards = () => {
  const loaded = useLoad<TrialBalance>(trialBalancePath, { every: 15 })
  return (
    <Show of={loaded} rows={6}>
      {({ classes, currencies }) => {
        const names = currencies.map(({ currency }) => currency)
        const byClass = [...Map.groupBy(classes, (one) => one.class)]
        return currencies.length === 0 ? (
          <Card>
            <Empty title={t("Nothing was posted yet")}>
              {t("The first movement of money makes the first entries.")}
            </Empty>
          </Card>
        ) : (
          <>
            <Card
              title={t("Trial balance")}
              actions={
                <Download path={trialBalancePath} query={{ format: "csv" }} name="trial-balance.csv" isLink>
                  {t("CSV")}
                </Download>
              }
              flush
            >
              <TableView<CurrencyBalance>
                caption={t("Debits and credits of each currency")}
                rows={currencies}
                keyOf={({ currency }) => currency}
                columns={[
                  { title: t("Currency"), cell: ({ currency }) => currency },
                  moneyColumn(t("Debits"), (one) => ({ amount: one.debits, currency: one.currency })),
                  moneyColumn(t("Credits"), (one) => ({ amount: one.credits, currency: one.currency })),
                  {
                    title: t("Difference"),
                    align: "right",
                    cell: ({ currency, difference }) =>
                      isZero(difference) ? (
                        <StatusPill status="balanced" tone="good" />
                      ) : (
                        <>
                          <StatusPill status="off_by" tone="bad" /> <Money amount={difference} currency={currency} />
                        </>
                      )
                  }
                ]}
              />
            </Card>
            <Card title={t("Balances by class")} flush>
              <TableView
                caption={t("Balances by class of account and currency")}
                rows={byClass}
                keyOf={([name]) => name}
                columns={[
                  { title: t("Class"), cell: ([name]) => <a href={to("/ledger", { class: name })}>{words(name)}</a> },
                  ...names.map((currency) => ({
                    title: currency,
                    align: "right" as const,
                    cell: ([, those]: (typeof byClass)[number]) => {
                      const found = those.find((one) => one.currency === currency)
                      return found === undefined || isZero(found.balance) ? (
                        <span class="dim">0</span>
                      ) : (
                        <Money amount={found.balance} currency={currency} />
                      )
                    }
                  }))
                ]}
              />
            </Card>
          </>
        )
      }}
    </Show>
  )
}

const classes = [
  "available",
  "reserved",
  "held",
  "credential",
  "clearing",
  "suspense",
  "world",
  "fx",
  "fees",
  "rounding",
  "losses",
  "costs",
  "receivable",
  "float"
]

export const LedgerPage = () => (
  <Page
    title={t("Ledger")}
    lead={t(
      "Every movement of money is double-entry postings. Debits and credits are always equal. A balance is credits less debits: costs and receivables are below zero."
    )}
  >
    <TrialBalanceCards />
    <h2>{t("Accounts")}</h2>
    <Listing<LedgerAccount>
      filters={[{ name: "class", label: t("Class"), options: classes }, byCurrency]}
      caption={t("Accounts")}
      path="/operator/v1/ledger/accounts"
      keyOf={({ account, currency, merchant_id }) => `${account} ${currency} ${merchant_id}`}
      columns={[
        {
          title: t("Account"),
          cell: ({ account }) => (
            <a href={accountHref(account)}>
              <code>{account}</code>
            </a>
          )
        },
        merchantColumn,
        moneyColumn(t("Balance"), (one) => ({ amount: one.balance, currency: one.currency }))
      ]}
      empty={[t("No account matches"), t("Choose another class or currency, or clear the filters.")]}
    />
  </Page>
)
