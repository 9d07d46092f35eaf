/** The pages of the documentation, in the order of the navigation. The server shows two groups, the site all of them. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import type { Guide } from "../../src/console/docs/document.ts"
import type { Drawing } from "./machines.ts"
import { contentsOf, type Page, render } from "./markdown.ts"

export const root = dirname(dirname(import.meta.dirname))

export interface Group {
  readonly title: string
  /** Paths from the root of the repository. */
  readonly pages: ReadonlyArray<string>
}

/** The pages of a folder, by name: first those that are named here, in this order, then all others. */
const pagesIn = (folder: string, first: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const at = join(root, "docs", folder)
  const names = existsSync(at) ? readdirSync(at).filter((name) => name.endsWith(".md")) : []
  const others = names.map((name) => name.slice(0, -3)).filter((name) => !first.includes(name))
  return [...first, ...others.toSorted()]
}

const inFolder = (folder: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `docs/${folder}/${name}.md`)

/** Shown by the server, each folder below `/docs`. */
export const served = {
  guides: pagesIn("guides", [
    "quickstart",
    "embed",
    "client",
    "webhooks",
    "idempotency",
    "control",
    "errors",
    "lists",
    "testing",
    "configure",
    "deploy",
    "go-live",
    "operate"
  ]),
  concepts: pagesIn("concepts", [
    "movements",
    "holds",
    "unknown-outcomes",
    "ledger",
    "exceptions",
    "fees",
    "matching",
    "rates",
    "nodes-and-cells"
  ]),
  questions: pagesIn("questions", [
    "pay-again",
    "missed-webhooks",
    "not-received",
    "deposit-not-credited",
    "who-may-pay"
  ])
} as const

const titles = { guides: "Guides", concepts: "Concepts", questions: "Questions" } as const

const providers = [
  "docs/providers.md",
  "docs/provider-protocol.md",
  "docs/check-provider.md",
  ...inFolder("providers", pagesIn("providers")),
  "docs/chains.md",
  "docs/simulation.md"
]
const reference = [
  "docs/settings.md",
  "docs/cli.md",
  "docs/machines.md",
  "docs/ledger.md",
  "docs/rules.md",
  "docs/console-guide.md",
  "docs/console.md"
]
const named: ReadonlySet<string> = new Set([
  ...[...providers, ...reference],
  ...["docs/threat-model.md", "docs/versioning.md", "docs/packages.md"]
])
/** Pages of `docs` that no group names. */
const others = pagesIn("")
  .map((name) => `docs/${name}.md`)
  .filter((path) => !named.has(path))

const all: ReadonlyArray<Group> = [
  { title: "Guides", pages: ["README.md", ...inFolder("guides", served.guides)] },
  { title: "Concepts", pages: inFolder("concepts", served.concepts) },
  { title: "Questions", pages: inFolder("questions", served.questions) },
  { title: "Providers", pages: providers },
  { title: "Reference", pages: [...reference, ...others] },
  {
    title: "Design",
    pages: ["ARCHITECTURE.md", "docs/threat-model.md", ...inFolder("decisions", pagesIn("decisions", ["README"]))]
  },
  { title: "Runbooks", pages: inFolder("runbooks", pagesIn("runbooks")) },
  {
    title: "Project",
    pages: ["CHANGELOG.md", "docs/versioning.md", "CONTRIBUTING.md", "docs/packages.md", "SECURITY.md"]
  }
]

export const groups = all.filter(({ pages }) => pages.length > 0)

export const read = (path: string): string => readFileSync(join(root, path), "utf8")

const { repository } = JSON.parse(read("package.json")) as { readonly repository: { readonly url: string } }

/** The repository on the web. */
export const repositoryUrl = repository.url.replace(/^git\+/, "").replace(/\.git$/, "")

/** A link, resolved against the page that has it: the file in the repository, and the anchor. `undefined`: elsewhere. */
export const resolveLink = (
  page: string,
  link: string
): { readonly path: string; readonly anchor: string } | undefined => {
  if (/^[a-z]+:/i.test(link)) return undefined
  const [target = "", anchor = ""] = link.split("#")
  return { path: target === "" ? page : posix.join(posix.dirname(page), target), anchor }
}

/** The address in the repository of a file that no page shows. */
export const inRepository = (path: string, anchor: string): string =>
  `${repositoryUrl}/blob/main/${path}${anchor === "" ? "" : `#${anchor}`}`

/** Renders a page. `hrefOf` has the address of another page. */
export const pageOf = (
  path: string,
  drawn: ReadonlyMap<string, Drawing>,
  hrefOf: (path: string, anchor: string) => string
): Page =>
  render(path, read(path), {
    diagramOf: (kind) => drawn.get(kind)?.current,
    linkOf: (link) => {
      const found = resolveLink(path, link)
      if (found === undefined || link.startsWith("#")) return link
      return hrefOf(found.path, found.anchor)
    }
  })

/** A file of the repository, as the server names it below `/docs`. `undefined`: it does not show it. */
export const servedName = (path: string): string | undefined => {
  const [, folder = "", name = ""] = /^docs\/(\w+)\/([\w-]+)\.md$/.exec(path) ?? []
  return folder in served ? `${folder}/${name}` : undefined
}

/** The way from one page below `/docs` to another. */
export const relativeTo = (from: string, name: string): string => {
  const [folder = "", last = ""] = name.split("/")
  return from.startsWith(`${folder}/`) ? last : `../${folder}/${last}`
}

/** The pages as the server shows them: below `/docs`, with links relative to it. */
export const listServedPages = (drawn: ReadonlyMap<string, Drawing>): ReadonlyArray<Guide> =>
  (Object.keys(served) as ReadonlyArray<keyof typeof served>).flatMap((folder) =>
    served[folder].map((last) => {
      const name = `${folder}/${last}`
      const page = pageOf(`docs/${name}.md`, drawn, (path, anchor) => {
        const shown = servedName(path)
        if (shown === undefined) return inRepository(path, anchor)
        return `${relativeTo(name, shown)}${anchor === "" ? "" : `#${anchor}`}`
      })
      const { html, sections, summary, title } = page
      return { name, group: titles[folder], title, summary, html: `${contentsOf(page)}${html}`, sections }
    })
  )
