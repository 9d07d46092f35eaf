/**
 * Random traffic of three Corridor nodes over two nodes of the chain: calls and answers are lost, nodes lag, commits fail or
 * lose their answer, processes end around commits, blocks are forked away. At the end nothing is paid twice and nothing is
 * lost, and the chain, the books and the engine's ledger agree.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { PayinEvent, PayoutCommand, RefundCommand } from "../../../../src/engine/ports/Provider.ts"
import { StorageFault } from "../../../../src/engine/ports/errors.ts"
import type { Change, Storage } from "../../../../src/engine/ports/Storage.ts"
import { deriveTokenAccount, VALIDITY } from "../../../support/chains/solana-chain.ts"
import type { Fault } from "../../../support/chains/solana-node.ts"
import {
  FLOAT,
  issueOf,
  makeReader,
  payout,
  type ProviderService,
  quiet,
  startPlatform,
  stranger,
  USDC
} from "../../../support/chains/solana-platform.ts"
import { covers } from "../../../support/repository/covers.ts"

const run = Effect.runPromise
const attempted = <A, E>(effect: Effect.Effect<A, E>) => run(Effect.exit(effect))

/** A reproducible sequence of fractions in [0, 1). */
const fractions = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** What the engine knows of a payout, and does next. */
interface Driven {
  command: PayoutCommand
  next: "submit" | "lookup"
  end: "success" | "failed" | null
}

interface Returned {
  readonly command: RefundCommand
  end: "success" | "failed" | null
}

const seeds = [1, 2, 3, 4, 5, 111, 113, 136]

describe("random traffic on Solana", () => {
  covers("SOLANA-1", "SOLANA-3", "SOLANA-10", "SOLANA-12")
  const count = { paid: 0, deposits: 0, refunds: 0, forks: 0, faults: 0, ends: 0 }

  it.each(seeds)("of seed %i pays each payout once, credits each deposit once, and balances", async (seed) => {
    const random = fractions(seed)
    const below = (n: number): number => Math.floor(random() * n)
    const chance = (share: number): boolean => random() < share
    const platform = await startPlatform({ nodes: 2 })
    const { chain, nodes, mint, payer } = platform
    let stormy = true

    const faulty = (inner: Storage["Service"]): Storage["Service"] => ({
      ...inner,
      commit: (change: Change) => {
        const lot = stormy ? random() : 1
        const lost = Effect.fail(new StorageFault({ message: "lost", retryable: true }))
        if (lot < 0.06) count.ends += 1
        if (lot < 0.015) return lost
        if (lot < 0.03) return Effect.andThen(inner.commit(change), lost)
        if (lot < 0.045) return Effect.die("ended")
        if (lot < 0.06) return Effect.andThen(inner.commit(change), Effect.die("ended"))
        return inner.commit(change)
      }
    })
    for (const node of nodes)
      node.fault = (): Fault => {
        if (!stormy || !chance(0.04)) return undefined
        count.faults += 1
        return (["away", "lost", "busy"] as const)[below(3)]
      }
    const providers = await Promise.all([0, 1, 2].map(() => platform.start({ storage: faulty(platform.storage) })))
    const anyone = (): ProviderService => providers[below(3)]!
    const reader = makeReader()
    const payouts: Array<Driven> = []
    const refunds: Array<Returned> = []
    const addresses: Array<string> = []
    let paidIn = 0

    const submit = async (driven: Driven): Promise<void> => {
      const several = chance(0.3) ? 3 : 1
      const results = await Promise.all(
        Array.from({ length: several }, () => attempted(anyone().payouts!.submit(driven.command)))
      )
      const [result] = results
      driven.next = "lookup"
      if (several > 1 || result?._tag !== "Success") return
      const { value } = result
      if (value._tag === "settled") driven.end = value.outcome.outcome === "success" ? "success" : "failed"
      if (value._tag === "rejected") driven.end = "failed"
      if (value._tag === "unavailable") {
        driven.command = { ...driven.command, attempt: driven.command.attempt + 1 }
        driven.next = "submit"
      }
    }
    const lookup = async (driven: Driven): Promise<void> => {
      const result = await attempted(anyone().payouts!.lookup(driven.command))
      if (result._tag !== "Success") return
      const status = result.value
      if (status._tag === "settled") driven.end = status.outcome.outcome === "success" ? "success" : "failed"
      if (status._tag === "absent") {
        driven.command = { ...driven.command, attempt: driven.command.attempt + 1 }
        driven.next = "submit"
      }
    }
    const drive = (driven: Driven) => (driven.next === "submit" ? submit(driven) : lookup(driven))
    const giveBack = async (refund: Returned): Promise<void> => {
      const result = await attempted(anyone().payins!.refund(refund.command))
      if (result._tag !== "Success") return
      if (result.value._tag === "rejected") refund.end = "failed"
      if (result.value._tag === "settled")
        refund.end = result.value.outcome.outcome === "success" ? "success" : "failed"
    }
    const confirmed = (): ReadonlyArray<PayinEvent> =>
      [...reader.reported.values()].filter(
        (event): event is PayinEvent => event._tag === "payin" && event.stage === "confirmed"
      )
    const acts: ReadonlyArray<readonly [number, () => Promise<unknown>]> = [
      [
        3,
        async () => {
          const id = `tfr_${seed}_${payouts.length}.payout`
          const command = payout(id, await stranger(), chance(0.1) ? "4000" : `${1 + below(50)}.25`)
          payouts.push({ command, next: "submit", end: null })
        }
      ],
      [6, () => Promise.all(payouts.filter(({ end }) => end === null && chance(0.6)).map(drive))],
      [
        1,
        async () => {
          const id = `dad_${seed}_${addresses.length}.issue`
          const result = await attempted(anyone().payins!.issue(issueOf(id)))
          if (result._tag === "Success" && result.value._tag === "issued") addresses.push(result.value.issued.target)
        }
      ],
      [
        3,
        async () => {
          const target = addresses[below(addresses.length)]
          if (target === undefined) return
          await chain.pay(payer, mint, target, BigInt(1 + below(90)) * USDC + BigInt(below(1000)))
          paidIn += 1
        }
      ],
      [3, async () => chain.mine(1 + below(12))],
      [0.6, async () => chain.mine(VALIDITY + below(200))],
      [
        1.5,
        async () => {
          const depth = Math.min(
            1 + below(3),
            chain.blocks.indexOf(chain.head) - chain.blocks.indexOf(chain.block("finalized"))
          )
          if (depth === 0) return
          count.forks += 1
          chain.fork(depth, chance(0.6))
          chain.mine(1)
        }
      ],
      [4, () => reader.read(anyone(), chance(0.2)).catch(() => undefined)],
      [
        1,
        async () => {
          const payin = confirmed()[below(confirmed().length)]
          if (payin === undefined) return
          const { payin_id, currency } = payin
          const amount = `${1 + below(30)}.5`
          const id = `rfd_${seed}_${refunds.length}.refund`
          refunds.push({
            command: {
              id,
              merchant_id: "mer_1",
              resource_id: "dep_1",
              statement_reference: "01K6X0J4M60TRT5C",
              payin_id,
              amount,
              currency
            },
            end: null
          })
        }
      ],
      [2, () => Promise.all(refunds.filter(({ end }) => end === null && chance(0.6)).map(giveBack))],
      [
        1,
        async () => {
          chain.automatic = chance(0.7)
          for (const node of nodes) node.behind = chance(0.3) ? below(30) : 0
        }
      ]
    ]
    const weight = acts.reduce((sum, [one]) => sum + one, 0)
    for (let step = 0; step < 90; step++) {
      let lot = random() * weight
      const [, act] = acts.find(([one]) => (lot -= one) < 0) ?? acts[0]!
      await act()
    }

    stormy = false
    chain.automatic = true
    for (const node of nodes) node.behind = 0
    const [provider] = providers
    // A payout that the float never pays is given up by the engine while it is absent or unavailable.
    for (let round = 0; round < 16; round++) {
      for (const driven of payouts) if (driven.end === null) await drive(driven)
      for (const refund of refunds) if (refund.end === null) await giveBack(refund)
      chain.finalize()
      if (round % 4 === 3) chain.mine(2 * VALIDITY + 20)
    }
    const { onChain, inBooks, executions } = await quiet(platform, provider!, reader)
    expect(onChain).toEqual(inBooks)
    expect([...executions].filter(([, executed]) => executed > 1)).toEqual([])

    const succeeded = payouts.filter(({ end }) => end === "success").map(({ command }) => command.id)
    const executed = payouts.map(({ command }) => command.id).filter((id) => (executions.get(id) ?? 0) > 0)
    expect(executed).toEqual(succeeded)
    const events = [...reader.reported.values()].filter(({ _tag }) => _tag === "movement")
    for (const event of events) expect(event).toMatchObject({ outcome: "success" })

    // Every credit of an issued address that is final was reported, once, with its amount.
    const accounts = await Promise.all(addresses.map(async (owner) => deriveTokenAccount(owner, mint)))
    const credits = chain.blocks.flatMap(({ landed }) =>
      landed.flatMap(({ signature, tokens: [before, after], error }) =>
        accounts.flatMap((account) => {
          const of = (side: typeof before) => side.find((one) => one.account === account)?.amount ?? 0n
          const delta = of(after) - of(before)
          return error === null && delta > 0n ? [`${signature} ${delta}`] : []
        })
      )
    )
    const reported = confirmed().map(({ transaction_hash, amount }) => {
      const [whole, fraction = ""] = amount.split(".")
      return `${transaction_hash} ${BigInt(whole! + fraction.padEnd(6, "0"))}`
    })
    expect(reported.toSorted()).toEqual(credits.toSorted())

    // The engine's ledger: what came in from the world less what went out is what the platform has more than its float.
    const amountOf = (text: string): bigint => BigInt(text.replace(".", "").padEnd(text.indexOf(".") + 6, "0"))
    const units = (text: string): bigint => (text.includes(".") ? amountOf(text) : BigInt(text) * USDC)
    const inward = confirmed().reduce((sum, { amount }) => sum + units(amount), 0n)
    const outward = [...payouts, ...refunds]
      .filter(({ end }) => end === "success")
      .reduce((sum, { command }) => sum + units(command.amount), 0n)
    expect(onChain.hot + onChain.addresses).toBe(FLOAT + inward - outward)

    count.paid += succeeded.length
    count.deposits += paidIn
    count.refunds += refunds.filter(({ end }) => end === "success").length
    await platform.close()
  })

  it("has met every fault often", () => {
    expect(count.paid).toBeGreaterThan(15)
    expect(count.deposits).toBeGreaterThan(15)
    expect(count.refunds).toBeGreaterThan(1)
    expect(count.forks).toBeGreaterThan(8)
    expect(count.faults).toBeGreaterThan(60)
    expect(count.ends).toBeGreaterThan(8)
  })
})
