/** What one connection may cost: one request in hand, some bytes of the next, one response, for a time. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { connect, type AddressInfo, type Socket } from "node:net"
import { buffer, text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import fc from "fast-check"
import { afterEach, describe, expect, it } from "vitest"
import { makeDrainable, EnvelopeServer, handleInTurn } from "../../../src/http/envelope-server.ts"
import { covers } from "../../support/repository/covers.ts"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const ends: Array<() => void> = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

const listening = async <S extends Server>(server: S, handle: Handler): Promise<{ server: S; port: number }> => {
  server.on("request", handle).listen(0, "127.0.0.1")
  await once(server, "listening")
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, port: (server.address() as AddressInfo).port }
}
const started = (handle: Handler) => listening(new EnvelopeServer(), handle)

const opened = async (port: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => {})
  ends.push(() => void socket.destroy())
  await once(socket, "connect")
  return socket
}

/** Connections that the server has accepted: it accepts one in a round of the event loop. */
const accepted = async (server: Server, port: number, count: number): Promise<ReadonlyArray<Socket>> => {
  let known = 0
  server.on("connection", () => known++)
  const sockets = await Promise.all(Array.from({ length: count }, () => opened(port)))
  await expect.poll(() => known).toBe(count)
  return sockets
}

const get = (path = "/"): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const last = (path = "/"): string => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

/** More than the kernel takes for a peer that does not read. */
const large = Buffer.alloc(32 * 1024 * 1024, "x")

/** How many requests Node has parsed meanwhile. */
const parsedDuring = async (run: () => Promise<void>): Promise<number> => {
  let parsed = 0
  const count = (): void => void parsed++
  subscribe("http.server.request.start", count)
  try {
    await run()
  } finally {
    unsubscribe("http.server.request.start", count)
  }
  return parsed
}

describe("a handler that throws", () => {
  covers("HTTP-14", "ERROR-22")
  it.each([
    ["at once", 1],
    ["in a later round, after others", 400]
  ])("is a 500 with the envelope, and the next requests of its connection are answered: %s", async (_, before) => {
    const { port } = await started(({ url }, response) => {
      if (url === "/throws") throw new Error("a defect")
      const until = performance.now() + 0.1
      while (performance.now() < until);
      response.end(`answer to ${url}`)
    })
    const others = await Promise.all(Array.from({ length: before }, () => opened(port)))
    for (const socket of others) socket.write(get("/other"))
    const socket = await opened(port)
    socket.write(get("/first") + get("/throws") + get("/throws") + last("/last"))
    const answers = await text(socket)
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    expect(statuses).toEqual(["200", "500", "500", "200"])
    expect(answers).toContain("answer to /last")
    const [, envelope = "{}"] = /\r\n\r\n(\{.*?\})HTTP/s.exec(answers.slice(answers.indexOf("500"))) ?? []
    expect(JSON.parse(envelope)).toMatchObject({ status: false, code: "internal_error" })
  })

  it("after its headers were sent ends its connection, and the others are answered", async () => {
    const { port } = await started(({ url }, response) => {
      if (url !== "/throws") return void response.end("whole")
      response.writeHead(200, { "content-length": "9" }).write("half")
      throw new Error("a defect")
    })
    const [socket, other] = [await opened(port), await opened(port)]
    socket.write(get("/throws") + last())
    other.write(last())
    expect(await text(other)).toContain("whole")
    expect(await text(socket).catch(() => "cut")).not.toContain("whole")
  })
})

describe("a peer that sends requests and reads no response", () => {
  covers("HTTP-16")
  it("has one request in hand and one response unsent, and the server reads no further", async () => {
    let begun = 0
    let accepted: Socket | undefined
    const { port, server } = await started((_, response) => {
      begun++
      response.end(large)
    })
    server.on("connection", (socket: Socket) => void (accepted = socket))
    const parsed = await parsedDuring(async () => {
      const socket = await opened(port)
      socket.pause()
      socket.write(get().repeat(100_000))
      await expect.poll(() => begun).toBe(1)
      await sleep(300)
    })
    expect(begun).toBe(1)
    expect(parsed).toBeLessThanOrEqual(64)
    expect(accepted!.writableLength).toBeLessThanOrEqual(large.length + 1024)
    expect(accepted!.bytesRead).toBeLessThan(512 * 1024)
  })

  covers("HTTP-16")
  it("has one request in hand that is not answered yet, and the server parses no further", async () => {
    let begun = 0
    const { port } = await started(() => void begun++)
    const parsed = await parsedDuring(async () => {
      const socket = await opened(port)
      socket.write(get().repeat(10_000))
      await expect.poll(() => begun).toBe(1)
      await sleep(100)
    })
    expect(begun).toBe(1)
    expect(parsed).toBeLessThanOrEqual(64)
  })

  covers("HTTP-16")
  it("has one request in hand of those that a host passes on to a mounted API", async () => {
    let begun = 0
    const { port } = await listening(createServer(), (request, response) =>
      handleInTurn(request, response, () => {
        begun++
        response.end(large)
      })
    )
    const socket = await opened(port)
    socket.pause()
    socket.write(get().repeat(1500))
    await expect.poll(() => begun).toBe(1)
    await sleep(300)
    expect(begun).toBe(1)
  })

  covers("HTTP-16")
  it("has no request in hand that the host has answered while it waited", async () => {
    const begun: Array<string> = []
    const { port } = await listening(createServer(), (request, response) => {
      handleInTurn(request, response, () => {
        begun.push(request.url!)
        // As long as it takes for the others to wait for the next round.
        for (const until = performance.now() + 20; performance.now() < until; );
        response.end("done")
      })
      // As the timeout of a host does: what waits is answered without it.
      if (request.url === "/late" && !begun.includes("/late")) response.end("too late")
    })
    const [busy, other] = [await opened(port), await opened(port)]
    const [first, second] = [text(busy), text(other)]
    // One of them begins at once, and the other waits.
    busy.write(last("/slow"))
    other.write(get("/late"))
    await sleep(300)
    other.write(last("/next"))
    expect(await first).toMatch(/done$/)
    const answered = await Promise.race([second, sleep(2000)])
    expect(answered).toMatch(/done$/)
    expect(begun.at(-1)).toBe("/next")
  })

  covers("HTTP-16")
  it.each([
    ["nothing", 0],
    ["a byte at a time", 1]
  ])("loses its connection when it reads %s for longer than is allowed", async (_, bytes) => {
    const { port, server } = await started((__, response) => void response.end(large))
    server.sendTimeout = 400
    const socket = await opened(port)
    socket.pause()
    const closed = new Promise((resolve) => server.once("connection", (one: Socket) => one.once("close", resolve)))
    const again = await opened(port)
    const reading = setInterval(() => void (bytes > 0 && again.read(bytes)), 20)
    again.pause()
    again.write(get())
    await closed
    clearInterval(reading)
    expect(server.listening).toBe(true)
  })

  it("keeps its connection when it reads in time, also for what it asks later", async () => {
    const { port, server } = await started((_, response) => void response.end("done"))
    server.sendTimeout = 100
    const socket = await opened(port)
    socket.write(get())
    await once(socket, "data")
    await sleep(300)
    socket.write(get())
    const [answer] = await once(socket, "data")
    expect(String(answer)).toMatch(/done$/)
  })
})

describe("requests that are sent before the responses to others", () => {
  covers("HTTP-16")
  it("are handled one at a time, in order, whatever they take", async () => {
    let running = 0
    let most = 0
    const { port } = await started((request, response) => {
      most = Math.max(most, ++running)
      void sleep(request.url!.endsWith("0") ? 20 : 0).then(() => {
        running--
        response.end(request.url)
      })
    })
    const socket = await opened(port)
    const paths = Array.from({ length: 200 }, (_, n) => `/${n}`)
    socket.write(paths.slice(0, -1).map(get).join("") + last("/199"))
    const answers = await text(socket)
    expect([...answers.matchAll(/\r\n\r\n(\/\d+)/g)].map(([, path]) => path)).toEqual(paths)
    expect(most).toBe(1)
  })

  it("arrive whole, however their bytes are divided", async () => {
    const { port } = await started((request, response) => {
      void buffer(request).then((body) =>
        response.end(`${request.url} ${body.length} ${body.toString("latin1").at(-1)};`)
      )
    })
    const request = fc.record({ size: fc.integer({ min: 0, max: 5000 }), isChunked: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 20 }),
        async (requests, cuts) => {
          const bytes = requests
            .map(({ isChunked, size }, n) => {
              const end = n === requests.length - 1 ? "Connection: close\r\n" : ""
              const body = "b".repeat(size)
              const head = `POST /${n} HTTP/1.1\r\nHost: a\r\n${end}`
              return isChunked && size > 0
                ? `${head}Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`
                : `${head}Content-Length: ${size}\r\n\r\n${body}`
            })
            .join("")
          const socket = await opened(port)
          const answers = text(socket)
          for (let at = 0, n = 0; at < bytes.length; n++) {
            const size = cuts[n % cuts.length]!
            socket.write(bytes.slice(at, at + size))
            at += size
            if (n % 3 === 0) await new Promise(setImmediate)
          }
          const found = [...(await answers).matchAll(/\r\n\r\n(\/\d+ \d+ \w+);/g)].map(([, answer]) => answer)
          expect(found).toEqual(requests.map(({ size }, n) => `/${n} ${size} ${size === 0 ? "undefined" : "b"}`))
        }
      ),
      { numRuns: 40 }
    )
  })

  it("may have large bodies, whose reader decides how fast they come", async () => {
    const { port } = await started((request, response) => {
      let size = 0
      void (async () => {
        for await (const chunk of request) {
          size += (chunk as Buffer).length
          if (size % 7 === 0) await sleep(1)
        }
        response.end(String(size))
      })()
    })
    const socket = await opened(port)
    const body = Buffer.alloc(8 * 1024 * 1024)
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`)
    socket.write(body)
    socket.write(last("/after"))
    const answers = await text(socket)
    expect(answers.match(/\r\n\r\n\d+/g)?.map((size) => size.trim())).toEqual([String(body.length), "0"])
  })

  covers("HTTP-14")
  it.each([
    ["bytes that are no request", "GARBAGE\r\n\r\n", 400],
    ["a body that is none", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400],
    ["a tunnel", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 404]
  ])("are answered as they are, and then %s", async (_, bytes, status) => {
    const answers: Array<() => void> = []
    const { port } = await started((request, response) => void answers.push(() => void response.end(request.url)))
    const socket = await opened(port)
    socket.write(get("/1") + get("/2") + bytes)
    const received = text(socket)
    for (let n = 0; n < 2; n++) {
      await expect.poll(() => answers.length).toBe(n + 1)
      answers[n]!()
    }
    const lines = (await received).match(/HTTP\/1\.1 \d+|\r\n\r\n\/\d/g)?.map((line) => line.trim())
    expect(lines).toEqual(["HTTP/1.1 200", "/1", "HTTP/1.1 200", "/2", `HTTP/1.1 ${status}`])
  })

  it("are answered by a server that stops, where they were read", async () => {
    const { port, server } = await started((request, response) => void setImmediate(() => response.end(request.url)))
    const drain = makeDrainable(server)
    const socket = await opened(port)
    server.once("request", drain)
    socket.write(get("/1") + get("/2") + get("/3"))
    expect((await text(socket)).match(/\r\n\r\n\/\d/g)).toHaveLength(3)
  })

  covers("HTTP-16")
  it("leave time for other connections", async () => {
    let begun = 0
    let before: number | undefined
    const { port, server } = await started((request, response) => {
      if (request.url === "/health/live") before = begun
      else {
        begun++
        const until = performance.now() + 2
        while (performance.now() < until);
      }
      response.end("ok")
    })
    const [probe, ...peers] = await accepted(server, port, 41)
    for (const socket of peers) socket.resume().write(get().repeat(10))
    probe!.write(get("/health/live"))
    await once(probe!, "data")
    // Two or three rounds of 5 ms; without a bound, one of each connection is before the probe.
    expect(before).toBeLessThan(30)
    await expect.poll(() => begun).toBe(400)
  })
  covers("HTTP-16")
  it("begin beside probes, however many connections send those", async () => {
    let probes = 0
    let before: number | undefined
    const { port, server } = await started((request, response) => {
      if (request.url === "/other") before = probes
      else {
        probes++
        const until = performance.now() + 2
        while (performance.now() < until);
      }
      response.end("ok")
    })
    const peers = await accepted(server, port, 40)
    const others = await accepted(server, port, 5)
    for (const socket of peers) socket.resume().write(get("/health/live").repeat(10))
    await expect.poll(() => probes).toBeGreaterThan(0)
    const at = probes
    for (const socket of others) socket.write(get("/other"))
    await Promise.all(others.map((socket) => once(socket, "data")))
    // Without a bound for the probes, each round has 40 of them and begins one other request.
    expect(before! - at).toBeLessThan(100)
    await expect.poll(() => probes).toBe(400)
  })
})
