/** The configured providers: whether they answer, and what they serve. */
import type { ConfiguredProvider } from "../../../client/generated/resources.ts"
import { rich, t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { Said } from "../../parts/said.tsx"

export const makeProviderUrl = (name: string): string => to(`/providers/${encodeURIComponent(name)}`)

export const HealthPill = ({ health, paused }: Pick<ConfiguredProvider, "health" | "paused">) =>
  paused ? (
    <StatusPill status="paused" tone="warn" />
  ) : (
    <StatusPill status={health} tone={health === "healthy" ? "good" : "bad"} />
  )

/** The last fault of a provider's events; nothing without one. */
export const LastFault = ({ of }: { readonly of: ConfiguredProvider["events"]["last_fault"] }) =>
  of === null ? null : (
    <div class="dim">
      {rich("Last fault {time}: {answer}", { time: <Time at={of.at} />, answer: <Said>{of.answer}</Said> })}
    </div>
  )

export const ProvidersPage = () => (
  <ListPage<ConfiguredProvider>
    title={t("Providers")}
    lead={t("The banks, networks and services that move the money.")}
    path="/operator/v1/providers"
    every={10}
    keyOf={({ name }) => name}
    columns={[
      { title: t("Name"), cell: ({ name }) => <a href={makeProviderUrl(name)}>{name}</a> },
      { title: t("Health"), cell: (one) => <HealthPill {...one} /> },
      {
        title: t("Serves"),
        cell: ({ offers }) => [...new Set(offers.map(({ operation }) => words(operation)))].join(", ")
      },
      { title: t("Priority"), align: "right", cell: ({ priority }) => priority },
      {
        title: t("Events"),
        cell: ({ events: { callbacks, last_fault, readable } }) => (
          <>
            {[callbacks ? t("Callbacks") : "", readable ? t("Read on a schedule") : ""].filter(Boolean).join(", ") ||
              t("None")}
            <LastFault of={last_fault} />
          </>
        )
      },
      {
        title: t("Kind"),
        cell: ({ simulated }) => (simulated ? <StatusPill status="simulated" tone="off" /> : t("Connected"))
      }
    ]}
    empty={[t("No provider is configured"), t("Nothing can be paid or received. Configure a provider.")]}
  />
)

/** A link to the resource of a statement's command or pay-in: command ids are `<resource id>.<name>`. */
export const CommandId = ({ id }: { readonly id: string | null }) =>
  id === null ? <span class="dim">—</span> : <Id id={id} brief href={to(`/resources/${id.split(".")[0] ?? id}`)} />
