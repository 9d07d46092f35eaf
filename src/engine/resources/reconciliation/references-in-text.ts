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

/**
 * Lists every part of a text that may be a reference, normalised, each once. Law: every reference of 1 to 128 characters in the text,
 * between characters that are no letters or digits, is in the list.
 */
export const listPossibleReferences = (text: string): ReadonlyArray<string> => {
  const characters = [...text.trim().replace(/\s+/g, " ")]
  const cuts = listCuts(characters)
  const found = new Set<string>()
  for (const [n, from] of cuts.entries()) {
    if (characters[from] === undefined || characters[from] === " ") continue
    for (let end = n + 1; end < cuts.length && cuts[end]! - from <= REFERENCE_MAX; end++) {
      if (characters[cuts[end]! - 1] === " ") continue
      const part = characters.slice(from, cuts[end]).join("")
      // A stroke alone names nothing.
      if (wordCharacter.test(part)) found.add(normalise(part))
    }
  }
  return [...found]
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
  const known = [...new Set(references.map(normalise))].toSorted((a, b) => b.length - a.length)
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
