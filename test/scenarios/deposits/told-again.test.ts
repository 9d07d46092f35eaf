/** What a provider tells again, or otherwise, of money that failed, came late, or is another's (DEPOSIT-8, DEPOSIT-15, EXCEPTION-5). */
import { Clock, Effect } from "effect"
import { assert, it } from "vitest"
import type { PayinEvent } from "../../../src/engine/ports/Provider.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { DepositAddresses } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory, onServers } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { addressAt, findExceptions, freshAddress, payinEvent } from "../../support/merchants/payins.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

/** Reports on one pay-in, each with an id of its own. */
const reporting = (about: Partial<PayinEvent> & Pick<PayinEvent, "target">) => {
  const payin_id = `${about.target}.paid`
  let n = 0
  return {
    reports: (more: Partial<PayinEvent> = {}) =>
      Inbox.use((inbox) =>
        inbox.receive("simulated", payinEvent({ payin_id, event_id: `${payin_id}.${++n}`, ...about, ...more }))
      ),
    open: findExceptions(payin_id)
  }
}

const toBank = { currency: "NGN", network: "bank" } as const

onMemory("money that came late and was applied to its onramp", (run) => {
  /** The payment of an expired onramp, applied by an operator. */
  const applied = Effect.fnUntraced(function* (first: "failed" | "none", amount: string) {
    const m = yield* merchantCollecting
    const { deposit_instruction, id } = yield* m.onramp()
    const observed_at = yield* Clock.currentTimeMillis
    const { open, reports } = reporting({
      target: deposit_instruction.depositReference,
      ...toBank,
      amount,
      observed_at
    })
    if (first === "failed") yield* reports({ stage: "failed" })
    yield* m.advance(1900)
    yield* reports()
    const [late] = yield* open
    yield* m.behaves("hold")
    yield* Exceptions.use((s) => s.resolve(m.operator, late!.id, { action: "apply", note: "in time" }))
    return { m, id, open, reports }
  })

  const cases = [
    ["failed", "150000"],
    ["failed", "150000.009"],
    ["none", "150000.009"]
  ] as const

  covers("DEPOSIT-15", "DEPOSIT-17")
  it.each(cases)("is the same when it is told again: %s before, %s", (first, amount) =>
    run(
      Effect.gen(function* () {
        const { id, m, open, reports } = yield* applied(first, amount)
        yield* m.behaves("accept")
        yield* m.settle
        yield* m.says(id, "success")
        yield* reports()
        assert.deepEqual(yield* open, [])
      })
    )
  )

  covers("ONRAMP-9", "DEPOSIT-15")
  it.each(cases)("is not paid out once it is recalled: %s before, %s", (first, amount) =>
    run(
      Effect.gen(function* () {
        const { id, m, open, reports } = yield* applied(first, amount)
        yield* reports({ stage: "failed" })
        yield* m.behaves("accept")
        yield* m.settle
        assert.strictEqual((yield* m.collected(id)).status, "returned")
        assert.strictEqual((yield* m.balance).available, "0.00")
        assert.deepEqual(
          (yield* open).map(({ reason }) => reason),
          ["recalled"]
        )
      })
    )
  )
})

/** The longest text of a provider: no store keeps all of them in a key. */
const longText = (first: number): string => String.fromCodePoint(...Array.from({ length: 500 }, (_, n) => first + n))

onServers("a report that contradicts what is known", (run) => {
  const versions: Readonly<Record<string, Partial<PayinEvent>>> = {
    "another amount": { amount: "150" },
    "another currency": { currency: "USDT" },
    "texts as long as they may be": { target: longText(0x1f000), currency: longText(0x4e00) },
    "a failure with another amount": { stage: "failed", amount: "99" }
  }
  covers("EXCEPTION-5", "OUTCOME-10", "DEPOSIT-8")
  it.each(Object.entries(versions))("of a pay-in puts its money at risk once: %s", (_, version) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress())
        const { open, reports } = reporting({ target })
        yield* reports()
        for (let n = 0; n < 3; n++) yield* reports(version)
        const found = yield* open
        const [first, ...others] = found.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        assert.strictEqual(first!.severity, "high")
        assert.deepEqual(
          others.map(({ detail, exposure, severity }) => [severity, exposure, detail]),
          [1, 2].map(() => ["low", null, `It repeats what exception ${first!.id} reports.`])
        )
        // What says something else is no repeat.
        yield* reports({ amount: "175" })
        assert.strictEqual((yield* open).filter(({ severity }) => severity === "high").length, 2)
      })
    )
  )

  covers("EXCEPTION-5", "OUTCOME-10")
  it.each(["movement", "refund"] as const)("of a %s that another provider has puts its money at risk once", (_tag) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        yield* m.behaves("hold")
        const { id } = yield* m.onramp()
        yield* m.pays(id, "150000")
        for (let n = 0; n < 3; n++)
          yield* Inbox.use((inbox) =>
            inbox.receive("other", {
              ...{ _tag, event_id: `${id}.other.${n}`, merchant_id: m.merchant_id, resource_id: id },
              ...{ outcome: "success", reason: null, transaction_hash: null }
            } as never)
          )
        yield* m.behaves("accept")
        yield* m.settle
        yield* m.says(id, "success")
        const { items } = yield* Exceptions.use((s) => s.list({ status: "open", per_page: 200 }))
        const found = items.filter(({ provider, resource_id }) => provider === "other" && resource_id === id)
        assert.deepEqual(found.map(({ severity }) => severity).toSorted(), ["high", "low", "low"])
      })
    )
  )
})

onMemory("a pay-in that has failed", (run) => {
  covers("DEPOSIT-8")
  it("has the amount as which it was confirmed, also where it was held", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const at = yield* addressAt(m, freshAddress())
        yield* DepositAddresses.use((s) => s.freeze(m.operator, at.id))
        const { open, reports } = reporting({ target: at.target, amount: "100" })
        yield* reports()
        yield* reports({ stage: "failed" })
        yield* reports({ amount: "200" })
        assert.deepEqual(
          (yield* open).map(({ amount, reason, recorded }) => [
            reason,
            amount,
            (recorded as { readonly amount: string } | null)?.amount
          ]),
          [["another_amount", null, "100.00"]]
        )
        // The same money may still come, and is then in suspense.
        yield* reports()
        assert.sameDeepMembers(
          (yield* open).map(({ amount, reason }) => [reason, amount]),
          [
            ["another_amount", null],
            ["contradicts_state", "100.00"]
          ]
        )
      })
    ))

  covers("DEPOSIT-15")
  it("and is confirmed as less than the ledger keeps is named once, also of an onramp", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { deposit_instruction } = yield* m.onramp()
        const { open, reports } = reporting({
          target: deposit_instruction.depositReference,
          ...toBank,
          amount: "0.001"
        })
        yield* reports({ stage: "failed", amount: "100" })
        for (let n = 0; n < 3; n++) yield* reports()
        assert.deepEqual(
          (yield* open).map(({ amount, reason, severity }) => [reason, severity, amount]),
          [["remainder", "low", null]]
        )
      })
    ))
})
