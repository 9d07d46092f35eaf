import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { turnsOf } from "./turns.ts"

/** How long a stopping server waits for requests, deliveries and jobs. */
export const graceMs = 10_000

/**
 * Lets a server close without waiting for idle connections: kept-alive connections, and connections opened ahead of a
 * request, for which `server.close()` waits as if a request were running. Returns the function that starts to drain.
 */
export const drainable = (server: Server): (() => void) => {
  const running = new Map<Socket, number>()
  let draining = false
  server.on("connection", (socket: Socket) => {
    if (draining) return void socket.destroy()
    running.set(socket, 0)
    socket.once("close", () => running.delete(socket))
  })
  const begin = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    running.set(socket, (running.get(socket) ?? 0) + 1)
    response.once("close", () => {
      const left = (running.get(socket) ?? 1) - 1
      if (running.has(socket)) running.set(socket, left)
      if (draining && left === 0 && turnsOf(socket).isIdle) socket.destroySoon()
    })
  }
  server.on("request", begin)
  server.on("checkContinue", begin)
  return () => {
    draining = true
    for (const [socket, requests] of running) if (requests === 0 && turnsOf(socket).isIdle) socket.destroy()
  }
}
