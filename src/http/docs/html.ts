/** HTML pages: escaping, and a content security policy without inline or external scripts. */
import { HttpServerResponse } from "effect/http"
import { type Document, makeTextDocument } from "../document.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)

export interface Policy {
  /** Allows forms that are sent to this origin. */
  readonly form?: boolean
  /** An origin to which the response to the form may redirect: browsers apply `form-action` to redirects too. */
  readonly sends_to?: string | undefined
  /** Allows no scripts. */
  readonly inert?: boolean
}

/** Makes the security headers of a page: no resources of other origins, no inline scripts, no frames. */
export const makeSecurityHeaders = ({
  form = false,
  sends_to,
  inert = false
}: Policy = {}): { readonly [name: string]: string } => ({
  "content-security-policy":
    `default-src 'none'; ${inert ? "" : "script-src 'self'; connect-src 'self'; "}style-src 'self'; img-src 'self' data:; ` +
    `base-uri 'none'; frame-ancestors 'none'; ` +
    `form-action ${form ? ["'self'", ...(sends_to === undefined ? [] : [sends_to])].join(" ") : "'none'"}`,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin"
})

interface PageOptions extends Policy {
  readonly script?: string
  /** The stylesheet, relative to the page: a page can be served under any path. Default: that of `/docs`. */
  readonly style?: string
}

const renderHtml = (title: string, body: string, { script, style = "docs/style.css" }: PageOptions): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">` +
  `<title>${escapeHtml(title)}</title><link rel="stylesheet" href="${escapeHtml(style)}">` +
  `${script === undefined ? "" : `<script type="module" src="${escapeHtml(script)}"></script>`}</head><body>${body}</body></html>`

const contentType = "text/html; charset=utf-8"

/** Makes an HTML page that is the same for everyone. `body` is HTML: escape the values in it. */
export const makePageDocument = (title: string, body: string, options: PageOptions = {}): Document =>
  makeTextDocument(renderHtml(title, body, options), {
    contentType,
    cacheControl: "no-cache",
    headers: makeSecurityHeaders(options)
  })

/** Makes the response of an HTML page. `body` is HTML: escape the values in it. */
export const makePageResponse = (
  title: string,
  body: string,
  options: PageOptions & { readonly status?: number; readonly headers?: { readonly [name: string]: string } } = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(renderHtml(title, body, options), {
    status: options.status ?? 200,
    contentType,
    headers: { ...makeSecurityHeaders(options), "cache-control": "no-store", ...options.headers }
  })
