/** A movement of the merchant who is signed in: its story, without what belongs to the platform. */
import type { Timeline, TimelinePosting } from "../../../client/generated/resources.ts"
import { useEffect } from "preact/hooks"
import { useRoute } from "preact-iso"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { Id } from "../../parts/id.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Empty, Failure, Loading } from "../../parts/states.tsx"
import { Status } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { BodyFacts } from "./body.tsx"
import { LedgerView } from "./ledger.tsx"
import { Explained, titleOf, useSpokenStatus, Waiting } from "./story.tsx"
import { TimelineView } from "./timeline.tsx"

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
    <Page title="No such movement">
      <Empty title={`${id} is not the id of a movement`}>
        Go to the <a href={to("/movements")}>list of movements</a>.
      </Empty>
    </Page>
  ) : (
    <MovementView key={id} id={id} path={`${list}/${encodeURIComponent(id)}`} />
  )
}

const MovementView = ({ id, path }: { readonly id: string; readonly path: string }) => {
  const story = useLoad<Timeline>(`${path}/timeline`, { every: 2 })
  const resource = useLoad<Readonly<Record<string, unknown>>>(path)
  const timeline = story.answer.value?.data
  const body = resource.answer.value?.data
  useSpokenStatus(timeline)
  const marks = timeline === undefined ? undefined : `${timeline.status} ${timeline.entries.length}`
  useEffect(() => {
    if (marks !== undefined) resource.reload()
  }, [marks])
  const error = story.error.value ?? resource.error.value
  if (timeline === undefined || body === undefined)
    return (
      <Page title="Movement">
        {error === undefined ? (
          <Loading rows={8} />
        ) : (
          <Failure error={error} retry={() => (story.reload(), resource.reload())} />
        )}
      </Page>
    )
  const postings = timeline.entries.filter((entry): entry is TimelinePosting => entry.type === "posting")
  return (
    <Page
      title={titleOf(timeline.kind, body)}
      lead={
        <>
          <Status status={timeline.status} /> <Id id={id} href={null} /> · {words(timeline.kind)}
        </>
      }
    >
      {error !== undefined && <p class="late">Not up to date: {error.message}</p>}
      <Explained of={timeline.explanation} />
      {timeline.waits_for !== null && <Waiting of={timeline.waits_for} />}
      <div class="columns">
        <div>
          <Card title="Timeline">
            <TimelineView of={timeline} />
          </Card>
          <Card title="Money" flush>
            <LedgerView postings={postings} />
          </Card>
        </div>
        <Card title="Details">
          <BodyFacts body={body} link={false} />
        </Card>
      </div>
    </Page>
  )
}
