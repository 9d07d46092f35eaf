/**
 * The code that pages show. A comment on the line before a block says how it is run:
 *
 * - nothing: it is run by `test/ops/snippets.test.ts`;
 * - `<!-- continues -->`: as a part of the block of its language before it;
 * - `<!-- run by PATH -->`: another test runs it;
 * - `<!-- not run: REASON -->`: nothing does.
 */
import { existsSync, readFileSync } from "node:fs"
import { anchors } from "../../../scripts/documents/markdown.ts"

export interface Snippet {
  readonly page: string
  /** The page, the anchor of the heading above, and a number from the second snippet there: `README.md#a-payout`. */
  readonly name: string
  readonly language: string
  readonly code: string
  /** The test that runs it. */
  readonly by?: string
  /** Why nothing runs it. */
  readonly unrun?: string
}

/** What is no code: output, messages and drawings. */
const texts: ReadonlySet<string> = new Set(["text", "http", "mermaid", ""])

/** Errors: throws for a comment before a block that is none of the above. */
export const snippetsOf = (page: string): ReadonlyArray<Snippet> => {
  const found: Array<Snippet> = []
  const anchorOf = anchors()
  let heading = ""
  let mark = ""
  let open: { readonly language: string; readonly mark: string; readonly lines: Array<string> } | undefined
  const close = ({ language, lines, mark: marked }: NonNullable<typeof open>): void => {
    const code = `${lines.join("\n")}\n`
    const [, by] = /^run by (\S+)$/.exec(marked) ?? []
    const [, unrun] = /^not run: (.+)$/.exec(marked) ?? []
    if (marked !== "" && marked !== "continues" && by === undefined && unrun === undefined)
      throw new Error(`${page} has a block under "${heading}" that is marked "${marked}".`)
    if (texts.has(language)) return
    const at = found.findLastIndex((one) => one.language === language)
    const before = found[at]
    if (marked === "continues") {
      if (before === undefined) throw new Error(`${page}#${heading} continues nothing.`)
      found[at] = { ...before, code: `${before.code}${code}` }
      return
    }
    const same = found.filter(({ name }) => name.replace(/\.\d+$/, "") === `${page}#${heading}`).length
    const name = `${page}#${heading}${same === 0 ? "" : `.${same + 1}`}`
    found.push({ page, name, language, code, ...(by && { by }), ...(unrun && { unrun }) })
  }
  for (const line of readFileSync(page, "utf8").split("\n")) {
    if (open !== undefined) {
      if (line !== "```") open.lines.push(line)
      else {
        close(open)
        open = undefined
      }
      continue
    }
    const [, language] = /^```(\w*)$/.exec(line) ?? []
    if (language !== undefined) open = { language, mark, lines: [] }
    const [, title] = /^#{1,6} (.+)$/.exec(line) ?? []
    if (title !== undefined) heading = anchorOf(title.replaceAll("`", ""))
    mark = /^<!-- (.*) -->$/.exec(line)?.[1] ?? ""
    if (mark.startsWith("diagram:")) mark = ""
  }
  return found
}

/** The tests that are said to run a snippet and do not exist. */
export const missingTests = (snippets: ReadonlyArray<Snippet>): ReadonlyArray<string> =>
  snippets.flatMap(({ by, name }) => (by === undefined || existsSync(by) ? [] : [`${name}: ${by}`]))
