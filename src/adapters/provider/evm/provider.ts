/** The provider of an EVM chain, put together. Only the files of this folder load viem. */
import { memoFault } from "../../../engine/input/addresses.ts"
import { Effect } from "effect"
import { bytesToHex, type Hex } from "viem"
import { publicKeyToAddress } from "viem/accounts"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { IssueCommand, IssueResult, ProviderEvent } from "../../../engine/ports/Provider.ts"
import { Signer } from "../../../engine/ports/Signer.ts"
import { findBooksKey, readRegistry } from "../../../engine/ports/provider-registry.ts"
import { openChainBooks } from "../chain/books.ts"
import { chainProvider, retryUntilPassing } from "../chain/provider.ts"
import { deriveContracts, deriveSalt } from "./calls.ts"
import { makeChain } from "./chain.ts"
import { listCautions, checkChain } from "./check.ts"
import { resolveConfig, toChecksumAddress } from "./config.ts"
import { makeDeposits } from "./deposits.ts"
import { type EvmAddress, makeEntries } from "./entries.ts"
import type { EvmOptions } from "./options.ts"
import { makePayments } from "./payments.ts"
import { makeSettlement } from "./settlement.ts"
import { type EvmContext, makeSlots } from "./slots.ts"
import { readBalances, readLinesAfter, parseReportNumber, readReportsFrom } from "./statements.ts"
import { readingParts, limitTime } from "./times.ts"
import { makeUpkeep } from "./upkeep.ts"

/** Assembles the parts of the adapter, once the address of the hot wallet is known. */
const assembleParts = Effect.fnUntraced(function* (shared: Omit<EvmContext, "wallet" | "entries">, wallet: Hex) {
  const context: EvmContext = { ...shared, wallet, entries: makeEntries(shared.config, wallet) }
  const contracts = deriveContracts(wallet)
  const slots = yield* makeSlots(context)
  const settlement = makeSettlement(context)
  const deposits = makeDeposits(context)
  return {
    ...context,
    contracts,
    deposits,
    slots,
    payments: makePayments(context, slots, settlement),
    upkeep: makeUpkeep(context, slots, settlement, contracts)
  }
})

type Parts = Effect.Success<ReturnType<typeof assembleParts>>

/** Issues a deposit address: that of a contract which does not exist yet, and can send to the hot wallet only. */
const issueDepositAddress = Effect.fnUntraced(function* (
  { books, config, contracts, deposits, entries, wallet }: Parts,
  command: IssueCommand
): Effect.fn.Return<IssueResult, ProviderFault> {
  const { currency, id, merchant_id, network, resource_id, type } = command
  if (type !== "crypto" || network !== config.network || !config.tokens.some((token) => token.currency === currency))
    return { _tag: "rejected", reason: `${currency} on ${network} is not configured` }
  // Reading begins before the address is known to anyone.
  yield* deposits.ensure
  const salt = deriveSalt(id)
  const address = contracts.forwarder(salt)
  yield* books.amend([entries.keys.address(address)], ([row]) => {
    if (row !== undefined) return { entries: [], result: undefined }
    const fresh: EvmAddress = {
      address,
      salt,
      destination: wallet,
      merchant_id,
      resource_id,
      unswept: {},
      sweeping: null,
      sweep_after: 0,
      failures: 0
    }
    return { entries: [entries.writes.address(fresh)], result: undefined }
  })
  const target = toChecksumAddress(address)
  return {
    _tag: "issued",
    issued: { provider_resource_id: `cdw_${salt.slice(2, 28)}`, target, details: { network, address: target } }
  }
})

/** Whether an address is the hot wallet or an issued deposit address. */
const isOwnAddress = Effect.fnUntraced(function* ({ books, entries, wallet }: Parts, address: string) {
  const asked = address.toLowerCase() as Hex
  return asked === wallet || (yield* books.get([entries.keys.address(asked)])).length > 0
})

/**
 * Reads new blocks, runs the upkeep of the hot wallet, and returns new events. The state store numbers the reports, so the cursor
 * is a number, and a cursor returns the same events each time.
 */
const readEventsAfter = Effect.fnUntraced(function* (parts: Parts, cursor: string | null) {
  const { chain, deposits, upkeep } = parts
  const watched = yield* Effect.result(
    Effect.gen(function* () {
      const view = yield* limitTime(readingParts.view, "the latest blocks", chain.view)
      // A feed of deposits that stands still holds up no payout.
      const read = yield* Effect.result(limitTime(readingParts.deposits, "the deposits", deposits.watch(view)))
      yield* limitTime(readingParts.upkeep, "the open transactions", upkeep.round(view))
      if (read._tag === "Failure") return yield* read.failure
    })
  )
  const { next, reports } = yield* readReportsFrom(parts, parseReportNumber(cursor))
  const events = reports.flatMap(({ event }): ReadonlyArray<ProviderEvent> => (event === null ? [] : [event]))
  // What was reported before the chain could not be read is passed on first.
  if (watched._tag === "Failure" && events.length === 0) return yield* watched.failure
  return { events, cursor: String(next) }
})

/** Checks the values of the options. Errors: throws `TypeError` for an invalid one. */
export const checkOptionValues = (options: EvmOptions): void => void resolveConfig(options)

/** Builds the provider. Errors: dies with a `TypeError` for an option that cannot be used. */
export const makeProvider = Effect.fnUntraced(function* (options: EvmOptions) {
  /** Its records are under the first name that it had in the store. */
  const config = { ...resolveConfig(options), name: findBooksKey(yield* readRegistry, options) }
  const signer = yield* Signer
  const shared = { config, signer, chain: makeChain(config.chain), books: yield* openChainBooks(config.name) }

  let made: Parts | undefined
  /** The signer may be away at the start, so it is asked when it is needed first. */
  const parts: Effect.Effect<Parts, ProviderFault> = Effect.gen(function* () {
    if (made !== undefined) return made
    const key = yield* Effect.mapError(
      signer.publicKey(config.key_ref),
      (cause) => new ProviderFault({ message: `the hot wallet is unknown: ${cause.message}`, cause })
    )
    if (key.curve !== "secp256k1")
      return yield* new ProviderFault({ message: `the key ${config.key_ref} is one of ${key.curve}, not of secp256k1` })
    const wallet = publicKeyToAddress(bytesToHex(key.bytes)).toLowerCase() as Hex
    made ??= yield* assembleParts(shared, wallet)
    return made
  })

  const checked = Effect.tap(
    parts,
    retryUntilPassing(
      Effect.forEach(
        config.tokens,
        Effect.fnUntraced(function* ({ address, currency, decimals }) {
          const found = yield* shared.chain.decimals(address)
          if (found === decimals) return
          return yield* new ProviderFault({
            message: `tokens.${currency}.decimals is ${decimals}; the token has ${found}`
          })
        }),
        { discard: true }
      )
    )
  )

  /** Nothing is paid before the feed exists, which reports the outcome. */
  const paying = Effect.tap(checked, ({ deposits }) => deposits.ensure)

  return chainProvider(options, config, {
    identity: Effect.map(parts, ({ wallet }) => ({ id: `eip155:${config.chain_id}:${wallet}`, address: null })),
    cautions: listCautions(config),
    check: checkChain(shared),
    ready: () => Effect.flatMap(parts, ({ slots }) => slots.hasGas),
    payouts: {
      submit: (command) => Effect.flatMap(paying, ({ payments }) => payments.submit(command)),
      lookup: (command) => Effect.flatMap(parts, ({ payments }) => payments.lookup(command))
    },
    payins: {
      issue: (command) => Effect.flatMap(checked, (all) => issueDepositAddress(all, command)),
      refund: (command) => Effect.flatMap(paying, ({ payments }) => payments.refund(command)),
      lookupRefund: (command) => Effect.flatMap(parts, ({ payments }) => payments.lookupRefund(command))
    },
    statements: {
      balances: Effect.flatMap(parts, readBalances),
      lines: (after) => Effect.flatMap(parts, (all) => readLinesAfter(all, after))
    },
    addresses: {
      hot_wallet: Effect.map(parts, ({ wallet }) => toChecksumAddress(wallet)),
      owns: (network, address) =>
        network === config.network ? Effect.flatMap(parts, (all) => isOwnAddress(all, address)) : Effect.succeed(false),
      isToken: (network, address) =>
        network === config.network && config.tokens.some((token) => token.address === address.toLowerCase()),
      memoFault: (network, memo) => (network === config.network ? memoFault(network, memo) : null)
    },
    events: {
      after: (cursor) => Effect.flatMap(parts, (all) => readEventsAfter(all, cursor)),
      rescan: (from) => Effect.flatMap(parts, ({ deposits }) => deposits.rescan(from)),
      rescanning: Effect.flatMap(parts, ({ deposits }) => deposits.rescanning),
      lastBlock: Effect.flatMap(parts, ({ deposits }) => deposits.lastBlock),
      interval_ms: options.poll_ms ?? 5_000
    }
  })
})
