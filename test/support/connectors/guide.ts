/** The page of the protocol, with the messages and the secret that it shows. */
import { readFileSync } from "node:fs"

export const guide = readFileSync(new URL("../../../docs/provider-protocol.md", import.meta.url), "utf8")
export const secret = /whsec_[A-Za-z0-9+/]{20,}=*/.exec(guide)![0]

/** The messages of the guide, in their order. */
export const messages = [...guide.matchAll(/```http\n([\s\S]*?)\n```/g)].map(([, text = ""]) => {
  const [head = "", body = ""] = text.split("\n\n")
  const [first = "", ...lines] = head.split("\n")
  const headers = Object.fromEntries(lines.map((line) => [line.split(": ")[0]!, line.slice(line.indexOf(": ") + 2)]))
  return { first, headers: headers as Record<string, string>, body }
})
