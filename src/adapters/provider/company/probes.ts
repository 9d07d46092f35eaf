/** Questions to a company's test environment about what its documents leave open. None of them costs money. */
import { Effect } from "effect"
import type { CompanyClient, CompanyReply } from "./client.ts"

/** `question`: a row of the page's table of what is not verified. `ask`: what was found, in words. */
export interface Probe {
  readonly question: string
  readonly ask: Effect.Effect<string>
}

/** A probe of what one request is answered. */
export const probeOf = (
  question: string,
  asked: ReturnType<CompanyClient>,
  read: (reply: CompanyReply) => string
): Probe => ({
  question,
  ask: Effect.match(asked, { onFailure: ({ message }) => `no answer: ${message}`, onSuccess: read })
})

/** An answer in words. `describe`: of one that is no success. */
export const replyShownBy =
  (describe: (reply: CompanyReply) => string) =>
  (reply: CompanyReply): string =>
    reply.status < 300 ? `${reply.status}: ${JSON.stringify(reply.json).slice(0, 160)}` : describe(reply)
