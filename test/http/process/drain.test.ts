/** How connections end: what is under way is answered, what asks for nothing is not waited for, and who closes the others. */
import { createServer, type ServerResponse } from "node:http"
import { connect, type AddressInfo } from "node:net"
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { makeDrainable, EnvelopeServer } from "../../../src/http/envelope-server.ts"

describe("a draining server", () => {
  it.each(["request", "checkContinue"])(
    "responds to a request received as %s, and closes idle connections",
    async (event) => {
      const server = createServer()
      const drain = makeDrainable(server)
      const asked = new Promise<ServerResponse>((resolve) => server.on(event, (_, response) => resolve(response)))
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const { port } = server.address() as AddressInfo
      const open = async () => {
        const socket = connect(port, "127.0.0.1")
        let got = ""
        socket.on("data", (chunk) => (got += String(chunk)))
        await once(socket, "connect")
        return { socket, ended: once(socket, "close").then(() => got) }
      }
      const idle = await open()
      const busy = await open()
      const expects = event === "checkContinue" ? "Expect: 100-continue\r\n" : ""
      busy.socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n${expects}\r\n{}`)
      const response = await asked
      drain()
      expect(await idle.ended).toBe("")
      response.end("done")
      expect(await busy.ended).toMatch(/^HTTP\/1\.1 200 OK[^]*done/)
      server.close()
    }
  )
})

it("keeps an idle connection longer than a load balancer that would reuse it", async () => {
  const server = new EnvelopeServer()
  server.on("request", (_, response: ServerResponse) => void response.end())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const { headers } = await fetch(`http://127.0.0.1:${port}`)
  server.close()
  const [, seconds] = /^timeout=(\d+)$/.exec(headers.get("keep-alive") ?? "") ?? []
  expect(Number(seconds)).toBeGreaterThan(120)
})
