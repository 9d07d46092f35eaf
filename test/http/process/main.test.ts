import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { Agent, createServer, get } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { claimPort } from "../../../src/http/listeners.ts"
import { version } from "../../../src/version.ts"
import { corridor } from "../../support/cli/command-line.ts"
import { bare, main } from "../../support/cli/environment.ts"
import { type ServedHere, serveHere } from "../../support/http/served-here.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { fillDirectory } from "../../support/stores/pglite.ts"
import { covers } from "../../support/repository/covers.ts"

const children = new Set<ChildProcess>()
const here: Array<ServedHere> = []
const directories = new Set<string>()

afterEach(async () => {
  for (const child of children) child.kill("SIGKILL")
  await Promise.all(here.splice(0).map(({ stop }) => stop()))
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  children.clear()
  directories.clear()
})

/** A free port, and a store of its own. */
const alone = { PORT: "0", DATABASE_URL: "memory:" }

const start = (env: Record<string, string>) => {
  const child = spawn(process.execPath, [main], { env: { ...bare, ...alone, ...env } })
  children.add(child)
  let output = ""
  child.stdout.on("data", (chunk) => (output += String(chunk)))
  child.stderr.on("data", (chunk) => (output += String(chunk)))
  const exit = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)))
  const url = async (): Promise<string> => {
    await expect.poll(() => output).toMatch(/listens on (http:\S+)/)
    return /listens on (http:\S+)/.exec(output)![1]!
  }
  return { child, exit, url, output: () => output }
}

const startHere = async (env: Record<string, string>): Promise<ServedHere> => {
  const server = await serveHere({ CORRIDOR_API_KEY: undefined, CORRIDOR_OPERATOR_TOKEN: undefined, ...env })
  here.push(server)
  return server
}

describe("corridor serve", () => {
  covers("SERVICE-9", "SERVICE-3")
  it.each([
    [{ PORT: "http" }, /^PORT is "http"; it takes a port from 0 to 65535\.$/m],
    [
      { CORRIDOR_ENVIRONMENT: "live", CORRIDOR_ENCRYPTION_KEY: Buffer.alloc(32).toString("base64") },
      /^providers is not set; the live environment requires at least one provider adapter/m
    ],
    [
      { DATABASE_URL: "postgres://nobody:hunter2@127.0.0.1:1/none" },
      /^the store postgres:\/\/127\.0\.0\.1:1\/none \(DATABASE_URL\) cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1\. Start the database, or correct DATABASE_URL: corridor doctor checks it\.$/m
    ]
  ])("exits with 1 and prints one line for %j", async (env, line) => {
    const { code, errors, out } = await corridor(["serve"], { ...alone, ...(env as Record<string, string>) })
    expect([code, out]).toEqual([1, ""])
    expect(errors.join("\n")).toMatch(line)
    expect(errors.join("\n")).not.toContain("hunter2")
    expect(errors.join("\n")).not.toMatch(/^\s+at /m)
  })

  it("names the address that is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => taken.once("listening", resolve))
    const { port } = taken.address() as { port: number }
    const { code, errors } = await corridor(["serve"], { ...alone, PORT: String(port) })
    expect(code).toBe(1)
    expect(errors.join("\n")).toContain(`HOST:PORT 127.0.0.1:${port} is not available`)
    taken.close()
  })

  it("shares its address with no other process, and serves many concurrent connections", async () => {
    const probe = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => probe.once("listening", resolve))
    const { port } = probe.address() as { port: number }
    await new Promise((resolve) => probe.close(resolve))
    const all = Array.from({ length: 2 }, () => start({ PORT: String(port) }))
    const ends = await Promise.all(
      all.map(({ exit, url }) =>
        Promise.race([
          exit,
          url().then(
            () => "listens" as const,
            () => "silent" as const
          )
        ])
      )
    )
    expect(ends.toSorted()).toEqual([1, "listens"])
    const first = all[ends.indexOf("listens")]!
    for (const other of all) {
      if (other !== first) expect(other.output()).toContain(`HOST:PORT 127.0.0.1:${port} is not available`)
    }
    const url = await first.url()
    const agent = new Agent({ keepAlive: true })
    const answers = await Promise.all(
      Array.from(
        { length: 500 },
        () =>
          new Promise<number | undefined>((resolve, reject) =>
            get(`${url}/health/live`, { agent }, (response) => resolve(response.resume().statusCode)).once(
              "error",
              reject
            )
          )
      )
    )
    expect(answers).toEqual(answers.map(() => 200))
    first.child.kill("SIGINT")
    // Nobody waits for connections that are kept alive.
    expect(await first.exit).toBe(0)
    agent.destroy()
  })

  covers("SERVICE-14")
  it("exits with 1 and one line if another process uses the directory", async () => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "corridor-")))
    directories.add(directory)
    await fillDirectory(directory)
    const first = start({ DATABASE_URL: `pglite:${directory}` })
    await first.url()
    const store = { DATABASE_URL: `pglite:${directory}/../${basename(directory)}` }
    expect(await corridor(["serve"], { ...alone, ...store })).toEqual({
      code: 1,
      out: "",
      errors: [
        expect.stringMatching(
          new RegExp(
            `^the store pglite:\\S+ \\(DATABASE_URL\\) cannot be used: the directory ${directory} is in use by process ${first.child.pid} \\(main\\.[jt]s\\) on \\S+, since \\S+Z$`
          )
        )
      ]
    })
    first.child.kill("SIGKILL")
    await first.exit
    const next = await startHere(store)
    expect((await fetch(`${next.url}/health/ready`)).status).toBe(200)
  })

  covers("SERVICE-1", "SERVICE-2", "SERVICE-4", "SERVICE-5")
  it("prints a generated key and token once, keeps the data over a restart, and accepts a configured key", async () => {
    const directory = mkdtempSync(join(tmpdir(), "corridor-"))
    directories.add(directory)
    await fillDirectory(join(directory, "data"))
    const database = { DATABASE_URL: `pglite:${join(directory, "data")}` }
    const first = start(database)
    const url = await first.url()
    await expect.poll(first.output).toMatch(/Operator token, shown this once: op_\S{43}/)
    const key = /API key, shown this once: (sk_test_\S{43})/.exec(first.output())![1]!
    const ask = (base: string, secret: string) =>
      fetch(`${base}/v1/me`, { headers: { authorization: `Bearer ${secret}` } })
    expect((await ask(url, key)).status).toBe(200)
    first.child.kill("SIGTERM")
    expect(await first.exit).toBe(0)

    const configured = `sk_test_${"c".repeat(43)}`
    const second = await startHere({ ...database, CORRIDOR_API_KEY: configured })
    expect((await ask(second.url, key)).status).toBe(200)
    expect((await ask(second.url, configured)).status).toBe(200)
    expect(second.output()).not.toMatch(/shown this once/)
  })

  covers("SERVICE-8")
  it("rejects an encryption key other than that of the store, and rotates secrets to a new key", async () => {
    const [older, newer] = [1, 2].map((n) => Buffer.alloc(32, n).toString("base64")) as [string, string]
    const key = `sk_test_${"r".repeat(43)}`
    const env = { DATABASE_URL: await freshDatabase(), CORRIDOR_API_KEY: key }
    const first = await startHere({ ...env, CORRIDOR_ENCRYPTION_KEY: older })
    const created = await fetch(`${first.url}/v1/notifications/webhooks`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": "first-endpoint"
      },
      body: '{"url":"https://example.com/hook"}'
    })
    expect(created.status).toBe(200)
    await first.stop()

    const run = async (keys: string | undefined, ...args: ReadonlyArray<string>) => {
      const given = keys === undefined ? {} : { CORRIDOR_ENCRYPTION_KEY: keys }
      const { code, errors, out } = await corridor(args, { ...alone, ...env, ...given })
      return [code, out + errors.join("\n")]
    }
    const refusal =
      /^the store postgres:\S+ \(DATABASE_URL\) was written under the encryption key 72cd6e84, which CORRIDOR_ENCRYPTION_KEY does not contain\. [^\n]+$/
    for (const keys of [newer, undefined]) expect(await run(keys, "serve")).toEqual([1, expect.stringMatching(refusal)])
    const both = `${newer},${older}`
    expect(await run(both, "keys", "status")).toEqual([
      0,
      "75877bb4 (current): nothing yet; put it first only when every running server has it, at any place\n72cd6e84 (old): 1 webhook endpoint, 1 stored response\n"
    ])
    expect(await run(newer, "keys", "rotate")).toEqual([1, expect.stringMatching(refusal)])
    expect(await run(both, "keys", "rotate")).toEqual([
      0,
      "2 secrets encrypted again\n75877bb4 (current): 1 webhook endpoint, 1 stored response\n" +
        "72cd6e84 (old): nothing; it can be removed from CORRIDOR_ENCRYPTION_KEY\n"
    ])
    expect((await run(newer, "keys", "turn"))[0]).toBe(2)
    const rotated = await startHere({ ...env, CORRIDOR_ENCRYPTION_KEY: newer })
    expect((await fetch(`${rotated.url}/health/ready`)).status).toBe(200)
  })

  covers("SERVICE-8")
  it("a changed CORRIDOR_API_KEY revokes the one it replaces, on every node, and no other", async () => {
    const env = { DATABASE_URL: await freshDatabase(), CORRIDOR_RATE_LIMIT_PER_SECOND: "0" }
    const [before, after] = [`sk_test_${"b".repeat(43)}`, `sk_test_${"a".repeat(43)}`]
    const ask = async (url: string, secret: string, path = "/v1/me", body?: string) =>
      fetch(url + path, {
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { method: "POST", body })
      })
    const status = async (url: string, secret: string) => (await ask(url, secret)).status
    const { url: node } = await startHere({ ...env, CORRIDOR_API_KEY: before })
    const other = ((await (await ask(node, before, "/v1/api-keys", '{"role":"admin"}')).json()) as any).data.secret
    expect([await status(node, before), await status(node, other)]).toEqual([200, 200])

    const { url: next } = await startHere({ ...env, CORRIDOR_API_KEY: after })
    expect([await status(next, before), await status(next, after), await status(next, other)]).toEqual([401, 200, 200])
    await expect.poll(() => status(node, before)).toBe(401)
    expect([await status(node, after), await status(node, other)]).toEqual([200, 200])

    // A node that has not heard of the change yet, and one without a key of its own: neither brings the old one back.
    for (const late of [{ CORRIDOR_API_KEY: before }, {}]) {
      const { url } = await startHere({ ...env, ...late })
      expect([await status(url, before), await status(url, after), await status(url, other)]).toEqual([401, 200, 200])
    }
  })

  covers("SERVICE-10")
  it("finishes the running request on SIGTERM, accepts no others, and exits with 0", async () => {
    const key = `sk_test_${"d".repeat(43)}`
    const { child, exit, url } = start({ CORRIDOR_API_KEY: key })
    const { port } = new URL(await url())
    const idle = connect(Number(port), "127.0.0.1")
    const socket = connect(Number(port), "127.0.0.1")
    const body = '{"currency":"USDC"}'
    let received = ""
    socket.on("data", (chunk) => (received += String(chunk)))
    const closed = new Promise((resolve) => socket.once("close", resolve))
    socket.write(
      `POST /v1/wallets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n${body.slice(0, 5)}`
    )
    // The server has the request.
    await expect.poll(() => received).toContain("100 Continue")
    child.kill("SIGTERM")
    await expect
      .poll(
        () =>
          new Promise((resolve) =>
            connect(Number(port), "127.0.0.1")
              .once("error", () => resolve("refused"))
              .once("connect", () => resolve("taken"))
          )
      )
      .toBe("refused")
    socket.write(body.slice(5))
    await closed
    expect(received).toContain("HTTP/1.1 200 OK")
    expect(received).toContain('"code":"ok"')
    const ended = Date.now()
    expect(await exit).toBe(0)
    // The idle connection is not waited for.
    expect(Date.now() - ended).toBeLessThan(4000)
    idle.destroy()
  })

  covers("LIMIT-3")
  it("rejects requests above CORRIDOR_MAX_WRITES at the socket, in the envelope, and accepts them afterwards", async () => {
    const key = `sk_test_${"e".repeat(43)}`
    const { url: base } = await startHere({
      CORRIDOR_API_KEY: key,
      CORRIDOR_MAX_WRITES: "1",
      DATABASE_URL: await freshDatabase()
    })
    const body = '{"currency":"USDC"}'
    const create = (idempotency: Record<string, string>) =>
      fetch(`${base}/v1/wallets`, {
        method: "POST",
        body,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "x-request-id": "req_mine",
          ...idempotency
        }
      })
    const asked = { headers: { authorization: `Bearer ${key}` } }
    const [created, read] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, (_, n) => create({ "idempotency-key": `main-overload-${n}` }))),
      Promise.all(["/v1/me", "/health/ready", "/metrics"].map((path) => fetch(base + path, asked)))
    ])
    expect(read.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(created.map(({ status }) => status))).toEqual(new Set([200, 429]))
    const at = created.findIndex(({ status }) => status === 429)
    const refused = created[at]!
    expect([refused.headers.get("retry-after"), refused.headers.get("x-request-id")]).toEqual(["1", "req_mine"])
    expect(await refused.json()).toMatchObject({
      status: false,
      code: "rate_limited",
      data: null,
      meta: { request_id: "req_mine", version: "1", next_steps: { docs_url: `${base}/docs/errors/rate_limited` } }
    })
    const taken = await create({ "idempotency-key": `main-overload-${at}` })
    expect([taken.status, taken.headers.get("idempotent-replayed")]).toEqual([200, null])
  })
})

it.runIf(process.platform === "linux")(
  "a port that is claimed is nobody else's, whether or not anyone listens, until it is released",
  async () => {
    const host = "127.0.0.1"
    const claim = (port: number) => claimPort({ host, port })
    const claimed = Effect.gen(function* () {
      const port = yield* claim(0)
      return { port, refusal: yield* Effect.flip(claim(port)) }
    })
    const { port, refusal } = await Effect.runPromise(Effect.scoped(claimed))
    expect(refusal).toMatchObject({ _tag: "ServeError", cause: { code: "EADDRINUSE" } })
    expect(await Effect.runPromise(Effect.scoped(claim(port)))).toBe(port)
  }
)

it("names the version of the package", () => {
  const { version: packaged } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    version: string
  }
  expect(version).toBe(packaged)
})
