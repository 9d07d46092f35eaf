/** JSON-RPC nodes of a {@link SolanaChain}, over HTTP on loopback. Each can lag, lie still, or lose its answers. */
import type * as kit from "@solana/kit"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"
import { type Block, type Level, type SolanaChain, type TokenBalance, VALIDITY } from "./solana-chain.ts"

/**
 * What happens to a call: `lost` is executed and its answer lost; `away` never reaches the node; `silent` is taken and never
 * answered.
 */
export type Fault = "lost" | "away" | "silent" | "busy" | undefined

export interface SolanaNode {
  readonly url: string
  /** Blocks that the node has not seen yet. */
  behind: number
  /** The first slot of which the node has transactions. */
  first: number
  /** The fault of the next call of a method; called for each. */
  fault: (method: string) => Fault
  /** Milliseconds until a call is answered. */
  delay_ms: number
  /** Changes the result of a call. */
  mangle: (method: string, result: unknown, params: ReadonlyArray<unknown>) => unknown
  /** Calls so far, by method. */
  readonly calls: Map<string, number>
  readonly close: () => Promise<void>
}

type Params = ReadonlyArray<unknown>
interface Config {
  readonly commitment?: Level
  readonly minContextSlot?: number
  readonly searchTransactionHistory?: boolean
  readonly skipPreflight?: boolean
  readonly limit?: number
  readonly before?: string
  readonly until?: string
}

class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data: unknown = null) {
    super(message)
    this.code = code
    this.data = data
  }
}

const bytesOf = (text: unknown): Uint8Array => new Uint8Array(Buffer.from(String(text), "base64"))

const accountJson = (account: kit.MaybeEncodedAccount): object | null =>
  account.exists
    ? {
        data: [Buffer.from(account.data).toString("base64"), "base64"],
        executable: account.executable,
        lamports: Number(account.lamports),
        owner: account.programAddress,
        rentEpoch: 0,
        space: account.data.length
      }
    : null

const statusOf = (error: unknown) => (error === null ? { Ok: null } : { Err: error })

/** The answer of a node to one call. */
const answer = (chain: SolanaChain, node: SolanaNode, method: string, params: Params): unknown => {
  const config = (params.at(-1) ?? {}) as Config
  const at = (level: Level = config.commitment ?? "finalized"): Block => {
    const block = chain.block(level, node.behind)
    if (block.slot < (config.minContextSlot ?? 0))
      throw new RpcError(-32016, "Minimum context slot has not been reached", { contextSlot: block.slot })
    return block
  }
  const inContext = (block: Block, value: unknown) => ({ context: { apiVersion: "4.0.0", slot: block.slot }, value })
  const levelOf = (slot: number): Level =>
    slot <= chain.block("finalized", node.behind).slot
      ? "finalized"
      : slot <= chain.block("confirmed", node.behind).slot
        ? "confirmed"
        : "processed"
  const decimals = (mint: string): number => {
    const account = chain.account(mint)
    return account.exists ? account.data[44]! : 0
  }
  switch (method) {
    case "getEpochInfo": {
      const { slot, height } = at()
      return {
        absoluteSlot: slot,
        blockHeight: height,
        epoch: 1,
        slotIndex: 1,
        slotsInEpoch: 432_000,
        transactionCount: 1
      }
    }
    case "getLatestBlockhash": {
      const block = at()
      return inContext(block, { blockhash: block.hash, lastValidBlockHeight: block.height + VALIDITY })
    }
    case "getBalance":
      return inContext(at(), Number(chain.lamports(String(params[0]), at())))
    case "getAccountInfo":
      return inContext(at(), accountJson(chain.account(String(params[0]), at())))
    case "getMultipleAccounts": {
      const addresses = params[0] as ReadonlyArray<string>
      if (addresses.length > 100) throw new RpcError(-32602, "Too many inputs provided; max 100")
      return inContext(
        at(),
        addresses.map((one) => accountJson(chain.account(one, at())))
      )
    }
    case "getMinimumBalanceForRentExemption":
      return Number(chain.svm.minimumBalanceForRentExemption(BigInt(params[0] as number)))
    case "getBlockTime":
      return chain.timeOf(params[0] as number)
    case "getFirstAvailableBlock":
      return node.first
    case "simulateTransaction": {
      const { error, logs } = chain.simulate(bytesOf(params[0]))
      return inContext(at("processed"), { err: error, logs, accounts: null, unitsConsumed: 1, returnData: null })
    }
    case "sendTransaction": {
      const { signature, refused } = chain.send(bytesOf(params[0]))
      if (refused !== null && config.skipPreflight !== true)
        throw new RpcError(-32002, `Transaction simulation failed: ${refused}`, { err: refused, logs: [] })
      return signature
    }
    case "getSignatureStatuses": {
      const head = at("processed")
      const value = (params[0] as ReadonlyArray<string>).map((signature) => {
        const found = chain.find(signature, head)
        if (found === undefined || found.slot < node.first) return null
        if (found.slot < head.slot - VALIDITY && config.searchTransactionHistory !== true) return null
        const confirmationStatus = levelOf(found.slot)
        return {
          confirmationStatus,
          confirmations: confirmationStatus === "finalized" ? null : 1,
          err: found.error,
          slot: found.slot,
          status: statusOf(found.error)
        }
      })
      return inContext(head, value)
    }
    case "getSignaturesForAddress": {
      const all = chain.history(String(params[0]), at()).filter(({ slot }) => slot >= node.first)
      const from = config.before === undefined ? 0 : all.findIndex(({ signature }) => signature === config.before) + 1
      const until = all.findIndex(({ signature }) => signature === config.until)
      return all
        .slice(from, until < 0 ? undefined : until)
        .slice(0, config.limit ?? 1000)
        .map((one) => ({
          blockTime: chain.timeOf(one.slot),
          confirmationStatus: levelOf(one.slot),
          err: one.error,
          memo: one.memo === null ? null : `[${Buffer.byteLength(one.memo)}] ${one.memo}`,
          signature: one.signature,
          slot: one.slot
        }))
    }
    case "getTransaction": {
      const found = chain.find(String(params[0]), at())
      if (found === undefined || found.slot < node.first) return null
      const toJson = (one: TokenBalance) => ({
        accountIndex: found.keys.indexOf(one.account),
        mint: one.mint,
        owner: one.owner,
        programId: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
        uiTokenAmount: { amount: String(one.amount), decimals: decimals(one.mint), uiAmount: null, uiAmountString: "" }
      })
      return {
        blockTime: chain.timeOf(found.slot),
        meta: {
          computeUnitsConsumed: 1,
          err: found.error,
          fee: Number(found.fee),
          innerInstructions: [],
          loadedAddresses: { readonly: [], writable: [] },
          logMessages: [],
          preBalances: found.lamports[0].map(Number),
          postBalances: found.lamports[1].map(Number),
          preTokenBalances: found.tokens[0].map(toJson),
          postTokenBalances: found.tokens[1].map(toJson),
          rewards: [],
          returnData: null,
          status: statusOf(found.error)
        },
        slot: found.slot,
        transaction: {
          message: {
            accountKeys: found.keys.map((pubkey, i) => ({
              pubkey,
              signer: i < found.signers,
              source: "transaction",
              writable: true
            })),
            instructions: found.instructions,
            recentBlockhash: ""
          },
          signatures: [found.signature]
        },
        version: 0
      }
    }
    default:
      throw new RpcError(-32601, `Method not found: ${method}`)
  }
}

/** Starts a node of a chain. */
export const startSolanaNode = async (chain: SolanaChain): Promise<SolanaNode> => {
  const calls = new Map<string, number>()
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const {
      id,
      method,
      params = []
    } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as {
      readonly id: unknown
      readonly method: string
      readonly params?: Params
    }
    calls.set(method, (calls.get(method) ?? 0) + 1)
    const fault = node.fault(method)
    if (fault === "silent") return
    if (node.delay_ms > 0) await setTimeout(node.delay_ms)
    if (fault === "away") return request.socket.destroy()
    if (fault === "busy") return response.writeHead(503).end("busy")
    let body: object
    try {
      body = { result: node.mangle(method, answer(chain, node, method, params), params) }
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause
      body = { error: { code: cause.code, message: cause.message, data: cause.data } }
    }
    if (fault === "lost") return request.socket.destroy()
    response.writeHead(200, { "content-type": "application/json" })
    return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }))
  }
  const server = createServer((request, response) => void respond(request, response))
  // A client may reuse a connection at the moment at which it would be closed.
  server.keepAliveTimeout = 300_000
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const node: SolanaNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behind: 0,
    first: 0,
    fault: () => undefined,
    delay_ms: 0,
    mangle: (_, result) => result,
    calls,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      })
  }
  return node
}
