/** HTML pages of this process: escaped, and under a policy that runs nothing the page did not come with. */
import { HttpServerResponse } from "effect/http"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)

export interface Policy {
  /** Lets its own forms be sent. */
  readonly form?: boolean
  /** An origin that an answer to its form may send the browser to: browsers hold that to `form-action` too. */
  readonly sends_to?: string | undefined
  /** The page runs no script at all. */
  readonly inert?: boolean
}

/** Nothing is loaded from elsewhere, nothing inline is run, nobody may frame the page. */
export const policy = ({
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

/** A page. `body` is HTML: escape what goes into it. */
export const page = (
  title: string,
  body: string,
  options: Policy & {
    readonly status?: number
    readonly script?: string
    /** In place of the stylesheet of the documentation. */
    readonly style?: string
    readonly headers?: { readonly [name: string]: string }
  } = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
      `<title>${escape(title)}</title><link rel="stylesheet" href="${escape(options.style ?? "/docs/style.css")}">` +
      `${options.script === undefined ? "" : `<script defer src="${escape(options.script)}"></script>`}</head><body>${body}</body></html>`,
    {
      status: options.status ?? 200,
      contentType: "text/html; charset=utf-8",
      headers: { ...policy(options), "cache-control": "no-store", ...options.headers }
    }
  )
