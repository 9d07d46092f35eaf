/** Whether a request comes from a page of this service (SESSION-3). */
import type { HttpServerRequest } from "effect/http"

/** The origin of a URL; `undefined` if it has none. */
const originOf = (url: string): URL | undefined => URL.parse(url) ?? undefined

/**
 * Browsers name the page that sends a request in `Origin` and `Sec-Fetch-Site`. A request without either is from no page.
 * A proxy may change the host, so both the public URL and the host of the request are this service.
 */
export const isSameOrigin = (request: HttpServerRequest.HttpServerRequest, base_url: string): boolean => {
  const site = request.headers["sec-fetch-site"]
  // `none`: a person typed the address. No page can send such a request.
  if (site !== undefined && site !== "same-origin" && !(site === "none" && request.method === "GET")) return false
  const origin = request.headers["origin"]
  if (origin === undefined) return true
  const sent = originOf(origin)
  return sent !== undefined && (sent.origin === originOf(base_url)?.origin || sent.host === request.headers["host"])
}
