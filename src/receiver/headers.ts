/** The headers of a delivery, as different servers have them. */

/** Headers of `node:http`, of `fetch`, or of any object keyed by name. Names are not case-sensitive. */
export type ReceivedHeaders =
  | { readonly get: (name: string) => string | null }
  | { readonly [name: string]: string | ReadonlyArray<string> | undefined }

const isGetter = (headers: ReceivedHeaders): headers is { readonly get: (name: string) => string | null } =>
  typeof headers["get"] === "function"

/** Reads the value of a header; undefined if it is missing or was sent twice. `name` is in lower case. */
export const readHeader = (headers: ReceivedHeaders, name: string): string | undefined => {
  if (isGetter(headers)) return headers.get(name) ?? undefined
  const key = Object.keys(headers).find((header) => header.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  return typeof value === "string" ? value : undefined
}
