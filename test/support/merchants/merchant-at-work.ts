/** A merchant at work in an engine: what scenarios say and ask, without the ceremony. */
import assert from "node:assert/strict"
import { Clock, Effect } from "effect"
import { begin } from "../../../src/engine/commit/steps.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { kinds } from "../../../src/engine/registry.ts"
import { BeneficiaryKind } from "../../../src/engine/resources/parties/beneficiary.ts"
import { CustomerKind } from "../../../src/engine/resources/parties/customer.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { Offramps, type CreateOfframp } from "../../../src/engine/resources/movements/offramp.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import type { SandboxDeposit, SandboxOutcome } from "../../../src/engine/sandbox/inputs.ts"
import { Transactions } from "../../../src/engine/reports/transaction.ts"
import { Transfers, type CreateTransfer } from "../../../src/engine/resources/movements/transfer.ts"
import { WalletKind, Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import type { RefundHandling, Submissions } from "../../../src/engine/ports/Sandbox.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import type { Tier } from "../../../src/machines/parties/customer.ts"
import { call } from "../engines/simulated-engine.ts"

/** What a published event says, without its object: type, sequence, what changed, the word for the status. */
export interface Published {
  readonly type: string
  readonly sequence: number
  readonly changes: readonly [string | null, string] | null
  readonly status: string
}

const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"

/** A merchant with a USDC wallet that holds `funds`, and everything it does. */
export const merchantAtWork = Effect.fnUntraced(function* (funds: string = "1000", tier: Tier | null = null) {
  const ids = yield* Ids
  const unitOfWork = yield* UnitOfWork
  const storage = yield* Storage
  const merchants = yield* Merchants
  const wallets = yield* Wallets
  const transfers = yield* Transfers
  const offramps = yield* Offramps
  const quotes = yield* Quotes
  const exceptions = yield* Exceptions
  const transactions = yield* Transactions
  const sandbox = yield* SandboxOperations
  const provider = yield* Sandbox
  const operator = yield* call(PLATFORM_MERCHANT)
  const { merchant } = yield* merchants.create(operator, { name: "Ada Ltd", country_code: "NG", status: "active" })
  const merchant_id = merchant.id
  const caller = yield* call(merchant_id)

  const written = Effect.fnUntraced(function* (
    kind: any,
    prefix: "ben" | "cust",
    data: object,
    customer_id: string | null
  ) {
    const made = yield* begin(
      kind,
      { merchant_id, id: yield* ids.make(prefix), customer_id },
      data,
      yield* Clock.currentTimeMillis
    )
    yield* unitOfWork.apply(
      merchant_id,
      { deduplicationKey: `test/${made.row.id}` },
      Effect.succeed({ changes: [made.changes], result: undefined })
    )
    return made.row.id
  })

  const customer =
    tier === null
      ? undefined
      : yield* written(
          CustomerKind,
          "cust",
          {
            type: "individual",
            name: "Bisi",
            email: "bisi@example.com",
            merchant_reference: null,
            country_code: "NG",
            tier,
            kyc_status: "not_started",
            is_default: false,
            metadata: {},
            profile: null
          },
          null
        )
  const wallet = yield* wallets.create(caller, {
    currency: "USDC",
    ...(customer === undefined ? {} : { customer_id: customer })
  })
  if (funds !== "0") yield* sandbox.deposit(caller, { wallet_id: wallet.id, amount: funds })

  const beneficiary = (data: object) =>
    written(
      BeneficiaryKind,
      "ben",
      {
        customer_id: wallet.customer_id,
        name: "Chidi",
        label: null,
        metadata: {},
        merchant_reference: null,
        screening_id: "scr_1",
        screening: "cleared",
        ...data
      },
      wallet.customer_id
    )
  const crypto = (address: string = solana, network = "solana") =>
    beneficiary({ type: "crypto", currency: "USDC", details: { network, address, memo: null } })
  const bank = (account_number = "0123456789") =>
    beneficiary({
      type: "fiat",
      currency: "NGN",
      details: {
        country_code: "NG",
        network: "bank",
        account_number,
        provider: { id: "prov_1", name: "GTB", code: "058" },
        account_name: "Chidi"
      }
    })
  const somebody = yield* crypto()

  const rowOf = Effect.fnUntraced(function* (id: string) {
    const [row] = yield* storage.get([{ merchant_id, kind: kinds.ofId(id)?.kind ?? "", id }])
    assert.ok(row !== undefined, id)
    return row!
  })

  return {
    merchant_id,
    caller,
    operator,
    wallet,
    customer,
    crypto,
    bank,
    beneficiary: somebody,
    rowOf,

    /** Moves the wallet to another network, as a credential there would. */
    networked: Effect.fnUntraced(function* (network: string) {
      const row = yield* unitOfWork.load(WalletKind, merchant_id, wallet.id)
      const next = yield* unitOfWork.step(
        WalletKind,
        row,
        { type: "update", patch: { network } },
        yield* Clock.currentTimeMillis
      )
      yield* unitOfWork.apply(
        merchant_id,
        { deduplicationKey: `test/${wallet.id}/${network}` },
        Effect.succeed({ changes: [next!.changes], result: undefined })
      )
    }),
    /** Pays `amount` to a chain. */
    transfer: (amount: string, more: Partial<CreateTransfer> = {}) =>
      transfers.create(caller, { wallet_id: wallet.id, beneficiary_id: somebody, amount, ...more }),
    quote: Effect.fnUntraced(function* (amount: string, account_number?: string) {
      return yield* quotes.offramp(caller, {
        wallet_id: wallet.id,
        beneficiary_id: yield* bank(account_number),
        source_amount: amount
      })
    }),
    execute: (quote_id: string, more: Partial<CreateOfframp> = {}) => offramps.create(caller, { quote_id, ...more }),
    /** Quotes and executes an offramp of `amount` to a bank account. */
    offramp: Effect.fnUntraced(function* (
      amount: string,
      more: Partial<CreateOfframp> & { readonly account_number?: string; readonly beneficiary_id?: string } = {}
    ) {
      const { account_number, beneficiary_id, ...rest } = more
      const quote = yield* quotes.offramp(caller, {
        wallet_id: wallet.id,
        beneficiary_id: beneficiary_id ?? (yield* bank(account_number)),
        source_amount: amount
      })
      return yield* offramps.create(caller, { quote_id: quote.id, ...rest })
    }),
    deposit: (input: Partial<SandboxDeposit> & { readonly amount: string }) =>
      sandbox.deposit(caller, { wallet_id: wallet.id, ...input }),
    says: (resource_id: string, outcome: SandboxOutcome["outcome"], more: Partial<SandboxOutcome> = {}) =>
      sandbox.outcome(caller, { resource_id, outcome, ...more }),
    behaves: (submissions: Submissions) => sandbox.behave(caller, { submissions }),
    /** How the provider treats refunds. */
    refunds: (refunds: RefundHandling) => sandbox.behave(caller, { submissions: "accept", refunds }),
    settle: sandbox.settle(caller),
    advance: (seconds: number) => sandbox.advance({ seconds }),
    executions: (id: string) => provider.executionsOf(id),

    /** The wallet's balances, and whatever is in clearing or suspense of this merchant's. */
    balance: Effect.map(wallets.get(caller, wallet.id), ({ body }) => body.balance),
    body: Effect.fnUntraced(function* (id: string) {
      if (id.startsWith("tfr_")) return (yield* transfers.get(caller, id)).body as Record<string, any>
      if (id.startsWith("ofr_")) return (yield* offramps.get(caller, id)).body as Record<string, any>
      return (yield* transactions.get(caller, id)).body as Record<string, any>
    }),
    status: (id: string) => Effect.map(rowOf(id), ({ status }) => status),
    /** What was published of a resource, oldest first. */
    published: Effect.fnUntraced(function* (object_id: string) {
      const { items } = yield* storage.events({ merchant_id, object_id, offset: 0, limit: 100 })
      return items.toReversed().map((event): Published => {
        const body = JSON.parse(event.body)
        assert.strictEqual(body.event_sequence, event.sequence)
        assert.strictEqual(body.event_object.id, object_id.startsWith("txn_") ? object_id : body.event_object_id)
        return {
          type: event.type,
          sequence: event.sequence,
          changes: body.event_object_changes === null ? null : body.event_object_changes.status,
          status: body.event_object_status
        }
      })
    }),
    /** The body of a published event. */
    object: Effect.fnUntraced(function* (object_id: string, type: string) {
      const { items } = yield* storage.events({ merchant_id, object_id, type, offset: 0, limit: 2 })
      assert.strictEqual(items.length, 1, type)
      return JSON.parse(items[0]!.body).event_object as Record<string, any>
    }),
    /** Ids of transfers that have not ended. */
    underWay: Effect.map(transfers.list(caller, { status: "processing", per_page: 200 }), ({ items }) =>
      items.map(({ id }) => id)
    ),
    transactions: Effect.map(transactions.list(caller, { per_page: 200 }), ({ items }) => items),
    /** Open exceptions of this merchant's. */
    exceptions: Effect.map(exceptions.list({ status: "open", per_page: 200 }), ({ items }) =>
      items.filter((one) => one.merchant_id === merchant_id)
    ),
    resolve: (id: string, action: "refund" | "credit" | "dismiss") =>
      exceptions.resolve(operator, id, { action, note: "seen" }),
    /** When its next job falls due, in seconds from now, and what kind of work it is. In steps of five: a test takes time itself. */
    next: Effect.fnUntraced(function* (id: string) {
      const { items } = yield* storage.jobs({ merchant_id, queue: "command", body: { id }, offset: 0, limit: 2 })
      const [job] = items.filter(({ status }) => status === "pending")
      if (job === undefined) return undefined
      const now = yield* Clock.currentTimeMillis
      return { operation: job.body["operation"] as string, seconds: 5 * Math.ceil(((job.due_at ?? 0) - now) / 5000) }
    })
  }
})

export type MerchantAtWork = Effect.Success<ReturnType<typeof merchantAtWork>>

/** A line an event is told in: `1 offramp.created null>created`, `2 offramp.funds_received =created`. */
export const eventLine = ({ type, sequence, changes, status }: Published): string =>
  `${sequence} ${type} ${changes === null ? `=${status}` : `${changes[0]}>${changes[1]}`}`

/** Makes movements of 10 for a merchant that is there already: to a chain (null), or to a bank account. */
export const movementsOf = Effect.fnUntraced(function* (merchant_id: string, wallet_id: string) {
  const ids = yield* Ids
  const unitOfWork = yield* UnitOfWork
  const transfers = yield* Transfers
  const offramps = yield* Offramps
  const quotes = yield* Quotes
  const caller = yield* call(merchant_id)
  const { customer_id } = yield* unitOfWork.load(WalletKind, merchant_id, wallet_id)
  const beneficiaries = new Map<string | null, string>()

  const beneficiary = Effect.fnUntraced(function* (account: string | null) {
    const known = beneficiaries.get(account)
    if (known !== undefined) return known
    const id = yield* ids.make("ben")
    const details =
      account === null
        ? { network: "solana", address: solana, memo: null }
        : {
            country_code: "NG",
            network: "bank",
            account_number: account,
            provider: { id: "prov_1", name: "GTB", code: "058" },
            account_name: "Chidi"
          }
    const made = yield* begin(
      BeneficiaryKind as any,
      { merchant_id, id, customer_id },
      {
        customer_id,
        name: "Chidi",
        label: null,
        type: account === null ? "crypto" : "fiat",
        currency: account === null ? "USDC" : "NGN",
        details,
        metadata: {},
        merchant_reference: null,
        screening_id: "scr_1",
        screening: "cleared"
      },
      yield* Clock.currentTimeMillis
    )
    yield* unitOfWork.apply(
      merchant_id,
      { deduplicationKey: `test/${id}` },
      Effect.succeed({ changes: [made.changes], result: undefined })
    )
    beneficiaries.set(account, id)
    return id
  })

  return Effect.fnUntraced(function* (account: string | null, reference: string) {
    const beneficiary_id = yield* beneficiary(account)
    if (account === null) return yield* transfers.create(caller, { wallet_id, beneficiary_id, amount: "10", reference })
    const quote = yield* quotes.offramp(caller, { wallet_id, beneficiary_id, source_amount: "10" })
    return yield* offramps.create(caller, { quote_id: quote.id, reference })
  })
})
