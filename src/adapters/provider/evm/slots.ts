/**
 * Gives nonces of the hot wallet to transactions.
 *
 * A transaction is signed first, and then recorded together with its nonce and the work that it is for, in one decision over
 * the books. It is broadcast last. A signature that loses the race for its nonce is forgotten: nobody else has it. So there is
 * no nonce without a transaction, and no broadcast transaction without a record.
 */
import { readData, type ChainBooks } from "../chain/books.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Clock, Effect, Semaphore } from "effect"
import { bytesToHex, type Hex, hexToBytes, keccak256, serializeTransaction } from "viem"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Signer, SigningIntent, SigningRefused } from "../../../engine/ports/Signer.ts"
import type { Row } from "../../../engine/ports/Storage.ts"
import type { EntryWrite } from "../books.ts"
import { formatTokenAmount } from "../chain/tokens.ts"
import type { EvmChain } from "./chain.ts"
import { type EvmConfig, toChecksumAddress } from "./config.ts"
import { submissionParts, startTimer, limitTime } from "./times.ts"
import {
  type EvmAttempt,
  type Entries,
  type EvmKey,
  newWallet,
  type Slot,
  addToSum,
  type EvmTransfer,
  type EvmWallet
} from "./entries.ts"

/** Lost races after which a transaction is given up. Each means that another node has made progress. */
const racesMax = 30

const selfTransferGas = 21_000

/** What the adapter's parts share. */
export interface EvmContext {
  readonly config: EvmConfig
  readonly chain: EvmChain
  readonly books: ChainBooks
  readonly signer: Signer["Service"]
  readonly wallet: Hex
  readonly entries: Entries
}

/** The transaction that a piece of work needs. */
export interface Draft {
  readonly purpose: Slot["purpose"]
  readonly work_id: string
  readonly call: Slot["call"]
  readonly transfer: EvmTransfer | null
  readonly sweep: Slot["sweep"]
}

/**
 * What a piece of work decides when it gets a nonce. `stop`: it needs none, with the result. `go`: the entries to write with
 * the slot.
 */
export type SlotClaim<A> =
  | { readonly _tag: "stop"; readonly result: A }
  | { readonly _tag: "go"; readonly entries: (nonce: number) => ReadonlyArray<EntryWrite<EvmKey>> }

/**
 * The result of an allocation. `dear`: gas costs more than the limit, or than the wallet has. `poor`: too few tokens. `late`: its turn did
 * not come in time. Of these, nothing is signed.
 */
export type Allocation<A> =
  | { readonly _tag: "stopped"; readonly result: A }
  | { readonly _tag: "recorded"; readonly slot: Slot }
  | { readonly _tag: "dear" }
  | { readonly _tag: "poor" }
  | { readonly _tag: "late" }

const pickLarger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** A transaction that offers so many times what the network asks for is not stuck by its price. */
const plenty = 8n

/** Raises a fee for a replacement transaction: nodes require at least 10 % more of each fee. */
const raiseFee = (fee: string): bigint => (BigInt(fee) * 1125n) / 1000n + 1n

/** What the chain has for allocations. It was read after the first `for` of them had begun. */
interface Found {
  readonly for: number
  readonly final: number
  readonly base: bigint
  readonly tip: bigint
  readonly max: bigint
  readonly gas: bigint
  readonly nonce: number
  /** The wallet's balances in the state of the final block. */
  readonly tokens: Map<Hex, bigint>
}

const makeDeps = ({ books, chain, config, entries, signer, wallet }: EvmContext) =>
  Effect.gen(function* () {
    const { keys, writes } = entries
    /** One allocation at a time in a process: parallel ones would sign for the same nonce. */
    const one = yield* Semaphore.make(1)
    /** What the network asks for, with room for a base fee that doubles. */
    const wanted = Effect.map(chain.fees, ({ base, tip }) => ({ base, tip, max: base * 2n + tip }))
    return {
      books,
      chain,
      config,
      signer,
      wallet,
      keys,
      writes,
      one,
      wanted,
      /** The number of allocations that have begun. */
      begun: 0,
      found: undefined as Found | undefined
    }
  })
type Deps = Effect.Success<ReturnType<typeof makeDeps>>

const signAttempt = Effect.fnUntraced(function* (
  { config, wallet, signer }: Deps,
  kind: EvmAttempt["kind"],
  nonce: number,
  call: Slot["call"],
  fees: { readonly max: bigint; readonly tip: bigint },
  intent: SigningIntent
): Effect.fn.Return<EvmAttempt, ProviderFault | SigningRefused> {
  const transaction = {
    type: "eip1559",
    chainId: config.chain_id,
    nonce,
    maxFeePerGas: fees.max,
    maxPriorityFeePerGas: fees.tip,
    ...(kind === "cancel"
      ? { to: wallet, data: "0x" as const, gas: BigInt(selfTransferGas) }
      : { to: call.to, data: call.data, gas: BigInt(call.gas) })
  } as const
  const digest = hexToBytes(keccak256(serializeTransaction(transaction)))
  const signature = yield* signer
    .sign(config.key_ref, "secp256k1", digest, intent)
    .pipe(
      Effect.catchTag("SignerFault", (cause) =>
        Effect.fail(new ProviderFault({ message: `the hot wallet cannot sign: ${cause.message}`, cause }))
      )
    )
  const raw = serializeTransaction(transaction, {
    r: bytesToHex(signature.subarray(0, 32)),
    s: bytesToHex(signature.subarray(32, 64)),
    yParity: signature[64]!
  })
  const at = yield* Clock.currentTimeMillis
  return { hash: keccak256(raw), raw, max_fee: fees.max.toString(), tip: fees.tip.toString(), kind, at }
})

const broadcastLatestAttempt = ({ chain }: Deps, { attempts }: Slot) => chain.broadcast(attempts.at(-1)!)

/** Makes the intent that the signer's policy is asked about. A cancellation, a sweep and a nonce fill pay nobody outside. */
const toIntent = (
  { config, wallet }: Deps,
  { purpose, transfer, work_id }: Draft,
  kind: EvmAttempt["kind"]
): SigningIntent => {
  const token = config.tokens.find(({ address }) => address === transfer?.token)
  const decimals = transfer?.decimals ?? token?.decimals
  if (kind === "cancel" || transfer === null || decimals === undefined) {
    const nobody = { amount: "0", currency: config.native, destination: toChecksumAddress(wallet) }
    return { command_id: work_id, purpose: kind === "cancel" ? "cancel" : purpose, ...nobody }
  }
  const currency = token?.currency ?? transfer.currency
  const amount = formatTokenAmount(BigInt(transfer.amount), decimals)
  return { command_id: work_id, purpose, amount, currency, destination: toChecksumAddress(transfer.to) }
}

/**
 * Reads the state of the chain that an allocation of a nonce needs: the final block, the next nonce, the fees and the coins of the hot wallet.
 * Its tokens are read by {@link readAllocationStateSince}, when a transfer needs them.
 */
const readAllocationState = (deps: Deps): Effect.Effect<Found, ProviderFault> =>
  Effect.gen(function* () {
    const { begun, chain, wallet, wanted } = deps
    const { final } = yield* chain.view
    const [fees, gas, nonce] = yield* Effect.all([wanted, chain.coins(wallet), chain.nextNonce(wallet)], {
      concurrency: 3
    })
    return { for: begun, final: final.number, ...fees, gas, nonce, tokens: new Map() }
  })

/**
 * Reads that state after the allocation `ticket` had begun: one reading serves all allocations that wait for their turn. Payments
 * decided since then are in the state store, with which `decideAllocation` compares it.
 */
const readAllocationStateSince = Effect.fnUntraced(function* (
  deps: Deps,
  ticket: number,
  transfer: EvmTransfer | null
) {
  if (deps.found === undefined || deps.found.for < ticket) deps.found = yield* readAllocationState(deps)
  const { final, tokens } = deps.found
  if (transfer !== null && !tokens.has(transfer.token))
    tokens.set(transfer.token, yield* deps.chain.tokenBalance(transfer.token, deps.wallet, final))
  return { ...deps.found, held: transfer === null ? 0n : tokens.get(transfer.token)! }
})

/**
 * Decides whether a slot is recorded with the work that it is for. A result of undefined: another node took the nonce, or settled
 * payments at a later block than that of the balance, which may then count them twice.
 */
const decideAllocation = <A>(
  { config, writes }: Deps,
  slot: Slot,
  { gas, max, tokens }: { readonly gas: bigint; readonly max: bigint; readonly tokens: bigint },
  found: { readonly walletRow: Row | undefined; readonly taken: Row | undefined; readonly claimed: SlotClaim<A> }
): { readonly entries: ReadonlyArray<EntryWrite<EvmKey>>; readonly result: Allocation<A> | undefined } => {
  const nothing = (result: Allocation<A> | undefined) => ({ entries: [], result })
  const { claimed, taken } = found
  if (claimed._tag === "stop") return nothing({ _tag: "stopped", result: claimed.result })
  const known = readData<EvmWallet>(found.walletRow) ?? newWallet
  const { nonce, purpose, transfer } = slot
  const isFill = purpose === "fill"
  if (taken !== undefined || (!isFill && known.next_nonce > nonce) || known.settled_at > slot.from_block)
    return nothing(undefined)
  const need = (BigInt(known.open) * BigInt(config.transfer_gas) + BigInt(slot.call.gas)) * max
  if (gas < need) return nothing({ _tag: "dear" })
  const free = transfer === null ? 0n : tokens - BigInt(known.committed[transfer.token] ?? "0")
  if (transfer !== null && free < BigInt(transfer.amount)) return nothing({ _tag: "poor" })
  const next: EvmWallet = {
    ...known,
    next_nonce: Math.max(known.next_nonce, nonce + 1),
    open: known.open + 1,
    committed: transfer === null ? known.committed : addToSum(known.committed, transfer.token, BigInt(transfer.amount))
  }
  return {
    entries: [writes.slot(slot), writes.wallet(next), ...claimed.entries(nonce)],
    result: { _tag: "recorded", slot }
  }
}

/**
 * Signs and records a transaction with the next nonce, unless `claim` stops it, the wallet lacks tokens or gas, or the time is
 * used up by others. It is not broadcast yet. `nonceOfFill`: this nonce and no other, to fill a gap.
 *
 * Errors: `ProviderFault`: nothing that could be broadcast exists, unless the store lost its answer. `SigningRefused`: definite.
 */
const signAndRecord = <A>(
  deps: Deps,
  draft: Draft,
  keysOfWork: ReadonlyArray<EvmKey>,
  claim: (rows: ReadonlyArray<Row | undefined>) => SlotClaim<A>,
  nonceOfFill?: number
): Effect.Effect<Allocation<A>, ProviderFault | SigningRefused> =>
  Effect.gen(function* () {
    const ticket = ++deps.begun
    const hasTime = yield* startTimer(submissionParts.turn)
    const inTurn = Effect.gen(function* () {
      if (!(yield* hasTime)) return { _tag: "late" } as const
      for (let race = 0; race < racesMax; race++) {
        const {
          base,
          final,
          gas,
          held,
          max: wanted,
          nonce: next,
          tip
        } = yield* limitTime(
          submissionParts.chain,
          "the state of the wallet",
          readAllocationStateSince(deps, race === 0 ? ticket : ++deps.begun, draft.transfer)
        )
        const { max_fee } = deps.config
        if (max_fee !== undefined && base + tip > max_fee) return { _tag: "dear" } as const
        const max = max_fee !== undefined && wanted > max_fee ? max_fee : wanted

        const read = yield* deps.books.get([deps.keys.wallet, ...keysOfWork])
        const rowOf = (key: EvmKey) => read.find((row) => row.kind === key.kind && row.id === key.id)
        const claimed = claim(keysOfWork.map(rowOf))
        if (claimed._tag === "stop") return { _tag: "stopped", result: claimed.result } as const
        const known = readData<EvmWallet>(rowOf(deps.keys.wallet)) ?? newWallet
        const nonce = nonceOfFill ?? Math.max(known.next_nonce, next)
        const slot: Slot = {
          ...draft,
          name: deps.config.name,
          wallet: deps.wallet,
          nonce,
          attempts: [yield* signAttempt(deps, "call", nonce, draft.call, { max, tip }, toIntent(deps, draft, "call"))],
          from_block: final,
          outcome: null
        }
        const allocation = yield* deps.books.amend(
          [deps.keys.wallet, deps.keys.slot(nonce), ...keysOfWork],
          ([walletRow, taken, ...rows]) =>
            decideAllocation(deps, slot, { max, gas, tokens: held }, { walletRow, taken, claimed: claim(rows) })
        )
        if (allocation !== undefined) return allocation
        if (nonceOfFill !== undefined) break
      }
      return yield* new ProviderFault({ message: `${racesMax} nonces were taken by other nodes` })
    })
    return yield* deps.one.withPermit(inTurn)
  })

/**
 * Signs the slot again with higher fees, records it and broadcasts it. All earlier hashes stay on record. Does nothing when the
 * fees may not rise, or are high enough, or when another node has signed meanwhile.
 */
const replaceTransaction = Effect.fnUntraced(function* (deps: Deps, slot: Slot, kind: EvmAttempt["kind"]) {
  const { wanted, config, books, keys, writes, chain } = deps
  const last = slot.attempts.at(-1)!
  const fees = yield* wanted
  const isAmple = BigInt(last.max_fee) >= fees.max * plenty && BigInt(last.tip) >= fees.tip * plenty
  if (kind === last.kind && isAmple) return
  const tip = pickLarger(fees.tip, raiseFee(last.tip))
  const max = pickLarger(pickLarger(fees.max, raiseFee(last.max_fee)), tip)
  if (config.max_fee !== undefined && max > config.max_fee) return
  const signed = yield* signAttempt(deps, kind, slot.nonce, slot.call, { max, tip }, toIntent(deps, slot, kind))
  const isRecorded = yield* books.amend([keys.slot(slot.nonce)], ([row]) => {
    const now = readData<Slot>(row)
    if (now === undefined || now.outcome !== null || now.attempts.length !== slot.attempts.length)
      return { entries: [], result: false }
    const [first, ...others] = now.attempts
    return { entries: [writes.slot({ ...now, attempts: [first, ...others, signed] })], result: true }
  })
  if (isRecorded) yield* chain.broadcast(signed)
})

export const makeSlots = (given: EvmContext) =>
  Effect.gen(function* () {
    const deps = yield* makeDeps(given)
    const { wanted, chain, wallet, config } = deps

    return {
      ...bindFirst(deps, { broadcast: broadcastLatestAttempt, replace: replaceTransaction }),

      /** Whether the wallet has the gas of one more transfer at the price that the network asks for, within the limit. */
      hasGas: Effect.gen(function* () {
        const [{ base, max, tip }, gas] = yield* Effect.all([wanted, chain.coins(wallet)], { concurrency: 2 })
        const isDear = config.max_fee !== undefined && base + tip > config.max_fee
        return !isDear && gas >= BigInt(config.transfer_gas) * max
      }),

      allocate: <A>(
        draft: Draft,
        keysOfWork: ReadonlyArray<EvmKey>,
        claim: (rows: ReadonlyArray<Row | undefined>) => SlotClaim<A>,
        nonceOfFill?: number
      ) => signAndRecord(deps, draft, keysOfWork, claim, nonceOfFill)
    }
  })

export type Slots = Effect.Success<ReturnType<typeof makeSlots>>
