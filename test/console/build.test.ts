/** The built console: its size, what it is made of, and how the server serves it. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Built, buildConsole, firstScripts } from "../../scripts/console.ts"
import { loadAssets } from "../../src/http/console/assets.ts"
import { makeConsolePageRoutes } from "../../src/http/console/routes.ts"
import type { Responses } from "../../src/http/responses.ts"
import { type Api, startApi } from "../support/http/server.ts"
import { bundledPackages } from "../support/repository/peers.ts"
import { sources } from "../support/repository/source.ts"
import { covers } from "../support/repository/covers.ts"

const folder = mkdtempSync(join(tmpdir(), "corridor-console-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let built: Built
beforeAll(async () => {
  built = await buildConsole(folder)
})
const sizeOf = (names: ReadonlyArray<string>): number =>
  names.reduce((sum, name) => sum + gzipSync(content(name)).length, 0)
/** Whether the file has the texts of a language. */
const isCatalogue = (name: string): boolean => /^fr-\w+\.js$/.test(name)
const content = (name: string): Buffer => readFileSync(join(folder, name))

describe("the build of the console", () => {
  covers("CONSOLE-2")
  it("has at most 60 kB of script with gzip", () => {
    const first = firstScripts(built.script, (name) => content(name).toString())
    const size = sizeOf(first)
    console.log(`The console's script: ${size} bytes with gzip.`)
    expect(size).toBeLessThanOrEqual(60_000)
    expect(size).toBeGreaterThan(10_000)
  })

  covers("CONSOLE-2")
  it("has at most 30 kB more of script for the pages that are loaded when they are shown", () => {
    const textOf = (name: string): string => content(name).toString()
    const [first, docs] = [firstScripts(built.script, textOf), firstScripts(built.docs.script, textOf)]
    const scripts = built.files.filter((name) => name.endsWith(".js") && ![...first, ...docs].includes(name))
    const later = scripts.filter((name) => !isCatalogue(name))
    const size = sizeOf(later)
    console.log(`The console's pages that are loaded later: ${size} bytes with gzip.`)
    expect(later.length).toBeGreaterThan(0)
    expect(size).toBeLessThanOrEqual(30_000)
    expect(docs).toEqual([built.docs.script])
  })

  covers("CONSOLE-2", "CONSOLE-28")
  it("has the texts of another language in a file of their own, which nobody loads who reads English", () => {
    const catalogues = built.files.filter(isCatalogue)
    expect(catalogues.length).toBe(1)
    const scripts = built.files.filter((name) => name.endsWith(".js"))
    expect(scripts.filter((name) => content(name).toString().includes("Se déconnecter"))).toEqual(catalogues)
    // It is named where it may be asked for, and nowhere among what is loaded first.
    const first = firstScripts(built.script, (name) => content(name).toString())
    expect(first).not.toContain(catalogues[0])
    expect(first.filter((name) => content(name).toString().includes(catalogues[0]!)).length).toBe(1)
    expect(content(built.docs.script).toString().includes(catalogues[0]!)).toBe(false)
  })

  it("has at most 21 kB of script with gzip for the documentation", () => {
    const size = gzipSync(content(built.docs.script)).length
    console.log(`The documentation's script: ${size} bytes with gzip.`)
    expect(size).toBeLessThanOrEqual(21_000)
    expect(size).toBeGreaterThan(10_000)
  })

  it("draws every state and edge of each loadable version of each machine", async () => {
    const { Offramp } = await import("../../src/machines/movements/offramp.ts")
    expect([...Offramp.machines.keys()].toSorted()).toContain("1")
    for (const [version, machine] of Offramp.machines) {
      const svg = content(built.files.find((name) => name.endsWith(`/offramp.${version}.svg`))!).toString()
      const states = [...svg.matchAll(/data-state="(\w+)"/g)].map(([, state]) => state)
      expect(states.toSorted()).toEqual(Object.keys(machine.states).toSorted())
      expect(svg).toContain(`data-edge="created&gt;submitting"`)
      expect(svg).toContain(`data-edge="success&gt;returned"`)
      expect(svg).not.toMatch(/\sstyle=|<style|<script|NaN|undefined/)
    }
  })

  covers("CONSOLE-2")
  it("is the same for the same sources, and refers to nothing outside", async () => {
    expect(await buildConsole(folder)).toEqual(built)
    const files = built.files.filter((name) => /\.(?:js|css)$/.test(name))
    expect(files.length).toBeGreaterThan(4)
    const urls = files.flatMap((name) => [
      ...content(name)
        .toString()
        .matchAll(/https?:\/\/[^\s"'`)\\]+/g)
    ])
    // Namespaces, and the text of an error of the router: nothing loads them.
    const known = /^https?:\/\/(?:www\.w3\.org\/|github\.com\/preactjs\/preact-iso#)/
    expect(urls.map(([url]) => url).filter((url) => !known.test(url))).toEqual([])
    expect(content(built.style).toString()).not.toContain("@import")
  })

  it("knows itself and the packages that it is bundled with; nothing of the engine imports it", () => {
    const all = sources("src")
    const isConsole = (path: string): boolean => path.startsWith("src/console/")
    // The documentation has the examples of the OpenAPI document and the names of the client's methods, and what the API returns
    // has the client's types: a change of the API that the console does not know is an error of its compile.
    const shared = [
      "src/http/docs/example.ts",
      ...["operations", "resources"].map((name) => `src/client/generated/${name}.ts`)
    ]
    const bundled = new Set([...bundledPackages, "preact/hooks", ...shared])
    const breaches = all.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => (isConsole(path) ? !isConsole(imported) && !bundled.has(imported) : isConsole(imported)))
        .map((imported) => `${path} imports ${imported}`)
    )
    expect(breaches).toEqual([])
    expect(all.filter(({ path }) => isConsole(path)).length).toBeGreaterThan(15)
  })
})

describe("the console's routes", () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api?.close())
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(api.base + path, { headers, redirect: "manual" })

  covers("CONSOLE-1")
  it.each([
    ["/console", "console/assets/"],
    ["/console/", "assets/"],
    ["/console/movements", "assets/"],
    ["/console/resources/ofr_1", "../assets/"],
    ["/console/resources/a%2Fb?page=2", "../assets/"],
    ["/console/a/b/c", "../../assets/"]
  ])("serves the page at %s, with files at %s", async (path, assets) => {
    const response = await get(path)
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
    const csp = response.headers.get("content-security-policy") ?? ""
    expect(csp).toContain("default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'")
    expect(csp).toContain("frame-ancestors 'none'")
    expect(csp).not.toContain("unsafe")
    expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = ""]) => url)
    for (const name of links.filter((link) => !link.startsWith("data:"))) {
      expect(name.startsWith(assets)).toBe(true)
      const file = await fetch(new URL(name, api.base + path))
      expect([name, file.status]).toEqual([name, 200])
    }
    expect(html).not.toMatch(/<style|style=|<script(?! type="module" src=)| on\w+=/)
  })

  it("serves files for ever, compressed where asked, and only those of the build", async () => {
    const { script } = loadAssets()!
    const response = await get(`/console/assets/${script}`, { "accept-encoding": "gzip" })
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    expect(response.headers.get("content-encoding")).toBe("gzip")
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    const text = await response.text()
    const plain = await get(`/console/assets/${script}`, { "accept-encoding": "identity" })
    expect(plain.headers.get("content-encoding")).toBe(null)
    expect(await plain.text()).toBe(text)
    for (const name of ["manifest.json", "..%2Fmanifest.json", "console-000000000000.js", ""])
      expect([name, (await get(`/console/assets/${name}`)).status]).toEqual([name, 404])
  })

  covers("CONSOLE-1")
  it("says in one line what to do where the console is not built", async () => {
    expect(loadAssets([join(folder, "nowhere")])).toBe(undefined)
    const unknownRoute = Effect.succeed(HttpServerResponse.empty({ status: 404 }))
    const [show] = makeConsolePageRoutes({ unknownRoute } as unknown as Responses, () => undefined)
    const response = await Effect.runPromise(
      Effect.provideService(
        show!.handler as Effect.Effect<
          HttpServerResponse.HttpServerResponse,
          never,
          HttpServerRequest.HttpServerRequest
        >,
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromWeb(new Request("http://corridor.test/console/movements"))
      )
    )
    const web = HttpServerResponse.toWeb(response)
    expect(web.status).toBe(503)
    expect(await web.text()).toMatch(/^The console is not built\. Run `npm run console`[^\n]*\n$/)
  })

  it("leaves the session, the API and missing files to themselves", async () => {
    for (const path of ["/console/api/v1/nothing", "/console/api", "/console/assets/none.js"]) {
      const response = await get(path)
      expect([path, response.headers.get("content-type")]).toEqual([path, "application/json"])
      expect(response.status).toBeGreaterThanOrEqual(400)
    }
  })
})
