/**
 * HTTP load from a separate process, so that the client does not share the server's event loop. It sends given requests
 * over a given number of connections. The same client loads ours and the floor.
 */
import { type ChildProcess, fork } from "node:child_process"
import { Agent, request } from "node:http"
import { fileURLToPath } from "node:url"
import type { Taken } from "./measure.ts"

export interface Asked {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

interface Job {
  readonly url: string
  readonly connections: number
  /**
   * Requests per second, sent whether or not earlier ones were answered. Null: each connection sends as soon as it is
   * free.
   */
  readonly rate_per_s: number | null
  readonly requests: ReadonlyArray<Asked>
}

const sending = (url: string, agent: Agent, { method, path, headers, body }: Asked): Promise<void> =>
  new Promise((resolve, reject) => {
    const length =
      body === null ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
    const sent = request(new URL(path, url), { agent, method, headers: { ...headers, ...length } }, (response) => {
      response.resume()
      response.once("end", () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${method} ${path}: ${response.statusCode}`))
      )
    })
    sent.once("error", reject)
    sent.end(body ?? undefined)
  })

const load = async ({ url, connections, rate_per_s, requests }: Job, agent: Agent): Promise<Taken> => {
  const latencies_ms: Array<number> = []
  const began = performance.now()
  const timed = async (asked: Asked, start: number): Promise<void> => {
    await sending(url, agent, asked)
    latencies_ms.push(performance.now() - start)
  }
  let next = 0
  if (rate_per_s === null) {
    const caller = async (): Promise<void> => {
      while (next < requests.length) await timed(requests[next++]!, performance.now())
    }
    await Promise.all(Array.from({ length: connections }, caller))
  } else {
    // Latency counts from the time at which the request was due: a slow server must not reduce its own load.
    const all: Array<Promise<void>> = []
    while (next < requests.length) {
      const due = began + (next / rate_per_s) * 1000
      const wait = due - performance.now()
      if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait))
      all.push(timed(requests[next++]!, due))
    }
    await Promise.all(all)
  }
  return { elapsed_ms: performance.now() - began, latencies_ms }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.send !== undefined) {
  const report = process.send.bind(process)
  let agent: Agent | undefined
  let job: Job | undefined
  process.on("message", (message: Job | "go") => {
    if (message !== "go") {
      job = message
      agent ??= new Agent({ keepAlive: true, maxSockets: job.connections })
      report("ready")
      return
    }
    load(job!, agent!).then(report, (error: unknown) => report({ failed: String(error) }))
  })
}

export interface Loader {
  readonly run: (requests: ReadonlyArray<Asked>, rate_per_s?: number) => Promise<Taken>
  readonly close: () => void
}

const answered = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error("the load process has exited"))
    child.once("exit", ended)
    child.once("message", (message) => {
      child.off("exit", ended)
      resolve(message)
    })
  })

/** Starts a process that loads `url` over the given number of connections. */
export const startLoader = (url: string, connections: number): Loader => {
  const child = fork(fileURLToPath(import.meta.url), { serialization: "advanced" })
  return {
    run: async (requests, rate_per_s) => {
      const ready = answered(child)
      child.send({ url, connections, rate_per_s: rate_per_s ?? null, requests } satisfies Job)
      await ready
      const taken = answered(child)
      child.send("go")
      const result = (await taken) as Taken | { readonly failed: string }
      if ("failed" in result) throw new Error(result.failed)
      return result
    },
    close: () => {
      child.kill()
    }
  }
}
