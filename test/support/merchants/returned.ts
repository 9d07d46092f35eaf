/** Money that came back, in parts or not: what a merchant has, what its provider reports, and what is booked and open. */
import { Effect, Schema } from "effect"
import { toPortEvent } from "../../../src/adapters/provider/http/results.ts"
import type {
  MovementEvent,
  MovementOutcomeType,
  RefundReport,
  StatedPart
} from "../../../src/engine/ports/Provider.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { eventExamples } from "../../../scripts/provider-protocol/event-examples.ts"
import { Event } from "../../../src/protocol/events.ts"
import { booksBalance } from "../engines/every-store.ts"
import type { merchantAtWork } from "./merchant-at-work.ts"
import { merchantCollecting, merchantConverting, onrampsOf } from "./ramps.ts"

export type Reported = Partial<Pick<MovementEvent, "amount" | "currency" | "fee" | "parts" | "complete">>

export const part = (id: string, amount: string): StatedPart => ({ id, amount })

/** What changed in a class of accounts since it was asked first. */
const balances = Effect.map(
  booksBalance,
  (classes) => (name: string, currency: string) => BigInt(classes.get(`${name}/${currency}`) ?? "0")
)

export const watchBalances = Effect.fnUntraced(function* (
  ...accounts: ReadonlyArray<readonly [name: string, currency: string]>
) {
  const before = yield* balances
  return Effect.map(balances, (now) => accounts.map(([name, currency]) => now(name, currency) - before(name, currency)))
})

let serial = 0

/** Reports of a movement, each with an id of its own. */
const reporting =
  (id: string) =>
  (outcome: MovementOutcomeType, more: Reported = {}, event_id = `${id}.${++serial}`) =>
    Inbox.use((inbox) =>
      inbox.receive("simulated", {
        _tag: "movement",
        event_id,
        merchant_id: null,
        resource_id: id,
        outcome,
        reason: null,
        transaction_hash: null,
        ...more
      })
    )

/** A payout that was made. An offramp of 10 USDC pays 14100.37 naira; a transfer 10 USDC. */
export const payOut = Effect.fnUntraced(function* (
  kind: "offramp" | "transfer",
  ways: ReadonlyArray<MovementOutcomeType>
) {
  const m = yield* merchantConverting()
  const { id } = yield* kind === "offramp" ? m.offramp("10") : m.transfer("10")
  yield* m.settle
  const reports = reporting(id)
  for (const outcome of ways) yield* reports(outcome)
  return { m, id, reports }
})

/** An onramp of 150,000 naira that are being converted. The provider was given 149,250, and has charged 750. */
export const converted = Effect.gen(function* () {
  const m = yield* merchantCollecting
  const { id } = yield* m.onramp()
  yield* m.pays(id, "150000")
  yield* m.settle
  return { m, id, reports: reporting(id) }
})

/** An onramp of which 50 naira go back to the payer, and what a connector says of it, as it is on the wire. */
export const refunding = Effect.fnUntraced(function* () {
  const m = yield* merchantConverting()
  const ramps = yield* onrampsOf(m)
  yield* m.refunds("accept")
  const { id } = yield* ramps.onramp()
  yield* ramps.pays(id, "50")
  yield* m.settle
  const reports = (figures: Reported, outcome = "success", provider = "simulated") => {
    const wire = {
      ...eventExamples.refund,
      amount: null,
      ...figures,
      outcome,
      id: `${id}.${++serial}`,
      resource_id: id
    }
    const event = toPortEvent(Schema.decodeUnknownSync(Event)(wire)) as RefundReport
    const command_id = `${id}.refund`
    return Inbox.use((inbox) => inbox.receive(provider, { ...event, merchant_id: m.merchant_id, command_id }))
  }
  return { m, id, reports }
})

type Merchant = Pick<Effect.Success<ReturnType<typeof merchantAtWork>>, "exceptions">

export const open = ({ exceptions }: Merchant) =>
  Effect.map(exceptions, (all) =>
    all.map(({ amount, exposure, reason, severity }) => [reason, severity, amount, exposure?.amount ?? null])
  )

export const offramp = [
  ["losses", "NGN"],
  ["suspense", "NGN"]
] as const
export const transfer = [["suspense", "USDC"]] as const

export const [first, second, third] = [part("a", "10000"), part("b", "4000"), part("c", "100.37")] as const
