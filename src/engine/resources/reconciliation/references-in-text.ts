/** Finds merchants' references in the texts of a line. A reference can be any text: several words, one letter, with slashes. */
import { normalise } from "../../commit/index-keys.ts"

/** The longest reference. */
const REFERENCE_MAX = 128

const wordCharacter = /[\p{L}\p{N}\p{M}]/u

const isBeginning = (before: string, at: string): boolean => !wordCharacter.test(before) || !wordCharacter.test(at)

/** The places in a text at which a reference may begin or end: all but those within a word. */
const listCuts = (characters: ReadonlyArray<string>): ReadonlyArray<number> =>
  Array.from({ length: characters.length + 1 }, (_, at) => at).filter(
    (at) => at === 0 || at === characters.length || isBeginning(characters[at - 1]!, characters[at]!)
  )

/** Printable ASCII: normalised, it has small letters, and each of its parts is a part of it. */
const printable = /^[ -~]*$/

const collapse = (text: string): string => text.trim().replace(/\s+/g, " ")

/**
 * Lists every part of a text that may be a reference, normalised, each once. Law: every reference of 1 to 128 characters in the text,
 * between characters that are no letters or digits, is in the list.
 */
export const listPossibleReferences = (text: string): ReadonlyArray<string> => {
  const whole = collapse(text)
  const characters = [...whole]
  const cuts = listCuts(characters)
  const lower = printable.test(whole) ? whole.toLowerCase() : undefined
  const partOf = (from: number, end: number): string =>
    lower?.slice(from, end) ?? normalise(characters.slice(from, end).join(""))
  /** Before each place, the letters and digits. */
  const words = [0]
  for (const one of characters) words.push(words.at(-1)! + (wordCharacter.test(one) ? 1 : 0))
  const found = new Set<string>()
  for (const [n, from] of cuts.entries()) {
    if (characters[from] === undefined || characters[from] === " ") continue
    for (let next = n + 1; next < cuts.length && cuts[next]! - from <= REFERENCE_MAX; next++) {
      const end = cuts[next]!
      // A stroke alone names nothing.
      if (characters[end - 1] !== " " && words[end]! > words[from]!) found.add(partOf(from, end))
    }
  }
  return [...found]
}

/** Makes a test of whether a normalised reference is in the list of what a text may be ({@link listPossibleReferences}). */
export const makeReferenceTest = (text: string): ((reference: string) => boolean) => {
  const whole = collapse(text)
  const lower = printable.test(whole) ? whole.toLowerCase() : undefined
  let possible: ReadonlySet<string> | undefined
  return (reference) =>
    lower?.includes(reference) !== false && (possible ??= new Set(listPossibleReferences(text))).has(reference)
}

/** Splits a text at each occurrence of a reference. Undefined: the text does not have it. */
const splitBy = (text: string, reference: string): ReadonlyArray<string> | undefined => {
  const parts: Array<string> = []
  let from = 0
  for (let at = text.indexOf(reference); at >= 0; at = text.indexOf(reference, at + 1)) {
    if (at < from) continue
    const end = at + reference.length
    const isWhole =
      (at === 0 || isBeginning(text[at - 1]!, text[at]!)) &&
      (end === text.length || isBeginning(text[end - 1]!, text[end]!))
    if (!isWhole) continue
    parts.push(text.slice(from, at))
    from = end
  }
  return from === 0 ? undefined : [...parts, text.slice(from)]
}

/**
 * Keeps the references that stand in the texts outside longer ones: "77" in "Invoice 77" is only a part of that reference, but in "77,
 * Invoice 77" it also stands alone. A reference that is in none of the texts stays: it was found elsewhere.
 */
export const findApart = (texts: ReadonlyArray<string>, references: ReadonlyArray<string>): ReadonlySet<string> => {
  const written = references.map(normalise).filter((reference) => reference !== "")
  const known = [...new Set(written)].toSorted((a, b) => b.length - a.length)
  const whole = texts.map(normaliseAll)
  let left: ReadonlyArray<string> = whole
  const own = known.filter((reference) => {
    const split = left.map((text) => splitBy(text, reference) ?? [text])
    const stands = split.some((parts) => parts.length > 1)
    left = split.flat()
    return stands || !whole.some((text) => splitBy(text, reference) !== undefined)
  })
  return new Set(own)
}

/** A text of any length, normalised word by word. */
const normaliseAll = (text: string): string =>
  text
    .split(/\s+/)
    .map((word) => normalise(word))
    .join(" ")
