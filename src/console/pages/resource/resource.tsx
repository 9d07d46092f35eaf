/** Any resource, for operators: its lifecycle, what it waits for, its timeline, its money, and what can be done. */
import type { RelatedResource, Resource, TimelineTransition } from "../../../client/generated/resources.ts"
import { useMemo, useState } from "preact/hooks"
import { useRoute } from "preact-iso"
import { rich, t } from "../../frame/language.ts"
import { Acts } from "../../acts/acts.tsx"
import { Merchant } from "../../parts/columns.tsx"
import { Id, NamedResource } from "../../parts/id.tsx"
import { Card, Facts, Page } from "../../parts/page.tsx"
import { StaleNotice } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { movementKinds } from "../../parts/vocabulary.ts"
import { NotLoaded } from "../found.tsx"
import { MovementListing } from "../movements.tsx"
import { BodyFacts } from "./body.tsx"
import { Drawing } from "./drawing.tsx"
import { Trouble } from "./trouble.tsx"
import {
  Explained,
  Fees,
  isFoldedBeside,
  RecipientInTitle,
  StoryCards,
  formatTitle,
  useStory,
  Waiting
} from "./story.tsx"

const RelatedList = ({ of }: { readonly of: ReadonlyArray<RelatedResource> }) =>
  of.length === 0 ? (
    <p class="dim">{t("None.")}</p>
  ) : (
    <ul class="plain-list">
      {of.map(({ id, kind, relation, title }) => (
        <li key={id}>
          <span class="dim">
            {relation === kind
              ? words(kind)
              : t("{relation} {kind}", { relation: words(relation), kind: words(kind).toLowerCase() })}
          </span>
          <br />
          <NamedResource id={id} title={title} />
        </li>
      ))}
    </ul>
  )

export const ResourcePage = () => {
  const id = useRoute().params["id"] ?? ""
  return <ResourceView key={id} id={id} />
}

const ResourceView = ({ id }: { readonly id: string }) => {
  const path = `/operator/v1/resources/${encodeURIComponent(id)}`
  const { timeline, body: found, error, reload } = useStory<Resource>(path)
  const [isDrawn, setDrawn] = useState(false)
  const transitions = useMemo(
    () => (timeline?.entries ?? []).filter((entry): entry is TimelineTransition => entry.type === "transition"),
    [timeline]
  )
  if (timeline === undefined || found === undefined)
    return <NotLoaded what={t("Resource")} id={id} error={error} reload={reload} />
  return (
    <Page
      title={formatTitle(found.kind, found.resource)}
      lead={
        <>
          <StatusPill status={timeline.status} /> <Id id={id} href={null} /> ·{" "}
          {rich("{kind} of {merchant}", {
            kind: words(found.kind),
            merchant: <Merchant of={found} />
          })}
          <RecipientInTitle of={found.resource} />
          <Fees of={found.resource} />
        </>
      }
      actions={<Acts of={{ kind: found.kind, id, state: timeline.state, body: found.resource }} />}
    >
      {error !== undefined && <StaleNotice error={error} />}
      {movementKinds.some((kind) => kind === found.kind) && <Trouble id={id} />}
      <Explained of={timeline} />
      {timeline.waits_for !== null && <Waiting of={timeline.waits_for} />}
      <details class="card" onToggle={({ currentTarget }) => setDrawn(currentTarget.open)}>
        <summary>
          {t("Lifecycle")}
          {!isDrawn && (
            <span class="current" data-state={timeline.state}>
              {t(": {state}, after {count} step|: {state}, after {count} steps", {
                state: words(timeline.state).toLowerCase(),
                count: transitions.length
              })}
            </span>
          )}
        </summary>
        {isDrawn && <Drawing kind={found.kind} version={timeline.machine} state={timeline.state} path={transitions} />}
      </details>
      <div class="columns">
        <StoryCards of={timeline} />
        <div>
          <Card title={t("Details")} isFolded={isFoldedBeside(timeline)}>
            <Facts
              of={[
                [t("Created"), <Time key="" at={found.created_at} exact />],
                [t("Ended"), timeline.ended_at === null ? null : <Time key="" at={timeline.ended_at} exact />],
                [t("State"), words(timeline.state)],
                [t("Machine version"), timeline.machine]
              ]}
            />
            <hr />
            <BodyFacts body={found.resource} titles={new Map(found.related.map(({ id, title }) => [id, title]))} />
          </Card>
          <Card title={t("Related")} isFolded={isFoldedBeside(timeline)}>
            <RelatedList of={found.related} />
          </Card>
        </div>
      </div>
      {found.kind === "beneficiary" && (
        <>
          <h2>{t("Payouts")}</h2>
          <MovementListing fixed={{ beneficiary_id: id }} />
        </>
      )}
    </Page>
  )
}
