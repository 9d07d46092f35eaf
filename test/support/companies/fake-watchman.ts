/**
 * A Watchman on loopback, written from its API document and apart from the adapter: entries in lists, partitions by type, exact addresses,
 * refreshes, restarts, and a network that lies on the way.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Listed {
  readonly list: string
  readonly id: string
  readonly type: "person" | "business" | "organization" | "vessel"
  readonly name: string
  /** `CURRENCY:address`. */
  readonly addresses?: ReadonlyArray<string>
}

/** What happens on the way, instead of the answer or to it. `stripped`: a proxy drops the query; `other`: it gives an older answer. */
export type WatchmanMishap =
  | "html"
  | "truncated"
  | "redirect"
  | "error_500"
  | "error_json"
  | "limited"
  | "silent"
  | "reset"
  | "empty_object"
  | "stripped"
  | "other"

const known = new Set(["name", "type", "minMatch", "limit", "requestID", "cryptoAddress"])

const tokens = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** The share of words that two names have in common: 1 where they are equal. Not Watchman's own measure. */
const similarity = (a: string, b: string): number => {
  const [some, others] = [new Set(tokens(a)), new Set(tokens(b))]
  if (some.size === 0 || others.size === 0) return 0
  const common = [...some].filter((one) => others.has(one)).length
  return common / Math.max(some.size, others.size)
}

export class FakeWatchman {
  /** What each list has now. A list that is configured and did not load has no entries. */
  listed: Array<Listed> = []
  lists: Array<string> = ["us_ofac"]
  now: () => number = Date.now
  refreshed_at = 0
  generation = 1
  /** Just started: the index is empty, and lists are none. */
  isLoading = false
  mishaps: Array<{ readonly on: RegExp; readonly kind: WatchmanMishap; left: number }> = []
  readonly requests: Array<string> = []
  readonly #server = createServer((request, response) => {
    this.#answer(request, response)
  })
  /** Called with each request before it is answered. */
  before: (path: string) => void = () => {}
  url = ""

  async start(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((done) => this.#server.close(done))
  }

  /** Its lists were downloaded again. */
  refresh(): void {
    this.refreshed_at = this.now()
    this.generation++
  }

  /** The next `count` requests whose path and query match go wrong. */
  goWrong(kind: WatchmanMishap, on = /^\/v2\/search/, count = 1): void {
    this.mishaps.push({ on, kind, left: count })
  }

  #mishap(path: string): WatchmanMishap | undefined {
    const found = this.mishaps.find((one) => one.left > 0 && one.on.test(path))
    if (found !== undefined) found.left--
    return found?.kind
  }

  #stats(): object {
    const counts = Object.fromEntries(
      this.lists.map((list) => [list, this.listed.filter((one) => one.list === list).length])
    )
    return {
      lists: this.isLoading ? {} : counts,
      listHashes: this.isLoading
        ? {}
        : Object.fromEntries(this.lists.map((list) => [list, `${list}-${this.generation}`])),
      startedAt: this.isLoading ? "0001-01-01T00:00:00Z" : new Date(this.refreshed_at - 1000).toISOString(),
      endedAt: this.isLoading ? "0001-01-01T00:00:00Z" : new Date(this.refreshed_at).toISOString(),
      version: "v0.63.0"
    }
  }

  #search(query: URLSearchParams): readonly [number, object] {
    const extra = [...query.keys()].filter((name) => !known.has(name))
    if (extra.length > 0) return [400, { error: `extra/unused query parameters in request: ${extra.join(",")}` }]
    const name = (query.get("name") ?? "").trim()
    const type = (query.get("type") ?? "").toLowerCase()
    const least = Number(query.get("minMatch") ?? "0")
    const limit = Math.min(Number(query.get("limit") ?? "10") || 10, 100)
    const asked = query.getAll("cryptoAddress").flatMap((text) => {
      const [currency, address, ...others] = text.split(":")
      return address === undefined || others.length > 0 ? [] : [{ currency: currency!.toUpperCase(), address }]
    })
    const isListedAddress = (has: ReadonlyArray<string>): boolean =>
      has.some((text) => {
        const [currency, address] = text.split(":") as [string, string]
        return asked.some(
          (one) =>
            one.address.toLowerCase() === address.toLowerCase() && (one.currency === "" || one.currency === currency)
        )
      })
    const found = (this.isLoading ? [] : this.listed)
      .filter((one) => type === "" || one.type === type)
      .map((one) => ({ one, match: isListedAddress(one.addresses ?? []) ? 1 : similarity(name, one.name) }))
      .filter(({ match }) => match > least || (match === least && least > 0) || least === 0)
      .toSorted((a, b) => b.match - a.match)
      .slice(0, limit)
    return [
      200,
      {
        query: {
          name,
          entityType: type,
          sourceList: "api-request",
          sourceID: "",
          person: null,
          cryptoAddresses: asked.length === 0 ? null : asked
        },
        entities:
          found.length === 0
            ? null
            : found.map(({ match, one }) => ({
                name: one.name,
                entityType: one.type,
                sourceList: one.list,
                sourceID: one.id,
                match
              }))
      }
    ]
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url!, this.url)
    this.requests.push(request.url!)
    this.before(url.pathname)
    const mishap = this.#mishap(request.url!)
    const send = (status: number, body: string, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)
    }
    switch (mishap) {
      case "html":
        return send(200, "<html>Welcome to the gateway</html>", { "content-type": "text/html" })
      case "redirect":
        return send(302, "", { location: `${this.url}/elsewhere` })
      case "error_500":
        return send(500, "upstream connect error")
      case "error_json":
        return send(400, JSON.stringify({ error: "v2 search: context canceled" }))
      case "limited":
        return send(429, JSON.stringify({ error: "too many" }), { "retry-after": "30" })
      case "empty_object":
        return send(200, "{}")
      case "silent":
        return
      case "reset":
        request.socket.destroy()
        return
      default:
    }
    if (url.pathname === "/elsewhere") return send(200, JSON.stringify({ query: {}, entities: null }))
    if (request.method !== "GET") return send(405, "")
    const query =
      mishap === "stripped"
        ? new URLSearchParams()
        : mishap === "other"
          ? new URLSearchParams({ name: "Somebody Else", type: "person" })
          : url.searchParams
    const [status, body] =
      url.pathname === "/v2/listinfo"
        ? [200, this.#stats()]
        : url.pathname === "/v2/search"
          ? this.#search(query)
          : [404, { error: "no such path" }]
    const text = JSON.stringify(body)
    send(status, mishap === "truncated" ? text.slice(0, text.length - 5) : text)
  }
}
