/** `corridor get` and `corridor create`. `corridor list` is in `server.test.ts`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { corridor } from "../support/cli/command-line.ts"
import { serveHere, type ServedHere } from "../support/http/served-here.ts"
import { apiKey, operatorToken } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"

let server: ServedHere
let folder: string
beforeAll(async () => {
  server = await serveHere()
  folder = mkdtempSync(join(tmpdir(), "corridor-create-"))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.stop()
})
const merchant = (...args: ReadonlyArray<string>) =>
  corridor(args, { CORRIDOR_URL: server.url, CORRIDOR_API_KEY: apiKey }, folder)
const operator = (...args: ReadonlyArray<string>) =>
  corridor(args, { CORRIDOR_URL: server.url, CORRIDOR_OPERATOR_TOKEN: operatorToken }, folder)
const total = async (resource: string): Promise<number> =>
  (JSON.parse((await merchant("list", resource, "--json")).out) as { meta: { total: number } }).meta.total

covers("CLI-26")
describe("corridor create", () => {
  it("makes a resource of texts, dotted names and JSON, and corridor get reads it", async () => {
    const args = ["--set", "currency=USDC", "--set", "metadata.team=ng=1", "--set", "label:=null"]
    const made = await merchant("create", "wallets", ...args, "--json")
    expect([made.code, made.errors]).toEqual([0, []])
    const wallet = JSON.parse(made.out) as { readonly id: string }
    expect(wallet).toMatchObject({ currency: "USDC", label: null, metadata: { team: "ng=1" } })
    const read = await merchant("get", "wallets", wallet.id, "--fields", "id,currency,balance.available,label")
    expect(read.out).toBe(`id: ${wallet.id}\ncurrency: USDC\nbalance.available: 0.00\nlabel: -\n`)
    expect(JSON.parse((await merchant("get", "wallets", wallet.id, "--json")).out)).toMatchObject(wallet)
  })

  it("takes a body from a file, to which options add", async () => {
    writeFileSync(join(folder, "wallet.json"), JSON.stringify({ currency: "USDC", label: "a", metadata: { one: "1" } }))
    const made = await merchant(
      "create",
      "wallets",
      "--body",
      "wallet.json",
      "--set",
      "label=b",
      "--set",
      "metadata.two=2",
      "--json"
    )
    expect(JSON.parse(made.out)).toMatchObject({ label: "b", metadata: { one: "1", two: "2" } })
  })

  it("with --dry-run writes nothing, and says what the call would do", async () => {
    const before = await total("wallets")
    const tried = await merchant("create", "wallets", "--set", "currency=USDC", "--dry-run", "--fields", "currency")
    expect([tried.code, tried.out]).toEqual([0, "Dry run: nothing is written.\ncurrency: USDC\n"])
    expect(await total("wallets")).toBe(before)
    const json = await merchant("create", "wallets", "--set", "currency=USDC", "--dry-run", "--json")
    expect(JSON.parse(json.out)).toMatchObject({ currency: "USDC", dry_run: { postings: [] } })
  })

  it("makes one thing with one key, and another with each key of its own", async () => {
    const before = await total("wallets")
    const args = ["create", "wallets", "--set", "currency=USDC", "--fields", "id"]
    const [one, two] = [
      await merchant(...args, "--idempotency-key", "once-0001"),
      await merchant(...args, "--idempotency-key", "once-0001")
    ]
    expect(two.out).toBe(`It was made before, with this key. Nothing is made now.\n${one.out}`)
    await merchant(...args)
    await merchant(...args)
    expect(await total("wallets")).toBe(before + 3)
  })

  it("says with which key to repeat what has no outcome, and the repeat sends the same", async () => {
    const keys: Array<unknown> = []
    const broken = createServer((request, response) => {
      keys.push(request.headers["idempotency-key"])
      response.destroy()
    })
    await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`
    const args = ["create", "wallets", "--set", "currency=USDC", "--url", url, "--key", apiKey]
    const { code, errors } = await corridor(args, {}, folder)
    const [, key] =
      /The outcome is unknown: repeat the command with --idempotency-key (\S+), and/.exec(errors.join()) ?? []
    expect([code, new Set(keys)]).toEqual([3, new Set([key])])
    keys.length = 0
    await corridor([...args, "--idempotency-key", key!], {}, folder)
    broken.close()
    expect(new Set(keys)).toEqual(new Set([key]))
  })

  it("is refused by the server with the field, and waits for approval as other commands do", async () => {
    const refused = await merchant("create", "wallets", "--set", "currency=XXX")
    expect([refused.code, refused.errors.length > 0]).toEqual([1, true])
    const rule = ["--set", 'operations:=["limit"]', "--set", "approvals:=1", "--set", 'roles:=["treasury"]']
    expect((await operator("create", "approval-rules", ...rule)).code).toBe(0)
    const limit = ["--set", "scope=platform", "--set", 'operations:=["payout"]', "--set", "currency=USDC"]
    const more = ["--set", "max_amount=10.00", "--set", "window=movement"]
    const waiting = await operator("create", "limits", ...limit, ...more, "--fields", "scope")
    expect([waiting.code, waiting.out]).toEqual([4, expect.stringMatching(/^It waits for approval: apr_/)])
  })

  it("names what there is, and asks nothing", async () => {
    const unknown = await merchant("create", "wallet", "--set", "currency=USDC")
    expect([unknown.code, unknown.errors]).toEqual([2, [expect.stringMatching(/takes one of .*, wallets\.$/)]])
    expect((await merchant("get", "offramp", "ofr_1")).errors).toEqual([
      expect.stringMatching(/takes one of .*offramps/)
    ])
    expect((await operator("get", "offramps", "ofr_1")).code).toBe(2)
    expect((await merchant("get", "wallets", "wal_1", "--fields", "balanse")).errors[0]).toMatch(
      /--fields has "balanse"/
    )
    expect((await merchant("create", "wallets", "--set", "label:={")).errors[0]).toMatch(/^--set label:= is no JSON/)
    expect((await merchant("create", "wallets", "--set", "a=1", "--set", "a.b=1")).errors[0]).toMatch(
      /^--set a\.b: a part/
    )
    writeFileSync(join(folder, "list.json"), "[]")
    expect((await merchant("create", "wallets", "--body", "list.json")).errors).toEqual([
      "list.json has no JSON object."
    ])
  })

  it("takes no name for more than it is", async () => {
    const made = await merchant("create", "wallets", "--set", "currency=USDC", "--set", "__proto__.label=x", "--json")
    expect(made.code).not.toBe(3)
    expect(({} as { label?: string }).label).toBe(undefined)
  })
})
