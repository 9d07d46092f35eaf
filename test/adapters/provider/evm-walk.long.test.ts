/** Random histories of a chain, its nodes and the adapter: payouts, deposits, reorganisations, lost answers and restarts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { type Hex, numberToHex, parseGwei } from "viem"
import type { Ids } from "../../../src/engine/ports/Ids.ts"
import type { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import type { CommandStatus, PayinEvent, PayoutCommand } from "../../../src/engine/ports/Provider.ts"
import type { Storage } from "../../../src/engine/ports/Storage.ts"
import {
  type Adapter,
  adapterOf,
  beneficiary,
  sumBooked,
  does,
  type EvmChain,
  heldOnChain,
  hot,
  issueAddress,
  onChain,
  optionsFor,
  payer,
  payout,
  reader,
  pagesOf,
  statement,
  closingDifference
} from "../../support/chains/evm-world.ts"
import { startProxy } from "../../support/chains/rpc-proxy.ts"
import { covers } from "../../support/repository/covers.ts"

/** A sequence that depends on its seed only. */
const seeded = (seed: number) => {
  let state = seed * 2_654_435_761
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return (below: number): number => Math.floor(next() * below)
}

const steps = 45

interface Paying {
  command: PayoutCommand
  status: CommandStatus["_tag"] | "new"
  outcome?: string
}

/** One history; `isDeep`: final blocks are replaced too, and nobody else uses the hot wallet. It ends when the chain and the adapter have come to rest. */
const history = (chain: EvmChain, seed: number, isDeep: boolean) =>
  Effect.gen(function* () {
    const random = seeded(seed)
    yield* does(() => chain.give(hot.address, "1000"), chain.finalize)
    // What was there before is replaced in no history.
    if (isDeep) yield* does(() => chain.mine(16))
    const proxy = yield* Effect.promise(() => startProxy(chain.url))
    const options = optionsFor(chain, { rpc_urls: [proxy.url], gone_after_ms: 3_600_000 })
    let adapter: Adapter = yield* adapterOf(options)
    let { poll } = reader(adapter)
    const addresses: ReadonlyArray<Hex> = yield* Effect.forEach([1, 2, 3], (n) => issueAddress(adapter, n))
    const payouts: Array<Paying> = []
    const raws: Array<Hex> = []

    /** One call of the engine about a payout: a submission, or a look-up where something was submitted. */
    const drive = Effect.fnUntraced(function* (paying: Paying) {
      if (paying.status === "settled") return
      if (paying.status === "new" || paying.status === "absent") {
        if (paying.status === "absent") paying.command = { ...paying.command, attempt: paying.command.attempt + 1 }
        paying.status = "pending"
        const result = yield* Effect.exit(adapter.payouts!.submit(paying.command))
        if (Exit.isSuccess(result) && result.value._tag === "unavailable") paying.status = "absent"
        return
      }
      const found = yield* Effect.exit(adapter.payouts!.lookup(paying.command))
      if (Exit.isFailure(found)) return
      paying.status = found.value._tag
      if (found.value._tag === "settled") paying.outcome = found.value.outcome.outcome
    })

    const acts: ReadonlyArray<() => Effect.Effect<unknown, never, Storage | Ids | JobNotifier>> = [
      () => Effect.sync(() => payouts.push({ command: payout(`${1 + random(9)}`), status: "new" })),
      () => Effect.forEach(payouts, drive, { concurrency: 3 }),
      () => Effect.exit(poll),
      () => Effect.exit(Effect.all([poll, poll], { concurrency: 2 })),
      () => does(() => chain.mine(1 + random(3))),
      () => does(chain.finalize),
      () => does(() => chain.reorg(1 + random(isDeep ? 16 : 6))),
      () =>
        does(async () => {
          const raw = await chain.signed(addresses[random(3)]!, `${1 + random(20)}`)
          raws.push(raw)
          await chain.rpc("eth_sendRawTransaction", [raw])
          await chain.mine()
        }),
      // What a reorganisation has removed is sent again by its sender, or something else is.
      () =>
        does(async () => {
          for (const raw of raws) await chain.rpc("eth_sendRawTransaction", [raw]).catch(() => undefined)
        }),
      () => does(() => chain.pay(payer.address, "1"), chain.mine),
      () => does(() => chain.rpc("hardhat_setNextBlockBaseFeePerGas", [numberToHex(parseGwei(`${1 + random(60)}`))])),
      () => TestClock.adjust(20_000 + random(90_000)),
      () =>
        Effect.sync(() => {
          const [method, treatment] = [random(3), random(3)]
          const methods = ["eth_sendRawTransaction", "eth_getLogs", "eth_getTransactionReceipt"]
          proxy.treat = (call) =>
            call.method === methods[method] ? (["away", "cut", "pass"] as const)[treatment]! : "pass"
        }),
      () =>
        Effect.gen(function* () {
          adapter = yield* adapterOf(options)
          poll = reader(adapter).poll
        }),
      // A person uses the hot wallet, perhaps with a nonce that a payout has.
      ...Array.from(
        { length: isDeep ? 0 : 1 },
        () => () =>
          Effect.promise(async () => {
            const nonce = await chain.client.getTransactionCount({ address: hot.address })
            await chain
              .send(chain.wallets.hot, chain.usdc, chain.call("transfer", chain.usdc, payer.address, "1"), {
                nonce,
                maxFeePerGas: parseGwei("900"),
                maxPriorityFeePerGas: parseGwei("300")
              })
              .catch(() => undefined)
            await chain.mine()
          })
      )
    ]
    for (let step = 0; step < steps; step++) yield* acts[random(acts.length)]!()

    proxy.treat = () => "pass"
    const judge = yield* adapterOf(optionsFor(chain))
    adapter = judge
    const last = reader(judge)
    for (let round = 0; round < 16; round++) {
      yield* Effect.forEach(payouts, drive)
      yield* does(() => chain.rpc("hardhat_setNextBlockBaseFeePerGas", [numberToHex(parseGwei("1"))]), chain.finalize)
      yield* TestClock.adjust(round < 10 ? 61_000 : 3_600_000)
      yield* last.poll
    }
    const logs = yield* Effect.promise(() =>
      chain.client.getLogs({ address: chain.usdc, fromBlock: 0n, args: {}, event: transferEvent })
    )
    const sum = (from: Hex, to: Hex): bigint =>
      logs
        .filter(({ args }) => args.from === from && args.to === to)
        .reduce((total, { args }) => total + (args.value ?? 0n), 0n)
    yield* Effect.promise(proxy.stop)
    const lines = yield* statement(judge)
    const context = `seed ${seed}`
    // What was told may have been told otherwise.
    for (const paying of isDeep ? payouts : []) {
      const found = yield* judge.payouts!.lookup(paying.command)
      paying.status = found._tag
      paying.outcome = found._tag === "settled" ? found.outcome.outcome : "pending"
    }
    // Each payout that succeeded was paid once, and no other.
    assert.deepStrictEqual(
      payouts.map(({ status }) => status).filter((status) => status !== "settled"),
      [],
      context
    )
    const paid = payouts
      .filter(({ outcome }) => outcome === "success")
      .reduce((total, { command }) => total + BigInt(command.amount) * 1_000_000n, 0n)
    assert.strictEqual(yield* Effect.promise(() => chain.balance(beneficiary)), paid, context)
    // Every deposit of the final chain was confirmed once, and nothing else.
    const latest = new Map(last.all.flatMap((event) => (event._tag === "payin" ? [[event.payin_id, event]] : [])))
    const confirmed = [...(isDeep ? latest.values() : last.all)].filter(
      (event): event is PayinEvent => event._tag === "payin" && event.stage === "confirmed"
    )
    const arrived = addresses.reduce((total, address) => total + sum(payer.address, address), 0n)
    assert.strictEqual(
      confirmed.reduce((total, { amount }) => total + BigInt(amount) * 1_000_000n, 0n),
      arrived,
      context
    )
    assert.strictEqual(new Set(last.all.map(({ event_id }) => event_id)).size, last.all.length, context)
    const open = new Map<string, string>()
    for (const event of last.all) if (event._tag === "payin") open.set(event.payin_id, event.stage)
    assert.notInclude([...open.values()], "detected", context)
    // Tokens: the chain equals the statement, which has what was moved by hand.
    const held = yield* heldOnChain(chain, addresses)
    assert.strictEqual(held, 1_000_000_000n + sumBooked(lines, "USDC", 6), context)
    assert.strictEqual(closingDifference(yield* pagesOf(judge)), 0n, context)
    return {
      payouts: payouts.length,
      confirmed: confirmed.length,
      failed: [...open.values()].filter((one) => one === "failed").length
    }
  })

const transferEvent = {
  type: "event",
  name: "Transfer",
  inputs: [
    { type: "address", name: "from", indexed: true },
    { type: "address", name: "to", indexed: true },
    { type: "uint256", name: "value", indexed: false }
  ]
} as const

covers("EVM-12", "EVM-28")
describe("random histories", () => {
  it.effect.each(Array.from({ length: 12 }, (_, n) => n + 1))(
    "come to rest with the chain equal to the books: %s",
    (seed) => onChain((chain) => history(chain, seed, false))
  )

  it.effect.each(Array.from({ length: 6 }, (_, n) => n + 1))(
    "come to rest so where final blocks are replaced: %s",
    (seed) => onChain((chain) => history(chain, seed, true))
  )
})
