/** The transactions that the adapter signs: one transfer of tokens each, with a mark of its command. */
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import * as kit from "@solana/kit"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { Signer, SignerFault, SigningIntent, SigningRefused } from "../../../engine/ports/Signer.ts"

export const memoProgram = kit.address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")

/** The compute units of a transfer that opens an account, with room to spare. */
const transferUnits = 120_000
/**
 * The memo program writes the memo to the log: 200,000 units are enough for 566 bytes of it, as its documentation says, and a transaction that
 * runs out of units fails.
 */
const memoByteUnits = 500

/** Computes the most compute units that a transfer may use. */
export const computeUnitsFor = ({ memo }: Pick<SolanaTransfer, "memo">): number =>
  transferUnits + memoByteUnits * Buffer.byteLength(memo ?? "")

/** What one signature costs, in lamports. */
export const signatureFee = 5000n

/** Computes the lamports for a transaction, without rent. `price` is in micro-lamports per compute unit. */
export const computeFee = (signatures: number, price: bigint, transfer: Pick<SolanaTransfer, "memo">): bigint =>
  signatureFee * BigInt(signatures) + (price * BigInt(computeUnitsFor(transfer)) + 999_999n) / 1_000_000n

/** Finds an owner's associated token account, to which wallets and exchanges pay. */
export const findAssociatedAccount = (owner: string, mint: string): Promise<kit.Address> =>
  findAssociatedTokenPda({
    owner: kit.address(owner),
    mint: kit.address(mint),
    tokenProgram: TOKEN_PROGRAM_ADDRESS
  }).then(([address]) => address)

/**
 * Derives the address that marks all transactions of a command. It makes two equal payments different transactions, and finds the
 * command's transactions on the chain without the state store.
 */
export const deriveReferenceAddress = (command_id: string): kit.Address =>
  kit.getAddressDecoder().decode(createHash("sha256").update(`corridor/${command_id}`).digest())

export interface SolanaTransfer {
  readonly command_id: string
  /** Pays the fee, and the rent of accounts that are opened. */
  readonly fee_payer: { readonly address: string; readonly key_ref: string }
  readonly owner: { readonly address: string; readonly key_ref: string }
  readonly source: string
  readonly mint: string
  readonly decimals: number
  readonly amount: bigint
  readonly destination: string
  /** The owner of `destination`, when it may have to be opened. */
  readonly opens_for: string | null
  readonly memo: string | null
  readonly price: bigint
}

/** For how long a transaction can be included. No block at or before `slot` contains it. */
export interface Lifetime {
  readonly blockhash: kit.Blockhash
  readonly last_valid_block_height: number
  readonly slot: number
}

const compileTransfer = (transfer: SolanaTransfer, lifetime: Lifetime) => {
  const feePayer = kit.createNoopSigner(kit.address(transfer.fee_payer.address))
  const move = getTransferCheckedInstruction({
    source: kit.address(transfer.source),
    mint: kit.address(transfer.mint),
    destination: kit.address(transfer.destination),
    authority: kit.createNoopSigner(kit.address(transfer.owner.address)),
    amount: transfer.amount,
    decimals: transfer.decimals
  })
  const mark = { address: deriveReferenceAddress(transfer.command_id), role: kit.AccountRole.READONLY }
  const instructions: ReadonlyArray<kit.Instruction> = [
    ...(transfer.opens_for === null
      ? []
      : [
          getCreateAssociatedTokenIdempotentInstruction({
            payer: feePayer,
            ata: kit.address(transfer.destination),
            owner: kit.address(transfer.opens_for),
            mint: kit.address(transfer.mint)
          })
        ]),
    { ...move, accounts: [...move.accounts, mark] },
    ...(transfer.memo === null ? [] : [{ programAddress: memoProgram, data: new TextEncoder().encode(transfer.memo) }])
  ]
  return kit.compileTransaction(
    kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      (message) => kit.setTransactionMessageFeePayer(feePayer.address, message),
      (message) =>
        kit.setTransactionMessageLifetimeUsingBlockhash(
          { blockhash: lifetime.blockhash, lastValidBlockHeight: BigInt(lifetime.last_valid_block_height) },
          message
        ),
      (message) => kit.setTransactionMessageComputeUnitLimit(computeUnitsFor(transfer), message),
      (message) =>
        transfer.price === 0n ? message : kit.setTransactionMessageComputeUnitPrice(transfer.price, message),
      (message) => kit.appendTransactionMessageInstructions(instructions, message)
    )
  )
}

/** Encodes the transaction without its signatures, in base64, as `simulateTransaction` takes it. */
export const encodeForSimulation = (transfer: SolanaTransfer, lifetime: Lifetime): kit.Base64EncodedWireTransaction =>
  kit.getBase64EncodedWireTransaction(compileTransfer(transfer, lifetime))

/** Signs a transfer. Returns the transaction in base64, and its first signature, which is its id on the chain. */
export const signTransfer = Effect.fnUntraced(function* (
  signer: Signer["Service"],
  transfer: SolanaTransfer,
  lifetime: Lifetime,
  intent: SigningIntent
): Effect.fn.Return<{ readonly signature: string; readonly wire: string }, SigningRefused | SignerFault> {
  const transaction = compileTransfer(transfer, lifetime)
  const keys = new Map([transfer.fee_payer, transfer.owner].map(({ address, key_ref }) => [address, key_ref]))
  const signatures = new Map<string, Uint8Array>()
  for (const [address, key_ref] of keys)
    signatures.set(address, yield* signer.sign(key_ref, "ed25519", new Uint8Array(transaction.messageBytes), intent))
  const complete = {
    ...transaction,
    signatures: Object.fromEntries(
      Object.keys(transaction.signatures).map((address) => [address, signatures.get(address) ?? null])
    ) as kit.SignaturesMap
  }
  kit.assertIsFullySignedTransaction(complete)
  return {
    signature: kit.getSignatureFromTransaction(complete),
    wire: kit.getBase64EncodedWireTransaction(complete)
  }
})
