/** The search of the documentation: pages by their sections, operations with their members, events, and error codes. */
import { readBodySchema, listMembers, type ApiReference, makeDocsUrl } from "./document.ts"

export interface Entry {
  readonly title: string
  /** What it is: `Guides`, `POST /v1/transfers`, `Error`. */
  readonly kind: string
  readonly href: string
  /** What is searched, in small letters. */
  readonly words: string
  /** What an excerpt is cut from. Default: the entry has none. */
  readonly text?: string
}

export const listSearchEntries = ({ events, guides, operations, spec }: ApiReference): ReadonlyArray<Entry> => [
  ...guides.flatMap(({ group, name, sections, title }) =>
    sections.map((section) => ({
      title: section.title,
      kind: section.id === "" ? group : title,
      href: `${makeDocsUrl(name)}${section.id === "" ? "" : `#${section.id}`}`,
      words: `${section.title} ${section.text}`.toLowerCase(),
      text: section.text
    }))
  ),
  ...operations.map((operation) => {
    const members = listMembers(spec, readBodySchema(operation)?.["schema"] ?? {}).map(({ name }) => name)
    const { id, method, node, path, summary, tag } = operation
    return {
      title: summary,
      kind: `${method} ${path}`,
      href: makeDocsUrl(`operations/${id}`),
      words:
        `${summary} ${id} ${method} ${path} ${tag} ${node["description"] ?? ""} ${members.join(" ")}`.toLowerCase(),
      text: node["description"] ?? ""
    }
  }),
  ...events.map(({ node, type }) => ({
    title: type,
    kind: "Event",
    href: makeDocsUrl(`events/${type}`),
    words: `${type} ${type.replaceAll(/[._]/g, " ")} event webhook ${node["description"]}`.toLowerCase(),
    text: node["description"] ?? ""
  })),
  ...Object.entries<{ readonly summary: string }>(spec["components"].examples).map(([code, { summary }]) => ({
    title: code,
    kind: "Error",
    href: makeDocsUrl(`errors/${code}`),
    words: `${code} ${code.replaceAll("_", " ")} ${summary}`.toLowerCase(),
    text: summary
  }))
]

const shownMax = 12

/** Words that a question has and a page need not have. */
const fillers: ReadonlySet<string> = new Set(
  "a an and are as at be by can did do does for from has have how i if in is it its may me my no not of on or our should so that the then there this to was we what when where which who why will with you your".split(
    " "
  )
)

/** Splits a query into the words to search for: without punctuation around them, and without fillers unless there is nothing else. */
const splitQuery = (text: string): ReadonlyArray<string> => {
  const all = text.split(/\s+/).flatMap((word) => word.match(/[\p{L}\p{N}/](?:.*[\p{L}\p{N}}/])?/u)?.[0] ?? [])
  const telling = all.filter((word) => !fillers.has(word))
  return telling.length === 0 ? all : telling
}

const cutFragment = (href: string): string => href.split("#")[0]!

/** Joins the words of each page from all of its entries. */
const joinPageWords = (entries: ReadonlyArray<Entry>): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const { href, words } of entries) found.set(cutFragment(href), `${found.get(cutFragment(href)) ?? ""} ${words}`)
  return found
}

/**
 * Finds the hits of a query. Titles that begin with it come first, then titles that contain it, then sections that contain each
 * of its words, then pages whose sections contain them together. No address is returned twice.
 */
export const findHits = (entries: ReadonlyArray<Entry>, text: string): ReadonlyArray<Entry> => {
  const wanted = text.trim().toLowerCase()
  const parts = splitQuery(wanted)
  if (parts.length === 0) return []
  const ofPages = joinPageWords(entries)
  const hasAll = (words: string): boolean => parts.every((part) => words.includes(part))
  const rank = ({ href, kind, title, words }: Entry): number => {
    const name = title.toLowerCase()
    if (name.startsWith(wanted)) return 0
    if (name.includes(wanted) || kind.toLowerCase().includes(wanted)) return 1
    if (hasAll(name)) return 2
    if (hasAll(words)) return 3
    return !href.includes("#") && hasAll(ofPages.get(href)!) ? 4 : 5
  }
  const seen = new Set<string>()
  return entries
    .map((entry) => ({ entry, rank: rank(entry) }))
    .filter((one) => one.rank < 5)
    .sort((a, b) => a.rank - b.rank)
    .filter(({ entry: { href } }) => !seen.has(href) && seen.add(href))
    .slice(0, shownMax)
    .map(({ entry }) => entry)
}

const excerptMax = 140

/** Cuts the part of an entry's text around the first word of the query, at word boundaries, in at most 140 characters and two ellipses. */
export const cutExcerpt = ({ text = "" }: Entry, asked: string): string => {
  const lower = text.toLowerCase()
  const found = splitQuery(asked.trim().toLowerCase())
    .map((part) => lower.indexOf(part))
    .filter((at) => at >= 0)
  const at = Math.min(...(found.length === 0 ? [0] : found))
  const before = text.slice(0, Math.max(0, at - excerptMax / 3))
  const from = before === "" ? 0 : before.lastIndexOf(" ") + 1
  const rest = text.slice(from)
  const cut =
    rest.length <= excerptMax ? rest : rest.slice(0, Math.max(rest.lastIndexOf(" ", excerptMax), excerptMax / 2))
  return `${from === 0 ? "" : "… "}${cut}${cut.length === rest.length ? "" : " …"}`
}
