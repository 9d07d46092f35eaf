/** A chain with a token, and the adapter over a memory store: payers, a hot wallet, and what the chain itself says. */
import { readable } from "../engines/readable-events.ts"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  parseEther,
  parseUnits
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { AesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import { EvmProvider } from "../../../src/adapters/provider/evm.ts"
import type { EvmOptions } from "../../../src/adapters/provider/evm/options.ts"
import { LocalSigner } from "../../../src/adapters/signer/local.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import type { BlockBalances, StatementPage } from "../../../src/engine/ports/provider-results.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import {
  type IssueCommand,
  type PayoutCommand,
  Provider,
  type ProviderEvent,
  type RefundCommand,
  type StatementLine
} from "../../../src/engine/ports/Provider.ts"
import type { Signer, SigningPolicy } from "../../../src/engine/ports/Signer.ts"
import type { Storage } from "../../../src/engine/ports/Storage.ts"
import { startAnvil } from "./anvil.ts"
import { testToken } from "./test-token.ts"
import { POLL_TIMEOUT_MS } from "../repository/poll-timeout.ts"

/** The secret of the hot wallet, and those of accounts that a development node begins with. */
export const hotSecret = "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6"
const bankSecret = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
const payerSecret = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"

export const hot = privateKeyToAccount(hotSecret)
export const bank = privateKeyToAccount(bankSecret)
export const payer = privateKeyToAccount(payerSecret)
export const beneficiary: Hex = "0x00000000000000000000000000000000000beef1"

const cipher = AesGcmCipher.layer({ keys: [aesKey(Buffer.alloc(32, 1).toString("base64"))] })

export type Adapter = Provider["Service"]
type Rpc = (method: string, params?: ReadonlyArray<unknown>) => Promise<any>

/** A node as the tests drive it: blocks are mined on request only. */
const driver = (url: string, finality: number) => {
  const client = createPublicClient({
    transport: http(url, { retryCount: 0, timeout: POLL_TIMEOUT_MS }),
    pollingInterval: 5
  })
  const rpc: Rpc = (method, params = []) => client.request({ method, params } as never)
  const mine = (blocks = 1): Promise<void> => rpc("hardhat_mine", [numberToHex(blocks)])
  return {
    url,
    client,
    rpc,
    mine,
    /** Everything that is mined becomes final. */
    finalize: () => mine(finality + 1),
    /** Replaces the last blocks. `with`: what is mined instead, as pairs of transaction and block offset. */
    reorg: (depth: number, instead: ReadonlyArray<readonly [unknown, number]> = []) =>
      rpc("anvil_reorg", [depth, instead])
  }
}

export type Node = ReturnType<typeof driver>

/** How the adapter finds the final block: the node says which it is, or blocks are counted. */
export const finalities = ["finalized", "counted"] as const
export type Finality = (typeof finalities)[number]

/** A node, with two tokens that the adapter is configured with. The bank account has all the money. */
export const startChain = async (finality: Finality = "finalized", depth = 8) => {
  const server = await startAnvil({ finality: depth })
  const node = driver(server.url, depth)
  const from = (account: typeof bank) =>
    createWalletClient({ account, transport: http(server.url, { retryCount: 0, timeout: POLL_TIMEOUT_MS }) })
  const wallets = { bank: from(bank), payer: from(payer), hot: from(hot) }
  const deploy = async (symbol: string, decimals: number): Promise<Hex> => {
    const hash = await wallets.bank.deployContract({ ...testToken, args: [symbol, decimals], chain: null })
    await node.mine()
    const { contractAddress } = await node.client.getTransactionReceipt({ hash })
    return contractAddress!.toLowerCase() as Hex
  }
  const usdc = await deploy("USDC", 6)
  const usdt = await deploy("USDT", 18)
  const decimals = new Map([
    [usdc, 6],
    [usdt, 18]
  ])
  const units = (token: Hex, amount: string): bigint => parseUnits(amount, decimals.get(token) ?? 0)
  const call = (functionName: "mint" | "transfer", token: Hex, to: Hex, amount: string): Hex =>
    encodeFunctionData({ abi: testToken.abi, functionName, args: [to, units(token, amount)] })
  const send = (wallet: typeof wallets.bank, to: Hex, data: Hex, more: object = {}): Promise<Hex> =>
    wallet.sendTransaction({ to, data, gas: 200_000n, chain: null, ...more })
  const give = async (to: Hex, amount: string, token = usdc): Promise<void> => {
    await send(wallets.bank, token, call("mint", token, to, amount))
    await node.mine()
  }
  await node.rpc("hardhat_setBalance", [hot.address, numberToHex(parseEther("10"))])
  await give(payer.address, "1000000")
  await give(payer.address, "1000000", usdt)
  return {
    ...node,
    stop: server.stop,
    confirmations: finality === "counted" ? depth + 1 : finality,
    wallets,
    deploy,
    usdc,
    usdt,
    units,
    give,
    send,
    call,
    /** A signed transfer by the payer, which the pool does not have. */
    signed: async (to: Hex, amount: string, token = usdc): Promise<Hex> => {
      const data = call("transfer", token, to, amount)
      const request = await wallets.payer.prepareTransactionRequest({ to: token, data, gas: 200_000n, chain: null })
      return wallets.payer.signTransaction({ ...request, chainId: 8453, chain: null } as never)
    },
    /** A transfer by the payer, in the pool: the next block has it. */
    pay: (to: Hex, amount: string, token = usdc) => send(wallets.payer, token, call("transfer", token, to, amount)),
    balance: (owner: Hex, token = usdc): Promise<bigint> =>
      node.client.readContract({ address: token, abi: testToken.abi, functionName: "balanceOf", args: [owner] })
  }
}

export type EvmChain = Awaited<ReturnType<typeof startChain>>

/** Runs a test with a new chain and a new store. */
export const onChain = <A, E>(
  use: (chain: EvmChain) => Effect.Effect<A, E, Storage | Ids | JobNotifier>,
  finality?: Finality
): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(
    Effect.promise(() => startChain(finality)),
    use,
    (chain) => Effect.promise(() => chain.stop())
  ).pipe(Effect.provide(stores))

/** Runs the calls of the node one after the other. */
export const does = (...acts: ReadonlyArray<() => Promise<unknown>>): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (const act of acts) await act()
  })

export const optionsFor = (chain: EvmChain, more: Partial<EvmOptions> = {}): EvmOptions => ({
  name: "base",
  chain_id: 8453,
  network: "base",
  rpc_urls: [chain.url],
  tokens: { USDC: { address: chain.usdc, decimals: 6 }, USDT: { address: chain.usdt, decimals: 18 } },
  hot_wallet: "hot",
  confirmations: chain.confirmations,
  rpc_timeout_ms: 5_000,
  ...more
})

/** The signer of the hot wallet, with its key in the store. */
export const localSigner = (policy?: SigningPolicy): Layer.Layer<Signer, never, Storage | Ids> =>
  LocalSigner.layer({
    keys: { hot: { curve: "secp256k1", secret: hotSecret } },
    ...(policy === undefined ? {} : { policy })
  }).pipe(Layer.provide(cipher), Layer.orDie)

/** An adapter as one node has it, over the store of the surrounding effect. */
export const adapterOf = (
  options: EvmOptions,
  signer: Layer.Layer<Signer, never, Storage | Ids> = localSigner()
): Effect.Effect<Adapter, never, Storage | Ids | JobNotifier> =>
  Effect.provide(Provider, EvmProvider.layer(options).pipe(Layer.provide(signer), Layer.orDie), { local: true })

export const stores = Layer.mergeAll(MemoryStorage.layer, Ids.layer, JobNotifier.layer)

/** Reads an adapter's events as the engine does: from the cursor that the last read returned. */
export const reader = (adapter: Adapter) => {
  const all: Array<ProviderEvent> = []
  let cursor: string | null = null
  return {
    all,
    poll: Effect.suspend(() => adapter.events!.after!(cursor)).pipe(
      Effect.map((page) => {
        cursor = page.cursor
        const events = readable(page.events)
        all.push(...events)
        return events
      })
    )
  }
}

let commands = 0

export const payout = (amount: string, more: Partial<PayoutCommand> = {}): PayoutCommand => {
  const resource_id = `tfr_${String(++commands).padStart(6, "0")}`
  return {
    id: `${resource_id}.payout`,
    merchant_id: "mer_a",
    resource_id,
    statement_reference: "01K6X0B7Z26VDFC6",
    kind: "transfer",
    reference: resource_id,
    originator: null,
    attempt: 0,
    amount,
    currency: "USDC",
    source_amount: amount,
    source_currency: "USDC",
    destination: { type: "crypto", network: "base", address: beneficiary, memo: null },
    beneficiary: { id: "ben_a", name: "Ada" },
    narration: null,
    ...more
  }
}

export const issueCommand = (n: number, more: Partial<IssueCommand> = {}): IssueCommand => ({
  id: `da_${n}.issue`,
  merchant_id: "mer_a",
  resource_id: `da_${n}`,
  kind: "deposit_address",
  type: "crypto",
  currency: "USDC",
  country_code: null,
  network: "base",
  holder: "wal_a",
  ...more
})

export const refundCommand = (payin_id: string, amount: string, more: Partial<RefundCommand> = {}): RefundCommand => ({
  id: `dep_${++commands}.refund`,
  merchant_id: "mer_a",
  resource_id: `dep_${commands}`,
  statement_reference: "01K6X0J4M60TRT5C",
  payin_id,
  amount,
  currency: "USDC",
  ...more
})

/** Issues an address, which the adapter has at once. */
export const issueAddress = (adapter: Adapter, n: number, more: Partial<IssueCommand> = {}) =>
  Effect.map(adapter.payins!.issue(issueCommand(n, more)), (result) => {
    if (result._tag !== "issued") throw new Error(`not issued: ${JSON.stringify(result)}`)
    return result.issued.target as Hex
  })

/** The money on the chain that belongs to the adapter: in the hot wallet, and at its addresses. */
export const heldOnChain = (chain: EvmChain, addresses: ReadonlyArray<Hex>, token = chain.usdc) =>
  Effect.promise(async () => {
    const balances = await Promise.all([hot.address, ...addresses].map((owner) => chain.balance(owner, token)))
    return balances.reduce((sum, balance) => sum + balance, 0n)
  })

/** All lines of the statement. */
export const statement = (adapter: Adapter) =>
  Effect.gen(function* () {
    const all: Array<StatementLine> = []
    for (let cursor: string | null = null; ; ) {
      const page: { readonly lines: ReadonlyArray<StatementLine>; readonly cursor: string | null } =
        yield* adapter.statements!.lines(cursor)
      all.push(...page.lines)
      if (page.cursor === cursor) return all
      cursor = page.cursor
    }
  })

/** The sum of the lines in a currency, in units: credits less debits. */
export const sumBooked = (lines: ReadonlyArray<StatementLine>, currency: string, decimals: number): bigint =>
  lines
    .filter((line) => line.currency === currency)
    .reduce((sum, line) => {
      const amount = parseUnits(line.amount, decimals)
      return line.direction === "credit" ? sum + amount : sum - amount
    }, 0n)

/** All pages of the statement. */
export const pagesOf = (adapter: Adapter) =>
  Effect.gen(function* () {
    const all: Array<StatementPage> = []
    for (let cursor: string | null = null; ; ) {
      const page: StatementPage = yield* adapter.statements!.lines(cursor)
      all.push(page)
      if (page.cursor === cursor) return all
      cursor = page.cursor
    }
  })

/** What a block has of a currency, in units. */
export const statedBalance = (stated: BlockBalances | undefined, currency: string, decimals: number): bigint => {
  const { amount } = stated!.balances.find((one) => one.currency === currency)!
  return parseUnits(amount, decimals)
}

/** What the closing balance has beyond what the opening balance and the lines make. */
export const closingDifference = (pages: ReadonlyArray<StatementPage>, currency = "USDC", decimals = 6): bigint => {
  const lines = pages.flatMap((page) => page.lines)
  const closing = pages.findLast((page) => page.closing !== undefined)?.closing
  return (
    statedBalance(closing, currency, decimals) -
    statedBalance(pages[0]?.opening, currency, decimals) -
    sumBooked(lines, currency, decimals)
  )
}

/** An adapter whose hot wallet has 100 USDC, final. */
export const fundPlatform = (chain: EvmChain, more: Partial<EvmOptions> = {}) =>
  Effect.gen(function* () {
    yield* does(() => chain.give(hot.address, "100"), chain.finalize)
    const adapter = yield* adapterOf(optionsFor(chain, more))
    return { adapter, ...reader(adapter) }
  })

export const balanceAt = (chain: EvmChain, to: Hex = beneficiary, token = chain.usdc) =>
  Effect.promise(() => chain.balance(to, token))

/** What the chain has equals the statement, in the token and in gas. `float`: what the wallet began with. */
export const agrees = (chain: EvmChain, adapter: Adapter, addresses: ReadonlyArray<Hex>, float: bigint) =>
  Effect.gen(function* () {
    const lines = yield* statement(adapter)
    assert.strictEqual(yield* heldOnChain(chain, addresses), float + sumBooked(lines, "USDC", 6))
    const coins = yield* Effect.promise(() => chain.client.getBalance({ address: hot.address }))
    assert.strictEqual(coins, 10n ** 19n + sumBooked(lines, "ETH", 18))
  })

export const setBlocked = (chain: EvmChain, owner: Hex, isBlocked: boolean) => () =>
  chain.send(
    chain.wallets.bank,
    chain.usdc,
    encodeFunctionData({ abi: testToken.abi, functionName: "setBlocked", args: [owner, isBlocked] })
  )
