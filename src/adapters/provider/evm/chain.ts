/**
 * Reads a chain through one or several JSON-RPC nodes. What decides about money is read from a quorum of nodes that agree, at a
 * block that the quorum has as final.
 */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Effect } from "effect"
import { type Hex, hexToBigInt, hexToNumber, numberToHex, size, slice } from "viem"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import { encodeBalanceCall, encodeBalancesCall, decimalsCall, transferTopic } from "./calls.ts"
import { type NodeAsk, type Connect, makeQuorumFault, makeQuorum, type QuorumOptions } from "./quorum.ts"

export interface ChainOptions extends QuorumOptions {
  /** The number of blocks that make a block final, itself included; `finalized`: the nodes say which block is final. */
  readonly confirmations: number | "finalized"
}

export interface Block {
  readonly number: number
  readonly hash: Hex
  /** The hash of the block before it. */
  readonly parent: Hex
  /** Epoch seconds. */
  readonly timestamp: number
  /** Whether it has no transactions, and so no logs. */
  readonly isEmpty: boolean
}

/** The head and the latest final block, as a quorum has them. */
export interface View {
  readonly head: Block
  readonly final: Block
}

/** A `Transfer` of an ERC-20 token. Addresses are in lower case. */
export interface TransferLog {
  readonly token: Hex
  readonly from: Hex
  readonly to: Hex
  readonly value: string
}

export interface FoundTransfer extends TransferLog {
  readonly transaction_hash: Hex
  readonly block: number
  readonly block_hash: Hex
  readonly index: number
}

export interface Receipt {
  readonly block: number
  readonly isSuccess: boolean
  /** What the sender paid for it, in wei, with what a rollup charges for its data. */
  readonly fee: string
  readonly transfers: ReadonlyArray<TransferLog>
}

export interface EvmTransaction {
  readonly hash: Hex
  readonly from: Hex
  readonly nonce: number
}

type Json = { readonly [key: string]: unknown }

const parseHex = (hex: unknown): Hex => String(hex).toLowerCase() as Hex
const parseBigint = (hex: unknown): bigint => hexToBigInt((hex ?? "0x0") as Hex)
const parseNumber = (hex: unknown): number => hexToNumber(hex as Hex)

const parseBlock = (block: unknown): Block => {
  if (block === null) throw new TypeError("there is no such block")
  const { hash, number, parentHash, timestamp, transactions } = block as Json
  return {
    number: parseNumber(number),
    hash: parseHex(hash),
    parent: parseHex(parentHash),
    timestamp: parseNumber(timestamp),
    isEmpty: Array.isArray(transactions) && transactions.length === 0
  }
}

const parseAddress = (topic: unknown): Hex => `0x${parseHex(topic).slice(-40)}`

/** Parses a log as a token transfer. Returns none for another event, and for a token that is not ERC-20. */
const parseTransfer = ({ address, data, topics }: Json): ReadonlyArray<TransferLog> => {
  const [event, from, to, more] = topics as ReadonlyArray<unknown>
  if (parseHex(event) !== transferTopic || to === undefined || more !== undefined || parseHex(data).length !== 66)
    return []
  return [
    { token: parseHex(address), from: parseAddress(from), to: parseAddress(to), value: parseBigint(data).toString() }
  ]
}

/**
 * Removes duplicate and removed logs from an answer: a node or a balancer may list one twice, or one that a reorganisation
 * removed. Errors: throws `TypeError` when two different logs have one place, so that the answer is discarded.
 */
const removeDuplicates = (logs: unknown): ReadonlyArray<Json> => {
  const known = new Map<string, string>()
  return (logs as ReadonlyArray<Json>).filter((log) => {
    if (log["removed"] === true) return false
    const place = `${parseHex(log["blockHash"])} ${parseNumber(log["logIndex"])}`
    const what = `${parseHex(log["transactionHash"])} ${JSON.stringify(parseTransfer(log))}`
    const before = known.get(place)
    known.set(place, what)
    if (before !== undefined && before !== what) throw new TypeError(`two logs are at one place, ${place}`)
    return before === undefined
  })
}

/** Decodes the transfers of tokens from an answer's logs, in the order of the chain. Transfers of zero are left out. */
const decodeTransfers = (logs: unknown, tokens: ReadonlyArray<Hex>): ReadonlyArray<FoundTransfer> =>
  removeDuplicates(logs)
    .flatMap((log) =>
      parseTransfer(log).map(
        (transfer): FoundTransfer => ({
          ...transfer,
          transaction_hash: parseHex(log["transactionHash"]),
          block: parseNumber(log["blockNumber"]),
          block_hash: parseHex(log["blockHash"]),
          index: parseNumber(log["logIndex"])
        })
      )
    )
    .filter(({ token, value }) => value !== "0" && tokens.includes(token))
    .toSorted((a, b) => a.block - b.block || a.index - b.index)

/** Picks the k-th largest number. There are at least k. */
const pickLargest = <N extends number | bigint>(numbers: ReadonlyArray<N>, k: number): N =>
  numbers.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0))[k - 1]!

const makeDeps = ({ confirmations, ...options }: ChainOptions, connect?: Connect) => {
  const { quorum } = options
  const { agreed, all, each } = makeQuorum(options, connect)
  return { confirmations, quorum, agreed, all, each }
}
type Deps = ReturnType<typeof makeDeps>

const readBlock = ({ agreed }: Deps, number: number): Effect.Effect<Block, ProviderFault> =>
  agreed(`block ${number}`, async (ask) =>
    parseBlock(await ask({ method: "eth_getBlockByNumber", params: [numberToHex(number), false] }))
  )

/** Reads the numbers of a node's head block and final block. */
const readHead = async ({ confirmations }: Deps, ask: NodeAsk) => {
  const head = parseBlock(await ask({ method: "eth_getBlockByNumber", params: ["latest", false] }))
  if (confirmations !== "finalized") return { head: head.number, final: Math.max(0, head.number - confirmations + 1) }
  const final = parseBlock(await ask({ method: "eth_getBlockByNumber", params: ["finalized", false] }))
  return { head: head.number, final: final.number }
}

/** Reads the highest head block and final block that a quorum of nodes has reached. */
const readView = (deps: Deps): Effect.Effect<View, ProviderFault> =>
  Effect.gen(function* () {
    const { all, quorum } = deps
    const views = yield* all("their latest blocks", quorum, (ask) => readHead(deps, ask))
    const at = (name: "head" | "final") =>
      readBlock(
        deps,
        pickLargest(
          views.map((one) => one[name]),
          quorum
        )
      )
    return { head: yield* at("head"), final: yield* at("final") }
  })

const readNonce = ({ agreed }: Deps, address: Hex, at: number): Effect.Effect<number, ProviderFault> =>
  agreed(`the nonce of ${address} at block ${at}`, async (ask) =>
    parseNumber(await ask({ method: "eth_getTransactionCount", params: [address, numberToHex(at)] }))
  )

/**
 * The highest count of transactions at the head that at least a quorum of the nodes reports or exceeds. The next nonce is this, or more where
 * transactions are pending.
 */
const readNextNonce = ({ all, quorum }: Deps, address: Hex): Effect.Effect<number, ProviderFault> =>
  Effect.map(
    all("the nonce", quorum, async (ask) =>
      parseNumber(await ask({ method: "eth_getTransactionCount", params: [address, "latest"] }))
    ),
    (counts) => pickLargest(counts, quorum)
  )

const readReceipt = ({ agreed }: Deps, hash: Hex): Effect.Effect<Receipt | null, ProviderFault> =>
  agreed(`the receipt of ${hash}`, async (ask) => {
    const found = (await ask({ method: "eth_getTransactionReceipt", params: [hash] })) as Json | null
    if (found === null) return null
    const fee = parseBigint(found["gasUsed"]) * parseBigint(found["effectiveGasPrice"]) + parseBigint(found["l1Fee"])
    return {
      block: parseNumber(found["blockNumber"]),
      isSuccess: parseNumber(found["status"]) === 1,
      fee: fee.toString(),
      transfers: removeDuplicates(found["logs"]).flatMap(parseTransfer)
    }
  })

const readBlockTransactions = (
  { agreed }: Deps,
  number: number
): Effect.Effect<ReadonlyArray<EvmTransaction>, ProviderFault> =>
  agreed(`the transactions of block ${number}`, async (ask) => {
    const found = (await ask({
      method: "eth_getBlockByNumber",
      params: [numberToHex(number), true]
    })) as unknown as Json
    return (found["transactions"] as ReadonlyArray<Json>).map(({ from, hash, nonce }) => ({
      hash: parseHex(hash),
      from: parseHex(from),
      nonce: parseNumber(nonce)
    }))
  })

/**
 * Finds the final transaction with which an address used a nonce, by a search for the block at which its transaction count
 * changed. `from`: a block before it. Errors: `ProviderFault` also when the nodes no longer have the state of these blocks.
 */
const findNonceUser = Effect.fnUntraced(function* (
  deps: Deps,
  address: Hex,
  nonce: number,
  from: number,
  final: number
) {
  let [before, after] = [from, final]
  if ((yield* readNonce(deps, address, before)) > nonce)
    return yield* makeQuorumFault(`the nonce ${nonce} was used before block ${from}`)
  while (after - before > 1) {
    const middle = before + Math.floor((after - before) / 2)
    if ((yield* readNonce(deps, address, middle)) > nonce) after = middle
    else before = middle
  }
  const found = (yield* readBlockTransactions(deps, after)).find((one) => one.from === address && one.nonce === nonce)
  if (found === undefined) return yield* makeQuorumFault(`block ${after} has no transaction with the nonce ${nonce}`)
  return found.hash
})

/** Reads the sender and the nonce of a transaction; null when the nodes do not have it. */
const readTransaction = ({ agreed }: Deps, hash: Hex): Effect.Effect<EvmTransaction | null, ProviderFault> =>
  agreed(`the transaction ${hash}`, async (ask) => {
    const found = (await ask({ method: "eth_getTransactionByHash", params: [hash] })) as Json | null
    if (found === null) return null
    const { from, nonce } = found
    return { hash, from: parseHex(from), nonce: parseNumber(nonce) }
  })

/**
 * Reads the token transfers in a range of blocks. A node that does not have all of them yet may return fewer. Where the result
 * decides about money, use `readBlockTransfers`.
 */
const readTransfers = ({ agreed }: Deps, tokens: ReadonlyArray<Hex>, from: number, to: number) =>
  agreed(`the transfers of blocks ${from} to ${to}`, async (ask) => {
    const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
    const filter = { address: [...tokens], ...range, topics: [transferTopic] }
    return decodeTransfers(await ask({ method: "eth_getLogs", params: [filter] }), tokens)
  })

/** Reads the token transfers in one block by its hash: a node without this block answers with an error, and not with an empty list. */
const readBlockTransfers = (
  { agreed }: Deps,
  tokens: ReadonlyArray<Hex>,
  { hash, number }: Pick<Block, "hash" | "number">
) =>
  agreed(`the transfers of block ${number}`, async (ask) => {
    const filter = { address: [...tokens], blockHash: hash, topics: [transferTopic] }
    const found = decodeTransfers(await ask({ method: "eth_getLogs", params: [filter] }), tokens)
    const other = found.find((one) => one.block_hash !== hash || one.block !== number)
    if (other !== undefined) throw new TypeError(`${hash} was asked for, and a log of ${other.block_hash} came`)
    return found
  })

/**
 * Reads the balances of a token for some owners at one block, in the token's units. Errors: `ProviderFault` also when a node
 * lacks the state of that block.
 */
const readBalancesAt = (
  { agreed }: Deps,
  token: Hex,
  owners: ReadonlyArray<Hex>,
  { hash, number }: Pick<Block, "hash" | "number">
) =>
  Effect.map(
    agreed(`the balances of ${token} at block ${number}`, async (ask) => {
      const call = { data: encodeBalancesCall(token, owners) }
      const found = parseHex(await ask({ method: "eth_call", params: [call, { blockHash: hash }] }))
      if (size(found) !== owners.length * 32) throw new TypeError(`${token} gave no balances`)
      return found
    }),
    (found) => owners.map((_, at) => parseBigint(slice(found, at * 32, at * 32 + 32)))
  )

/** Reads the coin balance of an address at a block, in wei. */
const readBalance = ({ agreed }: Deps, address: Hex, at: number): Effect.Effect<bigint, ProviderFault> =>
  Effect.map(
    agreed(`the balance of ${address}`, (ask) => ask({ method: "eth_getBalance", params: [address, numberToHex(at)] })),
    parseBigint
  )

/** Reads the coins (gas) of an address at the head, in wei: the highest amount that a quorum of nodes reports or exceeds. */
const readCoinsAtHead = ({ all, quorum }: Deps, address: Hex): Effect.Effect<bigint, ProviderFault> =>
  Effect.map(
    all("the balance", quorum, async (ask) =>
      parseBigint(await ask({ method: "eth_getBalance", params: [address, "latest"] }))
    ),
    (balances) => pickLargest(balances, quorum)
  )

/** Reads the token balance of an address at a block, in the token's units. */
const readTokenBalance = (
  { agreed }: Deps,
  token: Hex,
  address: Hex,
  at: number
): Effect.Effect<bigint, ProviderFault> =>
  Effect.map(
    agreed(`the balance of ${address} in ${token}`, async (ask) => {
      const call = { to: token, data: encodeBalanceCall(address) }
      const result = parseHex(await ask({ method: "eth_call", params: [call, numberToHex(at)] }))
      if (result.length !== 66) throw new TypeError(`${token} is no token`)
      return result
    }),
    parseBigint
  )

const readDecimals = ({ agreed }: Deps, token: Hex): Effect.Effect<number, ProviderFault> =>
  agreed(`the decimals of ${token}`, async (ask) =>
    parseNumber(await ask({ method: "eth_call", params: [{ to: token, data: decimalsCall }, "latest"] }))
  )

const hasCode = ({ agreed }: Deps, address: Hex, at: number): Effect.Effect<boolean, ProviderFault> =>
  agreed(
    `the code of ${address}`,
    async (ask) =>
      parseHex((await ask({ method: "eth_getCode", params: [address, numberToHex(at)] })) ?? "0x").length > 2
  )

/**
 * Sends a signed transaction to every node. Succeeds when one of them has it. After an error a node is asked for the hash,
 * because it also rejects a transaction that it already has, and each says so in its own words.
 */
const broadcast = (
  { all }: Deps,
  { hash, raw }: { readonly hash: Hex; readonly raw: Hex }
): Effect.Effect<void, ProviderFault> =>
  Effect.asVoid(
    all("a transaction", 1, async (ask) => {
      try {
        await ask({ method: "eth_sendRawTransaction", params: [raw] })
      } catch (cause) {
        if ((await ask({ method: "eth_getTransactionByHash", params: [hash] })) === null) throw cause
      }
    })
  )

export const makeChain = (given: ChainOptions, connect?: Connect) => {
  const deps = makeDeps(given, connect)
  const { each, agreed, all, quorum } = deps

  return {
    ...bindFirst(deps, {
      block: readBlock,
      count: readNonce,
      nextNonce: readNextNonce,
      receipt: readReceipt,
      userOf: findNonceUser,
      transaction: readTransaction,
      transfers: readTransfers,
      transfersIn: readBlockTransfers,
      balancesAt: readBalancesAt,
      balance: readBalance,
      coins: readCoinsAtHead,
      tokenBalance: readTokenBalance,
      decimals: readDecimals,
      hasCode,
      broadcast
    }),
    view: readView(deps),
    /** The status that each node reports, for people. */
    nodes: each((ask) => readHead(deps, ask)),
    /** Whether the nodes only simulate a chain for development. Such a node gives blocks that it mines at once parents that do not exist. */
    isSimulated: Effect.orElseSucceed(
      agreed("their version", async (ask) =>
        /hardhat|\bedr\b/i.test(String(await ask({ method: "web3_clientVersion" })))
      ),
      () => false
    ),

    /** The fees that the network asks for, in wei: the base fee of the head, and a tip. A quorum asks for no less. */
    fees: Effect.map(
      all("the fees", quorum, async (ask) => {
        const head = (await ask({ method: "eth_getBlockByNumber", params: ["latest", false] })) as unknown as Json
        const tip = await ask({ method: "eth_maxPriorityFeePerGas" })
        return { base: parseBigint(head["baseFeePerGas"]), tip: parseBigint(tip) }
      }),
      (fees) => fees.toSorted((a, b) => (a.base + a.tip < b.base + b.tip ? 1 : -1))[quorum - 1]!
    )
  }
}

export type EvmChain = ReturnType<typeof makeChain>
