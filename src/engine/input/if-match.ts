/** The versions that an `If-Match` names (HTTP-11, HTTP-12). */

/** A part of a list of ETags: no text begins with two of them, so that reading one takes as long as the text is. */
const part = /[ \t]+|(?<comma>,)|(?<weak>W\/)?"(?<opaque>[\x21\x23-\x7e\x80-\u{ff}]*)"/uy

/** The strong tags of a list of ETags; undefined where a text is none. */
const strongTags = (text: string): ReadonlyArray<string> | undefined => {
  const tags: Array<string> = []
  let isNext = true
  for (let at = 0; at < text.length; at = part.lastIndex) {
    part.lastIndex = at
    const { comma, opaque, weak } = part.exec(text)?.groups ?? {}
    if (part.lastIndex === 0 || (opaque !== undefined && !isNext)) return undefined
    if (opaque !== undefined && weak === undefined) tags.push(opaque)
    isNext = comma !== undefined || (isNext && opaque === undefined)
  }
  return tags
}

/**
 * The versions that a change may be of, with spaces between them, or null for any: without the header, or for `*`. A list of ETags names
 * each of them (RFC 9110, 13.1.1). A weak one names none, nor does what is not a list: the change conflicts. A version may stand alone, without
 * quotes.
 */
export const versionsIn = (given: string | undefined): string | null => {
  const text = given?.trim()
  if (text === undefined || text === "*") return null
  const tags = /["\s,]/.test(text) ? strongTags(text) : [text]
  return (tags ?? []).flatMap((tag) => (tag === "" ? [] : [tag.split("-", 1)[0]!])).join(" ")
}
