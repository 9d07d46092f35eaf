/** Server processes that share one store, and a client that goes from one to another until it has an answer. */
import { setTimeout as sleep } from "node:timers/promises"
import { apiKey, type Served, serve } from "../support/http/served-process.ts"

export interface Node {
  readonly name: string
  /** Undefined while it is down. */
  readonly url: () => string | undefined
  /** Of the process; 0 while it is down. */
  readonly pid: () => number
  /** SIGKILL: nothing is said, nothing is finished. */
  readonly kill: () => Promise<void>
  /** Starts it again, as often as it takes: a store that is away refuses a start. */
  readonly revive: () => Promise<void>
  /** SIGSTOP: the process keeps its connections, its leases and what it was about to write. */
  readonly pause: () => void
  /** SIGCONT. */
  readonly resume: () => void
  /** SIGTERM, and the end of it. */
  readonly stop: () => Promise<void>
  /** How often it ended without having been told to, with the end of what it said. */
  readonly deaths: ReadonlyArray<string>
}

const startsWithin = 120_000

/** Starts a node on a store, of this release or of another's `file`. Errors: rejects when it does not come up within two minutes: the server may be stopped each time. */
export const startNode = async (name: string, env: Record<string, string>, file?: string): Promise<Node> => {
  const deaths: Array<string> = []
  let served: Served | undefined
  let isStopping = false
  const revive = async (): Promise<void> => {
    const until = performance.now() + startsWithin
    for (;;) {
      try {
        const up = await serve(env, file)
        isStopping = false
        served = up
        void up.exit.then((code) => {
          if (served !== up) return
          served = undefined
          if (!isStopping) deaths.push(`${name} ended by itself with ${code}: ${up.output().slice(-2000)}`)
        })
        return
      } catch (error) {
        if (performance.now() > until) throw error
        await sleep(100)
      }
    }
  }

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const running = served
    if (running === undefined) return
    isStopping = true
    running.child.kill(signal)
    // What is stopped cannot hear of its end.
    if (signal === "SIGTERM") running.child.kill("SIGCONT")
    await running.exit
  }

  await revive()
  return {
    name,
    url: () => served?.url,
    pid: () => served?.child.pid ?? 0,
    kill: () => end("SIGKILL"),
    revive,
    pause: () => void served?.child.kill("SIGSTOP"),
    resume: () => void served?.child.kill("SIGCONT"),
    stop: () => end("SIGTERM"),
    deaths
  }
}

/** What most answers are of. */
export interface Resource {
  readonly id: string
  readonly status: string
}

export interface Answer<A = Resource> {
  readonly status: number
  readonly text: string
  /** The envelope; its data is as the caller says, where the call succeeded. */
  readonly json: { readonly code: string; readonly data: A }
}

export interface Ask {
  readonly body?: object
  readonly key?: string
  readonly method?: "GET" | "POST" | "PATCH"
}

/** Asked again elsewhere: nothing is known of what it did, or it did nothing. */
const again = ({ status, json }: Answer<unknown>): boolean =>
  status >= 500 || status === 429 || (status === 409 && json.code === "idempotency_in_progress")

/**
 * Asks a node, and another when it does not answer in time, with the same key, until somebody has answered for good.
 *
 * `retries` counts what was asked again. Errors: rejects when nobody answered within `deadline_ms`.
 */
export const clientOf = (nodes: ReadonlyArray<Node>, { timeout_ms = 4000, deadline_ms = 60_000 } = {}) => {
  let turn = 0
  const counted = { retries: 0 }
  const once = async <A>(url: string, path: string, { body, key, method }: Ask): Promise<Answer<A> | undefined> => {
    try {
      const response = await fetch(url + path, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(key === undefined ? {} : { "idempotency-key": key })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeout_ms)
      })
      const text = await response.text()
      return { status: response.status, text, json: JSON.parse(text) }
    } catch {
      return undefined
    }
  }
  const ask = async <A = Resource>(path: string, asked: Ask = {}): Promise<Answer<A>> => {
    const until = performance.now() + deadline_ms
    for (let attempt = 0; ; attempt++) {
      const url = nodes[turn++ % nodes.length]!.url()
      const answer = url === undefined ? undefined : await once<A>(url, path, asked)
      if (answer !== undefined && !again(answer)) return answer
      if (performance.now() > until) {
        throw new Error(`${path} was not answered within ${deadline_ms} ms: ${answer?.text ?? "nobody was there"}`)
      }
      counted.retries++
      await sleep(Math.min(50 * 2 ** attempt, 400))
    }
  }
  /** The data of a success. Errors: rejects with what was answered instead. */
  const data = async <A = Resource>(path: string, asked: Ask = {}): Promise<A> => {
    const answer = await ask<A>(path, asked)
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${answer.text}`)
    return answer.json.data
  }
  return { ask, data, counted }
}

export type Client = ReturnType<typeof clientOf>
