/** A movement of the merchant who is signed in: its story, without what belongs to the platform. */
import { useRoute } from "preact-iso"
import { rich, t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { Id } from "../../parts/id.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Empty, StaleNotice } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { NotLoaded } from "../found.tsx"
import { BodyFacts } from "./body.tsx"
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

const paths: Readonly<Record<string, string>> = {
  onr: "/v1/onramps",
  ofr: "/v1/offramps",
  con: "/v1/conversions",
  tfr: "/v1/transfers",
  txn: "/v1/transactions"
}

export const MovementPage = () => {
  const id = useRoute().params["id"] ?? ""
  const list = paths[id.split("_")[0] ?? ""]
  return list === undefined ? (
    <Page title={t("No such movement")}>
      <Empty title={t("{id} is not the id of a movement", { id })}>
        {rich("Go to the <a>list of movements</a>.", { a: (inner) => <a href={to("/movements")}>{inner}</a> })}
      </Empty>
    </Page>
  ) : (
    <MovementView key={id} id={id} path={`${list}/${encodeURIComponent(id)}`} />
  )
}

const MovementView = ({ id, path }: { readonly id: string; readonly path: string }) => {
  const { timeline, body, error, reload } = useStory<Readonly<Record<string, unknown>>>(path)
  if (timeline === undefined || body === undefined)
    return <NotLoaded what={t("Movement")} id={id} error={error} reload={reload} />
  return (
    <Page
      title={formatTitle(timeline.kind, body)}
      lead={
        <>
          <StatusPill status={timeline.status} /> <Id id={id} href={null} /> · {words(timeline.kind)}
          <RecipientInTitle of={body} />
          <Fees of={body} />
        </>
      }
    >
      {error !== undefined && <StaleNotice error={error} />}
      <Explained of={timeline} />
      {timeline.waits_for !== null && <Waiting of={timeline.waits_for} />}
      <div class="columns">
        <StoryCards of={timeline} />
        <Card title={t("Details")} isFolded={isFoldedBeside(timeline)}>
          <BodyFacts body={body} link={false} />
        </Card>
      </div>
    </Page>
  )
}
