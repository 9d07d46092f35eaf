/** Fences, on every chain alike: what a look-up says is absent, or a submission rejects, nothing executes that began before. */
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { CommandStatus, Provider, SubmissionResult } from "../../../src/engine/ports/Provider.ts"
import { type RefundedChain, refundedChains, refundOf } from "../../support/chains/refunding-chains.ts"
import { covers } from "../../support/repository/covers.ts"

const run = Effect.runPromise

/** The calls of one command. `attempt`: the number of the submission that asks or is asked about. */
interface Calls {
  readonly submit: (provider: Provider["Service"], attempt: number) => Promise<SubmissionResult>
  readonly look: (provider: Provider["Service"], attempt: number) => Promise<CommandStatus>
  readonly executed: () => Promise<number>
}

const purposes: { readonly [purpose: string]: (chain: RefundedChain) => Promise<Calls> } = {
  payout: async (chain) => {
    const command = await chain.payout(7)
    return {
      submit: ({ payouts }, attempt) => run(payouts!.submit({ ...command, attempt })),
      look: ({ payouts }, attempt) => run(payouts!.lookup({ ...command, attempt })),
      executed: () => chain.paid(command)
    }
  },
  refund: async (chain) => {
    const payin_id = await chain.pay(9)
    await chain.finalize()
    await chain.read()
    const command = refundOf(payin_id, 7)
    return {
      submit: ({ payins }) => run(payins!.refund(command)),
      look: ({ payins }) => run(payins!.lookupRefund(command)),
      executed: chain.returned
    }
  }
}

/** Where a submission stands still: what it has read is then overtaken. */
const places = ["before", "after"] as const

covers("EVM-8", "SOLANA-4")
describe.each(Object.entries(refundedChains))("on %s", (_, start) => {
  let chain: RefundedChain
  beforeEach(async () => {
    chain = await start()
  })
  afterEach(() => chain.close())

  const cases = Object.keys(purposes).flatMap((purpose) =>
    places.flatMap((place) =>
      (["same", "changed"] as const).flatMap((other) =>
        (["a look-up", "a rejection"] as const)
          .filter((by) => by === "a look-up" || other === "changed")
          .map((by) => ({ purpose, place, other, by }))
      )
    )
  )

  it.each(cases)(
    "a $purpose whose submission stands still $place its signature is stopped by $by of a node of the $other configuration",
    async ({ by, other, place, purpose }) => {
      const { executed, look, submit } = await purposes[purpose]!(chain)
      const [hold, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const wait = Effect.promise(() => (begun.resolve(), hold.promise))
      const slow = await chain.start({ signer: place === "before" ? { before: wait } : { after: wait } })
      const node = await chain.start(other === "changed" ? { isChanged: true } : {})
      const late = submit(slow, 0).then(
        ({ _tag }) => _tag,
        () => "fault"
      )
      await begun.promise
      if (by === "a look-up") expect(await look(node, 0)).toEqual({ _tag: "absent" })
      else expect(await submit(node, 1)).toMatchObject({ _tag: "rejected" })
      hold.resolve()
      // It says that nothing was executed, or that it does not know.
      expect(["fault", "unavailable", "rejected"]).toContain(await late)
      await chain.finalize()
      await chain.read()
      expect(await executed()).toBe(0)
      expect((await look(chain.provider, 1))._tag).not.toBe("pending")
      if (by === "a rejection") return
      expect(await submit(chain.provider, 2)).toEqual({ _tag: "accepted" })
      await chain.finalize()
      expect(await executed()).toBe(7)
    }
  )
})
