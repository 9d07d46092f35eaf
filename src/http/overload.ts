/**
 * Refuses at the socket what admission would refuse for there being too many: under a flood, a refusal that costs as
 * much as the beginning of an answer takes the time that the answers need.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Admission } from "../engine/calls/Admission.ts"
import { EnvelopeServer } from "./envelope-server.ts"
import { codeOf, retryAfter } from "./errors.ts"

/** A request that is refused, by what is asked of it: the operator's and the system's never are. */
const limited = /^\/(?:v1|sandbox)\//

export class GatedServer extends EnvelopeServer {
  readonly #admission: Admission

  constructor(admission: Admission) {
    super()
    this.#admission = admission
  }

  #refused(request: IncomingMessage, response: ServerResponse): boolean {
    if (!limited.test(request.url ?? "")) return false
    const refusal = this.#admission.full(request.method === "GET" ? "reads" : "writes")
    if (refusal === undefined) return false
    this.answer(request, response, {
      status: 429,
      code: codeOf(refusal),
      message: refusal.message,
      headers: { "retry-after": String(retryAfter(refusal)) }
    })
    return true
  }

  override emit(event: string | symbol, ...given: Array<unknown>): boolean {
    const isRequest = event === "request" || event === "checkContinue"
    if (isRequest && this.#refused(given[0] as IncomingMessage, given[1] as ServerResponse)) return true
    return super.emit(event, ...given)
  }
}
