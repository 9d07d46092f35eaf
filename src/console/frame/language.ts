/**
 * The language of the console. An English text is its own key: `t("Sign out")`. Another language has a catalogue, a file of its own, which is
 * loaded before anything else of the console runs: a text is translated where it is declared. Another choice therefore loads the page again.
 */
import { readStored } from "./stored.ts"

/** Set by the build. The documentation, which is in English only, has no catalogues; tests have none either. */
declare const TRANSLATED: boolean

/** The languages by their code: what each calls itself, and whether it is written from the left. */
export const languages = {
  en: { name: "English", direction: "ltr" },
  fr: { name: "Français", direction: "ltr" }
} as const
export type Language = keyof typeof languages

/** What another language has for each English text. */
type Catalogue = Readonly<Record<string, string>>

const listCodes = () => Object.keys(languages) as ReadonlyArray<Language>

/** Reads the first language of the browser that the console has. */
export const readPreferredLanguage = (): Language => {
  const asked = globalThis.navigator?.languages ?? []
  return asked.flatMap((tag) => listCodes().filter((code) => tag.split("-")[0] === code))[0] ?? "en"
}

const chosen: Language =
  typeof TRANSLATED !== "undefined" && TRANSLATED
    ? readStored("corridor.language", listCodes(), readPreferredLanguage())
    : "en"

/** A catalogue that cannot be loaded is as if it were not chosen: the console is in English. */
const catalogue: Catalogue | undefined =
  // Said once more for the build, which leaves the files of catalogues out where nothing chooses one.
  typeof TRANSLATED !== "undefined" && TRANSLATED && chosen === "fr"
    ? await import("../language/fr.ts").then(
        ({ french }) => french,
        () => undefined
      )
    : undefined

/** The language that is shown. */
export const language: Language = catalogue === undefined ? "en" : chosen

/** The locale of dates. English dates have the day first. */
export const locale = language === "en" ? "en-GB" : language

const numbers = new Intl.NumberFormat(language)

/** Formats a number: `12,345`. */
export const formatNumber = (value: number | bigint, options?: Intl.NumberFormatOptions): string =>
  (options === undefined ? numbers : new Intl.NumberFormat(language, options)).format(value)

/** Formats a list: `a, b and c`, or with `or`. */
export const formatList = (of: ReadonlyArray<string>, type: "conjunction" | "disjunction"): string =>
  new Intl.ListFormat(locale, { type }).format(of)

/** The names of the holes of a text: `count` of `{count} rows`. */
type Hole<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Hole<Rest> : never
/** The names of its tags: `a` of `Go to the <a>first page</a>.` */
type Tag<Text extends string> = Text extends `${string}</${infer Name}>${infer Rest}` ? Name | Tag<Rest> : never

type Holes<Text extends string> = { readonly [Name in Hole<Text>]: string | number }

/** What a component shows: as Preact has it, whose types ask for those of a browser. */
type Shown = object | string | number | bigint | boolean | null | undefined

type Values<Text extends string> = { readonly [Name in Hole<Text>]: Shown } & {
  readonly [Name in Tag<Text>]: (inner: string) => Shown
}

/** Chooses the plural form of a text by `count`. The forms are divided by bars: one, more, and where a language has it the form of millions. */
const choosePlural = (text: string, count: unknown): string => {
  const [one = "", more = one, many = more] = text.split("|")
  const rule = new Intl.PluralRules(language).select(Number(count))
  return rule === "one" ? one : rule === "many" ? many : more
}

/** Translates a text, if the catalogue has it: for texts that are made from names of the API. */
export const translate = (text: string): string => catalogue?.[text] ?? text

/**
 * Translates a text and fills its holes. `t("{count} row|{count} rows", { count })` also chooses the plural form by `count`;
 * numbers are formatted as the language does.
 */
export const t = <const Text extends string>(
  text: Text,
  ...[holes]: [Hole<Text>] extends [never] ? [] : [holes: Holes<Text>]
): string => {
  const values = holes as Readonly<Record<string, string | number>> | undefined
  return values === undefined
    ? translate(text)
    : choosePlural(translate(text), values["count"]).replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = values[name]!
        return typeof value === "number" ? formatNumber(value) : value
      })
}

/** Translates a text like {@link t}, with elements: a hole is one, and a tag makes one of the text in it. */
export const rich = <const Text extends string>(text: Text, holes: Values<Text>): Array<Shown> => {
  const values = holes as Readonly<Record<string, Shown>>
  const form = choosePlural(translate(text), values["count"])
  const parts: Array<Shown> = []
  let end = 0
  for (const { 0: found, 1: hole, 2: tag = "", 3: inner = "", index } of form.matchAll(
    /\{(\w+)\}|<(\w+)>(.*?)<\/\2>/g
  )) {
    const value = values[hole ?? tag]
    parts.push(
      form.slice(end, index),
      typeof value === "function" ? value(inner) : typeof value === "number" ? formatNumber(value) : value
    )
    end = index + found.length
  }
  return [...parts, form.slice(end)]
}
