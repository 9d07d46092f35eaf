/** The API inside other servers: one walk, and the transcript of the standalone server. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { getRequestListener } from "@hono/node-server"
import express from "express"
import fastify from "fastify"
import { Hono } from "hono"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../../src/adapters/clock/movable.ts"
import { simulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../../../src/adapters/storage/memory.ts"
import { httpWebhooks } from "../../../src/adapters/webhook/http.ts"
import { adapter, layerOf } from "../../../src/engine/ports/adapter.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { mount, type Mounted, mountServer, serve } from "../../../src/http/index.ts"
import { Corridor, type RunningCorridor, type SandboxOptions } from "../../../src/index.ts"
import { covers } from "../../support/repository/covers.ts"
import { callbackSecret, operatorToken, send, type Step, walk } from "../../support/http/walk.ts"

const running: Array<{ readonly close: () => unknown }> = []
afterAll(async () => {
  for (const one of running.splice(0).toReversed()) await one.close()
})

const baseUrl = "https://pay.example.com/corridor"

const start = async (over: Partial<SandboxOptions> = {}): Promise<RunningCorridor> => {
  const corridor = await Corridor.start({
    storage: memoryStorage(),
    provider: simulatedProvider({ mode: "manual", delay_ms: 0, callback_secret: callbackSecret }),
    webhooks: httpWebhooks(),
    cipher: aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] }),
    clock: movableClock(),
    baseUrl,
    docsUrl: `${baseUrl}/docs`,
    ...over
  })
  running.push(corridor)
  return corridor
}

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  running.push({ close: () => (server.closeAllConnections(), server.close()) })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server of Node over a handler of the web standard. */
const web = (handler: (request: Request) => Response | Promise<Response>): Server => {
  const listener = getRequestListener(handler)
  return createServer((request, response) => void listener(request, response))
}

/** Each server as its documentation mounts it: at the root, and under a path. */
const hosts: Readonly<Record<string, (api: Mounted) => Promise<string>>> = {
  "node:http": ({ listener }) => listening(createServer(listener)),
  "node:http, under a path": async ({ listener }) => `${await listening(createServer(listener))}/corridor`,
  "node:http with fetch": ({ fetch }) => listening(web(fetch)),
  Express: ({ listener }) => listening(createServer(express().use(listener))),
  "Express, under a path": async ({ listener }) => {
    const app = express().use("/corridor", listener).use(express.json())
    return `${await listening(createServer(app))}/corridor`
  },
  Fastify: async ({ listener }) => {
    const app = fastify()
    app.addHook("onRequest", async (request, reply) => {
      reply.hijack()
      listener(request.raw, reply.raw)
    })
    app.all("/*", async () => {})
    await app.ready()
    running.push(app)
    return app.listen({ port: 0 })
  },
  "Fastify, under a path": async ({ listener }) => {
    const app = fastify()
    await app.register(
      async (scope) => {
        scope.addHook("onRequest", async (request, reply) => {
          reply.hijack()
          listener(request.raw, reply.raw)
        })
        scope.all("/*", async () => {})
      },
      { prefix: "/corridor" }
    )
    running.push(app)
    return `${await app.listen({ port: 0 })}/corridor`
  },
  Hono: ({ fetch }) => {
    const app = new Hono().all("*", ({ req }) => fetch(req.raw))
    return listening(web(app.fetch))
  },
  "Hono, under a path": async ({ fetch }) => {
    const app = new Hono().all("/corridor/*", ({ req }) => fetch(req.raw))
    return `${await listening(web(app.fetch))}/corridor`
  }
}

describe("the walk", () => {
  let standalone: ReadonlyArray<Step>
  beforeAll(async () => {
    const server = await serve({
      port: 0,
      database: "memory:",
      operatorToken,
      baseUrl,
      sandbox: { mode: "manual", delayMs: 0, callbackSecret }
    })
    running.push(server)
    standalone = await walk(server.url)
  })

  it("reaches what it means to reach", () => {
    const seen = new Set(standalone.map(({ status }) => status))
    expect([...seen].toSorted()).toEqual([200, 400, 401, 403, 404, 409, 422])
    expect(standalone.length).toBeGreaterThan(80)
    expect(standalone.filter(({ headers }) => headers["idempotent-replayed"] === "true").length).toBe(2)
  })

  covers("SERVICE-20")
  it.each(Object.keys(hosts))("has the same transcript in %s", async (name) => {
    const base = await hosts[name]!(mount(await start(), { operatorToken }))
    const steps = await walk(base)
    steps.forEach((step, at) => expect(step).toEqual(standalone[at]))
    expect(steps.length).toBe(standalone.length)
  })
})

describe("the console's sessions", () => {
  covers("SESSION-1", "SESSION-6")
  it.each(Object.keys(hosts))("begin, call the API and end in %s", async (name) => {
    const base = await hosts[name]!(mount(await start(), { operatorToken }))
    const headers = { "content-type": "application/json", origin: "https://pay.example.com" }
    const signIn = await fetch(`${base}/console/session`, {
      method: "POST",
      headers,
      body: JSON.stringify({ token: operatorToken })
    })
    const cookie = signIn.headers.get("set-cookie")!
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/corridor\/console; Secure$/)
    const { csrf_token } = ((await signIn.json()) as any).data
    const session = { cookie: cookie.split(";")[0]!, "x-csrf-token": csrf_token }
    const create = (more: Record<string, string>) =>
      fetch(`${base}/console/api/operator/v1/merchants`, {
        method: "POST",
        headers: { ...headers, ...more },
        body: JSON.stringify({ name: "By hand", country_code: "KE" })
      })
    expect((await create(session)).status).toBe(200)
    expect((await create({ cookie: session.cookie })).status).toBe(403)
    expect((await fetch(`${base}/operator/v1/merchants`, { headers: session })).status).toBe(401)
    expect((await fetch(`${base}/console/session`, { method: "DELETE", headers: session })).status).toBe(204)
    expect((await create(session)).status).toBe(401)
  })

  it("are nowhere without the console", async () => {
    const { fetch: ask } = mount(await start(), { operatorToken, console: false })
    for (const path of ["/console", "/console/session", "/console/api/v1/me"])
      expect((await ask(new Request(`${baseUrl}${path}`))).status).toBe(404)
  })
})

describe("a mounted configuration", () => {
  covers("SERVICE-20")
  it("has the transcript of the server that has the same configuration, and ends", async () => {
    const definition = {
      database: "memory:",
      operatorToken,
      baseUrl,
      sandbox: { mode: "manual", delayMs: 0, callbackSecret }
    } as const
    const [server, mounted] = [await serve({ ...definition, port: 0 }), await mountServer(definition)]
    running.push(server, mounted)
    expect(mounted.apiKey).toMatch(/^sk_test_/)
    expect(await walk(await listening(createServer(mounted.listener)))).toEqual(await walk(server.url))
    await mounted.close()
    const after = await mounted.fetch(new Request("http://127.0.0.1/v1/me"))
    expect([after.status, after.headers.get("retry-after")]).toEqual([500, "1"])
  })

  it("is refused with all of its faults", async () => {
    const error = await mountServer({ port: -1, hots: "x" } as never).catch((why: unknown) => why)
    expect((error as Error).message.split("\n")).toHaveLength(2)
  })
})

describe("a mounted API", () => {
  const json = { "content-type": "application/json" }
  const prepared = async (over: Partial<SandboxOptions> = {}) => {
    const corridor = await start(over)
    const { api_key, merchant } = await corridor.merchants.create({ name: "A", country_code: "NG", status: "active" })
    const authorization = `Bearer ${api_key.secret}`
    return { corridor, api: mount(corridor), merchant, headers: { ...json, authorization }, key: api_key.secret }
  }
  const create = (headers: Record<string, string>, body = '{"currency":"USDC"}'): Request =>
    new Request(`${baseUrl}/v1/wallets`, { method: "POST", headers, body })

  covers("SERVICE-20")
  it("refuses a request whose body was read before, and does nothing for it", async () => {
    const { api, corridor, headers, key, merchant } = await prepared()
    const app = express().use(express.json()).use(api.listener)
    const read = await send(await listening(createServer(app)), "POST", "/v1/wallets", {
      key,
      json: { currency: "USDC" }
    })
    const request = create(headers)
    await request.text()
    const response = await api.fetch(request)
    for (const [status, text] of [
      [read.status, read.text],
      [response.status, await response.text()]
    ] as const) {
      expect([status, JSON.parse(text as string)]).toMatchObject([
        500,
        {
          code: "internal_error",
          message: expect.stringContaining("Mount Corridor before anything that reads bodies.")
        }
      ])
    }
    expect((await corridor.as(merchant.id).wallets.list()).total).toBe(0)
  })

  it("refuses the operator API without a token of its own", async () => {
    const { corridor, headers } = await prepared()
    const ask = (api: Mounted, token: string) =>
      api.fetch(
        new Request(`${baseUrl}/operator/v1/stuck`, { headers: { ...headers, authorization: `Bearer ${token}` } })
      )
    expect((await ask(mount(corridor), operatorToken)).status).toBe(401)
    expect((await ask(mount(corridor), "")).status).toBe(401)
    expect((await ask(mount(corridor, { operatorToken }), operatorToken)).status).toBe(200)
  })

  it("limits concurrent requests as its Corridor does, and counts nothing twice", async () => {
    const slow = adapter(
      "storage",
      Layer.effect(
        Storage,
        Effect.map(Storage, (storage) => ({
          ...storage,
          commit: (change) =>
            Effect.andThen(
              Effect.promise(() => new Promise(setImmediate)),
              storage.commit(change)
            )
        }))
      ).pipe(Layer.provide(layerOf("storage", memoryStorage())))
    )
    const { api, headers } = await prepared({ storage: slow, limits: { writes: 1, reads: 1 } })
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.fetch(create(headers))))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429, 429])
    expect(answers.find(({ status }) => status === 429)!.headers.get("retry-after")).toBe("1")
    expect((await api.fetch(create(headers))).status).toBe(200)
  })

  it("completes a write whose client has gone, and serves the others", async () => {
    const { api, corridor, headers, merchant } = await prepared()
    const away = new AbortController()
    const gone = new Request(create({ ...headers, "idempotency-key": "gone-client-1" }), { signal: away.signal })
    const asked = api.fetch(gone)
    away.abort()
    expect((await api.fetch(create(headers))).status).toBe(200)
    await Promise.race([asked, new Promise(setImmediate)])
    const again = await api.fetch(create({ ...headers, "idempotency-key": "gone-client-1" }))
    expect(again.status).toBe(200)
    expect((await corridor.as(merchant.id).wallets.list()).total).toBe(2)
  })

  it("refuses every request after its Corridor has closed, and finishes those before", async () => {
    const { api, corridor, headers } = await prepared()
    const before = api.fetch(create(headers))
    const closed = corridor.close()
    const after = await api.fetch(create(headers))
    expect([after.status, after.headers.get("retry-after")]).toEqual([500, "1"])
    expect(await after.json()).toMatchObject({ code: "internal_error", message: expect.stringContaining("stopping") })
    expect((await before).status).toBe(200)
    await closed
  })

  it("is made of what Corridor.start returns, and of nothing else", async () => {
    expect(() => mount({} as RunningCorridor)).toThrow(
      new TypeError("a Corridor is required, as Corridor.start makes it")
    )
  })

  covers("SANDBOX-22")
  it("without a clock that can be moved has no sandbox, and says so", async () => {
    const corridor = await Corridor.start({
      storage: memoryStorage(),
      provider: simulatedProvider({ mode: "manual" }),
      webhooks: httpWebhooks(),
      cipher: aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] })
    })
    running.push(corridor)
    const ask = async (path: string): Promise<{ readonly code: string; readonly message: string }> =>
      (await (await mount(corridor).fetch(new Request(`http://127.0.0.1${path}`, { method: "POST" }))).json()) as never
    expect(await ask("/sandbox/clock/advance")).toMatchObject({
      code: "not_found",
      message:
        "The route POST /sandbox/clock/advance does not exist. This service was started without a clock that can be moved (`movableClock()`), so it has no sandbox."
    })
    expect((await ask("/elsewhere")).message).toBe("The route POST /elsewhere does not exist.")
  })

  it.each([
    ["/v1/wallets/%ff", 404],
    ["/elsewhere/v1/me", 404],
    ["/corridor", 404],
    ["/corridor/v1/me", 200],
    ["/v1/me", 200],
    ["/corridorv1/me", 404],
    ["/corridor/corridor/v1/me", 404]
  ])("serves the root and the path of its base URL only: %s is %i", async (path, status) => {
    const { api, headers } = await prepared()
    const response = await api.fetch(new Request(`https://pay.example.com${path}`, { headers }))
    expect([response.status, ((await response.json()) as { meta: object }).meta]).toEqual([status, expect.any(Object)])
  })
})
