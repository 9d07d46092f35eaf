/** The least HTTP in front of the hand-written transaction: a known key, a JSON body, an answer. */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { create, type Transact } from "./transfers.ts"

export interface Server {
  readonly url: string
  readonly close: () => Promise<void>
}

interface Asked {
  readonly merchant_id: string
  readonly wallet_id: string
  readonly reference: string
}

export const serve = async (transact: Transact, keyHash: string): Promise<Server> => {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const key = request.headers.authorization?.slice("Bearer ".length) ?? ""
      const known = createHash("sha256").update(key).digest("hex") === keyHash
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked
      const answer = known
        ? create(transact, {
            merchant_id: asked.merchant_id,
            wallet_id: asked.wallet_id,
            serial: asked.reference,
            subscribed: true
          })
        : Promise.reject(new Error("unknown key"))
      answer.then(
        (data) => {
          response.writeHead(200, { "content-type": "application/json" })
          response.end(
            `{"status":true,"message":"Transfer created.","code":"ok","data":${data},"meta":{"version":"1"}}`
          )
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
