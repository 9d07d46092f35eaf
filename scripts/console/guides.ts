/** The guides of the documentation, from their Markdown. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { marked, type Tokens } from "marked"
import type { Guide } from "../../src/console/docs/document.ts"

/** In the order of the navigation. */
export const guideNames = ["quickstart", "webhooks", "idempotency", "errors", "testing"] as const

/** A guide begins with its title, as a heading, and its summary, as a paragraph. */
const guideOf = (name: string, markdown: string): Guide => {
  const tokens = marked.lexer(markdown)
  const title = tokens.find(({ type }) => type === "heading") as Tokens.Heading | undefined
  const summary = tokens.find(({ type }) => type === "paragraph") as Tokens.Paragraph | undefined
  if (title === undefined || summary === undefined) throw new Error(`docs/guides/${name}.md has no title or no summary`)
  const rest = tokens.slice(tokens.indexOf(title) + 1)
  // Keyboards scroll only what can have the focus.
  const html = marked
    .parser(rest)
    .replaceAll("<pre>", '<pre tabindex="0">')
    .replaceAll(/(href="[\w-]+)\.md"/g, '$1"')
  return {
    name,
    title: title.text,
    summary: summary.text,
    html,
    text: html
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim()
  }
}

export const guidesIn = (folder: string): ReadonlyArray<Guide> =>
  guideNames.map((name) => guideOf(name, readFileSync(join(folder, `${name}.md`), "utf8")))
