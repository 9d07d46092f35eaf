/** The JSON-RPC nodes of one Solana cluster. */
import { Deferred, Effect, Fiber } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import { type RpcNode, makeRpcNode } from "./rpc.ts"

export interface Nodes {
  readonly all: ReadonlyArray<{ readonly host: string; readonly node: RpcNode }>
  /**
   * Runs `use` with the first node, and with the next one if it fails; nodes that were silent of late are the last. All requests of one
   * run go to one node.
   */
  readonly first: <A>(use: (node: RpcNode) => Effect.Effect<A, ProviderFault>) => Effect.Effect<A, ProviderFault>
  /**
   * Runs `use` with every node, and returns what succeeded. Once that is enough, the other nodes have {@link graceMs}, unless they were
   * silent of late; they go on by themselves. Errors: `ProviderFault` when nothing succeeded.
   */
  readonly each: <A>(
    use: (node: RpcNode) => Effect.Effect<A, ProviderFault>,
    isEnough: (found: ReadonlyArray<A>) => boolean
  ) => Effect.Effect<ReadonlyArray<A>, ProviderFault>
}

const graceMs = 250

export const makeNodes = (urls: ReadonlyArray<string>, timeout_ms: number): Nodes => {
  const all = urls.map((url) => makeRpcNode(url, timeout_ms))
  const isLast = (node: RpcNode) => Effect.map(node.isSilent, (isSilent) => ({ node, isSilent }))
  return {
    all: all.map((node, at) => ({ host: `rpc_urls[${at}] (${new URL(urls[at]!).host})`, node })),
    first: Effect.fnUntraced(function* <A>(use: (node: RpcNode) => Effect.Effect<A, ProviderFault>) {
      const asked = yield* Effect.forEach(all, isLast)
      const [head, ...others] = asked.toSorted((a, b) => Number(a.isSilent) - Number(b.isSilent))
      return yield* others.reduce((tried, { node }) => Effect.catch(tried, () => use(node)), use(head!.node))
    }),
    each: Effect.fnUntraced(function* <A>(
      use: (node: RpcNode) => Effect.Effect<A, ProviderFault>,
      isEnough: (found: ReadonlyArray<A>) => boolean
    ) {
      const found: Array<A> = []
      const failed: Array<ProviderFault> = []
      const enough = yield* Deferred.make<void>()
      const one = (node: RpcNode) =>
        Effect.matchEffect(use(node), {
          onSuccess: (answer) => {
            found.push(answer)
            return isEnough(found) ? Deferred.succeed(enough, undefined) : Effect.void
          },
          onFailure: (fault) => Effect.sync(() => failed.push(fault))
        })
      const asked = yield* Effect.forEach(
        all,
        Effect.fnUntraced(function* (node) {
          const { isSilent } = yield* isLast(node)
          return { isSilent, fiber: yield* Effect.forkDetach(one(node), { startImmediately: true }) }
        })
      )
      const waitForAll = (some: typeof asked) =>
        Effect.forEach(some, ({ fiber }) => Fiber.await(fiber), { concurrency: "unbounded", discard: true })
      yield* Effect.raceFirst(waitForAll(asked), Deferred.await(enough))
      yield* Effect.raceFirst(waitForAll(asked.filter(({ isSilent }) => !isSilent)), Effect.sleep(graceMs))
      if (found.length === 0) return yield* failed[0]!
      return [...found]
    })
  }
}
