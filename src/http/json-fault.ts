/** Where a text stops being JSON (RFC 8259). `JSON.parse` says it for some faults only, and then with a part of the text. */

const space = /[ \t\n\r]*/y
const scalar =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** The length of what a sticky expression finds at a place; 0 for nothing. */
const lengthAt = (expression: RegExp, text: string, at: number): number => {
  expression.lastIndex = at
  return expression.exec(text)?.[0].length ?? 0
}

/** What may come next: a value, the name of a member, the colon after it, or what follows a value. The first of an array or object may be its end. */
type Next = "value" | "first value" | "name" | "first name" | "colon" | "after"

/** The place of the first character that cannot be there, from 0. Its length for a text that ends too early. `text` is not valid JSON. */
export const jsonFault = (text: string): number => {
  const open: Array<"{" | "["> = []
  let next: Next = "value"
  let at = 0
  for (;;) {
    at += lengthAt(space, text, at)
    const sign = text[at]
    if (sign === undefined) return at
    const top = open.at(-1)
    const isEnd = sign === (top === "{" ? "}" : "]") && top !== undefined
    if (isEnd && (next === "after" || next.startsWith("first"))) {
      open.pop()
      next = "after"
      at++
    } else if (next === "colon" && sign === ":") {
      next = "value"
      at++
    } else if (next === "after" && sign === "," && top !== undefined) {
      next = top === "{" ? "name" : "value"
      at++
    } else if (next.endsWith("value") && (sign === "{" || sign === "[")) {
      open.push(sign)
      next = sign === "{" ? "first name" : "first value"
      at++
    } else {
      const length = next.endsWith("value") || (next.endsWith("name") && sign === '"') ? lengthAt(scalar, text, at) : 0
      if (length === 0) return at
      next = next.endsWith("name") ? "colon" : "after"
      at += length
    }
  }
}

/** The place as people count it. */
export const placeIn = (text: string, at: number): string => {
  const before = text.slice(0, at)
  const line = before.split("\n").length
  return `line ${line}, column ${at - before.lastIndexOf("\n")}`
}
