/**
 * Builds the documentation site into `dist/site`: static pages that work under any path. Markdown, stylesheets and search are those
 * of the documentation that the server shows; the API reference is made from `docs/openapi.json`.
 */
import { createHash } from "node:crypto"
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import type { Entry } from "../src/console/docs/search.ts"
import { escape } from "./documents/diagram.ts"
import { drawings } from "./documents/machines.ts"
import { contentsOf } from "./documents/markdown.ts"
import { groups, inRepository, pageOf, read, root } from "./documents/pages.ts"
import { llmsText, markdownOf } from "./documents/twins.ts"
import { documentOf, type NavigationGroup, type Shown, toRoot, twinOf } from "./site/layout.ts"
import { referencePages } from "./site/reference.ts"

/** The file of the site that shows a file of the repository. */
const fileOf = (path: string): string => {
  const name = path === "README.md" ? "overview" : path.replace(/^docs\//, "").replace(/\.md$/, "")
  return `${name.toLowerCase().replace(/(?<=\/)readme$/, "index")}.html`
}

const assets = /^docs\/(?:images\/.+|[\w-]+\.json)$/

const paths = groups.flatMap(({ pages }) => pages)

const next = (file: string, order: ReadonlyArray<{ readonly href: string; readonly title: string }>): string => {
  const at = order.findIndex(({ href }) => href === file)
  const link = (to: number, label: string): string => {
    const page = order[to]
    return page === undefined ? "<span></span>" : `<a href="${toRoot}${page.href}">${label}: ${escape(page.title)}</a>`
  }
  return `<nav class="pages" aria-label="Pages">${link(at - 1, "Previous")}${link(at + 1, "Next")}</nav>`
}

/** Each word once, without the punctuation around it. An index is searched by parts of words: what is a part of another is found with that. */
const words = (text: string): string => {
  const all = [...new Set(text.toLowerCase().split(/[^\w/]*\s+[^\w/]*/))]
  return all.filter((word) => !all.some((other) => other.length > word.length && other.includes(word))).join(" ")
}

/** What the index has of a text for its excerpt: a reader loads the index before the first result. */
const beginningOf = (text: string): string =>
  text.length <= 120 ? text : `${text.slice(0, text.lastIndexOf(" ", 120))} …`

export interface BuiltSite {
  /** The HTML pages, from the root of the site. */
  readonly pages: ReadonlyArray<string>
  readonly script: string
  readonly style: string
}

export const buildSite = async (to: string = join(root, "dist", "site")): Promise<BuiltSite> => {
  const drawn = await drawings()
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { site: "src/console/site/main.tsx" },
    outdir: to,
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    platform: "browser",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    define: { TRANSLATED: "false" }
  })
  rmSync(to, { recursive: true, force: true })
  const place = (file: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(to, file)), { recursive: true })
    writeFileSync(join(to, file), content)
  }
  const named = (ending: ".js" | ".css"): string => {
    const { contents: bytes } = outputFiles.find(({ path }) => path.endsWith(ending))!
    const name = `site-${createHash("sha256").update(bytes).digest("hex").slice(0, 12)}${ending}`
    place(name, bytes)
    return name
  }
  const files = { script: named(".js"), style: named(".css") }

  // Where a link to a file of the repository leads.
  const rendered = new Map(
    paths.map((path) => [
      path,
      pageOf(path, drawn, (path: string, anchor: string): string => {
        const at = anchor === "" ? "" : `#${anchor}`
        if (paths.includes(path)) return `${toRoot}${fileOf(path)}${at}`
        if (assets.test(path)) return `${toRoot}${path.slice("docs/".length)}`
        return inRepository(path, anchor)
      })
    ])
  )
  const titleOf = (path: string): string => (path === "README.md" ? "Overview" : rendered.get(path)!.title)
  const reference = referencePages(JSON.parse(read("docs/openapi.json")))
  const navigation: ReadonlyArray<NavigationGroup> = groups.flatMap(({ pages, title }) => {
    const shown = { title, pages: pages.map((path) => ({ href: fileOf(path), title: titleOf(path) })) }
    const api = { title: "API", pages: reference.map(({ file, title: name }) => ({ href: file, title: name })) }
    return title === "Reference" ? [api, shown] : [shown]
  })
  const order = navigation.flatMap(({ pages }) => pages)

  const [overview] = paths
  const { summary } = rendered.get(overview!)!
  const home: Shown = {
    file: "index.html",
    title: "Corridor",
    summary,
    html:
      `<p class="lead">${escape(summary)}</p>` +
      groups
        .slice(0, 3)
        .map(
          ({ pages, title }) =>
            `<h2>${escape(title)}</h2><ul class="cards">${pages
              .map(
                (path) =>
                  `<li><a href="${toRoot}${fileOf(path)}"><strong>${escape(titleOf(path))}</strong><span>${escape(rendered.get(path)!.summary)}</span></a></li>`
              )
              .join("")}</ul>`
        )
        .join("")
  }
  const shown: ReadonlyArray<Shown> = [
    home,
    ...paths.map((path): Shown => {
      const page = rendered.get(path)!
      const wide = /<th>|<figure/.test(page.html) ? " with-tables" : ""
      const html = `${contentsOf(page)}<article class="guide${wide}">${page.html}</article>${next(fileOf(path), order)}`
      return { file: fileOf(path), title: titleOf(path), summary: page.summary, html }
    }),
    ...reference.map(({ file, html, summary: about, title }) => ({
      ...{ file, title, summary: about },
      html: `${html}${next(file, order)}`
    }))
  ]
  for (const page of shown) place(page.file, documentOf(page, navigation, files))
  for (const path of paths) {
    const up = "../".repeat(fileOf(path).split("/").length - 1)
    const hrefOf = (to: string, anchor: string): string => {
      const at = anchor === "" ? "" : `#${anchor}`
      if (paths.includes(to)) return `${up}${twinOf(fileOf(to))}${at}`
      return assets.test(to) ? `${up}${to.slice("docs/".length)}` : inRepository(to, anchor)
    }
    place(twinOf(fileOf(path)), markdownOf(path, hrefOf))
  }
  for (const { file, markdown } of reference) place(twinOf(file), markdown)
  const summaries = new Map(shown.map((page) => [page.file, page.summary]))
  const listed = navigation.map(({ pages, title }) => ({
    title,
    pages: pages.map(({ href, title: name }) => ({
      title: name,
      href: twinOf(href),
      summary: summaries.get(href) ?? ""
    }))
  }))
  place("llms.txt", llmsText(listed, summary))

  const entries: ReadonlyArray<Entry> = [
    ...groups.flatMap(({ pages, title: group }) =>
      pages.flatMap((path) => {
        const { sections } = rendered.get(path)!
        const title = titleOf(path)
        return sections.map((section) => ({
          title: section.title,
          kind: section.id === "" ? group : title,
          href: `${fileOf(path)}${section.id === "" ? "" : `#${section.id}`}`,
          words: words(`${section.title} ${section.text}`),
          text: beginningOf(section.text)
        }))
      })
    ),
    ...reference.flatMap((page) => page.entries.map((entry) => ({ ...entry, words: words(entry.words) })))
  ]
  place("search.json", JSON.stringify(entries))
  cpSync(join(root, "docs", "images"), join(to, "images"), { recursive: true })
  for (const name of ["openapi.json", "provider-protocol.json", "rules.json"])
    place(name, read(posix.join("docs", name)))
  return { pages: shown.map(({ file }) => file), ...files }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const to = join(root, "dist", "site")
  const { pages, script } = await buildSite(to)
  const { readFileSync } = await import("node:fs")
  const size = (file: string): string => (gzipSync(readFileSync(join(to, file))).length / 1000).toFixed(1)
  console.log(
    `${pages.length} pages in dist/site, ${size(script)} kB of script and ${size("search.json")} kB of search index with gzip`
  )
}
