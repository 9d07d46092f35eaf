/** A JSON-RPC node that is away, cuts connections or lies when a test says so, and otherwise passes calls on. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"

interface Call {
  readonly method: string
  readonly params: ReadonlyArray<any>
}

/**
 * What happens to a call: `pass`; `away`: the connection is cut before the node gets it; `silent`: it is taken and never answered;
 * `cut`: the node gets it, and its answer is lost; an `error` or a `result` in its place.
 */
export type Treatment =
  | "pass"
  | "silent"
  | "away"
  | "cut"
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly result: unknown }

export const startProxy = async (url: string) => {
  const proxy = {
    treat: (_: Call): Treatment => "pass",
    /** Changes the result that the node gives to a call. */
    mangle: (_: Call, result: any): unknown => result,
    /** Milliseconds until a call reaches the node. */
    delay_ms: 0,
    calls: [] as Array<Call>
  }
  const server = createServer((request, response) => {
    const handle = async (): Promise<void> => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      const call = JSON.parse(body) as Call & { readonly id: number }
      proxy.calls.push(call)
      const treatment = proxy.treat(call)
      if (treatment === "silent") return
      if (proxy.delay_ms > 0) await setTimeout(proxy.delay_ms)
      if (treatment === "away") return void request.socket.destroy()
      if (typeof treatment === "object") {
        response.setHeader("content-type", "application/json")
        return void response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, ...treatment }))
      }
      const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
      const text = await answer.text()
      if (treatment === "cut") return void request.socket.destroy()
      response.setHeader("content-type", "application/json")
      const answered = JSON.parse(text)
      response.end(
        "result" in answered ? JSON.stringify({ ...answered, result: proxy.mangle(call, answered.result) }) : text
      )
    }
    handle().catch(() => request.socket.destroy())
  })
  // A client may reuse a connection at the moment at which it would be closed.
  server.keepAliveTimeout = 300_000
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  })
}

export type RpcProxy = Awaited<ReturnType<typeof startProxy>>
