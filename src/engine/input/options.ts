/**
 * Options that an application passes in code. JavaScript has no types: a misspelt name would be dropped without a word. The client and the
 * receiver check theirs here too: no package is imported.
 */
import { findNearest } from "./nearest.ts"

type Kind = "boolean" | "function" | "number" | "object" | "string"

/**
 * What each option takes: a type, with `?` where it may be left out; the words that it may be, if it is set; `any`, where its
 * owner checks it. Every option of `O` is named, and no other.
 */
export type TakesOf<O> = {
  readonly [K in keyof O]-?: "any" | ReadonlyArray<string> | ({} extends Pick<O, K> ? `${Kind}?` : Kind)
}

/** An option that is not one. It is the caller's mistake in code, and passes through every layer as it is. */
export class InvalidOption extends TypeError {}

const describeType = (value: unknown): string =>
  value === undefined ? "not set" : value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`

/** Refuses a value of another type than its option takes. The message shows no value but in place of a word: it may be a secret. */
export const checkKinds = <O>(owner: string, given: O, takes: TakesOf<O>): void => {
  for (const [name, kind] of Object.entries<string | ReadonlyArray<unknown>>(takes)) {
    const value = (given as Readonly<Record<string, unknown>>)[name]
    if (typeof kind !== "string") {
      if (value !== undefined && !kind.includes(value))
        throw new InvalidOption(`${owner}: ${name} is ${JSON.stringify(value)}; it takes ${kind.join(" or ")}`)
    } else if (kind !== "any" && !(value === undefined ? kind.endsWith("?") : kind.startsWith(typeof value))) {
      const type = kind.replace("?", "")
      throw new InvalidOption(
        `${owner}: ${name} is ${describeType(value)}; it takes ${type === "object" ? "an" : "a"} ${type}`
      )
    }
  }
}

/**
 * Refuses options under other names, and values of other types. An undefined option is absent, whatever its name.
 *
 * Errors: throws {@link InvalidOption}, which is a `TypeError`. The message names the option, and the one that was probably meant.
 */
export const checkOptions = <O>(owner: string, given: O, takes: TakesOf<O>): void => {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new InvalidOption(`the options of ${owner} are ${describeType(given)}; they are an object`)
  const names = Object.keys(takes)
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || names.includes(name)) continue
    const near = findNearest(name, names)
    const proposal =
      near === undefined ? `It takes ${names.map((one) => `\`${one}\``).join(", ")}.` : `Did you mean \`${near}\`?`
    throw new InvalidOption(`\`${name}\` is not an option of ${owner}. ${proposal}`)
  }
  checkKinds(owner, given, takes)
}

/**
 * Refuses a number that is not whole or out of its range. That of a variable that is not set is NaN, which no comparison stops.
 *
 * Errors: throws `RangeError`.
 */
export const checkWhole = (name: string, value: number, least: number, most: number): void => {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new RangeError(`${name} is ${value}; it takes a whole number from ${least} to ${most}`)
}
