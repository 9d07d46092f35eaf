/**
 * The JSON-RPC calls of a Solana node, with validated results. What a node says is one node's view: it may lag behind the
 * cluster. Slots, heights and times are integers; amounts are bigints.
 */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import {
  AccountState,
  getMintDecoder,
  getMintSize,
  getTokenDecoder,
  getTokenSize,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import * as kit from "@solana/kit"
import { Clock, Effect, Option, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { limitFetch, RPC_MAX_BYTES } from "../../../protocol/bounded-fetch.ts"

export type Commitment = "confirmed" | "finalized"

const Amount = Schema.BigInt.check(Schema.isGreaterThanOrEqualToBigInt(0n))
/** A slot, a height or a time: a bigint in the answer, and small enough for a number. */
const Integer = Schema.BigInt.check(
  Schema.isGreaterThanOrEqualToBigInt(0n),
  Schema.isLessThanOrEqualToBigInt(BigInt(Number.MAX_SAFE_INTEGER))
)
const withContextSlot = <S extends Schema.Constraint>(value: S) =>
  Schema.Struct({ context: Schema.Struct({ slot: Integer }), value })

/** The error of a transaction: null when it succeeded. A missing one is neither. */
const Failure = Schema.Union([Schema.Null, Schema.String, Schema.Record(Schema.String, Schema.Unknown)])

const Signature = Schema.String.check(Schema.isPattern(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/))

const Epoch = Schema.Struct({ absoluteSlot: Integer, blockHeight: Integer })
const Blockhash = withContextSlot(Schema.Struct({ blockhash: Schema.String, lastValidBlockHeight: Integer }))
const Account = Schema.NullOr(
  Schema.Struct({
    owner: Schema.String,
    lamports: Amount,
    data: Schema.Tuple([Schema.String, Schema.Literal("base64")])
  })
)
const Accounts = withContextSlot(Schema.Array(Account))
const Statuses = withContextSlot(
  Schema.Tuple([
    Schema.NullOr(Schema.Struct({ confirmationStatus: Schema.Literals(["processed", "confirmed", "finalized"]) }))
  ])
)
const Signatures = Schema.Array(Schema.Struct({ signature: Signature, slot: Integer, err: Failure }))
/** Of a token, in its smallest unit. */
const Units = Schema.String.check(Schema.isPattern(/^\d{1,20}$/))
const TokenBalances = Schema.Array(
  Schema.Struct({
    accountIndex: Schema.Int,
    mint: Schema.String,
    owner: Schema.optional(Schema.String),
    uiTokenAmount: Schema.Struct({ amount: Units })
  })
)
/** Instructions in whatever form: those that move tokens are read with {@link TokenTransfer}. */
const Instructions = Schema.optional(Schema.NullOr(Schema.Array(Schema.Unknown)))
const TokenTransfer = Schema.Struct({
  programId: Schema.Literal(TOKEN_PROGRAM_ADDRESS),
  parsed: Schema.Struct({
    type: Schema.Literals(["transfer", "transferChecked"]),
    info: Schema.Struct({
      source: Schema.String,
      destination: Schema.String,
      amount: Schema.optional(Units),
      tokenAmount: Schema.optional(Schema.Struct({ amount: Units }))
    })
  })
})
const Transaction = Schema.NullOr(
  Schema.Struct({
    slot: Integer,
    blockTime: Schema.NullOr(Integer),
    meta: Schema.Struct({
      err: Failure,
      preBalances: Schema.Array(Amount),
      postBalances: Schema.Array(Amount),
      preTokenBalances: TokenBalances,
      postTokenBalances: TokenBalances,
      innerInstructions: Schema.optional(Schema.NullOr(Schema.Array(Schema.Struct({ instructions: Instructions }))))
    }),
    transaction: Schema.Struct({
      message: Schema.Struct({
        accountKeys: Schema.Array(Schema.Struct({ pubkey: Schema.String, signer: Schema.optional(Schema.Boolean) })),
        instructions: Instructions
      })
    })
  })
)
const Simulation = withContextSlot(Schema.Struct({ err: Failure }))

/** An account. `token` is present when it is an account of the token program that holds tokens, `decimals` when it is a mint. */
export interface ChainAccount {
  readonly owner: string
  readonly lamports: bigint
  readonly isEmpty: boolean
  /** The decimals of a mint of the token program. */
  readonly decimals?: number
  readonly token?: {
    readonly mint: string
    readonly owner: string
    readonly amount: bigint
    readonly isUsable: boolean
  }
}

/** By how much a transaction changed a token account. `owner`: null where it is not shown, or became another one. */
export interface TokenChange {
  readonly mint: string
  readonly owner: string | null
  readonly delta: bigint
}

/** A transfer between two token accounts that an instruction of a transaction made. */
export interface TokenMove {
  readonly source: string
  readonly destination: string
  readonly amount: bigint
}

/** A transaction in a block. `error` is null when it succeeded. `lamports`: by how much it changed each account. */
export interface SolanaTransaction {
  readonly slot: number
  /** Epoch milliseconds. */
  readonly at: number | null
  readonly error: unknown
  readonly fee_payer: string
  readonly lamports: ReadonlyMap<string, bigint>
  readonly tokens: ReadonlyMap<string, TokenChange>
  /** Who signed it. */
  readonly signers: ReadonlySet<string>
  /** The transfers of tokens that the node shows, those of programs included. It may leave out some. */
  readonly moves: ReadonlyArray<TokenMove>
}

const toAccount = (found: typeof Account.Type): ChainAccount | null => {
  if (found === null) return null
  const bytes = kit.getBase64Encoder().encode(found.data[0])
  const base = { owner: found.owner, lamports: found.lamports, isEmpty: bytes.length === 0 }
  if (found.owner !== TOKEN_PROGRAM_ADDRESS) return base
  if (bytes.length === getMintSize()) {
    const { decimals, isInitialized } = getMintDecoder().decode(bytes)
    return isInitialized ? { ...base, decimals } : base
  }
  if (bytes.length !== getTokenSize()) return base
  const { mint, owner, amount, state } = getTokenDecoder().decode(bytes)
  return { ...base, token: { mint, owner, amount, isUsable: state === AccountState.Initialized } }
}

/** Maps balances by account: a list may have an account twice. Errors: throws `RangeError` when the two differ. */
const mapBalances = (balances: typeof TokenBalances.Type) => {
  const found = new Map<number, (typeof balances)[number]>()
  for (const one of balances) {
    const before = found.get(one.accountIndex)
    if (before !== undefined && before.uiTokenAmount.amount !== one.uiTokenAmount.amount)
      throw new RangeError("a transaction has two balances of one account")
    found.set(one.accountIndex, one)
  }
  return found
}

const readMove = Schema.decodeUnknownOption(TokenTransfer)

const listMoves = (instructions: ReadonlyArray<unknown>): ReadonlyArray<TokenMove> =>
  instructions.flatMap((one) => {
    const found = Option.getOrUndefined(readMove(one))
    if (found === undefined) return []
    const { amount, destination, source, tokenAmount } = found.parsed.info
    const units = tokenAmount?.amount ?? amount
    return units === undefined ? [] : [{ source, destination, amount: BigInt(units) }]
  })

const toTransaction = ({
  slot,
  blockTime,
  meta,
  transaction
}: NonNullable<typeof Transaction.Type>): SolanaTransaction => {
  const { accountKeys, instructions } = transaction.message
  const keys = accountKeys.map(({ pubkey }) => pubkey)
  if (keys.length !== meta.preBalances.length || keys.length !== meta.postBalances.length)
    throw new RangeError("the balances of a transaction are not those of its accounts")
  const tokens = new Map<string, TokenChange>()
  for (const [balances, sign] of [
    [meta.preTokenBalances, -1n],
    [meta.postTokenBalances, 1n]
  ] as const)
    for (const [accountIndex, { mint, owner, uiTokenAmount }] of mapBalances(balances)) {
      const account = keys[accountIndex]
      if (account === undefined) throw new RangeError("a token balance of a transaction is of no account")
      const before = tokens.get(account)
      const delta = (before?.delta ?? 0n) + sign * BigInt(uiTokenAmount.amount)
      const owners = new Set([before?.owner, owner].filter((one) => one !== undefined && one !== null))
      tokens.set(account, { mint, owner: owners.size === 1 ? [...owners][0]! : null, delta })
    }
  return {
    slot: Number(slot),
    at: blockTime === null ? null : Number(blockTime) * 1000,
    error: meta.err,
    fee_payer: keys[0]!,
    lamports: new Map(keys.map((key, i) => [key, meta.postBalances[i]! - meta.preBalances[i]!])),
    tokens,
    signers: new Set(accountKeys.flatMap(({ pubkey, signer }) => (signer === true ? [pubkey] : []))),
    moves: listMoves([
      ...(instructions ?? []),
      ...(meta.innerInstructions ?? []).flatMap((inner) => inner.instructions ?? [])
    ])
  }
}

/** The most accounts in one request. */
export const accountsMax = 100

type WithSource = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown

/** Parses integers as bigints: a JavaScript number would lose digits of an amount. */
const reviveIntegers: WithSource = (_, value, { source = "" }) => (/^-?\d+$/.test(source) ? BigInt(source) : value)
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

const answered = limitFetch(RPC_MAX_BYTES)

const makeDeps = (url: string, timeout_ms: number) => {
  // Posts to a node, which may be one behind a credential in its URL: no redirect is followed.
  const post = async ({ payload, signal }: Parameters<kit.RpcTransport>[0]): Promise<unknown> => {
    const answer = await answered(url, {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json; charset=utf-8" },
      body: JSON.stringify(payload, (_: string, value: unknown): unknown =>
        typeof value === "bigint" ? rawJSON(String(value)) : value
      ),
      signal: signal ?? null
    })
    if (!answer.ok) throw new Error(`HTTP status ${answer.status}`)
    return JSON.parse(await answer.text(), reviveIntegers as Parameters<typeof JSON.parse>[1])
  }
  const rpc = kit.createSolanaRpcFromTransport(post as kit.RpcTransport) as kit.Rpc<kit.SolanaRpcApi>
  // A URL may contain a credential in its path or query, so messages name the host alone.
  const { host } = new URL(url)
  /** When a call was last unanswered, unless one was answered since. Epoch milliseconds. */
  const silence = { at: Number.NEGATIVE_INFINITY }
  return { timeout_ms, rpc, host, silence }
}
type Deps = ReturnType<typeof makeDeps>

const makeNodeFault = ({ host }: Deps, message: string, cause?: unknown): ProviderFault =>
  new ProviderFault({ message: `the Solana node ${host} ${message}`, ...(cause === undefined ? {} : { cause }) })

const callNode = <S extends Schema.ConstraintDecoder<unknown>, A>(
  deps: Deps,
  schema: S,
  request: { readonly send: (options: { readonly abortSignal: AbortSignal }) => Promise<unknown> },
  read: (result: S["Type"]) => A
): Effect.Effect<A, ProviderFault> =>
  Effect.tryPromise({
    try: (abortSignal) => request.send({ abortSignal }),
    catch: (cause) => makeNodeFault(deps, "gave no result", cause)
  }).pipe(
    Effect.tap(() =>
      Effect.sync(() => {
        deps.silence.at = Number.NEGATIVE_INFINITY
      })
    ),
    Effect.timeoutOrElse({
      duration: deps.timeout_ms,
      orElse: () =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          deps.silence.at = now
          return Effect.fail(makeNodeFault(deps, `was silent for ${deps.timeout_ms} ms`))
        })
    }),
    Effect.flatMap((result) =>
      Effect.try({
        try: () => read(Schema.decodeUnknownSync(schema)(result)),
        catch: (cause) => makeNodeFault(deps, "gave a result of an unexpected form", cause)
      })
    )
  )

/** Reads the last slot and block height of a commitment level. */
const readEpoch = (deps: Deps, commitment: Commitment) =>
  callNode(deps, Epoch, deps.rpc.getEpochInfo({ commitment }), ({ absoluteSlot, blockHeight }) => ({
    slot: Number(absoluteSlot),
    height: Number(blockHeight)
  }))

/** Reads the accounts at these addresses, at most {@link accountsMax}, and the slot of the answer, which is at least `from`. */
const readAccounts = (deps: Deps, addresses: ReadonlyArray<string>, commitment: Commitment, from = 0) =>
  callNode(
    deps,
    Accounts,
    deps.rpc.getMultipleAccounts(
      addresses.map((one) => kit.address(one)),
      { commitment, encoding: "base64", minContextSlot: BigInt(from) }
    ),
    ({ context, value }) => {
      if (value.length !== addresses.length) throw new RangeError("not as many accounts as addresses")
      return { slot: Number(context.slot), accounts: value.map(toAccount) }
    }
  )

/** Reads whether the node shows a transaction, and the slot up to which it looked. */
const readStatus = (deps: Deps, signature: string) =>
  callNode(
    deps,
    Statuses,
    deps.rpc.getSignatureStatuses([kit.signature(signature)], { searchTransactionHistory: true }),
    ({ context, value: [status] }) => ({ slot: Number(context.slot), level: status?.confirmationStatus ?? null })
  )

/** Reads the signatures of transactions that name an address, newest first, at most 1,000. The node has finalized slot `from`. */
const readSignatures = (
  deps: Deps,
  address: string,
  { commitment, from, before }: { readonly commitment: Commitment; readonly from: number; readonly before?: string }
) =>
  callNode(
    deps,
    Signatures,
    deps.rpc.getSignaturesForAddress(kit.address(address), {
      commitment,
      limit: 1000,
      minContextSlot: BigInt(from),
      ...(before === undefined ? {} : { before: kit.signature(before) })
    }),
    (found) => found.map(({ signature, slot, err }) => ({ signature, slot: Number(slot), isFailed: err !== null }))
  )

const readTransaction = (deps: Deps, signature: string, commitment: Commitment) =>
  callNode(
    deps,
    Transaction,
    deps.rpc.getTransaction(kit.signature(signature), {
      commitment,
      encoding: "jsonParsed",
      maxSupportedTransactionVersion: 0
    }),
    (found) => (found === null ? null : toTransaction(found))
  )

/** Reads the time of a slot, in epoch milliseconds. Null: the node does not know it. */
const readSlotTime = (deps: Deps, slot: number) =>
  callNode(deps, Schema.NullOr(Integer), deps.rpc.getBlockTime(BigInt(slot)), (at) =>
    at === null ? null : Number(at) * 1000
  )

/** Reads the lamports that an account of a size must have. */
const readRentMinimum = (deps: Deps, bytes: bigint) =>
  callNode(deps, Amount, deps.rpc.getMinimumBalanceForRentExemption(bytes), (lamports) => lamports)

const readLamports = (deps: Deps, address: string) =>
  callNode(
    deps,
    withContextSlot(Amount),
    deps.rpc.getBalance(kit.address(address), { commitment: "finalized" }),
    ({ value }) => value
  )

const simulateTransaction = (deps: Deps, wire: string) =>
  callNode(
    deps,
    Simulation,
    deps.rpc.simulateTransaction(wire as kit.Base64EncodedWireTransaction, {
      encoding: "base64",
      commitment: "confirmed",
      sigVerify: false
    }),
    ({ value }) => ({ isFailed: value.err !== null })
  )

const sendTransaction = (deps: Deps, wire: string) =>
  callNode(
    deps,
    Schema.String,
    deps.rpc.sendTransaction(wire as kit.Base64EncodedWireTransaction, { encoding: "base64", skipPreflight: true }),
    () => undefined
  )

/** How long a node that was silent is asked last. */
const silentMs = 60_000

/** Makes the client of one node. Errors of every call: `ProviderFault` when the node gives no result, or one of another form. */
export const makeRpcNode = (url: string, timeout_ms: number) => {
  const deps = makeDeps(url, timeout_ms)
  const { rpc } = deps

  return {
    ...bindFirst(deps, {
      epoch: readEpoch,
      accounts: readAccounts,
      status: readStatus,
      signatures: readSignatures,
      transaction: readTransaction,
      time: readSlotTime,
      rent: readRentMinimum,
      lamports: readLamports,
      simulate: simulateTransaction,
      send: sendTransaction
    }),
    /** Whether a call of the last minute was not answered, and none since. */
    isSilent: Effect.map(Clock.currentTimeMillis, (now) => now - deps.silence.at < silentMs),
    /** A recent blockhash. No block at or before `slot` contains a transaction with it that is signed now. */
    blockhash: callNode(deps, Blockhash, rpc.getLatestBlockhash({ commitment: "confirmed" }), ({ context, value }) => ({
      slot: Number(context.slot),
      blockhash: kit.blockhash(value.blockhash),
      last_valid_block_height: Number(value.lastValidBlockHeight)
    })),
    /** The first slot of which the node has everything. */
    first: callNode(deps, Integer, rpc.getFirstAvailableBlock(), (value: bigint): number => Number(value))
  } as const
}

export type RpcNode = ReturnType<typeof makeRpcNode>
