/** The text of a file, and its lines with their numbers. */
import { UnreadableStatement } from "./statement.ts"

export const encodings = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const
export type Encoding = (typeof encodings)[number]

/** Detects the encoding that a byte order mark names. */
export const detectEncoding = (bytes: Uint8Array): Encoding | undefined => {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8"
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined
}

type Decoder = InstanceType<typeof TextDecoder>

/** Makes the decoder of an encoding, by any of its names, such as `latin1`. Errors: `UnreadableStatement` for an unknown name. */
export const makeDecoder = (encoding: string): Decoder => {
  try {
    return new TextDecoder(encoding, { fatal: true })
  } catch {
    throw new UnreadableStatement(
      toPlace(1),
      `the encoding ${quote(encoding)}`,
      "UTF-8, UTF-16, ISO 8859 or Windows-1252"
    )
  }
}

const tryDecode = (bytes: Uint8Array, decoder: Decoder): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Finds the first line with bytes that are invalid in the encoding, where lines can be recognised. */
const findBadLine = (bytes: Uint8Array, decoder: Decoder): number => {
  if (decoder.encoding !== "utf-8") return 1
  for (let [from, number] = [0, 1]; ; number++) {
    const end = bytes.indexOf(0x0a, from)
    if (end === -1 || tryDecode(bytes.subarray(from, end), decoder) === undefined) return number
    from = end + 1
  }
}

/**
 * Decodes the text of a file. A byte order mark decides; else the given encoding; else it is UTF-8, or Windows-1252 where the bytes are not
 * valid UTF-8. Errors: `UnreadableStatement` for bytes that are invalid in the encoding that the mark or the caller names, and for an
 * unknown one.
 */
export const decodeText = (bytes: Uint8Array, given?: string): string => {
  const named = detectEncoding(bytes) ?? given
  if (named === undefined)
    return tryDecode(bytes, makeDecoder("utf-8")) ?? tryDecode(bytes, makeDecoder("windows-1252")) ?? ""
  const decoder = makeDecoder(named)
  const text = tryDecode(bytes, decoder)
  if (text === undefined)
    throw new UnreadableStatement(
      toPlace(findBadLine(bytes, decoder)),
      `bytes that are not ${named}`,
      `text in ${named}`
    )
  return text
}

export interface Line {
  readonly text: string
  /** From 1. */
  readonly number: number
}

/** Splits a text into lines, without the CR LF, LF or CR that ends them. */
export function* splitLines(text: string): Generator<Line> {
  const ends = /\r\n|\n|\r/g
  let from = 0
  for (let number = 1; ; number++) {
    const end = ends.exec(text)
    if (end === null) {
      if (from < text.length) yield { text: text.slice(from), number }
      return
    }
    yield { text: text.slice(from, end.index), number }
    from = ends.lastIndex
  }
}

/** Quotes a text in a refusal: its first 60 characters. */
export const quote = (text: string | null | undefined): string =>
  text === null || text === undefined || text === ""
    ? "nothing"
    : JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

export const toPlace = (number: number): string => `line ${number}`

/** Removes the spaces at either end of a text. Null if nothing is left. */
export const trimToNull = (text: string | null | undefined): string | null => {
  const rest = text?.trim() ?? ""
  return rest === "" ? null : rest
}

/** What banks write for "no reference". */
const none = /^(?:NONREF|NOTPROVIDED|NOT PROVIDED|NOREF|NONE|N\/A|UNKNOWN|[EKMP]REF\+?|MARF)$/i

/** Trims a reference. Null where it is a bank's word for "no reference". */
export const readReference = (text: string | null | undefined): string | null => {
  const reference = trimToNull(text)
  return reference === null || none.test(reference) ? null : reference
}

/** Adds to a remittance the references that no other member has, each once at its end. */
export const addReferences = (
  remittance: string | null,
  references: ReadonlyArray<string | null>,
  elsewhere: ReadonlyArray<string | null>
): string | null => {
  const parts = [remittance ?? ""]
  for (const reference of references)
    if (reference !== null && !elsewhere.includes(reference) && !parts.some((part) => part.includes(reference)))
      parts.push(reference)
  return trimToNull(parts.join(" "))
}
