/**
 * Messages of Amazon SNS, by which a company notifies. Every URL in a message is its sender's: only the certificate of SNS itself is read, and a
 * subscription is confirmed by a URL of our own.
 */
import { verify, X509Certificate } from "node:crypto"
import { Effect, Schema } from "effect"
import { checkOptions } from "../../../engine/input/options.ts"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { urlFault } from "../../../protocol/client.ts"
import type { Transport } from "../../../protocol/transport.ts"

/** What an operator says of a topic. */
export interface TopicOptions {
  /** The ARN of the SNS topic that the notifications come from. One of another topic does not count. */
  readonly topic_arn: string
  /** Where SNS is reached. Default: `https://sns.REGION.amazonaws.com`, the region being that of the topic. */
  readonly sns_url?: string
}

export interface Topic {
  readonly arn: string
  readonly region: string
  readonly sns_url: string
}

/** Errors: throws `TypeError` for an option `notifications` that cannot be used. */
export const readTopic = (owner: string, options: TopicOptions): Topic => {
  checkOptions(`notifications of ${owner}`, options, { topic_arn: "string", sns_url: "string?" })
  const { sns_url, topic_arn } = options
  const region = /^arn:aws:sns:([a-z0-9-]{1,30}):\d{12}:[\w-]{1,256}$/.exec(topic_arn)?.[1]
  if (region === undefined)
    throw new TypeError(
      `${owner}: notifications.topic_arn is ${JSON.stringify(topic_arn)}; it takes the ARN of an SNS topic, arn:aws:sns:REGION:ACCOUNT:NAME`
    )
  const url = sns_url ?? `https://sns.${region}.amazonaws.com`
  const wrong = urlFault(url)
  if (wrong !== null) throw new TypeError(`${owner}: notifications.sns_url: ${wrong}`)
  return { arn: topic_arn, region, sns_url: url.replace(/\/+$/, "") }
}

const Text = Schema.String
const Message = Schema.Struct({
  Type: Schema.Literals(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  ...{ MessageId: Text, TopicArn: Text, Message: Text, Timestamp: Text, Signature: Text, SigningCertURL: Text },
  SignatureVersion: Schema.Literals(["1", "2"]),
  ...{ Subject: Schema.optionalKey(Schema.NullOr(Text)), Token: Schema.optionalKey(Text) },
  SubscribeURL: Schema.optionalKey(Text)
})
type Message = typeof Message.Type

const messageIn = Schema.decodeUnknownOption(Schema.fromJsonString(Message))

/** A message is taken so long before and after its time, milliseconds. */
const toleranceMs = 3_600_000
/** The least time between two certificates that are read, milliseconds: what a stranger sends causes no more. */
const pauseMs = 10_000
const certificatesMax = 8

/** The text that is signed: the name and the value of each of these members that it has. */
const composeText = (message: Message): string =>
  (message.Type === "Notification"
    ? (["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"] as const)
    : (["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"] as const)
  )
    .flatMap((name) => (typeof message[name] === "string" ? [`${name}\n${message[name]}\n`] : []))
    .join("")

/**
 * Reads a message. Undefined: it does not count. A subscription of the topic is confirmed.
 *
 * Errors: `ProviderFault` when SNS does not answer: nothing is known, and the message must be sent again.
 */
export const makeSnsReader = ({ arn, region, sns_url }: Topic, transport: Transport) => {
  const certificates = new Map<string, X509Certificate>()
  const name = new RegExp(
    `^https://sns\\.${region}\\.amazonaws\\.com(/SimpleNotificationService-[0-9a-zA-Z]{1,64}\\.pem)$`
  )
  let asked_at = Number.NEGATIVE_INFINITY
  const get = Effect.fnUntraced(function* (path: string) {
    const request = { method: "GET", url: `${sns_url}${path}`, headers: {}, body: "" }
    const { body, status } = yield* Effect.mapError(
      transport(request),
      ({ message }) => new ProviderFault({ message: `SNS does not answer: ${message}` })
    )
    if (status !== 200) return yield* new ProviderFault({ message: `SNS answered ${status}` })
    return body
  })
  const certificate = Effect.fnUntraced(function* (path: string) {
    const kept = certificates.get(path)
    if (kept !== undefined) return kept
    const now = yield* wallNow
    if (now - asked_at < pauseMs) return yield* new ProviderFault({ message: "another certificate was just read" })
    asked_at = now
    const bytes = yield* get(path)
    const read = yield* Effect.try({
      try: () => new X509Certificate(bytes),
      catch: () => new ProviderFault({ message: "SNS answered with no certificate" })
    })
    if (certificates.size >= certificatesMax) certificates.clear()
    certificates.set(path, read)
    return read
  })

  return Effect.fnUntraced(function* (text: string): Effect.fn.Return<Message | undefined, ProviderFault> {
    const found = messageIn(text)
    if (found._tag === "None" || found.value.TopicArn !== arn) return undefined
    const message = found.value
    const path = name.exec(message.SigningCertURL)?.[1]
    const now = yield* wallNow
    if (path === undefined || !(Math.abs(now - Date.parse(message.Timestamp)) <= toleranceMs)) return undefined
    const { publicKey, validFrom, validTo } = yield* certificate(path)
    const algorithm = message.SignatureVersion === "2" ? "sha256" : "sha1"
    const isSigned = verify(
      algorithm,
      Buffer.from(composeText(message)),
      publicKey,
      Buffer.from(message.Signature, "base64")
    )
    if (!isSigned || now < Date.parse(validFrom) || now > Date.parse(validTo)) return undefined
    if (message.Type === "SubscriptionConfirmation") {
      const query = new URLSearchParams({ Action: "ConfirmSubscription", TopicArn: arn, Token: message.Token ?? "" })
      yield* get(`/?${query}`)
    }
    return message
  })
}
