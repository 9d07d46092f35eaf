/**
 * Refuses at the socket what the pipeline would refuse for there being too many: under a flood, a refusal that costs as
 * much as the beginning of an answer takes the time that the answers need.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Clock, Effect } from "effect"
import type { Admission } from "../engine/Admission.ts"
import type { Ids } from "../engine/Ids.ts"
import { renderError } from "./envelope.ts"
import { codeOf, retryAfter } from "./errors.ts"
import { givenRequestId } from "./exchange.ts"
import { SharedPortServer } from "./listeners.ts"

/** A request that is refused, by what is asked of it: the operator's and the system's never are. */
const limited = /^\/(?:v1|sandbox)\//

export class GatedServer extends SharedPortServer {
  readonly #admission: Admission
  #answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false

  constructor(admission: Admission) {
    super()
    this.#admission = admission
  }

  /** From now on requests above the limits are answered here. `run` gives the service's clock. */
  refuse(ids: Ids["Service"], docs_url: string, run: <A>(effect: Effect.Effect<A>) => A): void {
    const made = Effect.all([ids.make("req"), Clock.currentTimeMillis])
    this.#answer = (request, response) => {
      if (!limited.test(request.url ?? "")) return false
      const refusal = this.#admission.full(request.method === "GET" ? "reads" : "writes")
      if (refusal === undefined) return false
      const [id, at] = run(made)
      const request_id = givenRequestId(request.headers["x-request-id"]) ?? id
      const text = renderError(codeOf(refusal), refusal.message, undefined, docs_url, request_id, at)
      response.writeHead(429, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
        "x-request-id": request_id,
        "cache-control": "no-store",
        "retry-after": String(retryAfter(refusal))
      })
      response.end(text)
      return true
    }
  }

  override emit(event: string | symbol, ...given: Array<unknown>): boolean {
    if (event === "request" && this.#answer(given[0] as IncomingMessage, given[1] as ServerResponse)) return true
    return super.emit(event as "request", ...(given as [never, never]))
  }
}
