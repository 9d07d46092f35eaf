/** Rows that break a page: of long, foreign and hostile names, of huge amounts, and a payout that was tried forty times. */
import { expect, vi } from "vitest"
import { createKey } from "../http/server.ts"
import { mt940 } from "../statements/mt940.ts"
import { hostile, type Seeded, seedConsole } from "./seeded.ts"

/** Without a place to break, from the right, of code points of two units, and one that is markup. */
export const names = {
  long: `Süddeutsche-${"Donaudampfschifffahrts".repeat(4)}gesellschaft-${"x".repeat(60)}`,
  fromTheRight: "شركة الخليج للتجارة والتحويلات الدولية ذ.م.م — مؤسسة تحويل الأموال (فرع دبي)",
  emoji: "👩🏽‍💻🧑‍🤝‍🧑🏳️‍🌈 Ọlá & Sons 🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀",
  markup: hostile
} as const

export interface Crowded extends Seeded {
  readonly account: string
  /** The day of the lines on its statement. */
  readonly day: string
  readonly batch: string
  readonly tried: string
}

export const seedCrowded = async (): Promise<Crowded> => {
  const seeded = await seedConsole()
  const { stock } = seeded
  const { api, make, settle } = stock
  const operated = async (path: string, body: object, method = "POST"): Promise<any> => {
    const { json, status, text } = await stock.operate(path, { method, body })
    expect([path, status, text]).toEqual([path, 200, text])
    return json.data
  }
  const day = "2026-01-05"
  let count = 0
  const reference = (): string => `${"unbroken-".repeat(12)}${++count}`
  await operated("/operator/v1/operators", {
    name: names.long.slice(0, 100),
    email: `${"a".repeat(60)}@example.com`,
    role: "support"
  })
  const bank = { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: stock.bank }
  await make("/sandbox/deposits", { wallet_id: stock.wallet, amount: "900000000.123456" })
  await make("/sandbox/deposits", { wallet_id: stock.tether, amount: "987654321.00" })
  await settle()
  for (const name of Object.values(names)) {
    await operated("/operator/v1/merchants", { name, country_code: "AE", status: "active" })
    const { id: customer_id } = await make("/v1/customers", {
      type: "business",
      name,
      email: `${"mail".repeat(15)}@example.com`,
      country_code: "NG",
      merchant_reference: reference()
    })
    await make("/v1/wallets", { currency: "USDC", customer_id, label: name.slice(0, 100) })
    const { id: beneficiary_id } = await make("/v1/beneficiaries", {
      type: "fiat",
      name,
      label: name.slice(0, 100),
      currency: "NGN",
      merchant_reference: reference(),
      details: { ...bank, account_name: name }
    })
    await make("/v1/offramps", {
      quote_id: (await stock.quote({ beneficiary_id, source_amount: "612345.67" })).id,
      reference: reference(),
      narration: name.slice(0, 140)
    })
    await make("/v1/api-keys", { role: "viewer", label: name.slice(0, 100) })
  }
  await settle()
  // Tried forty times: the bank is away for a day.
  await make("/sandbox/provider", { submissions: "unavailable" })
  const { id: tried } = await make("/v1/offramps", {
    quote_id: (await stock.quote({ source_amount: "99.99" })).id,
    retry_on_failure: true,
    reference: reference()
  })
  await settle()
  for (let times = 0; times < 40; times++) {
    await make("/sandbox/clock/advance", { seconds: 600 })
    await settle()
  }
  await make("/sandbox/provider", { submissions: "accept" })

  // What waits for people, of both sides.
  await make("/v1/approval-rules", { operations: ["payout"], above: { amount: "500000", currency: "USDC" } })
  await operated("/operator/v1/approval-rules", {
    operations: ["adjusting_entry", "limit"],
    above: { amount: "1000000", currency: "USDC" }
  })
  const admin = await createKey(api, "admin")
  await make(
    "/v1/transfers",
    { wallet_id: stock.wallet, beneficiary_id: stock.crypto, amount: "999999.99", reference: reference() },
    { key: admin.secret }
  )
  const rows = [
    { operation: "transfer", wallet_id: stock.wallet, beneficiary_id: stock.crypto, amount: "1.00" },
    { operation: "transfer", wallet_id: stock.wallet, beneficiary_id: names.long, amount: "one" },
    { operation: "offramp", wallet_id: stock.wallet, beneficiary_id: stock.fiat, target_amount: "987654321.00" }
  ]
  const batch = (await api.ask("/v1/batches", { body: { reference: reference(), rows } })).json.data.id
  await operated("/operator/v1/limits", {
    scope: "merchant",
    id: stock.other_merchant_id,
    operations: ["payout"],
    currency: "USDC",
    max_amount: "123456789012.34",
    window: { calendar: "month", time_zone: "America/Argentina/ComodRivadavia" },
    action: "refuse"
  })
  await operated("/operator/v1/fee-schedules", {
    operation: "offramp",
    source_currency: "USDC",
    destination_currency: "NGN",
    fixed: "1234567.00",
    bps: 250,
    min: "1.00",
    max: "9999999.00",
    tiers: [{ above: "1000000.00", fixed: "0.50", bps: 10 }],
    valid_from: "2027-01-01T00:00:00Z"
  })

  // The books against a statement whose texts nobody has shortened.
  const { id: account } = await operated("/operator/v1/external-accounts", {
    provider: "simulated",
    currency: "NGN",
    kind: "bank",
    identifiers: [{ scheme: "account_number", value: "5500000000000000000000000001" }],
    opening: { date: "2026-01-01", balance: "0" },
    time_zone: "Africa/Lagos"
  })
  const statement = await api.ask("/operator/v1/statements", {
    key: (await operated("/operator/v1/operators", { name: names.fromTheRight, role: "treasury" })).token,
    method: "POST",
    raw: new TextEncoder().encode(
      new TextDecoder()
        .decode(mt940("5500000000000000000000000001", "X".repeat(16)))
        .replace("Invoice 77", `${"INVOICE".repeat(9)}\r\n${hostile.slice(0, 64)}`)
    ),
    headers: { "content-type": "application/octet-stream" }
  })
  expect(statement.status, statement.text).toBe(200)
  await operated("/operator/v1/adjusting-entries", {
    from: "suspense",
    to: "fees",
    amount: "12.50",
    currency: "USDC",
    note: names.long + names.fromTheRight
  })
  await vi.waitFor(async () =>
    expect((await stock.operate("/operator/v1/breaks?status=open")).json.data).not.toEqual([])
  )
  return { ...seeded, account, day, batch, tried }
}
