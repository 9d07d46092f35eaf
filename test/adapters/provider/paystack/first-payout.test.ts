/** The first payout of the page of Paystack, as its reader makes it: its configuration, and its commands in a shell. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { FakePaystack, ngnKey } from "../../../support/companies/fake-paystack.ts"
import { snippetsOf } from "../../../support/documents/snippets.ts"
import { main } from "../../../support/cli/environment.ts"
import { apiKey, serve, startCommand } from "../../../support/http/served-process.ts"
import { covers } from "../../../support/repository/covers.ts"

const folder = mkdtempSync(join(tmpdir(), "corridor-first-payout-"))
const fake = new FakePaystack()
fake.now = () => Date.now()
beforeAll(() => fake.start())
afterAll(async () => {
  await fake.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** What the page has of a language for this test. */
const codeOf = (language: string): string => {
  const all = snippetsOf("docs/providers/paystack.md")
  return all.find((one) => one.by?.endsWith("first-payout.test.ts") === true && one.language === language)!.code
}

describe("the page of Paystack", () => {
  covers("COMPANY-1")
  it("leads to a payout that is a success, with the address of a double as `url`", { timeout: 120_000 }, async () => {
    const file = join(folder, "corridor.config.ts")
    const configured = codeOf("ts")
      .replace('"corridor/config"', `"${resolve("src/http/config/index.ts")}"`)
      .replaceAll(/"corridor\/(adapters\/[\w/]+)"/g, (_, path: string) => `"${resolve(`src/${path}.ts`)}"`)
      .replace("paystack({ keys", `paystack({ url: ${JSON.stringify(fake.url)}, keys`)
    writeFileSync(file, configured)
    const server = await serve({ PAYSTACK_NGN: ngnKey }, main, ["serve", "--config", file])
    try {
      const variables = { CORRIDOR_URL: server.url, CORRIDOR_API_KEY: apiKey }
      const shell = startCommand("sh", ["-euc", codeOf("sh")], variables)
      expect(await shell.exit, shell.output()).toBe(0)
      expect(shell.output().trimEnd().split("\n").at(-1)).toBe("success")
      expect([...fake.executions.values()]).toEqual([1])
    } finally {
      server.child.kill("SIGTERM")
      await server.exit
    }
  })
})
