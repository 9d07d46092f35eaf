/** The cause of a Change as it is stored with its transitions, and how it is read. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { decodeCause, encodeCause } from "../../../src/adapters/storage/change.ts"
import type { Origin } from "../../../src/engine/ports/Storage.ts"
import { change, idempotency } from "./support.ts"

const id = "tfr_01m8eg6qywph4k87s6r98y0zcp"
const payout = { command: `${id}.payout`, provider: "simulated", operation: "submit", attempt: 1, at: 5 } as const
const origins: ReadonlyArray<Origin | undefined> = [
  undefined,
  { provider: "bank" },
  { timers: { "ofr_1.quote_expiry": 5 }, cancels: ["a\n{}"] },
  { request: { id: "req_1", key_id: "key_1", operation: "createTransfer" } },
  { request: { id: "req_1", key_id: null, operation: null, operator: { id: null, name: '","at":\u0001$&' } } },
  { calls: [{ ...payout, latency_ms: 12, answer: "accepted" }], cancels: [`${id}.payout`, id, `${id}.`] },
  { calls: [{ ...payout, latency_ms: 0, answer: "unknown" }], timers: { [`${id}.lookup`]: 7 } },
  { cancels: ["\u0001", "\u0012", "\\u0012", "$1", "$$"] }
]
const keys = ["k", "k\n", "k\n{}", 'k\n{"provider":"no"}', "\n", "{", "k\u2028{}", "k\u0001\n\u0012"].concat([
  `provider/simulated/${id}.payout.1`,
  `job:${id}.payout`,
  `idem/${id}\n${id}`
])

it("is read as it was written, whatever the key is", () => {
  for (const key of keys) {
    for (const origin of origins) {
      const written = change("mer_1", { idempotency: idempotency(key), ...(origin === undefined ? {} : { origin }) })
      expect(decodeCause(encodeCause(written))).toEqual({ cause: key, ...(origin === undefined ? {} : { origin }) })
    }
  }
})

it("is read as it was written, whatever its texts are", () => {
  const piece = fc.oneof(
    // Those that stores have are among them.
    fc.integer({ min: 1, max: 0x20 }).map((code) => String.fromCharCode(code)),
    fc.constantFrom(...origins.map((one) => JSON.stringify(one ?? {})), ...keys),
    fc.constantFrom(
      '","operation":"',
      ',"at":',
      '{"provider":"',
      "$&",
      "\\u0012",
      "\ud800",
      "\u2028",
      '"',
      "\\",
      `x${id}`,
      `${id}0`,
      `${id}.payout_x`
    ),
    fc.string({ maxLength: 5 })
  )
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""))
  const call = fc
    .record({ command: text, provider: text, answer: text, latency_ms: fc.nat() })
    .map((more) => ({ ...payout, ...more }))
  const origin = fc.record(
    {
      request: fc.record({ id: text, key_id: fc.option(text), operation: fc.option(text) }),
      provider: text,
      calls: fc.array(call, { maxLength: 2 }),
      timers: fc.dictionary(text, fc.nat(), { maxKeys: 2 }),
      cancels: fc.array(text, { maxLength: 2 })
    },
    { requiredKeys: [] }
  )
  fc.assert(
    fc.property(text, origin, (key, one) => {
      const stored = encodeCause(change("mer_1", { idempotency: idempotency(key), origin: one as unknown as Origin }))
      const read =
        Object.keys(one).length === 0 ? { cause: key } : { cause: key, origin: JSON.parse(JSON.stringify(one)) }
      expect(decodeCause(stored)).toEqual(read)
    })
  )
})

it("of a payout takes few bytes beside its key, and the characters that stores have", () => {
  const key = `provider/simulated/${id}.payout.1`
  const stored = (origin: Origin) => encodeCause(change("mer_1", { idempotency: idempotency(key), origin }))
  expect([
    stored({ request: { id: "req_1", key_id: "key_1", operation: "createTransfer" } }),
    stored({ provider: "simulated" }),
    stored({ timers: { [`${id}.payout`]: 7 } }),
    stored({ calls: [{ ...payout, latency_ms: 12, answer: "accepted" }], cancels: [`${id}.payout`] })
  ]).toEqual([
    `${key}\n\u0003req_1\u000fkey_1\u0005createTransfer"}}`,
    `${key}\n\u000esimulated"}`,
    `${key}\n\u0010\u0012":7}}`,
    `${key}\n\u0002\u0012\u0006simulated\u00011\u00115\u000812\u0004\u0007\u0012"]}`
  ])
})
