/** What a provider says of pay-ins, member by member: for what the sandbox, which never contradicts itself, would not say. */
import { Effect } from "effect"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import type { IssuedEvent, PayinEvent } from "../../../src/engine/ports/Provider.ts"
import { DepositAddresses } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import type { MerchantAtWork } from "./merchant-at-work.ts"

/** An event of the provider's on a pay-in; what is left out is the plainest there is. */
export const payinEvent = (
  more: Partial<PayinEvent> & Pick<PayinEvent, "event_id" | "payin_id" | "target">
): PayinEvent => ({
  _tag: "payin",
  stage: "confirmed",
  amount: "100",
  currency: "USDC",
  network: null,
  transaction_hash: null,
  from_address: null,
  sender: null,
  narration: null,
  observed_at: 1,
  ...more
})

let serial = 0

/** An EVM address that nobody has been given, in lower case. */
export const freshAddress = (): string => `0x${(++serial).toString(16).padStart(8, "0")}${"ab".repeat(16)}`

/** The word that a deposit address is ready. */
export const makeIssuedEvent = (
  resource_id: string,
  target: string,
  network: string,
  more: Partial<IssuedEvent> = {}
): IssuedEvent => ({
  _tag: "issued",
  event_id: `issued.${resource_id}.${++serial}`,
  merchant_id: null,
  kind: "deposit_address",
  resource_id,
  provider_resource_id: `cdw_${resource_id}`,
  target,
  details: { network, address: target },
  ...more
})

/** A deposit address of a wallet's at an address of the test's choice. */
export const addressAt = Effect.fnUntraced(function* (
  m: MerchantAtWork,
  target: string,
  network = "base",
  wallet_id = m.wallet.id,
  provider = "simulated"
) {
  const { id } = yield* (yield* DepositAddresses).create(m.caller, wallet_id, { network })
  yield* (yield* Inbox).receive(provider, makeIssuedEvent(id, target, network))
  return { id, target, network }
})

/** The oldest deposit address of a merchant's, or of one wallet of the merchant's. */
export const depositAddressOf = Effect.fnUntraced(function* (merchant_id: string, wallet_id?: string) {
  const { items } = yield* (yield* Storage).list({
    merchant_id,
    kinds: ["deposit_address"],
    index_keys: wallet_id === undefined ? [] : [`wallet_id=${wallet_id}`],
    offset: 0,
    limit: 1
  })
  const { id, data } = items[0]!
  return { id, ...(data as { readonly address: string; readonly network: string }) }
})

/** Open exceptions that an event of one of these pay-ins or resources raised, oldest first. */
export const findExceptions = Effect.fnUntraced(function* (...about: ReadonlyArray<string>) {
  const { items } = yield* (yield* Exceptions).list({ status: "open", per_page: 200 })
  return items.toReversed().filter(({ provider_event }) => {
    const { payin_id, resource_id } = (provider_event ?? {}) as { payin_id?: string; resource_id?: string }
    return about.some((one) => one === payin_id || one === resource_id)
  })
})
