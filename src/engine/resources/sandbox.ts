/** What the sandbox routes do, in the test environment only (decisions 12): the simulated provider speaks on demand. */
import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import type { DepositAddressData } from "../../machines/deposit-address.ts"
import type { Call } from "../Call.ts"
import { begin, jobId } from "../Change.ts"
import { BadRequest, field, invalid, NotFound, type StorageFault } from "../errors.ts"
import { Dispatcher } from "../Dispatcher.ts"
import { Host } from "../Host.ts"
import { Ids } from "../Ids.ts"
import { Inbox } from "../Inbox.ts"
import { kindOfId } from "../kinds.ts"
import { isAmount, parseAmount } from "../../machines/kernel/money.ts"
import { currencyOf, isCurrencyCode } from "../reference/currencies.ts"
import { walletSummary } from "../representations/wallet.ts"
import { Sandbox as SandboxPort, submissionModes, type Telling } from "../Sandbox.ts"
import { Amount, Id, Optional, Text } from "../schemas.ts"
import { ServiceClock } from "../ServiceClock.ts"
import { type JobWrite, type Row, Storage } from "../Storage.ts"
import { BeneficiaryKind } from "./beneficiary.ts"
import { DepositAddressKind } from "./deposit-address.ts"
import { Payins } from "./payin.ts"
import { WalletKind } from "./wallet.ts"

export const SandboxDeposit = Schema.Struct({
  wallet_id: Optional(Id("wal")),
  deposit_address_id: Optional(Id("da")),
  credential_id: Optional(Id("wcr")),
  onramp_id: Optional(Id("onr")),
  amount: Amount,
  currency: Optional(Schema.String),
  stage: Optional(Schema.Literals(["detected", "confirmed", "failed"])),
  payin_id: Optional(Text(128)),
  from_address: Optional(Text(128)),
  sender: Optional(
    Schema.Struct({ name: Optional(Text(255)), bank: Optional(Text(255)), account_number: Optional(Text(64)) })
  ),
  narration: Optional(Text(255))
})
export type SandboxDeposit = typeof SandboxDeposit.Type

export const SandboxOutcome = Schema.Struct({
  resource_id: Text(64),
  outcome: Schema.Literals(["success", "failed", "cancelled", "reversed", "returned", "temporarily_unavailable", "refund_failed"]),
  reason: Optional(Schema.NullOr(Text(255))),
  transaction_hash: Optional(Schema.NullOr(Text(255))),
  event_id: Optional(Schema.NullOr(Text(128)))
})
export type SandboxOutcome = typeof SandboxOutcome.Type

export const SandboxProvider = Schema.Struct({ submissions: Schema.Literals(submissionModes) })
export type SandboxProvider = typeof SandboxProvider.Type

export const SandboxAdvance = Schema.Struct({
  seconds: Schema.Number.annotate({ expected: "a number of seconds from 0 to 315360000" }).check(
    Schema.makeFilter((seconds: number) => seconds >= 0 && seconds <= 315_360_000, {
      expected: "a number of seconds from 0 to 315360000",
      code: "invalid_value"
    })
  )
})
export type SandboxAdvance = typeof SandboxAdvance.Type

export const SandboxIssue = Schema.Struct({ outcome: Schema.Literal("issued") })
export const SandboxScreen = Schema.Struct({ outcome: Schema.Literal("screened") })

/** How long a change of the provider's ways, or of the time, waits for work under way elsewhere, and how often it looks. */
const PUT_DOWN_MS = 1000
const LOOK_MS = 5

const targets = ["wallet_id", "deposit_address_id", "credential_id", "onramp_id"] as const

export class SandboxOperations extends Context.Service<SandboxOperations>()("corridor/engine/SandboxOperations", {
  make: Effect.gen(function*() {
    const host = yield* Host
    const storage = yield* Storage
    const inbox = yield* Inbox
    const sandbox = yield* SandboxPort
    const payins = yield* Payins
    const dispatcher = yield* Dispatcher
    const clock = yield* ServiceClock
    const ids = yield* Ids

    const tell = Effect.fnUntraced(function*({ event, done }: Telling): Effect.fn.Return<void, StorageFault> {
      yield* inbox.receive(event)
      yield* done
    })

    const issue = Effect.fnUntraced(function*(row: Row<DepositAddressData>) {
      yield* tell(yield* sandbox.issued(DepositAddressKind.issue!(row, jobId(row.id, "issue"))))
      return yield* host.load(DepositAddressKind, row.merchant_id, row.id)
    })

    /** An address of the wallet's that pay-ins can be made to: one that is there, or one made for the purpose. */
    const addressOf = Effect.fnUntraced(function*(call: Call, wallet_id: string) {
      const { merchant_id } = call
      const wallet = yield* host.load(WalletKind, merchant_id, wallet_id)
      if (wallet.data.type !== "crypto") {
        return yield* invalid("wallet_id", `The wallet holds ${wallet.data.currency}. Fiat arrives through a wallet credential.`)
      }
      const { items } = yield* storage.list({
        merchant_id,
        kinds: ["deposit_address"],
        facets: [`wallet_id=${wallet_id}`, "status=active"],
        offset: 0,
        limit: 1
      })
      const [active] = items as ReadonlyArray<Row<DepositAddressData>>
      if (active !== undefined) return active
      const { parts, row } = yield* begin(
        DepositAddressKind,
        { merchant_id, id: yield* ids.make("da"), customer_id: wallet.customer_id },
        {
          wallet_id,
          wallet: walletSummary(wallet),
          currency: wallet.data.currency,
          network: wallet.data.network,
          label: "sandbox",
          metadata: {},
          address: null,
          provider_resource_id: null,
          disabled_reason: null
        },
        yield* Clock.currentTimeMillis
      ).pipe(Effect.provideService(Ids, ids))
      yield* host.apply(merchant_id, { once: `sandbox/${row.id}` }, Effect.succeed({ parts: [parts], result: undefined }))
      return yield* issue(row)
    })

    const targetOf = Effect.fnUntraced(function*(call: Call, input: SandboxDeposit) {
      const named = targets.filter((name) => input[name] !== undefined)
      if (named.length !== 1) {
        const message = `Give exactly one of ${targets.join(", ")}; ${named.length === 0 ? "none" : named.join(", ")} was given.`
        return yield* new BadRequest(field(named[0] ?? "wallet_id", named.length === 0 ? "required" : "invalid_value", message))
      }
      if (input.wallet_id !== undefined) return yield* addressOf(call, input.wallet_id)
      if (input.deposit_address_id !== undefined) {
        const row = yield* host.load(DepositAddressKind, call.merchant_id, input.deposit_address_id)
        return row.data.address === null ? yield* issue(row) : row
      }
      return yield* new NotFound({ message: `There is no ${named[0]!.replace("_id", "")} ${JSON.stringify(input[named[0]!])}.` })
    })

    const step = Effect.gen(function*() {
      return yield* dispatcher.drain
    })

    /** A command in the hands of a worker may have met the provider as it was a moment ago: it is put down first. */
    const putDown = Effect.fnUntraced(function*(merchant_id: string) {
      for (let waited = 0; waited < PUT_DOWN_MS; waited += LOOK_MS) {
        const { items } = yield* storage.jobs({ merchant_id, queue: "command", status: "pending", offset: 0, limit: 10_000 })
        if (items.every(({ lease }) => lease === null)) return
        yield* Effect.sleep(Duration.millis(LOOK_MS))
      }
    })

    /** Commands that wait for the provider to take submissions are due again at once. */
    const wake = Effect.fnUntraced(function*(merchant_id: string) {
      yield* putDown(merchant_id)
      const { items } = yield* storage.jobs({ merchant_id, queue: "command", status: "pending", body: { held: true }, offset: 0, limit: 10_000 })
      if (items.length === 0) return
      const at = yield* Clock.currentTimeMillis
      const jobs = items.map(({ merchant_id: _, lease: __, ...job }): JobWrite => ({ ...job, due_at: at }))
      yield* host.apply(merchant_id, { once: `sandbox/${yield* ids.make("req")}` }, Effect.succeed({ parts: [{ jobs }], result: undefined }))
    })

    return {
      /**
       * The provider reports a pay-in. Errors: `BadRequest` unless exactly one target is named; `NotFound`;
       * `InvalidInput` for a currency or an amount the target cannot hold.
       */
      deposit: Effect.fn("Sandbox.deposit")(function*(call: Call, input: SandboxDeposit) {
        const { merchant_id } = call
        const address = yield* targetOf(call, input)
        const currency = input.currency ?? address.data.currency
        if (!isCurrencyCode(currency)) return yield* new NotFound({ message: `There is no currency ${currency}.` })
        if (!isAmount(input.amount) || parseAmount(input.amount, currencyOf(currency).ledger_scale) === "precision") {
          return yield* invalid("amount", `${currency} is kept with ${currencyOf(currency).ledger_scale} decimals at most.`)
        }
        const telling = yield* sandbox.payin({
          merchant_id,
          payin_id: input.payin_id ?? null,
          stage: input.stage ?? "confirmed",
          target: address.data.address ?? "",
          amount: input.amount,
          currency,
          network: address.data.network,
          from_address: input.from_address ?? null,
          sender: (input.sender as SandboxDeposit["sender"]) ?? null,
          narration: input.narration ?? null
        })
        yield* tell(telling)
        const transaction_id = (yield* payins.transactionOf(merchant_id, telling.event.payin_id)) ?? null
        return { payin_id: telling.event.payin_id, transaction_id }
      }),

      /** The provider's word on a movement. What contradicts its state becomes an exception (decisions 14.8). Errors: `NotFound`. */
      outcome: Effect.fn("Sandbox.outcome")(function*(call: Call, input: SandboxOutcome) {
        const kind = kindOfId(input.resource_id)
        if (kind?.payout === undefined) {
          return yield* invalid("resource_id", `${JSON.stringify(input.resource_id)} is not the id of an onramp, offramp, conversion or transfer.`)
        }
        const row = yield* host.load(kind, call.merchant_id, input.resource_id)
        yield* tell(
          yield* sandbox.outcome({
            merchant_id: call.merchant_id,
            resource_id: row.id,
            outcome: input.outcome,
            reason: input.reason ?? null,
            transaction_hash: input.transaction_hash ?? null,
            event_id: input.event_id ?? null
          })
        )
        const after = yield* host.load(kind, call.merchant_id, input.resource_id)
        return { resource_id: row.id, status: after.status }
      }),

      /** Issues a deposit address now. Errors: `NotFound`. */
      issueDepositAddress: Effect.fn("Sandbox.issueDepositAddress")(function*(call: Call, id: string) {
        const row = yield* issue(yield* host.load(DepositAddressKind, call.merchant_id, id))
        return { id, status: row.status }
      }),

      /** Clears a beneficiary that waits for screening. Errors: `NotFound`. */
      screenBeneficiary: Effect.fn("Sandbox.screenBeneficiary")(function*(call: Call, id: string) {
        const row = yield* host.load(BeneficiaryKind, call.merchant_id, id)
        yield* tell(yield* sandbox.screened({ merchant_id: call.merchant_id, resource_id: row.id, cleared: true }))
        const after = yield* host.load(BeneficiaryKind, call.merchant_id, id)
        return { id, status: after.status }
      }),

      /** How submissions of this merchant's are answered from now on. */
      behave: Effect.fn("Sandbox.behave")(function*(call: Call, input: SandboxProvider) {
        yield* sandbox.behave(call.merchant_id, input.submissions)
        if (input.submissions !== "hold") yield* wake(call.merchant_id)
        return { submissions: input.submissions }
      }),

      /**
       * Moves the service's clock forward. It stops at every deadline on the way, so that what falls due runs at its time
       * and in order, with what that makes due in turn.
       */
      advance: Effect.fn("Sandbox.advance")(function*(input: SandboxAdvance) {
        const target = (yield* Clock.currentTimeMillis) + Math.round(input.seconds * 1000)
        let steps = yield* step
        let waited = 0
        while (true) {
          const due = yield* dispatcher.nextDue
          if (due === undefined || due > target) break
          yield* clock.moveTo(due)
          const ran = yield* step
          steps += ran
          if (ran > 0) {
            waited = 0
            continue
          }
          const next = yield* dispatcher.nextDue
          if (next === undefined || next > due) continue
          // Another holds what is due: what comes after it is left for when that is done, but not for a whole lease.
          if (waited >= PUT_DOWN_MS) break
          waited += LOOK_MS
          yield* Effect.sleep(Duration.millis(LOOK_MS))
        }
        yield* clock.moveTo(target)
        steps += yield* step
        return { now: new Date(yield* Clock.currentTimeMillis).toISOString(), steps }
      }),

      /** Runs all work that is due now until none is left. */
      settle: Effect.map(step, (steps) => ({ steps }))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
