/**
 * The provider of a chain: the shape of every chain's adapter. A chain adds its facts and its work.
 *
 * - `options.ts`, `tokens.ts`: names, nodes, tokens and their amounts.
 * - `books.ts`: what the adapter remembers. It is written before anything is broadcast.
 * - `reports.ts`: what the engine is told of a payment.
 * - `refunds.ts`: what is reserved of a pay-in, and the answer to a refund command.
 *
 * Of its own, a chain has: its nodes, and what they say is final (`evm/chain.ts`, `solana/rpc.ts`); how the chain is read
 * (`evm/deposits.ts`, by blocks; `solana/reading.ts`, by accounts); and how one payment is made at most once
 * (`evm/slots.ts`, by nonces; `solana/outgoing.ts`, by the last valid block of a signature).
 */
import { Effect } from "effect"
import { type PayinCapability, Provider } from "../../../engine/ports/Provider.ts"
import type { NamedChain } from "./options.ts"
import type { ChainToken } from "./tokens.ts"

interface ChainParts extends Omit<Provider["Service"], "name" | "formerly" | "manifest" | "payins"> {
  readonly payins: Omit<PayinCapability, "instruct">
}

/** Builds the provider of a chain from its parts: it pays out, issues deposit addresses and refunds, on one network. */
export const chainProvider = (
  { formerly, name }: Pick<NamedChain, "formerly" | "name">,
  { network, tokens }: { readonly network: string; readonly tokens: ReadonlyArray<ChainToken> },
  { payins, ...parts }: ChainParts
) =>
  Provider.of({
    name,
    ...(formerly && { formerly }),
    // Each token is paid out and received, and addresses are issued for it.
    manifest: {
      offers: tokens.flatMap(({ currency }) =>
        (["payout", "payin", "issue"] as const).map((operation) => ({ operation, currency, network }))
      )
    },
    ...parts,
    // It has addresses, and no payment instructions.
    payins
  })

/**
 * Makes a check run before each call until it has passed once. It checks the tokens on the chain: with other decimals than a
 * token has, amounts would be wrong by powers of ten, so before it passes nothing is paid and no address is issued.
 */
export const retryUntilPassing = <E>(check: Effect.Effect<void, E>): Effect.Effect<void, E> => {
  let isPassed = false
  return Effect.suspend(() =>
    isPassed
      ? Effect.void
      : Effect.tap(check, () =>
          Effect.sync(() => {
            isPassed = true
          })
        )
  )
}
