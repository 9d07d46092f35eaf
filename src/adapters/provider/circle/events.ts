/** Notifications, which are a reason to look up, and the sweep, which needs none of them. */
import { Effect, Schema } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { EventSources, NoEvent, ProviderEvent, UnreadableEvent } from "../../../engine/ports/Provider.ts"
import type { Transport } from "../../../protocol/transport.ts"
import { toStorableText, readJson } from "../company/client.ts"
import type { Reports } from "../company/reports.ts"
import { makeSweep } from "../company/sweep.ts"
import type { ListedPart } from "./calls.ts"
import { type BankPayout, stateOf } from "./mapping.ts"
import { makeNotifications } from "./notifications.ts"
import { type CirclePayins, failWithFirst, faultsOf, unreadFaults } from "./payins.ts"
import type { CircleParts, CirclePayouts } from "./payouts.ts"

const Subject = Schema.optionalKey(Schema.Struct({ id: Schema.String.check(Schema.isPattern(/^[\w-]{1,80}$/)) }))
const notificationIn = Schema.decodeUnknownOption(
  Schema.Struct({ notificationType: Schema.String, transfer: Subject, payout: Subject })
)
const none: NoEvent = { _tag: "none" }

/** Money that was paid may come back so long after, milliseconds. */
const returnsMs = 35 * 24 * 3_600_000
export const makeEvents = (
  { calls, config, round, submissions }: CircleParts,
  { lookAgain }: CirclePayouts,
  payins: CirclePayins,
  reports: Reports,
  transport: Transport
): EventSources => {
  const read = config.topic === undefined ? undefined : makeNotifications(config.topic, transport)
  const commandOf = (id: string) => submissions.ofPayment("payout", id)

  const report = Effect.fnUntraced(function* (
    text: string
  ): Effect.fn.Return<ProviderEvent | UnreadableEvent | NoEvent, ProviderFault> {
    const json = readJson(text)
    const found = notificationIn(json)
    if (found._tag === "None")
      return {
        _tag: "unreadable",
        content: json ?? toStorableText(text, 2000),
        fault: "it is no notification of Circle's"
      }
    const { payout, transfer } = found.value
    const id = transfer?.id ?? payout?.id
    const sent = id === undefined ? undefined : yield* commandOf(id)
    if (sent !== undefined) return (yield* lookAgain(sent)) ?? none
    return transfer === undefined ? none : ((yield* payins.report(yield* calls.transfer(transfer.id))) ?? none)
  })

  /** Looks at what came back. A payout that cannot be read is named, and holds up no other. */
  const returned = Effect.gen(function* () {
    const faults: Array<string> = []
    yield* round<ListedPart<BankPayout>>({
      name: "returns",
      fromOf: (_, now) => Effect.succeed(now - returnsMs),
      list: calls.readable("payout"),
      read: ({ items, unread }) =>
        Effect.gen(function* () {
          const back = items.filter((one) => stateOf(one).endsWith("return complete"))
          const ends = yield* Effect.forEach(back, (payout) =>
            Effect.result(
              Effect.flatMap(commandOf(payout.id), (sent) =>
                sent !== undefined && sent.state !== stateOf(payout) ? lookAgain(sent) : Effect.succeed(null)
              )
            )
          )
          faults.push(...faultsOf(ends), ...unreadFaults("payout", unread))
        })
    })
    yield* failWithFirst(faults)
  })

  const swept = makeSweep(submissions, lookAgain, [returned, ...payins.sweeps])

  return {
    ...(read && {
      decode: Effect.fnUntraced(function* (_headers: object, body: string) {
        const message = yield* read(body)
        return message === undefined
          ? undefined
          : message.Type === "Notification"
            ? yield* report(message.Message)
            : none
      })
    }),
    after: Effect.fnUntraced(function* (cursor: string | null) {
      const fault = yield* swept
      return { ...(yield* reports.after(cursor)), fault }
    }),
    interval_ms: config.events_interval_ms
  }
}
