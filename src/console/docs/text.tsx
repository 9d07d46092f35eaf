/** Titles and prose of the documentation. */
import { useEffect } from "preact/hooks"
import { makeDocsUrl } from "./document.ts"

/** Sets the title of the page, and moves the focus to it after a navigation. */
export const Titled = ({ title }: { readonly title: string }) => {
  useEffect(() => {
    document.title = `${title} | Corridor API`
    scrollTo(0, 0)
  }, [title])
  return <h1 tabIndex={-1}>{title}</h1>
}

/** A link to the Markdown of a page, for programs. `path`: the page below `/docs`. */
export const AsMarkdown = ({ path }: { readonly path: string }) => (
  <p class="twin">
    <a href={makeDocsUrl(`${path}.md`)}>This page as Markdown</a>
  </p>
)

/** A text in which backticks mark code. */
export const Prose = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
)
