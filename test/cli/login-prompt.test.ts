/** The prompt of `corridor login`, on a pseudo terminal, and a credential at its standard input (CLI-25). */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { corridor } from "../support/cli/command-line.ts"
import { noTerminal, onTerminal } from "../support/cli/pseudo-terminal.ts"
import { serveHere, type ServedHere } from "../support/http/served-here.ts"
import { apiKey, operatorToken } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"

let server: ServedHere
let folder: string
beforeAll(async () => void (server = await serveHere()))
afterAll(() => server.stop())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "corridor-login-"))
  return () => rmSync(folder, { recursive: true })
})

const file = (): string => join(folder, "corridor", "profiles.json")
const prompt = "API key of a merchant, or operator's token"
const ctrlC = "\u0003"
const type = (...steps: ReadonlyArray<readonly [string, string]>) =>
  onTerminal(["login", "--url", server.url], { XDG_CONFIG_HOME: folder }, steps)

covers("CLI-25")
describe.skipIf(noTerminal !== undefined)("the prompt of corridor login", () => {
  it.each([
    ["an API key", apiKey, "merchant"],
    ["an operator's token", operatorToken, "operator"]
  ])("stores %s that is typed, with spaces around it, and never shows it", async (_, secret, credential) => {
    const { code, shown } = await type([prompt, `  ${secret} \r`])
    expect([code, shown]).toEqual([0, expect.stringContaining("Commands use the profile default from now on.")])
    for (let at = 0; at + 8 <= secret.length; at += 8) expect(shown).not.toContain(secret.slice(at, at + 8))
    expect(JSON.parse(readFileSync(file(), "utf8")).profiles.default).toEqual({ url: server.url, credential, secret })
  })

  it("says that the server does not know it, without the token, and stores nothing", async () => {
    const wrong = `${operatorToken}x`
    const { code, shown } = await type([prompt, `${wrong}\r`])
    expect([code, shown]).toEqual([1, expect.stringContaining("401 authentication_failed")])
    expect(shown).not.toContain(wrong.slice(0, 8))
    expect(existsSync(file())).toBe(false)
  })

  it("asks again for one that is empty or has spaces within, and stores nothing when it is left with Ctrl-C", async () => {
    const { code, shown } = await type(
      [prompt, "\r"],
      ["A key or a token is required.", "  \r"],
      ["A key or a token is required.", "\b\bhunter two\r"],
      ["A key or a token has no spaces.", ctrlC]
    )
    expect([code, shown]).toEqual([2, expect.stringContaining("corridor: nothing is stored.")])
    expect(shown).not.toContain("hunter")
    expect(existsSync(file())).toBe(false)
  })

  it("is left with Ctrl-C at once", async () => {
    const { code, shown } = await type([prompt, `hunter2${ctrlC}`])
    expect([code, shown]).toEqual([2, expect.stringContaining("corridor: nothing is stored.")])
    expect(shown).not.toContain("hunter2")
    expect(existsSync(file())).toBe(false)
  })
})

covers("CLI-25")
describe("a credential at the standard input", () => {
  const run = (line: string, input: string | undefined, env: Readonly<Record<string, string>> = {}) =>
    corridor(line.split(" "), { XDG_CONFIG_HOME: folder, ...env }, process.cwd(), input)

  it.each([
    ["--token -", `${operatorToken}\n`, "operator"],
    ["--key -", apiKey, "merchant"],
    ["--token -", ` ${apiKey} \r\nmore`, "merchant"]
  ])("is the first line of it, where %s says so", async (flag, input, credential) => {
    const { code, errors, out } = await run(`login --url ${server.url} ${flag}`, input)
    expect([code, errors]).toEqual([0, []])
    expect(out).not.toContain(input.trim().slice(0, 8))
    expect(JSON.parse(readFileSync(file(), "utf8")).profiles.default.credential).toBe(credential)
  })

  it("is taken by every command, and goes before a variable", async () => {
    const listed = await run(`list customers --fields is_default --url ${server.url} --key -`, `${apiKey}\n`, {
      CORRIDOR_API_KEY: "sk_test_wrong"
    })
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining("true")])
  })

  it("is required where the standard input is empty, and is in no message", async () => {
    const empty = await run(`login --url ${server.url} --token -`, "")
    expect([empty.code, empty.errors]).toEqual([
      2,
      ["--token is -, but the standard input is empty; its first line is the credential."]
    ])
    const wrong = await run(`login --url ${server.url} --token -`, "hunter two")
    expect([wrong.code, wrong.errors.join()]).toEqual([2, expect.not.stringContaining("hunter")])
    expect(existsSync(file())).toBe(false)
  })
})
