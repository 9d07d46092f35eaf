/** The command line of the conformance kit: arguments, exit codes, and servers that are no connector. */
import { createServer, type RequestListener } from "node:http"
import { createServer as createTcpServer, type Server, type Socket } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { main } from "../support/cli/environment.ts"
import { check, freePorts } from "../support/connectors/conformance.ts"
import { connectorSecret } from "../support/connectors/launcher.ts"
import { startFile } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"

const servers: Array<Server> = []
const sockets = new Set<Socket>()

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))))
})

const listening = (server: Server): Promise<string> => {
  servers.push(server)
  server.on("connection", (socket: Socket) => sockets.add(socket))
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number }
      resolve(`http://127.0.0.1:${port}`)
    })
  })
}

const answering = (listener: RequestListener): Promise<string> => listening(createServer(listener))
const at = (url: string, ...more: ReadonlyArray<string>) => check(["--url", url, "--secret", connectorSecret, ...more])

describe("a server that is no connector ends the run with 3, and one line that says why", () => {
  it.each<readonly [string, () => Promise<string>, RegExp]>([
    ["nothing listens", async () => `http://127.0.0.1:${(await freePorts(1))[0]}`, /the connection was refused/],
    [
      "a page of HTML",
      () => answering((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html><p>Bank")),
      /is no connector: GET \/manifest has HTTP status 200 and "<!doctype html><p>Bank"/
    ],
    ["another secret", () => answering((_, response) => response.writeHead(401).end()), /refused with HTTP status 401/],
    ["an error", () => answering((_, response) => response.writeHead(502).end("Bad Gateway")), /HTTP status 502/],
    ["silence", () => listening(createTcpServer()), /no answer within 1000 ms/],
    ["a closed connection", () => listening(createTcpServer((socket) => socket.end())), /closed before an answer/],
    [
      "an answer that never ends",
      () =>
        answering((_, response) => {
          response.writeHead(200)
          const timer = setInterval(() => response.write(" "), 20)
          response.once("close", () => clearInterval(timer))
        }),
      /no answer within 1000 ms/
    ]
  ])("%s", async (_, start, reason) => {
    const began = Date.now()
    const { code, errors, out } = await at(await start(), "--timeout", "1")
    expect(code).toBe(3)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(reason)
    expect(errors[0]).not.toContain(connectorSecret)
    expect(out).toBe("")
    expect(Date.now() - began).toBeLessThan(20_000)
  })

  it("a command of --start that ends, with what it wrote", async () => {
    const [port] = await freePorts(1)
    const { code, errors } = await at(`http://127.0.0.1:${port}`, "--start", "echo no database >&2; exit 7")
    expect([code, errors]).toEqual([
      3,
      [`http://127.0.0.1:${port}/: the command of --start ended with 7: no database.`]
    ])
  })

  it("an address of --callback-listen that is taken", async () => {
    const url = await answering((_, response) => response.end())
    const { code, errors } = await at(url, "--callback-listen", new URL(url).host)
    expect(code).toBe(3)
    expect(errors[0]).toMatch(/^http.*: --callback-listen 127\.0\.0\.1:\d+ cannot be listened on: .*EADDRINUSE/)
  })
})

describe("bad arguments end the run with 2, one line for each fault", () => {
  covers("CONFORMANCE-4")
  const url = ["--url", "http://127.0.0.1:1"]
  const secret = ["--secret", connectorSecret]
  it.each<readonly [ReadonlyArray<string>, ReadonlyArray<string>]>([
    [[], ["--url is required.", "--secret or --secret-env is required."]],
    [["--url", "bank", ...secret], ['--url takes an http or https URL without a query; found "bank".']],
    [
      ["--url", "ftp://bank", "--secret", "abc"],
      [
        '--url takes an http or https URL without a query; found "ftp://bank".',
        "--secret: the secret must be whsec_ followed by base64."
      ]
    ],
    [[...url, "--secret"], ["--secret takes whsec_…; found nothing."]],
    [[...url, ...secret, "--faster"], ['"--faster" is no option of check-provider.']],
    [[...url, ...secret, "now"], ['"now" is no option of check-provider.']],
    [[...url, ...secret, "--seed", "--json"], ["--seed takes TEXT; found nothing."]],
    [[...url, ...secret, "--json=yes"], ['--json takes no value; found "yes".']],
    [[...url, ...secret, ...url], ["--url is given twice."]],
    [
      [...url, ...secret, "--only", "payouts,payouts/never"],
      ['--only takes a case or an area, which --list shows; found "payouts/never".']
    ],
    [
      [...url, ...secret, "--max-amount", "-5", "--currency", "naira"],
      [
        '--max-amount takes a positive decimal such as 100.00; found "-5".',
        '--currency takes a code such as NGN; found "naira".'
      ]
    ],
    [
      [...url, ...secret, "--timeout", "0", "--watch", "1e3"],
      [
        '--timeout takes a whole number from 1 to 600; found "0".',
        '--watch takes a whole number from 10 to 600000; found "1e3".'
      ]
    ],
    [
      [...url, ...secret, "--account", "0690000031"],
      ['--account takes member=value pairs, separated by commas; found "0690000031".']
    ],
    [
      [...url, ...secret, "--rejected-account", "iban=1"],
      [
        '--rejected-account takes country_code, network, account_number, account_name, bank_code, provider_id, rail, address, memo; found "iban".'
      ]
    ],
    [[...url, ...secret, "--start", "a", "--restart", "b"], ["--start and --restart exclude each other."]],
    [
      [...url, ...secret, "--kill-pid", "0"],
      ['--kill-pid takes a process id; found "0".', "--kill-pid needs --start: the kit starts what it kills."]
    ],
    [
      [...url, ...secret, "--callback-listen", "9000", "--callbacks", "on"],
      ['--callbacks takes off; found "on".', '--callback-listen takes HOST:PORT; found "9000".']
    ],
    [[...url, "--secret-env", "NOT_SET"], ['--secret-env names "NOT_SET", which is not set.']]
  ])("%j", async (args, faults) => {
    const { code, errors, out } = await check(args)
    expect(errors).toEqual(faults)
    expect(code).toBe(2)
    expect(out).toBe("")
  })

  it("a secret from the environment is taken, and in no message when it is wrong", async () => {
    const [port] = await freePorts(1)
    const args = ["--url", `http://127.0.0.1:${port}`, "--secret-env", "BANK"]
    expect((await check(args, { BANK: connectorSecret })).code).toBe(3)
    const wrong = await check(args, { BANK: "whsec_c2hvcnQ=" })
    expect(wrong).toMatchObject({ code: 2, errors: ["--secret-env: the secret has 5 bytes; it takes 24 to 64."] })
  })
})

describe("the corridor command", () => {
  it("has check-provider, with its exit codes and a line for each fault", async () => {
    const bad = startFile(main, {}, ["check-provider", "--seed", "1"])
    expect(await bad.exit).toBe(2)
    expect(bad.output()).toBe("corridor: --url is required.\ncorridor: --secret or --secret-env is required.\n")
    const list = startFile(main, {}, ["check-provider", "--list"])
    expect(await list.exit).toBe(0)
    expect(list.output()).toContain("payouts/at-once")
  })
})

describe("what is printed without a run", () => {
  it.each([["--help"], ["--list"]])("%s fits into 80 columns, and ends with 0", async (flag) => {
    const { code, out } = await check([flag])
    expect(code).toBe(0)
    expect(out.split("\n").filter((line) => [...line].length > 80)).toEqual([])
    expect(out.split("\n").length).toBeGreaterThan(20)
  })
})
