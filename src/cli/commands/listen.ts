/** `corridor listen` */
import { randomBytes } from "node:crypto"
import { Clock, Duration, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { formatSecret, sign } from "../../engine/crypto/signing.ts"
import { limitFetch } from "../../protocol/bounded-fetch.ts"
import { secretFault } from "../../protocol/signature.ts"
import { describeFetchError, usageFailure } from "../failure.ts"
import { PrintJson, makeOptionalTextFlag, makeTextFlag } from "../globals.ts"
import { Process } from "../process.ts"
import { asMerchant, openMerchantApi } from "../server/api.ts"
import { type FeedEvent, followEvents, followOptions } from "../server/feed.ts"

const forwardTo = makeTextFlag(
  "forward-to",
  "URL",
  "Where the receiver listens, such as http://127.0.0.1:4000/webhooks"
)

const secretEnv = makeOptionalTextFlag(
  "secret-env",
  "NAME",
  "The environment variable that has the signing secret; default: a new one, which is printed"
)

const timeoutMs = 15_000
/** The largest answer of a receiver, in bytes. */
const answerMax = 1024 * 1024

interface Delivered {
  readonly status_code: number | null
  readonly error: string | null
  readonly latency_ms: number
}

/** Posts an event with the headers and the form of signature that the server uses. */
const postEvent = Effect.fnUntraced(function* (to: string, secret: string, event: FeedEvent) {
  const began = yield* Clock.currentTimeMillis
  const [id, timestamp, body] = [`msg_${event.event_id}`, Math.floor(began / 1000), JSON.stringify(event)]
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": sign([secret], id, timestamp, body)
  }
  const answered = yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await limitFetch(answerMax)(to, { method: "POST", headers, body, signal })
      await response.arrayBuffer()
      return { status_code: response.status, error: null }
    },
    catch: describeFetchError
  }).pipe(
    Effect.timeoutOrElse({
      duration: Duration.millis(timeoutMs),
      orElse: () => Effect.fail(`no answer within ${timeoutMs / 1000} seconds`)
    }),
    Effect.catch((error) => Effect.succeed({ status_code: null, error }))
  )
  return { ...answered, latency_ms: (yield* Clock.currentTimeMillis) - began } satisfies Delivered as Delivered
})

const readSecretVariable = Effect.fnUntraced(function* (name: string) {
  const { env } = yield* Process
  const text = env[name] ?? ""
  if (text === "") return yield* usageFailure(`--secret-env names ${JSON.stringify(name)}, which is not set.`)
  const fault = secretFault(text)
  if (fault !== null) return yield* usageFailure(`--secret-env: ${fault}.`)
  return text
})

export const listen = Command.make(
  "listen",
  { forwardTo, secretEnv, ...asMerchant, ...followOptions },
  Effect.fnUntraced(function* (given) {
    const { colors, complain, say } = yield* Process
    const isJson = yield* PrintJson
    const to = URL.parse(given.forwardTo)
    if (to === null || !/^https?:$/.test(to.protocol))
      return yield* usageFailure(`--forward-to is ${JSON.stringify(given.forwardTo)}; it takes an http or https URL.`)
    const api = yield* openMerchantApi(given)
    const name = Option.getOrUndefined(given.secretEnv)
    const secret = name === undefined ? formatSecret(randomBytes(32)) : yield* readSecretVariable(name)
    if (isJson) say(JSON.stringify({ forward_to: to.href, ...(name === undefined ? { signing_secret: secret } : {}) }))
    else {
      say(`Events of ${api.url} go to ${to.href}`)
      if (name === undefined) say(`Signing secret of this run: ${secret}`)
    }
    const painted = (text: string, isGood: boolean): string =>
      colors ? `\u001b[${isGood ? 32 : 31}m${text}\u001b[0m` : text
    const last = yield* followEvents(api, given, (event) =>
      Effect.map(postEvent(to.href, secret, event), (delivered) => {
        const { event_id, event_object_id, event_type } = event
        if (isJson) return say(JSON.stringify({ event_id, event_type, event_object_id, ...delivered }))
        const { error, latency_ms, status_code } = delivered
        const answer = status_code === null ? String(error) : String(status_code)
        const isGood = status_code !== null && status_code >= 200 && status_code < 300
        say(`${event_type}  ${event_object_id}  ${event_id}  ${painted(answer, isGood)}  ${latency_ms} ms`)
      })
    )
    if (!isJson && last !== undefined) complain(`continue with --after ${last}`)
  })
).pipe(
  Command.withShortDescription("Forward the events of a running server to a receiver on this machine"),
  Command.withDescription(
    "Reads the events of a merchant from a running server and posts each to a receiver on this machine, signed as the server signs webhooks (Standard Webhooks), with a secret that it prints. It shows what the receiver answers. Each event is posted once, in the order of the feed. Nothing is registered at the server, and no port is opened."
  ),
  Command.withExamples([
    { command: "corridor listen --forward-to http://127.0.0.1:4000/webhooks --events offramp" },
    {
      command: "corridor listen --forward-to http://127.0.0.1:4000/ --after evt_01j9z3k4m5n6p7q8r9s0t1v2w3",
      description: "Continue after an earlier run"
    }
  ])
)
