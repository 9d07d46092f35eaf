/** Filters and pages in the URL: a page can be shared, reloaded, and left and come back to. */
import { useLocation } from "preact-iso"
import { type UrlMembers, queryOf } from "./base.ts"

export interface UrlQuery {
  readonly query: Readonly<Record<string, string>>
  /** Changes members of the query. A change of a filter begins at the first page again. */
  readonly set: (changes: UrlMembers) => void
}

export const useQuery = (): UrlQuery => {
  const { path, query, route } = useLocation()
  return {
    query,
    set: (changes) => {
      const { page: _, ...kept } = query
      route(path + queryOf({ ...("page" in changes ? query : kept), ...changes }))
    }
  }
}
