/** A plain loop that signs and posts, without a store, retries or limits per endpoint. */
import { createHmac } from "node:crypto"
import { Agent, request } from "node:http"

/** Sends events over kept connections. */
export interface Poster {
  /** Posts one event and waits for status 200. */
  readonly post: (serial: string, body: string) => Promise<void>
  readonly close: () => void
}

export const poster = (url: string, secret: Buffer, connections: number): Poster => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  return {
    post: (serial, body) =>
      new Promise((resolve, reject) => {
        const id = `msg_evt_${serial}`
        const timestamp = Math.floor(Date.now() / 1000).toString()
        const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64")
        const sent = request(
          url,
          {
            agent,
            method: "POST",
            headers: {
              "content-type": "application/json",
              "content-length": Buffer.byteLength(body),
              "webhook-id": id,
              "webhook-timestamp": timestamp,
              "webhook-signature": `v1,${signature}`
            }
          },
          (response) => {
            response.resume()
            response.once("end", () =>
              response.statusCode === 200 ? resolve() : reject(new Error(`unexpected status ${response.statusCode}`))
            )
          }
        )
        sent.once("error", reject)
        sent.end(body)
      }),
    close: () => agent.destroy()
  }
}
