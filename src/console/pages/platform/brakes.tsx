/** Brakes: what is paused, and why. */
import type { Brake, ConfiguredProvider } from "../../../client/generated/resources.ts"
import { useState } from "preact/hooks"
import { Acts } from "../../acts/acts.tsx"
import { useLoad } from "../../frame/load.ts"
import { allowOperator } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { PickField } from "../../parts/pick.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Time, TimeBelow } from "../../parts/time.tsx"
import { merchantHref } from "../merchants/merchants.tsx"
import { providerHref } from "./providers.tsx"
import { brakeScopes, brakeStatuses } from "../../parts/vocabulary.ts"

const stops: Readonly<Record<string, string>> = {
  all: "Nothing of any merchant is submitted or refunded until you release it.",
  provider: "Nothing is submitted to this provider, and no refund goes through it, until you release it.",
  corridor: "Nothing from the one currency to the other is submitted until you release it.",
  merchant: "Nothing of this merchant is submitted or refunded until you release it."
}

const ScopeFields = ({ scope }: { readonly scope: string }) => {
  const providers = useLoad<ReadonlyArray<ConfiguredProvider>>(
    scope === "provider" ? "/operator/v1/providers?per_page=200" : null
  )
  return (
    <>
      {scope === "provider" && (
        <Select
          name="provider"
          label="Provider"
          choices={(providers.answer.value?.data ?? []).map(({ name }) => [name, name] as const)}
        />
      )}
      {scope === "corridor" && (
        <>
          <Field name="source_currency" label="From currency" required list="currency" placeholder="USDC" />
          <Field name="destination_currency" label="To currency" required list="currency" placeholder="NGN" />
        </>
      )}
      {scope === "merchant" && <PickField of="merchant" name="merchant_id" label="Merchant" required />}
    </>
  )
}

const CreateBrake = () => {
  const [scope, setScope] = useState("all")
  return (
    <Action
      label="Pause submissions"
      does={`${stops[scope]} What a provider already has continues, and outcomes are still received.`}
      allowed={allowOperator("treasury")}
      tone="danger"
      note="optional"
      fields={
        <>
          <Select
            name="scope"
            label="What is paused"
            value={scope}
            onValue={setScope}
            choices={[
              ["all", "Everything"],
              ["provider", "One provider"],
              ["corridor", "One corridor"],
              ["merchant", "One merchant"]
            ]}
          />
          <ScopeFields scope={scope} />
        </>
      }
      request={(filled) => ({ path: "/operator/v1/brakes", body: filled })}
    />
  )
}

const Scope = ({ destination_currency, merchant_id, provider, scope, source_currency }: Brake) => (
  <>
    <strong>{scope === "all" ? "Everything" : words(scope)}</strong>{" "}
    {provider !== null && <a href={providerHref(provider)}>{provider}</a>}
    {source_currency !== null && `${source_currency} → ${destination_currency}`}
    {merchant_id !== null && <Id id={merchant_id} brief href={merchantHref(merchant_id)} />}
  </>
)

export const BrakesPage = () => (
  <ListPage<Brake>
    title="Brakes"
    lead="A brake pauses submissions and refunds. Nothing is lost: what waits goes on when you release it."
    actions={<CreateBrake />}
    filters={[byStatus(brakeStatuses), { name: "scope", label: "Scope", options: brakeScopes }]}
    path="/operator/v1/brakes"
    every={15}
    columns={[
      { title: "Paused", cell: (brake) => <Scope {...brake} /> },
      { title: "Since", cell: ({ created_at }) => <Time at={created_at} /> },
      {
        title: "Status",
        cell: ({ released_at, status: state }) => (
          <>
            <StatusPill status={state} tone={state === "active" ? "warn" : "off"} />
            <TimeBelow at={released_at} />
          </>
        )
      },
      {
        title: "Notes",
        cell: ({ note, release_note }) => (
          <>
            {note !== null && <div class="quote">{note}</div>}
            {release_note !== null && <div class="quote">{release_note}</div>}
          </>
        )
      },
      {
        title: "Change",
        cell: ({ id, status: state }) => <Acts of={{ kind: "brake", id, state, body: {} }} />
      }
    ]}
    empty={["No brake was ever set", "Everything is submitted as it comes."]}
    unmatched="No brake matches"
  />
)
