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

/** Letters that banks write as two (`Müller`, `MUELLER`), decomposed. A word with one of them is no particle: `Dü` is not `du`. */
const transcribed = /[aou]\u0308|a\u030a|[æœø]/

/** A word of a name. */
interface Word {
  /** Without marks: `muller`, `mueller`. */
  readonly letters: string
  /** The same for all ways to spell it. */
  readonly key: string
}

/**
 * Makes all spellings of a word alike: `ä`, `å` or `æ`, `ö` or `ø`, `ü`, and `y`, each with its mark, without, or as two letters. The
 * letters are in lower case. Law: confluent. Whichever of the letters of a name are spelled in whichever way, the result is the same.
 */
const foldLetters = (letters: string): string =>
  letters
    .replace(/a[ae]+/g, "a")
    .replace(/([ou])e+/g, "$1")
    .replaceAll("ij", "y")

/** Lists the words of a name that are compared; all of them if none says anything. Empty: the name has neither letter nor digit. */
const listComparableWords = (name: string): ReadonlyArray<Word> => {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/['’‘ʼ`]/g, "")
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => {
      const plain = word
        .replace(/[\u0300-\u036f]/g, "")
        .replace(/[ßæœøđðłıþɓɗƙƴ]/g, (letter) => letters[letter] ?? letter)
      return { letters: plain, key: foldLetters(plain), isDropped: dropped.has(plain) && !transcribed.test(word) }
    })
  const telling = words.filter(({ isDropped }) => !isDropped)
  return telling.length > 0 ? telling : words
}

/** Whether a word is a single letter of an alphabet. A single ideograph is a word. */
const isInitial = ({ letters }: Word): boolean => /^(?!\p{Ideographic})\p{L}$/u.test(letters)

/** Lists the words without an equal partner among `others`; each partner counts once. */
const subtractWords = (words: ReadonlyArray<Word>, others: ReadonlyArray<Word>): ReadonlyArray<Word> => {
  const left = others.map(({ key }) => key)
  return words.filter(({ key }) => {
    const at = left.indexOf(key)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

const isInitialOf = (initial: Word, word: Word): boolean =>
  isInitial(initial) && word.letters.startsWith(initial.letters)

const compareLetters = (a: Word, b: Word): number => (a.letters < b.letters ? -1 : a.letters > b.letters ? 1 : 0)

/** Whether the words that two names do not share differ in initials alone: in pairs, the word of one side is the initial of the other's. */
const isSameUpToInitials = (a: ReadonlyArray<Word>, b: ReadonlyArray<Word>): boolean => {
  // No word is in both, so the words of one letter are initials on one side only, and any pairs of them will do.
  const sorted = b.toSorted(compareLetters)
  return (
    a.length === b.length &&
    a.toSorted(compareLetters).every((word, n) => isInitialOf(word, sorted[n]!) || isInitialOf(sorted[n]!, word))
  )
}

/** Whether two names are the same letters in the same order, however they are divided into words. */
const isOneRun = (a: ReadonlyArray<Word>, b: ReadonlyArray<Word>, part: "letters" | "key"): boolean =>
  a.map((word) => word[part]).join("") === b.map((word) => word[part]).join("")

/**
 * Compares two names word by word. `full`: the same words in any order, where an initial stands for a word that begins with it and at
 * least one word is whole; or the same letters in the same order, however they are divided into words. `partial`: a whole word in
 * common, such as where only one side has a middle name. `none`: nothing but initials in common. Null: one has neither letter nor digit.
 *
 * Case, diacritics, apostrophes, punctuation, titles (`Mr`, `Chief`), legal forms (`Ltd`, `Pty`) and particles (`van`, `and`) do not
 * count. `Müller`, `Muller` and `Mueller` are one word, as banks write them: {@link foldLetters}. Nothing else is guessed: another spelling
 * (`Muhammad`, `Mohammed`) or another script is another word.
 *
 * Laws: symmetric; a name matches itself, unless it is null; however the words of a name are transcribed, it compares with any other name
 * as it does with its own letters.
 */
export const compareNames = (one: string, other: string): NameMatch | null => {
  const [a, b] = [listComparableWords(one), listComparableWords(other)]
  if (a.length === 0 || b.length === 0) return null
  // Keys of words and not of the run: the `e` of "Anna Eze" is no part of an `ä`.
  if (isOneRun(a, b, "letters") || isOneRun(a, b, "key")) return "full"
  const [restOfA, restOfB] = [subtractWords(a, b), subtractWords(b, a)]
  const isShared = a.some((word) => !isInitial(word) && b.some((other) => !isInitial(other) && other.key === word.key))
  if (!isShared) return "none"
  return isSameUpToInitials(restOfA, restOfB) ? "full" : "partial"
}
