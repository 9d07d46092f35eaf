/** An HTTP proxy on loopback that loses, breaks, delays and repeats what passes through it, as a seed says. */
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { Chance } from "../../../src/testing/program/random.ts"

export const faults = [
  "pass",
  "drop before",
  "drop after",
  "page before",
  "page after",
  "limit before",
  "limit after",
  "garbage after",
  "cut after",
  "reset after",
  "late before",
  "late after",
  "twice"
] as const
export type ProxyFault = (typeof faults)[number]

export interface FaultyProxy {
  readonly url: string
  /** How often each fault was made. */
  readonly made: ReadonlyMap<ProxyFault, number>
  readonly close: () => Promise<void>
}

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/**
 * `lateMs`: how long what is late is held: longer than a client waits. `share`: the share of requests that meet a fault. `pass`:
 * how the paths begin of requests that meet none.
 */
export const faultyProxy = async (
  port: number,
  seed: string,
  { lateMs, share = 0.6, pass }: { readonly lateMs: number; readonly share?: number; readonly pass?: string }
): Promise<FaultyProxy> => {
  const chance = new Chance(seed)
  const made = new Map<ProxyFault, number>()
  const held = new Set<Promise<unknown>>()

  const forward = (incoming: IncomingMessage, body: Buffer): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { headers, method, url } = incoming
      const outgoing = request({ port, host: "127.0.0.1", method, path: url, headers }, (message) => {
        bodyOf(message).then(
          (received) => resolve({ status: message.statusCode!, headers: message.headers, body: received }),
          reject
        )
      })
      outgoing.on("error", reject)
      outgoing.end(body)
    })

  const page = (outgoing: ServerResponse, status: number, headers: Record<string, string> = {}): void =>
    void outgoing
      .writeHead(status, { "content-type": "text/html", ...headers })
      .end("<html>The gateway has failed.</html>")

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await bodyOf(incoming)
    const isSpared = pass !== undefined && incoming.url!.startsWith(pass)
    const fault = !isSpared && chance.happens(share) ? chance.pick(faults.slice(1)) : "pass"
    made.set(fault, (made.get(fault) ?? 0) + 1)
    if (fault === "drop before") return void incoming.socket.destroy()
    if (fault === "page before") return page(outgoing, 503)
    if (fault === "limit before") return page(outgoing, 429, { "retry-after": "0" })
    if (fault === "late before") await pause(lateMs)
    const [{ body: received, headers, status }] = await Promise.all([
      forward(incoming, body),
      ...(fault === "twice" ? [forward(incoming, body)] : [])
    ])
    if (fault === "late after") await pause(lateMs)
    switch (fault) {
      case "drop after":
        return void incoming.socket.destroy()
      case "page after":
        return page(outgoing, 502)
      case "limit after":
        return page(outgoing, 429, { "retry-after": "0" })
      case "garbage after":
        return void outgoing.writeHead(200, { "content-type": "application/json" }).end('{"status":true,"data":{}}')
      case "cut after":
        return void outgoing
          .writeHead(status, { "content-type": "application/json" })
          .end(received.subarray(0, received.length >> 1))
      case "reset after":
        outgoing.writeHead(status, { ...headers, "content-length": String(received.length) })
        return void outgoing.write(received.subarray(0, received.length >> 1), () => incoming.socket.destroy())
      default:
        outgoing.writeHead(status, { ...headers, "content-length": String(received.length) }).end(received)
    }
  }

  const server = createServer((incoming, outgoing) => {
    const handled = handle(incoming, outgoing).catch(() => void incoming.socket.destroy())
    held.add(handled)
    void handled.then(() => held.delete(handled))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    made,
    close: async () => {
      // What is late arrives before the proxy ends.
      await Promise.all(held)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
