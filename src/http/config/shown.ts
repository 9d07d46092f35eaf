const nouns: Readonly<Record<string, string>> = { function: "a function", object: "an object", symbol: "a symbol" }

/**
 * A value as a message shows it. A list or an object may have secrets in it, so only its kind is shown, and a URL without its
 * credentials.
 */
export const formatValue = (value: unknown): string => {
  if (value === undefined) return "not set"
  if (typeof value === "string") return JSON.stringify(value.replace(/:\/\/[^/?#]*@/, "://…@").slice(0, 120))
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`
  return value === null ? "null" : (nouns[typeof value] ?? String(value))
}
