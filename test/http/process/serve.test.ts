/** The server as a function of this process. */
import { createServer } from "node:http"
import { afterEach, describe, expect, it } from "vitest"
import { ConfigError, type RunningServer, serve, StartError } from "../../../src/http/index.ts"
import { covers } from "../../support/repository/covers.ts"

const running: Array<RunningServer> = []
const started = async (...given: Parameters<typeof serve>): Promise<RunningServer> => {
  const server = await serve(...given)
  running.push(server)
  return server
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()))
})

const memory = { port: 0, database: "memory:" }
const apiKey = `sk_test_${"s".repeat(43)}`
const merchantOf = async (url: string, key: string): Promise<string> => {
  const response = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })
  return ((await response.json()) as { data: { merchant: { id: string } } }).data.merchant.id
}

describe("serve", () => {
  covers("SERVICE-19")
  it("starts a server and returns its URL, and a generated key and token", async () => {
    const { apiKey: key, operatorToken, url } = await started(memory)
    expect(await merchantOf(url, key!)).toMatch(/^mer_/)
    const stuck = await fetch(`${url}/operator/v1/stuck`, { headers: { authorization: `Bearer ${operatorToken}` } })
    expect(stuck.status).toBe(200)
  })

  it("takes secrets as they are, or by name from the given environment", async () => {
    const literal = await started({ ...memory, apiKey })
    expect([literal.apiKey, await merchantOf(literal.url, apiKey)]).toEqual([null, expect.stringMatching(/^mer_/)])
    const named = await started(({ secret }) => ({ ...memory, apiKey: secret("KEY") }), { KEY: apiKey })
    expect(named.apiKey).toBeNull()
  })

  it("runs several servers in one process, each with its own store", async () => {
    const [one, two] = await Promise.all([started({ ...memory, apiKey }), started({ ...memory, apiKey })])
    expect(one!.url).not.toBe(two!.url)
    expect(await merchantOf(one!.url, apiKey)).not.toBe(await merchantOf(two!.url, apiKey))
  })

  it("closes once, however often it is asked, and frees its address for the next", async () => {
    const first = await started({ ...memory, apiKey })
    await Promise.all([first.close(), first.close()])
    await expect(fetch(`${first.url}/health/live`)).rejects.toThrow()
    const port = Number(new URL(first.url).port)
    const second = await started({ ...memory, port, apiKey })
    expect(second.url).toBe(first.url)
    expect(await merchantOf(second.url, apiKey)).toMatch(/^mer_/)
  })

  it("finishes a request in progress before it closes", async () => {
    const { close, url } = await started({ ...memory, apiKey })
    const text = (part: string) => new TextEncoder().encode(part)
    let finish = (): void => {}
    const create = fetch(`${url}/v1/wallets`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: new ReadableStream({
        start: (body) => {
          body.enqueue(text('{"currency":'))
          finish = () => {
            body.enqueue(text('"USDC"}'))
            body.close()
          }
        }
      }),
      duplex: "half"
    } as RequestInit)
    await expect
      .poll(async () => (await fetch(`${url}/metrics`)).text())
      .toMatch(/^corridor_http_requests_running [1-9]/m)
    const closed = close()
    finish()
    expect((await create).status).toBe(200)
    await closed
  })

  it("rejects a configuration with all of its faults", async () => {
    const error = await serve({ port: -1, hots: "x" } as never).catch((why: unknown) => why)
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).faults).toEqual([
      "port is -1; it takes a port from 0 to 65535.",
      "`hots` is not a member of the configuration. Did you mean `host`?"
    ])
  })

  it("rejects an address in use in one line, and runs nothing then", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => taken.once("listening", resolve))
    const { port } = taken.address() as { port: number }
    const error = await serve({ ...memory, port }).catch((why: unknown) => why)
    expect(error).toBeInstanceOf(StartError)
    expect((error as StartError).message).toMatch(
      new RegExp(`^HOST:PORT 127\\.0\\.0\\.1:${port} is not available: [^\\n]+$`)
    )
    await new Promise((resolve) => taken.close(resolve))
    await started({ ...memory, port })
  })
})
