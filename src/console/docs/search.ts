/** The search of the documentation: guides, operations with their members, events, and error codes. */
import { bodyOf, membersOf, type ApiReference, docsUrl } from "./document.ts"

export interface Entry {
  readonly title: string
  /** What it is: `Guides`, `POST /v1/transfers`, `Error`. */
  readonly kind: string
  readonly href: string
  readonly words: string
}

export const searchEntries = ({ events, guides, operations, spec }: ApiReference): ReadonlyArray<Entry> => [
  ...guides.map(({ group, name, summary, text, title }) => ({
    title,
    kind: group,
    href: docsUrl(name),
    words: `${title} ${summary} ${text}`.toLowerCase()
  })),
  ...operations.map((operation) => {
    const members = membersOf(spec, bodyOf(operation)?.["schema"] ?? {}).map(({ name }) => name)
    const { id, method, node, path, summary, tag } = operation
    return {
      title: summary,
      kind: `${method} ${path}`,
      href: docsUrl(`operations/${id}`),
      words: `${summary} ${id} ${method} ${path} ${tag} ${node["description"] ?? ""} ${members.join(" ")}`.toLowerCase()
    }
  }),
  ...events.map(({ node, type }) => ({
    title: type,
    kind: "Event",
    href: docsUrl(`events/${type}`),
    words: `${type} ${type.replaceAll(/[._]/g, " ")} event webhook ${node["description"]}`.toLowerCase()
  })),
  ...Object.entries<{ readonly summary: string }>(spec["components"].examples).map(([code, { summary }]) => ({
    title: code,
    kind: "Error",
    href: docsUrl(`errors/${code}`),
    words: `${code} ${code.replaceAll("_", " ")} ${summary}`.toLowerCase()
  }))
]

const shownMax = 12

/** Titles that begin with the text come first, then titles that have it, then all others that have each of its words. */
export const searchHits = (entries: ReadonlyArray<Entry>, text: string): ReadonlyArray<Entry> => {
  const wanted = text.trim().toLowerCase()
  if (wanted === "") return []
  const parts = wanted.split(/\s+/)
  const rank = ({ kind, title, words }: Entry): number => {
    const name = title.toLowerCase()
    if (name.startsWith(wanted)) return 0
    if (name.includes(wanted) || kind.toLowerCase().includes(wanted)) return 1
    if (parts.every((part) => name.includes(part))) return 2
    return parts.every((part) => words.includes(part)) ? 3 : 4
  }
  return entries
    .map((entry) => ({ entry, rank: rank(entry) }))
    .filter((one) => one.rank < 4)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, shownMax)
    .map(({ entry }) => entry)
}
