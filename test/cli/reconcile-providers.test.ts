/** `corridor reconcile` over several providers. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { corridor } from "../support/cli/command-line.ts"
import { covers } from "../support/repository/covers.ts"
import { mt940 } from "../support/statements/mt940.ts"

const folder = mkdtempSync(join(tmpdir(), "corridor-reconcile-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const line = {
  id: "stl_1",
  booked_at: 0,
  direction: "debit",
  amount: "5",
  currency: "NGN",
  command_id: "tfr_01j9z3k4m5n6p7q8r9s0t1v2w3.payout",
  payin_id: null,
  provider_reference: null,
  transaction_hash: null,
  narration: null
}

/** A configuration of providers, by the code of each one's `lines`. */
const configFor = (lines: Readonly<Record<string, string>>): string => {
  const file = join(folder, `${Object.keys(lines).join("-")}.mjs`)
  const provider = ([name, body]: readonly [string, string]) =>
    `defineProvider({ name: "${name}", statements: { balances: () => [], lines: () => { ${body} } } })`
  writeFileSync(
    file,
    `import { defineProvider } from ${JSON.stringify(resolve("src/adapters/provider/custom.ts"))}
     export default { database: "memory:", providers: [${Object.entries(lines).map(provider).join(", ")}] }\n`
  )
  return file
}
const reconciled = (lines: Readonly<Record<string, string>>) => corridor(["reconcile", "--config", configFor(lines)])

const away = `throw new Error("away")`
const found = `return { lines: [${JSON.stringify(line)}], cursor: null }`
const nothing = `return { lines: [], cursor: null }`

describe("corridor reconcile", () => {
  covers("RESTORE-3")
  it("compares what the others executed while one provider does not answer, and says which is not known", async () => {
    const { code, out } = await reconciled({ first: away, second: found, third: nothing })
    expect(out).toContain("stl_1")
    expect(out).toMatch(/^first: nothing is known of what it executed\. The provider did not return its statement/m)
    expect(code).toBe(1)
  })

  it("is not clear while a provider does not answer, though nothing of the others is open", async () => {
    const { code, out } = await reconciled({ silent: away, quiet: nothing })
    expect(out).toContain("silent: nothing is known")
    expect(code).toBe(1)
    expect((await reconciled({ quiet: nothing })).code).toBe(0)
  })

  covers("RESTORE-8")
  it("reads a bank's file in place of the providers, and refuses one of an account that the copy does not have", async () => {
    const file = join(folder, "statement.sta")
    writeFileSync(file, mt940("00123", "V-1"))
    const { code, errors } = await corridor(["reconcile", "--config", configFor({ gone: away }), "--statement", file])
    expect([code, errors.join(" ")]).toEqual([
      1,
      expect.stringContaining("an identifier of an active external account")
    ])
  })
})
