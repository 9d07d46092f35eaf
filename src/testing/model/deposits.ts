/** The deposits of the model: the result of each pay-in, whatever its reports and their order. */
import type { PayinEvent } from "../../engine/ports/Provider.ts"
import { bookAmount, toUsd } from "../program/amounts.ts"

/** The destination of pay-ins, and what they credit. */
export interface Place {
  readonly kind: "deposit_address" | "wallet_credential"
  readonly id: string
  readonly merchant: string
  readonly customer: string
  /** The account that a deposit credits. */
  readonly account: string
  readonly currency: string
}

export type DepositPhase = "detected" | "waiting" | "held" | "credited" | "refunding" | "failed"

export interface ModelPayin {
  readonly place: Place
  /** The amount as last reported, until the pay-in is confirmed. */
  amount: bigint
  readonly currency: string
  phase: DepositPhase
}

export const statesOf: Readonly<Record<DepositPhase, ReadonlyArray<string>>> = {
  detected: ["detected", "detected_unpriced"],
  waiting: ["waiting"],
  held: ["held"],
  credited: ["confirmed", "received"],
  refunding: ["refunding"],
  failed: ["failed"]
}

const limits: Readonly<Record<string, number>> = { tier_0: 1000, tier_1: 50_000, tier_2: Infinity }

export class ModelDeposits {
  readonly payins = new Map<string, ModelPayin>()
  /** By customer: the value that was credited under its limit, in US dollars. */
  readonly #let = new Map<string, number>()

  /**
   * Applies a report of a pay-in. `state` is the state of the destination; `tier` is the customer's; `moving` means
   * that one of them changed after the engine read it; `held` is whether the engine held the deposit, which is accepted
   * where both are possible; `waits` means that no decision was possible, for want of a rate or because the merchant is
   * suspended. Returns the amount credited, and the violation, if any.
   */
  handle(
    event: PayinEvent,
    place: Place,
    {
      held,
      moving,
      state,
      tier,
      waits
    }: {
      readonly state: string
      readonly tier: string
      readonly moving: boolean
      readonly held: boolean
      readonly waits: boolean
    }
  ): { readonly credited: bigint; readonly wrong: string | undefined } {
    const nothing = { credited: 0n, wrong: undefined }
    const { currency } = event
    const amount = bookAmount(event.amount, currency)?.booked
    if (amount === undefined || currency !== place.currency) return nothing
    const known = this.payins.get(event.payin_id)
    if (amount === 0n && (known === undefined || event.stage === "confirmed")) return nothing
    if (known === undefined && event.stage !== "confirmed") {
      const phase = event.stage === "detected" ? "detected" : "failed"
      this.payins.set(event.payin_id, { place, amount, currency, phase })
      return nothing
    }
    if (event.stage === "failed") {
      if (known !== undefined && ["detected", "waiting", "held"].includes(known.phase)) known.phase = "failed"
      return nothing
    }
    if (event.stage === "detected" || (known !== undefined && known.phase !== "detected")) return nothing
    const payin = known ?? { place, amount, currency, phase: "detected" }
    payin.amount = amount
    this.payins.set(event.payin_id, payin)
    if (waits) {
      payin.phase = "waiting"
      return nothing
    }
    const must = moving ? undefined : this.#withheld(payin, state, tier)
    payin.phase = (must ?? held) ? "held" : "credited"
    if (payin.phase === "credited") this.count(place.customer, amount, currency, tier)
    const decision = held ? "held" : "credited"
    return {
      credited: payin.phase === "credited" ? payin.amount : 0n,
      wrong:
        must === undefined || must === held
          ? undefined
          : `pay-in ${event.payin_id} was wrongly ${decision}: ${state}, ${tier}`
    }
  }

  /** Counts an amount against the customer's limit. */
  count(customer: string, amount: bigint, currency: string, tier: string): void {
    if (tier === "tier_2") return
    this.#let.set(customer, (this.#let.get(customer) ?? 0) + toUsd(amount, currency))
  }

  /** Whether a pay-in must be held. `undefined`: too close to the limit to tell. */
  #withheld({ amount, currency, place }: ModelPayin, state: string, tier: string): boolean | undefined {
    if (state === "frozen" || state === "disabled") return true
    const left = limits[tier]! - (this.#let.get(place.customer) ?? 0) - toUsd(amount, currency)
    return Math.abs(left) < 0.01 ? undefined : left < 0
  }
}
