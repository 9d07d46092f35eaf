/** How far the name that was given for an account is that of its holder (BENEFICIARY-8). */
import type { NameMatch } from "../../machines/parties/summaries.ts"

/** Latin letters that Unicode does not decompose into a base letter and a mark. Banks write them so. */
const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  ı: "i",
  þ: "th",
  ɓ: "b",
  ɗ: "d",
  ƙ: "k",
  ƴ: "y"
}

/** Words that say nothing about who it is: titles, legal forms, particles. */
const dropped: ReadonlySet<string> = new Set(
  [
    "mr mrs ms miss mx mme mlle dr prof professor engr barr rev hon sir dame chief alhaji alhaja hajia hajiya mallam malam",
    "ltd limited plc inc incorporated llc llp pty proprietary gmbh sarl corp corporation co company cc",
    "and the of de du da do dos la le van von der den del al el bin ibn"
  ].flatMap((line) => line.split(" "))
)

/** The words that are compared; all of them if none says anything. Empty: the name has neither letter nor digit. */
const wordsOf = (name: string): ReadonlyArray<string> => {
  const plain = name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f'’‘ʼ`]/g, "")
    .toLowerCase()
    .replace(/[ßæœøđðłıþɓɗƙƴ]/g, (letter) => letters[letter] ?? letter)
  const words = plain.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
  const telling = words.filter((word) => !dropped.has(word))
  return telling.length > 0 ? telling : words
}

/** A single letter of an alphabet. An ideograph is a word. */
const isInitial = (word: string): boolean => /^(?!\p{Ideographic})\p{L}$/u.test(word)

/** Each word of `words` without a partner among `others`; a partner is used once. */
const unpaired = (words: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = [...others]
  return words.filter((word) => {
    const at = left.indexOf(word)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

const abbreviates = (initial: string, word: string): boolean => isInitial(initial) && word.startsWith(initial)

/** Whether the words left over are the same ones abbreviated: each an initial of one on the other side. */
const isAbbreviated = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => {
  // No word is in both, so the words of one letter are initials on one side only, and any pairs of them will do.
  const sorted = b.toSorted()
  return (
    a.length === b.length &&
    a.toSorted().every((word, n) => abbreviates(word, sorted[n]!) || abbreviates(sorted[n]!, word))
  )
}

/**
 * Compares two names word by word. `full`: the same words in any order, where an initial stands for a word that begins with it and at
 * least one word is whole; or the same letters in the same order, however they are divided into words. `partial`: a whole word in
 * common, such as where only one side has a middle name. `none`: nothing but initials in common. Null: one has neither letter nor digit.
 *
 * Case, diacritics, apostrophes, punctuation, titles (`Mr`, `Chief`), legal forms (`Ltd`, `Pty`) and particles (`van`, `and`) do not
 * count. Nothing is guessed: another spelling (`Muhammad`, `Mohammed`) or another script is another word.
 *
 * Laws: symmetric; a name matches itself, unless it is null.
 */
export const nameMatch = (one: string, other: string): NameMatch | null => {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  if (a.length === 0 || b.length === 0) return null
  if (a.join("") === b.join("")) return "full"
  const [restOfA, restOfB] = [unpaired(a, b), unpaired(b, a)]
  const isShared = a.some((word) => !isInitial(word) && b.includes(word))
  if (!isShared) return "none"
  return isAbbreviated(restOfA, restOfB) ? "full" : "partial"
}
