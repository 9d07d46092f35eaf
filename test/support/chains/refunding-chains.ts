/** The chains of which pay-ins are refunded, each with a payer, its node in memory, and the adapter as the engine has it. */
import { randomBytes } from "node:crypto"
import { Effect, ManagedRuntime } from "effect"
import { type Hex, parseGwei } from "viem"
import type {
  PayinEvent,
  PayoutCommand,
  Provider,
  ProviderEvent,
  RefundCommand
} from "../../../src/engine/ports/Provider.ts"
import * as evm from "./evm-world.ts"
import { deriveTokenAccount, VALIDITY } from "./solana-chain.ts"
import * as solana from "./solana-platform.ts"
import { type SignerWatch, watchSigner } from "./watched-signer.ts"

export interface RefundedChain {
  readonly provider: Provider["Service"]
  /** Another node of Corridor over the same books. `isChanged`: without the token that was paid. */
  readonly start: (differs: {
    readonly signer?: SignerWatch
    readonly isChanged?: true
  }) => Promise<Provider["Service"]>
  /** All events so far, read as the engine does. */
  readonly read: () => Promise<ReadonlyArray<ProviderEvent>>
  /** Pays an issued address. The pay-in is in a block, which is not final. Returns its id. */
  readonly pay: (amount: number) => Promise<string>
  /** The chain goes on without the latest payment, for good. */
  readonly drop: () => Promise<void>
  /** Makes all that is in a block final, and what waits for one. */
  readonly finalize: () => Promise<void>
  /** The payments that `submit` makes reach a chain on which the payer may get nothing, and are final there. */
  readonly failing: (submit: () => Promise<unknown>) => Promise<void>
  /** What the payer has got back, in whole tokens. */
  readonly returned: () => Promise<number>
  /** A payout to somebody whom nobody else pays. */
  readonly payout: (amount: number) => Promise<PayoutCommand>
  /** What the recipient of a payout has got, in whole tokens. */
  readonly paid: (payout: PayoutCommand) => Promise<number>
  /** A person replaces the latest payment by one of another amount. Absent: the chain has no such thing. */
  readonly replace?: (amount: number) => Promise<void>
  readonly close: () => Promise<void>
}

const latest = (events: ReadonlyArray<ProviderEvent>): string =>
  (events.findLast((event) => event._tag === "payin") as PayinEvent).payin_id

let commands = 0

export const refundOf = (payin_id: string, amount: number, differs: Partial<RefundCommand> = {}): RefundCommand => {
  const resource_id = `dep_${++commands}`
  return {
    id: `${resource_id}.refund`,
    merchant_id: "mer_a",
    resource_id,
    statement_reference: "01K6X0J4M60TRT5C",
    payin_id,
    amount: String(amount),
    currency: "USDC",
    ...differs
  }
}

const addressOf = (destination: PayoutCommand["destination"]): string =>
  destination.type === "crypto" ? destination.address : ""

const startEvm = async (): Promise<RefundedChain> => {
  const chain = await evm.startChain()
  const runtime = ManagedRuntime.make(evm.stores)
  const start: RefundedChain["start"] = ({ isChanged, signer = {} }) => {
    const { USDC, USDT } = evm.optionsFor(chain).tokens
    const options = evm.optionsFor(chain, { tokens: isChanged ? { USDT: USDT! } : { USDC: USDC!, USDT: USDT! } })
    return runtime.runPromise(evm.adapterOf(options, watchSigner(evm.localSigner(), signer)))
  }
  await chain.give(evm.hot.address, "1000")
  await chain.finalize()
  const provider = await start({})
  const { all, poll } = evm.reader(provider)
  const address = await runtime.runPromise(evm.issueAddress(provider, 1))
  const read = async () => {
    await runtime.runPromise(poll)
    return all
  }
  await read()
  const before = await chain.balance(evm.payer.address)
  let paid = 0n
  return {
    provider,
    start,
    read,
    pay: async (amount) => {
      await chain.pay(address, String(amount))
      await chain.mine()
      paid += BigInt(amount) * 1_000_000n
      return latest(await read())
    },
    drop: async () => {
      const { nonce } = (await chain.client.getBlock({ includeTransactions: true })).transactions[0]!
      const had = await chain.balance(evm.payer.address)
      await chain.reorg(1)
      // Another transaction of the payer takes its nonce.
      await chain.send(chain.wallets.payer, evm.payer.address, "0x", {
        nonce,
        maxFeePerGas: parseGwei("200"),
        maxPriorityFeePerGas: parseGwei("50")
      })
      await chain.finalize()
      paid -= (await chain.balance(evm.payer.address)) - had
    },
    finalize: () => chain.finalize(),
    failing: async (submit) => {
      await evm.setBlocked(chain, evm.payer.address, true)()
      await chain.mine()
      await submit()
      await chain.finalize()
      await evm.setBlocked(chain, evm.payer.address, false)()
      await chain.mine()
    },
    returned: async () => Number((await chain.balance(evm.payer.address)) - before + paid) / 1e6,
    payout: async (amount) =>
      evm.payout(String(amount), {
        destination: {
          type: "crypto",
          network: "base",
          address: `0x${randomBytes(20).toString("hex")}`,
          memo: null
        } as const
      }),
    paid: async ({ destination }) => Number(await chain.balance(addressOf(destination) as Hex)) / 1e6,
    replace: async (amount) => {
      const next = await chain.client.getTransactionCount({ address: evm.hot.address, blockTag: "pending" })
      await chain.send(
        chain.wallets.hot,
        chain.usdc,
        chain.call("transfer", chain.usdc, evm.payer.address as Hex, String(amount)),
        { nonce: next - 1, maxFeePerGas: parseGwei("200"), maxPriorityFeePerGas: parseGwei("50") }
      )
    },
    close: async () => {
      await runtime.dispose()
      await chain.stop()
    }
  }
}

const startSolana = async (): Promise<RefundedChain> => {
  const platform = await solana.startPlatform()
  const { chain, mint, payer } = platform
  const start: RefundedChain["start"] = async ({ isChanged, signer = {} }) =>
    platform.start({
      signer: solana.makeWatchedSigner(signer),
      ...(isChanged ? { options: { tokens: { EURC: { mint: await chain.mint(6), decimals: 6 } } } } : {})
    })
  const provider = await start({})
  const reader = solana.makeReader()
  const read = async () => {
    await reader.read(provider)
    return [...reader.reported.values()]
  }
  const issued = await Effect.runPromise(provider.payins!.issue(solana.issueOf("dad_1.issue")))
  if (issued._tag !== "issued") throw new Error(JSON.stringify(issued))
  await read()
  const account = await deriveTokenAccount(payer.address, mint)
  const before = chain.tokens(account)
  let paid = 0n
  return {
    provider,
    start,
    read,
    pay: async (amount) => {
      const units = BigInt(amount) * solana.USDC
      await chain.pay(payer, mint, issued.issued.target, units)
      chain.mine(1)
      paid += units
      return latest(await read())
    },
    drop: async () => {
      const had = chain.tokens(account)
      chain.fork(2, false)
      paid -= chain.tokens(account) - had
      chain.mine(3 * VALIDITY)
    },
    finalize: async () => chain.finalize(),
    failing: async (submit) => {
      chain.automatic = false
      await submit()
      const held = chain.tokens(account)
      await chain.fundTokens(payer.address, mint, held, true)
      chain.mine(1)
      chain.finalize()
      await chain.fundTokens(payer.address, mint, held, false)
      chain.automatic = true
    },
    returned: async () => Number(chain.tokens(account) - before + paid) / 1e6,
    payout: async (amount) => solana.payout(`tfr_${++commands}.payout`, await solana.stranger(), String(amount)),
    paid: async ({ destination }) => Number(chain.tokens(await deriveTokenAccount(addressOf(destination), mint))) / 1e6,
    close: () => platform.close()
  }
}

export const refundedChains = { "an EVM chain": startEvm, Solana: startSolana } as const
