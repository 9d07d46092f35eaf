/** Titles and prose of the documentation. */
import { useEffect } from "preact/hooks"
import { docsUrl } from "./document.ts"

/** Titles the page, and moves the focus to it after a navigation. */
export const Titled = ({ title }: { readonly title: string }) => {
  useEffect(() => {
    document.title = `${title} | Corridor API`
    scrollTo(0, 0)
  }, [title])
  return <h1 tabIndex={-1}>{title}</h1>
}

/** Leads to the Markdown of a page, for programs that read. `path`: the page below `/docs`. */
export const AsMarkdown = ({ path }: { readonly path: string }) => (
  <p class="twin">
    <a href={docsUrl(`${path}.md`)}>This page as Markdown</a>
  </p>
)

/** Text with code between backticks. */
export const Prose = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
)
