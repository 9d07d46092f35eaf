/** Payouts, conversions and refunds at the reference connectors, over real sockets. */
import { expect, it } from "vitest"
import { conversionOf, payoutOf, payoutTo, refundOf } from "../support/connectors/commands.ts"
import { micros, onEachConnector, type Subject } from "../support/connectors/each-connector.ts"
import { until } from "../support/repository/poll-timeout.ts"
import { covers } from "../support/repository/covers.ts"

const payout = ({ client }: Subject, id: string, members: object = payoutOf()) =>
  client.put("/payouts", "payout", id, members)
const payoutStatus = ({ client }: Subject, id: string) =>
  client.get(`/payouts/${encodeURIComponent(id)}`, "payout_status", id)
const settled = (subject: Subject, id: string) =>
  until(
    () => payoutStatus(subject, id),
    ({ status }) => status === "settled"
  )

const pages = async (subject: Subject, path: "events" | "statements"): Promise<ReadonlyArray<any>> => {
  const all: Array<any> = []
  let cursor: string | null = null
  for (let page = 0; page < 50; page++) {
    const read: any = await subject.client.get(`/${path}${cursor === null ? "" : `?after=${cursor}`}`, path)
    const found: ReadonlyArray<any> = read[path === "events" ? "events" : "lines"]
    if (found.length === 0) return all
    all.push(...found)
    cursor = read.cursor
  }
  throw new Error("more than 50 pages")
}
const lines = async (subject: Subject, id: string) =>
  (await pages(subject, "statements"))
    .filter(({ command_id }) => command_id === id)
    .map(({ amount, direction }) => `${direction} ${amount}`)
const movements = async (subject: Subject, resource_id: string) =>
  (await pages(subject, "events")).filter((event) => event.resource_id === resource_id)

/** The balances, recomputed from all lines of the statement. */
const isBalanced = async (subject: Subject): Promise<void> => {
  const sums: Record<string, bigint> = {}
  for (const { amount, currency, direction } of await pages(subject, "statements"))
    sums[currency] = (sums[currency] ?? 0n) + (direction === "credit" ? 1n : -1n) * micros(amount)
  const { balances } = await subject.client.get("/balances", "balances")
  expect(Object.fromEntries(balances.map((one: any) => [one.currency, micros(one.available)]))).toEqual(sums)
}

onEachConnector("payments that settle at once", {}, (subject) => {
  it("executes a payout once, reports its outcome, and shows it in the statement and the balance", async () => {
    const members = payoutOf({ resource_id: "tfr_first" })
    expect(await payout(subject, "first", members)).toEqual({ status: "accepted" })
    const { outcome } = await settled(subject, "first")
    expect(outcome).toEqual({
      outcome: "success",
      reason: null,
      transaction_hash: null,
      amount: "1500.25",
      fee: null,
      fee_currency: null,
      provider_reference: expect.stringMatching(/^BK[0-9A-F]{12}$/)
    })
    expect(await movements(subject, "tfr_first")).toEqual([
      {
        operation: "event",
        id: expect.stringMatching(/^evt_/),
        type: "movement",
        merchant_id: "mer_1",
        resource_id: "tfr_first",
        ...outcome
      }
    ])
    expect(await payout(subject, "first", members)).toEqual({ status: "settled", outcome })
    expect(await lines(subject, "first")).toEqual(["debit 1500.25"])
    expect(subject.connector.executions("first")).toMatchObject([{ entry: "payout", minor: 150_025n, currency: "NGN" }])
    await isBalanced(subject)
  })

  covers("CONNECTOR-1")
  it("executes an id once for callers at once", async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => payout(subject, "at once")))
    expect(results.filter(({ status }) => status !== "accepted" && status !== "settled")).toEqual([])
    expect(subject.connector.executions("at once")).toHaveLength(1)
    expect(await lines(subject, "at once")).toHaveLength(1)
  })

  covers("CONNECTOR-2")
  it("answers other content under a known id with a conflict, and executes nothing", async () => {
    await payout(subject, "known")
    const { outcome } = await settled(subject, "known")
    const others = [
      payoutOf({ amount: "1500.26" }),
      payoutOf({ merchant_id: "mer_2" }),
      payoutOf({ narration: "invoice 8" }),
      payoutOf({ originator: null }),
      payoutTo({ account_number: "0123456780" })
    ]
    for (const other of others) expect(await payout(subject, "known", other)).toEqual({ status: "conflict" })
    expect(await payoutStatus(subject, "known")).toEqual({ status: "settled", outcome })
    expect(subject.connector.executions("known")).toHaveLength(1)
  })

  covers("CONNECTOR-2")
  it("takes content for the same whatever its order, its nulls, its attempt and its unknown members", async () => {
    await payout(subject, "same")
    const { outcome } = await settled(subject, "same")
    const { destination, narration, ...rest } = payoutOf()
    const backwards = Object.fromEntries(Object.entries(destination).toReversed())
    const { purpose_code: _, ...without } = {
      ...rest,
      narration,
      destination: backwards,
      attempt: 7,
      new_member: { a: 1 }
    }
    expect(await payout(subject, "same", without)).toEqual({ status: "settled", outcome })
    expect(subject.connector.executions("same")).toHaveLength(1)
  })

  it("says absent of an id that it does not know, also when another operation knows it", async () => {
    expect(await payoutStatus(subject, "nobody's")).toEqual({ status: "absent" })
    await payout(subject, "a payout's")
    expect(await subject.client.get("/refunds/a%20payout's", "refund_status", "a payout's")).toEqual({
      status: "absent"
    })
  })

  it.each([
    ["above the maximum", payoutOf({ amount: "50000000.01" }), "amount_out_of_range"],
    ["below the minimum", payoutOf({ amount: "0.99" }), "amount_out_of_range"],
    ["of a fraction of the smallest unit", payoutOf({ amount: "10.001" }), "amount_invalid"],
    ["of nothing", payoutOf({ amount: "0.00" }), "amount_invalid"],
    ["larger than any number", payoutOf({ amount: `1${"0".repeat(29)}` }), "amount_invalid"],
    ["in a currency that is not offered", payoutOf({ currency: "EUR" }), "not_offered"],
    ["in another country than the currency's", payoutTo({ country_code: "KE" }), "not_offered"],
    ["to a chain", payoutOf({ destination: { type: "crypto", network: "base", address: "0x1" } }), "not_offered"],
    ["to an account that does not exist", payoutTo({ account_number: "0000000000" }), "account_not_found"]
  ])("rejects a payout %s for ever, and executes nothing", async (title, members, reason) => {
    const id = `rejected: ${title}`
    const rejected = { status: "rejected", reason, refundable: true }
    expect(await payout(subject, id, members)).toEqual(rejected)
    expect(await payout(subject, id, members)).toEqual(rejected)
    expect(await payout(subject, id)).toEqual({ status: "conflict" })
    expect(await payoutStatus(subject, id)).toEqual({
      status: "settled",
      outcome: { outcome: "failed", reason, transaction_hash: null }
    })
    expect(subject.connector.executions(id)).toEqual([])
  })

  it("pays the smallest and the largest amount of its manifest", async () => {
    for (const amount of ["1.00", "50000000.00"]) {
      expect(await payout(subject, `range ${amount}`, payoutOf({ amount }))).toEqual({ status: "accepted" })
      expect((await settled(subject, `range ${amount}`)).outcome).toMatchObject({ outcome: "success", amount })
    }
  })

  it("is unavailable while it is closed, records nothing, and pays the same id afterwards", async () => {
    await subject.connector.admin("settings", { availability: "closed" })
    expect(await payout(subject, "closed")).toEqual({ status: "unavailable" })
    expect(await payoutStatus(subject, "closed")).toEqual({ status: "absent" })
    await subject.connector.admin("settings", { availability: "open" })
    expect(await payout(subject, "closed", payoutOf({ amount: "7.00" }))).toEqual({ status: "accepted" })
    expect(subject.connector.executions("closed")).toHaveLength(1)
  })

  it("exchanges both amounts, and both show in the statement", async () => {
    const id = "cnv.1"
    expect(await subject.client.put("/conversions", "conversion", id, conversionOf())).toEqual({ status: "accepted" })
    const status = () => subject.client.get(`/conversions/${id}`, "conversion_status", id)
    await until(status, (one) => one.status === "settled")
    expect(await lines(subject, id)).toEqual(["debit 150025.00", "credit 100.00"])
    expect(await subject.client.put("/conversions", "conversion", id, conversionOf())).toMatchObject({
      status: "settled",
      outcome: { outcome: "success", amount: null }
    })
    expect(subject.connector.executions(id)).toHaveLength(1)
    await isBalanced(subject)
  })

  covers("CONNECTOR-5")
  it("refunds a pay-in up to its amount, however many ask at once", async () => {
    await subject.connector.admin("payins", { payin_id: "pay_8", target: "t", amount: "100.00", currency: "NGN" })
    const refund = (n: number) => subject.client.put("/refunds", "refund", `ref.${n}`, refundOf("pay_8", "30.00"))
    const results = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(refund))
    const statuses = results.map(({ status }) => status)
    expect(statuses.filter((status) => status === "accepted")).toHaveLength(3)
    expect(results.find(({ status }) => status === "rejected")).toEqual({
      status: "rejected",
      reason: "amount_above_payin",
      refundable: false
    })
    expect(subject.connector.executions().filter(({ entry }) => entry === "refund")).toHaveLength(3)
    const unknown = await subject.client.put("/refunds", "refund", "ref.unknown", refundOf("pay_?", "1.00"))
    expect(unknown).toEqual({ status: "rejected", reason: "payin_not_found", refundable: false })
    await isBalanced(subject)
  })

  it("takes a refund that bounced back, and refunds the pay-in again under another id", async () => {
    await subject.connector.admin("payins", { payin_id: "pay_b", target: "t", amount: "10.00", currency: "NGN" })
    const refund = (id: string) =>
      subject.client.put("/refunds", "refund", id, refundOf("pay_b", "10.00", { resource_id: "dep_bounced" }))
    await refund("bounced.1")
    const status = () => subject.client.get("/refunds/bounced.1", "refund_status", "bounced.1")
    await until(status, (one) => one.status === "settled")
    await subject.connector.admin("refunds/bounced.1", { outcome: "failed", reason: "account closed" })
    expect(await status()).toMatchObject({ outcome: { outcome: "failed", reason: "account closed" } })
    expect((await movements(subject, "dep_bounced")).map(({ outcome, type }) => `${type} ${outcome}`)).toEqual([
      "refund success",
      "refund failed"
    ])
    expect(await refund("bounced.2")).toEqual({ status: "accepted" })
    await isBalanced(subject)
  })
})

onEachConnector("payments that wait for the bank", { CONNECTOR_DELAY_MS: "900000000" }, (subject) => {
  it("is pending until it settles, and holds the money meanwhile", async () => {
    await payout(
      subject,
      "pending",
      payoutOf({ currency: "GHS", amount: "12.50", destination: { ...payoutOf().destination, country_code: "GH" } })
    )
    expect(await payoutStatus(subject, "pending")).toEqual({ status: "pending" })
    expect(await payout(subject, "other", payoutOf())).toEqual({ status: "accepted" })
    const { balances } = await subject.client.get("/balances", "balances")
    expect(balances.find(({ currency }: any) => currency === "GHS")).toEqual({
      currency: "GHS",
      network: null,
      available: "199999987.50",
      pending: "12.50"
    })
  })

  covers("CONNECTOR-5")
  it.each([
    ["a failure", { outcome: "failed", reason: "account closed" }, null, ["debit 1500.25", "credit 1500.25"]],
    ["a short settlement", { outcome: "success", amount: "1500.20" }, "1500.20", ["debit 1500.25", "credit 0.05"]],
    ["a partial return", { outcome: "returned", amount: "1000.00" }, "1000.00", ["debit 1500.25", "credit 1000.00"]],
    ["a cancellation", { outcome: "cancelled" }, null, ["debit 1500.25", "credit 1500.25"]]
  ])("books back what was not paid: %s", async (title, ending, amount, expected) => {
    const resource_id = `tfr ${title}`
    await payout(subject, title, payoutOf({ resource_id }))
    await subject.connector.admin(`payouts/${encodeURIComponent(title)}`, ending)
    const { outcome } = await payoutStatus(subject, title)
    expect(outcome).toMatchObject({ ...ending, amount })
    expect(await movements(subject, resource_id)).toMatchObject([{ type: "movement", ...ending, amount }])
    expect(await lines(subject, title)).toEqual(expected)
    await isBalanced(subject)
  })

  it("returns a payout after its success, once, and takes no other ending after the first", async () => {
    await payout(subject, "late", payoutOf({ resource_id: "tfr_late" }))
    const end = (body: object) => subject.connector.admin("payouts/late", body)
    await end({ outcome: "success" })
    await expect(end({ outcome: "failed" })).rejects.toThrow(/outcome: found "failed".*returned, reversed/)
    await expect(end({ outcome: "returned", amount: "1500.26" })).rejects.toThrow(/amount: found "1500.26".*1500.25/)
    await end({ outcome: "returned" })
    await expect(end({ outcome: "returned" })).rejects.toThrow(/none is taken/)
    expect((await movements(subject, "tfr_late")).map(({ outcome }) => outcome)).toEqual(["success", "returned"])
    expect(await lines(subject, "late")).toEqual(["debit 1500.25", "credit 1500.25"])
  })
})

onEachConnector(
  "an account with little money",
  {
    CONNECTOR_DELAY_MS: "0",
    CONNECTOR_BALANCES: '{"NGN":"1000.00"}',
    CONNECTOR_OFFERS:
      '[{"operation":"payout","currency":"NGN","cost":{"fixed":"10.00","share":"0.005"}},{"operation":"statements"}]'
  },
  (subject) => {
    it("pays as often as the balance holds amounts and fees, and is unavailable for the rest", async () => {
      const ids = Array.from({ length: 8 }, (_, n) => `little ${n}`)
      const order = payoutOf({ amount: "300.00" })
      const results = await Promise.all(ids.map((id) => payout(subject, id, order)))
      const paid = ids.filter((_, n) => results[n].status === "accepted")
      expect(paid).toHaveLength(3)
      expect(results.filter(({ status }) => status === "unavailable")).toHaveLength(5)
      for (const id of paid)
        expect((await settled(subject, id)).outcome).toMatchObject({ fee: "11.50", fee_currency: "NGN" })
      const { balances } = await subject.client.get("/balances", "balances")
      expect(balances).toEqual([{ currency: "NGN", network: null, available: "65.50", pending: "0.00" }])
      await isBalanced(subject)
    })

    it("does not support what its manifest does not offer", async () => {
      const unsupported = { status: "unsupported" }
      expect(await subject.client.get("/manifest", "manifest")).toMatchObject({
        offers: [{ operation: "payout" }, { operation: "statements" }]
      })
      expect(await subject.client.put("/conversions", "conversion", "c", conversionOf())).toEqual(unsupported)
      expect(await subject.client.get("/refunds/r", "refund_status", "r")).toEqual(unsupported)
      expect(await subject.client.get("/banks", "banks")).toEqual(unsupported)
      expect(await subject.client.get("/rates", "rates")).toEqual(unsupported)
    })
  }
)
