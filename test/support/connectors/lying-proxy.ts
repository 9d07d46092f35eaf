/** A proxy before a connector that changes what passes, and signs it again: a connector with one more defect. */
import { createServer, type IncomingMessage, type Server } from "node:http"
import { signatureFault, signMessage } from "../../../src/protocol/signature.ts"

/** A request as the proxy sees it. `operation` is that of the answer. */
export interface Asked {
  readonly operation: string
  readonly id: string | null
  readonly query: URLSearchParams
}

export type Json = Readonly<Record<string, any>>

/** One defect. Absent members pass everything on as it is. */
export interface Lie {
  /** Another id, under which the connector gets the command. */
  readonly id?: (id: string) => string
  /** Another body; a number refuses the request with that status. */
  readonly request?: (body: Json, operation: string) => Json | number
  /** Another result. */
  readonly result?: (result: Json, asked: Asked) => Json
  /** Another id of the answer's message, or another time of signing, in milliseconds from now. */
  readonly message?: { readonly id?: string; readonly skew_ms?: number }
}

export interface LyingProxy {
  readonly url: string
  readonly close: () => Promise<void>
}

const objectIn = (text: string): Json | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

export const startLyingProxy = async (target: string, secret: string, lie: Lie): Promise<LyingProxy> => {
  let count = 0
  const pass = async (request: IncomingMessage): Promise<{ status: number; headers: Json; body: string }> => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const url = new URL(request.url ?? "/", target)
    const [, collection = "", encoded] = url.pathname.split("/")
    const given = encoded === undefined ? null : decodeURIComponent(encoded)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const isSigned = signatureFault([secret], headers, bytes, Date.now()) === null
    const body = objectIn(bytes.toString())

    let path = url.pathname
    let sent = bytes.toString()
    const own: Record<string, string> = {
      "content-type": "application/json",
      ...Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("webhook-")))
    }
    const isSame = body === undefined || body["id"] === given || given === null
    if (isSigned && isSame && (body !== undefined || lie.id !== undefined)) {
      const changed = body === undefined ? undefined : (lie.request?.(body, body["operation"]) ?? body)
      if (typeof changed === "number") return { status: changed, headers: {}, body: "" }
      const id = given === null ? null : (lie.id?.(given) ?? given)
      if (id !== null) path = `/${collection}/${encodeURIComponent(id)}`
      if (changed !== body || lie.id !== undefined) {
        sent = changed === undefined ? "" : JSON.stringify(id === null ? changed : { ...changed, id })
        const at = Number(headers["webhook-timestamp"]) * 1000
        Object.assign(own, signMessage([secret], headers["webhook-id"] ?? "", at, sent))
      }
    }
    const answer = await fetch(target + path + url.search, {
      method: request.method ?? "GET",
      headers: own,
      ...(request.method === "GET" ? {} : { body: sent })
    })
    const text = await answer.text()
    const envelope = objectIn(text)
    if (answer.status !== 200 || envelope?.["result"] === undefined)
      return { status: answer.status, headers: {}, body: text }
    const asked = { operation: String(envelope["operation"]), id: given, query: url.searchParams }
    const result = lie.result?.(envelope["result"], asked) ?? envelope["result"]
    const id = given ?? envelope["id"]
    const made = JSON.stringify({ ...envelope, id, result })
    const message_id = lie.message?.id ?? `ans_${(count += 1)}_${headers["webhook-id"]}`
    return {
      status: 200,
      headers: signMessage([secret], message_id, Date.now() + (lie.message?.skew_ms ?? 0), made),
      body: made
    }
  }
  const server: Server = createServer((request, response) => {
    pass(request).then(
      ({ body, headers, status }) => response.writeHead(status, headers).end(body),
      () => response.destroy()
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  const { port } = server.address() as { readonly port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
