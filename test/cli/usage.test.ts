/** What every command has: help with an example, JSON, one line for each fault, and completions. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import { corridor as root } from "../../src/cli/corridor.ts"
import { exitCodes } from "../../src/cli/failure.ts"
import { listHelp } from "../../src/cli/help.ts"
import { version } from "../../src/version.ts"
import { corridor } from "../support/cli/command-line.ts"
import { covers } from "../support/repository/covers.ts"

const help = await Effect.runPromise(listHelp(root))
const leaves = help.filter(({ doc }) => doc.subcommands === undefined)
const lineOf = (path: ReadonlyArray<string>): string => ["corridor", ...path].join(" ")

describe("the declarations", () => {
  covers("CLI-1")
  it("give each command a description, an example that names it, and --json", () => {
    const lacking = leaves.filter(
      ({ doc, path }) =>
        doc.description === "" ||
        !(doc.examples ?? []).some(({ command }) => command.includes(lineOf(path))) ||
        !(doc.globalFlags ?? []).some(({ name }) => name === "json")
    )
    expect(lacking.map(({ path }) => lineOf(path))).toEqual([])
    expect(leaves.length).toBeGreaterThan(5)
  })

  it("describe each option and argument", () => {
    const bare = help.flatMap(({ doc, path }) =>
      [...doc.flags, ...(doc.args ?? [])]
        .filter(({ description }) => Option.isNone(description))
        .map(({ name }) => `${lineOf(path)} ${name}`)
    )
    expect(bare).toEqual([])
  })

  covers("CLI-2")
  it("are the page of all commands, which has each command, option and exit code", () => {
    const page = readFileSync("docs/cli.md", "utf8")
    const missing = help.flatMap(({ doc, path }) =>
      [
        `## ${lineOf(path)}`,
        ...doc.flags.map(({ name }) => `\`--${name}`),
        ...(doc.examples ?? []).map(({ command }) => command)
      ].filter((text) => path.length > 0 && !page.includes(text))
    )
    expect(missing).toEqual([])
    for (const [code, meaning] of Object.entries(exitCodes)) expect(page).toContain(`| ${code} | ${meaning}`)
    for (const script of ["scripts/cli-doc.ts", "scripts/settings-doc.ts"]) {
      const stale = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" })
      expect([stale.status, stale.stderr]).toEqual([0, ""])
    }
  })
})

describe("the command line", () => {
  it.each(help.map(({ path }) => [lineOf(path), path] as const))("%s --help exits with 0", async (line, path) => {
    const { code, errors, out } = await corridor([...path, "--help"])
    expect([code, errors]).toEqual([0, []])
    expect(out).toContain(line)
  })

  it("prints the version, and the help of a command that follows help", async () => {
    expect(await corridor(["--version"])).toEqual({ code: 0, out: `${version}\n`, errors: [] })
    expect((await corridor(["help", "keys", "rotate"])).out).toBe((await corridor(["keys", "rotate", "--help"])).out)
  })

  covers("CLI-3")
  it.each<readonly [string, ReadonlyArray<string>]>([
    ["fly", ['unknown command "fly".']],
    ["sevre", ['unknown command "sevre". Did you mean serve?']],
    ["keys turn", ['unknown command "keys turn".']],
    ["keys rotat", ['unknown command "keys rotat". Did you mean rotate?']],
    ["keys status --jsn", ["--jsn is not an option of corridor keys status. Did you mean --json?"]],
    ["serve now", ['unexpected argument "now".']],
    ["migrate --confg x", ["--confg is not an option of corridor migrate. Did you mean --config?"]],
    ["migrate --config", ["--config takes FILE; found nothing."]],
    ["completions", ["shell is required."]],
    ["completions tcsh", ['shell is "tcsh"; it takes bash or zsh or fish.']],
    ["simulate --seeds 0", ['--seeds is "0"; it takes a whole number from 1 to 1000000.']],
    ["simulate --seeds 1e3", ['--seeds is "1e3"; it takes a whole number from 1 to 1000000.']],
    [
      "simulate --seed 1 --seeds 2",
      ["--seed runs one seed; --seeds, --from, --workers and --coverage are about several."]
    ],
    ["simulate --seed 1 --keep x", ['--keep is "x"; it takes the numbers of operations.']],
    ...["1", "2026-01-31T09:30:00", "2026-01-31T09:30:00+01:00", "2026-02-30", "yesterday"].map(
      (given) =>
        [
          `reconcile --since ${given}`,
          [`--since is "${given}"; it takes a date (2026-01-31), or a UTC instant (2026-01-31T09:30:00Z).`]
        ] as const
    ),
    ["simulate --colour", ["--colour is not an option of corridor simulate."]]
  ])("%s: exits with 2 and a line for each fault", async (line, faults) => {
    const { code, errors, out } = await corridor(line.split(" "))
    expect(code).toBe(2)
    expect(errors.filter((one) => !/^corridor .*--help lists what it takes\.$/.test(one))).toEqual(faults)
    expect(out).toBe("")
  })

  it("prints no colours into a pipe", async () => {
    expect((await corridor(["--help"])).out).not.toContain("\u001b")
  })
})

describe("corridor completions", () => {
  covers("CLI-4")
  it("completes commands, options and values in bash", async () => {
    const { code, out } = await corridor(["completions", "bash"])
    expect(code).toBe(0)
    const folder = mkdtempSync(join(tmpdir(), "corridor-completions-"))
    const script = join(folder, "corridor.bash")
    writeFileSync(script, out)
    const completed = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
      const line = words.join(" ")
      const program = `source ${script}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
        COMP_LINE='${line}'; COMP_POINT=${line.length}; _corridor corridor '${words.at(-1)}' '${words.at(-2)}' 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`
      return spawnSync("bash", ["--norc", "-c", program], { encoding: "utf8" }).stdout.trim().split("\n")
    }
    expect(completed("corridor", "mig")).toEqual(["migrate"])
    expect(completed("corridor", "keys", "")).toEqual(expect.arrayContaining(["rotate", "status"]))
    expect(completed("corridor", "simulate", "--see")).toEqual(["--seeds", "--seed"])
    expect(completed("corridor", "keys", "status", "--js")).toEqual(["--json"])
    expect(completed("corridor", "list", "tran")).toEqual(["transactions", "transactions/totals", "transfers"])
    expect(completed("corridor", "create", "send")).toEqual(["senders"])
    expect(completed("corridor", "get", "quo")).toEqual(["quotes"])
    rmSync(folder, { recursive: true })
  })

  /** What a shell completes, of a line, with the script of the command. */
  const tried = async (shell: "fish" | "zsh", lines: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    const folder = mkdtempSync(join(tmpdir(), "corridor-completions-"))
    const { code, out } = await corridor(["completions", shell])
    expect(code).toBe(0)
    const script = join(folder, "_corridor")
    writeFileSync(script, out)
    const programs = {
      fish: (line: string) => ["-N", "-c", `source ${script}; complete -C '${line}'`],
      // A terminal of its own, in which Tab is pressed.
      zsh: (line: string) => [
        "-f",
        "-c",
        `zmodload zsh/zpty; zpty tab zsh -f -i
        zpty -w tab "PS1=; TERM=dumb; fpath=(${folder} \\$fpath); autoload -Uz compinit; compinit -u -D; compdef _corridor corridor; unsetopt zle_bracketed_paste; echo READY''NOW"
        zpty -r -m tab out '*READYNOW*'; zpty -n -w tab "${line}"$'\\t'
        for n in {1..40}; do sleep 0.1; zpty -r -t tab part && shown+=$part; done
        print -r -- "$shown"; zpty -d tab`
      ]
    }
    const found = lines.map(
      (line) =>
        spawnSync(shell, programs[shell](line), { encoding: "utf8", env: { ...process.env, HOME: folder } }).stdout
    )
    rmSync(folder, { recursive: true })
    return found
  }
  const isThere = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0

  covers("CLI-4")
  it.skipIf(!isThere("fish"))(`completes commands, options and resources in fish`, async () => {
    const lines = ["corridor mig", "corridor list tran", "corridor keys status --js", "corridor completions z"]
    expect(
      (await tried("fish", lines)).map((out) =>
        out
          .trim()
          .split("\n")
          .map((line) => line.split("\t")[0])
      )
    ).toEqual([["migrate"], ["transactions", "transactions/totals", "transfers"], ["--json"], ["zsh"]])
  })

  covers("CLI-4")
  it.skipIf(!isThere("zsh"))("completes commands and resources in zsh, when Tab is pressed", async () => {
    const [command, resource] = await tried("zsh", ["corridor mig", "corridor create sen"])
    expect(command).toContain("corridor migrate ")
    expect(resource).toContain("corridor create senders ")
  })

  it("prints a function for zsh, and the same script in JSON", async () => {
    const [plain, json] = await Promise.all([
      corridor(["completions", "zsh"]),
      corridor(["completions", "zsh", "--json"])
    ])
    expect(plain.out).toMatch(/^#compdef corridor\n/)
    expect(plain.out).not.toContain("--completions")
    const { script, shell } = JSON.parse(json.out) as { readonly script: string; readonly shell: string }
    expect([shell, `${script}\n`]).toEqual(["zsh", plain.out])
    if (spawnSync("zsh", ["--version"]).status === 0)
      expect(spawnSync("zsh", ["-n"], { input: script, encoding: "utf8" }).stderr).toBe("")
  })
})
