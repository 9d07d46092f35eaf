/** The page of an event type: what a webhook endpoint receives, and what it answers. */
import {
  readBodySchema,
  type EventType,
  readExampleBody,
  type Json,
  type ApiReference,
  makeDocsUrl
} from "./document.ts"
import { MemberList, Parameters } from "./operation.tsx"
import { AsMarkdown, Prose, Titled } from "./text.tsx"

export interface EventPageProps {
  readonly reference: ApiReference
  readonly event: EventType
}

export const EventTypePage = ({ event, reference: { spec } }: EventPageProps) => {
  const { node, type } = event
  const responses = Object.entries<Json>(node["responses"])
  return (
    <>
      <Titled title={type} />
      <p class="endpoint">
        <span class="method post">POST</span> <code>to your webhook endpoint</code>
      </p>
      <p class="lead">
        <Prose text={node["description"]} />
      </p>
      <p class="dim">
        Verify the signature before you read the body, see <a href={makeDocsUrl("guides/webhooks")}>webhooks</a>.
      </p>
      <div class="columns">
        <div>
          <Parameters spec={spec} operation={event} title="Headers" />
          <h2>Body</h2>
          <MemberList spec={spec} schema={readBodySchema(event)!["schema"]} />
          <h2>Your response</h2>
          <ul class="members">
            {responses.map(([status, { description }]) => (
              <li key={status}>
                <p>
                  <code class="name">{status === "default" ? "other" : status}</code>
                </p>
                <p class="about">
                  <Prose text={description} />
                </p>
              </li>
            ))}
          </ul>
        </div>
        <div class="aside">
          <h2>Example</h2>
          <pre tabIndex={0} aria-label="Example of the event">
            <code>{JSON.stringify(readExampleBody(event), null, 2)}</code>
          </pre>
        </div>
      </div>
      <AsMarkdown path={`events/${type}`} />
    </>
  )
}
