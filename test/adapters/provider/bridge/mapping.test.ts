/** The tables, as a law: every status with every body maps to something, and only listed answers release money. */
import { assert, describe, it } from "@effect/vitest"
import {
  type ExpectedTransfer,
  readFound,
  readPosted,
  states
} from "../../../../src/adapters/provider/bridge/mapping.ts"
import { alpha3 } from "../../../../src/adapters/provider/bridge/countries.ts"
import { readJson } from "../../../../src/adapters/provider/company/client.ts"
import { countries } from "../../../../src/engine/reference/countries.ts"
import { Chance } from "../../../../src/testing/program/random.ts"
import { covers } from "../../../support/repository/covers.ts"

const expectedOf = {
  USD: { command_id: "off_1.payout", currency: "USD", units: 25_500_000n, account: "ea_1" },
  EUR: { command_id: "off_1.payout", currency: "EUR", units: 25_500_000n, account: "ea_1" }
} satisfies Record<string, ExpectedTransfer>
const transferOf = (currency: keyof typeof expectedOf): Record<string, unknown> => ({
  ...{ id: "t-1", state: "payment_processed", client_reference_id: "off_1.payout", created_at: "2026-11-29T00:00:00Z" },
  ...(currency === "USD"
    ? { amount: "25.5", destination: { currency: "usd", external_account_id: "ea_1" } }
    : { amount: "28.05", destination: { currency: "eur", external_account_id: "ea_1", amount: "25.50" } })
})

const words = [...Object.keys(states), "on_hold", "CANCELED", "", "constructor", "__proto__", "in review"]
const statuses = [
  ...[200, 200, 200, 201, 201, 201, 202, 204, 301, 302, 400, 400, 400, 401, 402, 403, 403, 404, 405, 408, 409, 410],
  ...[418, 422, 422, 424, 425, 429, 451, 500, 501, 502, 503, 504, 520, 599]
]
const codes = [
  ...["duplicate_record", "not_truly_idempotent", "resource_state_conflict", "developer_limits_exceeded", "frozen"],
  ...["has_not_accepted_tos", "requires_active_kyc_status", "not_allowed", "endorsement_requirements_not_met"],
  ...["invalid_parameters", "invalid_json", "deactivated_external_account", "not_found", "unexpected", "toString"],
  ...["external_dependency_failed", "", null, 7]
]
const texts = ["No.", "The Bridge wallet has insufficient funds.", "", 7]

/** An answer of a grammar: Bridge's own, with one thing wrong or none; or something else. */
const drawAnswer = (chance: Chance, currency: keyof typeof expectedOf) => {
  const data = { ...transferOf(currency), state: chance.pick(words) }
  const wrongs: ReadonlyArray<() => void> = [
    ...Array.from({ length: 4 }, () => () => undefined),
    () =>
      Object.assign(data, {
        amount: chance.pick(["25.51", "-25.50", "x"]),
        destination: { currency: "usd", external_account_id: "ea_1" }
      }),
    () => Object.assign(data, { client_reference_id: chance.pick([null, "off_2.payout", 7]) }),
    () => Object.assign(data, { destination: { currency: "gbp", external_account_id: "ea_1", amount: "25.50" } }),
    () =>
      Object.assign(data, {
        destination: { currency: currency.toLowerCase(), external_account_id: "ea_2", amount: "25.50" }
      }),
    () =>
      void delete (data as Record<string, unknown>)[chance.pick(["id", "state", "client_reference_id", "destination"])]
  ]
  chance.pick(wrongs)()
  const own = JSON.stringify(
    chance.between(0, 1) === 0 ? data : { code: chance.pick(codes), message: chance.pick(texts) }
  )
  const others = ["", "<html></html>", "null", "[]", "7", '{"message":"Forbidden"}', own.slice(0, -1), `${own}}`]
  const text = chance.between(0, 3) === 0 ? chance.pick(others) : own
  return { status: chance.pick(statuses), json: readJson(text), text }
}

/** What releases money, said here by hand and not by the tables. */
const isRefusal = (status: number, json: unknown): boolean => {
  const { code, message } = (json ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  if (typeof message !== "string" || typeof code !== "string" || code === "") return false
  if (["duplicate_record", "not_truly_idempotent"].includes(code)) return false
  if (status === 401 || status === 429) return true
  if (status === 404) return code === "not_found"
  const customer = ["developer_limits_exceeded", "frozen", "has_not_accepted_tos", "requires_active_kyc_status"]
  if (status === 403) return [...customer, "not_allowed", "endorsement_requirements_not_met"].includes(code)
  const request = ["invalid_parameters", "invalid_json", "deactivated_external_account", "not_found"]
  return status === 400 && (/insufficient/.test(message) || [...customer, ...request].includes(code))
}

describe("the mapping", () => {
  covers("BRIDGE-4", "BRIDGE-5")
  it("maps every status and body to something, and releases money for listed answers alone", () => {
    const chance = new Chance("bridge mapping")
    const seen = new Map<string, number>()
    for (let n = 0; n < 12_000; n++) {
      const currency = chance.pick(["USD", "EUR"] as const)
      const { json, status, text } = drawAnswer(chance, currency)
      const posted = readPosted({ status, json }, expectedOf[currency])
      const found = readFound({ status, json }, expectedOf[currency])
      const shown = `${currency} ${status} ${text}`
      const outcome = posted._tag === "found" ? (posted.outcome?.outcome ?? "open") : ""
      const word = `${posted._tag} ${outcome}`.trim()
      seen.set(word, (seen.get(word) ?? 0) + 1)
      assert.strictEqual(posted._tag === "not_executed", isRefusal(status, json), shown)
      const { client_reference_id, state } = (json ?? {}) as Record<string, unknown>
      if (outcome === "failed")
        assert.deepStrictEqual([state, client_reference_id], ["canceled", "off_1.payout"], shown)
      if (outcome === "returned")
        assert.deepStrictEqual([state, client_reference_id], ["refunded", "off_1.payout"], shown)
      // A look-up by Bridge's id is never told that there is nothing.
      assert.include(["found", "unknown"], found._tag, shown)
      if (posted._tag === "found") assert.deepStrictEqual(found, posted, shown)
      if (status > 299) assert.notStrictEqual(posted._tag, "found", shown)
    }
    assert.deepStrictEqual([...seen.keys()].sort(), [
      ...["exists", "found failed", "found open", "found returned", "found success", "not_executed", "unknown"]
    ])
  })

  covers("BRIDGE-3")
  it("pays USD with what reached the bank, and EUR as it was fixed, with the fees of the receipt", () => {
    const receipt = { developer_fee: "0.0", exchange_fee: "0.25", gas_fee: "0.05", final_amount: "25.2" }
    const outcomeOf = (currency: keyof typeof expectedOf) => {
      const found = readFound({ status: 200, json: { ...transferOf(currency), receipt } }, expectedOf[currency])
      return (found as { readonly outcome: object }).outcome
    }
    assert.deepInclude(outcomeOf("USD"), { amount: "25.20", fee: "0.30", fee_currency: "USD" })
    assert.deepInclude(outcomeOf("EUR"), { amount: "25.50", fee: "0.30", fee_currency: "USDC" })
  })

  covers("BRIDGE-4")
  it("says of each state what it means, whether money may still leave, and who is waited for", () => {
    for (const [state, { awaited_person, left, mayLeave, port }] of Object.entries(states)) {
      if (port === "failed") assert.deepStrictEqual([mayLeave, left], [false, "no"], state)
      if (mayLeave) assert.include(["pending", "unknown"], port, state)
      if (awaited_person !== undefined) assert.strictEqual(port, "pending", state)
    }
  })

  covers("BRIDGE-6")
  it("knows every country of this service with three letters, each once", () => {
    const found = countries.map(({ code }) => alpha3(code))
    for (const code of found) assert.match(code ?? "", /^[A-Z]{3}$/)
    assert.strictEqual(new Set(found).size, found.length)
    assert.deepStrictEqual([alpha3("DE"), alpha3("US"), alpha3("NG"), alpha3("ZZ")], ["DEU", "USA", "NGA", undefined])
  })
})
