/** Markdown of this repository as HTML: for the documentation that the server shows, and for the site. */
import { Marked, type Tokens } from "marked"
import { escape } from "./diagram.ts"

/** The part of a page below one heading. */
export interface Section {
  /** The id of the heading: the anchor that GitHub gives it too. Empty: the part before the first heading. */
  readonly id: string
  readonly title: string
  readonly text: string
}

export interface Page {
  readonly title: string
  /** The first paragraph, as text. */
  readonly summary: string
  /** Everything but the title. */
  readonly html: string
  readonly sections: ReadonlyArray<Section>
  /** The targets of links and images, as they are written. */
  readonly links: ReadonlyArray<string>
}

export interface RenderOptions {
  /** The target of a link or an image of this page. */
  readonly linkOf?: (target: string) => string
  /** The drawing of a machine, by its kind: `<!-- diagram: transfer -->`. */
  readonly diagramOf?: (kind: string) => string | undefined
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'"
}

/** HTML without its tags. Those of blocks separate words. */
export const stripTags = (html: string): string =>
  html
    .replaceAll(/<svg[\s\S]*?<\/svg>/g, " ")
    .replaceAll(/<a class="anchor"[\s\S]*?<\/a>/g, "")
    .replaceAll(/<\/?(?:a|code|em|strong)\b[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity]!)
    .replaceAll(/\s+/g, " ")
    .trim()

/** The anchors of headings as GitHub makes them, in the order of the page. */
export const anchors = (): ((heading: string) => string) => {
  const seen = new Map<string, number>()
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-")
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  }
}

const figure = (drawing: string): string =>
  `<figure class="drawing"><div class="scroll" tabindex="0">${drawing}</div></figure>\n`

/**
 * Renders a page. What may scroll can have the focus: keyboards scroll nothing else. Comments are left out.
 *
 * Errors: throws if the page does not begin with a heading of the first level, has another one, or has no paragraph.
 */
export const render = (name: string, markdown: string, options: RenderOptions = {}): Page => {
  const { linkOf = (target) => target, diagramOf = () => undefined } = options
  const links: Array<string> = []
  const anchorOf = anchors()
  let heading = ""
  const target = (written: string): string => {
    links.push(written)
    return escape(linkOf(written))
  }
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens)
        heading = stripTags(html)
        const id = anchorOf(heading)
        const label = `Link to ${escape(heading)}`
        return `<h${depth} id="${id}">${html}<a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${target(href)}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text }: Tokens.Image) {
        return `<img src="${target(href)}" alt="${escape(text)}" loading="lazy">`
      },
      code({ lang = "", text }: Tokens.Code) {
        const shown = `<pre tabindex="0"><code>${escape(text)}\n</code></pre>\n`
        const drawing = lang === "mermaid" ? diagramOf(heading.toLowerCase().replaceAll(" ", "_")) : undefined
        if (drawing === undefined) return shown
        return `${figure(drawing)}<details><summary>Its events and guards</summary>${shown}</details>\n`
      },
      html({ text }: Tokens.HTML | Tokens.Tag) {
        const [, kind] = /^<!-- diagram: (\w+) -->/.exec(text) ?? []
        if (kind === undefined) return text.replaceAll(/<!--[\s\S]*?-->\n?/g, "")
        const drawing = diagramOf(kind)
        if (drawing === undefined) throw new Error(`${name} has a diagram of ${kind}, which is no machine.`)
        return figure(drawing)
      }
    }
  })
  const tokens = marked.lexer(markdown)
  const titles = tokens.filter((token): token is Tokens.Heading => token.type === "heading" && token.depth === 1)
  const [first] = titles
  const paragraph = tokens.find((token): token is Tokens.Paragraph => token.type === "paragraph")
  if (first === undefined || titles.length !== 1 || tokens.find(({ type }) => type === "heading") !== first)
    throw new Error(`${name} needs one heading of the first level, before all others; it has ${titles.length}.`)
  if (paragraph === undefined) throw new Error(`${name} has no paragraph.`)
  const title = stripTags(String(marked.parseInline(first.text)))
  anchorOf(title)
  const html = marked.parser(tokens.slice(tokens.indexOf(first) + 1)).replaceAll("<table>", `<table tabindex="0">`)
  return {
    title,
    summary: stripTags(String(marked.parseInline(paragraph.text))),
    html,
    sections: html.split(/(?=<h[2-4] id=)/).flatMap((part) => {
      const [, id = "", heading = ""] = /^<h[2-4] id="([^"]*)">([\s\S]*?)<a class="anchor"/.exec(part) ?? []
      const text = stripTags(part.replace(/^<h[2-4][\s\S]*?<\/h[2-4]>/, ""))
      return id === "" && text === "" ? [] : [{ id, title: id === "" ? title : stripTags(heading), text }]
    }),
    links
  }
}

/** A list of the headings of a long page, as HTML. */
export const contentsOf = ({ html }: Page): string => {
  const headings = [...html.matchAll(/<h2 id="([^"]*)">([\s\S]*?)<a class="anchor"/g)]
  if (headings.length < 4) return ""
  const items = headings.map(([, id = "", title = ""]) => `<li><a href="#${id}">${escape(stripTags(title))}</a></li>`)
  return `<nav class="contents" aria-label="On this page"><p class="nav-title">On this page</p><ul>${items.join("")}</ul></nav>`
}
