/** A misspelt variable has no effect, and a warning. */
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { findMisspeltVariables } from "../../src/cli/variables.ts"
import { corridor } from "../support/cli/command-line.ts"

const folder = mkdtempSync(join(tmpdir(), "corridor-variables-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const warning = "CORRIDOR_ENCRYPTON_KEY has no effect. Did you mean CORRIDOR_ENCRYPTION_KEY?"

describe("a misspelt variable", () => {
  it.each([["migrate"], ["check-provider"], ["events", "tail"], ["--version"]])(
    "is one line of the standard error, and nothing else: corridor %s %s",
    async (...args) => {
      const env = { DATABASE_URL: "memory:", CORRIDOR_URL: "http://127.0.0.1:1" }
      const alone = await corridor(args, env)
      const warned = await corridor(args, { ...env, CORRIDOR_ENCRYPTON_KEY: "x" })
      expect(warned).toEqual({ ...alone, errors: [warning, ...alone.errors] })
    }
  )

  it("shares its line with another", async () => {
    const env = { DATABASE_URL: "memory:", CORRIDOR_APIKEY: "x", CORRIDOR_ENCRYPTON_KEY: "x", CORRIDOR_URI: "" }
    const { errors } = await corridor(["migrate"], env)
    expect(errors).toEqual([`CORRIDOR_APIKEY has no effect. Did you mean CORRIDOR_API_KEY? ${warning}`])
  })

  it("may be a secret that the configuration file reads", async () => {
    const file = join(folder, "corridor.config.mjs")
    writeFileSync(
      file,
      `export default ({ secret }) => ({ database: "memory:", encryptionKeys: [secret("CORRIDOR_ENCRYPTION_KEY_NEW")] })`
    )
    const key = Buffer.alloc(32, 1).toString("base64")
    const env = { CORRIDOR_ENCRYPTION_KEY_NEW: key, CORRIDOR_ENCRYPTION_KEY_OLD: key }
    for (const option of [["--config", file], [`--config=${file}`]]) {
      const { code, errors } = await corridor(["migrate", ...option], env)
      expect([code, errors]).toEqual([
        0,
        ["CORRIDOR_ENCRYPTION_KEY_OLD has no effect. Did you mean CORRIDOR_ENCRYPTION_KEY?"]
      ])
    }
  })
})

it("no variable that anything here names has a warning, nor has one like none: a later version may read it", async () => {
  const files = globSync("{src,docs,ops,examples,test,bench,scripts,.ci}/**/*", { exclude: ["**/node_modules/**"] })
  const named = new Set(
    [...files, "README.md"]
      .filter((file) => statSync(file).isFile() && file !== "test/cli/variables.test.ts")
      .flatMap((file) => readFileSync(file, "utf8").match(/\bCORRIDOR_[A-Z0-9_]*[A-Z0-9]\b/g) ?? [])
  )
  expect(named.size).toBeGreaterThan(30)
  const env = Object.fromEntries([...named, "CORRIDOR_SOMETHING_QUITE_NEW", "OTHER_API_KEY"].map((name) => [name, "x"]))
  expect(await findMisspeltVariables(env)).toBeUndefined()
})
