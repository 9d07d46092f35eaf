/** What `corridor doctor` asks an adapter of an EVM chain: its nodes, its tokens and its signer. */
import { Effect } from "effect"
import type { ProviderCheck } from "../../../engine/ports/Provider.ts"
import type { EvmConfig, TokenContract } from "./config.ts"
import { describeFailure } from "./quorum.ts"
import type { EvmContext } from "./slots.ts"

const passCheck = (sentence: string): ProviderCheck => ({ status: "ok", sentence })
const failCheck = (sentence: string): ProviderCheck => ({ status: "fail", sentence })

/** Lists for the operator what the adapter relies on without being able to check it. */
export const listCautions = ({ chain, name }: EvmConfig): ReadonlyArray<string> =>
  chain.quorum > 1
    ? []
    : [
        `${name} believes a single node: with a quorum of 1, the blocks and balances that one of rpc_urls states decide about money. Configure nodes of three operators.`
      ]

export const checkChain = ({ chain, config, signer }: Pick<EvmContext, "chain" | "config" | "signer">) => {
  const { chain_id, key_ref } = config

  const nodes = Effect.map(chain.nodes, (found) =>
    found.map((one) =>
      "answer" in one
        ? passCheck(`${one.node} serves the chain ${chain_id}; its final block is ${one.answer.final}`)
        : failCheck(`${one.node} cannot be used: ${one.reason}`)
    )
  )

  const tokenCheck = ({ address, currency, decimals }: TokenContract) =>
    Effect.gen(function* () {
      const found = yield* chain.decimals(address)
      if (found !== decimals)
        return failCheck(`tokens.${currency}.decimals is ${decimals}; the token at ${address} has ${found}`)
      const { final } = yield* chain.view
      yield* chain.balancesAt(address, [address], final)
      return passCheck(`tokens.${currency} has ${decimals} decimals, and its balances at the final block can be read`)
    }).pipe(
      Effect.catch(({ cause, message }) => {
        const reason = cause === undefined ? message : `${message}: ${describeFailure(cause, config.chain.rpc_urls)}`
        return Effect.succeed(failCheck(`tokens.${currency} at ${address} cannot be read: ${reason}`))
      })
    )

  const key = signer.publicKey(key_ref).pipe(
    Effect.map(({ curve }) =>
      curve === "secp256k1"
        ? passCheck(`the signer has the key ${key_ref}`)
        : failCheck(`hot_wallet is ${key_ref}, a key of ${curve}; it takes one of secp256k1`)
    ),
    Effect.catch(({ message }) =>
      Effect.succeed(failCheck(`hot_wallet is ${key_ref}, which the signer does not have: ${message}`))
    )
  )

  return Effect.gen(function* () {
    // Side by side: a node that is silent costs one time limit, however many tokens there are.
    const tokens = Effect.forEach(config.tokens, tokenCheck, { concurrency: "unbounded" })
    return (yield* Effect.all([nodes, tokens, Effect.map(key, (one) => [one])], { concurrency: "unbounded" })).flat()
  })
}
