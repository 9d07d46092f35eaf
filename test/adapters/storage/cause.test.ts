/** The cause of a Change as it is stored with its transitions, and how it is read. */
import { expect, it } from "vitest"
import { causeIn, causeOf } from "../../../src/adapters/storage/change.ts"
import { change, idempotency } from "./support.ts"

const origins = [undefined, { provider: "bank" }, { timers: { "ofr_1.quote_expiry": 5 }, cancels: ["a\n{}"] }]
const keys = ["k", "k\n", "k\n{}", 'k\n{"provider":"no"}', "\n", "{", "k\u2028{}"]

it("is read as it was written, whatever the key is", () => {
  for (const key of keys) {
    for (const origin of origins) {
      const written = change("mer_1", { idempotency: idempotency(key), ...(origin === undefined ? {} : { origin }) })
      expect(causeIn(causeOf(written))).toEqual({ cause: key, ...(origin === undefined ? {} : { origin }) })
    }
  }
})

it("of an earlier release is read as it is", () => {
  for (const key of ["idem/k", "provider/bank/a\nb", "provider/bank/a\n{b", "provider/bank/a\n{b}"])
    expect(causeIn(key)).toEqual({ cause: key })
})
