/**
 * A Solana chain for tests: litesvm executes, and this file adds what it has not: blocks, the life of a blockhash, levels of
 * commitment, forks, and the history of addresses.
 */
import { SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system"
import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getMintEncoder,
  getTokenDecoder,
  getTokenEncoder,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import * as kit from "@solana/kit"
import { FailedTransactionMetadata, LiteSVM } from "litesvm"
import { createHash } from "node:crypto"

export const MEMO_PROGRAM = kit.address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
/** The number of blocks for which a blockhash is valid. */
export const VALIDITY = 150
const SLOT_MS = 400
const GENESIS_MS = Date.UTC(2026, 0, 1)

export type Level = "processed" | "confirmed" | "finalized"

export interface TokenBalance {
  readonly account: string
  readonly mint: string
  readonly owner: string
  readonly amount: bigint
}

/** An instruction as a node shows it: parsed where it moves tokens. */
export type ShownInstruction = { readonly programId: string } & Readonly<Record<string, unknown>>

/** A transaction in a block, and what it changed. */
export interface Landed {
  readonly signature: string
  readonly slot: number
  readonly keys: ReadonlyArray<string>
  readonly signers: number
  readonly error: unknown
  readonly fee: bigint
  readonly lamports: readonly [ReadonlyArray<bigint>, ReadonlyArray<bigint>]
  readonly tokens: readonly [ReadonlyArray<TokenBalance>, ReadonlyArray<TokenBalance>]
  readonly memo: string | null
  readonly instructions: ReadonlyArray<ShownInstruction>
  readonly bytes: Uint8Array
}

export interface Block {
  readonly slot: number
  readonly height: number
  readonly hash: string
  readonly landed: ReadonlyArray<Landed>
  /** The accounts that the block changed, as they were before it. */
  readonly before: ReadonlyMap<string, kit.MaybeEncodedAccount>
}

export interface Pooled {
  readonly signature: string
  readonly blockhash: string
  readonly transaction: kit.Transaction
  readonly bytes: Uint8Array
}

/** As `jsonParsed` has it: the transfers of the token program are parsed, and all else is opaque. */
const showInstruction = (programId: string, accounts: ReadonlyArray<string>, data: Uint8Array): ShownInstruction => {
  const amount = (): string => new DataView(data.buffer, data.byteOffset).getBigUint64(1, true).toString()
  if (programId !== TOKEN_PROGRAM_ADDRESS) return { programId, accounts, data: "" }
  if (data[0] === 3) {
    const [source, destination, authority] = accounts
    const info = { source, destination, authority, amount: amount() }
    return { program: "spl-token", programId, parsed: { type: "transfer", info }, stackHeight: null }
  }
  if (data[0] === 12) {
    const [source, mint, destination, authority] = accounts
    const tokenAmount = { amount: amount(), decimals: data[9], uiAmount: null, uiAmountString: "" }
    const info = { source, mint, destination, authority, tokenAmount }
    return { program: "spl-token", programId, parsed: { type: "transferChecked", info }, stackHeight: null }
  }
  return { program: "spl-token", programId, parsed: { type: "other", info: {} }, stackHeight: null }
}

/** The error of a transaction as JSON-RPC writes it. */
const errorOf = (failed: FailedTransactionMetadata): unknown => {
  const text = /err: (.*?), meta: /s.exec(failed.toString())?.[1] ?? "Unknown"
  const custom = /^InstructionError\((\d+), Custom\((\d+)\)\)$/.exec(text)
  if (custom !== null) return { InstructionError: [Number(custom[1]), { Custom: Number(custom[2]) }] }
  const plain = /^InstructionError\((\d+), (\w+)\)$/.exec(text)
  if (plain !== null) return { InstructionError: [Number(plain[1]), plain[2]] }
  return text
}

const tokenAccount = (account: kit.MaybeEncodedAccount): TokenBalance | undefined => {
  if (!account.exists || account.programAddress !== TOKEN_PROGRAM_ADDRESS || account.data.length !== 165)
    return undefined
  const { mint, owner, amount } = getTokenDecoder().decode(account.data)
  return { account: account.address, mint, owner, amount }
}

const nothingAt = (address: kit.Address): kit.EncodedAccount => ({
  address,
  data: new Uint8Array(),
  executable: false,
  lamports: kit.lamports(0n),
  programAddress: SYSTEM_PROGRAM_ADDRESS,
  space: 0n
})

export class SolanaChain {
  readonly svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n)
  readonly blocks: Array<Block> = []
  readonly pool = new Map<string, Pooled>()
  /** Every transaction that any node was given, by signature: how often it came. */
  readonly received = new Map<string, number>()
  /** Transactions that no blockhash limits, as with a durable nonce. */
  readonly durable = new Set<string>()
  /** Whether each transaction makes a block at once. */
  automatic = true
  /** How many blocks each level is behind the last one. */
  readonly lag: Record<Level, number> = { processed: 0, confirmed: 1, finalized: 4 }
  #slot = 1000
  #finalized = 0

  constructor() {
    this.mine(8)
  }

  get head(): Block {
    return this.blocks.at(-1)!
  }

  /** The last block of a level for a node that is `behind` by some blocks. Finality never goes back. */
  block(level: Level, behind = 0): Block {
    const last = this.blocks.length - 1 - behind
    const wanted = last - this.lag[level]
    const at = level === "finalized" ? Math.min(Math.max(wanted, this.#finalized), last) : wanted
    return this.blocks[Math.max(at, 0)]!
  }

  /** Whether a blockhash may be in the block after `block`. */
  isValid(blockhash: string, block: Block = this.head): boolean {
    const from = this.blocks.findLast(({ hash }) => hash === blockhash)
    return from !== undefined && from.height <= block.height && block.height + 1 <= from.height + VALIDITY
  }

  /** Takes a signed transaction. Returns what a leader's first check says of it. */
  send(bytes: Uint8Array): { readonly signature: string; readonly refused: string | null } {
    const { signature, blockhash } = this.#pool(bytes)
    this.received.set(signature, (this.received.get(signature) ?? 0) + 1)
    const refused =
      this.find(signature) !== undefined ? "AlreadyProcessed" : this.isValid(blockhash) ? null : "BlockhashNotFound"
    if (refused !== null) {
      this.pool.delete(signature)
      return { signature, refused }
    }
    if (this.automatic) this.mine(1)
    return { signature, refused: null }
  }

  /** Makes `count` blocks. The first has the transactions of the pool, or those that `take` takes. */
  mine(count = 1, take: (one: Pooled) => boolean = () => true): void {
    for (let i = 0; i < count; i++) {
      this.#slot += 1
      const before = new Map<string, kit.MaybeEncodedAccount>()
      const landed: Array<Landed> = []
      for (const one of i === 0 ? [...this.pool.values()].filter(take) : []) {
        this.pool.delete(one.signature)
        const isTaken = this.durable.has(one.signature) || this.isValid(one.blockhash)
        const done = isTaken ? this.#execute(one, before) : undefined
        if (done !== undefined) landed.push(done)
      }
      const height = (this.blocks.at(-1)?.height ?? 500) + 1
      const hash = kit.getBase58Decoder().decode(createHash("sha256").update(`${this.#slot}/${height}`).digest())
      this.blocks.push({ slot: this.#slot, height, hash, landed, before })
      this.#finalized = Math.max(this.#finalized, this.blocks.length - 1 - this.lag.finalized)
    }
  }

  /** Makes blocks until all that has landed is final. */
  finalize(): void {
    this.mine(this.lag.finalized + 1)
  }

  /**
   * Drops the last `depth` blocks, and goes on from there. `again`: their transactions may still be in a later block.
   * Throws when one of them is final.
   */
  fork(depth: number, again: boolean): void {
    if (this.blocks.length - 1 - depth < this.#finalized) throw new RangeError("a final block cannot be dropped")
    for (let i = 0; i < depth; i++) {
      const dropped = this.blocks.pop()!
      for (const [address, account] of dropped.before)
        this.svm.setAccount(account.exists ? account : nothingAt(kit.address(address)))
      if (!again) continue
      for (const { bytes } of dropped.landed) this.#pool(bytes)
    }
    this.#slot += 1
  }

  /** Puts a transaction that a fork dropped into the next block, however old it is. */
  revive({ signature, bytes }: Landed): void {
    this.durable.add(signature)
    this.#pool(bytes)
    this.mine(1)
  }

  #pool(bytes: Uint8Array): Pooled {
    const transaction = kit.getTransactionDecoder().decode(bytes)
    const message = kit.getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
    const signature = kit.getSignatureFromTransaction(transaction)
    const one = { signature, blockhash: message.lifetimeToken, transaction, bytes }
    this.pool.set(signature, one)
    return one
  }

  find(signature: string, until: Block = this.head): Landed | undefined {
    for (const { landed, slot } of this.blocks.toReversed()) {
      const found = slot <= until.slot ? landed.find((one) => one.signature === signature) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The transactions that name an address, newest first. */
  history(address: string, until: Block): ReadonlyArray<Landed> {
    return this.blocks
      .filter(({ slot }) => slot <= until.slot)
      .flatMap(({ landed }) => landed.filter(({ keys }) => keys.includes(address)))
      .toReversed()
  }

  /** An account as it was after a block. */
  account(address: string, at: Block = this.head): kit.MaybeEncodedAccount {
    const later = this.blocks.find(({ slot, before }) => slot > at.slot && before.has(address))
    return later?.before.get(address) ?? this.svm.getAccount(kit.address(address))
  }

  tokens(account: string, at: Block = this.head): bigint {
    return tokenAccount(this.account(account, at))?.amount ?? 0n
  }

  lamports(address: string, at: Block = this.head): bigint {
    const account = this.account(address, at)
    return account.exists ? account.lamports : 0n
  }

  simulate(bytes: Uint8Array): { readonly error: unknown; readonly logs: ReadonlyArray<string> } {
    this.svm.withSigverify(false)
    const result = this.svm.simulateTransaction(kit.getTransactionDecoder().decode(bytes))
    this.svm.withSigverify(true)
    return result instanceof FailedTransactionMetadata
      ? { error: errorOf(result), logs: result.meta().logs() }
      : { error: null, logs: result.meta().logs() }
  }

  #execute(
    { signature, transaction, bytes }: Pooled,
    before: Map<string, kit.MaybeEncodedAccount>
  ): Landed | undefined {
    if (this.find(signature) !== undefined) return undefined
    const message = kit.getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
    if (message.version === 1) throw new TypeError("a transaction of version 1 is not supported")
    const keys = message.staticAccounts
    const was = keys.map((key) => this.svm.getAccount(key))
    const result = this.svm.sendTransaction(transaction)
    const error = result instanceof FailedTransactionMetadata ? errorOf(result) : null
    // Errors that keep a transaction out of a block: it changes nothing, not even its fee.
    if (typeof error === "string") return undefined
    const is = keys.map((key) => this.svm.getAccount(key))
    for (const [i, key] of keys.entries()) if (!before.has(key)) before.set(key, was[i]!)
    const lamportsOf = (account: kit.MaybeEncodedAccount) => (account.exists ? BigInt(account.lamports) : 0n)
    const tokensOf = (accounts: ReadonlyArray<kit.MaybeEncodedAccount>) =>
      accounts.map(tokenAccount).filter((one) => one !== undefined)
    const memo = message.instructions.find(({ programAddressIndex }) => keys[programAddressIndex] === MEMO_PROGRAM)
    return {
      signature,
      slot: this.#slot,
      keys,
      signers: message.header.numSignerAccounts,
      error,
      fee: 5000n * BigInt(message.header.numSignerAccounts),
      lamports: [was.map(lamportsOf), is.map(lamportsOf)],
      tokens: [tokensOf(was), tokensOf(is)],
      memo: memo?.data === undefined ? null : new TextDecoder().decode(memo.data as Uint8Array),
      instructions: message.instructions.map(({ accountIndices = [], data = new Uint8Array(), programAddressIndex }) =>
        showInstruction(
          keys[programAddressIndex]!,
          accountIndices.map((at) => keys[at]!),
          new Uint8Array(data)
        )
      ),
      bytes
    }
  }

  timeOf(slot: number): number {
    return Math.floor((GENESIS_MS + slot * SLOT_MS) / 1000)
  }

  /** Gives an address SOL, outside of any transaction. Call it before the blocks that matter. */
  fund(address: string, lamports: bigint): void {
    this.svm.setAccount({ ...nothingAt(kit.address(address)), lamports: kit.lamports(lamports) })
  }

  /** A token with a mint of its own. */
  async mint(decimals: number): Promise<kit.Address> {
    const { address } = await kit.generateKeyPairSigner()
    this.#place(
      address,
      getMintEncoder().encode({
        mintAuthority: null,
        supply: 10n ** 18n,
        decimals,
        isInitialized: true,
        freezeAuthority: null
      })
    )
    return address
  }

  /** Gives an owner tokens, outside of any transaction, and returns their account. */
  async fundTokens(owner: string, mint: string, amount: bigint, frozen = false): Promise<kit.Address> {
    const account = await deriveTokenAccount(owner, mint)
    this.#place(
      account,
      getTokenEncoder().encode({
        mint: kit.address(mint),
        owner: kit.address(owner),
        amount,
        delegate: null,
        state: frozen ? 2 : 1,
        isNative: null,
        delegatedAmount: 0n,
        closeAuthority: null
      })
    )
    return account
  }

  #place(address: kit.Address, data: kit.ReadonlyUint8Array): void {
    const space = BigInt(data.length)
    const lamports = kit.lamports(this.svm.minimumBalanceForRentExemption(space))
    this.svm.setAccount({
      address,
      data: new Uint8Array(data),
      executable: false,
      lamports,
      programAddress: TOKEN_PROGRAM_ADDRESS,
      space
    })
  }

  /** A payment of somebody's wallet: what a customer's wallet sends. Returns the signature. */
  async pay(
    payer: kit.KeyPairSigner,
    mint: string,
    owner: string,
    amount: bigint,
    { decimals = 6, memo }: { readonly decimals?: number; readonly memo?: string } = {}
  ): Promise<string> {
    const [source, destination] = [await deriveTokenAccount(payer.address, mint), await deriveTokenAccount(owner, mint)]
    const instructions: ReadonlyArray<kit.Instruction> = [
      getCreateAssociatedTokenIdempotentInstruction({
        payer,
        ata: destination,
        owner: kit.address(owner),
        mint: kit.address(mint)
      }),
      getTransferCheckedInstruction({
        source,
        mint: kit.address(mint),
        destination,
        authority: payer,
        amount,
        decimals
      }),
      ...(memo === undefined ? [] : [{ programAddress: MEMO_PROGRAM, data: new TextEncoder().encode(memo) }])
    ]
    return this.#signAndSend(payer, instructions)
  }

  /** Several payments in one transaction, each signed by its payer, out of and into accounts that exist. The first one pays the fee. */
  async payMany(
    mint: string,
    payments: ReadonlyArray<{ readonly payer: kit.KeyPairSigner; readonly owner: string; readonly amount: bigint }>
  ): Promise<string> {
    const instructions = await Promise.all(
      payments.map(async ({ amount, owner, payer }) =>
        getTransferCheckedInstruction({
          source: await deriveTokenAccount(payer.address, mint),
          mint: kit.address(mint),
          destination: await deriveTokenAccount(owner, mint),
          authority: payer,
          amount,
          decimals: 6
        })
      )
    )
    return this.#signAndSend(payments[0]!.payer, instructions)
  }

  async #signAndSend(payer: kit.KeyPairSigner, instructions: ReadonlyArray<kit.Instruction>): Promise<string> {
    const blockhash = kit.blockhash(this.head.hash)
    const message = kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      (one) => kit.setTransactionMessageFeePayerSigner(payer, one),
      (one) => kit.setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, one),
      (one) => kit.appendTransactionMessageInstructions(instructions, one)
    )
    const signed = await kit.signTransactionMessageWithSigners(message)
    const { signature, refused } = this.send(new Uint8Array(kit.getTransactionEncoder().encode(signed)))
    if (refused !== null) throw new Error(refused)
    return signature
  }
}

/** The associated token account of an owner. */
export const deriveTokenAccount = async (owner: string, mint: string): Promise<kit.Address> => {
  const seeds = { owner: kit.address(owner), mint: kit.address(mint), tokenProgram: TOKEN_PROGRAM_ADDRESS }
  const [address] = await findAssociatedTokenPda(seeds, { programAddress: ASSOCIATED_TOKEN_PROGRAM_ADDRESS })
  return address
}
