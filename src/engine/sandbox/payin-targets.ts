/** Where a pay-in of the sandbox arrives: an address or an account, made for the purpose if there is none (SANDBOX-1). */
import { bindFirst } from "../../machines/kernel/bound.ts"
import { Clock, Effect } from "effect"
import type { DepositAddressData } from "../../machines/wallets/deposit-address.ts"
import type { WalletCredentialData } from "../../machines/wallets/wallet-credential.ts"
import type { WalletData } from "../../machines/wallets/wallet.ts"
import type { Call } from "../commit/call.ts"
import type { Kind } from "../commit/kind.ts"
import { begin, jobId, type Stepped } from "../commit/steps.ts"
import { UnitOfWork } from "../commit/UnitOfWork.ts"
import { BadRequest, field, type NotFound, type Unavailable } from "../ports/errors.ts"
import { Ids } from "../ports/Ids.ts"
import type { Provider } from "../ports/Provider.ts"
import { Sandbox, type ScheduledEvent } from "../ports/Sandbox.ts"
import { type Row, Storage } from "../ports/Storage.ts"
import { walletSummary } from "../representations/wallets/wallet.ts"
import {
  findTarget,
  type Issued,
  onrampTarget,
  type PayinTarget,
  targetOf
} from "../resources/deposits/payin-target.ts"
import { OnrampKind } from "../resources/movements/onramp.ts"
import { CustomerKind } from "../resources/parties/customer.ts"
import { DepositAddressKind } from "../resources/wallets/deposit-address.ts"
import { WalletCredentialKind } from "../resources/wallets/wallet-credential.ts"
import { WalletKind } from "../resources/wallets/wallet.ts"
import { keyLifetime } from "../settings/retention.ts"
import type { SandboxDeposit } from "./inputs.ts"

const targets = ["wallet_id", "deposit_address_id", "credential_id", "onramp_id"] as const

const makeDeps = (
  provider: Provider["Service"],
  receive: (scheduled: ScheduledEvent) => Effect.Effect<void, Unavailable>
) =>
  Effect.gen(function* () {
    return {
      provider,
      receive,
      unitOfWork: yield* UnitOfWork,
      storage: yield* Storage,
      sandbox: yield* Sandbox,
      ids: yield* Ids
    }
  })
type Deps = Effect.Success<ReturnType<typeof makeDeps>>

const issue = Effect.fnUntraced(function* <Data>(
  { receive, sandbox, unitOfWork }: Deps,
  kind: Kind<Data>,
  row: Row<Data>
) {
  yield* receive(yield* sandbox.issued(kind.issue!(row, jobId(row.id, "issue"))))
  return yield* unitOfWork.load(kind, row.merchant_id, row.id)
})

/** The newest active resource of a kind with these index keys. */
const activeOf = Effect.fnUntraced(function* <Data>(
  { storage }: Deps,
  kind: Kind<Data>,
  merchant_id: string,
  index_keys: ReadonlyArray<string>
) {
  const { items } = yield* storage.list({
    merchant_id,
    kinds: [kind.kind],
    index_keys: [...index_keys, "status=active"],
    offset: 0,
    limit: 1
  })
  return items[0] as Row<Data> | undefined
})

/** Writes a new address or credential, and issues it. */
const openTarget = Effect.fnUntraced(function* <Data>(deps: Deps, kind: Kind<Data>, { changes, row }: Stepped<Data>) {
  const { unitOfWork } = deps
  yield* unitOfWork.apply(
    row.merchant_id,
    { deduplicationKey: `sandbox/${row.id}`, deduplication_ms: keyLifetime },
    Effect.succeed({ changes: [changes], result: undefined })
  )
  return yield* issue(deps, kind, row)
})

/** A credential of a fiat wallet in its own currency: an active one, or a new one. */
const credentialOf = Effect.fnUntraced(function* (
  deps: Deps,
  { data: w, id: wallet_id, merchant_id }: Row<WalletData>
) {
  const { unitOfWork, ids, provider } = deps
  const active = yield* activeOf(deps, WalletCredentialKind, merchant_id, [
    `wallet_id=${wallet_id}`,
    `currency=${w.currency}`
  ])
  if (active !== undefined) return active
  const customer = yield* unitOfWork.load(CustomerKind, merchant_id, w.customer_id)
  const made = yield* begin<WalletCredentialData>(
    WalletCredentialKind,
    { merchant_id, id: yield* ids.make(WalletCredentialKind.prefix), customer_id: w.customer_id },
    {
      wallet_id,
      type: w.type,
      currency: w.currency,
      country_code: w.country_code,
      network: w.network,
      wallet_currency: w.currency,
      holder: customer.data.name,
      label: "sandbox",
      metadata: {},
      target: null,
      details: null,
      provider_resource_id: null,
      provider: provider.name
    },
    yield* Clock.currentTimeMillis
  ).pipe(Effect.provideService(Ids, ids))
  return yield* openTarget(deps, WalletCredentialKind, made)
})

/** A deposit address of a crypto wallet: an active one, or a new one. */
const addressOf = Effect.fnUntraced(function* (deps: Deps, wallet: Row<WalletData>) {
  const { ids, provider } = deps
  const { id: wallet_id, merchant_id } = wallet
  const active = yield* activeOf(deps, DepositAddressKind, merchant_id, [`wallet_id=${wallet_id}`])
  if (active !== undefined) return active
  const made = yield* begin<DepositAddressData>(
    DepositAddressKind,
    { merchant_id, id: yield* ids.make(DepositAddressKind.prefix), customer_id: wallet.customer_id },
    {
      wallet_id,
      wallet: walletSummary(wallet),
      currency: wallet.data.currency,
      network: wallet.data.network,
      label: "sandbox",
      metadata: {},
      address: null,
      provider_resource_id: null,
      disabled_reason: null,
      provider: provider.name
    },
    yield* Clock.currentTimeMillis
  ).pipe(Effect.provideService(Ids, ids))
  return yield* openTarget(deps, DepositAddressKind, made)
})

/** The address or account of a wallet that a pay-in was reported at before. */
const earlierTargetOf = Effect.fnUntraced(function* (
  { provider, storage }: Deps,
  { id }: Row<WalletData>,
  before: PayinTarget
) {
  const { owner } = yield* findTarget(storage, before, provider.name)
  const [row] = owner === null ? [] : yield* storage.get([owner])
  const isIssued = row?.kind === DepositAddressKind.kind || row?.kind === WalletCredentialKind.kind
  return isIssued && (row.data as Issued).wallet_id === id ? (row as Row<Issued>) : undefined
})

/** The target that a pay-in names. A wallet's is the one that the pay-in was reported at `before`, if there is one. */
const targetIn = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  input: SandboxDeposit,
  before: PayinTarget | undefined
): Effect.fn.Return<PayinTarget<string>, BadRequest | NotFound | Unavailable> {
  const { unitOfWork } = deps
  const named = targets.filter((name) => input[name] !== undefined)
  if (named.length !== 1) {
    const message = `Send exactly one of ${targets.join(", ")}; found ${named.length === 0 ? "none" : named.join(", ")}.`
    return yield* new BadRequest(
      field(named[0] ?? "wallet_id", named.length === 0 ? "required" : "invalid_value", message)
    )
  }
  if (input.wallet_id !== undefined) {
    const wallet = yield* unitOfWork.load(WalletKind, call.merchant_id, input.wallet_id)
    const row =
      (before && (yield* earlierTargetOf(deps, wallet, before))) ??
      (wallet.data.type === "crypto" ? yield* addressOf(deps, wallet) : yield* credentialOf(deps, wallet))
    return targetOf(row)!
  }
  if (input.deposit_address_id !== undefined) {
    const row = yield* unitOfWork.load(DepositAddressKind, call.merchant_id, input.deposit_address_id)
    return targetOf(row) ?? targetOf(yield* issue(deps, DepositAddressKind, row))!
  }
  if (input.credential_id !== undefined) {
    const row = yield* unitOfWork.load(WalletCredentialKind, call.merchant_id, input.credential_id)
    return targetOf(row) ?? targetOf(yield* issue(deps, WalletCredentialKind, row))!
  }
  const { data: o } = yield* unitOfWork.load(OnrampKind, call.merchant_id, input.onramp_id ?? "")
  return onrampTarget(o)
})

/** `receive` hands a report of the provider to the engine. */
export const makePayinTargets = (
  provider: Provider["Service"],
  receive: (scheduled: ScheduledEvent) => Effect.Effect<void, Unavailable>
) =>
  Effect.map(makeDeps(provider, receive), (deps) => ({
    ...bindFirst(deps, { targetIn }),
    issue: <Data>(kind: Kind<Data>, row: Row<Data>) => issue(deps, kind, row)
  }))
