/** A `fetch` that answers as a test says, and an environment whose time passes at once. */
import type { Environment, Fetch } from "../../../src/client/options.ts"

export interface Asked {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** One answer: a response, or a fault of the connection. `silent`: none until the attempt is ended. */
export type Scripted =
  | {
      readonly status: number
      readonly text: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly fault: Error }
  | { readonly silent: true }

const meta = { request_id: "req_1", timestamp: "2026-01-31T09:30:00.000Z", version: "1" }

export const success = (
  data: unknown,
  more: object = {},
  headers: Readonly<Record<string, string>> = {}
): Scripted => ({
  status: 200,
  text: JSON.stringify({ status: true, message: "OK", code: "ok", data, meta: { ...meta, ...more } }),
  headers
})

export const refusal = (status: number, code: string, more: object = {}, headers = {}): Scripted => ({
  status,
  text: JSON.stringify({
    status: false,
    message: "Refused.",
    code,
    data: null,
    meta: { ...meta, next_steps: { action: "Wait.", docs_url: `https://docs.example/errors/${code}` }, ...more }
  }),
  headers
})

export const reset: Scripted = { fault: new TypeError("fetch failed") }
export const silent: Scripted = { silent: true }

/** Answers with each in turn, and with the last one for ever. */
export const makeScriptedFetch = (
  ...answers: ReadonlyArray<Scripted>
): { readonly fetch: Fetch; readonly asked: ReadonlyArray<Asked> } => {
  const asked: Array<Asked> = []
  return {
    asked,
    fetch: (url, { method, headers, body, signal }) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)]!
      asked.push({ url, method, headers, body: typeof body === "string" ? body : undefined })
      if ("fault" in answer) return Promise.reject(answer.fault)
      if ("silent" in answer)
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error))
        })
      const { headers: given = {}, status, text } = answer
      return Promise.resolve({ status, headers: new Headers(given), text: () => Promise.resolve(text) })
    }
  }
}

export interface Instant extends Environment {
  /** How long each wait was, in milliseconds, without the timeouts of attempts. */
  readonly waits: ReadonlyArray<number>
}

/**
 * Time passes as soon as something waits, except that an attempt of `timeoutMs` ends only where `isTimedOut` says so. Chance is
 * always one half, and keys are counted.
 */
export const instant = (timeoutMs = 30_000, isTimedOut = false): Instant => {
  const waits: Array<number> = []
  let keys = 0
  return {
    waits,
    now: () => Date.UTC(2026, 0, 31),
    after: (ms, run) => {
      if (ms === timeoutMs && !isTimedOut) return () => {}
      if (ms !== timeoutMs) waits.push(ms)
      let isCancelled = false
      queueMicrotask(() => {
        if (!isCancelled) run()
      })
      return () => {
        isCancelled = true
      }
    },
    random: () => 0.5,
    makeKey: () => `key-of-call-${++keys}`
  }
}
