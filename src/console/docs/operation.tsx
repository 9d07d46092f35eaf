/** The page of an operation. */
import { useState } from "preact/hooks"
import { signal } from "@preact/signals"
import { Copy } from "../parts/copy.tsx"
import {
  readBodySchema,
  makeSchemaExample,
  resolveReference,
  isOperator,
  type Json,
  listMembers,
  type DocumentedOperation,
  listParameters,
  type ApiReference,
  root,
  makeDocsUrl,
  describeType
} from "./document.ts"
import { type Language, languages, writeSample } from "./samples.ts"
import { AsMarkdown, Prose, Titled } from "./text.tsx"
import { TryIt } from "./try-it.tsx"

const language = signal<Language>("curl")

/** Members of members are shown up to this depth. */
const depthMax = 5

interface MemberHeadProps {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string | undefined
}

const MemberHead = ({ description, isRequired, name, type }: MemberHeadProps) => (
  <>
    <p>
      <code class="name">{name}</code> <span class="dim">{type}</span>{" "}
      <span class={isRequired ? "required" : "dim"}>{isRequired ? "Required" : "Optional"}</span>
    </p>
    {description !== undefined && (
      <p class="about">
        <Prose text={description} />
      </p>
    )}
  </>
)

export const MemberList = ({
  spec,
  schema,
  depth = 0
}: {
  readonly spec: Json
  readonly schema: Json
  readonly depth?: number
}) => {
  const members = listMembers(spec, schema)
  if (members.length === 0) return depth === 0 ? <p class="dim">No members.</p> : null
  return (
    <ul class="members">
      {members.map(({ isRequired, name, schema: member }) => {
        const description = member["description"] ?? resolveReference(spec, member)["description"]
        const hasMore = depth < depthMax && listMembers(spec, member).length > 0
        return (
          <li key={name}>
            <MemberHead {...{ name, isRequired, description }} type={describeType(spec, member)} />
            {hasMore && (
              <details>
                <summary>Members of {name}</summary>
                <MemberList spec={spec} schema={member} depth={depth + 1} />
              </details>
            )}
          </li>
        )
      })}
    </ul>
  )
}

const Samples = ({ spec, operation }: { readonly spec: Json; readonly operation: DocumentedOperation }) => {
  const text = writeSample(spec, root.href.replace(/\/$/, ""), operation, language.value)
  return (
    <section class="samples" aria-label="Request">
      <div class="tabs" role="group" aria-label="Language">
        {languages.map((one) => (
          <button key={one} type="button" aria-pressed={one === language.value} onClick={() => (language.value = one)}>
            {one}
          </button>
        ))}
        <Copy text={text} what={`the ${language.value} sample`} />
      </div>
      <pre tabIndex={0} aria-label={`${language.value} sample`}>
        <code>{text}</code>
      </pre>
    </section>
  )
}

const Errors = ({ spec, operation }: { readonly spec: Json; readonly operation: DocumentedOperation }) => (
  <ul class="errors">
    {Object.entries<Json>(operation.node["responses"])
      .filter(([status]) => status !== "200")
      .flatMap(([status, response]) =>
        Object.keys(resolveReference(spec, response)["content"]["application/json"].examples).map((code) => (
          <li key={code}>
            <span class="dim">{status}</span> <a href={makeDocsUrl(`errors/${code}`)}>{code}</a>{" "}
            <Prose text={spec["components"].examples[code].summary} />
          </li>
        ))
      )}
  </ul>
)

export const Parameters = ({
  operation,
  spec,
  title = "Parameters"
}: {
  readonly spec: Json
  readonly operation: Pick<DocumentedOperation, "node">
  readonly title?: string
}) => {
  const parameters = listParameters(spec, operation)
  if (parameters.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ul class="members">
        {parameters.map(({ description, isRequired, name, place, schema }) => (
          <li key={`${place} ${name}`}>
            <MemberHead {...{ name, isRequired, description }} type={`${place}, ${describeType(spec, schema)}`} />
          </li>
        ))}
      </ul>
    </>
  )
}

export interface OperationPageProps {
  readonly reference: ApiReference
  readonly operation: DocumentedOperation
}

export const OperationPage = ({ operation, reference: { spec } }: OperationPageProps) => {
  const { method, node, path, summary } = operation
  const body = readBodySchema(operation)
  const success = node["responses"]["200"].content["application/json"].schema as Json
  const [isTrying, setTrying] = useState(false)
  return (
    <>
      <Titled title={summary} />
      <p class="endpoint">
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
      </p>
      {node["description"] !== undefined && (
        <p class="lead">
          <Prose text={node["description"]} />
        </p>
      )}
      <p class="dim">
        {isOperator(operation) ? "Called with an operator's token." : "Called with an API key of the merchant."}
      </p>
      <div class="columns">
        <div>
          <Parameters spec={spec} operation={operation} />
          {body !== undefined && (
            <>
              <h2>Body</h2>
              <MemberList spec={spec} schema={body["schema"]} />
            </>
          )}
          <h2>Response</h2>
          <MemberList spec={spec} schema={success} />
          <h2>Errors</h2>
          <Errors spec={spec} operation={operation} />
        </div>
        <div class="aside">
          <h2>Request</h2>
          <Samples spec={spec} operation={operation} />
          <h2>Response</h2>
          <pre tabIndex={0} aria-label="Example of a response">
            <code>{JSON.stringify({ ...(makeSchemaExample(spec, success) as object), message: "OK" }, null, 2)}</code>
          </pre>
          <button type="button" aria-expanded={isTrying} onClick={() => setTrying(!isTrying)}>
            Try it
          </button>
          {isTrying && <TryIt spec={spec} operation={operation} />}
        </div>
      </div>
      <AsMarkdown path={`operations/${operation.id}`} />
    </>
  )
}
