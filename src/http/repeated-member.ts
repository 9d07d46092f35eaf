/** Finds members that an object has twice. `JSON.parse` takes the last of them, other parsers the first (RFC 7493, 2.3). */

interface Open {
  /** The path of the object or the array, with a dot at its end; empty for the body. */
  readonly path: string
  /** `undefined`: an array. */
  readonly names: Set<string> | undefined
  /** The member that the next value is of. */
  name: string
  index: number
  /** Whether the next string is the name of a member. */
  isName: boolean
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],]/g

/** The dotted path of a member that its object has twice; `undefined` if there is none. `text` is valid JSON. */
export const findRepeatedMember = (text: string): string | undefined => {
  const open: Array<Open> = []
  for (const [token] of text.matchAll(tokens)) {
    const top = open.at(-1)
    if (token === "{" || token === "[") {
      const path = top === undefined ? "" : `${top.path}${top.names === undefined ? top.index : top.name}.`
      open.push({ path, names: token === "{" ? new Set() : undefined, name: "", index: 0, isName: token === "{" })
    } else if (token === "}" || token === "]") open.pop()
    else if (top === undefined) continue
    else if (token === ",") {
      top.index++
      top.isName = top.names !== undefined
    } else if (top.isName) {
      top.name = token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1)
      if (top.names!.has(top.name)) return top.path + top.name
      top.names!.add(top.name)
      top.isName = false
    }
  }
  return undefined
}
