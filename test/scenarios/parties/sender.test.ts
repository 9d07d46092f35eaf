/** Senders: on whose behalf a payout is made, and what of them the provider is told (SENDER-1). */
import { methodsOf, withMethods } from "../../support/engines/provider-methods.ts"
import { assert, describe, it } from "vitest"
import { Effect } from "effect"
import type { Provider } from "../../../src/engine/ports/Provider.ts"
import { type PayoutCommand } from "../../../src/engine/ports/Provider.ts"
import { Customers } from "../../../src/engine/resources/parties/customer.ts"
import { CreateSender, ListSenders, Senders, UpdateSender } from "../../../src/engine/resources/parties/sender.ts"
import { CreateOfframpQuote, CreateQuote, Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { CreateOfframp, Offramps } from "../../../src/engine/resources/movements/offramp.ts"
import { CreateTransfer, Transfers } from "../../../src/engine/resources/movements/transfer.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { decode } from "../../../src/engine/input/validation.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { messageOf } from "../../support/merchants/parties.ts"
import { onServers, type SimulatedEngine } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

const amara = {
  type: "individual",
  name: "Amara Okafor",
  country_code: "GB",
  address: { line1: "12 Mare Street", city: "London", postal_code: "E8 4RP", country_code: "GB" },
  date_of_birth: "01/31/1990",
  id_type: "passport",
  id_number: "A01234567"
} as const

/** A merchant with 1000 USDC of a customer's, who makes senders and payouts. */
const working = Effect.gen(function* () {
  const m = yield* merchantAtWork("1000", "tier_1")
  const senders = yield* Senders
  const quotes = yield* Quotes
  const offramps = yield* Offramps
  const transfers = yield* Transfers
  const fiat = yield* m.bank()
  return {
    ...m,
    senders,
    sender: (more: object = {}, caller = m.caller) =>
      Effect.flatMap(decode(CreateSender, { ...amara, ...more }), (input) => senders.create(caller, input)),
    change: (id: string, input: object, if_match: string | null = null) =>
      Effect.flatMap(decode(UpdateSender, input), (patch) => senders.update({ ...m.caller, if_match }, id, patch)),
    list: (input: object) => Effect.flatMap(decode(ListSenders, input, "query"), (q) => senders.list(m.caller, q)),
    priced: (more: object = {}) =>
      Effect.flatMap(
        decode(CreateOfframpQuote, { wallet_id: m.wallet.id, beneficiary_id: fiat, source_amount: "100", ...more }),
        (input) => quotes.offramp(m.caller, input)
      ),
    quoted: (more: object = {}) =>
      Effect.flatMap(
        decode(CreateQuote, { wallet_id: m.wallet.id, beneficiary_id: fiat, source_amount: "100", ...more }),
        (input) => quotes.create(m.caller, input)
      ),
    paid: (quote_id: string, more: object = {}) =>
      Effect.flatMap(decode(CreateOfframp, { quote_id, ...more }), (input) => offramps.create(m.caller, input)),
    sent: (more: object = {}) =>
      Effect.flatMap(
        decode(CreateTransfer, { wallet_id: m.wallet.id, beneficiary_id: m.beneficiary, amount: "10", ...more }),
        (input) => transfers.create(m.caller, input)
      )
  }
})

/** The commands that a provider was given, which is otherwise the simulated one. */
const results = () => {
  const commands: Array<PayoutCommand> = []
  const around = (inner: Provider["Service"]) =>
    withMethods(inner, {
      submit: (command) => {
        if ("destination" in command) commands.push(command)
        return methodsOf(inner).submit(command)
      }
    })
  return { commands, around }
}

const alone = <A, E>(
  effect: Effect.Effect<A, E, SimulatedEngine>,
  options: Parameters<typeof makeSimulatedEngine>[0] = {}
) => Effect.runPromise(Effect.provide(effect, makeSimulatedEngine(options)))

const refused = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), messageOf)

onServers("a sender", (run) => {
  covers("SENDER-1")
  it("is the originator of what is paid on its behalf, as it stood when the movement was made", async () => {
    const { commands, around } = results()
    await run(
      Effect.gen(function* () {
        const m = yield* working
        const { id } = yield* m.sender({ customer_id: m.customer })
        const quote = yield* m.priced({ sender_id: id })
        assert.strictEqual(quote.sender_id, id)
        const offramp = yield* m.paid(quote.id)
        const transfer = yield* m.sent({ sender_id: id })
        const { created_at, updated_at } = (yield* m.senders.get(m.caller, id)).body
        const summary = { id, type: "individual", name: amara.name, email: null, country_code: "GB" }
        for (const movement of [offramp, transfer])
          assert.deepStrictEqual(movement.sender, { ...summary, created_at, updated_at })
        yield* m.change(id, { name: "Amara N. Okafor", id_number: null })
        yield* m.settle
        for (const movement of [offramp, transfer]) {
          assert.strictEqual((yield* m.body(movement.id))["sender"].name, amara.name)
          yield* m.says(movement.id, "success")
        }
        const { id_number, ...reported } = amara
        for (const resource_id of [offramp.id, transfer.id]) {
          const { originator } = commands.find((command) => command.resource_id === resource_id)!
          assert.deepStrictEqual(originator, { id, ...reported, id_number })
        }
      }),
      { around }
    )
  })

  it("is kept with its id number encrypted and shown with four characters of it, and changes by If-Match", async () => {
    await run(
      Effect.gen(function* () {
        const m = yield* working
        const made = yield* m.sender({ email: "amara@example.com", merchant_reference: "s-1", metadata: { desk: "4" } })
        assert.match(made.id, /^snd_[0-9a-z]{26}$/)
        const { body, version } = yield* m.senders.get(m.caller, made.id)
        assert.deepStrictEqual(body, made)
        assert.strictEqual(made.id_number, "*****4567")
        assert.deepStrictEqual(made.address, { ...amara.address, line2: null, state: null })
        const storage = yield* Storage
        assert.notInclude(JSON.stringify(yield* storage.find("sender", made.id)), amara.id_number)
        // What was shown and is sent back changes nothing; what is null or not named stays.
        const next = yield* m.change(
          made.id,
          { id_number: made.id_number, email: null, date_of_birth: null, metadata: { desk: "5" } },
          version
        )
        const { updated_at: _, ...rest } = made
        assert.deepStrictEqual(
          { ...next, updated_at: undefined },
          { ...rest, metadata: { desk: "5" }, updated_at: undefined }
        )
        assert.strictEqual(yield* refused(m.change(made.id, { name: "Somebody" }, version)), "Conflict")
      })
    )
  })
})

describe("a sender", () => {
  it("belongs to the default customer unless another is named, and is listed by customer and type", () =>
    alone(
      Effect.gen(function* () {
        const m = yield* working
        const [first, second] = [yield* m.sender(), yield* m.sender({ customer_id: m.customer, type: "business" })]
        assert.strictEqual(second.customer_id, m.customer)
        const ids = (input: object) => Effect.map(m.list(input), ({ items }) => items.map(({ id }) => id))
        assert.deepStrictEqual(yield* ids({}), [second.id, first.id])
        assert.deepStrictEqual(yield* ids({ customer_id: m.customer }), [second.id])
        assert.deepStrictEqual(yield* ids({ customer_id: first.customer_id }), [first.id])
        assert.deepStrictEqual(yield* ids({ type: "individual" }), [first.id])
        assert.deepStrictEqual(yield* ids({ per_page: "1", page: "2" }), [first.id])
        assert.deepStrictEqual(yield* ids({ created_before: "2020-01-01" }), [])
      })
    ))

  it("is refused where a customer would be", () =>
    alone(
      Effect.gen(function* () {
        const m = yield* working
        const { id } = yield* m.sender()
        const says = (expected: string, ...inputs: ReadonlyArray<object>) =>
          Effect.forEach(inputs, (input) =>
            Effect.gen(function* () {
              assert.strictEqual(yield* refused(m.sender(input)), expected, JSON.stringify(input))
              if (!("country_code" in input) && !("customer_id" in input))
                assert.strictEqual(yield* refused(m.change(id, input)), expected, JSON.stringify(input))
            })
          )
        yield* says("ProhibitedCountry country_code", { country_code: "KP" })
        yield* says("ProhibitedCountry address.country_code", { address: { ...amara.address, country_code: "IR" } })
        yield* says("InvalidInput date_of_birth", { date_of_birth: "01/01/2199" })
        yield* says("BadRequest date_of_birth", { date_of_birth: "02/30/1990" })
        yield* says("BadRequest id_type", { id_type: "library_card" })
        yield* says("BadRequest name", { name: " " })
        yield* says("BadRequest email", { email: "nobody" })
        yield* says("NotFound", { customer_id: "cust_00000000000000000000000000" })
        yield* says("InvalidInput customer_id", { customer_id: "wal_1" })
      })
    ))

  it("of another customer, of another merchant or of nobody's pays for nothing", () =>
    alone(
      Effect.gen(function* () {
        const m = yield* working
        const other = yield* merchantAtWork("0")
        const customers = yield* Customers
        const bisi = yield* customers.create(m.caller, {
          type: "individual",
          name: "Bisi",
          email: "bisi@example.com",
          country_code: "NG"
        })
        const stranger = yield* m.sender({ customer_id: bisi.id })
        const foreign = yield* m.sender({}, yield* call(other.merchant_id))
        const quote = yield* m.priced()
        const taking = (sender_id: string) => [
          m.priced({ sender_id }),
          m.quoted({ sender_id }),
          m.quoted({ operation: "offramp", sender_id }),
          m.paid(quote.id, { sender_id }),
          m.sent({ sender_id })
        ]
        const message = (sender_id: string) =>
          Effect.forEach(taking(sender_id), (one) =>
            Effect.map(Effect.flip(one as Effect.Effect<unknown, { readonly _tag: string }>), messageOf)
          )
        const all = (word: string) => Array<string>(5).fill(word)
        assert.deepStrictEqual(yield* message(stranger.id), all("InvalidInput sender_id"))
        assert.deepStrictEqual(yield* message("ben_1"), all("InvalidInput sender_id"))
        for (const unknown of [foreign.id, "snd_00000000000000000000000000"])
          assert.deepStrictEqual(yield* message(unknown), all("NotFound"))
        assert.strictEqual(yield* m.status(quote.id), "active")
        assert.deepStrictEqual(yield* m.balance, { available: "1000.00", reserved: "0.00", held: "0.00" })
      })
    ))

  it("of the offramp fills in a quote that names none, agrees with one that does, and may not differ", () =>
    alone(
      Effect.gen(function* () {
        const m = yield* working
        const [one, two] = [yield* m.sender(), yield* m.sender({ customer_id: m.customer })]
        const without = yield* m.priced()
        assert.strictEqual(without.sender_id, null)
        assert.strictEqual((yield* m.paid(without.id, { sender_id: two.id })).sender?.id, two.id)
        const named = yield* m.quoted({ sender_id: one.id })
        assert.strictEqual(yield* refused(m.paid(named.id, { sender_id: two.id })), "InvalidInput sender_id")
        assert.strictEqual((yield* m.paid(named.id, { sender_id: one.id })).sender?.id, one.id)
        assert.strictEqual((yield* m.paid((yield* m.priced()).id)).sender, null)
      })
    ))

  it("that is not named leaves the customer as the originator", async () => {
    const { commands, around } = results()
    await alone(
      Effect.gen(function* () {
        const m = yield* working
        const customers = yield* Customers
        const profile = { date_of_birth: "05/06/1991", id_type: "national_id", id_number: "N7654321" } as const
        const customer = m.customer ?? assert.fail("a customer")
        yield* customers.update(m.caller, customer, { profile })
        const transfer = yield* m.sent()
        assert.strictEqual(transfer.sender, null)
        yield* m.settle
        const { originator } = commands[0]!
        assert.deepStrictEqual(originator, {
          id: customer,
          type: "individual",
          name: "Bisi",
          country_code: "NG",
          address: null,
          ...profile
        })
        const row = yield* m.rowOf(transfer.id)
        assert.notInclude(JSON.stringify(row), profile.id_number)
        assert.notInclude(JSON.stringify(yield* m.published(transfer.id)), profile.id_number)
      }),
      { around }
    )
  })
})
