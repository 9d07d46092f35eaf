/** Documents: made once, compressed ahead, and not sent again to who has them. */
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { request } from "node:http"
import { buffer } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { loadAssets } from "../../../src/http/console/assets.ts"
import { chooseCoding, memoize } from "../../../src/http/document.ts"
import { openApi, generateOpenApi } from "../../../src/http/openapi.ts"
import { type Api, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

/** `fetch` decompresses; this does not. */
const ask = (path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; headers: NodeJS.Dict<string | Array<string>>; bytes: Buffer }>((resolve, reject) => {
    request(`${api.base}${path}`, { headers }, (response) => {
      void buffer(response).then((bytes) => resolve({ status: response.statusCode!, headers: response.headers, bytes }))
    })
      .once("error", reject)
      .end()
  })

const { docs, script, style } = loadAssets()!
const paths = [
  "/openapi.json",
  "/docs",
  "/docs/guides/quickstart",
  "/docs/errors",
  "/docs/errors/conflict",
  "/docs/app.js",
  "/docs/style.css",
  "/docs/guides.json",
  "/verify/style.css",
  `/console/assets/${script}`,
  `/console/assets/${style}`,
  `/console/assets/${docs.script}`
]

describe("a document", () => {
  covers("HTTP-15")
  it.each(paths)("%s has a tag of each of its codings, and is not sent to who has it", async (path) => {
    const plain = await ask(path)
    expect([plain.status, plain.headers["content-encoding"], plain.headers.vary]).toEqual([
      200,
      undefined,
      "accept-encoding"
    ])
    const tags = new Set([plain.headers.etag])
    for (const [coding, unpack] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync]
    ] as const) {
      const packed = await ask(path, { "accept-encoding": coding })
      if (plain.bytes.length < 1024) expect(packed.headers["content-encoding"]).toBe(undefined)
      else {
        expect(packed.headers["content-encoding"]).toBe(coding)
        expect(packed.bytes.length).toBeLessThan(plain.bytes.length)
        expect(unpack(packed.bytes).equals(plain.bytes)).toBe(true)
        expect(tags.has(packed.headers.etag)).toBe(false)
      }
      tags.add(packed.headers.etag)
      for (const named of [packed.headers.etag, `"other", W/${packed.headers.etag}`, "*"]) {
        const again = await ask(path, { "accept-encoding": coding, "if-none-match": String(named) })
        expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, packed.headers.etag])
        expect(again.headers["cache-control"]).toBe(packed.headers["cache-control"])
      }
    }
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/)
    expect((await ask(path, { "if-none-match": '"other"' })).bytes.equals(plain.bytes)).toBe(true)
  })

  covers("HTTP-15")
  it.each([
    [undefined, "identity"],
    ["", "identity"],
    ["gzip", "gzip"],
    ["x-gzip", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["GZIP ; Q=0.3", "gzip"],
    ["*", "br"],
    ["*;q=0", "identity"],
    ["br;q=0, *", "gzip"],
    ["identity, gzip;q=0.5", "identity"],
    ["identity;q=0.2, gzip;q=0.5", "gzip"],
    ["deflate", "identity"],
    ["bro, gzipped", "identity"]
  ])("for Accept-Encoding: %s has the coding %s", (accepted, coding) => {
    expect(chooseCoding(accepted)).toBe(coding)
  })
})

it("the OpenAPI document is made in steps, and once for all who ask for it at the same time", async () => {
  const options = { base_url: "https://a", docs_url: "https://a/docs", environment: "test" } as const
  expect([...generateOpenApi(options)].length).toBeGreaterThan(20)
  expect(Object.keys(openApi(options)["paths"] as object).length).toBeGreaterThan(50)
  const answers = await Promise.all(Array.from({ length: 4 }, () => ask("/openapi.json")))
  expect(new Set(answers.map(({ bytes }) => bytes.toString())).size).toBe(1)
})

it.each([
  ["environment", { environment: "live" }],
  ["base_url", { base_url: "https://b" }],
  ["docs_url", { docs_url: "https://b/docs" }]
] as const)("servers of one process that differ in %s serve their own OpenAPI document", async (_, settings) => {
  const other = await startApi(settings)
  try {
    const [one, another] = await Promise.all(
      [api, other].map(async ({ base }) => (await fetch(`${base}/openapi.json`)).json())
    )
    const own = {
      base_url: "http://corridor.test",
      docs_url: "http://corridor.test/docs",
      environment: "test"
    } as const
    expect(one).toEqual(openApi(own))
    expect(another).toEqual(openApi({ ...own, ...settings }))
  } finally {
    await other.close()
  }
})

covers("HTTP-15")
it("what could not be made is made again for the next who asks, and what was made is kept", async () => {
  const once = memoize<number>(2)
  let made = 0
  const make = async (): Promise<number> => {
    made++
    await Promise.resolve()
    if (made === 1) throw new Error("out of memory")
    return made
  }
  const first = await Promise.allSettled([once("a", make), once("a", make)])
  expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected"])
  expect(await Promise.all([once("a", make), once("a", make)])).toEqual([2, 2])
  expect(await once("a", make)).toBe(2)
})
