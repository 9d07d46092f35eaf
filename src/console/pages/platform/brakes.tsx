/** Pauses: what is paused, and why. */
import { ActButton } from "../../acts/act.tsx"
import { useSuggestions } from "../../parts/suggest.tsx"
import type { ListedBrake } from "../../../client/generated/resources.ts"
import { useState } from "preact/hooks"
import { t } from "../../frame/language.ts"
import { Acts } from "../../acts/acts.tsx"
import { Merchant } from "../../parts/columns.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { byStatus } from "../../parts/filters.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { PickField } from "../../parts/pick.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Time, TimeBelow } from "../../parts/time.tsx"
import { makeProviderUrl } from "./providers.tsx"
import { brakeScopes, brakeStatuses } from "../../parts/vocabulary.ts"

const stops: Readonly<Record<string, string>> = {
  all: t("Nothing of any merchant is submitted or refunded until you release it."),
  provider: t("Nothing is submitted to this provider, and no refund goes through it, until you release it."),
  corridor: t("Nothing from the one currency to the other is submitted until you release it."),
  merchant: t("Nothing of this merchant is submitted or refunded until you release it.")
}

const ScopeFields = ({ scope }: { readonly scope: string }) => {
  const providers = useSuggestions(scope === "provider" ? scope : undefined)
  return (
    <>
      {scope === "provider" && (
        <Select name="provider" label={t("Provider")} choices={providers.map((name) => [name, name] as const)} />
      )}
      {scope === "corridor" && (
        <>
          <Field name="source_currency" label={t("From currency")} required list="currency" placeholder="USDC" />
          <Field name="destination_currency" label={t("To currency")} required list="currency" placeholder="NGN" />
        </>
      )}
      {scope === "merchant" && <PickField of="merchant" name="merchant_id" label={t("Merchant")} required />}
    </>
  )
}

const CreateBrake = () => {
  const [scope, setScope] = useState("all")
  return (
    <ActButton
      label={t("Pause submissions")}
      does={
        <>
          {stops[scope]} {t("What a provider already has continues, and outcomes are still received.")}
        </>
      }
      least="treasury"
      path="/brakes"
      tone="danger"
      fields={
        <>
          <Select
            name="scope"
            label={t("What is paused")}
            value={scope}
            onValue={setScope}
            choices={[
              ["all", t("Everything")],
              ["provider", t("One provider")],
              ["corridor", t("One corridor")],
              ["merchant", t("One merchant")]
            ]}
          />
          <ScopeFields scope={scope} />
        </>
      }
    />
  )
}

const Scope = ({ destination_currency, provider, scope, source_currency, ...brake }: ListedBrake) => (
  <>
    <strong>{scope === "all" ? t("Everything") : words(scope)}</strong>{" "}
    {provider !== null && <a href={makeProviderUrl(provider)}>{provider}</a>}
    {source_currency !== null && `${source_currency} → ${destination_currency}`}
    {brake.merchant_id !== null && <Merchant of={brake} />}
  </>
)

export const BrakesPage = () => (
  <ListPage<ListedBrake>
    title={t("Pauses")}
    lead={t("A pause stops submissions and refunds. Nothing is lost: what waits goes on when you release it.")}
    actions={<CreateBrake />}
    filters={[byStatus(brakeStatuses), { name: "scope", label: t("Scope"), options: brakeScopes }]}
    path="/operator/v1/brakes"
    every={15}
    columns={[
      { title: t("Paused"), cell: (brake) => <Scope {...brake} /> },
      { title: t("Since"), cell: ({ created_at }) => <Time at={created_at} /> },
      {
        title: t("Status"),
        cell: ({ released_at, status: state }) => (
          <>
            <StatusPill status={state} tone={state === "active" ? "warn" : "off"} />
            <TimeBelow at={released_at} />
          </>
        )
      },
      {
        title: t("Notes"),
        cell: ({ note, release_note }) => (
          <>
            {note !== null && <div class="quote">{note}</div>}
            {release_note !== null && <div class="quote">{release_note}</div>}
          </>
        )
      },
      {
        title: t("Change"),
        cell: ({ id, status: state }) => <Acts of={{ kind: "brake", id, state, body: {} }} />
      }
    ]}
    empty={[t("No pause was ever set"), t("Everything is submitted as it comes.")]}
    unmatched={t("No pause matches")}
  />
)
