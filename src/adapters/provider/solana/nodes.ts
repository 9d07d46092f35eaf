/** JSON-RPC nodes of one Solana cluster. What a node says is one node's view: it may lag behind the cluster. */
import * as kit from "@solana/kit"
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"

export type Rpc = kit.Rpc<kit.SolanaRpcApi>

interface Sendable<A> {
  readonly send: (options: { readonly abortSignal: AbortSignal }) => Promise<A>
}

/** One node. `call` makes one request. Errors: `ProviderFault` for everything but a well-formed result. */
export interface RpcNode {
  readonly call: <A>(request: (rpc: Rpc) => Sendable<A>) => Effect.Effect<A, ProviderFault>
}

export interface Nodes {
  readonly all: ReadonlyArray<RpcNode>
  /** Runs `use` with the first node, and with the next one if it fails. All requests of one run go to one node. */
  readonly first: <A>(use: (node: RpcNode) => Effect.Effect<A, ProviderFault>) => Effect.Effect<A, ProviderFault>
  /** Runs `use` with every node, and returns what succeeded. Errors: `ProviderFault` when nothing did. */
  readonly each: <A>(
    use: (node: RpcNode) => Effect.Effect<A, ProviderFault>
  ) => Effect.Effect<ReadonlyArray<A>, ProviderFault>
}

/** A URL may contain a credential in its path or query, so messages name the host alone. */
const nodeOf = (url: string, timeout_ms: number): RpcNode => {
  const rpc = kit.createSolanaRpc(url) as Rpc
  const { host } = new URL(url)
  return {
    call: (request) =>
      Effect.tryPromise({
        try: (abortSignal) => request(rpc).send({ abortSignal }),
        catch: (cause) => new ProviderFault({ message: `the Solana node ${host} gave no result`, cause })
      }).pipe(
        Effect.timeoutOrElse({
          duration: timeout_ms,
          orElse: () =>
            Effect.fail(new ProviderFault({ message: `the Solana node ${host} was silent for ${timeout_ms} ms` }))
        })
      )
  }
}

export const makeNodes = (urls: ReadonlyArray<string>, timeout_ms: number): Nodes => {
  const all = urls.map((url) => nodeOf(url, timeout_ms))
  const [head, ...others] = all
  return {
    all,
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
