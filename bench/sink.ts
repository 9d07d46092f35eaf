/** A receiver that acknowledges everything, in a thread of its own so that it does not share our event loop. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { isMainThread, parentPort, Worker } from "node:worker_threads"

export interface Sink {
  readonly url: string
  /** Number of acknowledged requests. */
  readonly count: () => Promise<number>
  readonly close: () => Promise<void>
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort
  let received = 0
  const server = createServer((request, response) => {
    request.resume()
    request.once("end", () => {
      received++
      response.end()
    })
  })
  server.listen(0, "127.0.0.1", () => port.postMessage((server.address() as AddressInfo).port))
  port.on("message", () => port.postMessage(received))
}

const answer = (worker: Worker): Promise<number> =>
  new Promise((resolve, reject) => {
    worker.once("message", resolve)
    worker.once("error", reject)
  })

export const startSink = async (): Promise<Sink> => {
  const worker = new Worker(new URL(import.meta.url))
  const port = await answer(worker)
  return {
    url: `http://127.0.0.1:${port}/`,
    count: () => {
      const counted = answer(worker)
      worker.postMessage("count")
      return counted
    },
    close: async () => {
      await worker.terminate()
    }
  }
}
