/** The frame of a page of the site: what `src/console/frame/layout.tsx` shows, as HTML that needs no script. */
import { escape } from "../documents/diagram.ts"

export interface Entry {
  /** From the root of the site. */
  readonly href: string
  readonly title: string
}

export interface NavigationGroup {
  readonly title: string
  readonly pages: ReadonlyArray<Entry>
}

export interface Shown {
  /** The file of the page, from the root of the site. */
  readonly file: string
  readonly title: string
  readonly summary: string
  /** Everything below the title. Links are from the root of the site, marked by {@link toRoot}. */
  readonly html: string
}

/** Stands for the path from a page to the root of the site. */
export const toRoot = "§root/"

/** The file of a page as Markdown: of the first page, the list of all. */
export const twinOf = (file: string): string => (file === "index.html" ? "llms.txt" : file.replace(/\.html$/, ".md"))

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'"

/** A page as a document. `files`: the names of the script and the stylesheet. */
export const documentOf = (
  { file, html, summary, title }: Shown,
  groups: ReadonlyArray<NavigationGroup>,
  files: { readonly script: string; readonly style: string }
): string => {
  const name = file === "index.html" ? "Corridor" : `${title} | Corridor`
  const text =
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">` +
    `<meta name="description" content="${escape(summary)}"><link rel="alternate" type="text/markdown" href="${toRoot}${twinOf(file)}"><link rel="icon" href="data:,"><title>${escape(name)}</title>` +
    `<link rel="stylesheet" href="${toRoot}${files.style}"><script type="module" src="${toRoot}${files.script}"></script></head>\n` +
    `<body><div class="shell docs"><a class="skip" href="#main">Skip to the page</a>\n<header class="top">` +
    `<button type="button" class="menu" aria-expanded="false" aria-controls="navigation" hidden>Menu</button>` +
    `<a class="brand" href="${toRoot}index.html"><span class="brand-mark" aria-hidden="true"></span> Corridor</a><div id="site-search" class="search-slot"></div></header>\n` +
    `<nav id="navigation" class="side" aria-label="Documentation">${groups
      .map((one) => {
        const { pages, title } = one
        const list = `<ul>${pages.map((page) => `<li><a href="${toRoot}${page.href}"${page.href === file ? ' aria-current="page"' : ""}>${escape(page.title)}</a></li>`).join("")}</ul>`
        if (pages.length <= 10) return `<div class="nav-group"><p class="nav-title">${escape(title)}</p>${list}</div>`
        const isOpen = pages.some(({ href }) => href === file)
        return `<details class="nav-group"${isOpen ? " open" : ""}><summary class="nav-title">${escape(title)}</summary>${list}</details>`
      })
      .join("\n")}` +
    `<div class="display" id="site-theme"></div></nav>\n<main id="main" tabindex="-1"><h1>${escape(title)}</h1>\n${html}\n<p class="twin"><a href="${toRoot}${twinOf(file)}">This page as Markdown</a></p></main><div id="site-announcements"></div></div></body></html>\n`
  return text.replaceAll(toRoot, "../".repeat(file.split("/").length - 1))
}
