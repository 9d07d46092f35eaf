/**
 * Writes `docs/settings.md` and `src/http/config/generated/members.ts` from the settings. With `--check`, it only says which of them is stale.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Setting, listAllSettings } from "../src/http/config/settings.ts"

const inTest = listAllSettings("test")
const inLive = new Map(listAllSettings("live").map((setting) => [setting.variable, setting]))

/** What a setting is in both environments, or in each of them. */
const inBoth = (setting: Setting<unknown>, of: (one: Setting<unknown>) => string): string => {
  const [test, live] = [of(setting), of(inLive.get(setting.variable)!)]
  return test === live ? test : `${test} in \`test\`, ${live} in \`live\``
}
const tableOf = (isTelemetry: boolean): string =>
  [
    "| Variable | Member | Meaning | Default |\n|---|---|---|---|",
    ...inTest
      .filter(({ member }) => member.startsWith("telemetry.") === isTelemetry)
      .map((setting) => {
        const { member, says, variable } = setting
        const meaning = `${says} Takes ${inBoth(setting, ({ kind }) => kind.takes.text)}.`
        return `| ${[`\`${variable}\``, `\`${member}\``, meaning.replaceAll("|", "\\|"), inBoth(setting, ({ unset }) => (typeof unset === "string" ? `\`${unset}\`` : unset.means))].join(" | ")} |`
      })
  ].join("\n")

const page = `# Settings

Environment variables of the server. Each has a member in [the configuration file](guides/configure.md), which the variable
overrides. \`npm run docs\` writes this page from [settings.ts](../src/http/config/settings.ts).

${tableOf(false)}

## Telemetry

The variables are OpenTelemetry's. [Telemetry](telemetry.md) says what is exported.

${tableOf(true)}
`

/** The default as a member would have it. */
const memberDefault = (setting: Setting<unknown>): string =>
  inBoth(setting, ({ kind, unset }) => {
    if (typeof unset !== "string") return unset.means
    const value = kind.text(unset)
    return `\`${value === null || typeof value === "number" || typeof value === "boolean" ? value : unset}\``
  })

const docstring = (text: string, indent: string): string => {
  const plain = text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1")
  return `${indent}/** ${plain} */`
}
const declareMember = (setting: Setting<unknown>, name: string, indent: string): string => {
  const { kind, says, secret, variable } = setting
  const text = `${secret ? "A secret. " : ""}${says} Default: ${memberDefault(setting)}. \`${variable}\` overrides it.`
  const line = `${indent}readonly ${name}?: ${kind.type}`
  // As the formatter breaks it.
  const broken =
    line.length > 120
      ? line.replaceAll(/(?:: | )(?:\| )?(?=")/g, (at) => `${at.startsWith(":") ? ":" : ""}\n${indent}  | `)
      : line
  return `${docstring(text, indent)}\n${broken}`
}
const groups = Map.groupBy(inTest, ({ member }) => (member.includes(".") ? member.split(".")[0]! : ""))
const members = `/** The members of a configuration that are settings. \`npm run docs\` writes this file from \`settings.ts\`. */
export interface ServerMembers {
${[...groups]
  .map(([group, settings]) =>
    group === ""
      ? settings.map((one) => declareMember(one, one.member, "  ")).join("\n")
      : `  readonly ${group}?: {\n${settings.map((one) => declareMember(one, one.member.split(".")[1]!, "    ")).join("\n")}\n  }`
  )
  .join("\n")}
}
`

for (const [path, text] of [
  ["docs/settings.md", page],
  ["src/http/config/generated/members.ts", members]
] as const) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url))
  if (!process.argv.includes("--check")) writeFileSync(file, text)
  else if (readFileSync(file, "utf8") !== text) {
    console.error(`${path} is stale: npm run docs writes it.`)
    process.exitCode = 1
  }
}
