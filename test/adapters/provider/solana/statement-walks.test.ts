/**
 * The statement of Solana under every interleaving: payments of a few equal amounts, sweeps, readings of events, and accounts that are
 * read at different slots. The oracle is the chain itself.
 */
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatTokenAmount } from "../../../../src/adapters/provider/chain/tokens.ts"
import type { StatementPage } from "../../../../src/engine/ports/provider-results.ts"
import { deriveTokenAccount } from "../../../support/chains/solana-chain.ts"
import {
  issueOf,
  makeReader,
  type ProviderService,
  type SolanaPlatform,
  startPlatform,
  USDC
} from "../../../support/chains/solana-platform.ts"
import { triesOf } from "../../../support/properties/tries.ts"
import { covers } from "../../../support/repository/covers.ts"

const run = Effect.runPromise

/** With the account of the hot wallet, they are read by two requests. */
const issuedCount = 100

type Step =
  | { readonly _tag: "pay"; readonly to: number; readonly amount: bigint; readonly blocks: number }
  | { readonly _tag: "mine"; readonly blocks: number }
  | { readonly _tag: "read" }
  | { readonly _tag: "sweep"; readonly blocks: number }
  /** `moves`: at these calls of a node the chain goes on. `isReadMeanwhile`: the events are read at the same time. */
  | {
      readonly _tag: "state"
      readonly moves: ReadonlyArray<{ readonly at: number; readonly blocks: number }>
      readonly isReadMeanwhile: boolean
    }

const blocks = fc.integer({ min: 1, max: 6 })

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("pay" as const),
      to: fc.constantFrom(1, 1, 1, 2, 3, 0),
      amount: fc.constantFrom(7n * USDC, 7n * USDC, 14n * USDC),
      blocks
    })
  },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("mine" as const), blocks }) },
  { weight: 2, arbitrary: fc.constant({ _tag: "read" as const }) },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("sweep" as const), blocks }) },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("state" as const),
      moves: fc.array(fc.record({ at: fc.nat(8), blocks }), { maxLength: 3 }),
      isReadMeanwhile: fc.boolean()
    })
  }
)

/** A statement as somebody takes it, page by page, for ever. */
const makeStatement = () => {
  const pages: Array<StatementPage> = []
  return {
    pages,
    /** Takes all pages up to the slot that is final now. */
    take: async (provider: ProviderService): Promise<void> => {
      let page: StatementPage
      do {
        page = await run(provider.statements!.lines(pages.at(-1)?.cursor ?? null))
        pages.push(page)
      } while (page.closing === undefined)
    }
  }
}

/** The transactions up to a slot that changed what these accounts hold, or the SOL of the hot wallet, in order. */
const transactionsOf = ({ chain, hot }: SolanaPlatform, own: ReadonlySet<string>, slot: number) =>
  chain.blocks
    .filter((block) => block.slot <= slot)
    .flatMap(({ landed }) => landed)
    .filter(({ keys, lamports: [had, has], tokens: [before, after] }) => {
      const at = keys.indexOf(hot as (typeof keys)[number])
      const isSolMoved = at >= 0 && had[at] !== has[at]
      const isMoved = [...own].some(
        (account) =>
          before.find((one) => one.account === account)?.amount !== after.find((one) => one.account === account)?.amount
      )
      return isSolMoved || isMoved
    })
    .map(({ signature }) => signature)

const checkPages = (platform: SolanaPlatform, own: ReadonlySet<string>, pages: ReadonlyArray<StatementPage>): void => {
  const { chain } = platform
  const last = pages.at(-1)!
  const slot = Number(/^\d+/.exec(last.cursor!)![0])
  const stated = pages.flatMap(({ lines }) => [...new Set(lines.map(({ transaction_hash }) => transaction_hash))])
  expect(stated.toSorted()).toEqual(transactionsOf(platform, own, slot).toSorted())
  const block = chain.blocks.find((one) => one.slot === slot)!
  const held = [...own].reduce((total, account) => total + chain.tokens(account, block), 0n)
  expect(last.closing!.balances).toEqual([{ currency: "USDC", amount: formatTokenAmount(held, 6) }])
}

const walk = async (steps: ReadonlyArray<Step>): Promise<void> => {
  const platform = await startPlatform()
  try {
    const { chain, hot, mint, nodes, payer } = platform
    const node = nodes[0]!
    const provider = await platform.start({ options: { timeout_ms: 60_000 } })
    const owners = new Map<string, string>([[await deriveTokenAccount(hot, mint), hot]])
    for (let n = 0; n < issuedCount; n++) {
      const result = await run(provider.payins!.issue(issueOf(`dad_${n}.issue`)))
      if (result._tag !== "issued") throw new Error(JSON.stringify(result))
      const { target } = result.issued
      owners.set(await deriveTokenAccount(target, mint), target)
    }
    const own = new Set<string>(owners.keys())
    const statement = makeStatement()
    const reader = makeReader()
    const asked: Array<string> = []
    node.mangle = (method, result, [accounts]) => {
      if (method === "getMultipleAccounts") asked.push(...(accounts as ReadonlyArray<string>))
      return result
    }
    await statement.take(provider)
    node.mangle = (_, result) => result
    // One of the hot wallet, two that are read by the first request, and one of the second request.
    const targets = [0, 1, 60, 100].map((at) => owners.get(asked[at]!)!)
    chain.automatic = false
    let paid = 0
    for (const one of steps)
      switch (one._tag) {
        case "pay":
          await chain.pay(payer, mint, targets[one.to]!, one.amount, { memo: String(++paid) })
          chain.mine(one.blocks)
          break
        case "mine":
          chain.mine(one.blocks)
          break
        case "read":
          await reader.read(provider)
          break
        case "sweep":
          // What was read is committed a minute later, and swept then.
          await reader.read(provider)
          chain.mine(200)
          await reader.read(provider)
          await reader.read(provider)
          chain.mine(one.blocks)
          break
        case "state": {
          let calls = 0
          node.mangle = (_, result) => {
            for (const move of one.moves) if (move.at === calls) chain.mine(move.blocks)
            calls += 1
            return result
          }
          await Promise.all([statement.take(provider), ...(one.isReadMeanwhile ? [reader.read(provider)] : [])])
          node.mangle = (_, result) => result
          checkPages(platform, own, statement.pages)
          break
        }
      }
    chain.finalize()
    await statement.take(provider)
    checkPages(platform, own, statement.pages)
  } finally {
    await platform.close()
  }
}

describe("the statement of Solana, whatever happens between its readings", () => {
  covers("SOLANA-17")
  it("has every transaction of ours up to its cursor on exactly one page, and says what is held there", async () => {
    const steps = fc.array(step, { minLength: 8, maxLength: 24 })
    await fc.assert(fc.asyncProperty(steps, walk), { numRuns: triesOf(12), endOnFailure: true })
  }, 120_000)
})
