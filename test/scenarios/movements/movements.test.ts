/** Transfers and offramps, path by path (TRANSFER-6, OFFRAMP-8), on every store. */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import {
  begun,
  ending,
  less,
  movements,
  reversalOf,
  story,
  submitMovement,
  untouched
} from "../../support/merchants/movements.ts"
import { casesOn, onEveryStore, type Run } from "../../support/engines/every-store.ts"
import { covers } from "../../support/repository/covers.ts"

const shared = (run: Run, store: string): void => {
  covers("TRANSFER-6", "TRANSFER-2", "TRANSFER-7", "TRANSFER-10", "MOVEMENT-7", "TRANSFER-5")
  it("transfer: reserves, is submitted, and ends in success with the hash", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const transfer = yield* m.transfer("100")
        assert.strictEqual(transfer.status, "processing")
        assert.deepEqual(yield* m.balance, { ...less("900.00"), reserved: "100.00" })
        assert.deepEqual(yield* story(m, transfer.id), begun.transfer)
        yield* m.settle
        assert.deepEqual(yield* m.balance, less("900.00"))
        assert.strictEqual(yield* m.status(transfer.id), "processing")
        yield* m.says(transfer.id, "success", { transaction_hash: "0xfeed" })
        const body = yield* m.body(transfer.id)
        assert.deepInclude(body, {
          status: "success",
          transaction_hash: "0xfeed",
          failure_reason: null,
          amount: "100.00"
        })
        assert.deepEqual(yield* story(m, transfer.id), ending("transfer", "processing>success"))
        const object = yield* m.object(transfer.id, "transfer.success")
        const { terminal_at, ...rest } = object
        assert.deepEqual(rest, body)
        assert.strictEqual(terminal_at, body["updated_at"])
        assert.strictEqual((yield* m.object(transfer.id, "transfer.processing"))["terminal_at"], null)
        const [transaction] = (yield* m.transactions).filter(({ source_id }) => source_id === transfer.id)
        assert.deepInclude(transaction!, {
          type: "transfer",
          status: "success",
          received_amount: "100.00",
          transaction_hash: "0xfeed"
        })
        assert.strictEqual(transaction!.id, transfer.id.replace("tfr_", "txn_"))
      })
    ))

  covers("OFFRAMP-8", "OFFRAMP-2", "OFFRAMP-9", "OFFRAMP-10", "MOVEMENT-6", "TRANSACTION-4", "EVENT-18")
  it("offramp: is created, funded, processed and settled, with a null change while the status stands", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const quote = yield* m.quote("100")
        const offramp = yield* m.execute(quote.id)
        assert.deepInclude(offramp, {
          status: "created",
          source_amount: "100.00",
          destination_amount: quote.destination_amount,
          received_amount: null,
          rate: "1492.5",
          rate_locked_until: quote.expires_at
        })
        assert.deepEqual(yield* m.balance, { ...less("900.00"), reserved: "100.00" })
        assert.deepEqual(yield* story(m, offramp.id), begun.offramp.slice(0, 1))
        yield* m.settle
        assert.strictEqual(yield* m.status(offramp.id), "processing")
        assert.deepEqual(yield* m.balance, less("900.00"))
        yield* m.says(offramp.id, "success")
        assert.deepEqual(yield* story(m, offramp.id), ending("offramp", "processing>success"))
        assert.strictEqual((yield* m.object(offramp.id, "offramp.funds_received"))["status"], "created")
        const body = yield* m.body(offramp.id)
        assert.strictEqual(body["received_amount"], quote.received_amount)
        assert.deepInclude(yield* m.object(offramp.id, "offramp.success"), {
          actual_source_amount: "100.00",
          actual_destination_amount: quote.received_amount,
          actual_rate: "1492.5",
          terminal_at: body["updated_at"]
        })
        assert.deepInclude(yield* m.object(offramp.id, "offramp.processing"), {
          actual_source_amount: null,
          actual_destination_amount: null,
          actual_rate: null,
          terminal_at: null
        })
      })
    ))

  covers("OFFRAMP-11", "TRANSFER-8", "TYPE-11", "FAILURE-7", "FAILURE-1", "PAYOUT-2", "FAILURE-8")
  it.each(
    casesOn(store, [
      ["transfer", "failed", undefined, "failed"],
      ["transfer", "failed", "the bank's own word", "failed"],
      ["transfer", "failed", "refund_failed", "failed"],
      ["transfer", "cancelled", undefined, "cancelled"],
      ["transfer", "reversed", undefined, "reversed"],
      ["transfer", "returned", undefined, "reversed"],
      ["transfer", "temporarily_unavailable", undefined, "temporarily_unavailable"],
      ["offramp", "failed", undefined, "failed"],
      ["offramp", "cancelled", undefined, "cancelled"],
      ["offramp", "temporarily_unavailable", undefined, "temporarily_unavailable"]
    ] as const)
  )("%s: %s (reason %s) fails it for %s, and the money is back", (kind, outcome, reason, expected) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const id = yield* submitMovement(m, kind)
        yield* m.says(id, outcome, reason === undefined ? {} : { reason })
        const body = yield* m.body(id)
        assert.deepInclude(body, { status: "failed", failure_reason: expected })
        assert.match(body["failure_reason_message"], /^[A-Z].*\.$/)
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), ending(kind, "processing>failed"))
        assert.deepEqual(yield* m.exceptions, [])
      })
    )
  )

  covers("OFFRAMP-12", "EVENT-15", "TRANSACTION-8", "OFFRAMP-13", "FAILURE-4")
  it("offramp: the bank sends it back while it is processing", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const id = yield* submitMovement(m, "offramp")
        yield* m.says(id, "returned")
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), ending("offramp", "processing>returned"))
        assert.deepInclude(yield* m.body(id), { status: "returned", failure_reason: "returned", received_amount: null })
        yield* reversalOf(m, id)
      })
    ))

  it.each(["unavailable", "timeout"] as const)(
    "offramp: it is sent back while it stands at temporary_failure (%s)",
    (submissions) =>
      run(
        Effect.gen(function* () {
          const m = yield* merchantAtWork()
          yield* m.behaves(submissions)
          const id = yield* submitMovement(m, "offramp", { retry_on_failure: true })
          assert.strictEqual(yield* m.status(id), "temporary_failure")
          yield* m.says(id, "returned")
          assert.deepEqual(yield* m.balance, untouched)
          assert.deepEqual(yield* story(m, id), ending("offramp", "temporary_failure>returned"))
          assert.isUndefined(yield* m.next(id))
          yield* reversalOf(m, id)
        })
      )
  )

  covers("OFFRAMP-12", "TRANSACTION-8", "OFFRAMP-13", "OFFRAMP-14")
  it("offramp: the bank sends it back days after success, and that is the one way out of an end", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const id = yield* submitMovement(m, "offramp")
        yield* m.says(id, "success")
        yield* m.advance(3 * 86_400)
        yield* m.says(id, "returned")
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), [
          ...ending("offramp", "processing>success"),
          "5 offramp.returned success>returned"
        ])
        assert.deepInclude(yield* m.body(id), { status: "returned", failure_reason: "returned", received_amount: null })
        assert.deepInclude(yield* m.object(id, "offramp.returned"), {
          actual_destination_amount: null,
          failure_reason: "returned"
        })
        yield* reversalOf(m, id)
        // A second return moves nothing and is kept for a person.
        yield* m.says(id, "returned")
        assert.deepEqual(yield* m.balance, untouched)
        assert.strictEqual((yield* m.exceptions).length, 1)
        assert.strictEqual(
          (yield* m.transactions).filter(({ source_type }) => source_type === "offramp_reversal").length,
          1
        )
      })
    ))

  covers("OFFRAMP-13")
  it("offramp: sent back before it was debited, the reservation is released and there is no reversal", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("hold")
        const { id } = yield* m.offramp("100")
        yield* m.settle
        yield* m.says(id, "returned")
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), ["1 offramp.created null>created", "2 offramp.returned created>returned"])
        assert.strictEqual(
          (yield* m.transactions).filter(({ source_type }) => source_type === "offramp_reversal").length,
          0
        )
      })
    ))

  covers("MOVEMENT-5", "ERROR-20")
  it("funds that do not suffice leave the quote active and nothing behind", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("50")
        const quote = yield* m.quote("100")
        assert.strictEqual((yield* Effect.flip(m.execute(quote.id)))._tag, "InsufficientFunds")
        yield* m.deposit({ amount: "50" })
        assert.strictEqual((yield* m.execute(quote.id)).status, "created")
        assert.strictEqual((yield* Effect.flip(m.execute(quote.id)))._tag, "DuplicateResource")
        yield* m.settle
        const { items } = yield* Effect.map(m.transactions, (items) => ({ items }))
        const [only] = items.filter(({ type }) => type === "offramp")
        yield* m.says(only!.source_id, "success")
        assert.deepEqual(yield* m.balance, less("0.00"))
      })
    ))

  covers("DELIVERY-6", "TRANSFER-10")
  it.each(movements)("%s: a cancel and then another failure end it once", (kind) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const id = yield* submitMovement(m, kind)
        yield* m.says(id, "cancelled")
        yield* m.says(id, kind === "transfer" ? "reversed" : "failed")
        assert.deepInclude(yield* m.body(id), { status: "failed", failure_reason: "cancelled" })
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), ending(kind, "processing>failed"))
        assert.deepEqual(yield* m.exceptions, [])
      })
    )
  )

  covers("OFFRAMP-13", "EXCEPTION-1", "MOVEMENT-2", "EXCEPTION-3")
  it.each(
    casesOn(store, [
      ["transfer", "success", "reversed", "100.00"],
      ["transfer", "failed", "success", null],
      ["transfer", "success", "failed", null],
      ["offramp", "failed", "success", null],
      ["offramp", "failed", "returned", null],
      ["offramp", "returned", "success", null],
      ["offramp", "success", "failed", null]
    ] as const)
  )("%s: after %s, the word %s moves nothing and is kept for the operator with %s", (kind, first, then, amount) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const id = yield* submitMovement(m, kind)
        yield* m.says(id, first)
        const before = yield* m.body(id)
        const balance = yield* m.balance
        const events = yield* story(m, id)
        yield* m.says(id, then)
        assert.deepEqual(yield* m.body(id), before)
        assert.deepEqual(yield* m.balance, balance)
        assert.deepEqual(yield* story(m, id), events)
        const exceptions = yield* m.exceptions
        assert.deepEqual(
          exceptions.map(({ resource_id, reason, amount }) => ({ resource_id, reason, amount })),
          [{ resource_id: id, reason: "contradicts_state", amount }]
        )
        if (amount === null) return
        // The same money said twice is booked once; the operator gives it to the wallet.
        yield* m.says(id, then)
        const [second] = (yield* m.exceptions).filter((one) => one.id !== exceptions[0]!.id)
        assert.strictEqual(second!.amount, null)
        yield* m.resolve(exceptions[0]!.id, "credit")
        assert.deepEqual(yield* m.balance, untouched)
        yield* m.resolve(second!.id, "dismiss")
        assert.deepEqual(yield* m.exceptions, [])
      })
    )
  )

  it.each(movements)("%s: the same word again under another id is no contradiction", (kind) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const id = yield* submitMovement(m, kind)
        yield* m.says(id, "success", { event_id: "one" })
        yield* m.says(id, "success", { event_id: "one" })
        yield* m.says(id, "success", { event_id: "two" })
        assert.deepEqual(yield* m.exceptions, [])
        assert.deepEqual(yield* story(m, id), ending(kind, "processing>success"))
      })
    )
  )

  covers("FAILURE-3", "PAYOUT-2", "EXCEPTION-3")
  it.each(movements)("%s: what cannot be given back waits in suspense, and the operator credits it", (kind) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const id = yield* submitMovement(m, kind)
        yield* m.says(id, "refund_failed")
        assert.deepInclude(yield* m.body(id), { status: "failed", failure_reason: "refund_failed" })
        assert.deepEqual(yield* m.balance, less("900.00"))
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception!, { resource_id: id, reason: "refund_failed", amount: "100.00", currency: "USDC" })
        assert.strictEqual((yield* Effect.flip(m.resolve(exception!.id, "refund")))._tag, "InvalidStatus")
        yield* m.resolve(exception!.id, "credit")
        assert.deepEqual(yield* m.balance, untouched)
        assert.strictEqual((yield* Effect.flip(m.resolve(exception!.id, "credit")))._tag, "InvalidStatus")
        assert.deepEqual(yield* story(m, id), ending(kind, "processing>failed"))
      })
    )
  )

  it("a word about a movement that is not submitted yet, or that nobody knows, is an exception", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("hold")
        const { id } = yield* m.transfer("100")
        yield* m.says(id, "success")
        assert.strictEqual(yield* m.status(id), "processing")
        assert.deepEqual(
          (yield* m.exceptions).map(({ reason }) => reason),
          ["contradicts_state"]
        )
        const inbox = yield* Inbox
        for (const [merchant_id, resource_id] of [
          [m.merchant_id, `tfr_${m.merchant_id}`],
          [null, `ofr_${m.merchant_id}`],
          [null, `zzz_${m.merchant_id}`]
        ] as const) {
          const word = {
            event_id: resource_id,
            merchant_id,
            resource_id,
            outcome: "success",
            reason: null,
            transaction_hash: null
          } as const
          assert.strictEqual(yield* inbox.receive("simulated", { _tag: "movement", ...word }), "ignored")
          assert.strictEqual(yield* inbox.receive("simulated", { _tag: "movement", ...word }), "duplicate")
        }
        assert.strictEqual((yield* m.exceptions).length, 2)
        yield* m.behaves("accept")
        yield* m.advance(6)
        yield* m.says(id, "success")
        assert.strictEqual(yield* m.status(id), "success")
      })
    ))
}

onEveryStore("movements", shared)
