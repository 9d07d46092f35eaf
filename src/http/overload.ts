/**
 * Rejects excess requests at the socket, before the routes. Under overload, a cheap rejection leaves time for the admitted
 * requests.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Admission } from "../engine/calls/Admission.ts"
import { EnvelopeServer } from "./envelope-server.ts"
import { codeOf, retryAfter } from "./errors.ts"

/** The paths whose requests are limited. Those of the operator API and of the system are never rejected. */
const limited = /^\/(?:v1|sandbox)\//

export class GatedServer extends EnvelopeServer {
  readonly #admission: Admission

  constructor(admission: Admission) {
    super()
    this.#admission = admission
  }

  #isRejected(request: IncomingMessage, response: ServerResponse): boolean {
    if (!limited.test(request.url ?? "")) return false
    const refusal = this.#admission.full(request.method === "GET" ? "reads" : "writes")
    if (refusal === undefined) return false
    this.respond(request, response, {
      status: 429,
      code: codeOf(refusal),
      message: refusal.message,
      headers: { "retry-after": String(retryAfter(refusal)) }
    })
    return true
  }

  protected override isAnswered(request: IncomingMessage, response: ServerResponse): boolean {
    return this.#isRejected(request, response) || super.isAnswered(request, response)
  }
}
