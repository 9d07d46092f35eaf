/** A platform on a test chain: a hot wallet with a float, a payer, nodes, and Corridor nodes that share a store. */
import { readable } from "../engines/readable-events.ts"
import * as kit from "@solana/kit"
import { Effect, Layer } from "effect"
import { AesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import { type SolanaOptions, SolanaProvider } from "../../../src/adapters/provider/solana.ts"
import type { IssuedAddress, SolanaOutgoing, SeenPayin } from "../../../src/adapters/provider/solana/entries.ts"
import { deriveReferenceAddress } from "../../../src/adapters/provider/solana/transaction.ts"
import { localSigner } from "../../../src/adapters/signer/local.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { adapter, layerOf, type SignerAdapter } from "../../../src/engine/ports/adapter.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import {
  type IssueCommand,
  type PayoutCommand,
  Provider,
  type ProviderEvent
} from "../../../src/engine/ports/Provider.ts"
import { Signer } from "../../../src/engine/ports/Signer.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { deriveTokenAccount, SolanaChain } from "./solana-chain.ts"
import { type SolanaNode, startSolanaNode } from "./solana-node.ts"
import { type SignerWatch, watchSigner } from "./watched-signer.ts"

export const SOL = 1_000_000_000n
/** One USDC in its smallest unit. */
export const USDC = 1_000_000n
export const FLOAT = 10_000n * USDC

const keys = { hot: { curve: "ed25519", secret: "11".repeat(32) } } as const

export type ProviderService = Provider["Service"]

export interface SolanaPlatform {
  readonly chain: SolanaChain
  readonly nodes: ReadonlyArray<SolanaNode>
  readonly mint: string
  readonly hot: string
  readonly hotAccount: string
  /** A customer's wallet, with tokens. */
  readonly payer: kit.KeyPairSigner
  readonly storage: Storage["Service"]
  readonly options: SolanaOptions
  /** Starts a Corridor node: a provider of its own on the shared store. */
  readonly start: (with_?: {
    readonly storage?: Storage["Service"]
    readonly signer?: SignerAdapter
    readonly options?: Partial<SolanaOptions>
  }) => Promise<ProviderService>
  readonly close: () => Promise<void>
}

const run = Effect.runPromise

const cipher = AesGcmCipher.layer({ keys: [aesKey(Buffer.alloc(32, 9).toString("base64"))] })

/** The signer of the platform, watched. */
export const makeWatchedSigner = (watch: SignerWatch): SignerAdapter =>
  adapter("signer", watchSigner(layerOf("signer", localSigner({ keys })), watch))

export const startPlatform = async (
  differs: { readonly nodes?: number; readonly float?: bigint; readonly sol?: bigint } = {}
): Promise<SolanaPlatform> => {
  const chain = new SolanaChain()
  const payer = await kit.generateKeyPairSigner()
  const mint = await chain.mint(6)
  const storage = await run(Effect.provide(Storage, MemoryStorage.layer))
  const base = Layer.mergeAll(Ids.layer, JobNotifier.layer, cipher)
  const signer = localSigner({ keys })
  const withSigner = layerOf("signer", signer).pipe(
    Layer.provide(Layer.mergeAll(base, Layer.succeed(Storage, storage)))
  )
  const hot = await run(
    Effect.flatMap(Signer, (one) => one.publicKey("hot")).pipe(
      Effect.map(({ bytes }) => kit.getAddressDecoder().decode(bytes)),
      Effect.provide(withSigner)
    )
  )
  chain.fund(hot, differs.sol ?? 10n * SOL)
  chain.fund(payer.address, 10n * SOL)
  const hotAccount = await chain.fundTokens(hot, mint, differs.float ?? FLOAT)
  await chain.fundTokens(payer.address, mint, 1_000_000n * USDC)
  chain.mine(8)
  const nodes = await Promise.all(Array.from({ length: differs.nodes ?? 1 }, () => startSolanaNode(chain)))
  const options: SolanaOptions = {
    name: "solana",
    rpc_urls: nodes.map(({ url }) => url),
    tokens: { USDC: { mint, decimals: 6 } },
    signer,
    hot_wallet: "hot",
    timeout_ms: 5000
  }
  return {
    chain,
    nodes,
    mint,
    hot,
    hotAccount,
    payer,
    storage,
    options,
    start: (own = {}) => {
      const used = { ...options, ...own.options, ...(own.signer === undefined ? {} : { signer: own.signer }) }
      const layer = SolanaProvider.layer(used).pipe(
        Layer.provide(Layer.mergeAll(base, Layer.succeed(Storage, own.storage ?? storage)))
      )
      return run(Effect.provide(Provider, layer))
    },
    close: async () => {
      await Promise.all(nodes.map((node) => node.close()))
    }
  }
}

export const payout = (
  id: string,
  address: string,
  amount: string,
  differs: Partial<PayoutCommand> = {}
): PayoutCommand => ({
  id,
  merchant_id: "mer_1",
  resource_id: id.split(".")[0]!,
  statement_reference: "01K6X0B7Z26VDFC6",
  reference: `ref_${id}`,
  originator: null,
  attempt: 0,
  kind: "transfer",
  amount,
  currency: "USDC",
  source_amount: amount,
  source_currency: "USDC",
  destination: { type: "crypto", network: "solana", address, memo: null },
  beneficiary: { id: "ben_1", name: "A Recipient" },
  narration: null,
  ...differs
})

export const issueOf = (id: string, differs: Partial<IssueCommand> = {}): IssueCommand => ({
  id,
  merchant_id: "mer_1",
  resource_id: id.split(".")[0]!,
  kind: "deposit_address",
  type: "crypto",
  currency: "USDC",
  country_code: null,
  network: "solana",
  holder: "A Customer",
  ...differs
})

/** A wallet that nobody has used. */
export const stranger = async (): Promise<string> => (await kit.generateKeyPairSigner()).address

/** An engine's end of `events.after`: it keeps the cursor after it has taken the events. */
export const makeReader = () => {
  const reported = new Map<string, ProviderEvent>()
  let cursor: string | null = null
  let latestFault: string | undefined
  return {
    reported,
    /** What the last reading could not read. */
    fault: () => latestFault,
    /** Reads once. `crash`: the events reach the engine, and its commit is lost. */
    read: async (provider: ProviderService, crash = false): Promise<ReadonlyArray<ProviderEvent>> => {
      const { events: reports, cursor: next, fault } = await run(provider.events!.after!(cursor))
      latestFault = fault
      const events = readable(reports)
      if (crash) return events
      for (const event of events) {
        const before = reported.get(event.event_id)
        if (before !== undefined && JSON.stringify(before) !== JSON.stringify(event))
          throw new Error(`${event.event_id} came again with other content`)
        reported.set(event.event_id, event)
      }
      cursor = next
      return events
    }
  }
}

const entriesOf = async <A>(platform: SolanaPlatform, kind: string): Promise<ReadonlyArray<A>> => {
  const query = { kinds: [kind], index_keys: ["adapter=solana"], offset: 0, limit: 10_000 }
  const { items } = await run(platform.storage.list(query))
  return items.map((row) => row.data as A)
}

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** What the chain and the books say; each pair must be equal when nothing is under way. */
export const audit = async (platform: SolanaPlatform, float = FLOAT, sol = 10n * SOL) => {
  const { chain, mint, hot, hotAccount } = platform
  const outgoings = await entriesOf<SolanaOutgoing>(platform, "solana_outgoing")
  const payins = await entriesOf<SeenPayin>(platform, "solana_payin")
  const addresses = await entriesOf<IssuedAddress>(platform, "solana_address")
  const paid = (purpose: SolanaOutgoing["purpose"]): bigint =>
    sum(
      outgoings
        .filter((one) => one.purpose === purpose && one.ended?.outcome.outcome === "success")
        .map(({ amount }) => BigInt(amount))
    )
  const received = sum(payins.filter((one) => one.confirmed_at !== null).map(({ amount }) => BigInt(amount)))
  const costs = sum(outgoings.flatMap(({ attempts }) => attempts.map(({ cost = "0" }) => BigInt(cost))))
  const accounts = await Promise.all(addresses.map(({ address }) => deriveTokenAccount(address, mint)))
  const executions = new Map(
    outgoings.map(({ command_id }) => [
      command_id,
      chain.history(deriveReferenceAddress(command_id), chain.head).filter(({ error }) => error === null).length
    ])
  )
  return {
    executions,
    onChain: {
      hot: chain.tokens(hotAccount),
      addresses: sum(accounts.map((account) => chain.tokens(account))),
      sol: chain.lamports(hot),
      paid: [...executions].filter(([, count]) => count > 0).map(([id]) => id)
    },
    inBooks: {
      hot: float + paid("sweep") - paid("payout") - paid("refund"),
      addresses: received - paid("sweep"),
      sol: sol - costs,
      paid: outgoings.filter(({ ended }) => ended?.outcome.outcome === "success").map(({ command_id }) => command_id)
    }
  }
}

/**
 * Lets the chain go on and reads it until nothing is under way, and returns the audit. Throws when that takes more than
 * ten readings.
 */
export const quiet = async (
  platform: SolanaPlatform,
  provider: ProviderService,
  reader: ReturnType<typeof makeReader>,
  float?: bigint
) => {
  for (let round = 0; round < 10; round++) {
    platform.chain.finalize()
    platform.chain.mine(200)
    await reader.read(provider)
    const open = await run(
      platform.storage.list({
        kinds: ["solana_outgoing", "solana_payin"],
        index_keys: ["adapter=solana", "open=yes"],
        offset: 0,
        limit: 1
      })
    )
    const audited = await audit(platform, float)
    if (open.total === 0 && audited.onChain.addresses === 0n) return audited
  }
  throw new Error("the platform is not quiet after ten readings")
}
