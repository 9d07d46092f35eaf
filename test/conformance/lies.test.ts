/** Defects that the reference connector has no fault for: a proxy changes what passes, and the kit finds each. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { check, idsOf, type Report } from "../support/connectors/conformance.ts"
import { type Connector, startConnector } from "../support/connectors/launcher.ts"
import { type Json, type Lie, startLyingProxy } from "../support/connectors/lying-proxy.ts"

let connector: Connector
beforeAll(async () => {
  connector = await startConnector("node", { CONNECTOR_DELAY_MS: "20" })
})
afterAll(() => connector.stop())

/** Changes the results of one operation. `times` counts them. */
const of = (operation: string, change: (result: Json, times: number, id: string | null) => Json) => (): Lie => {
  let times = 0
  return {
    result: (result, asked) => (asked.operation === operation ? change(result, (times += 1), asked.id) : result)
  }
}

/** Changes the outcome in a lookup that has one. */
const ofOutcome = (operation: string, change: (outcome: Json, times: number) => Json) =>
  of(operation, (result, times) =>
    result["outcome"] === undefined ? result : { ...result, outcome: change(result["outcome"], times) }
  )

const ofList = (
  operation: string,
  member: string,
  change: (list: ReadonlyArray<any>, times: number) => ReadonlyArray<any>
) => of(operation, (result, times) => ({ ...result, [member]: change(result[member], times) }))

const ofPayout = (change: (body: Json) => Json | number) => (): Lie => ({
  request: (body, operation) => (operation === "payout" ? change(body) : body)
})

/** After each payout that was made, events that it came back, in parts: what each of them says. */
const inParts = (...told: ReadonlyArray<object>) =>
  ofList("events", "events", (all) =>
    all.flatMap((event) =>
      event.type === "movement" && event.outcome === "success"
        ? [
            event,
            ...told.map((one, n) => ({
              ...event,
              id: `${event.id}.${n}`,
              outcome: "returned",
              amount: null,
              fee: null,
              ...one
            }))
          ]
        : [event]
    )
  )
const cents = (id: string, n: number) => ({ id, amount: `0.0${n}` })
const parts = ["events/parts", "events/parts,events/outcome"] as const

const hour = 3_600_000
const later = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString()

const lies: ReadonlyArray<readonly [what: string, lie: () => Lie, found: string, only?: string]> = [
  ["an offer comes and goes", ofList("manifest", "offers", (all, times) => all.slice(times % 2)), "manifest/stable"],
  [
    "a minimum is above its maximum",
    ofList("manifest", "offers", (all) => all.map((offer) => ({ ...offer, minimum: "2", maximum: "1" }))),
    "manifest/well-formed"
  ],
  [
    "a conversion leads to its own currency",
    ofList("manifest", "offers", (all) => [
      ...all,
      { ...all[0], operation: "conversion", currency: "NGN", destination_currency: "NGN", country_code: null }
    ]),
    "manifest/well-formed"
  ],
  ["what is offered is not served", of("balances", () => ({ status: "unsupported" })), "manifest/offers-are-served"],
  ["the answers have an old time", () => ({ message: { skew_ms: -400_000 } }), "manifest/well-formed"],
  ["all answers have one message id", () => ({ message: { id: "ans_1" } }), "signatures/answers-are-bound"],
  ["a part changes", inParts({ parts: [cents("a", 1)] }, { parts: [cents("a", 2)] }), ...parts],
  ["a part is left out", inParts({ parts: [cents("a", 1)] }, { parts: [cents("b", 2)] }), ...parts],
  ["two parts have one id", inParts({ parts: [cents("a", 1), cents("a", 2)] }), ...parts],
  [
    "the amount is not the sum of the parts",
    inParts({ amount: "0.04", parts: [cents("a", 1), cents("b", 2)] }),
    ...parts
  ],
  ["the parts are more than was sent", inParts({ parts: [{ id: "a", amount: "999999999" }] }), ...parts],
  [
    "a part follows the last one",
    inParts({ parts: [cents("a", 1)], complete: true }, { parts: [cents("a", 1), cents("b", 2)] }),
    ...parts
  ],
  ["ids are cut at 35 characters", () => ({ id: (id) => id.slice(0, 35) }), "payouts/different-ids"],
  ["ids are compared without case", () => ({ id: (id) => id.toLowerCase() }), "contents/ids"],
  [
    "members that are new are refused",
    ofPayout((body) => (body["batch"] === undefined ? body : 400)),
    "contents/unknown-members"
  ],
  [
    "a null and an absent member are different content",
    ofPayout((body) => ({ ...body, narration: body["narration"] === undefined ? "none" : body["narration"] })),
    "contents/null-or-absent"
  ],
  [
    "each repeat of a text is another text",
    (() => {
      let times = 0
      return ofPayout((body) =>
        /[^ -~]/.test(String(body["narration"])) ? { ...body, narration: `n ${(times += 1)}` } : body
      )()
    }) as () => Lie,
    "contents/text"
  ],
  [
    "amounts may be JSON numbers",
    ofPayout((body) => ({ ...body, amount: String(body["amount"]) })),
    "amounts/json-number"
  ],
  [
    "amounts are trimmed",
    ofPayout((body) => ({
      ...body,
      amount: typeof body["amount"] === "string" ? body["amount"].trim() : body["amount"]
    })),
    "amounts/invalid"
  ],
  [
    "amounts are rounded",
    ofPayout((body) => ({ ...body, amount: String(body["amount"]).replace(/(\.\d\d)\d+$/, "$1") })),
    "amounts/too-precise"
  ],
  [
    "the minimum is exclusive",
    ofPayout((body) => (body["amount"] === "1.00" ? { ...body, currency: "JPY" } : body)),
    "amounts/minimum"
  ],
  [
    "the outcome has another amount",
    ofOutcome("payout_status", (outcome) => ({ ...outcome, amount: "1.01" })),
    "payouts/ends"
  ],
  [
    "the reference of an outcome changes",
    ofOutcome("payout_status", (outcome, times) => ({ ...outcome, provider_reference: `BK${times}` })),
    "payouts/settled-stays"
  ],
  [
    "a settled conversion is pending again",
    of("conversion_status", (result, times) =>
      result["status"] === "settled" && times % 3 === 0 ? { status: "pending" } : result
    ),
    "conversions/repeat"
  ],
  [
    "a conflict is answered as accepted",
    of("conversion", (result) => (result["status"] === "conflict" ? { status: "accepted" } : result)),
    "conversions/conflict"
  ],
  [
    "a conversion gives nothing",
    ofList("statements", "lines", (all) => all.filter(({ currency }) => currency === "NGN")),
    "conversions/both-sides"
  ],
  [
    "an issue is absent",
    of("issue_status", (result, times) => (times % 3 === 0 ? { status: "absent" } : result)),
    "issues/at-once"
  ],
  [
    "all accounts are one",
    of("issue_status", (result) => (result["target"] ? { ...result, target: "1" } : result)),
    "issues/target"
  ],
  [
    "all references are one",
    of("instruction", (result) => (result["status"] === "issued" ? { ...result, deposit_reference: "R1" } : result)),
    "instructions/reference"
  ],
  [
    "a repeat gets another reference",
    of("instruction", (result, times) =>
      result["status"] === "issued" ? { ...result, deposit_reference: `R${times}` } : result
    ),
    "instructions/repeat"
  ],
  [
    "a repeat gets another page",
    of("verification", (result, times) =>
      result["status"] === "started" ? { ...result, hosted_url: `https://bank.example/${times}` } : result
    ),
    "verifications/repeat"
  ],
  [
    "the page is closed",
    of("verification", (result) => ({ ...result, expires_at: "2026-01-01T00:00:00Z" })),
    "verifications/page"
  ],
  ["a refund of nothing is accepted", of("refund", () => ({ status: "accepted" })), "refunds/unknown-pay-in"],
  [
    "a rejected payout is accepted later",
    of("payout", (result, times) => (result["status"] === "rejected" && times > 2 ? { status: "accepted" } : result)),
    "payouts/rejected-stays"
  ],
  [
    "an unoffered currency is accepted",
    of("payout", (result) => (result["status"] === "rejected" ? { status: "accepted" } : result)),
    "manifest/unoffered-currency"
  ],
  [
    "a screening has two verdicts",
    of("screen", (_, times) => ({ status: times % 2 === 0 ? "refused" : "cleared" })),
    "screening/one-verdict"
  ],
  [
    "callers at once have two verdicts",
    of("screen", (_, times) => ({ status: times % 2 === 0 ? "held" : "cleared" })),
    "screening/at-once"
  ],
  [
    "the codes of banks change",
    ofList("banks", "banks", (all, times) => all.map((bank) => ({ ...bank, code: `${bank.code}${times}` }))),
    "directory/banks"
  ],
  [
    "all accounts are found",
    of("resolve_account", () => ({ status: "resolved", account_name: "A" })),
    "directory/accounts"
  ],
  [
    "an account that the bank does not know is one that it cannot check",
    of("resolve_account", (result) => (result["status"] === "unresolved" ? { status: "unchecked" } : result)),
    "directory/accounts"
  ],
  ["a pair has two rates", ofList("rates", "rates", (all) => [...all, all[0]]), "rates/times"],
  [
    "rates are of tomorrow",
    ofList("rates", "rates", (all) => all.map((rate) => ({ ...rate, at: later(rate.at, 24 * hour) }))),
    "rates/times"
  ],
  [
    "rates are of an hour ago",
    ofList("rates", "rates", (all) => all.map((rate) => ({ ...rate, at: later(rate.at, -hour) }))),
    "rates/times"
  ],
  [
    "a rate is a hundred times another a moment later",
    ofList("rates", "rates", (all, times) =>
      all.map((one) => ({ ...one, rate: times % 2 === 0 ? one.rate : `${Number(one.rate) * 100}` }))
    ),
    "rates/values"
  ],
  [
    "a rate is tiny",
    ofList("rates", "rates", ([one, ...others]) => [{ ...one, rate: "0.0000000000001234" }, ...others]),
    "rates/values"
  ],
  [
    "a rate is rounded to a digit",
    ofList("rates", "rates", ([one, ...others]) => [{ ...one, base: "IRR", quote: "NGN", rate: "0.0007" }, ...others]),
    "rates/values"
  ],
  [
    "a rate and its inverse contradict each other",
    ofList("rates", "rates", ([one, ...others]) => [
      one,
      { ...one, base: one.quote, quote: one.base, rate: (1.2 / Number(one.rate)).toFixed(12) },
      ...others
    ]),
    "rates/values"
  ],
  [
    "a pair is not what its dollar rates say",
    ofList("rates", "rates", (all) => [...all, { ...all[0], base: "USDC", quote: "NGN", rate: "15" }]),
    "rates/values"
  ],
  [
    "a stablecoin is worth ten dollars",
    ofList("rates", "rates", (all) => [
      ...all.filter(({ base, quote }) => base !== "USDC" && quote !== "USDC"),
      { ...all[0], base: "USDC", quote: "USD", rate: "10" }
    ]),
    "rates/values"
  ],
  [
    "rates go back in time",
    ofList("rates", "rates", (all, times) => all.map((rate) => ({ ...rate, at: later(rate.at, -times * hour) }))),
    "rates/times"
  ],
  [
    "the statement has each line twice",
    ofList("statements", "lines", (all) => all.flatMap((one) => [one, one])),
    "books/statement-pages"
  ],
  [
    "the statement is in another order",
    ofList("statements", "lines", (all) => all.toReversed()),
    "books/statement-pages"
  ],
  [
    "the statement has another debit",
    ofList("statements", "lines", (all) =>
      all.flatMap((one) => (one.direction === "debit" ? [one, { ...one, id: `${one.id}b` }] : [one]))
    ),
    "books/one-payment-each",
    "payouts/settled-stays"
  ],
  [
    "the statement lacks the debits",
    ofList("statements", "lines", (all) => all.filter(({ direction }) => direction === "credit")),
    "payouts/many-at-once"
  ],
  [
    "a balance drifts",
    ofList("balances", "balances", (all, times) => all.map((one) => ({ ...one, available: `${times}.00` }))),
    "books/balances-agree",
    "payouts/settled-stays"
  ],
  ["a balance is there twice", ofList("balances", "balances", (all) => [...all, ...all]), "books/balances"],
  [
    "an event says another outcome",
    ofList("events", "events", (all) => all.map((event) => ({ ...event, outcome: "failed" }))),
    "events/outcome"
  ],
  [
    "an event changes when it is read again",
    ofList("events", "events", (all, times) => all.map((event) => ({ ...event, reason: `reading ${times}` }))),
    "events/list-is-stable",
    "payouts/settled-stays"
  ],
  [
    "the list of events is empty from the beginning",
    () => ({
      result: (result, { operation, query }) =>
        operation === "events" && query.get("after") === null ? { ...result, events: [] } : result
    }),
    "events/list-is-stable",
    "payouts/settled-stays"
  ]
]

describe.concurrent("a defect is found", () => {
  it.for(lies)("%s", async ([, lie, found, traffic], { expect }) => {
    const proxy = await startLyingProxy(connector.url, connector.secret, lie())
    try {
      const { errors, out } = await check([
        ...["--url", proxy.url, "--secret", connector.secret, "--json"],
        ...["--only", traffic === undefined ? found : `${found},${traffic}`],
        ...["--watch", "100", "--settle-within", "5", "--max-amount", "100.00"]
      ])
      expect(errors).toEqual([])
      const report = JSON.parse(out) as Report
      expect(idsOf(report, "failed")).toContain(found)
    } finally {
      await proxy.close()
    }
  })
})

describe("a proxy that changes nothing", () => {
  it("has no case fail that finds a lie", async () => {
    const proxy = await startLyingProxy(connector.url, connector.secret, {})
    try {
      // It has no return in parts.
      const judged = lies.filter(([, , found]) => found !== "events/parts")
      const only = judged.flatMap(([, , found, traffic]) => [found, ...(traffic === undefined ? [] : [traffic])])
      const args = ["--url", proxy.url, "--secret", connector.secret, "--json", "--watch", "100"]
      const { out } = await check([...args, "--max-amount", "100.00", "--only", [...new Set(only)].join(",")])
      const report = JSON.parse(out) as Report
      expect(report.verdicts.filter(({ status }) => status !== "passed")).toEqual([])
    } finally {
      await proxy.close()
    }
  })
})

describe("a return in parts that only grows", () => {
  it("passes", async () => {
    const growing = inParts(
      { parts: [cents("a", 1)] },
      { amount: "0.03", parts: [cents("b", 2), cents("a", 1)] },
      { parts: [cents("a", 1), cents("b", 2)], complete: true }
    )
    const proxy = await startLyingProxy(connector.url, connector.secret, growing())
    try {
      const args = ["--url", proxy.url, "--secret", connector.secret, "--json", "--watch", "100"]
      const { out } = await check([...args, "--max-amount", "100.00", "--only", parts[1]])
      expect(idsOf(JSON.parse(out) as Report, "passed").toSorted()).toEqual(["events/outcome", "events/parts"])
    } finally {
      await proxy.close()
    }
  })
})

describe("a connector whose bank cannot say who holds an account", () => {
  it("passes", async () => {
    const unchecked = of("resolve_account", () => ({ status: "unchecked" }))
    const proxy = await startLyingProxy(connector.url, connector.secret, unchecked())
    try {
      const args = ["--url", proxy.url, "--secret", connector.secret, "--json", "--only", "directory/accounts"]
      const { out } = await check([...args, "--max-amount", "100.00"])
      expect(idsOf(JSON.parse(out) as Report, "passed")).toEqual(["directory/accounts"])
    } finally {
      await proxy.close()
    }
  })
})
