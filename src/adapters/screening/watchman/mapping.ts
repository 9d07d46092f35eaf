/**
 * What Watchman said, and what that is to the port. Total and pure: any status with any body is lists and hits, or the sentence why not.
 * What is not understood clears nobody.
 */
import { Schema } from "effect"
import type { ScreeningResult } from "../../../engine/ports/Provider.ts"
import { toStorableText, type CompanyReply } from "../../provider/company/client.ts"
import type { WatchmanConfig } from "./options.ts"

/** A number as Watchman wrote it (`readJson` keeps the text). */
const Digits = Schema.String.check(Schema.isPattern(/^\d{1,15}$/))
const Match = Schema.String.check(
  Schema.isPattern(/^(?:0(?:\.\d{1,20})?(?:[eE]-\d{1,3})?|[1-9](?:\.\d{1,20})?[eE]-\d{1,3}|1(?:\.0{1,20})?)$/)
)
const Loose = Schema.optionalKey(Schema.Unknown)

const ListInfo = Schema.Struct({
  lists: Schema.Record(Schema.String, Digits),
  listHashes: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String))),
  endedAt: Schema.String
})

const Entity = Schema.Struct({ match: Match, sourceList: Loose, sourceID: Loose, entity: Loose })

/** `entities` is null where there is none. Without it, it is no answer to a search. */
const Found = Schema.Struct({
  query: Schema.Struct({
    name: Schema.optionalKey(Schema.NullOr(Schema.String)),
    entityType: Schema.optionalKey(Schema.NullOr(Schema.String)),
    cryptoAddresses: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Struct({ address: Schema.String }))))
  }),
  entities: Schema.NullOr(Schema.Array(Entity))
})

const infoIn = Schema.decodeUnknownOption(ListInfo)
const foundIn = Schema.decodeUnknownOption(Found)

/** Describes a reply that cannot be used. */
const describeReply = ({ json, status }: CompanyReply): string => {
  const error = toStorableText((json as { readonly error?: unknown } | null | undefined)?.error)
  return error === null ? `status ${status} with a body that is not its own` : `status ${status}: ${error}`
}

/** The lists that searches go through. `version` changes with them. */
export interface Lists {
  readonly _tag: "lists"
  readonly version: string
  /** When their refresh ended, epoch milliseconds. */
  readonly refreshed_at: number
}

/** Nobody is cleared by this. */
export interface Unusable {
  readonly _tag: "unusable"
  readonly sentence: string
}

const toUnusable = (sentence: string): Unusable => ({ _tag: "unusable", sentence })

const hourMs = 3_600_000
/** How far the clocks of two machines may be apart. */
const skewMs = 10 * 60_000

/** Reads the lists of a `listinfo` reply, if all required ones are there, and none is too old. */
export const readLists = (
  reply: CompanyReply,
  { lists: expected, max_age_hours }: Pick<WatchmanConfig, "lists" | "max_age_hours">,
  now: number
): Lists | Unusable => {
  const read = reply.status === 200 ? infoIn(reply.json) : undefined
  if (read === undefined || read._tag === "None")
    return toUnusable(`its lists are not known: it answered ${describeReply(reply)}`)
  const { endedAt, listHashes, lists } = read.value
  const missing = expected.filter((list) => !Object.hasOwn(lists, list) || /^0+$/.test(lists[list]!))
  if (missing.length > 0) return toUnusable(`it has no entries of ${missing.join(", ")}: an empty list has no matches`)
  const refreshed_at = Date.parse(endedAt)
  if (!Number.isFinite(refreshed_at)) return toUnusable("it does not say when its lists were refreshed")
  if (refreshed_at > now + skewMs)
    return toUnusable(`its lists were refreshed in the future, at ${new Date(refreshed_at).toISOString()}`)
  const hours = (now - refreshed_at) / hourMs
  if (hours > max_age_hours)
    return toUnusable(
      `its lists are old: they were refreshed ${Math.floor(hours)} hours ago, and ${max_age_hours} are allowed`
    )
  const sorted = (record: { readonly [name: string]: string }) =>
    Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const version = JSON.stringify([sorted(listHashes ?? {}), sorted(lists), endedAt])
  return { _tag: "lists", version, refreshed_at }
}

/** What is searched for: a name among entries of a type, or an address. */
export type ListSearch =
  | { readonly by: "name"; readonly name: string; readonly type: string }
  | { readonly by: "address"; readonly address: string }

/** An entry of a list, and how well it matches, from 0 to 1. */
export interface Hit {
  readonly by: ListSearch["by"]
  readonly match: number
  /** Where it is found again: the list, and its id in it. */
  readonly source: string
}

/** Reads the hits of a search reply. A reply that does not repeat the query is unusable: it may belong to another one. */
export const readHits = (reply: CompanyReply, asked: ListSearch): ReadonlyArray<Hit> | Unusable => {
  const read = reply.status === 200 ? foundIn(reply.json) : undefined
  if (read === undefined || read._tag === "None") return toUnusable(`it answered a search with ${describeReply(reply)}`)
  const { entities, query } = read.value
  const isEcho =
    asked.by === "name"
      ? query.name?.trim() === asked.name.trim() && query.entityType === asked.type
      : (query.cryptoAddresses ?? []).some(({ address }) => address.toLowerCase() === asked.address.toLowerCase())
  if (!isEcho) return toUnusable("it answered another search than the one that was asked")
  return (entities ?? []).map((entity) => {
    const inner = (entity.entity ?? {}) as { readonly sourceList?: unknown; readonly sourceID?: unknown }
    const part = (value: unknown, or: unknown): string => toStorableText(value, 64) ?? toStorableText(or, 64) ?? "?"
    return {
      by: asked.by,
      match: Number(entity.match),
      source: `${part(entity.sourceList, inner.sourceList)}/${part(entity.sourceID, inner.sourceID)}`
    }
  })
}

export const isUnusable = (said: Lists | ReadonlyArray<Hit> | Unusable): said is Unusable =>
  "_tag" in said && said._tag === "unusable"

/** How good the best hit is. */
export type Strength = "none" | "possible" | "strong" | "listed_address"

/** What a screening says, by its best hit. The page of the provider shows this table. */
export const verdicts: Readonly<
  Record<WatchmanConfig["on_strong_match"], Readonly<Record<Strength, ScreeningResult>>>
> = {
  refused: { none: "cleared", possible: "held", strong: "refused", listed_address: "refused" },
  held: { none: "cleared", possible: "held", strong: "held", listed_address: "refused" }
}

type Thresholds = Pick<WatchmanConfig, "possible_match" | "strong_match" | "on_strong_match">

/**
 * Decides the screening result from the hits. `isWhole`: the lists can contain all of the names. A name that they cannot contain
 * has no hits, and the beneficiary is held.
 */
export const decideVerdict = (
  hits: ReadonlyArray<Hit>,
  thresholds: Thresholds,
  isWhole: boolean
): { readonly result: ScreeningResult; readonly strength: Strength } => {
  const { on_strong_match, possible_match, strong_match } = thresholds
  const best = Math.max(0, ...hits.map(({ match }) => match))
  const isListed = hits.some(({ by, match }) => by === "address" && match >= possible_match)
  const strength = isListed
    ? "listed_address"
    : best >= strong_match
      ? "strong"
      : best >= possible_match
        ? "possible"
        : "none"
  const result = verdicts[on_strong_match][strength]
  return { strength, result: result === "cleared" && !isWhole ? "held" : result }
}

/** What nobody sees in a name: control and format characters, fillers, private and unassigned ones, and the blank of Braille. */
const invisible = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Latin letters that are no letter with a mark. Watchman folds only marks, so a name is also searched for with these in their place. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ß: "ss", ẞ: "SS", æ: "ae", Æ: "AE", œ: "oe", Œ: "OE", ø: "o", Ø: "O", ł: "l", Ł: "L", đ: "d", Đ: "D" },
  ...{ ð: "d", Ð: "D", þ: "th", Þ: "Th", ħ: "h", Ħ: "H", ı: "i", ŋ: "ng", Ŋ: "Ng", ɛ: "e", Ɛ: "E", ɔ: "o", Ɔ: "O" },
  ...{ ɓ: "b", Ɓ: "B", ɗ: "d", Ɗ: "D", ɖ: "d", Ɖ: "D", ƙ: "k", Ƙ: "K", ƴ: "y", Ƴ: "Y", ǝ: "e", Ǝ: "E", ə: "e", Ə: "E" }
}
const removeAccents = (name: string): string =>
  name.replaceAll(/\p{L}\p{Mn}*/gu, (written) => {
    const letter = written.normalize("NFD").charAt(0)
    return Object.hasOwn(plainLetters, letter) ? plainLetters[letter]! : written
  })

const collapseSpaces = (name: string): string => name.replaceAll(/ +/g, " ").trim()

/** Folds a name as a reader sees it: full-width letters become letters, and invisible characters are removed. */
const foldName = (name: string): string =>
  collapseSpaces(
    name
      .replaceAll(/[\t-\r]/g, " ")
      .normalize("NFKC")
      .replaceAll(invisible, "")
      .normalize("NFKC")
      .replaceAll(/\s/g, " ")
  )

/** Lists the forms of a name to search for: as written, and without accents. None: the name has no visible character. */
export const listSearchForms = (name: string): ReadonlyArray<string> => {
  const form = foldName(name)
  return form === "" ? [] : [...new Set([form, removeAccents(form)])]
}

/**
 * Whether lists can contain a name as it is written: it has a letter, two letters or digits, no invisible or substitute
 * character, and only Latin letters. `cross_script`: letters of other scripts can be compared too.
 */
export const isSearchable = (name: string, cross_script: boolean): boolean => {
  if (collapseSpaces(name.normalize("NFC")) !== foldName(name)) return false
  const plain = removeAccents(name)
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
  // A letter of another script may be a whole word.
  const compared = cross_script ? plain.replaceAll(/(?!\p{Script=Latin})[\p{L}\p{M}]/gu, "xx") : plain
  const isLong = /[A-Za-z0-9].*[A-Za-z0-9]/.test(compared)
  return isLong && /[A-Za-z]/.test(compared) && /^[\p{P}\x20-\x7e]*$/u.test(compared)
}
