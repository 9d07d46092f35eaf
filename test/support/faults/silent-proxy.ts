/** A TCP proxy on loopback whose connections can be made half open: nothing comes through, and nobody is told. */
import { createServer, type AddressInfo, Socket } from "node:net"

export interface SilentProxy {
  readonly port: number
  /**
   * From now on nothing passes, on any connection, but for so many bytes of what its two ends send next. New connections
   * are accepted and stay silent too.
   */
  readonly silence: (passes?: { readonly up?: number; readonly down?: number }) => void
  /** New connections are served. Those that fell silent stay so. */
  readonly heal: () => void
  /** How many of the silent connections were given up by who opened them. */
  readonly dropped: () => number
  readonly close: () => Promise<void>
}

interface Pair {
  readonly client: Socket
  /** How many bytes still pass from and to the client. */
  left: { up: number; down: number }
  silent: boolean
}

const nothing = { up: 0, down: 0 }
const everything = { up: Number.POSITIVE_INFINITY, down: Number.POSITIVE_INFINITY }

export const silentProxy = async (to: number): Promise<SilentProxy> => {
  const pairs = new Set<Pair>()
  let silent = false
  let dropped = 0
  const proxy = createServer((client) => {
    const server = new Socket().connect(to, "127.0.0.1")
    const pair: Pair = { client, left: { ...(silent ? nothing : everything) }, silent }
    pairs.add(pair)
    const pass = (from: Socket, into: Socket, way: "up" | "down"): void => {
      from.on("data", (bytes: Buffer) => {
        into.write(bytes.subarray(0, Math.min(bytes.length, pair.left[way])))
        pair.left[way] = Math.max(0, pair.left[way] - bytes.length)
      })
      from.on("error", () => {})
    }
    pass(client, server, "up")
    pass(server, client, "down")
    client.once("close", () => {
      if (pair.silent) dropped++
      pairs.delete(pair)
      server.destroy()
    })
    server.once("close", () => {
      if (!pair.silent) client.destroy()
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  return {
    port: (proxy.address() as AddressInfo).port,
    silence: (passes = {}) => {
      silent = true
      for (const pair of pairs) Object.assign(pair, { silent, left: { ...nothing, ...passes } })
    },
    heal: () => {
      silent = false
    },
    dropped: () => dropped,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        for (const { client } of pairs) client.destroy()
      })
  }
}
