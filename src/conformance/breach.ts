/** How a case ends other than by passing. */
import type { WireResponse, RecordedExchange, JsonMembers } from "./exchange.ts"

/** A rule is broken. `exchanges` show it, in their order. */
export class Breach extends Error {
  readonly exchanges: ReadonlyArray<RecordedExchange>
  constructor(found: string, exchanges: ReadonlyArray<RecordedExchange> = []) {
    super(found)
    this.exchanges = exchanges
  }
}

/** The case cannot be judged here; the message says what is missing. */
export class Unjudged extends Error {}

/** Returns the result of an answer that Corridor accepts. Errors: throws {@link Breach} for any other. */
export const requireResult = (answer: WireResponse): JsonMembers => {
  if (answer.kind === "result") return answer.result
  throw new Breach(
    answer.kind === "refused"
      ? `The request is refused with HTTP status ${answer.status}.`
      : `Corridor does not take the answer: ${answer.fault}.`,
    [answer.exchange]
  )
}
