/** Minimal HTTP in front of the hand-written statements: it checks a key and handles a JSON body or a path. */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Database } from "./drivers.ts"
import { create, read } from "./transfers.ts"

export interface Server {
  readonly url: string
  readonly close: () => Promise<void>
}

interface Asked {
  readonly merchant_id: string
  readonly wallet_id: string
  readonly reference: string
}

const filed = async ({ statement }: Database, path: string): Promise<string> => {
  const [, merchant_id = "", id = ""] = path.split("/")
  const body = await read(statement, merchant_id, id)
  if (body === null) throw new Error(`transfer ${id} does not exist`)
  return body
}

const made = ({ transact }: Database, body: string): Promise<string> => {
  const { merchant_id, wallet_id, reference } = JSON.parse(body) as Asked
  return create(transact, { merchant_id, wallet_id, serial: reference })
}

export const serve = async (database: Database, keyHash: string): Promise<Server> => {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const key = request.headers.authorization?.slice("Bearer ".length) ?? ""
      const known = createHash("sha256").update(key).digest("hex") === keyHash
      const answer = !known
        ? Promise.reject(new Error("unknown key"))
        : request.method === "GET"
          ? filed(database, request.url ?? "")
          : made(database, Buffer.concat(chunks).toString())
      answer.then(
        (data) => {
          response.writeHead(200, { "content-type": "application/json" })
          response.end(`{"status":true,"message":"Done.","code":"ok","data":${data},"meta":{"version":"1"}}`)
        },
        () => {
          response.writeHead(500)
          response.end()
        }
      )
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
