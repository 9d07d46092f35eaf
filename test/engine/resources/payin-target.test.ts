/** The search for what a pay-in is paid to, while that is being issued. */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { Storage } from "../../../src/engine/ports/Storage.ts"
import { findTarget } from "../../../src/engine/resources/deposits/payin-target.ts"
import { covers } from "../../support/repository/covers.ts"

/** A store in which a target appears after some lookups. */
const storeWith = (key: string, after: number) => {
  let asked = 0
  const lookup = (scope: string, wanted: string) =>
    Effect.sync(() =>
      asked++ >= after && wanted === key
        ? { scope, key, merchant_id: "mer_1", kind: "wallet_credential", id: "wcr_1" }
        : undefined
    )
  return { lookup, get: () => Effect.succeed([]) } as unknown as Storage["Service"]
}

const named = { network: "bank", currency: "ZAR", target: "2692290059/YB1C9VDRJF" }

describe("the target of a pay-in", () => {
  covers("DEPOSIT-8")
  it.each([0, 2])("is found where it is issued after %i lookups: it is of no wrong currency", async (after) => {
    const found = await Effect.runPromise(
      findTarget(storeWith("simulated/bank/ZAR/2692290059/YB1C9VDRJF", after), named, "simulated")
    )
    assert.deepInclude(found, { _tag: "found", merchant_id: "mer_1" })
  })

  it("is found without a network too", async () => {
    const anywhere = { ...named, network: null }
    const found = await Effect.runPromise(
      findTarget(storeWith("simulated/bank/ZAR/2692290059/YB1C9VDRJF", 2), anywhere, "simulated")
    )
    assert.strictEqual(found._tag, "found")
  })

  it("is wrong where it is that of another currency", async () => {
    const found = await Effect.runPromise(
      findTarget(storeWith("simulated/bank/KES/2692290059/YB1C9VDRJF", 0), named, "simulated")
    )
    assert.deepInclude(found, { _tag: "wrong", merchant_id: "mer_1" })
  })
})
