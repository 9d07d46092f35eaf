import { describe, expect, it } from "vitest"
import { sign } from "../../src/engine/crypto/signing.ts"
import {
  correctDeposit,
  type FeedReader,
  feedOf,
  makeReceiver,
  memoryReceiverStore,
  type ReceivedEvent,
  type ReceiverOptions,
  verifyDelivery
} from "../../src/receiver/index.ts"
import { covers } from "../support/repository/covers.ts"

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`
const other = `whsec_${Buffer.alloc(32, 2).toString("base64")}`
const NOW = Date.UTC(2026, 0, 1)

let made = 0
const event = (type: string, sequence = 1, more: Partial<ReceivedEvent> = {}): ReceivedEvent => ({
  event_id: `evt_${++made}`,
  event_type: type,
  event_category: type.split(".")[0]!,
  event_developer_id: "int_1",
  api_version: "v1",
  event_created_at: "2026-01-01T00:00:00.000Z",
  event_object_id: "obj_1",
  event_object_status: type.split(".")[1]!,
  event_object_changes: null,
  event_sequence: sequence,
  event_object: { id: "obj_1", reported: type },
  ...more
})

const headersOf = (
  body: string,
  id: string,
  { secrets = [secret], at = NOW }: { readonly secrets?: ReadonlyArray<string>; readonly at?: number } = {}
) => ({
  "webhook-id": id,
  "webhook-timestamp": String(at / 1000),
  "webhook-signature": sign(secrets, id, at / 1000, body)
})

const delivery = (given: ReceivedEvent, options?: Parameters<typeof headersOf>[2]) => {
  const body = JSON.stringify(given)
  return [body, headersOf(body, `msg_${given.event_id}`, options)] as const
}

const receiving = (more: Partial<ReceiverOptions<undefined>> = {}) => {
  const store = memoryReceiverStore()
  return { store, ...makeReceiver({ secrets: [secret], store, now: () => NOW, ...more }) }
}

describe("an event", () => {
  it("with the number of the one before is late: another event may not replace what is known", async () => {
    const { take } = receiving()
    await take(event("transfer.processing", 2))
    expect(await take(event("transfer.success", 2))).toBe("late")
    expect(await take(event("transfer.success", 3))).toBe("applied")
  })

  it.each([
    ["a number of 0", { event_sequence: 0 }],
    ["a broken number", { event_sequence: 1.5 }],
    ["no object", { event_object: null }],
    ["a text for an object", { event_object: "obj_1" }],
    ["an empty id", { event_id: "" }]
  ])("with %s is none, although it is signed", async (_, more) => {
    const { receive } = receiving()
    const [body, headers] = delivery({ ...event("transfer.processing"), ...more } as ReceivedEvent)
    expect(await receive(body, headers)).toMatchObject({ status: 401 })
  })
})

describe("a delivery", () => {
  it("is accepted when it is signed for this receiver: body as string or bytes, headers of any kind", async () => {
    const { receive } = receiving()
    const [body, headers] = delivery(event("transfer.processing"))
    expect(await receive(body, headers)).toMatchObject({ status: 200, effect: "applied" })
    const [again, others] = delivery(event("transfer.success", 2))
    expect(await receive(Buffer.from(again), new Headers(others))).toMatchObject({ status: 200, effect: "applied" })
    const [third, shouted] = delivery(event("transfer.processing", 1, { event_object_id: "obj_2" }))
    const upper = Object.fromEntries(Object.entries(shouted).map(([name, value]) => [name.toUpperCase(), value]))
    expect(await receive(third, upper)).toMatchObject({ status: 200, effect: "applied" })
  })

  it("signed with both secrets of a rotation is accepted with either", async () => {
    const given = delivery(event("transfer.processing"), { secrets: [other, secret] })
    expect(await receiving().receive(...given)).toMatchObject({ status: 200 })
    expect(await receiving({ secrets: [other] }).receive(...given)).toMatchObject({ status: 200 })
  })

  const [body, headers] = delivery(event("transfer.processing"))
  const signedBody = (text: string, id: string) => [text, headersOf(text, id)] as const
  const refused = {
    "of another secret": [...delivery(event("transfer.processing"), { secrets: [other] }), "mismatch"],
    "whose body was changed": [`${body} `, headers, "mismatch"],
    "whose id was changed": [body, { ...headers, "webhook-id": "msg_evt_0" }, "mismatch"],
    "whose time was changed": [body, { ...headers, "webhook-timestamp": String(NOW / 1000 + 1) }, "mismatch"],
    "without a signature": [body, { ...headers, "webhook-signature": undefined }, "missing"],
    "whose header came twice": [
      body,
      { ...headers, "webhook-id": [headers["webhook-id"], headers["webhook-id"]] },
      "missing"
    ],
    "whose time is not a number": [body, { ...headers, "webhook-timestamp": "now" }, "malformed"],
    "of five minutes and a second ago": [...delivery(event("transfer.processing"), { at: NOW - 301_000 }), "stale"],
    "of five minutes and a second from now": [
      ...delivery(event("transfer.processing"), { at: NOW + 301_000 }),
      "stale"
    ],
    "that is signed and names another event in its header": [...signedBody(body, "msg_evt_0"), "id"],
    "that is signed and is not JSON": [...signedBody("hello", "msg_evt_0"), "id"],
    "that is signed and is not an event": [...signedBody('{"event_id":"evt_0"}', "msg_evt_0"), "id"]
  } as const
  covers("SIGNATURE-2", "SIGNATURE-3", "SIGNATURE-4", "SIGNATURE-5", "SIGNATURE-7")
  it.each(Object.entries(refused))("%s is rejected, and nothing is stored", async (_, [text, given, fault]) => {
    const { receive, store } = receiving()
    expect(await receive(text, given)).toEqual({ status: 401, fault })
    expect(store.objects.size).toBe(0)
  })

  covers("SIGNATURE-6")
  it.each([-300_000, 300_000])("signed %d ms off the receiver's clock is accepted", async (off) => {
    expect(await receiving().receive(...delivery(event("transfer.processing"), { at: NOW + off }))).toMatchObject({
      status: 200
    })
  })
})

describe("an event", () => {
  it("is handled once, however often it arrives", async () => {
    const handled: Array<string> = []
    const { receive } = receiving({ handler: ({ event_id }) => void handled.push(event_id) })
    const given = delivery(event("transfer.processing"))
    expect(
      (await Promise.all([receive(...given), receive(...given), receive(...given)])).map(
        (one) => "effect" in one && one.effect
      )
    ).toEqual(["applied", "duplicate", "duplicate"])
    expect(handled).toHaveLength(1)
  })

  it("counts as not handled when its handler rejects, and can be delivered again", async () => {
    let failing = true
    const { take, store } = receiving({
      handler: () => {
        if (failing) throw new Error("the database is away")
      }
    })
    const given = event("transfer.processing")
    await expect(take(given)).rejects.toThrow("the database is away")
    expect(store.objects.size).toBe(0)
    failing = false
    expect(await take(given)).toBe("applied")
    expect(store.objects.get("obj_1")).toMatchObject({ status: "processing", sequence: 1 })
  })

  it("that arrives late is passed to the handler with the current object", async () => {
    const reported: Array<unknown> = []
    const { take } = receiving({
      handler: (one, { effect, held }) => void reported.push([one.event_type, effect, held.status])
    })
    await take(event("transfer.success", 2))
    await take(event("transfer.processing", 1))
    expect(reported).toEqual([
      ["transfer.success", "applied", "success"],
      ["transfer.processing", "late", "success"]
    ])
  })

  const after = (type: string, next: string) => [type, next] as const
  covers("EVENT-27")
  it.each([
    after("onramp.success", "onramp.returned"),
    after("offramp.failed", "offramp.returned"),
    after("offramp.returned", "offramp.success"),
    after("offramp.success", "offramp.failed"),
    after("conversion.success", "conversion.failed"),
    after("transfer.failed", "transfer.success"),
    after("deposit.confirmed", "deposit.failed"),
    after("kyc.rejected", "kyc.approved")
  ])("does not move an object out of a terminal status: %s, then %s", async (type, next) => {
    const { take, store } = receiving()
    await take(event(type, 4))
    expect(await take(event(next, 5))).toBe("contradicting")
    expect(store.objects.get("obj_1")).toMatchObject({
      status: type.split(".")[1],
      sequence: 4,
      object: { reported: type }
    })
  })

  it("of a return moves an offramp from success to returned", async () => {
    const { take, store } = receiving()
    await take(event("offramp.success", 4))
    expect(await take(event("offramp.returned", 5))).toBe("applied")
    expect(store.objects.get("obj_1")).toMatchObject({ status: "returned" })
  })

  covers("ONRAMP-10")
  it.each([
    ["in order", [2, 3, 4, 5]],
    ["with its end first", [5, 2, 3, 4]],
    ["with its failure last", [5, 4, 3, 2]],
    ["with its end before it was revived", [2, 5, 3, 4]]
  ])("of an onramp that an operator has revived moves it out of failed, %s", async (_, order) => {
    const { take, store } = receiving()
    const all = new Map([
      [2, event("onramp.failed", 2)],
      [3, event("onramp.funds_received", 3, { event_object_status: "failed" })],
      [4, event("onramp.processing", 4)],
      [5, event("onramp.success", 5)]
    ])
    for (const sequence of order) expect(await take(all.get(sequence)!)).not.toBe("contradicting")
    expect(store.objects.get("obj_1")).toMatchObject({ status: "success", sequence: 5 })
  })

  it("of a ping concerns no object", async () => {
    const { take, store } = receiving()
    expect(await take(event("ping", 1, { event_category: "ping" }))).toBe("ping")
    expect(store.objects.size).toBe(0)
  })
})

describe("a conversion", () => {
  const deposit = {
    category: "deposit",
    status: "held",
    sequence: 2,
    object: {
      id: "txn_1",
      status: "processing",
      metadata: { sender_name: "Chidi", hold_reason: "payin_frozen" },
      source_amount: "15000.00",
      destination_amount: null,
      quoted_received_amount: null,
      received_amount: null,
      transaction_hash: null,
      updated_at: "2026-01-01T00:00:00.000Z"
    }
  }
  const conversion = (parent_transaction_id: string | null) => ({
    category: "conversion",
    status: "success",
    sequence: 4,
    object: {
      parent_transaction_id,
      source_amount: "12000.00",
      destination_amount: "7.90",
      created_at: "2026-01-02T00:00:00.000Z",
      updated_at: "2026-01-03T00:00:00.000Z"
    }
  })

  covers("EVENT-30")
  it("corrects the deposit that it converts, which has no more events", () => {
    expect(correctDeposit(deposit, conversion("txn_1"))).toEqual({
      ...deposit,
      status: "received",
      object: {
        ...deposit.object,
        status: "received",
        metadata: { sender_name: "Chidi" },
        source_amount: "12000.00",
        destination_amount: "7.90",
        quoted_received_amount: "7.90",
        received_amount: "7.90",
        updated_at: "2026-01-02T00:00:00.000Z"
      }
    })
  })

  it.each([["txn_2"], [null]])("of another deposit, %s, says nothing of it", (parent) => {
    expect(correctDeposit(deposit, conversion(parent))).toBe(deposit)
  })
})

describe("the feed", () => {
  const answers = (...all: ReadonlyArray<readonly [number, unknown]>) => {
    const asked: Array<string> = []
    let next = 0
    const ask = (async (url: URL, init: RequestInit) => {
      asked.push(`${url.pathname}${url.search} ${new Headers(init.headers).get("authorization")}`)
      const [status, data] = all[next++]!
      return new Response(JSON.stringify(data), { status })
    }) as typeof fetch
    return { asked, feed: feedOf({ base_url: "http://corridor.test", api_key: "sk_test_1", fetch: ask }) }
  }

  it("is read from the last position until it is empty, and handled like deliveries", async () => {
    const [first, second] = [event("transfer.processing", 1), event("transfer.success", 2)]
    const { asked, feed } = answers(
      [200, { data: [first] }],
      [200, { data: [second] }],
      [200, { data: [] }],
      [200, { data: [] }]
    )
    const { catchUp, take, store } = receiving()
    await take(second)
    expect(await catchUp(feed)).toBe(1)
    expect(await catchUp(feed)).toBe(0)
    expect(store.objects.get("obj_1")).toMatchObject({ status: "success" })
    const path = "/v1/notifications/events/feed?limit=200"
    expect(asked).toEqual(
      [
        path,
        `${path}&after=${first.event_id}`,
        `${path}&after=${second.event_id}`,
        `${path}&after=${second.event_id}`
      ].map((one) => `${one} Bearer sk_test_1`)
    )
  })

  it("is read again from the event that its handler rejected", async () => {
    const [first, second, third] = [event("transfer.processing", 1), event("transfer.failed", 2), event("x.y", 3)]
    const feed: FeedReader = async (after) => {
      const all = [first, second, third]
      return all.slice(all.findIndex(({ event_id }) => event_id === after) + 1)
    }
    const seen: Array<string> = []
    let left = 1
    const store = memoryReceiverStore()
    const { catchUp } = makeReceiver({
      secrets: [],
      store,
      handler: ({ event_id }) => {
        if (event_id === second.event_id && left-- > 0) throw new Error("its database is away")
        seen.push(event_id)
      }
    })
    await expect(catchUp(feed)).rejects.toThrow("its database is away")
    expect(seen).toEqual([first.event_id])
    expect(await catchUp(feed)).toBe(2)
    expect(seen).toEqual([first, second, third].map(({ event_id }) => event_id))
    expect(await store.cursor()).toBe(third.event_id)
    expect(await catchUp(feed)).toBe(0)
  })

  it("reports why it cannot be read, and is read again from the same position", async () => {
    const { feed } = answers([401, { code: "authentication_failed", message: "no", data: null }])
    await expect(receiving().catchUp(feed)).rejects.toThrow("the feed returned HTTP 401 authentication_failed: no")
  })

  it("is read below the path of the service", async () => {
    const asked: Array<string> = []
    const ask = (async (url: URL) => {
      asked.push(url.href)
      return Response.json({ data: [] })
    }) as typeof fetch
    await feedOf({ base_url: "https://pay.example/corridor/", api_key: "sk_1", fetch: ask })(undefined)
    expect(asked).toEqual(["https://pay.example/corridor/v1/notifications/events/feed?limit=200"])
  })

  it("is not waited for longer than its time, if fetch does not heed its signal", async () => {
    const silent = (() => new Promise(() => {})) as unknown as typeof fetch
    const feed = feedOf({ base_url: "http://corridor.test", api_key: "sk_1", fetch: silent, timeout_ms: 20 })
    await expect(feed(undefined)).rejects.toThrow("aborted due to timeout")
  })

  it.each<[string, string]>([
    ["a page of a proxy", "<html>Bad gateway</html>"],
    ["null", "null"],
    ["nothing", ""]
  ])("says what its status was where the answer is %s", async (_, text) => {
    const ask = (async () => new Response(text, { status: 502 })) as unknown as typeof fetch
    const feed = feedOf({ base_url: "http://corridor.test", api_key: "sk_1", fetch: ask })
    await expect(feed(undefined)).rejects.toThrow("the feed returned HTTP 502 : no envelope")
  })
})

describe("an option that does not exist is refused, and not dropped", () => {
  /** A value as JavaScript gives it. */
  const js = (value: unknown) => value as never
  const store = memoryReceiverStore()
  const feed = { base_url: "http://corridor.test", api_key: "sk_1" }

  it.each<[() => unknown, string]>([
    [() => makeReceiver(js({ secret, store })), "`secret` is not an option of makeReceiver. Did you mean `secrets`?"],
    [
      () => makeReceiver(js({ secrets: [secret], store, onEvent: () => {} })),
      "`onEvent` is not an option of makeReceiver. It takes `secrets`, `now`, `store`, `handler`."
    ],
    [() => makeReceiver(js({ secrets: [secret] })), "makeReceiver: store is not set; it takes an object"],
    [
      () => makeReceiver(js({ secrets: [secret], store, now: 0 })),
      "makeReceiver: now is a number; it takes a function"
    ],
    [
      () => verifyDelivery("{}", {}, js({ secret })),
      "`secret` is not an option of verifyDelivery. Did you mean `secrets`?"
    ],
    [() => verifyDelivery("{}", {}, js([secret])), "the options of verifyDelivery are a list; they are an object"],
    [
      () => feedOf(js({ ...feed, baseUrl: feed.base_url })),
      "`baseUrl` is not an option of feedOf. Did you mean `base_url`?"
    ],
    [() => feedOf(js({ base_url: feed.base_url })), "feedOf: api_key is not set; it takes a string"]
  ])("%s", (make, message) => {
    expect(make).toThrow(new TypeError(message))
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])(
    "nor is a time that no timer takes, %d",
    (timeout_ms) => {
      expect(() => feedOf({ ...feed, timeout_ms })).toThrow(
        new RangeError(`feedOf: timeout_ms is ${timeout_ms}; a whole number from 1 to 2147483647 is required`)
      )
    }
  )
})
