/** Writes `docs/cli.md` from the declarations of the commands. With `--check`, it only says whether the page is stale. */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect, Option } from "effect"
import { corridor } from "../src/cli/corridor.ts"
import { exitCodes } from "../src/cli/failure.ts"
import { listHelp } from "../src/cli/help.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

const intro = `# The command line

\`corridor\` is the command of the package. \`npx corridor\` runs it, in this repository from its sources; \`npm start\` is \`corridor serve\`.
\`--help\` of each command prints what this page has. \`scripts/cli-doc.ts\` writes it from the declarations in \`src/cli\`.

Output is for people; with \`--json\` it is one JSON document, or one line of JSON for each item of a stream. Results go to the
standard output, everything else to the standard error. Colours are printed on a terminal only, and never if \`NO_COLOR\` is set.
Bad usage is reported with one line for each fault, which names the option, what was found and what it takes.

Commands that work on a store read the settings of the service (\`DATABASE_URL\`, \`CORRIDOR_ENCRYPTION_KEY\`, \`--config\`).

| Exit code | Meaning |
|---|---|
${Object.entries(exitCodes)
  .map(([code, meaning]) => `| ${code} | ${meaning} |`)
  .join("\n")}

| For | Commands |
|---|---|
| the service | \`serve\`, \`migrate\`, \`upgrade --check\` (can this release start on this store?), \`keys\`, \`reconcile\` (a restored copy against the providers), \`doctor\` (what is wrong, and what to do) |
| developers of receivers | \`listen --forward-to URL\` (signed events of a running server, on this machine), \`trigger offramp.success\` (any event type, on a test server), \`events tail\` |
| users of a server | \`login\` (stores a credential, so that the others need none), \`list\`, \`get\` and \`create RESOURCE\` (with \`--fields\`, \`--dry-run\`) |
| operators | \`explain ID\` (what happened to a payout, and what it waits for), \`search\`, \`operators\` |
| proof | \`verify\` (a whole store against itself, without writing), \`check-provider\`, \`simulate\` |

Completions: \`source <(corridor completions bash)\` in \`~/.bashrc\`; \`corridor completions zsh > ~/.zfunc/_corridor\` with
\`~/.zfunc\` in \`fpath\`; or \`corridor completions fish > ~/.config/fish/completions/corridor.fish\`.
`

const help = await Effect.runPromise(listHelp(corridor))
const page = `${[
  intro.trimEnd(),
  ...help
    .filter(({ path }) => path.length > 0)
    .map(({ doc, path }) => {
      const args = (doc.args ?? []).map(
        ({ description, name }) => `| \`${name}\` | ${cell(Option.getOrElse(description, () => ""))} |`
      )
      const own = new Set(["help", "version", "json"])
      const flags = [...doc.flags, ...(doc.globalFlags ?? []).filter(({ name }) => !own.has(name))].map(
        ({ description, name, type }) =>
          `| \`--${name}${type === "boolean" ? "" : ` ${type}`}\` | ${cell(Option.getOrElse(description, () => ""))} |`
      )
      const table =
        args.length + flags.length === 0 ? [] : ["| Option | |\n|---|---|\n" + [...args, ...flags].join("\n")]
      const examples = (doc.examples ?? []).map(({ command, description }) =>
        description === undefined ? command : `# ${description}\n${command}`
      )
      const shell = examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join("\n")}\n\`\`\``]
      return [`## corridor ${path.join(" ")}`, doc.description, ...shell, ...table].join("\n\n")
    })
].join("\n\n")}\n`
const file = fileURLToPath(new URL("../docs/cli.md", import.meta.url))

if (!process.argv.includes("--check")) writeFileSync(file, page)
else if (readFileSync(file, "utf8") !== page) {
  console.error("docs/cli.md is stale: npm run docs writes it.")
  process.exitCode = 1
}
