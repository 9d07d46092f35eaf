/** Transfers and offramps, path by path (decisions 9), on every store. */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { Inbox } from "../../src/engine/Inbox.ts"
import { merchantAtWork, type MerchantAtWork, told } from "../support/actors.ts"
import { onEveryStore, type Run } from "../support/stores.ts"

const story = (m: MerchantAtWork, id: string) => Effect.map(m.published(id), (events) => events.map(told))

const untouched = { available: "1000.00", reserved: "0.00", held: "0.00" }
const less = (available: string) => ({ ...untouched, available })

const movements = ["transfer", "offramp"] as const
type Movement = (typeof movements)[number]

/** A movement of 100 that has been submitted and waits for its outcome. */
const submitted = Effect.fnUntraced(function*(m: MerchantAtWork, kind: Movement, more: { readonly retry_on_failure?: boolean } = {}) {
  const { id } = yield* kind === "transfer" ? m.transfer("100", more) : m.offramp("100", more)
  yield* m.settle
  return id
})

const begun: Readonly<Record<Movement, ReadonlyArray<string>>> = {
  transfer: ["1 transfer.processing null>processing"],
  offramp: ["1 offramp.created null>created", "2 offramp.funds_received =created", "3 offramp.processing created>processing"]
}

/** The last line of a movement's story. */
const ending = (kind: Movement, change: string): ReadonlyArray<string> => {
  const status = change.slice(change.indexOf(">") + 1)
  return [...begun[kind], `${begun[kind].length + 1} ${kind}.${status} ${change}`]
}

const shared = (run: Run, store: string): void => {
  /** Paths of hundreds of steps: what they show does not depend on the store, and memory takes them at once. */
  const long = store === "memory" ? it : it.skip

  it("transfer: reserves, is submitted, and ends in success with the hash", () =>
    run(
      Effect.gen(function*() {
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
        assert.deepInclude(body, { status: "success", transaction_hash: "0xfeed", failure_reason: null, amount: "100.00" })
        assert.deepEqual(yield* story(m, transfer.id), ending("transfer", "processing>success"))
        const object = yield* m.object(transfer.id, "transfer.success")
        const { terminal_at, ...rest } = object
        assert.deepEqual(rest, body)
        assert.strictEqual(terminal_at, body["updated_at"])
        assert.strictEqual((yield* m.object(transfer.id, "transfer.processing"))["terminal_at"], null)
        const [transaction] = (yield* m.transactions).filter(({ source_id }) => source_id === transfer.id)
        assert.deepInclude(transaction!, { type: "transfer", status: "success", received_amount: "100.00", transaction_hash: "0xfeed" })
        assert.strictEqual(transaction!.id, transfer.id.replace("tfr_", "txn_"))
      })
    ))

  it("offramp: is created, funded, processed and settled, with a null change while the status stands", () =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        const quote = yield* m.quote("100")
        const offramp = yield* m.execute(quote.id)
        assert.deepInclude(offramp, {
          status: "created", source_amount: "100.00", destination_amount: quote.destination_amount, received_amount: null,
          rate: "1492.5", rate_locked_until: quote.expires_at
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
          actual_source_amount: "100.00", actual_destination_amount: quote.received_amount, actual_rate: "1492.5",
          terminal_at: body["updated_at"]
        })
        assert.deepInclude(yield* m.object(offramp.id, "offramp.processing"), {
          actual_source_amount: null, actual_destination_amount: null, actual_rate: null, terminal_at: null
        })
      })
    ))

  it.each([
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
  ] as const)("%s: %s (reason %s) fails it for %s, and the money is back", (kind, outcome, reason, expected) =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        const id = yield* submitted(m, kind)
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

  it("offramp: the bank sends it back while it is processing", () =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        const id = yield* submitted(m, "offramp")
        yield* m.says(id, "returned")
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), ending("offramp", "processing>returned"))
        assert.deepInclude(yield* m.body(id), { status: "returned", failure_reason: "returned", received_amount: null })
        yield* reversalOf(m, id)
      })
    ))

  it.each(["unavailable", "timeout"] as const)("offramp: it is sent back while it stands at temporary_failure (%s)", (submissions) =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        yield* m.behaves(submissions)
        const id = yield* submitted(m, "offramp", { retry_on_failure: true })
        assert.strictEqual(yield* m.status(id), "temporary_failure")
        yield* m.says(id, "returned")
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), ending("offramp", "temporary_failure>returned"))
        assert.isUndefined(yield* m.next(id))
        yield* reversalOf(m, id)
      })
    )
  )

  it("offramp: the bank sends it back days after success, and that is the one way out of an end", () =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        const id = yield* submitted(m, "offramp")
        yield* m.says(id, "success")
        yield* m.advance(3 * 86_400)
        yield* m.says(id, "returned")
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), [...ending("offramp", "processing>success"), "5 offramp.returned success>returned"])
        assert.deepInclude(yield* m.body(id), { status: "returned", failure_reason: "returned", received_amount: null })
        assert.deepInclude(yield* m.object(id, "offramp.returned"), { actual_destination_amount: null, failure_reason: "returned" })
        yield* reversalOf(m, id)
        // A second return moves nothing and is kept for a person.
        yield* m.says(id, "returned")
        assert.deepEqual(yield* m.balance, untouched)
        assert.strictEqual((yield* m.exceptions).length, 1)
        assert.strictEqual((yield* m.transactions).filter(({ source_type }) => source_type === "offramp_reversal").length, 1)
      })
    ))

  it("offramp: sent back before it was debited, the reservation is released and there is no reversal", () =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        yield* m.behaves("hold")
        const { id } = yield* m.offramp("100")
        yield* m.settle
        yield* m.says(id, "returned")
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), ["1 offramp.created null>created", "2 offramp.returned created>returned"])
        assert.strictEqual((yield* m.transactions).filter(({ source_type }) => source_type === "offramp_reversal").length, 0)
      })
    ))

  long("offramp: what is not submitted by its quote's expiry fails unfunded", () =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        yield* m.behaves("hold")
        const { id } = yield* m.offramp("100")
        yield* m.advance(290)
        assert.strictEqual(yield* m.status(id), "created")
        assert.deepEqual(yield* m.balance, { ...less("900.00"), reserved: "100.00" })
        yield* m.advance(15)
        assert.deepInclude(yield* m.body(id), { status: "failed", failure_reason: "quote_expired" })
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), ["1 offramp.created null>created", "2 offramp.failed created>failed"])
        yield* m.behaves("accept")
        yield* m.advance(60)
        assert.strictEqual(yield* m.executions(id), 0)
      })
    ))

  it("offramp: submissions that were held go out when they are taken again, within the lock", () =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        yield* m.behaves("hold")
        const { id } = yield* m.offramp("100")
        yield* m.advance(120)
        yield* m.behaves("accept")
        yield* m.advance(6)
        assert.strictEqual(yield* m.status(id), "processing")
        yield* m.says(id, "success")
        assert.deepEqual(yield* story(m, id), ending("offramp", "processing>success"))
      })
    ))

  it("an unexecuted quote past its expiry is refused, and nothing is reserved", () =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        const quote = yield* m.quote("100")
        yield* m.advance(301)
        const refused = yield* Effect.flip(m.execute(quote.id))
        assert.strictEqual(refused._tag, "InvalidStatus")
        assert.deepEqual(yield* m.balance, untouched)
      })
    ))

  it("funds that do not suffice leave the quote active and nothing behind", () =>
    run(
      Effect.gen(function*() {
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

  it.each(movements)("%s: with retry_on_failure a want of capacity is tried again at 5 s doubling, until it is taken", (kind) =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        yield* m.behaves("unavailable")
        const id = yield* submitted(m, kind, { retry_on_failure: true })
        assert.strictEqual(yield* m.status(id), kind === "transfer" ? "processing" : "temporary_failure")
        for (const seconds of [5, 10, 20, 40, 80]) {
          assert.deepEqual(yield* m.next(id), { operation: "submit", seconds })
          yield* m.advance(seconds)
        }
        assert.deepEqual(yield* m.balance, less("900.00"))
        yield* m.behaves("accept")
        yield* m.advance(160)
        assert.strictEqual(yield* m.status(id), "processing")
        yield* m.says(id, "success")
        assert.deepEqual(yield* story(m, id), ending(kind, "processing>success"))
      })
    )
  )

  long.each(movements)("%s: with retry_on_failure it gives up after a day, and the money is back", (kind) =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        yield* m.behaves("unavailable")
        const id = yield* submitted(m, kind, { retry_on_failure: true })
        yield* m.advance(86_400 - 600)
        assert.strictEqual(yield* m.status(id), kind === "transfer" ? "processing" : "temporary_failure")
        yield* m.advance(1300)
        assert.deepInclude(yield* m.body(id), { status: "failed", failure_reason: "temporarily_unavailable" })
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), ending(kind, "processing>failed"))
        assert.strictEqual(yield* m.executions(id), 0)
      })
    )
  )

  it.each(movements)("%s: while the outcome is unknown it is asked about, and no money is freed", (kind) =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        yield* m.behaves("timeout")
        const id = yield* submitted(m, kind)
        assert.strictEqual(yield* m.status(id), kind === "transfer" ? "processing" : "temporary_failure")
        assert.deepEqual(yield* m.next(id), { operation: "lookup", seconds: 10 })
        yield* m.advance(10)
        // The provider has it: the outcome is pending, and it is asked on.
        for (const seconds of [60, 300, 3600, 21_600, 86_400, 86_400]) {
          assert.deepEqual(yield* m.next(id), { operation: "lookup", seconds })
          yield* m.advance(seconds)
          assert.deepEqual(yield* m.balance, less("900.00"))
        }
        assert.strictEqual(yield* m.status(id), "processing")
        yield* m.says(id, "success")
        assert.strictEqual(yield* m.status(id), "success")
        assert.strictEqual(yield* m.executions(id), 1)
      })
    )
  )

  it.each(movements)("%s: a cancel and then another failure end it once", (kind) =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        const id = yield* submitted(m, kind)
        yield* m.says(id, "cancelled")
        yield* m.says(id, kind === "transfer" ? "reversed" : "failed")
        assert.deepInclude(yield* m.body(id), { status: "failed", failure_reason: "cancelled" })
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), ending(kind, "processing>failed"))
        assert.deepEqual(yield* m.exceptions, [])
      })
    )
  )

  it.each([
    ["transfer", "failed", "success", null],
    ["transfer", "success", "failed", null],
    ["transfer", "success", "reversed", "100.00"],
    ["offramp", "failed", "success", null],
    ["offramp", "failed", "returned", null],
    ["offramp", "returned", "success", null],
    ["offramp", "success", "failed", null]
  ] as const)("%s: after %s, the word %s moves nothing and is kept for the operator with %s", (kind, first, then, amount) =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        const id = yield* submitted(m, kind)
        yield* m.says(id, first)
        const before = yield* m.body(id)
        const balance = yield* m.balance
        const events = yield* story(m, id)
        yield* m.says(id, then)
        assert.deepEqual(yield* m.body(id), before)
        assert.deepEqual(yield* m.balance, balance)
        assert.deepEqual(yield* story(m, id), events)
        const exceptions = yield* m.exceptions
        assert.deepEqual(exceptions.map(({ resource_id, reason, amount }) => ({ resource_id, reason, amount })), [
          { resource_id: id, reason: "contradicts_state", amount }
        ])
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
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        const id = yield* submitted(m, kind)
        yield* m.says(id, "success", { event_id: "one" })
        yield* m.says(id, "success", { event_id: "one" })
        yield* m.says(id, "success", { event_id: "two" })
        assert.deepEqual(yield* m.exceptions, [])
        assert.deepEqual(yield* story(m, id), ending(kind, "processing>success"))
      })
    )
  )

  it.each(movements)("%s: what cannot be given back waits in suspense, and the operator credits it", (kind) =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        const id = yield* submitted(m, kind)
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
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        yield* m.behaves("hold")
        const { id } = yield* m.transfer("100")
        yield* m.says(id, "success")
        assert.strictEqual(yield* m.status(id), "processing")
        assert.deepEqual((yield* m.exceptions).map(({ reason }) => reason), ["contradicts_state"])
        const inbox = yield* Inbox
        for (const [merchant_id, resource_id] of [[m.merchant_id, `tfr_${m.merchant_id}`], [null, `ofr_${m.merchant_id}`], [null, `zzz_${m.merchant_id}`]] as const) {
          const word = { event_id: resource_id, merchant_id, resource_id, outcome: "success", reason: null, transaction_hash: null } as const
          assert.strictEqual(yield* inbox.receive({ _tag: "movement", ...word }), "refused")
          assert.strictEqual(yield* inbox.receive({ _tag: "movement", ...word }), "repeated")
        }
        assert.strictEqual((yield* m.exceptions).length, 2)
        yield* m.behaves("accept")
        yield* m.advance(6)
        yield* m.says(id, "success")
        assert.strictEqual(yield* m.status(id), "success")
      })
    ))

  /** What each magic ending does, in `auto` mode, without and with retry_on_failure (decisions 12). */
  const evm = (ending: string) => `0x5290840009852788${"6E0F7030069857D2E416"}${ending}`.padEnd(42, "0").slice(0, 42 - ending.length) + ending

  it.each([
    ["0002", false, "failed", "failed"],
    ["0003", false, "failed", "temporarily_unavailable"],
    ["0003", true, "success", null],
    ["0004", false, "success", null],
    ["0005", false, "success", null],
    ["0007", false, "failed", "refund_failed"],
    ["0008", false, "success", null],
    ["1234", false, "success", null]
  ] as const)("an account ending in %s (retries %s) ends in %s", (number, retry_on_failure, status, failure_reason) =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        const { id } = yield* m.offramp("100", { account_number: `012345${number}`, retry_on_failure })
        yield* m.advance(86_400)
        assert.deepInclude(yield* m.body(id), { status, failure_reason })
        assert.strictEqual(yield* m.executions(id), status === "success" ? 1 : 0)
        const kept = status === "success" || failure_reason === "refund_failed"
        assert.deepEqual(yield* m.balance, kept ? less("900.00") : untouched)
      }),
      { mode: "auto" }
    )
  )

  it("an account ending in 0006 is paid, and sent back after three days", () =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        const { id } = yield* m.offramp("100", { account_number: "0123450006" })
        yield* m.advance(3 * 86_400)
        assert.strictEqual(yield* m.status(id), "success")
        yield* m.advance(60)
        assert.strictEqual(yield* m.status(id), "returned")
        assert.deepEqual(yield* m.balance, untouched)
        yield* reversalOf(m, id)
      }),
      { mode: "auto" }
    ))

  it.each([
    ["0002", "failed", "failed"],
    ["0004", "success", null],
    ["0005", "success", null],
    ["0007", "failed", "refund_failed"],
    ["0008", "success", null]
  ] as const)("a transfer to an EVM address ending in %s ends in %s", (number, status, failure_reason) =>
    run(
      Effect.gen(function*() {
        const m = yield* merchantAtWork()
        const { id } = yield* Effect.flatMap(onBase(m, evm(number)), (wallet) => m.transfer("10", wallet))
        yield* m.advance(86_400)
        assert.deepInclude(yield* m.body(id), { status, failure_reason })
        assert.strictEqual(yield* m.executions(id), status === "success" ? 1 : 0)
      }),
      { mode: "auto" }
    )
  )
}

/** The wallet moved to base, where addresses have magic endings; the members of a transfer to one. */
const onBase = Effect.fnUntraced(function*(m: MerchantAtWork, address: string) {
  yield* m.networked("base")
  return { beneficiary_id: yield* m.crypto(address, "base") }
})

/** The one reversal of a returned offramp: a confirmed deposit below it, with nothing published of it. */
const reversalOf = Effect.fnUntraced(function*(m: MerchantAtWork, id: string) {
  const parent = id.replace("ofr_", "txn_")
  const reversals = (yield* m.transactions).filter(({ source_type }) => source_type === "offramp_reversal")
  assert.strictEqual(reversals.length, 1)
  assert.deepInclude(reversals[0]!, {
    type: "deposit", status: "confirmed", source_id: id, parent_transaction_id: parent, root_transaction_id: parent,
    destination_amount: "100.00", received_amount: "100.00", to_wallet_id: m.wallet.id
  })
  assert.deepEqual(reversals[0]!.related_transactions.map(({ id, type }) => ({ id, type })), [{ id: parent, type: "offramp" }])
  const offramp = yield* m.body(parent)
  assert.deepEqual(offramp["related_transactions"].map(({ id }: { id: string }) => id), [reversals[0]!.id])
  assert.deepEqual(yield* m.published(reversals[0]!.id), [])
})

onEveryStore("movements", shared)
