/** Options that several commands share. */
import { Effect, Option } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import { Process } from "./process.ts"

/** Makes an option without a value. */
export const makeSwitch = (name: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDefault(false))

export const makeTextFlag = (name: string, metavar: string, description: string): Flag.Flag<string> =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

export const makeOptionalTextFlag = (name: string, metavar: string, description: string) =>
  Flag.optional(makeTextFlag(name, metavar, description))

/** Picks the options that were given, by their names in the API. */
export const pickOptions = (
  options: Readonly<Record<string, Option.Option<string | number>>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (Option.isSome(value) ? [[name, String(value.value)]] : []))
  )

export const PrintJson = GlobalFlag.Setting("json")({
  flag: makeSwitch("json").pipe(Flag.withDescription("Print JSON: one document, or one line for each item of a stream"))
})

export const ConfigFile = GlobalFlag.Setting("config")({
  flag: makeOptionalTextFlag(
    "config",
    "FILE",
    "A configuration file (.ts, .mts, .js or .mjs) whose default export is defineConfig({ … }); variables override it"
  )
})

export const makeIntegerFlag = (name: string, minimum: number, maximum: number): Flag.Flag<number> =>
  Flag.String(name).pipe(
    Flag.withMetavar("NUMBER"),
    Flag.filterMap(
      (text) => {
        const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
        return number >= minimum && number <= maximum ? Option.some(number) : Option.none()
      },
      () => `a whole number from ${minimum} to ${maximum}`
    )
  )

/** Prints the result of a command: lines for people, or one JSON document with `--json`. */
export const printResult = Effect.fnUntraced(function* (lines: ReadonlyArray<string>, value: unknown) {
  const { say } = yield* Process
  if (yield* PrintJson) say(JSON.stringify(value))
  else lines.forEach(say)
})
