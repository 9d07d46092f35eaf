/** External accounts: what they are called, and the form that adds one. */
import type { ExternalAccount } from "../../../client/generated/resources.ts"
import { useMemo, useState } from "preact/hooks"
import { t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { allowOperator } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field, Select, ticksOf, Ticks } from "../../parts/field.tsx"
import { externalAccountUses } from "../../parts/vocabulary.ts"

export type Accounts = ReadonlyMap<string, ExternalAccount>

/** The external accounts by their ids. */
export const useAccounts = (): Accounts => {
  const { answer } = useLoad<ReadonlyArray<ExternalAccount>>("/operator/v1/external-accounts?per_page=200")
  const found = answer.value?.data
  return useMemo(() => new Map((found ?? []).map((one) => [one.id, one])), [found])
}

export const accountDayHref = (id: string, date?: string): string =>
  to(`/reconciliation/${encodeURIComponent(id)}`, { date })

/** An account by its provider, its currency and the end of what statements call it: a provider may have several in one currency. */
export const accountName = ({
  currency,
  identifiers,
  provider
}: Pick<ExternalAccount, "provider" | "currency" | "identifiers">): string => {
  const value = identifiers[0]?.value ?? ""
  return [provider, currency, value.length > 10 ? `…${value.slice(-6)}` : value].filter((part) => part !== "").join(" ")
}

export const AccountName = ({
  of,
  id,
  date
}: {
  readonly of: Accounts
  readonly id: string
  readonly date?: string
}) => {
  const found = of.get(id)
  return <a href={accountDayHref(id, date)}>{found === undefined ? id : accountName(found)}</a>
}

const AccountFields = () => {
  const [kind, setKind] = useState("bank")
  return (
    <>
      <Field
        name="provider"
        label={t("Provider")}
        required
        list="provider"
        hint={t("Whose payouts and pay-ins go through the account.")}
      />
      <Field name="currency" label={t("Currency")} required placeholder="NGN" />
      <Select
        name="kind"
        label={t("What it is")}
        value={kind}
        onValue={setKind}
        choices={[
          ["bank", t("An account of a bank")],
          ["chain", t("Addresses on a chain")]
        ]}
      />
      {kind === "bank" ? (
        <>
          <Select
            name="identifiers.0.scheme"
            label={t("Statements name it by")}
            choices={[
              ["account_number", t("Its account number")],
              ["iban", t("Its IBAN")],
              ["bban", t("Its BBAN")]
            ]}
          />
          <Field name="identifiers.0.value" label={t("Number")} required hint={t("As statements have it.")} />
        </>
      ) : (
        <>
          <Field name="identifiers.0.value" label={t("Address of the hot wallet")} required />
          <Field name="identifiers.0.network" label={t("Network")} required placeholder="base" />
        </>
      )}
      <Field name="opening.date" label={t("First day")} required placeholder="2026-01-01" />
      <Field
        name="opening.balance"
        label={t("What was in it when that day began")}
        required
        inputMode="decimal"
        placeholder="25000.00"
        hint={t("The opening balance of its first statement. Below zero for an overdraft.")}
      />
      <Field
        name="time_zone"
        label={t("Time zone of its days")}
        required
        value="UTC"
        hint={t("Such as Africa/Lagos.")}
      />
      <Ticks name="uses" label={t("What goes through it")} choices={externalAccountUses} ticked={externalAccountUses} />
    </>
  )
}

export const CreateExternalAccount = () => (
  <Action<ExternalAccount>
    label={t("Add an account")}
    title={t("Add an external account")}
    does={t(
      "A place where money really is. Its statements are compared with the books from its first day on. Provider, currency and kind stay."
    )}
    allowed={allowOperator("treasury")}
    note="optional"
    fields={<AccountFields />}
    request={({ currency, kind, note, provider, time_zone, ...filled }) => ({
      path: "/operator/v1/external-accounts",
      body: {
        ...{ provider, currency, kind, time_zone, note },
        identifiers: [
          {
            scheme: filled["identifiers.0.scheme"] ?? "address",
            value: filled["identifiers.0.value"],
            network: filled["identifiers.0.network"]
          }
        ],
        opening: { date: filled["opening.date"], balance: filled["opening.balance"] },
        uses: ticksOf(filled, "uses")
      }
    })}
  />
)
