/** A fake Paystack, and providers over it that share a store: each is a process of its own. */
import { Effect } from "effect"
import { assert } from "@effect/vitest"
import { PaystackProvider, type PaystackOptions } from "../../../src/adapters/provider/paystack.ts"
import type { PayoutCommand, Provider, RefundCommand } from "../../../src/engine/ports/Provider.ts"
import { FakePaystack, ghsKey, ngnKey } from "./fake-paystack.ts"
import { companyWorld } from "./world.ts"

export const minutes = (count: number): number => count * 60_000

/** Half an hour, and the time between two look-ups. */
export const grace = minutes(31)

export const payoutOf = (n: number, over: Partial<PayoutCommand> = {}): PayoutCommand => {
  const resource_id = `off_01k6x0b7z2${String(n).padStart(16, "0")}`
  return {
    id: `${resource_id}.payout`,
    merchant_id: "mer_1",
    resource_id,
    statement_reference: "01K6X0B7Z26VDFC6",
    reference: `ref_${n}`,
    originator: null,
    attempt: 0,
    kind: "offramp",
    amount: "1500.50",
    currency: "NGN",
    source_amount: "1.00",
    source_currency: "USDC",
    destination: {
      ...{ type: "fiat", country_code: "NG", network: "bank", account_number: "0001234567", account_name: "ADA OBI" },
      ...{ bank_code: "044", provider_id: "prov_1", rail: null }
    },
    beneficiary: { id: "ben_1", name: "Ada Obi" },
    narration: "Invoice 1",
    ...over
  }
}

export const refundOf = (n: number, payin_id: string, amount = "100.00"): RefundCommand => ({
  ...{ id: `dep_01k6x0b7z2${String(n).padStart(16, "0")}.refund`, merchant_id: "mer_1", payin_id, amount },
  ...{
    resource_id: `dep_01k6x0b7z2${String(n).padStart(16, "0")}`,
    statement_reference: "01K6X0B7Z26VDFC6",
    currency: "NGN"
  }
})

/** The reference that Paystack gets for a command, as its document allows one. */
export const referenceFor = ({ id }: { readonly id: string }): string => id.replaceAll(".", "-")

export type { Process } from "./world.ts"

/** A fake, a store, and a clock that moves by hand. All end with the scope. */
export const paystackWorld = (options: Partial<PaystackOptions> = {}) => {
  const fake = new FakePaystack()
  return companyWorld(fake, (over: Partial<PaystackOptions>) =>
    PaystackProvider.layer({
      url: fake.url,
      keys: { NGN: ngnKey, GHS: ghsKey },
      timeout_ms: 15_000,
      ...options,
      ...over
    })
  )
}

export type PaystackWorld = Effect.Success<ReturnType<typeof paystackWorld>>

/** What a call comes to, in a word or two. */
export const wordOf = <A extends { readonly _tag: string }>(call: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.match(call, {
    onFailure: ({ _tag }) => _tag,
    onSuccess: (result) =>
      result._tag === "settled"
        ? `settled ${(result as unknown as { outcome: { outcome: string } }).outcome.outcome}`
        : result._tag
  })

/** The payouts of a provider, whose submissions have numbers as those of the engine do. What a call comes to, in a word or two. */
export const numbered = ({ payouts }: Provider["Service"]) => {
  const counts = new Map<string, number>()
  const countOf = ({ id }: PayoutCommand): number => counts.get(id) ?? 0
  return {
    submit: (one: PayoutCommand) =>
      Effect.suspend(() => {
        const attempt = countOf(one)
        counts.set(one.id, attempt + 1)
        return wordOf(payouts!.submit({ ...one, attempt }))
      }),
    lookup: (one: PayoutCommand) => Effect.suspend(() => wordOf(payouts!.lookup({ ...one, attempt: countOf(one) - 1 })))
  }
}

/** An `absent` has overtaken a submission, which sends nothing any more; a later one does. `executions`: of the command, until now. */
export const checkOvertaken = Effect.fnUntraced(function* (
  { payouts }: Provider["Service"],
  command: PayoutCommand,
  executions: () => number
) {
  assert.strictEqual(yield* wordOf(payouts!.lookup(command)), "absent")
  assert.strictEqual(yield* wordOf(payouts!.submit(command)), "unavailable")
  assert.strictEqual(executions(), 0)
  assert.include(["accepted", "settled success"], yield* wordOf(payouts!.submit({ ...command, attempt: 1 })))
  assert.include(["accepted", "settled success"], yield* wordOf(payouts!.submit(command)))
  assert.strictEqual(executions(), 1)
})
