/** The provider, over what it is configured with. */
import { Effect } from "effect"
import { memoFault } from "../../../engine/input/addresses.ts"
import { parseExactAmount } from "../../../machines/kernel/money.ts"
import type { PayoutCommand, ProviderCheck } from "../../../engine/ports/Provider.ts"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { Signer } from "../../../engine/ports/Signer.ts"
import { findBooksKey, readRegistry } from "../../../engine/ports/provider-registry.ts"
import { openChainBooks } from "../chain/books.ts"
import { chainProvider, retryUntilPassing } from "../chain/provider.ts"
import { findRecipientFault } from "../chain/recipients.ts"
import { resolvePayment } from "../chain/tokens.ts"
import type { SolanaOptions } from "./options.ts"
import { readKeyAddress, issueDepositAddress, isOwnAddress } from "./addresses.ts"
import type { SolanaContext } from "./config.ts"
import { makeRecipients } from "./destination.ts"
import { makeNodes } from "./nodes.ts"
import type { Order } from "./order.ts"
import { lookUpCommand, rejectCommand, submitOrder } from "./outgoing.ts"
import { readEventsAfter, requestRescan, describeRescan } from "./reading.ts"
import { lookUpRefund, submitRefund } from "./refunds.ts"
import { readBalances, readLines } from "./statements.ts"
import { adoptAllEntries, adoptMerchantEntry, adoptRefundEntries } from "./earlier.ts"
import { findAssociatedAccount } from "./transaction.ts"

const toAbout = ({ attempt, id, merchant_id, resource_id }: PayoutCommand) =>
  ({ purpose: "payout", command_id: id, merchant_id, resource_id, attempt }) as const

/** Resolves the order of a payout. A text says why it cannot be executed here. */
const resolveOrder = (context: SolanaContext, command: PayoutCommand): Order | string => {
  const { destination } = command
  if (destination.type !== "crypto" || destination.network !== context.network)
    return `${context.name} pays on ${context.network} only, not on ${destination.network}`
  const what = resolvePayment(context, command)
  if (typeof what === "string") return what
  const fault = findRecipientFault(makeRecipients(context), destination.address)
  if (fault !== null) return fault
  const wrong = memoFault("solana", destination.memo ?? "")
  if (wrong !== null) return `the memo ${wrong}`
  return {
    ...toAbout(command),
    token: what.token,
    amount: what.units,
    from: { ...context.hot, account: what.token.account },
    to: destination.address,
    memo: destination.memo
  }
}

/** Compares the configured mints with the chain. Errors: `ProviderFault` for one that differs, or that no node shows. */
const verifyMints = Effect.fnUntraced(function* ({ nodes, tokens }: SolanaContext) {
  const mints = tokens.map(({ mint }) => mint)
  const { accounts } = yield* nodes.first((node) => node.accounts(mints, "finalized"))
  for (const [at, { currency, decimals, mint }] of tokens.entries()) {
    const found = accounts[at]?.decimals
    if (found === decimals) continue
    const reason =
      found === undefined ? `${mint} is not a mint of the token program` : `the mint has ${found}, not ${decimals}`
    return yield* new ProviderFault({
      message: `tokens.${currency}.${found === undefined ? "mint" : "decimals"}: ${reason}`
    })
  }
})

/** Makes the checks of nodes, mints and keys for `corridor doctor`. */
const makeDoctorCheck = (context: SolanaContext) =>
  Effect.all(
    [
      ...context.nodes.all.map(({ host, node }) =>
        node.epoch("finalized").pipe(
          Effect.map(({ slot }): ProviderCheck => ({ status: "ok", sentence: `${host} has finalized slot ${slot}` })),
          Effect.catch(({ message }) => Effect.succeed<ProviderCheck>({ status: "fail", sentence: message }))
        )
      ),
      verifyMints(context).pipe(
        Effect.as<ProviderCheck>({ status: "ok", sentence: "every mint has the configured decimals" }),
        Effect.catch(({ message }) => Effect.succeed<ProviderCheck>({ status: "fail", sentence: message }))
      ),
      // Startup has asked the signer for it.
      Effect.succeed<ProviderCheck>({ status: "ok", sentence: `the signer has the key ${context.hot.key_ref}` })
    ],
    { concurrency: "unbounded" }
  )

export const makeLayer = Effect.fnUntraced(function* (options: SolanaOptions) {
  const signer = yield* Signer
  /** Its records are under the first name that it had in the store. */
  const key = findBooksKey(yield* readRegistry, options)
  const books = yield* openChainBooks(key)
  const address = yield* Effect.orDie(readKeyAddress(signer, options.hot_wallet))
  const tokens = yield* Effect.forEach(Object.entries(options.tokens), ([currency, token]) =>
    Effect.map(
      Effect.promise(() => findAssociatedAccount(address, token.mint)),
      (account) => {
        const { mint, decimals, sweep_from = "0" } = token
        return {
          currency,
          mint,
          decimals,
          account,
          sweep_from: sweep_from === null ? null : parseExactAmount(sweep_from, decimals)
        }
      }
    )
  )
  const context: SolanaContext = {
    name: key,
    network: options.network ?? "solana",
    nodes: makeNodes(options.rpc_urls, options.timeout_ms ?? 10_000),
    books,
    adopted: adoptAllEntries({ books, name: key }),
    signer,
    hot: { address, key_ref: options.hot_wallet },
    deposit_key: options.deposit_key ?? options.hot_wallet,
    tokens,
    price: BigInt(options.priority_fee ?? 0),
    reading_ms: options.reading_ms ?? 10_000,
    followed: { last: "" },
    accounts: new Map()
  }
  // Deposits of a mint of another program would not be seen either.
  const checked = retryUntilPassing(verifyMints(context))
  return chainProvider(options, context, {
    identity: Effect.succeed({ id: `solana:${context.network}:${address}`, address: null }),
    cautions: [
      `${context.name} believes one node at a time: what the first of rpc_urls that answers shows as final decides about money.`
    ],
    check: makeDoctorCheck(context),
    payouts: {
      submit: (command) => {
        const order = resolveOrder(context, command)
        const done =
          typeof order === "string"
            ? rejectCommand(context, toAbout(command), order)
            : Effect.andThen(checked, submitOrder(context, order))
        return Effect.andThen(adoptMerchantEntry(context, "solana_outgoing", command), done)
      },
      lookup: (command) =>
        Effect.andThen(
          adoptMerchantEntry(context, "solana_outgoing", command),
          lookUpCommand(context, toAbout(command))
        )
    },
    payins: {
      issue: (command) =>
        checked.pipe(
          Effect.andThen(adoptMerchantEntry(context, "solana_address", command)),
          Effect.andThen(issueDepositAddress(context, command))
        ),
      refund: (command) =>
        checked.pipe(
          Effect.andThen(adoptRefundEntries(context, command)),
          Effect.andThen(submitRefund(context, command))
        ),
      lookupRefund: (command) => Effect.andThen(adoptRefundEntries(context, command), lookUpRefund(context, command))
    },
    addresses: {
      hot_wallet: Effect.succeed(address),
      owns: (network, asked) => (network === context.network ? isOwnAddress(context, asked) : Effect.succeed(false)),
      isToken: (network, asked) => network === context.network && context.tokens.some(({ mint }) => asked === mint),
      memoFault: (network, memo) => (network === context.network ? memoFault(network, memo) : null)
    },
    statements: { balances: readBalances(context), lines: (after) => readLines(context, after) },
    events: {
      after: (cursor) => readEventsAfter(context, cursor),
      rescan: (from) => requestRescan(context, from),
      rescanning: describeRescan(context),
      ...(options.interval_ms === undefined ? {} : { interval_ms: options.interval_ms })
    }
  })
})
