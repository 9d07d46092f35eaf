/** The versions that an `If-Match` names (HTTP-11, HTTP-12). */
const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\u{ff}]*"`
const list = new RegExp(String.raw`^[\s,]*${tag}(?:\s*,\s*(?:${tag})?)*$`, "u")

/** The version in a tag. What follows it is the digest of what was shown. */
const versionOf = (opaque: string): string => opaque.split("-", 1)[0]!

/**
 * The versions that a change may be of, with spaces between them, or null for any: without the header, or for `*`. A list of ETags names
 * each of them (RFC 9110, 13.1.1). A weak one names none, nor does what is not a list: the change conflicts. A version may stand alone, without
 * quotes.
 */
export const versionsIn = (given: string | undefined): string | null => {
  const text = given?.trim()
  if (text === undefined || text === "*") return null
  if (!text.includes('"')) return versionOf(text)
  if (!list.test(text)) return ""
  const strong = [...text.matchAll(/(W\/)?"([^"]*)"/g)].filter(([, weak]) => weak === undefined)
  return strong.flatMap(([, , opaque]) => (opaque === "" ? [] : [versionOf(opaque!)])).join(" ")
}
