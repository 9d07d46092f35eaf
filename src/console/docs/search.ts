/** The search of the documentation: pages by their sections, operations with their members, events, and error codes. */
import { bodyOf, membersOf, type ApiReference, docsUrl } from "./document.ts"

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

export const searchEntries = ({ events, guides, operations, spec }: ApiReference): ReadonlyArray<Entry> => [
  ...guides.flatMap(({ group, name, sections, title }) =>
    sections.map((section) => ({
      title: section.title,
      kind: section.id === "" ? group : title,
      href: `${docsUrl(name)}${section.id === "" ? "" : `#${section.id}`}`,
      words: `${section.title} ${section.text}`.toLowerCase(),
      text: section.text
    }))
  ),
  ...operations.map((operation) => {
    const members = membersOf(spec, bodyOf(operation)?.["schema"] ?? {}).map(({ name }) => name)
    const { id, method, node, path, summary, tag } = operation
    return {
      title: summary,
      kind: `${method} ${path}`,
      href: docsUrl(`operations/${id}`),
      words:
        `${summary} ${id} ${method} ${path} ${tag} ${node["description"] ?? ""} ${members.join(" ")}`.toLowerCase(),
      text: node["description"] ?? ""
    }
  }),
  ...events.map(({ node, type }) => ({
    title: type,
    kind: "Event",
    href: docsUrl(`events/${type}`),
    words: `${type} ${type.replaceAll(/[._]/g, " ")} event webhook ${node["description"]}`.toLowerCase(),
    text: node["description"] ?? ""
  })),
  ...Object.entries<{ readonly summary: string }>(spec["components"].examples).map(([code, { summary }]) => ({
    title: code,
    kind: "Error",
    href: docsUrl(`errors/${code}`),
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

/** The words that count: without punctuation around them, and without fillers unless there is nothing else. */
const partsOf = (text: string): ReadonlyArray<string> => {
  const all = text.split(/\s+/).flatMap((word) => word.match(/[\p{L}\p{N}/](?:.*[\p{L}\p{N}}/])?/u)?.[0] ?? [])
  const telling = all.filter((word) => !fillers.has(word))
  return telling.length === 0 ? all : telling
}

const pageOf = (href: string): string => href.split("#")[0]!

/** The words of each page: of its entries together. */
const pageWords = (entries: ReadonlyArray<Entry>): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const { href, words } of entries) found.set(pageOf(href), `${found.get(pageOf(href)) ?? ""} ${words}`)
  return found
}

/**
 * Titles that begin with the text come first, then titles that have it, then sections that have each of its words, then pages whose
 * sections have them together. No address is returned twice.
 */
export const searchHits = (entries: ReadonlyArray<Entry>, text: string): ReadonlyArray<Entry> => {
  const wanted = text.trim().toLowerCase()
  const parts = partsOf(wanted)
  if (parts.length === 0) return []
  const ofPages = pageWords(entries)
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

/** The part of an entry's text around the first word that was asked for, on whole words, in at most 140 characters and two ellipses. */
export const excerptOf = ({ text = "" }: Entry, asked: string): string => {
  const lower = text.toLowerCase()
  const found = partsOf(asked.trim().toLowerCase())
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
