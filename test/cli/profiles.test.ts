/** `corridor login`, `logout` and `profiles`: what is stored, who may read it, and to whom it is sent. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { corridor } from "../support/cli/command-line.ts"
import { serveHere, type ServedHere } from "../support/http/served-here.ts"
import { apiKey, operatorToken } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"

let server: ServedHere
let folder: string
beforeAll(async () => void (server = await serveHere()))
afterAll(() => server.stop())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "corridor-profiles-"))
  return () => rmSync(folder, { recursive: true })
})

const file = (): string => join(folder, "corridor", "profiles.json")
/** A command of a person who has nothing in the environment but a folder for settings, and `env`. */
const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
  corridor(line.split(" "), { XDG_CONFIG_HOME: folder, ...env })
const login = (name: string, secret: string) =>
  run(`login ${name} --url ${server.url} ${secret === apiKey ? "--key" : "--token"} ${secret}`)

covers("CLI-25")
describe("corridor login", () => {
  it("says who the credential is, and stores it for its owner alone", async () => {
    const { code, errors, out } = await login("shop", apiKey)
    expect([code, errors]).toEqual([0, []])
    expect(out).toMatch(
      /^Corridor \(mer_\w+\), API key key_\w+, role admin, at http:\S+\.\nCommands use the profile shop /
    )
    expect(out).not.toContain(apiKey)
    expect([statSync(file()).mode & 0o777, statSync(join(folder, "corridor")).mode & 0o777]).toEqual([0o600, 0o700])
    const desk = await login("desk", operatorToken)
    expect(desk.out).toContain("the configured operator token, role admin")
    const listed = await run("profiles")
    expect(listed.out).toBe(`  shop  merchant  ${server.url}\n* desk  operator  ${server.url}\n`)
    for (const { out: shown } of [listed, await run("profiles --json")]) {
      expect(shown).not.toContain(apiKey)
      expect(shown).not.toContain(operatorToken)
    }
  })

  it("takes the credential from a variable, and the profile default", async () => {
    expect((await run(`login --url ${server.url}`, { CORRIDOR_API_KEY: apiKey })).code).toBe(0)
    expect((await run("profiles")).out).toBe(`* default  merchant  ${server.url}\n`)
  })

  it("stores nothing that the server does not know, and nothing without a credential or a folder", async () => {
    const wrong = await login("shop", `${operatorToken}x`)
    expect([wrong.code, wrong.errors[0]]).toEqual([1, expect.stringMatching(/401 authentication_failed/)])
    expect((await run(`login --url ${server.url}`)).errors).toEqual([
      "--key, --token or their variables are required where there is no terminal to ask."
    ])
    expect((await run("login a/b --key x")).errors[0]).toMatch(/^PROFILE is "a\/b"/)
    expect(existsSync(file())).toBe(false)
    const homeless = await corridor(["login", "--url", server.url, "--key", apiKey])
    expect([homeless.code, homeless.errors[0]]).toEqual([2, expect.stringMatching(/^XDG_CONFIG_HOME or HOME/)])
  })
})

covers("CLI-25")
describe("a profile", () => {
  it("is used by commands that are given no credential: the current one, or one by name", async () => {
    await login("desk", operatorToken)
    await login("shop", apiKey)
    expect((await run("list customers --fields is_default")).out).toContain("true")
    expect((await run("list merchants --fields status --profile desk")).out).toContain("active")
    expect((await run("list merchants --fields status", { CORRIDOR_PROFILE: "desk" })).out).toContain("active")
    expect((await run("operators list")).errors[0]).toMatch(/operator's token; or corridor login stores one/)
    expect((await run("operators list --profile shop")).errors[0]).toMatch(/^--profile is of a merchant's API key/)
    expect((await run("operators list --profile desk")).code).toBe(0)
    expect((await run("profiles --use desk")).out).toContain("* desk")
    expect((await run("operators list")).code).toBe(0)
    expect((await run("list merchants --profile dsek")).errors).toEqual([
      'there is no profile "dsek"; there are desk, shop.'
    ])
  })

  it("gives way to an option and to a variable", async () => {
    await login("desk", operatorToken)
    expect((await run(`list customers --fields is_default --key ${apiKey} --url ${server.url}`)).out).toContain("true")
    const env = { CORRIDOR_API_KEY: apiKey, CORRIDOR_URL: server.url }
    expect((await run("list customers --fields is_default", env)).out).toContain("true")
    expect((await run("list merchants --fields status --profile desk", env)).out).toContain("active")
  })

  covers("CLI-25", "SERVICE-5")
  it("is used where the variable says that there is no operator token, which is no credential", async () => {
    const env = { CORRIDOR_OPERATOR_TOKEN: "off" }
    const none = [await run("operators list", env), await run("list customers", env), await run("login x", env)]
    expect(none.map(({ code }) => code)).toEqual([2, 2, 2])
    expect(none[0]!.errors[0]).toMatch(/^--token or CORRIDOR_OPERATOR_TOKEN is required/)
    const asMerchant = { ...env, CORRIDOR_API_KEY: apiKey, CORRIDOR_URL: server.url }
    expect((await run("list customers --fields is_default", asMerchant)).out).toContain("true")
    await login("desk", operatorToken)
    expect((await run("operators list", env)).code).toBe(0)
    expect((await run("list merchants --fields status", env)).out).toContain("active")
  })

  it("is sent to no other server than its own", async () => {
    await login("shop", apiKey)
    const seen: Array<string | undefined> = []
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.end()
    })
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const asked = [
      await run(`list customers --url ${url}`),
      await run("list customers", { CORRIDOR_URL: url }),
      await run(`list customers --url ${url} --profile shop`)
    ]
    other.close()
    expect(asked.map(({ code }) => code)).toEqual([2, 2, 2])
    expect(asked[2]!.errors[0]).toMatch(/^--profile has its own server and credential/)
    expect(seen).toEqual([])
    expect((await run(`list customers --fields is_default --url ${server.url}`)).out).toContain("true")
  })

  it("is not read from a file that others may read, or that is something else", async () => {
    await login("shop", apiKey)
    chmodSync(file(), 0o640)
    const open = await run("list customers")
    expect([open.code, open.errors[0]]).toEqual([3, expect.stringMatching(/others may read it; chmod 600/)])
    chmodSync(file(), 0o600)
    for (const text of ["{", "[]", '{"current":1,"profiles":{}}']) {
      writeFileSync(file(), text)
      const broken = await run("list customers")
      expect([broken.code, broken.errors[0]]).toEqual([3, expect.stringMatching(/not what corridor login has written/)])
    }
  })

  it("is gone after a logout, and no other one", async () => {
    await login("desk", operatorToken)
    await login("shop", apiKey)
    expect((await run("logout shop")).out).toContain("still valid at its server")
    expect(readFileSync(file(), "utf8")).not.toContain(apiKey)
    expect((await run("list customers")).code).toBe(2)
    expect((await run("operators list --profile desk")).code).toBe(0)
    expect((await run("logout shop")).errors).toEqual(['there is no profile "shop".'])
    expect((await run("logout constructor")).code).toBe(2)
  })
})
