/** Every endpoint that is served: one line for each resource's handlers. */
import { Effect } from "effect"
import { merchantEndpoints } from "./handlers/merchant.ts"
import { transferEndpoints } from "./handlers/transfer.ts"
import { walletEndpoints } from "./handlers/wallet.ts"

export const allEndpoints = Effect.map(Effect.all([merchantEndpoints, walletEndpoints, transferEndpoints]), (groups) => groups.flat())
