/** Refunds, on every chain alike: what is reserved of a pay-in, how a command is answered, and what is told of its end. */
import { Effect } from "effect"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type {
  CommandStatus,
  Destination,
  RefundCommand,
  RefundReport,
  SubmissionResult
} from "../../../src/engine/ports/Provider.ts"
import { type RefundedChain, refundedChains, refundOf } from "../../support/chains/refunding-chains.ts"
import { triesOf } from "../../support/properties/tries.ts"
import { covers } from "../../support/repository/covers.ts"

const run = Effect.runPromise

covers("EVM-10", "SOLANA-12")
describe.each(Object.entries(refundedChains))("a refund on %s", (_, start) => {
  let chain: RefundedChain
  beforeEach(async () => {
    chain = await start()
  })
  afterEach(() => chain.close())

  const submit = (command: RefundCommand): Promise<SubmissionResult> => run(chain.provider.payins!.refund(command))
  const look = (command: RefundCommand): Promise<CommandStatus> => run(chain.provider.payins!.lookupRefund(command))
  const reportOf = async ({ id }: RefundCommand): Promise<RefundReport> => {
    const events = await chain.read()
    return events.find((event): event is RefundReport => event._tag === "refund" && event.command_id === id)!
  }
  const payin = async (amount: number): Promise<string> => {
    const id = await chain.pay(amount)
    await chain.finalize()
    await chain.read()
    return id
  }
  /** The ways by which the end of a refund is learned. */
  const ways = { "an event": reportOf, "a look-up": look, "a submission": submit }

  it("goes to the payer, and the sum of all never exceeds the pay-in", async () => {
    const payin_id = await payin(9)
    const commands = Array.from({ length: 8 }, () => refundOf(payin_id, 4))
    const results = await Promise.all(commands.map(submit))
    const refused = { _tag: "rejected", reason: "the refunds would exceed the pay-in", refundable: false }
    expect(results.filter(({ _tag }) => _tag === "accepted")).toHaveLength(2)
    expect(results.find(({ _tag }) => _tag === "rejected")).toEqual(refused)
    await chain.finalize()
    await chain.read()
    expect(await chain.returned()).toBe(8)
    expect(await submit(refundOf(payin_id, 2))).toEqual(refused)
    expect(await submit(refundOf(payin_id, 1))).toEqual({ _tag: "accepted" })
  })

  it.each(Object.entries(ways))("that failed, by %s, leaves its amount to another one", async (way, learn) => {
    const payin_id = await payin(9)
    const first = refundOf(payin_id, 9)
    await chain.failing(() => submit(first))
    expect(await learn(first), way).toBeDefined()
    const second = refundOf(payin_id, 9)
    expect(await submit(second)).toEqual({ _tag: "accepted" })
    await chain.finalize()
    expect(await reportOf(second)).toMatchObject({ outcome: "success" })
    expect(await chain.returned()).toBe(9)
  })

  it("is said to have ended alike by an event, a look-up and a submission", async () => {
    const payin_id = await payin(9)
    const [good, bad] = [refundOf(payin_id, 3), refundOf(payin_id, 4)]
    await submit(good)
    await chain.finalize()
    await chain.failing(() => submit(bad))
    for (const command of [good, bad]) {
      const { merchant_id, resource_id } = command
      const event = await reportOf(command)
      const about = { _tag: "refund", event_id: event.event_id, command_id: command.id, merchant_id, resource_id }
      for (const status of [await look(command), await submit(command)]) {
        if (status._tag !== "settled") throw new Error(status._tag)
        expect(event).toEqual({ ...about, ...status.outcome })
      }
    }
  })

  it("waits until its pay-in is final, and is rejected once that has failed", async () => {
    const waiting = await chain.pay(5)
    const command = refundOf(waiting, 5)
    expect(await submit(command)).toEqual({ _tag: "unavailable" })
    expect(await look(command)).toEqual({ _tag: "absent" })
    await chain.finalize()
    await chain.read()
    expect(await submit(command)).toEqual({ _tag: "accepted" })
    await chain.finalize()
    const lost = refundOf(await chain.pay(6), 6)
    expect(await submit(lost)).toEqual({ _tag: "unavailable" })
    await chain.drop()
    await chain.read()
    expect(await submit(lost)).toEqual({ _tag: "rejected", reason: "the pay-in has failed", refundable: false })
    expect(await chain.returned()).toBe(5)
  })

  it("that can never be made is rejected, and nothing is signed for it", async () => {
    const payin_id = await payin(9)
    for (const command of [
      refundOf("nothing", 1),
      refundOf(payin_id, 1, { currency: "USDT" }),
      refundOf(payin_id, 1, { amount: "1.0000001" })
    ]) {
      const refused = await submit(command)
      expect(refused).toMatchObject({ _tag: "rejected", refundable: false })
      expect(await look(command)).toMatchObject({ _tag: "settled", outcome: { outcome: "failed" } })
      expect(await submit(command)).toEqual(refused)
    }
  })

  it("of what the hot wallet itself paid is rejected: it would pay nobody", async () => {
    await payin(9)
    const { target } = (await chain.read()).findLast((event) => event._tag === "payin")!
    const { destination, ...command } = await chain.payout(7)
    await run(
      chain.provider.payouts!.submit({ ...command, destination: { ...destination, address: target } as Destination })
    )
    await chain.finalize()
    const own = (await chain.read()).findLast((event) => event._tag === "payin")!
    expect(own).toMatchObject({ target, amount: "7", stage: "confirmed" })
    const refused = refundOf(own.payin_id, 7)
    const result = await submit(refused)
    expect(result).toMatchObject({
      _tag: "rejected",
      reason: expect.stringContaining("the payer of the pay-in cannot be paid") as string,
      refundable: false
    })
    expect((result as { readonly reason: string }).reason).toContain("is the platform's own wallet")
    expect(await submit(refused)).toEqual(result)
    await chain.finalize()
    expect(await look(refused)).toMatchObject({ _tag: "settled", outcome: { outcome: "failed" } })
  })

  it("that the signer refuses stays rejected, and leaves its amount to another one", async () => {
    const payin_id = await payin(9)
    const command = refundOf(payin_id, 9)
    const strict = await chain.start({ signer: { refusal: "over the limit" } })
    const refused = await run(strict.payins!.refund(command))
    expect(refused).toMatchObject({ _tag: "rejected", refundable: false })
    expect(await submit(command)).toEqual(refused)
    expect(await look(command)).toMatchObject({ _tag: "settled", outcome: { outcome: "failed" } })
    expect(await submit(refundOf(payin_id, 9))).toEqual({ _tag: "accepted" })
  })

  it("that is rejected after it had to wait leaves its amount to another one, and stays rejected", async () => {
    const payin_id = await payin(9)
    const [waiting, told] = [refundOf(payin_id, 4), refundOf(payin_id, 5)]
    const faulty = await chain.start({ signer: { fault: "the signer is away" } })
    for (const command of [waiting, told]) await Effect.runPromiseExit(faulty.payins!.refund(command))
    expect(await submit(refundOf(payin_id, 1))).toMatchObject({ _tag: "rejected" })
    const changed = await chain.start({ isChanged: true })
    for (const command of [waiting, told]) {
      const refused = await run(changed.payins!.refund(command))
      expect(refused).toMatchObject({ _tag: "rejected", refundable: false })
      expect(await look(command)).toMatchObject({ _tag: "settled", outcome: { outcome: "failed" } })
      expect(await submit(command)).toEqual(refused)
    }
    expect(await submit(refundOf(payin_id, 9))).toEqual({ _tag: "accepted" })
    await chain.finalize()
    expect(await chain.returned()).toBe(9)
  })

  it("that was signed is decided by its transaction, whatever the configuration is", async () => {
    const command = refundOf(await payin(9), 9)
    expect(await submit(command)).toEqual({ _tag: "accepted" })
    const { lookupRefund, refund } = (await chain.start({ isChanged: true })).payins!
    expect([await run(lookupRefund(command)), await run(refund(command))]).toEqual([
      { _tag: "pending" },
      { _tag: "accepted" }
    ])
    await chain.finalize()
    expect(await run(lookupRefund(command))).toMatchObject({ _tag: "settled", outcome: { outcome: "success" } })
  })

  it("that a look-up found absent is not made by a submission that began before", async () => {
    const command = refundOf(await payin(9), 9)
    const hold = Promise.withResolvers<void>()
    const signed = Promise.withResolvers<void>()
    const after = Effect.promise(() => {
      signed.resolve()
      return hold.promise
    })
    const slow = await chain.start({ signer: { after } })
    const late = Effect.runPromiseExit(slow.payins!.refund(command))
    await signed.promise
    expect(await look(command)).toEqual({ _tag: "absent" })
    hold.resolve()
    const exit = await late
    // It is not executed, or nobody knows.
    if (exit._tag === "Success") expect(exit.value).toEqual({ _tag: "unavailable" })
    await chain.finalize()
    expect(await look(command)).toEqual({ _tag: "absent" })
    expect(await chain.returned()).toBe(0)
    expect(await submit(command)).toEqual({ _tag: "accepted" })
  })

  it("that the signer refuses after a look-up found it absent is rejected only if it has ended", async () => {
    const command = refundOf(await payin(9), 9)
    const [hold, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const before = Effect.promise(() => (begun.resolve(), hold.promise))
    const strict = await chain.start({ signer: { before, refusal: "over the limit" } })
    const late = Effect.runPromiseExit(strict.payins!.refund(command))
    await begun.promise
    expect(await look(command)).toEqual({ _tag: "absent" })
    hold.resolve()
    const exit = await late
    const isRejected = exit._tag === "Success" && exit.value._tag === "rejected"
    expect((await look(command))._tag).toBe(isRejected ? "settled" : "absent")
  })

  it("that a look-up found absent takes nothing, until it is submitted again", async () => {
    const payin_id = await payin(9)
    const [given, other] = [refundOf(payin_id, 9), refundOf(payin_id, 5)]
    const away = await chain.start({ signer: { fault: "the signer is away" } })
    for (let day = 0; day < 2; day++) {
      await Effect.runPromiseExit(away.payins!.refund(given))
      expect(await submit(refundOf(payin_id, 1))).toMatchObject({ _tag: "rejected" })
      expect(await look(given)).toEqual({ _tag: "absent" })
    }
    expect(await submit(other)).toEqual({ _tag: "accepted" })
    expect(await submit(given)).toMatchObject({ _tag: "rejected" })
    expect(await submit(refundOf(payin_id, 4))).toEqual({ _tag: "accepted" })
    await chain.finalize()
    expect(await chain.returned()).toBe(9)
  })

  it.each(["before", "after"] as const)(
    "that a look-up found absent while its submission stands still %s its signature leaves its amount to another one",
    async (place) => {
      const payin_id = await payin(9)
      const command = refundOf(payin_id, 9)
      const [hold, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const wait = Effect.promise(() => (begun.resolve(), hold.promise))
      const slow = await chain.start({ signer: place === "before" ? { before: wait } : { after: wait } })
      const late = Effect.runPromiseExit(slow.payins!.refund(command))
      await begun.promise
      expect(await submit(refundOf(payin_id, 1))).toMatchObject({ _tag: "rejected" })
      expect(await look(command)).toEqual({ _tag: "absent" })
      expect(await submit(refundOf(payin_id, 9))).toEqual({ _tag: "accepted" })
      hold.resolve()
      await late
      await chain.finalize()
      expect(await chain.returned()).toBe(9)
    }
  )

  it("that paid another amount takes what was paid of its pay-in", async (context) => {
    if (chain.replace === undefined) return context.skip()
    const payin_id = await payin(9)
    const command = refundOf(payin_id, 9)
    await submit(command)
    await chain.replace(4)
    await chain.finalize()
    expect(await reportOf(command)).toMatchObject({ outcome: "success", amount: "4", command_id: command.id })
    expect(await submit(refundOf(payin_id, 6))).toMatchObject({ _tag: "rejected" })
    expect(await submit(refundOf(payin_id, 5))).toEqual({ _tag: "accepted" })
    await chain.finalize()
    expect(await chain.returned()).toBe(9)
  })

  /** What is done with the refunds of a pay-in. `at`: which one, of those that were submitted. */
  const acts = fc.array(
    fc.oneof(
      fc.record({ _tag: fc.constantFrom("submit", "submit failing"), amount: fc.integer({ min: 3, max: 9 }) }),
      fc.record({ _tag: fc.constant("give up"), amount: fc.integer({ min: 3, max: 9 }) }),
      fc.record({ _tag: fc.constantFrom("look", "submit again"), at: fc.nat(9) }),
      fc.record({ _tag: fc.constantFrom("read", "finalize") })
    ),
    { minLength: 6, maxLength: 12 }
  )

  it("ends the same, whatever is asked and told of it, in which order and how often", { timeout: 120_000 }, () =>
    fc.assert(
      fc.asyncProperty(acts, async (done) => {
        const payin_id = await payin(9)
        const returnedBefore = await chain.returned()
        const away = await chain.start({ signer: { fault: "the signer is away" } })
        const made: Array<{ command: RefundCommand; amount: number; outcome: "success" | "failed"; isFinal: boolean }> =
          []
        const sum = (of: (typeof made)[number]["outcome"], isFinal: boolean): number =>
          made
            .filter((one) => one.outcome === of && one.isFinal === isFinal)
            .reduce((total, one) => total + one.amount, 0)
        const left = (): number => 9 - sum("success", true) - sum("success", false) - sum("failed", false)
        const finalize = async (): Promise<void> => {
          await chain.finalize()
          for (const one of made) one.isFinal = true
        }
        const request = async (amount: number, outcome: "success" | "failed"): Promise<void> => {
          const command = refundOf(payin_id, amount)
          const isTaken = amount <= left()
          expect(await submit(command)).toMatchObject({ _tag: isTaken ? "accepted" : "rejected" })
          if (isTaken) made.push({ command, amount, outcome, isFinal: false })
        }
        for (const act of done) {
          const one = "at" in act ? made[act.at % made.length] : undefined
          if (act._tag === "give up") {
            const command = refundOf(payin_id, act.amount)
            await Effect.runPromiseExit(away.payins!.refund(command))
            const found = act.amount <= left() ? { _tag: "absent" } : { _tag: "settled" }
            expect(await look(command)).toMatchObject(found)
          } else if ("amount" in act && act._tag === "submit") await request(act.amount, "success")
          else if ("amount" in act) {
            await finalize()
            await chain.failing(() => request(act.amount, "failed"))
            for (const each of made) each.isFinal = true
          } else if ("at" in act) {
            if (one === undefined) continue
            const found = await (act._tag === "look" ? look : submit)(one.command)
            if (one.isFinal) expect(found).toMatchObject({ _tag: "settled", outcome: { outcome: one.outcome } })
            else expect(found).toEqual({ _tag: act._tag === "look" ? "pending" : "accepted" })
          } else await (act._tag === "read" ? chain.read() : finalize())
        }
        await finalize()
        const events = await chain.read()
        for (const { command } of made) {
          const status = await look(command)
          const own = events.filter((event) => event._tag === "refund" && event.command_id === command.id)
          expect(own.length).toBeLessThanOrEqual(1)
          for (const event of own) expect(event).toMatchObject((status as { readonly outcome: object }).outcome)
        }
        const rest = left()
        expect(await submit(refundOf(payin_id, rest + 1))).toMatchObject({ _tag: "rejected" })
        if (rest > 0) expect(await submit(refundOf(payin_id, rest))).toEqual({ _tag: "accepted" })
        await chain.finalize()
        expect((await chain.returned()) - returnedBefore).toBe(9)
      }),
      {
        numRuns: triesOf(8),
        examples: [
          [
            [
              { _tag: "submit failing", amount: 9 },
              { _tag: "submit", amount: 4 },
              { _tag: "finalize" },
              { _tag: "submit", amount: 5 }
            ]
          ]
        ]
      }
    )
  )
})
