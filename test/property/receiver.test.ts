/** What a receiver of `corridor/receiver` comes to, whatever is lost, repeated or out of order on the way. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { EventBody } from "../../src/engine/representations/webhooks/event.ts"
import { sign } from "../../src/engine/crypto/signing.ts"
import type { Delivery } from "../../src/engine/ports/WebhookSink.ts"
import {
  correctDeposit,
  makeReceiver,
  memoryReceiverStore,
  type ReceivedEvent,
  type ReceiverStore
} from "../../src/receiver/index.ts"
import { episodes, type History, playHistory } from "../support/merchants/histories.ts"
import { covers } from "../support/repository/covers.ts"
import { triesOf } from "../support/properties/tries.ts"

const NOW = Date.UTC(2026, 0, 1)
const signed = ({ secrets, message_id, body }: Delivery, at = NOW) => ({
  "webhook-id": message_id,
  "webhook-timestamp": String(at / 1000),
  "webhook-signature": sign(secrets, message_id, at / 1000, body)
})

const receiverOf = (history: History, store: ReceiverStore, handled: Array<ReceivedEvent> = []) =>
  makeReceiver({
    secrets: history.deliveries[0]!.secrets,
    store,
    now: () => NOW,
    handler: (event) => void handled.push(event)
  })

/** The feed as the service pages it, over events that are all there. */
const feedOver = (feed: ReadonlyArray<ReceivedEvent>, limit: number) => async (after: string | undefined) => {
  const from = after === undefined ? 0 : feed.findIndex(({ event_id }) => event_id === after) + 1
  return feed.slice(from, from + limit)
}

/**
 * An onramp whose failure was published when its quote expired, and that could not be refunded after it was revived: no event is
 * published twice (ONRAMP-10).
 */
const isUntold = ({ feed }: History, id: string, { failure_reason }: Readonly<Record<string, unknown>>): boolean =>
  failure_reason === "refund_failed" &&
  feed.some(
    ({ event_object, event_object_id, event_type }) =>
      event_type === "onramp.failed" && event_object_id === id && event_object["failure_reason"] === "quote_expired"
  )

/** Every member of what the API shows is in what is held, as it is there: of a deposit, with what its conversion says of it. */
const expectShown = (history: History, objects: ReturnType<typeof memoryReceiverStore>["objects"]): void => {
  expect([...objects.keys()].toSorted()).toEqual([...history.shown.keys()].toSorted())
  const conversions = [...objects.values()].filter(({ category }) => category === "conversion")
  for (const [id, body] of history.shown) {
    const held = conversions.reduce(correctDeposit, objects.get(id)!)
    if (isUntold(history, id, body)) expect(held.status, id).toBe("processing")
    else expect(held.object, id).toMatchObject(body)
  }
}

/** Histories, and an order in which their deliveries come: some of them again, and, where `lossy`, some of them never. */
const arrivals = (lossy: boolean) =>
  fc.tuple(episodes, fc.infiniteStream(fc.nat()), fc.infiniteStream(fc.integer({ min: lossy ? 0 : 1, max: 3 })))

const shuffled = <A>(all: ReadonlyArray<A>, order: fc.Stream<number>, times: fc.Stream<number>): ReadonlyArray<A> =>
  all
    .flatMap((one) => Array.from({ length: times.next().value }, () => one))
    .map((one) => ({ one, at: order.next().value }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one)

covers("EVENT-27", "DELIVERY-4", "DELIVERY-5")
describe("a receiver", () => {
  it("comes to the state the API shows from deliveries in any order, any number of times", async () => {
    await fc.assert(
      fc.asyncProperty(arrivals(false), async ([all, order, times]) => {
        const history = await playHistory(all)
        const store = memoryReceiverStore()
        const handled: Array<ReceivedEvent> = []
        const receiver = receiverOf(history, store, handled)
        for (const delivery of shuffled(history.deliveries, order, times)) {
          expect((await receiver.receive(delivery.body, signed(delivery))).status).toBe(200)
        }
        expectShown(history, store.objects)
        expect(handled.map(({ event_id }) => event_id).toSorted()).toEqual(
          history.feed.map(({ event_id }) => event_id).toSorted()
        )
      }),
      { numRuns: triesOf(40) }
    )
  })

  it("comes to the same from deliveries that all come at once", async () => {
    await fc.assert(
      fc.asyncProperty(arrivals(false), async ([all, order, times]) => {
        const history = await playHistory(all)
        const store = memoryReceiverStore()
        const receiver = receiverOf(history, store)
        const taken = await Promise.all(
          shuffled(history.deliveries, order, times).map((delivery) =>
            receiver.receive(delivery.body, signed(delivery))
          )
        )
        const fresh = taken.filter((one) => one.status === 200 && one.effect !== "duplicate")
        expect(fresh).toHaveLength(history.feed.length)
        expectShown(history, store.objects)
      }),
      { numRuns: triesOf(15) }
    )
  })

  it("catches up by the feed on what was never delivered, and handles nothing again", async () => {
    await fc.assert(
      fc.asyncProperty(arrivals(true), fc.integer({ min: 1, max: 5 }), async ([all, order, times], limit) => {
        const history = await playHistory(all)
        const store = memoryReceiverStore()
        const handled: Array<ReceivedEvent> = []
        const receiver = receiverOf(history, store, handled)
        for (const delivery of shuffled(history.deliveries, order, times))
          await receiver.receive(delivery.body, signed(delivery))
        const before = handled.length
        expect(await receiver.catchUp(feedOver(history.feed, limit))).toBe(history.feed.length - before)
        expectShown(history, store.objects)
        expect(await receiver.catchUp(feedOver(history.feed, limit))).toBe(0)
        expect(new Set(handled.map(({ event_id }) => event_id)).size).toBe(handled.length)
      }),
      { numRuns: triesOf(25) }
    )
  })

  it("holds each object at the furthest of what has come, and never goes back, at any moment of any order", async () => {
    await fc.assert(
      fc.asyncProperty(arrivals(true), async ([all, order, times]) => {
        const history = await playHistory(all)
        const store = memoryReceiverStore()
        const receiver = receiverOf(history, store)
        const furthest = new Map<string, number>()
        for (const delivery of shuffled(history.deliveries, order, times)) {
          await receiver.receive(delivery.body, signed(delivery))
          const { event_object_id: id, event_sequence } = JSON.parse(delivery.body) as ReceivedEvent
          furthest.set(id, Math.max(furthest.get(id) ?? 0, event_sequence))
          expect(store.objects.get(id)!.sequence).toBe(furthest.get(id))
        }
      }),
      { numRuns: triesOf(15) }
    )
  })
})

it("the engine's envelope is the receiver's event", () => {
  const given: EventBody = {
    event_id: "evt_1",
    event_type: "transfer.success",
    event_category: "transfer",
    event_developer_id: "int_1",
    api_version: "v1",
    event_created_at: "2026-01-01T00:00:00.000Z",
    event_object_id: "tfr_1",
    event_object_status: "success",
    event_object_changes: { status: ["processing", "success"] },
    event_sequence: 2,
    event_object: {}
  }
  const received: ReceivedEvent = given
  expect(received).toBe(given)
})
