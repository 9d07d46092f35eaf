/** Every method of the clients against a server, and the generated files against the document. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { clientFiles } from "../../scripts/client.ts"
import {
  type Corridor,
  CorridorError,
  type CorridorOperator,
  createClient,
  createOperatorClient,
  type Fetch,
  responseOf,
  versionOf
} from "../../src/client/index.ts"
import { type AnyOperation, isOperation, type Table, hasInput } from "../../src/engine/calls/operation.ts"
import { entries, tables } from "../../src/engine/operations.ts"
import { operatorToken } from "../support/http/server.ts"
import { type Stock, startStocked } from "../support/http/stocked-server.ts"
import { catalogue } from "../support/http/successful-requests.ts"
import { covers } from "../support/repository/covers.ts"

let s: Stock
let corridor: Corridor
let operator: CorridorOperator
let sent: Array<{ readonly method: string; readonly path: string; readonly body: unknown }> = []
let breaches: ReadonlyArray<string> = []

/** Records each request, and holds its response against the document. */
const watched: Fetch = async (url, init) => {
  const path = url.slice(s.api.base.length)
  const { method } = init
  sent.push({
    method,
    path: decodeURIComponent(path),
    body: typeof init.body === "string" ? JSON.parse(init.body) : init.body
  })
  const response = await fetch(url, init)
  const text = await response.text()
  const { headers, status } = response
  breaches = [...breaches, ...s.api.contract.breaches({ method, path, status, headers, json: JSON.parse(text) })]
  return { status, headers, text: () => Promise.resolve(text) }
}

beforeAll(async () => {
  s = await startStocked()
  corridor = createClient({ baseUrl: s.api.base, apiKey: s.api.key, fetch: watched })
  operator = createOperatorClient({ baseUrl: s.api.base, token: operatorToken, fetch: watched })
})
afterAll(() => s.api.close())

/** The method of each operation, by the operation's id: where it stands in a client. */
const placesIn = (
  table: Table,
  under: ReadonlyArray<string>
): ReadonlyArray<readonly [string, ReadonlyArray<string>]> =>
  Object.entries(table).flatMap(([name, entry]) =>
    isOperation(entry) ? [[entry.id, [...under, name]] as const] : placesIn(entry, [...under, name])
  )
const places = new Map<string, ReadonlyArray<string>>([
  ...placesIn(tables.merchant, []),
  ...placesIn(tables.sandbox, ["sandbox"]),
  ...placesIn(tables.clock, ["sandbox"]),
  ...placesIn(tables.merchants, ["merchants"]),
  ...placesIn(tables.operator, [])
])

type Method = (...args: ReadonlyArray<unknown>) => PromiseLike<any>
/** `key`: of a request that another person makes. */
const methodOf = ({ area, id }: AnyOperation, key?: string): Method => {
  const options = { baseUrl: s.api.base, fetch: watched }
  const client =
    area === "operator"
      ? key === undefined
        ? operator
        : createOperatorClient({ ...options, token: key })
      : key === undefined
        ? corridor
        : createClient({ ...options, apiKey: key })
  return places.get(id)!.reduce<any>((at, name) => at[name], client)
}

/** The arguments of a method, from a request. */
const argsOf = (operation: AnyOperation, path: string, body: unknown, raw?: unknown): ReadonlyArray<unknown> => {
  const [plain = "", query = ""] = path.split("?")
  const ids = new RegExp(`^${operation.path.replace(/:\w+/g, "([^/]+)")}$`).exec(plain)!.slice(1)
  if (!hasInput(operation)) return ids
  const parameters = Object.fromEntries(new URLSearchParams(query))
  if (operation.fileMax !== undefined) return [...ids, { ...parameters, file: raw }]
  return [...ids, operation.method === "GET" ? parameters : body]
}

describe("the methods of the clients", () => {
  covers("CLIENT-6")
  it.each(entries.map(({ operation }) => [operation.id, operation] as const))("call %s", async (id, operation) => {
    const { body, key, path, raw } = await catalogue[id]!(s)
    const call = methodOf(operation, key === operatorToken ? undefined : (key ?? undefined))
    ;[sent, breaches] = [[], []]
    const found = await call(...argsOf(operation, path, body, raw))
    expect(breaches).toEqual([])
    const isEmpty = operation.method === "POST" || (operation.method === "DELETE" && hasInput(operation))
    const wanted = operation.implied ?? body ?? raw ?? (isEmpty ? {} : undefined)
    expect(sent).toEqual([{ method: operation.method, path: decodeURIComponent(path), body: wanted }])
    expect(responseOf(found as object).requestId).toMatch(/^req_/)
    if (operation.list) expect(found).toMatchObject({ page: 1, has_more: expect.any(Boolean) })
    else expect(typeof found).toBe("object")
  })

  covers("CLIENT-4")
  it.each(entries.filter(({ operation }) => operation.list).map(({ operation }) => [operation.id, operation] as const))(
    "iterate %s by twos as in one page",
    async (id, operation) => {
      const { body, path } = await catalogue[id]!(s)
      const args = argsOf(operation, path, body)
      const query = args.at(-1) as object
      const list = (more: object) => methodOf(operation)(...args.slice(0, -1), { ...query, ...more }) as any
      const whole = await list({ per_page: 200 })
      const found: Array<unknown> = []
      for await (const item of list({ per_page: 2 })) found.push(item)
      expect(found).toEqual(whole.items)
    }
  )

  it("are those of the embedded engine, and no others but the client's own", () => {
    const namesOf = (object: object, under = ""): ReadonlyArray<string> =>
      Object.entries(object).flatMap(([name, entry]) =>
        typeof entry === "function" ? [under + name] : namesOf(entry as object, `${under}${name}.`)
      )
    const own = new Set(["request", "webhooks.verify"])
    const made = [...namesOf(corridor), ...namesOf(operator)].filter((name) => !own.has(name))
    expect(made.toSorted()).toEqual([...places.values()].map((at) => at.join(".")).toSorted())
  })

  it("repeat a key with the first result, change one version, and send what is newer than they are", async () => {
    const input = { currency: "USDC", label: "again" } as const
    const wallet = await corridor.wallets.create(input, { idempotencyKey: "wallet-of-client" })
    const again = await corridor.wallets.create(input, { idempotencyKey: "wallet-of-client" })
    expect([again.id, responseOf(again).isReplayed]).toEqual([wallet.id, true])

    const read = await corridor.wallets.get(wallet.id)
    await corridor.wallets.update(wallet.id, { label: "first" }, { ifMatch: versionOf(read) })
    const late = corridor.wallets.update(wallet.id, { label: "second" }, { ifMatch: versionOf(read) })
    await expect(late).rejects.toMatchObject({ code: "conflict", status: 409, outcome: "none" })

    const lenient = await corridor.wallets.create({ currency: "USDC", lable: "x" } as { currency: string })
    expect(responseOf(lenient).warnings).toMatchObject([{ field: "lable" }])
    const strict = corridor.wallets.create({ currency: "USDC", lable: "x" } as { currency: string }, { strict: true })
    await expect(strict).rejects.toMatchObject({ code: "bad_request", errors: [{ field: "lable" }] })
    await expect(strict).rejects.toBeInstanceOf(CorridorError)

    const found = await corridor.request("GET", "/v1/wallets", { per_page: 1 })
    expect(found).toHaveLength(1)
    expect(await corridor.request("POST", "/v1/wallets", { currency: "USDC" })).toMatchObject({ currency: "USDC" })
    expect(sent.at(-1)).toMatchObject({ method: "POST", path: "/v1/wallets" })
  })
})

covers("CLIENT-6")
it.each([...clientFiles()].map(([path, text]) => [path.split("/").at(-1), path, text] as const))(
  "generated/%s is what the document and the registry make of it",
  (_, path, text) => {
    expect(readFileSync(path, "utf8") === text, "run npm run openapi").toBe(true)
  }
)
