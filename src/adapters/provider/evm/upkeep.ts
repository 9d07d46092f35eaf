/** What keeps the hot wallet going: open transactions are settled, sent again, replaced or cancelled, and deposits swept. */
import { readData } from "../chain/books.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Clock, Effect } from "effect"
import type { Hex } from "viem"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { SigningRefused } from "../../../engine/ports/Signer.ts"
import type { Row } from "../../../engine/ports/Storage.ts"
import { type Contracts, deployer } from "./calls.ts"
import type { View } from "./chain.ts"
import { type EvmAddress, type Feed, type Slot, type EvmWallet } from "./entries.ts"
import { readingParts, startTimer } from "./times.ts"
import { makeListing } from "./listing.ts"
import { makeReopening } from "./reopening.ts"
import type { Settlement } from "./settlement.ts"
import { type SlotClaim, type EvmContext, type Draft, type Slots } from "./slots.ts"

/** Deposit addresses that one transaction empties. */
const sweptAtOnce = 40

/** Transactions that one round sends again: nodes take the others only after these. */
const pushedMax = 64

/** Transactions that are settled, or sent, at the same time. */
const concurrency = 8

/** Deposit addresses that one round looks at. */
const sweepLookedAt = 2000

const deploymentGas = 1_200_000
const sweepGas = 100_000
const sweepGasPerAddress = 150_000
const selfTransferGas = 21_000

const makeDeps = (context: EvmContext, slots: Slots, { settle }: Settlement, contracts: Contracts) => {
  const { books, chain, config, entries, wallet } = context
  const { listed, listedFrom } = makeListing(context)
  const { index, keys, writes } = entries
  const openSlots = Effect.map(listed("evm_slot", index.open), (rows) =>
    rows
      .map((row) => row.data as Slot)
      // Those of an earlier hot wallet belong to an adapter that has it.
      .filter((slot) => slot.wallet === wallet)
      .toSorted((a, b) => a.nonce - b.nonce)
  )
  return {
    slots,
    settle,
    contracts,
    books,
    chain,
    config,
    wallet,
    listedFrom,
    index,
    keys,
    writes,
    openSlots,
    reopen: makeReopening(context).reopen,
    sweepFrom: 0
  }
}
type Deps = ReturnType<typeof makeDeps>

/** Runs one piece of work, and logs its failure, so that it does not stop the others. The next round tries it again. */
const runLoggingFailure = <A, E, R>({ config }: Deps, work: Effect.Effect<A, E, R>, name: string) =>
  Effect.catch(work, (cause) =>
    Effect.logWarning(`${config.name}: ${name}: ${cause instanceof Error ? cause.message : String(cause)}`)
  )

/** Broadcasts a transaction again that no block has. The one with the next nonce is replaced if it has waited too long. */
const resendTransaction = Effect.fnUntraced(function* ({ config, slots }: Deps, slot: Slot, isNext: boolean) {
  const now = yield* Clock.currentTimeMillis
  const { again, is_void, transfer, waits_for = [] } = slot
  if (waits_for.length > 0) return
  const [first, last] = [slot.attempts[0], slot.attempts.at(-1)!]
  const { cancel_after_ms, replace_after_ms } = config
  const isOld = cancel_after_ms !== undefined && now - first.at >= cancel_after_ms
  // Of what was told before its block was replaced, only a success is to be true again.
  const isCancelled =
    again === undefined
      ? isOld || last.kind === "cancel"
      : transfer !== null && (is_void === true || again.told.result !== "done")
  const kind = isCancelled ? "cancel" : "call"
  const since = Math.max(last.at, again?.at ?? 0)
  // Only the next nonce can be stuck by its own price; the others wait for it.
  if (isNext && (now - since >= replace_after_ms || kind !== last.kind)) yield* slots.replace(slot, kind)
  if (kind === last.kind) yield* Effect.ignore(slots.broadcast(slot))
})

/** Settles the slots whose nonce is used by a final block, and broadcasts those again that no block has. */
const tendOpenSlots = Effect.fnUntraced(function* (deps: Deps, view: View) {
  const { openSlots, chain, wallet, settle } = deps
  const open = yield* openSlots
  const settled = yield* chain.count(wallet, view.final.number)
  const mined = yield* chain.nextNonce(wallet)
  const whileLeft = Effect.fnUntraced(function* (
    slots: ReadonlyArray<Slot>,
    work: (slot: Slot) => Effect.Effect<unknown, ProviderFault | SigningRefused>,
    what: string
  ) {
    const left = yield* startTimer(readingParts.upkeep / 3)
    yield* Effect.forEach(
      slots,
      Effect.fnUntraced(function* (slot, at) {
        if (at === 0 || (yield* left))
          yield* runLoggingFailure(deps, work(slot), `nonce ${slot.nonce} cannot be ${what}`)
      }),
      { concurrency, discard: true }
    )
  })
  const final = open.filter(({ nonce }) => nonce < settled)
  const waiting = open.filter(({ nonce }) => nonce >= mined).slice(0, pushedMax)
  yield* whileLeft(waiting, (slot) => resendTransaction(deps, slot, slot.nonce === mined), "sent")
  yield* whileLeft(final, (slot) => settle(slot, view), "settled")
  if (!open.some(({ nonce }) => nonce === mined)) yield* fillNonceGap(deps, mined, settled)
})

/**
 * Fills a gap: a nonce that no transaction uses, and that later ones wait for. It occurs when a foreign transaction had used the
 * nonce, and a reorganisation removed that transaction for good. A nonce of ours that was settled is opened again.
 */
const fillNonceGap = Effect.fnUntraced(function* (deps: Deps, nonce: number, settled: number) {
  const { books, keys, reopen, wallet } = deps
  const [row, taken] = yield* Effect.all([books.get([keys.wallet]), books.get([keys.slot(nonce)])])
  const known = readData<EvmWallet>(row[0])
  const ended = readData<Slot>(taken[0])
  if (known === undefined || nonce >= known.next_nonce || settled !== nonce) return
  // It was settled in a block that was final and was replaced, which the feed has not read yet.
  if (ended?.outcome) return yield* reopen(ended.outcome.block - 1, () => true)
  if (ended !== undefined) return
  const draft: Draft = {
    purpose: "fill",
    work_id: `fill:${nonce}`,
    call: { to: wallet, data: "0x", gas: selfTransferGas },
    transfer: null,
    sweep: null
  }
  yield* sendUpkeepTransaction(deps, draft, [], () => ({ _tag: "go", entries: () => [] }), nonce)
})

const sendUpkeepTransaction = Effect.fnUntraced(function* (
  { slots }: Deps,
  draft: Draft,
  work: Parameters<typeof slots.allocate>[1],
  claim: (rows: ReadonlyArray<Row | undefined>) => SlotClaim<null>,
  nonce?: number
) {
  const allocation = yield* slots.allocate(draft, work, claim, nonce)
  if (allocation._tag === "recorded") yield* slots.broadcast(allocation.slot)
})

/** Deploys the factory of deposit contracts once, unless that is under way. */
const deployFactory = Effect.fnUntraced(function* (deps: Deps) {
  const { contracts, openSlots } = deps
  const work_id = `deploy:${contracts.factory}`
  if ((yield* openSlots).some((slot) => slot.work_id === work_id)) return
  const draft: Draft = {
    purpose: "deploy",
    work_id,
    call: { to: deployer, data: contracts.deployment, gas: deploymentGas },
    transfer: null,
    sweep: null
  }
  yield* sendUpkeepTransaction(deps, draft, [], () => ({ _tag: "go", entries: () => [] }))
})

/** Sweeps one token of deposit addresses into the hot wallet. */
const sweepToken = Effect.fnUntraced(function* (deps: Deps, token: Hex, chosen: ReadonlyArray<EvmAddress>) {
  const { contracts, keys, writes } = deps
  const addresses = chosen.map(({ address }) => address)
  const draft: Draft = {
    purpose: "sweep",
    work_id: `sweep:${chosen[0]!.address}`,
    call: {
      to: contracts.factory,
      data: contracts.flushCall(
        chosen.map(({ salt }) => salt),
        token
      ),
      gas: sweepGas + sweepGasPerAddress * chosen.length
    },
    transfer: null,
    sweep: { token, addresses }
  }
  yield* sendUpkeepTransaction(deps, draft, addresses.map(keys.address), (rows) => {
    const current = rows.map((row) => readData<EvmAddress>(row))
    if (current.some((one) => one === undefined || one.sweeping !== null)) return { _tag: "stop", result: null }
    return {
      _tag: "go",
      entries: (nonce) =>
        current.flatMap((one) => (one === undefined ? [] : writes.address({ ...one, sweeping: nonce })))
    }
  })
})

const sweepDepositAddresses = Effect.fnUntraced(function* (deps: Deps, { head }: View) {
  const { listedFrom, index, books, keys, wallet, config, chain, contracts } = deps
  const now = yield* Clock.currentTimeMillis
  const rows = yield* listedFrom("evm_address", index.unswept, deps.sweepFrom, sweepLookedAt)
  // Addresses with less than the minimum stay in the list, so each round looks at other ones.
  deps.sweepFrom = rows.length < sweepLookedAt ? 0 : deps.sweepFrom + rows.length
  const [feedRow] = yield* books.get([keys.feed])
  const passed = readData<Feed>(feedRow)?.final.number ?? 0
  const waiting = rows
    .map((row) => row.data as EvmAddress)
    .filter(
      ({ destination, sweep_after, sweeping, swept_at = 0 }) =>
        // Until the feed has passed the last sweep, nobody knows what is left.
        destination === wallet && sweeping === null && sweep_after <= now && swept_at <= passed
    )
  const works = config.tokens
    .map(({ address, sweep_minimum }) => ({
      token: address,
      chosen: waiting
        .filter(
          ({ unswept }) => BigInt(unswept[address] ?? "0") >= sweep_minimum && BigInt(unswept[address] ?? "0") > 0n
        )
        .slice(0, sweptAtOnce)
    }))
    .filter(({ chosen }) => chosen.length > 0)
  const [work] = works
  if (work === undefined) return
  if (!(yield* chain.hasCode(contracts.factory, head.number))) return yield* deployFactory(deps)
  for (const { chosen, token } of works) yield* sweepToken(deps, token, chosen)
})

/** Runs one round of upkeep: open transactions, then sweeps. It never fails; work that failed is done in a later round. */
const runUpkeepRound = Effect.fnUntraced(function* (deps: Deps, view: View) {
  yield* runLoggingFailure(deps, tendOpenSlots(deps, view), "open transactions")
  yield* runLoggingFailure(deps, sweepDepositAddresses(deps, view), "sweeps")
})

export const makeUpkeep = (context: EvmContext, slots: Slots, given: Settlement, contracts: Contracts) => {
  const deps = makeDeps(context, slots, given, contracts)

  return bindFirst(deps, { round: runUpkeepRound })
}
