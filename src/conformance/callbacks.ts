/** Receives callbacks as Corridor does, except that it does not acknowledge some of them at first. */
import { createServer, type Server, type ServerResponse } from "node:http"
import { Result } from "effect"
import { readEvent } from "../protocol/messages.ts"
import { signatureFault } from "../protocol/signature.ts"
import { hashToFraction } from "../testing/program/random.ts"
import { now } from "./clock.ts"
import type { JsonMembers } from "./exchange.ts"
import type { FollowedEvent } from "./follower.ts"

/** What the kit does with the first delivery of an event. */
export type Reception = "acknowledged" | "failed" | "dropped"

export interface CallbackDelivery {
  readonly path: string
  readonly body: string
  /** Why Corridor would not take it; null: it would. */
  readonly fault: string | null
  readonly event_id: string | null
  readonly reception: Reception
}

const BODY_MAX = 1_048_576

const readEventId = (body: string): string | null => {
  try {
    const { id } = JSON.parse(body) as JsonMembers
    return typeof id === "string" ? id : null
  } catch {
    return null
  }
}

export class Callbacks {
  readonly #secret: string
  readonly #seed: string
  readonly #deliveries: Array<CallbackDelivery> = []
  readonly #seen = new Set<string>()
  #server: Server | undefined

  constructor(secret: string, seed: string) {
    this.#secret = secret
    this.#seed = seed
  }

  /** In the order in which they came. */
  get deliveries(): ReadonlyArray<CallbackDelivery> {
    return this.#deliveries
  }

  /** The valid events, as often as they came. */
  get events(): ReadonlyArray<FollowedEvent> {
    return this.#deliveries.filter(({ fault }) => fault === null).map(({ body }) => JSON.parse(body) as FollowedEvent)
  }

  /** Events whose first delivery was not acknowledged. */
  get refused(): ReadonlyArray<CallbackDelivery> {
    const first = new Map<string, CallbackDelivery>()
    for (const delivery of this.#deliveries) {
      const { event_id } = delivery
      if (event_id !== null && !first.has(event_id)) first.set(event_id, delivery)
    }
    return [...first.values()].filter(({ reception }) => reception !== "acknowledged")
  }

  of(event_id: string): ReadonlyArray<CallbackDelivery> {
    return this.#deliveries.filter((delivery) => delivery.event_id === event_id)
  }

  /** Errors: rejects when the address cannot be listened on. */
  listen(host: string, port: number): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      let length = 0
      request.on("data", (chunk: Buffer) => {
        length += chunk.length
        if (length <= BODY_MAX) chunks.push(chunk)
      })
      request.on("error", () => undefined)
      request.on("end", () => this.#receive(request.method ?? "", request.url ?? "", request.headers, chunks, response))
    })
    this.#server = server
    return new Promise((resolve, reject) => {
      server.once("error", reject)
      server.listen(port, host, () => resolve())
    })
  }

  #receive(
    method: string,
    path: string,
    headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>,
    chunks: ReadonlyArray<Buffer>,
    response: ServerResponse
  ): void {
    const bytes = Buffer.concat(chunks)
    const body = bytes.toString()
    const single = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    const signing = { secrets: [this.#secret], now_ms: now() }
    const unsigned = signatureFault(signing.secrets, single, bytes, signing.now_ms)
    const read = readEvent({ headers: single, body: bytes }, signing)
    const fault =
      method !== "POST"
        ? `the method is ${method}, not POST`
        : unsigned !== null
          ? `the signature does not hold: ${unsigned}`
          : read === undefined || Result.isFailure(read)
            ? `the body is not an event of the protocol${read === undefined ? "" : `: ${read.failure.message}`}`
            : null
    const event_id = readEventId(body)
    const reception = this.#reception(event_id)
    this.#deliveries.push({ path, body, fault, event_id, reception })
    if (reception === "dropped") {
      response.destroy()
      return
    }
    response.writeHead(reception === "failed" ? 503 : 200, { "content-type": "application/json" }).end("{}")
  }

  /** One event in three is not acknowledged at its first delivery. */
  #reception(event_id: string | null): Reception {
    if (event_id === null || this.#seen.has(event_id)) return "acknowledged"
    this.#seen.add(event_id)
    const drawn = hashToFraction(`${this.#seed} ${event_id}`)
    return drawn < 1 / 6 ? "failed" : drawn < 1 / 3 ? "dropped" : "acknowledged"
  }

  async close(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
}
