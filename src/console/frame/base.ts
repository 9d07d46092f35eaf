/** Where the console is served: the server may be mounted at any path. */

/** The path of the console, without a trailing slash: `/console`, or `/corridor/console`. */
export const base = new URL("..", import.meta.url).pathname.replace(/\/$/, "")

/** Values for a query. Empty ones are left out. */
export type UrlMembers = Readonly<Record<string, string | number | undefined>>

export const queryOf = (query: UrlMembers): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "")
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** The URL of a page of the console. `path` begins with a slash; the overview is `/`. */
export const to = (path: string, query: UrlMembers = {}): string => base + (path === "/" ? "" : path) + queryOf(query)

/** The URL of a built file. */
export const assetUrl = (name: string): string => `${base}/assets/${name}`
