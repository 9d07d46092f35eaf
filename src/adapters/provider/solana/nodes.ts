/** The JSON-RPC nodes of one Solana cluster. */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import { type RpcNode, rpcNode } from "./rpc.ts"

export interface Nodes {
  readonly all: ReadonlyArray<{ readonly host: string; readonly node: RpcNode }>
  /** Runs `use` with the first node, and with the next one if it fails. All requests of one run go to one node. */
  readonly first: <A>(use: (node: RpcNode) => Effect.Effect<A, ProviderFault>) => Effect.Effect<A, ProviderFault>
  /** Runs `use` with every node, and returns what succeeded. Errors: `ProviderFault` when nothing did. */
  readonly each: <A>(
    use: (node: RpcNode) => Effect.Effect<A, ProviderFault>
  ) => Effect.Effect<ReadonlyArray<A>, ProviderFault>
}

export const makeNodes = (urls: ReadonlyArray<string>, timeout_ms: number): Nodes => {
  const all = urls.map((url) => rpcNode(url, timeout_ms))
  const [head, ...others] = all
  return {
    all: all.map((node, at) => ({ host: `rpc_urls[${at}] (${new URL(urls[at]!).host})`, node })),
    first: (use) => others.reduce((tried, node) => Effect.catch(tried, () => use(node)), use(head!)),
    each: Effect.fnUntraced(function* (use) {
      const results = yield* Effect.forEach(all, (node) => Effect.result(use(node)), { concurrency: "unbounded" })
      const succeeded = results.flatMap((result) => (result._tag === "Success" ? [result.success] : []))
      const [failed] = results.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
      if (succeeded.length === 0 && failed !== undefined) return yield* failed
      return succeeded
    })
  }
}
