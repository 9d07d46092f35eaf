/** What may happen to a payout on its way: each case ends with the recipient paid once, or not at all and the engine knows it. */
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { margin } from "../../../../src/adapters/provider/solana/fate.ts"
import type { Change, Storage } from "../../../../src/engine/ports/Storage.ts"
import { deriveTokenAccount, VALIDITY } from "../../../support/chains/solana-chain.ts"
import {
  audit,
  FLOAT,
  payout,
  type ProviderService,
  type SolanaPlatform,
  startPlatform,
  stranger,
  USDC,
  makeWatchedSigner
} from "../../../support/chains/solana-platform.ts"
import { covers } from "../../../support/repository/covers.ts"

const run = Effect.runPromise
const isFault = (result: unknown): boolean => (result as { _tag: string })._tag === "Failure"
const attempt = <A, E>(effect: Effect.Effect<A, E>) => run(Effect.result(effect))

let platform: SolanaPlatform
let provider: ProviderService
let to: string
beforeEach(async () => {
  platform = await startPlatform({ nodes: 2 })
  provider = await platform.start()
  to = await stranger()
})
afterEach(() => platform.close())

const everyNode = (fault: SolanaPlatform["nodes"][number]["fault"]): void => {
  for (const node of platform.nodes) node.fault = fault
}
const well = (): void => everyNode(() => undefined)
const paid = async (): Promise<bigint> => platform.chain.tokens(await deriveTokenAccount(to, platform.mint))

/** Calls as the engine does: a definite absence is followed by another submission, whatever else by another look-up. */
const carryOn = async (command: ReturnType<typeof payout>, first = command.attempt, node = provider) => {
  let attempts = first
  for (let step = 0; step < 12; step++) {
    const current = { ...command, attempt: attempts }
    const status = await attempt(node.payouts!.lookup(current))
    if (status._tag === "Success" && status.success._tag === "settled") return status.success.outcome
    if (status._tag === "Success" && status.success._tag === "absent") {
      attempts += 1
      await attempt(node.payouts!.submit({ ...current, attempt: attempts }))
    }
    platform.chain.finalize()
    if (step > 2) platform.chain.mine(VALIDITY)
  }
  throw new Error("no end after twelve steps")
}

const balanced = async (): Promise<void> => {
  const { onChain, inBooks, executions } = await audit(platform)
  expect(onChain).toEqual(inBooks)
  expect([...executions.values()].filter((count) => count > 1)).toEqual([])
}

describe("a payout whose broadcast", () => {
  covers("SOLANA-5")
  it.each(["away", "lost", "busy"] as const)("is %s at every node is unknown, and is paid once", async (kind) => {
    const command = payout("tfr_1.payout", to, "7")
    everyNode((method) => (method === "sendTransaction" ? kind : undefined))
    expect(isFault(await attempt(provider.payouts!.submit(command)))).toBe(true)
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "pending" })
    expect(isFault(await attempt(provider.payouts!.submit(command)))).toBe(false)
    well()
    expect(await carryOn(command)).toMatchObject({ outcome: "success" })
    expect(await paid()).toBe(7n * USDC)
    expect(platform.chain.received.size).toBe(1)
    await balanced()
  })

  it("reaches one node of two is accepted", async () => {
    platform.nodes[0]!.fault = (method) => (method === "sendTransaction" ? "away" : undefined)
    const command = payout("tfr_1.payout", to, "7")
    expect(await run(provider.payouts!.submit(command))).toEqual({ _tag: "accepted" })
    await carryOn(command)
    expect(await paid()).toBe(7n * USDC)
  })
})

describe("each call of a submission to a node", () => {
  /** A submission to a recipient without an account makes eight calls. */
  const calls = Array.from({ length: 8 }, (_, n) => n)
  it.each(calls.flatMap((n) => (["away", "lost"] as const).map((kind) => [n, kind] as const)))(
    "number %i may be %s: the recipient is paid once",
    async (n, kind) => {
      const { rpc_urls } = platform.options
      provider = await platform.start({ options: { rpc_urls: rpc_urls.slice(0, 1) } })
      let count = 0
      everyNode(() => (count++ === n ? kind : undefined))
      const command = payout("tfr_1.payout", to, "7")
      expect(isFault(await attempt(provider.payouts!.submit(command)))).toBe(true)
      expect(count).toBe(n + 1)
      well()
      expect(await carryOn(command)).toMatchObject({ outcome: "success" })
      expect(await paid()).toBe(7n * USDC)
      await balanced()
    }
  )
})

describe("a process that ends", () => {
  covers("SOLANA-1")
  /** A store that ends its process before, or right after, the commit that records a signed transaction. */
  const ending = (inner: Storage["Service"], when: "before" | "after"): Storage["Service"] => ({
    ...inner,
    commit: (change: Change) => {
      const isRecord = JSON.stringify(change.rows).includes('"wire":')
      if (!isRecord) return inner.commit(change)
      return when === "before" ? Effect.die("ended") : Effect.andThen(inner.commit(change), Effect.die("ended"))
    }
  })
  const points: ReadonlyArray<readonly [string, () => Promise<ProviderService>]> = [
    ["before it signs", () => platform.start({ signer: makeWatchedSigner({ before: Effect.die("ended") }) })],
    ["after it signed", () => platform.start({ signer: makeWatchedSigner({ after: Effect.die("ended") }) })],
    ["before it records", () => platform.start({ storage: ending(platform.storage, "before") })],
    ["between recording and broadcasting", () => platform.start({ storage: ending(platform.storage, "after") })]
  ]
  it.each(points)("%s leaves a payout that is paid once", async (_, start) => {
    const command = payout("tfr_1.payout", to, "7")
    const dying = await start()
    const exit = await run(Effect.exit(dying.payouts!.submit(command)))
    expect(exit._tag).toBe("Failure")
    expect(platform.chain.received.size).toBe(0)
    expect(await carryOn(command)).toMatchObject({ outcome: "success" })
    expect(await paid()).toBe(7n * USDC)
    await balanced()
  })

  it("after the broadcast leaves a payout that is paid once", async () => {
    const command = payout("tfr_1.payout", to, "7")
    everyNode((method) => (method === "sendTransaction" ? "lost" : undefined))
    await attempt(provider.payouts!.submit(command))
    well()
    const other = await platform.start()
    expect(await carryOn(command, 0, other)).toMatchObject({ outcome: "success" })
    expect(await paid()).toBe(7n * USDC)
    await balanced()
  })
})

describe("an expired blockhash", () => {
  covers("SOLANA-3")
  const lost = async (command: ReturnType<typeof payout>): Promise<void> => {
    everyNode((method) => (method === "sendTransaction" ? "away" : undefined))
    expect(isFault(await attempt(provider.payouts!.submit(command)))).toBe(true)
  }

  it("is absent only when a block beyond its last one and the margin is final; then another is signed", async () => {
    let signatures = 0
    provider = await platform.start({ signer: makeWatchedSigner({ after: Effect.sync(() => signatures++) }) })
    const command = payout("tfr_1.payout", to, "7")
    const { chain } = platform
    const height = chain.block("confirmed").height
    await lost(command)
    const statusAt = async (final: number): Promise<string> => {
      chain.mine(final - chain.block("finalized").height)
      expect(chain.block("finalized").height).toBe(final)
      return (await run(provider.payouts!.lookup(command)))._tag
    }
    const last = height + VALIDITY
    expect(await statusAt(last)).toBe("pending")
    expect(await statusAt(last + 1)).toBe("pending")
    expect(await statusAt(last + margin)).toBe("pending")
    // A submission before the proof signs nothing.
    expect(await run(provider.payouts!.submit({ ...command, attempt: 1 }))).toEqual({ _tag: "accepted" })
    expect(signatures).toBe(1)
    expect(await statusAt(last + margin + 1)).toBe("absent")
    expect(signatures).toBe(1)
    well()
    expect(await run(provider.payouts!.submit({ ...command, attempt: 2 }))).toEqual({ _tag: "accepted" })
    expect(signatures).toBe(2)
    expect(await carryOn(command, 2)).toMatchObject({ outcome: "success" })
    expect(await paid()).toBe(7n * USDC)
    await balanced()
  })

  it("is not absent where a node has deleted the blocks that could contain it", async () => {
    const command = payout("tfr_1.payout", to, "7")
    await lost(command)
    platform.chain.mine(VALIDITY + margin + 10)
    for (const node of platform.nodes) node.first = platform.chain.head.slot - 20
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "pending" })
    platform.nodes[1]!.first = 0
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "absent" })
  })
})

describe("a node that does not show a transaction", () => {
  covers("SOLANA-3")
  it("is not believed against one that shows it", async () => {
    const command = payout("tfr_1.payout", to, "7")
    await run(provider.payouts!.submit(command))
    platform.chain.mine(VALIDITY + margin + 10)
    // The first has deleted what it had, and the second shows it.
    platform.nodes[0]!.first = platform.chain.head.slot
    expect(await run(provider.payouts!.lookup(command))).toMatchObject({ _tag: "settled" })
    await balanced()
  })

  it("is not believed against one that shows it, even if it has all that proves an absence", async () => {
    const command = payout("tfr_1.payout", to, "7")
    await run(provider.payouts!.submit(command))
    platform.chain.lag.finalized = 2 * (VALIDITY + margin)
    platform.chain.mine(VALIDITY + margin + 10)
    const final = { absoluteSlot: platform.chain.head.slot, blockHeight: platform.chain.head.height }
    platform.nodes[0]!.mangle = (method, result) => {
      if (method === "getEpochInfo") return { ...(result as object), ...final }
      if (method === "getSignatureStatuses") return { context: { slot: final.absoluteSlot }, value: [null] }
      return method === "getTransaction" ? null : result
    }
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "pending" })
    platform.nodes[1]!.fault = () => "away"
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "absent" })
  })

  it("is not believed while it lags, whatever it says", async () => {
    const command = payout("tfr_1.payout", to, "7")
    await run(provider.payouts!.submit(command))
    platform.chain.mine(VALIDITY + margin + 10)
    platform.nodes[0]!.fault = () => "away"
    platform.nodes[1]!.behind = VALIDITY + margin + 12
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "pending" })
    expect(await run(provider.payouts!.submit({ ...command, attempt: 1 }))).toEqual({ _tag: "accepted" })
    expect(platform.chain.received.size).toBe(1)
  })

  it("is not believed when its height and its status come from two machines, one of which lags", async () => {
    const command = payout("tfr_1.payout", to, "7")
    await run(provider.payouts!.submit(command))
    platform.chain.mine(VALIDITY + margin + 10)
    platform.nodes[0]!.fault = () => "away"
    const balancer = platform.nodes[1]!
    balancer.fault = (method) => {
      balancer.behind = method === "getEpochInfo" ? 0 : VALIDITY + margin + 12
      return undefined
    }
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "pending" })
    balancer.behind = 0
    balancer.fault = () => undefined
    expect(await run(provider.payouts!.lookup(command))).toMatchObject({ _tag: "settled" })
  })
})

describe("an answer of another form", () => {
  covers("SOLANA-3")
  const status = (value: unknown) => ({ context: { slot: 9_000_000 }, value })
  const answers: ReadonlyArray<readonly [string, string, unknown]> = [
    ["an epoch without a height", "getEpochInfo", { absoluteSlot: 9_000_000 }],
    ["an epoch with a height in text", "getEpochInfo", { absoluteSlot: 9_000_000, blockHeight: "9000000" }],
    ["an epoch that is null", "getEpochInfo", null],
    ["statuses of no transaction", "getSignatureStatuses", status([])],
    ["statuses without a slot", "getSignatureStatuses", { context: {}, value: [null] }],
    ["a status of an unknown level", "getSignatureStatuses", status([{ confirmationStatus: "rooted" }])],
    ["a first slot that is missing", "getFirstAvailableBlock", null],
    ["a transaction without a result", "getTransaction", { slot: 1, blockTime: null, meta: null, transaction: {} }]
  ]
  it.each(answers)("%s is unknown: the payout is neither absent nor settled", async (_, method, result) => {
    const command = payout("tfr_1.payout", to, "7")
    everyNode((one) => (one === "sendTransaction" ? "away" : undefined))
    await attempt(provider.payouts!.submit(command))
    platform.chain.mine(VALIDITY + margin + 10)
    for (const node of platform.nodes) node.mangle = (one, good) => (one === method ? result : good)
    expect(isFault(await attempt(provider.payouts!.lookup(command)))).toBe(true)
    for (const node of platform.nodes) node.mangle = (_, good) => good
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "absent" })
  })

  it("an error that is missing is not a success", async () => {
    const command = payout("tfr_1.payout", to, "7")
    await run(provider.payouts!.submit(command))
    platform.chain.finalize()
    for (const node of platform.nodes)
      node.mangle = (method, result) => {
        if (method !== "getTransaction") return result
        const { meta, ...others } = result as { readonly meta: { readonly err: unknown } }
        const { err: _, ...rest } = meta
        return { ...others, meta: rest }
      }
    expect(isFault(await attempt(provider.payouts!.lookup(command)))).toBe(true)
  })
})

describe("a fork under a payout", () => {
  it("that includes it again settles it with the same signature", async () => {
    const command = payout("tfr_1.payout", to, "7")
    const { chain } = platform
    await run(provider.payouts!.submit(command))
    chain.mine(2)
    const [first] = [...chain.received.keys()]
    chain.fork(3, true)
    expect(await paid()).toBe(0n)
    chain.mine(3)
    expect(await carryOn(command)).toMatchObject({ outcome: "success", transaction_hash: first })
    expect(await paid()).toBe(7n * USDC)
    await balanced()
  })

  it("that forgets it leaves it to be broadcast again while it is valid", async () => {
    const command = payout("tfr_1.payout", to, "7")
    const { chain } = platform
    await run(provider.payouts!.submit(command))
    chain.fork(1, false)
    chain.mine(3)
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "pending" })
    expect(await carryOn(command)).toMatchObject({ outcome: "success" })
    expect(chain.received.size).toBe(1)
    expect(await paid()).toBe(7n * USDC)
    await balanced()
  })

  it("that drops it for good makes it absent, and another submission pays once", async () => {
    const command = payout("tfr_1.payout", to, "7")
    const { chain } = platform
    await run(provider.payouts!.submit(command))
    everyNode((method) => (method === "sendTransaction" ? "away" : undefined))
    chain.fork(1, false)
    chain.mine(VALIDITY + margin + 10)
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "absent" })
    well()
    expect(await carryOn(command)).toMatchObject({ outcome: "success" })
    expect(chain.received.size).toBe(2)
    expect(await paid()).toBe(7n * USDC)
    await balanced()
  })

  it("that drops its blockhash too makes it absent", async () => {
    const command = payout("tfr_1.payout", to, "7")
    const { chain } = platform
    chain.lag.confirmed = 0
    await run(provider.payouts!.submit(command))
    everyNode((method) => (method === "sendTransaction" ? "away" : undefined))
    chain.fork(2, true)
    chain.mine(VALIDITY + margin + 10)
    expect(await paid()).toBe(0n)
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "absent" })
  })
})

describe("submissions at once", () => {
  covers("SOLANA-1", "SOLANA-6")
  it("of one command from four nodes make one transaction", async () => {
    const command = payout("tfr_1.payout", to, "7")
    const providers = await Promise.all([1, 2, 3, 4].map(() => platform.start()))
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => attempt(providers[n % 4]!.payouts!.submit(command)))
    )
    expect(results.some(({ _tag }) => _tag === "Success")).toBe(true)
    expect(platform.chain.received.size).toBe(1)
    expect(await carryOn(command)).toMatchObject({ outcome: "success" })
    expect(await paid()).toBe(7n * USDC)
    await balanced()
  })

  it("leave to the next what the float has less all that is not final: it is unavailable, and nothing is signed", async () => {
    let signatures = 0
    provider = await platform.start({ signer: makeWatchedSigner({ before: Effect.sync(() => signatures++) }) })
    platform.chain.automatic = false
    const [first, second] = [payout("tfr_1.payout", to, "6000"), payout("tfr_2.payout", to, "5000")]
    expect(await run(provider.payouts!.submit(first))).toEqual({ _tag: "accepted" })
    expect(await run(provider.payouts!.submit(second))).toEqual({ _tag: "unavailable" })
    expect(await run(provider.payouts!.submit(payout("tfr_3.payout", to, "4000")))).toEqual({ _tag: "accepted" })
    expect(signatures).toBe(2)
  })

  it("of commands that exceed the float together pay what the float pays, and no other fails for good", async () => {
    const providers = await Promise.all([1, 2, 3, 4].map(() => platform.start()))
    const commands = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => payout(`tfr_${n}.payout`, await stranger(), "3000"))
    )
    await Promise.all(commands.map((one, n) => attempt(providers[n % 4]!.payouts!.submit(one))))
    platform.chain.finalize()
    const statuses = await Promise.all(commands.map((one) => run(provider.payouts!.lookup(one))))
    const settled = statuses.filter(({ _tag }) => _tag === "settled")
    expect(settled.length).toBeGreaterThan(0)
    expect(settled.length).toBeLessThanOrEqual(3)
    for (const status of settled) expect(status).toMatchObject({ outcome: { outcome: "success" } })
    expect(statuses.filter(({ _tag }) => _tag !== "settled").map(({ _tag }) => _tag)).toEqual(
      Array.from({ length: 8 - settled.length }, () => "absent")
    )
    await balanced()
  })
})

describe("a look-up that finds nothing", () => {
  covers("SOLANA-4")
  it("stops a submission that is still under way", async () => {
    const command = payout("tfr_1.payout", to, "7")
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let signed = (): void => {}
    const isSigned = new Promise<void>((resolve) => {
      signed = resolve
    })
    const slow = await platform.start({
      signer: makeWatchedSigner({ after: Effect.promise(() => (signed(), held)) })
    })
    const under = attempt(slow.payouts!.submit(command))
    await isSigned
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "absent" })
    release()
    expect(isFault(await under)).toBe(true)
    expect(platform.chain.received.size).toBe(0)
    expect(await paid()).toBe(0n)
  })

  it("stops a submission of the same number that begins later", async () => {
    const command = payout("tfr_1.payout", to, "7")
    expect(await run(provider.payouts!.lookup(command))).toEqual({ _tag: "absent" })
    expect(isFault(await attempt(provider.payouts!.submit(command)))).toBe(true)
    expect(platform.chain.received.size).toBe(0)
    expect(await run(provider.payouts!.submit({ ...command, attempt: 1 }))).toEqual({ _tag: "accepted" })
    expect(platform.chain.received.size).toBe(1)
  })
})

describe("books that were lost", () => {
  covers("SOLANA-7")
  it("do not pay again what the chain shows as paid", async () => {
    const command = payout("tfr_1.payout", to, "7")
    await run(provider.payouts!.submit(command))
    platform.chain.finalize()
    const settled = await run(provider.payouts!.lookup(command))
    const empty: Storage["Service"] = {
      ...platform.storage,
      get: (keys) =>
        Effect.map(platform.storage.get(keys), (rows) => rows.filter(({ kind }) => kind !== "solana_outgoing"))
    }
    let version = 0
    const restored = await platform.start({
      storage: { ...empty, commit: () => Effect.sync(() => (version++, { _tag: "Committed" as const })) }
    })
    expect(await run(restored.payouts!.submit(command))).toMatchObject({
      _tag: "settled",
      outcome: (settled as { outcome: { transaction_hash: string } }).outcome
    })
    expect(version).toBe(1)
    expect(platform.chain.received.size).toBe(1)
    expect(await paid()).toBe(7n * USDC)
    expect(FLOAT - 7n * USDC).toBe(platform.chain.tokens(platform.hotAccount))
  })
})
