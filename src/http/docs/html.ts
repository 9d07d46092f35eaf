/** HTML pages of this process: escaped, and under a policy that runs nothing the page did not come with. */
import { HttpServerResponse } from "effect/http"

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

export const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)

/** Nothing is loaded from elsewhere, nothing inline is run, nobody may frame the page. `form` lets its own forms be sent. */
export const policy = (options?: { readonly form?: boolean }): { readonly [name: string]: string } => ({
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
    `frame-ancestors 'none'; form-action ${options?.form === true ? "'self'" : "'none'"}`,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin"
})

/** A page. `body` is HTML: escape what goes into it. */
export const page = (
  title: string,
  body: string,
  options: { readonly status?: number; readonly form?: boolean; readonly script?: string; readonly headers?: { readonly [name: string]: string } } = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
      `<title>${escape(title)}</title><link rel="stylesheet" href="/docs/style.css">` +
      `${options.script === undefined ? "" : `<script defer src="${escape(options.script)}"></script>`}</head><body>${body}</body></html>`,
    {
      status: options.status ?? 200,
      contentType: "text/html; charset=utf-8",
      headers: { ...policy(options.form === true ? { form: true } : {}), "cache-control": "no-store", ...options.headers }
    }
  )
