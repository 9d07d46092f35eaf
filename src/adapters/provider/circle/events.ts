/** Notifications, which are a reason to look up, and the sweep, which needs none of them. */
import { Effect, Schema } from "effect"
import type { EventSources } from "../../../engine/ports/Provider.ts"
import { PlainId, readerOf } from "../company/answers.ts"
import type { ListedItem } from "../company/lists.ts"
import { makeSnsReader } from "../company/sns.ts"
import { makeCallbackReader, makeEventSources, makeReturnsSweep, makeSweep } from "../company/sweep.ts"
import { unreadFault } from "./calls.ts"
import { BankPayout, stateOf } from "./mapping.ts"
import type { CirclePayins } from "./payins.ts"
import type { CircleParts, CirclePayouts } from "./payouts.ts"

const Subject = Schema.optionalKey(Schema.Struct({ id: PlainId }))
const Notification = Schema.Struct({ notificationType: Schema.String, transfer: Subject, payout: Subject })

export const makeEvents = (parts: CircleParts, { lookAgain }: CirclePayouts, payins: CirclePayins): EventSources => {
  const { calls, config, reports, rounds, submissions, transport } = parts
  const commandOf = (id: string) => submissions.ofPayment("payout", id)

  const report = makeCallbackReader(
    Notification,
    "notification of Circle's",
    Effect.fnUntraced(function* ({ payout, transfer }) {
      const id = transfer?.id ?? payout?.id
      const sent = id === undefined ? undefined : yield* commandOf(id)
      if (sent !== undefined) return yield* lookAgain(sent)
      // One of another environment, which has the same topic, is none of this account's.
      const named = transfer && (yield* calls.named(transfer.id))
      return named === undefined ? null : yield* payins.report(named)
    })
  )

  const readPayout = readerOf(BankPayout)
  /** Looks at what came back. A payout that cannot be read is named, and holds up no other. */
  const returned = makeReturnsSweep<ListedItem>(
    rounds,
    {
      ...{ name: "returns", list: calls.listed("payout"), nameOf: ({ id }) => id },
      stateOf: (item) => stateOf(readPayout(item)!),
      commandOf: (item) => {
        const payout = readPayout(item)
        if (payout === undefined) return Effect.fail(unreadFault("payout", item))
        return stateOf(payout).endsWith("return complete") ? commandOf(payout.id) : Effect.undefined
      }
    },
    lookAgain
  )

  const read = config.topic === undefined ? undefined : makeSnsReader(config.topic, transport)
  const decode = Effect.fnUntraced(function* (_headers: object, body: string) {
    const message = yield* read!(body)
    if (message === undefined) return undefined
    return message.Type === "Notification" ? yield* report(message.Message) : ({ _tag: "none" } as const)
  })
  const swept = makeSweep(submissions, lookAgain, [returned, ...payins.sweeps])
  return makeEventSources(read && decode, swept, reports, config.events_interval_ms)
}
