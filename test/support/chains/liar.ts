/** A chain, and a node of it that changes its lists of logs, its receipts and its blocks as a test says. */
import { Effect } from "effect"
import { encodeFunctionData, type Hex } from "viem"
import type { Ids } from "../../../src/engine/ports/Ids.ts"
import type { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import type { PayinEvent, ProviderEvent } from "../../../src/engine/ports/Provider.ts"
import type { Storage } from "../../../src/engine/ports/Storage.ts"
import { adapterOf, type EvmChain, issueAddress, onChain, optionsFor, reader } from "./evm-world.ts"
import { type RpcProxy, startProxy } from "./rpc-proxy.ts"
import { testToken } from "./test-token.ts"

export const payins = (events: ReadonlyArray<ProviderEvent>) =>
  events.filter((event): event is PayinEvent => event._tag === "payin")

/** Stage and amount of each. */
export const stagesOf = (events: ReadonlyArray<ProviderEvent>): ReadonlyArray<string> =>
  payins(events).map(({ amount, stage }) => `${stage} ${amount}`)

export type Lie = (logs: ReadonlyArray<any>, filter: any) => ReadonlyArray<any>

export const honest: Lie = (logs) => logs

/** Runs a test with a chain, and a node of it that changes its lists of logs. */
export const onLiar = (
  use: (
    chain: EvmChain,
    lie: { readonly url: string; list: Lie; receipt: Lie; block: (block: any) => unknown; readonly proxy: RpcProxy }
  ) => Effect.Effect<void, any, Storage | Ids | JobNotifier>
) =>
  onChain((chain) =>
    Effect.acquireUseRelease(
      Effect.promise(() => startProxy(chain.url)),
      (proxy) => {
        const lie = { url: proxy.url, list: honest, receipt: honest, block: (block: any): unknown => block, proxy }
        proxy.mangle = ({ method, params }, result) =>
          method === "eth_getLogs"
            ? lie.list(result, params[0])
            : method === "eth_getTransactionReceipt" && result !== null
              ? { ...result, logs: lie.receipt(result.logs, params[0]) }
              : method === "eth_getBlockByNumber" && result !== null
                ? lie.block(result)
                : result
        return use(chain, lie)
      },
      (proxy) => Effect.promise(proxy.stop)
    )
  )

export const watching = (chain: EvmChain, url: string, more: object = {}) =>
  Effect.gen(function* () {
    const adapter = yield* adapterOf(optionsFor(chain, { rpc_urls: [url], ...more }))
    const addresses: ReadonlyArray<Hex> = yield* Effect.forEach([1, 2, 3], (n) => issueAddress(adapter, n))
    return { adapter, addresses, ...reader(adapter) }
  })

export const many = (chain: EvmChain, to: ReadonlyArray<Hex>, values: ReadonlyArray<bigint>) =>
  chain.send(
    chain.wallets.payer,
    chain.usdc,
    encodeFunctionData({ abi: testToken.abi, functionName: "transferMany", args: [to, values] }),
    { gas: 900_000n }
  )
