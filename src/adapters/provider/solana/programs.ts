import * as kit from "@solana/kit"

/** The owner of accounts that hold SOL alone: wallets. */
export const SYSTEM_PROGRAM_ADDRESS = kit.address("11111111111111111111111111111111")
