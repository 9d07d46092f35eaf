/** A proxy that keeps the console's sessions in front of a server, as the contract of the session routes describes them. */
import { randomBytes } from "node:crypto"
import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Api } from "../http/server.ts"

interface Kept {
  readonly token: string
  readonly body: { readonly csrf_token: string }
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const answer = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {}
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}

export const withSessions = async (
  api: Api
): Promise<{ readonly base: string; readonly close: () => Promise<void> }> => {
  const sessions = new Map<string, Kept>()
  const sessionOf = async (token: string): Promise<object | undefined> => {
    const common = {
      environment: "test",
      expires_at: new Date(Date.now() + 43_200_000).toISOString(),
      server_version: "0.1.0"
    }
    const operator = await fetch(`${api.base}/operator/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    if (operator.ok) {
      const { data } = (await operator.json()) as { data: Record<string, any> }
      return {
        ...common,
        type: "operator",
        name: data["name"],
        role: data["role"],
        operator_id: data["id"],
        merchant_id: null,
        merchant_name: null
      }
    }
    const me = await fetch(`${api.base}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    if (!me.ok) return undefined
    const { data } = (await me.json()) as { data: Record<string, any> }
    const merchant = data["merchant"] ?? data
    const role = data["api_key"]?.role ?? data["key"]?.role ?? data["role"] ?? "admin"
    return {
      ...common,
      type: "merchant",
      name: "key",
      role,
      operator_id: null,
      merchant_id: merchant.id,
      merchant_name: merchant.name
    }
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = /corridor_session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? ""
    const kept = sessions.get(id)
    const [path = ""] = (request.url ?? "").split("?")
    const isWrite = request.method !== "GET"
    if (path === "/console/session" && request.method === "POST") {
      const { token } = JSON.parse((await bodyOf(request)).toString()) as { token: string }
      const found = await sessionOf(token)
      if (found === undefined) return answer(response, 401, { code: "authentication_failed", message: "No." })
      const fresh = randomBytes(16).toString("hex")
      const body = { ...found, csrf_token: randomBytes(16).toString("hex") }
      sessions.set(fresh, { token, body })
      return answer(response, 200, body, {
        "set-cookie": `corridor_session=${fresh}; HttpOnly; SameSite=Strict; Path=/console`
      })
    }
    const isOurs = path === "/console/session" || path.startsWith("/console/api/")
    if (isOurs && kept === undefined)
      return answer(response, 401, { code: "authentication_failed", message: "No session." })
    if (isOurs && isWrite && request.headers["x-csrf-token"] !== kept?.body.csrf_token)
      return answer(response, 403, { code: "forbidden", message: "No CSRF token." })
    if (path === "/console/session" && request.method === "GET") return answer(response, 200, kept?.body)
    if (path === "/console/session") {
      sessions.delete(id)
      return answer(response, 204, undefined)
    }
    const headers = { ...request.headers, ...(isOurs ? { authorization: `Bearer ${kept!.token}` } : {}) }
    const onward = send(
      `${api.base}${(request.url ?? "").replace(/^\/console\/api/, "")}`,
      { method: request.method, headers },
      (inner) => {
        response.writeHead(inner.statusCode ?? 502, inner.headers)
        inner.pipe(response)
      }
    )
    onward.on("error", () => response.destroy())
    request.pipe(onward)
  }
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
