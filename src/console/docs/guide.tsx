/** The first page, and the guides. */
import { useEffect, useRef } from "preact/hooks"
import { addCopyButtons } from "./code.tsx"
import { type Guide, type ApiReference, makeDocsUrl } from "./document.ts"
import { AsMarkdown, Prose, Titled } from "./text.tsx"

export const ReferenceOverview = ({ reference: { guides, spec } }: { readonly reference: ApiReference }) => (
  <>
    <Titled title="Corridor API" />
    <p class="lead">
      <Prose text={spec["info"].description} />
    </p>
    <ul class="cards">
      {guides.map(({ name, summary, title }) => (
        <li key={name}>
          <a href={makeDocsUrl(name)}>
            <strong>{title}</strong>
            <span>{summary}</span>
          </a>
        </li>
      ))}
    </ul>
    <dl class="facts">
      <dt>Base URL</dt>
      <dd>
        <code>{spec["servers"][0].url}</code>
      </dd>
      <dt>OpenAPI document</dt>
      <dd>
        <a href={makeDocsUrl("").replace(/docs$/, "openapi.json")} target="_top">
          openapi.json
        </a>
      </dd>
      <dt>For programs that read</dt>
      <dd>
        <a href={makeDocsUrl("llms.txt")}>llms.txt</a>
      </dd>
    </dl>
  </>
)

/** The page of a guide. Its HTML is made from our own Markdown when the documentation is built. */
export const GuidePage = ({ guide: { html, name, title } }: { readonly guide: Guide }) => {
  const article = useRef<HTMLElement>(null)
  useEffect(() => {
    addCopyButtons(article.current!)
    document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [title])
  return (
    <>
      <Titled title={title} />
      <article ref={article} class="guide" dangerouslySetInnerHTML={{ __html: html }} />
      <AsMarkdown path={name} />
    </>
  )
}
