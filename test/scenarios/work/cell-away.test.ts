/** Several cells, and one of them away: what concerns a merchant of the others works. */
import { Context, Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { makeCellsStore } from "../../../src/adapters/storage/cells/cells.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { AccessRequests } from "../../../src/engine/resources/access/access-request.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { DepositAddresses } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { Transactions } from "../../../src/engine/reports/transaction.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

type Store = Storage["Service"]

const memory = (): Store =>
  Context.get(Effect.runSync(Effect.scoped(Layer.build(Layer.fresh(MemoryStorage.layer)))), Storage)

/** A cell that can be taken away, and what it does then: it refuses, or says nothing at all. */
const switchable = (inner: Store, how: "refuses" | "is silent") => {
  let isAway = false
  const absent = (): Effect.Effect<never, StorageFault> =>
    how === "is silent"
      ? Effect.never
      : Effect.fail(new StorageFault({ message: "connection refused", retryable: true }))
  const through = <A>(effect: Effect.Effect<A, StorageFault>) => Effect.suspend(() => (isAway ? absent() : effect))
  const store = Object.fromEntries(
    Object.entries(inner).map(([name, member]) => [
      name,
      typeof member === "function"
        ? (...args: ReadonlyArray<never>) =>
            through((member as (...given: typeof args) => Effect.Effect<unknown, StorageFault>)(...args))
        : through(member as Effect.Effect<unknown, StorageFault>)
    ])
  ) as unknown as Store
  return { inner, store, leave: () => void (isAway = true) }
}

/** A merchant with something of everything that an operator decides by its id. */
const merchant = Effect.gen(function* () {
  const addresses = yield* DepositAddresses
  const credentials = yield* WalletCredentials
  const requests = yield* AccessRequests
  const transactions = yield* Transactions
  const sandbox = yield* SandboxOperations
  const m = yield* merchantAtWork("100")
  const { id: address } = yield* addresses.create(m.caller, m.wallet.id, { network: "solana" })
  yield* m.settle
  yield* addresses.freeze(m.operator, address)
  const before = (yield* transactions.list(m.caller, { per_page: 200 })).items.length
  for (let n = 0; n < 2; n++) yield* sandbox.deposit(m.caller, { deposit_address_id: address, amount: "5" })
  const { items } = yield* transactions.list(m.caller, { per_page: 200 })
  const [held, other] = items.slice(0, items.length - before).map(({ id }) => id)
  const { id: credential } = yield* credentials.create(m.caller, m.wallet.id, {
    type: "crypto",
    network: "solana"
  } as never)
  const { id: request } = yield* requests.create(m.caller, "USD", {})
  const { id: paid } = yield* m.transfer("10")
  const { id: sent } = yield* m.transfer("10")
  yield* m.settle
  yield* m.says(paid, "success")
  yield* m.says(paid, "failed")
  const [exception] = yield* m.exceptions
  return { m, address, credential, held: held!, other: other!, request, paid, sent, exception: exception!.id }
})

type Subject = Effect.Success<typeof merchant>

/** Everything the operator does by an id alone, and what the provider says without a merchant. */
const actions = (s: Subject) =>
  Effect.gen(function* () {
    const addresses = yield* DepositAddresses
    const credentials = yield* WalletCredentials
    const deposits = yield* Deposits
    const exceptions = yield* Exceptions
    const requests = yield* AccessRequests
    const books = yield* LedgerReports
    const inbox = yield* Inbox
    const { operator } = s.m
    const reported = { event_id: `evt/${s.sent}`, merchant_id: null }
    return [
      ["release", deposits.release(operator, s.held, "seen")],
      ["reject", deposits.reject(operator, s.other, "sanctioned")],
      ["unfreeze an address", addresses.unfreeze(operator, s.address)],
      ["freeze an address", addresses.freeze(operator, s.address)],
      ["freeze a credential", credentials.freeze(operator, s.credential)],
      ["disable a credential", credentials.disable(operator, s.credential)],
      ["resolve", exceptions.resolve(operator, s.exception, { action: "dismiss", note: "seen" } as never)],
      ["review", requests.review(operator, s.request, { decision: "approve" })],
      ["revoke", requests.revoke(operator, s.request, {})],
      ["history", books.history(s.paid)],
      ["history of a transaction", books.history(s.held)],
      ["what of it needs attention", books.stuck({ merchant_id: s.m.merchant_id })],
      ["settle", s.m.settle],
      [
        "a callback without a merchant",
        inbox.receive("simulated", {
          ...reported,
          _tag: "movement",
          resource_id: s.sent,
          outcome: "success",
          reason: null,
          transaction_hash: null
        })
      ]
    ] as ReadonlyArray<readonly [string, Effect.Effect<unknown, { readonly _tag: string }>]>
  })

covers("CELLS-6")
describe.each(["refuses", "is silent"] as const)("a cell is away and %s", (how) => {
  it("what is done by the id of a merchant of the other works; of a merchant there, it can be repeated", async () => {
    const away = switchable(memory(), how)
    const storage = Layer.succeed(Storage, makeCellsStore([memory(), memory(), away.store]))
    await Effect.runPromise(
      Effect.gen(function* () {
        let there: Subject | undefined
        let here: Subject | undefined
        while (there === undefined || here === undefined) {
          const made = yield* merchant
          if ((yield* away.inner.find("merchant", made.m.merchant_id)) !== undefined) there = made
          else here = made
        }
        away.leave()
        for (const [name, action] of yield* actions(here)) {
          const exit = yield* Effect.result(Effect.timeout(action, "2 seconds"))
          assert.strictEqual(exit._tag, "Success", `${name}: ${JSON.stringify(exit)}`)
        }
        assert.strictEqual(yield* here.m.status(here.sent), "success")
        assert.strictEqual((yield* here.m.balance).available, "85.00")
        if (how === "is silent") return
        for (const [name, action] of yield* actions(there)) {
          const fault = yield* Effect.flip(action)
          assert.deepInclude(fault as object, { _tag: "StorageFault", retryable: true }, name)
        }
      }).pipe(Effect.provide(makeSimulatedEngine({ storage })))
    )
  })
})
