/** A sceptical customer's walk: what was done with money is what is shown and told in events, to the last digit. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeHeldDeposit } from "../../support/http/successful-requests.ts"
import { evm, type Stock, startStocked } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

const data = async (path: string): Promise<any> => {
  const { json, status, text } = await s.api.ask(path)
  expect(status, text).toBe(200)
  return json.data
}
const outcome = (resource_id: string, outcome: string, more: object = {}) =>
  s.make("/sandbox/outcomes", { resource_id, outcome, ...more })
const transfer = (more: object = {}) =>
  s.make("/v1/transfers", { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1", ...more })
const offramp = async (more: object = {}) =>
  s.make("/v1/offramps", { quote_id: (await s.quote({ source_amount: "10" })).id, ...more })
const eventsOf = async (id: string): Promise<Array<any>> =>
  (await data(`/v1/notifications/events?event_object_id=${id}`)).reverse()
/** Type, status, change and number of each event. */
const publishedOf = async (id: string) =>
  (await eventsOf(id)).map((e) => [
    e.event_type,
    e.event_object_status,
    e.event_object_changes?.status ?? null,
    e.event_sequence
  ])

describe("amounts", () => {
  covers("AMOUNT-2", "AMOUNT-3")
  it.each([
    ["1", "1.00"],
    ["01", "1.00"],
    ["000000000000000001", "1.00"],
    ["1.5", "1.50"],
    ["1.50", "1.50"],
    ["1.500000000000000000", "1.50"]
  ])("%s USDC comes back as %s", async (amount, shown) => {
    expect((await transfer({ amount })).amount).toBe(shown)
  })

  covers("AMOUNT-2")
  it("of a deposit are returned with all their decimals", async () => {
    const { transaction_id } = await s.make("/sandbox/deposits", { wallet_id: s.customer_wallet, amount: "0.234567" })
    expect(await data(`/v1/transactions/${transaction_id}`)).toMatchObject({
      source_amount: "0.234567",
      destination_amount: "0.234567",
      received_amount: "0.234567"
    })
    expect((await data(`/v1/wallets/${s.customer_wallet}`)).balance).toEqual({
      available: "0.234567",
      reserved: "0.00",
      held: "0.00"
    })
  })

  covers("AMOUNT-4", "PRICE-5")
  it.each([
    [{ source_amount: "100" }, ["100.00", "148503.75", "147753.75", "0.50"]],
    [{ source_amount: "100.01" }, ["100.01", "148503.75", "147753.75", "0.51"]],
    [{ source_amount: "1.99" }, ["1.99", "2955.15", "2205.15", "0.01"]],
    [{ target_amount: "50000.01" }, ["34.19", "50750.01", "50000.01", "0.18"]],
    [{ target_amount: "147753.75" }, ["100.00", "148503.75", "147753.75", "0.50"]]
  ])(
    "of an offramp quote for %j are rounded consistently",
    async (amount, [source, destination, receives, gateway]) => {
      const quote = await s.quote({ source_amount: undefined, ...amount })
      expect(quote).toMatchObject({
        source_amount: source,
        destination_amount: destination,
        received_amount: receives,
        rate: "1492.5",
        target_amount: "target_amount" in amount ? amount.target_amount : null,
        fee: {
          line_items: [
            { name: "gateway", amount: gateway, currency: "USDC" },
            { name: "network", amount: "750.00", currency: "NGN" }
          ]
        }
      })
      expect(Date.parse(quote.expires_at) - Date.parse(quote.created_at)).toBe(300_000)
    }
  )
})

describe("a transfer", () => {
  covers("TRANSFER-1", "MOVEMENT-1", "TRANSFER-2", "TRANSFER-5", "TYPE-19", "TYPE-20", "EVENT-10")
  it("reserves, is debited, and succeeds with a hash", async () => {
    await s.settle()
    const before = (await data(`/v1/wallets/${s.wallet}`)).balance
    const made = await transfer({ amount: "12.34", metadata: { order: "7" }, retry_on_failure: true })
    expect(made).toMatchObject({
      status: "processing",
      transaction_hash: null,
      retry_on_failure: true,
      metadata: { order: "7" }
    })
    expect(made.reference).toMatch(/^ref_[0-9a-z]{26}$/)
    const reserved = (await data(`/v1/wallets/${s.wallet}`)).balance
    expect(Number(before.available) - Number(reserved.available)).toBeCloseTo(12.34, 6)
    expect(Number(reserved.reserved) - Number(before.reserved)).toBeCloseTo(12.34, 6)
    await s.settle()
    await outcome(made.id, "success")
    const after = await data(`/v1/transfers/${made.id}`)
    expect(after).toMatchObject({
      status: "success",
      failure_reason: null,
      transaction_hash: expect.stringMatching(/./)
    })
    expect((await data(`/v1/wallets/${s.wallet}`)).balance).toMatchObject({
      available: reserved.available,
      reserved: before.reserved
    })
    expect(await publishedOf(made.id)).toEqual([
      ["transfer.processing", "processing", [null, "processing"], 1],
      ["transfer.success", "success", ["processing", "success"], 2]
    ])
    const [first, last] = await eventsOf(made.id)
    expect(first.event_object).toEqual({ ...made, terminal_at: null })
    expect(last.event_object).toEqual({ ...after, terminal_at: after.updated_at })
  })

  covers("TRANSFER-8", "TYPE-21", "FAILURE-5", "FAILURE-6", "TRANSFER-9")
  it.each([
    ["failed", "failed"],
    ["cancelled", "cancelled"],
    ["reversed", "reversed"],
    ["returned", "reversed"],
    ["temporarily_unavailable", "temporarily_unavailable"]
  ])("that is %s fails with %s once, and its amount is available again", async (word, reason) => {
    const before = (await data(`/v1/wallets/${s.wallet}`)).balance
    const { id } = await transfer()
    await s.settle()
    for (const again of [word, "reversed", "cancelled", word]) await outcome(id, again)
    const after = await data(`/v1/transfers/${id}`)
    expect(after).toMatchObject({ status: "failed", failure_reason: reason, transaction_hash: null })
    expect(after.failure_reason_message).toMatch(/^[A-Z].*\.$/)
    expect((await publishedOf(id)).map(([type]) => type)).toEqual(["transfer.processing", "transfer.failed"])
    expect((await data(`/v1/wallets/${s.wallet}`)).balance).toEqual(before)
    expect((await data(`/v1/transactions/txn_${id.slice(4)}`)).status).toBe("failed")
  })
})

describe("an offramp", () => {
  covers(
    "OFFRAMP-1",
    "TYPE-7",
    "TYPE-8",
    "TYPE-9",
    "TYPE-10",
    "TYPE-12",
    "EVENT-18",
    "EVENT-19",
    "OFFRAMP-7",
    "MOVEMENT-8",
    "EVENT-11",
    "EVENT-8",
    "EVENT-9"
  )
  it("publishes one event per step, whose objects are the bodies of the offramp at that step", async () => {
    const made = await offramp({ narration: "Invoice 7", reference: "walk-1", metadata: { a: "b" } })
    expect(made).toMatchObject({
      status: "created",
      reference: "walk-1",
      narration: "Invoice 7",
      received_amount: null
    })
    expect(made.rate_locked_until).toBe((await data(`/v1/quotes/${made.quote_id}`)).expires_at)
    expect((await data(`/v1/quotes/${made.quote_id}`)).status).toBe("executed")
    await s.settle()
    const processing = await data(`/v1/offramps/${made.id}`)
    await outcome(made.id, "success")
    const success = await data(`/v1/offramps/${made.id}`)
    await outcome(made.id, "returned")
    const returned = await data(`/v1/offramps/${made.id}`)
    expect([processing.status, success.status, returned.status]).toEqual(["processing", "success", "returned"])
    expect(await publishedOf(made.id)).toEqual([
      ["offramp.created", "created", [null, "created"], 1],
      ["offramp.funds_received", "created", null, 2],
      ["offramp.processing", "processing", ["created", "processing"], 3],
      ["offramp.success", "success", ["processing", "success"], 4],
      ["offramp.returned", "returned", ["success", "returned"], 5]
    ])
    const events = await eventsOf(made.id)
    const open = { actual_source_amount: null, actual_destination_amount: null, actual_rate: null, terminal_at: null }
    expect(events[0].event_object).toEqual({ ...made, ...open })
    expect(events[2].event_object).toEqual({ ...processing, ...open })
    expect(events[3].event_object).toEqual({
      ...success,
      actual_source_amount: "10.00",
      actual_destination_amount: success.received_amount,
      actual_rate: "1492.5",
      terminal_at: success.updated_at
    })
    expect(events[4].event_object).toMatchObject({
      failure_reason: "returned",
      received_amount: null,
      terminal_at: returned.updated_at
    })
    expect(returned.failure_reason).toBe("returned")
    const history = await data(`/v1/transactions?wallet_id=${s.wallet}&type=deposit&source_type=offramp_reversal`)
    expect(history[0]).toMatchObject({
      status: "confirmed",
      source_id: made.id,
      parent_transaction_id: `txn_${made.id.slice(4)}`,
      root_transaction_id: `txn_${made.id.slice(4)}`,
      destination_amount: "10.00",
      received_amount: "10.00"
    })
    expect(await publishedOf(history[0].id)).toEqual([])
    await outcome(made.id, "returned")
    expect(await publishedOf(made.id)).toHaveLength(5)
  })

  covers("FAILURE-2")
  it("that is not submitted before its rate expires fails with quote_expired and debits nothing", async () => {
    const before = (await data(`/v1/wallets/${s.wallet}`)).balance
    await s.make("/sandbox/provider", { submissions: "hold" })
    const { id } = await offramp()
    await s.settle()
    expect((await data(`/v1/offramps/${id}`)).status).toBe("created")
    await s.make("/sandbox/clock/advance", { seconds: 301 })
    await s.make("/sandbox/provider", { submissions: "accept" })
    await s.settle()
    expect(await data(`/v1/offramps/${id}`)).toMatchObject({ status: "failed", failure_reason: "quote_expired" })
    expect((await data(`/v1/wallets/${s.wallet}`)).balance).toEqual(before)
    expect((await publishedOf(id)).map(([type]) => type)).toEqual(["offramp.created", "offramp.failed"])
  })

  covers("FAILURE-8", "FAILURE-1")
  it("maps a reason it does not know to failed", async () => {
    const { id } = await offramp()
    await s.settle()
    await outcome(id, "failed", { reason: "bank on fire" })
    expect(await data(`/v1/offramps/${id}`)).toMatchObject({ status: "failed", failure_reason: "failed" })
  })
})

describe("a deposit", () => {
  const deposit = (more: object) => s.make("/sandbox/deposits", { deposit_address_id: s.address, amount: "3", ...more })

  covers("DEPOSIT-1", "TYPE-22", "TYPE-24", "EVENT-23", "EVENT-24", "TRANSACTION-1", "EVENT-12", "SANDBOX-1")
  it("is received, then confirmed, and its transaction agrees", async () => {
    const { payin_id, transaction_id: id } = await deposit({ stage: "detected", from_address: evm })
    const seen = await data(`/v1/transactions/${id}`)
    expect(seen).toMatchObject({
      status: "processing",
      source_type: "deposit_address",
      source_id: s.address,
      metadata: { from_address: evm }
    })
    await deposit({ payin_id })
    await deposit({ payin_id })
    await deposit({ payin_id, stage: "detected" })
    const after = await data(`/v1/transactions/${id}`)
    expect(after).toMatchObject({
      status: "success",
      confirmed_at: after.updated_at,
      to_wallet_id: s.wallet,
      from_wallet_id: null
    })
    expect(await publishedOf(id)).toEqual([
      ["deposit.received", "received", [null, "received"], 1],
      ["deposit.confirmed", "confirmed", ["received", "confirmed"], 2]
    ])
    const [first, last] = await eventsOf(id)
    expect(first.event_object).toEqual({ ...seen, deposit_timestamp: expect.any(String) })
    expect(last.event_object).toEqual({ ...after, deposit_timestamp: first.event_object.deposit_timestamp })
  })

  covers("TYPE-25", "DEPOSIT-9")
  it("confirmed at once has one event; a failed one has the event failed", async () => {
    const once = await deposit({})
    expect(await publishedOf(once.transaction_id)).toEqual([["deposit.confirmed", "confirmed", [null, "confirmed"], 1]])
    const { payin_id, transaction_id } = await deposit({ stage: "detected" })
    await deposit({ payin_id, stage: "failed" })
    expect((await publishedOf(transaction_id)).at(-1)).toEqual(["deposit.failed", "failed", ["received", "failed"], 2])
    expect((await data(`/v1/transactions/${transaction_id}`)).status).toBe("failed")
  })

  covers("TYPE-23", "DEPOSIT-10")
  it("on a frozen or disabled address is held, shown as held, and spendable once released", async () => {
    const before = (await data(`/v1/wallets/${s.wallet}`)).balance
    const id = await makeHeldDeposit(s)
    const { transaction_id } = await deposit({ deposit_address_id: s.disabled })
    const held = (await data(`/v1/wallets/${s.wallet}`)).balance
    expect([held.available, Number(held.held) - Number(before.held)]).toEqual([before.available, 8])
    expect((await data(`/v1/transactions/${id}`)).metadata.hold_reason).toBe("payin_frozen")
    expect((await data(`/v1/transactions/${transaction_id}`)).metadata.hold_reason).toBe("payin_disabled")
    await s.operate(`/operator/v1/deposits/${id}/release`, { body: { note: "seen" } })
    await s.operate(`/operator/v1/deposits/${transaction_id}/reject`, { body: { reason: "unclear" } })
    await s.settle()
    const after = (await data(`/v1/wallets/${s.wallet}`)).balance
    expect([Number(after.available) - Number(before.available), after.held]).toEqual([5, before.held])
    expect((await publishedOf(id)).map(([type]) => type)).toEqual(["deposit.held", "deposit.confirmed"])
    expect((await publishedOf(transaction_id)).map(([type]) => type)).toEqual(["deposit.held", "deposit.failed"])
  })

  covers("DEPOSIT-3", "TIER-1")
  it("that crosses the limit of its customer's tier is held", async () => {
    const { transaction_id } = await s.make("/sandbox/deposits", { wallet_id: s.customer_wallet, amount: "1000" })
    expect((await data(`/v1/transactions/${transaction_id}`)).metadata.hold_reason).toBe("tier_limit")
    expect((await data(`/v1/wallets/${s.customer_wallet}`)).balance).toEqual({
      available: "0.234567",
      reserved: "0.00",
      held: "1000.00"
    })
  })
})
