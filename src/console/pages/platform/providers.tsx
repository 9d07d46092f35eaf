/** The configured providers: whether they answer, and what they serve. */
import type { ConfiguredProvider } from "../../../client/generated/resources.ts"
import { to } from "../../frame/base.ts"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"

export const providerHref = (name: string): string => to(`/providers/${encodeURIComponent(name)}`)

export const HealthPill = ({ health, paused }: Pick<ConfiguredProvider, "health" | "paused">) =>
  paused ? (
    <StatusPill status="paused" tone="warn" />
  ) : (
    <StatusPill status={health} tone={health === "healthy" ? "good" : "bad"} />
  )

/** What was last wrong with an event of a provider; nothing without. */
export const LastFault = ({ of }: { readonly of: ConfiguredProvider["events"]["last_fault"] }) =>
  of === null ? null : (
    <div class="dim">
      Last fault <Time at={of.at} />: {of.answer}
    </div>
  )

export const ProvidersPage = () => (
  <ListPage<ConfiguredProvider>
    title="Providers"
    lead="The banks, networks and services that move the money."
    path="/operator/v1/providers"
    every={10}
    keyOf={({ name }) => name}
    columns={[
      { title: "Name", cell: ({ name }) => <a href={providerHref(name)}>{name}</a> },
      { title: "Health", cell: (one) => <HealthPill {...one} /> },
      {
        title: "Serves",
        cell: ({ offers }) => [...new Set(offers.map(({ operation }) => words(operation)))].join(", ")
      },
      { title: "Priority", align: "right", cell: ({ priority }) => priority },
      {
        title: "Events",
        wide: true,
        cell: ({ events: { callbacks, last_fault, readable } }) => (
          <>
            {[callbacks ? "Callbacks" : "", readable ? "Read on a schedule" : ""].filter(Boolean).join(", ") || "None"}
            <LastFault of={last_fault} />
          </>
        )
      },
      {
        title: "Kind",
        wide: true,
        cell: ({ simulated }) => (simulated ? <StatusPill status="simulated" tone="off" /> : "Connected")
      }
    ]}
    empty={["No provider is configured", "Nothing can be paid or received. Configure a provider."]}
  />
)

/** The resource that a command or pay-in of a statement belongs to: command ids are `<resource id>.<name>`. */
export const CommandId = ({ id }: { readonly id: string | null }) =>
  id === null ? <span class="dim">—</span> : <Id id={id} brief href={to(`/resources/${id.split(".")[0] ?? id}`)} />
