/** Transfers from a wallet: the commands of the engine, as Bridge is asked them. */
import { makeKeyedPayments, type MadeRequest } from "../company/keyed.ts"
import { paymentDecimals } from "../company/answers.ts"
import { idempotencyKey } from "../company/idempotency.ts"
import type { OpenCompany } from "../company/provider.ts"
import type { BridgeCalls } from "./calls.ts"
import { type BridgeTransfer, type ExpectedTransfer, mayBe, transferSeen, unitsOf } from "./mapping.ts"
import type { BridgeConfig } from "./options.ts"

export interface BridgeParts extends OpenCompany {
  readonly config: BridgeConfig
  readonly calls: BridgeCalls
}

/** What Bridge is asked for a command. */
export interface TransferRequest extends MadeRequest {
  /** Bridge's id of the account that is paid. Null: a deposit is returned. */
  readonly account: string | null
  readonly deposit_id?: string
  readonly currency: string
}

/** Bridge forgets a key after 24 hours. A request is not repeated later than this, milliseconds. */
export const keyMs = 20 * 3_600_000

export const makeTransfers = (parts: BridgeParts) => {
  const { calls } = parts
  return makeKeyedPayments<TransferRequest, ExpectedTransfer, BridgeTransfer>(parts, {
    ...{ kind: "bridge_request", key_ms: keyMs, isRemade: true, mayBe },
    parse: (amount) => unitsOf(amount, paymentDecimals),
    expect: (command_id, { account, currency, deposit_id, units }) => ({
      ...{ command_id, account, currency, units: BigInt(units) },
      ...(deposit_id !== undefined && { deposit_id })
    }),
    post: ({ body, round }, expected) => calls.post(idempotencyKey(`${expected.command_id}/${round}`), body, expected),
    find: (id, expected) => (id === null ? undefined : calls.find(id, expected)),
    list: (_, since) => calls.since(since),
    see: (transfer, expected) =>
      transfer.client_reference_id === expected.command_id ? transferSeen(transfer, expected) : undefined
  })
}

export type BridgeTransfers = ReturnType<typeof makeTransfers>
