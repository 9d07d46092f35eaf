/**
 * Simulations of the reader of EVM deposits over a chain in memory, one per seed: `npm run simulate:chain -- --seeds 2000`, or
 * `-- --seed 7`. Blocks are mined and replaced, by ones that may have the same transactions with another effect, strangers empty the addresses, and the node lists logs twice, as removed, in part or
 * not at all, lags behind, fails, cannot give one block, and is a balancer with a machine on another fork behind it. Two nodes of
 * Corridor read it, by turns and at once, and end between any two decisions.
 *
 * Law: whatever it answers, what is credited is what the final blocks up to the feed's paid, each transfer once; once it answers
 * right, all of them are, and the books of an address say what it holds. Of every third seed, final blocks are replaced too: then what is credited is right in the end.
 * Each event and each line has an id of its own, also of a deposit that is confirmed and taken back several times.
 * Of every other seed, the token keeps 2 % of what a recipient gets, and its logs state the whole amount: what arrived is credited. Nodes of some
 * of them have no state of blocks before the final one.
 */
import { parseArgs } from "node:util"
import { Effect, Layer } from "effect"
import { decodeAbiParameters, type Hex, keccak256, numberToHex, padHex, stringToHex } from "viem"
import { type ChainBooks, readData, openChainBooks } from "../../src/adapters/provider/chain/books.ts"
import { transferTopic } from "../../src/adapters/provider/evm/calls.ts"
import { makeChain } from "../../src/adapters/provider/evm/chain.ts"
import { resolveConfig } from "../../src/adapters/provider/evm/config.ts"
import { balances } from "../../src/adapters/provider/evm/contracts/artifact.ts"
import { type EvmDeposits, makeDeposits } from "../../src/adapters/provider/evm/deposits.ts"
import { type EvmAddress, makeEntries, type Feed, type EvmReport } from "../../src/adapters/provider/evm/entries.ts"
import type { EvmContext } from "../../src/adapters/provider/evm/slots.ts"
import { MemoryStorage } from "../../src/adapters/storage/memory.ts"
import { JobNotifier } from "../../src/engine/ports/JobNotifier.ts"

const confirmations = 4
const steps = 60

const addressOf = (n: number): Hex => padHex(numberToHex(n), { size: 20 })
const token = addressOf(0xaaaa)
const wallet = addressOf(0xbbbb)
const ours: ReadonlyArray<Hex> = [addressOf(1), addressOf(2), addressOf(3)]
const strangers: ReadonlyArray<Hex> = [addressOf(0x101), addressOf(0x102)]
const hashOf = (text: string): Hex => keccak256(stringToHex(text))

interface Transfer {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
}

interface Transaction {
  readonly hash: Hex
  readonly from: Hex
  readonly nonce: number
  readonly transfers: ReadonlyArray<Transfer>
  /** The address that it empties into the wallet, with what it has when the transaction is mined. */
  readonly empties?: Hex
}

interface Block {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  readonly transactions: ReadonlyArray<Transaction>
}

/** A sequence that depends on its seed only. */
const seeded = (seed: number) => {
  let state = (seed * 2_654_435_761) | 0
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

type Random = ReturnType<typeof seeded>

/** What a recipient of a transfer gets. */
type Tax = (value: bigint) => bigint
const whole: Tax = (value) => value
const taxed: Tax = (value) => value - (value * 2n) / 100n

const heldIn = (blocks: ReadonlyArray<Pick<Block, "transactions">>, owner: Hex, got: Tax): bigint =>
  blocks
    .flatMap(({ transactions }) => transactions.flatMap(({ transfers }) => transfers))
    .reduce((sum, { from, to, value }) => sum + (to === owner ? got(value) : 0n) - (from === owner ? value : 0n), 0n)

/** The chain. Amounts are such that the tax leaves whole units. */
const makeModel = (random: Random, got: Tax) => {
  let made = 0
  let nonce = 0
  const blocks: Array<Block> = []
  let waiting: Array<Transaction> = []
  /** What a reorganisation removed, and no block took again. */
  let lost: Array<Transaction> = []
  const appendTo = (chain: Array<Block>, given: ReadonlyArray<Transaction>): void => {
    const transactions: Array<Transaction> = []
    for (const one of given) {
      const { empties } = one
      const value = empties === undefined ? 0n : heldIn(chain, empties, got) + heldIn([{ transactions }], empties, got)
      transactions.push(empties === undefined ? one : { ...one, transfers: [{ from: empties, to: wallet, value }] })
    }
    chain.push({
      number: chain.length,
      hash: hashOf(`block ${made++}`),
      parentHash: chain.at(-1)?.hash ?? hashOf("nothing"),
      transactions
    })
  }
  const append = (given: ReadonlyArray<Transaction>): void => appendTo(blocks, given)
  append([])
  const paying = (): Transaction => {
    const to = [...ours, ...strangers]
    const drawn = (): Transfer => ({ from: strangers[0]!, to: to[random(to.length)]!, value: 100n * BigInt(random(4)) })
    const transfer = drawn()
    const transfers = Array.from({ length: 1 + random(3) }, () => (random(2) === 0 ? transfer : drawn()))
    return { hash: hashOf(`transaction ${made++}`), from: strangers[0]!, nonce: nonce++, transfers }
  }
  /** A transaction as another block has it. */
  const again = (one: Transaction): Transaction => {
    const change = random(8)
    if (change === 0) return { ...one, transfers: [] }
    return change > 1 ? one : { ...one, transfers: one.transfers.map((of) => ({ ...of, value: of.value + 100n })) }
  }
  const pay = (): void => void waiting.push(paying())
  const mine = (): void => {
    append(waiting)
    waiting = []
  }
  return {
    got,
    blocks,
    pay,
    mine,
    /** Sends what was lost, after all. */
    sendAgain: (): void => {
      waiting.push(...lost)
      lost = []
    },
    /** A stranger empties an address. */
    empty: (): void => {
      const empties = ours[random(ours.length)]!
      waiting.push({
        hash: hashOf(`transaction ${made++}`),
        from: strangers[1]!,
        nonce: nonce++,
        transfers: [],
        empties
      })
    },
    /** Another chain from one of the last blocks on, which ends before the final block and pays our addresses. */
    forked: (): ReadonlyArray<Block> => {
      const final = Math.max(0, blocks.length - confirmations)
      const chain = blocks.slice(0, Math.max(1, final - random(12)))
      while (chain.length < final) appendTo(chain, random(2) === 0 ? [] : [paying()])
      return chain
    },
    /** Replaces blocks, as many as `most`. Their transactions are mined again, most of them, and some bring nothing then, or another amount. */
    reorganize: (most = confirmations - 1): void => {
      const depth = Math.min(1 + random(most), blocks.length - 1)
      const removed = blocks.splice(blocks.length - depth).flatMap(({ transactions }) => transactions)
      const kept = removed.filter(() => random(5) > 0)
      lost.push(...removed.filter((one) => !kept.includes(one)))
      waiting = [...kept.map(again), ...waiting]
      for (let n = 0; n <= depth; n++) (n === random(depth + 1) ? mine : () => append([]))()
    },
    finalNumber: (): number => Math.max(0, blocks.length - confirmations)
  }
}

type Model = ReturnType<typeof makeModel>

const logsOf = (block: Block): ReadonlyArray<Record<string, unknown>> =>
  block.transactions
    .flatMap(({ hash, transfers }) => transfers.map((transfer) => ({ hash, ...transfer })))
    .filter(({ value }) => value > 0n || block.number % 2 === 0)
    .map(({ from, hash, to, value }, index) => ({
      address: token,
      topics: [transferTopic, padHex(from, { size: 32 }), padHex(to, { size: 32 })],
      data: numberToHex(value, { size: 32 }),
      transactionHash: hash,
      blockHash: block.hash,
      blockNumber: numberToHex(block.number),
      logIndex: numberToHex(index),
      removed: false
    }))

const moods = [
  "honest",
  "twice",
  "removed",
  "empty",
  "partial",
  "lagging",
  "failing",
  "stuck",
  "balancer",
  "any"
] as const
type Mood = (typeof moods)[number]

/** A node of the chain. Its mood says how it answers. */
const makeNode = (model: Model, random: Random, isPruned: boolean) => {
  const node = { mood: "honest" as Mood, stuck: 0, fork: [] as ReadonlyArray<Block> }
  /** What leaves our addresses is always listed: the balances do not show that a deposit and its way out are both missing. */
  const isOut = ({ topics }: Record<string, unknown>): boolean =>
    ours.some((one) => padHex(one, { size: 32 }) === (topics as ReadonlyArray<Hex>)[1])
  const listed = (logs: ReadonlyArray<Record<string, unknown>>): unknown => {
    const mood = node.mood === "any" ? moods[random(moods.length)]! : node.mood
    if (mood === "twice") return random(2) === 0 ? [...logs, ...logs] : logs.flatMap((log) => [log, log])
    // A removed log may have a place of its own, which it had before.
    if (mood === "removed")
      return [
        ...logs,
        ...logs.map((log, n) => ({ ...log, logIndex: numberToHex(n + 1000 * random(2)), removed: true }))
      ]
    if (mood === "empty") return logs.filter(isOut)
    if (mood === "partial") return logs.filter((log) => isOut(log) || random(3) > 0)
    return logs
  }
  const answer = (method: string, [first, second]: ReadonlyArray<any>): unknown => {
    const { blocks } = model
    const isLagging = node.mood === "lagging" && random(3) === 0
    // The machine on the other fork has none of the latest blocks, and is not asked for them.
    const isForeign = node.mood === "balancer" && first !== "latest" && random(2) === 0
    const known = isForeign
      ? [...node.fork, ...blocks.slice(node.fork.length)]
      : isLagging
        ? blocks.slice(0, Math.max(1, blocks.length - 1 - random(6)))
        : blocks
    if (node.mood === "stuck" && method === "eth_getBlockByNumber" && Number(first) === node.stuck)
      throw new Error("the block cannot be read")
    if (node.mood === "failing" && random(4) === 0) throw new Error("the node is away")
    if (method === "eth_chainId") return "0x1"
    if (method === "eth_getBlockByNumber") {
      const block = first === "latest" ? known.at(-1) : known[Number(first)]
      return block === undefined
        ? null
        : {
            number: numberToHex(block.number),
            hash: block.hash,
            parentHash: block.parentHash,
            timestamp: "0x1",
            transactions: block.transactions.map(({ hash }) => hash)
          }
    }
    if (method === "eth_getLogs") {
      if (first.blockHash === undefined)
        return listed(known.slice(Number(first.fromBlock), Number(first.toBlock) + 1).flatMap(logsOf))
      const block = known.find(({ hash }) => hash === first.blockHash)
      if (block === undefined) throw new Error("unknown block")
      return listed(logsOf(block))
    }
    if (method === "eth_getTransactionByHash") {
      const found = known.flatMap(({ transactions }) => transactions).find(({ hash }) => hash === first)
      return found === undefined ? null : { from: found.from, nonce: numberToHex(found.nonce) }
    }
    if (method === "eth_getTransactionReceipt") {
      const block = known.find(({ transactions }) => transactions.some(({ hash }) => hash === first))
      const mined = { blockHash: block?.hash, blockNumber: numberToHex(block?.number ?? 0), status: "0x1" }
      return block === undefined
        ? null
        : {
            ...mined,
            transactionHash: first,
            logs: logsOf(block).filter(({ transactionHash }) => transactionHash === first),
            gasUsed: "0x1",
            effectiveGasPrice: "0x1"
          }
    }
    if (method === "eth_getTransactionCount") return "0x0"
    if (method !== "eth_call") throw new Error(`${method} is not known`)
    // A machine on another fork has no state of blocks that are not on it.
    const mined = isForeign ? node.fork : known
    const at = mined.findIndex(({ hash }) => hash === second.blockHash)
    if (at === -1) throw new Error("header not found")
    if (isPruned && at < model.finalNumber()) throw new Error("missing trie node")
    const data = `0x${String(first.data).slice(balances.bytecode.length)}` as Hex
    const [, owners] = decodeAbiParameters([{ type: "address" }, { type: "address[]" }], data)
    const words = owners.map((owner) => {
      const held = heldIn(mined.slice(0, at + 1), owner.toLowerCase() as Hex, model.got)
      return numberToHex(held, { size: 32 }).slice(2)
    })
    return `0x${words.join("")}`
  }
  return Object.assign(node, {
    request: async (method: string, params: ReadonlyArray<unknown>) => answer(method, params)
  })
}

/** The transfers to our addresses in blocks up to one, as text, in order. */
const expectedOf = (model: Model, last = model.finalNumber()): ReadonlyArray<string> =>
  model.blocks
    .slice(0, last + 1)
    .flatMap(({ transactions }) => transactions)
    .flatMap(({ hash, transfers }) =>
      transfers
        .filter(({ to, value }) => value > 0n && ours.includes(to))
        .map(({ to, value }) => `${hash} ${to} ${model.got(value)}`)
    )
    .toSorted()

/** Whether each element of a list is in another one, as often. */
const isWithin = (some: ReadonlyArray<string>, all: ReadonlyArray<string>): boolean => {
  const left = new Map<string, number>()
  for (const one of all) left.set(one, (left.get(one) ?? 0) + 1)
  return some.every((one) => {
    const n = left.get(one) ?? 0
    left.set(one, n - 1)
    return n > 0
  })
}

export interface Options {
  /** Whether the balances of the addresses are compared, as they are by default. */
  readonly balance_proof?: boolean
}

/** Runs one simulation. Returns what broke the law, or null. */
export const simulateFeed = (seed: number, { balance_proof = true }: Options = {}): Promise<string | null> =>
  Effect.gen(function* () {
    const random = seeded(seed)
    const isDeep = seed % 3 === 0
    const model = makeModel(random, balance_proof && seed % 2 === 1 ? taxed : whole)
    const node = makeNode(model, random, seed % 10 === 1)
    for (let n = 0; n < confirmations; n++) model.mine()
    const config = resolveConfig({
      name: "sim",
      chain_id: 1,
      network: "ethereum",
      rpc_urls: ["http://127.0.0.1"],
      tokens: { USDC: { address: token, decimals: 0, balance_proof } },
      hot_wallet: "hot",
      confirmations,
      // What is removed with a final block is taken back at once.
      ...(isDeep ? { gone_after_ms: 0 } : {}),
      block_range: 1 + random(5)
    })
    const chain = makeChain(
      config.chain,
      () => (({ method, params = [] }: any) => node.request(method, params)) as never
    )
    const books = yield* openChainBooks("sim")
    const entries = makeEntries(config, wallet)
    /** Decisions that are still made before the process ends. */
    let lives = Number.POSITIVE_INFINITY
    const mortal: ChainBooks = {
      ...books,
      amend: (keys, decide) => Effect.suspend(() => (lives-- > 0 ? books.amend(keys, decide) : Effect.interrupt))
    }
    const context = { config, chain, books: mortal, entries, wallet } as unknown as EvmContext
    // Two nodes of Corridor read one chain, by turns and at once.
    const nodes = [makeDeposits(context), makeDeposits(context)]
    const readBy = (some: ReadonlyArray<EvmDeposits>) =>
      Effect.forEach(
        some,
        (deposits) => Effect.suspend(() => Effect.exit(Effect.flatMap(chain.view, deposits.watch))),
        { concurrency: "unbounded", discard: true }
      )
    yield* nodes[0]!.ensure
    for (const address of ours) {
      const fresh: EvmAddress = {
        address,
        salt: "0x",
        destination: wallet,
        merchant_id: "mer_a",
        resource_id: address,
        unswept: {},
        sweeping: null,
        sweep_after: 0,
        failures: 0
      }
      yield* books.amend([entries.keys.address(address)], () => ({
        entries: [entries.writes.address(fresh)],
        result: 0
      }))
    }
    /** What is credited and not taken back, and the block up to which the feed says so. */
    const credited = Effect.gen(function* () {
      const [row] = yield* books.get([entries.keys.feed])
      const { final, next } = readData<Feed>(row)!
      const rows = yield* books.get(Array.from({ length: next }, (_, n) => entries.keys.report(n)))
      const found: Array<string> = []
      const ids = { event: new Set<string>(), line: new Set<string>() }
      const repeated: Array<string> = []
      const note = (kind: "event" | "line", id: string): void => {
        if (ids[kind].has(id)) repeated.push(`${kind} ${id}`)
        ids[kind].add(id)
      }
      for (const { data } of rows) {
        const { event, lines } = data as EvmReport
        if (event?._tag === "payin") note("event", event.event_id)
        for (const { id } of lines) note("line", id)
        if (event?._tag !== "payin" || lines.length === 0) continue
        const what = `${event.transaction_hash} ${event.target.toLowerCase()} ${event.amount}`
        if (event.stage === "confirmed") found.push(what)
        else found.splice(found.indexOf(what), 1)
      }
      return { found: found.toSorted(), last: final.number, repeated }
    })
    for (let step = 0; step < steps; step++) {
      const act = random(14)
      if (act < 3) (isDeep && random(2) === 0 ? model.sendAgain : model.pay)()
      else if (act < 5) model.mine()
      else if (act === 5) model.reorganize(isDeep && random(2) === 0 ? 3 * confirmations : undefined)
      else if (act === 6) {
        node.mood = moods[random(moods.length)]!
        node.stuck = Math.max(0, model.finalNumber() - random(8))
        node.fork = model.forked()
      } else if (act === 7 && random(4) === 0) nodes[random(2)] = makeDeposits(context)
      else if (act === 8) model.empty()
      else if (act === 9) for (let n = random(12); n > 0; n--) (random(2) === 0 ? model.pay : model.mine)()
      else if (act === 10 && random(3) === 0) yield* Effect.exit(nodes[0]!.rescan(random(model.blocks.length)))
      else {
        if (random(6) === 0) lives = random(4)
        const some = random(4) === 0 ? nodes : [nodes[random(2)]!]
        yield* readBy(some)
        if (lives < 0) for (const n of [0, 1]) nodes[n] = makeDeposits(context)
        lives = Number.POSITIVE_INFINITY
        const { found, last } = yield* credited
        // A balancer can make the feed go back: what is credited stays so.
        const isLacking = balance_proof && !isWithin(expectedOf(model, last), found)
        if (!isDeep && (isLacking || !isWithin(found, expectedOf(model))))
          return `after step ${step}, ${found.length} transfers are credited, and the blocks up to ${last} have ${expectedOf(model, last).length}`
      }
    }
    node.mood = "honest"
    for (let n = 0; n < 2 * confirmations; n++) model.mine()
    // What was missed in blocks that the feed has passed is looked for further back each time, and in the end by an operator: the node may
    // have lied to the last of these readings, and the next one is an hour later.
    for (let n = 0; n < 8; n++) yield* readBy([nodes[n % 2]!])
    const [feedRow] = yield* books.get([entries.keys.feed])
    if ((readData<Feed>(feedRow)?.doubt ?? null) !== null) yield* Effect.exit(nodes[0]!.rescan(0))
    for (let n = 0; n < 16; n++) yield* readBy([nodes[n % 2]!])
    const [{ found, repeated }, expected] = [yield* credited, expectedOf(model)]
    if (repeated.length > 0) return `two reports have one id: ${repeated.join(", ")}`
    if (JSON.stringify(found) !== JSON.stringify(expected))
      return `in the end, ${found.length} transfers are credited, and the final blocks have ${expected.length}`
    for (const { data } of yield* books.get(ours.map(entries.keys.address))) {
      const { address, unswept } = data as EvmAddress
      const held = heldIn(model.blocks.slice(0, model.finalNumber() + 1), address, model.got)
      if (BigInt(unswept[token] ?? "0") !== held)
        return `in the end, the books say that ${address} has ${unswept[token] ?? "0"}, and it has ${held}`
    }
    return null
  }).pipe(Effect.provide(Layer.mergeAll(MemoryStorage.layer, JobNotifier.layer)), Effect.runPromise)

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "200" },
      from: { type: "string", default: "1" },
      seed: { type: "string" }
    }
  })
  const from = Number(values.seed ?? values.from)
  const to = values.seed === undefined ? from + Number(values.seeds) - 1 : from
  let failed = 0
  for (let seed = from; seed <= to; seed++) {
    const fault = await simulateFeed(seed)
    if (fault === null) continue
    failed += 1
    console.log(`seed ${seed}: ${fault}`)
  }
  console.log(`${to - from + 1} seeds, ${failed} failed`)
  if (failed > 0) process.exitCode = 1
}
