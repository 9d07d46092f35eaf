/** Accounts that companies have issued, once the options say otherwise: what is paid to them is the customer's as before. */
import { Effect, Layer, type Scope } from "effect"
import { assert, describe, it } from "@effect/vitest"
import type { BridgeOptions } from "../../../src/adapters/provider/bridge.ts"
import type { PaystackOptions } from "../../../src/adapters/provider/paystack.ts"
import type { IssueCommand, PayinEvent, Provider, RefundCommand } from "../../../src/engine/ports/Provider.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { openChainBooks } from "../../../src/adapters/provider/chain/books.ts"
import { companyEntries } from "../../../src/adapters/provider/company/entries.ts"
import { makeIssue } from "../../../src/adapters/provider/company/issues.ts"
import { makeRounds } from "../../../src/adapters/provider/company/windows.ts"
import type { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { bridgeWorld, virtualAccountOf } from "../../support/companies/bridge-world.ts"
import { circleWorld } from "../../support/companies/circle-world.ts"
import { minutes, paystackWorld, wordOf } from "../../support/companies/paystack-world.ts"
import type { Process } from "../../support/companies/world.ts"
import { covers } from "../../support/repository/covers.ts"

interface Message {
  readonly body: string
  readonly headers: { readonly [name: string]: string }
}

/** A company as this law needs it. `pay`: a payment to an account; its id, and the callback about it. */
interface Subject {
  readonly command: IssueCommand
  readonly start: (over?: object) => Effect.Effect<Process, unknown>
  readonly pass: (ms: number) => void
  readonly inWorld: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly pay: (target: string) => { readonly id: string; readonly message: () => Message }
  /** From now on the company does what it is asked, and its answer is lost; or not. */
  readonly lose: (isLost: boolean) => void
  /** How many accounts the company has made. */
  readonly made: () => number
  /** What was requested of the company's list of pay-ins. */
  readonly listings: () => number
}

const payins = { email_domain: "pay.example.com", bank: { NGN: "test-bank" } } as const

const paystackSubject = Effect.map(
  Effect.suspend(() => paystackWorld({ payins })),
  ({ fake, ...world }): Subject => ({
    ...{ start: world.start, pass: world.pass, inWorld: world.inWorld },
    command: { ...virtualAccountOf(1), currency: "NGN", country_code: "NG" },
    pay: (target) => {
      const charge = fake.pay(target, 25_000n)
      return { id: String(charge.id), message: () => fake.chargeCallback(charge) }
    },
    lose: (isLost) => {
      fake.mishap = ({ path }) => (isLost && path === "/dedicated_account" ? "lost" : undefined)
    },
    made: () => fake.requests.filter(({ path }) => path === "/dedicated_account").length,
    listings: () => fake.requests.filter(({ path }) => path === "/transaction").length
  })
)

const circleSubject = Effect.map(
  Effect.suspend(() => circleWorld()),
  ({ fake, ...world }): Subject => ({
    ...{ start: world.start, pass: world.pass, inWorld: world.inWorld },
    command: { ...virtualAccountOf(1), type: "crypto", currency: "USDC", country_code: null, network: "base" },
    pay: (target) => {
      const arrival = fake.arrive(target, 250_000_000n)
      return { id: arrival.id, message: () => fake.arrivalMessage(arrival) }
    },
    lose: (isLost) => {
      fake.hasManyAddresses = true
      fake.mishap = ({ path }) => (isLost && path.endsWith("/addresses/deposit") ? "lost" : undefined)
    },
    made: () => fake.addresses.size,
    listings: () => 0
  })
)

const bridgeSubject = Effect.map(
  Effect.suspend(() => bridgeWorld({ payins: ["USD"] })),
  ({ fake, ...world }): Subject => ({
    ...{ start: world.start, pass: world.pass, inWorld: world.inWorld },
    command: virtualAccountOf(1),
    pay: () => {
      const deposit = fake.arrive(fake.virtualAccounts[0]!, 250_000_000n)
      fake.happen(deposit, "payment_processed")
      return { id: deposit.id, message: () => fake.depositMessage(deposit) }
    },
    lose: (isLost) => {
      fake.mishap = ({ method, path }) =>
        isLost && method === "POST" && path.endsWith("/virtual_accounts") ? "lost" : undefined
    },
    made: () => fake.virtualAccounts.length,
    listings: () => fake.requests.filter(({ path }) => path === "/virtual_accounts/history").length
  })
)

const noPayins: Partial<PaystackOptions & BridgeOptions> = { payins: undefined } as object

const cases: ReadonlyArray<
  readonly [string, string, Effect.Effect<Subject, unknown, Scope.Scope>, object, string | null]
> = [
  ["Paystack", "no pay-ins", paystackSubject, noPayins, "accepted"],
  ["Paystack", "another domain", paystackSubject, { payins: { email_domain: "new.example.com" } }, "accepted"],
  ["Circle", "another network", circleSubject, { networks: ["solana"] }, null],
  ["Circle", "no networks", circleSubject, { networks: [] }, null],
  ["Bridge", "no pay-ins", bridgeSubject, noPayins, "accepted"],
  ["Bridge", "another currency", bridgeSubject, { payins: ["EUR"] }, "accepted"]
]

const idsIn = (events: ReadonlyArray<unknown>) => events.map((event) => (event as PayinEvent).payin_id)

const refundOf = (payin_id: string, currency: string): RefundCommand => ({
  ...{
    id: "exc_01k6x0b7z20000000000000001.refund",
    merchant_id: "mer_1",
    resource_id: "exc_01k6x0b7z20000000000000001"
  },
  ...{ statement_reference: "01K6X0B7Z26VDFC7", payin_id, amount: "250.00", currency }
})

const issue = (provider: Provider["Service"], command: IssueCommand) =>
  Effect.map(provider.payins!.issue(command), (result) => {
    if (result._tag !== "issued") throw new Error(JSON.stringify(result))
    return result.issued.target
  })

const inSubject = (subject: (typeof cases)[number][2], test: (subject: Subject) => Effect.Effect<void, unknown>) =>
  Effect.scoped(Effect.flatMap(subject, (made) => made.inWorld(test(made))))

describe("an account that was issued", () => {
  for (const [company, what, subject, over, refunded] of cases)
    for (const isSwept of [true, false]) {
      covers("COMPANY-21", "COMPANY-9", "CIRCLE-7", "BRIDGE-10", "BRIDGE-11")
      it.live(
        `by ${company} is its customer's with ${what} in the options${isSwept ? "" : ", although nothing was read before"}`,
        () =>
          inSubject(
            subject,
            Effect.fnUntraced(function* ({ command, pass, pay, start }: Subject) {
              const first = yield* start()
              const target = yield* issue(first.provider, command)
              if (isSwept) yield* first.provider.events!.after!(null)
              yield* first.end
              pass(minutes(5))
              const { provider } = yield* start(over)
              const bySweep = pay(target)
              const page = yield* provider.events!.after!(null)
              assert.deepStrictEqual(idsIn(page.events), [bySweep.id])
              assert.isUndefined(page.fault)
              const byCallback = pay(target)
              const { body, headers } = byCallback.message()
              const event = yield* provider.events!.decode!(headers, body, Buffer.from(body))
              assert.deepStrictEqual(idsIn([event]), [byCallback.id])
              assert.deepStrictEqual(idsIn((yield* provider.events!.after!(page.cursor)).events), [byCallback.id])
              if (refunded === null) return
              const refund = refundOf(bySweep.id, command.currency)
              assert.strictEqual(yield* wordOf(provider.payins!.refund(refund)), refunded)
              assert.notStrictEqual(yield* wordOf(provider.payins!.lookupRefund(refund)), "ProviderFault")
            })
          )
      )
    }

  covers("COMPANY-22")
  for (const [company, what, subject, over] of cases) {
    it.live(`by ${company} is the one that a repeat gets with ${what} in the options`, () =>
      inSubject(
        subject,
        Effect.fnUntraced(function* ({ command, made, pass, start }: Subject) {
          const first = yield* start()
          const target = yield* issue(first.provider, command)
          yield* first.end
          pass(minutes(60 * 48))
          const { provider } = yield* start(over)
          assert.strictEqual(yield* issue(provider, command), target)
          assert.strictEqual(made(), 1)
        })
      )
    )
    it.live(`by ${company} in an answer that was lost is found with ${what} in the options, and no other is made`, () =>
      inSubject(
        subject,
        Effect.fnUntraced(function* ({ command, lose, made, pass, start }: Subject) {
          const first = yield* start()
          lose(true)
          assert.strictEqual(yield* wordOf(first.provider.payins!.issue(command)), "ProviderFault")
          assert.strictEqual(made(), 1)
          yield* first.end
          lose(false)
          pass(minutes(5))
          const { provider } = yield* start(over)
          yield* issue(provider, command)
          assert.strictEqual(made(), 1)
        })
      )
    )
  }

  covers("COMPANY-22")
  it.live("by Bridge in an answer that was lost before midnight is found after it", () =>
    inSubject(
      bridgeSubject,
      Effect.fnUntraced(function* ({ command, lose, made, pass, start }: Subject) {
        const { provider } = yield* start()
        pass(minutes(24 * 60 - 1))
        lose(true)
        yield* wordOf(provider.payins!.issue(command))
        lose(false)
        pass(minutes(2))
        yield* issue(provider, command)
        assert.strictEqual(made(), 1)
      })
    )
  )

  covers("COMPANY-21")
  for (const [company, what, subject, over] of cases.filter((one) => one[1] === "no pay-ins"))
    it.live(`never, by ${company}, is not asked for with ${what} in the options`, () =>
      inSubject(
        subject,
        Effect.fnUntraced(function* ({ listings, start }: Subject) {
          const { provider } = yield* start(over)
          yield* provider.events!.after!(null)
          yield* provider.statements!.lines(null)
          assert.strictEqual(listings(), 0)
        })
      )
    )

  covers("COMPANY-21", "BRIDGE-13")
  it.live("by Bridge has its deposits on the statement with no pay-ins in the options", () =>
    inSubject(
      bridgeSubject,
      Effect.fnUntraced(function* ({ command, pass, pay, start }: Subject) {
        const first = yield* start()
        const target = yield* issue(first.provider, command)
        yield* first.end
        const { provider } = yield* start(noPayins)
        const { id } = pay(target)
        pass(minutes(5))
        const { lines } = yield* provider.statements!.lines(null)
        assert.deepStrictEqual(
          lines
            .filter(({ payin_id }) => payin_id !== null)
            .map(({ amount, currency, payin_id }) => ({ amount, currency, payin_id })),
          [{ amount: "250.00", currency: "USD", payin_id: id }]
        )
      })
    )
  )
})

describe("an account that was found among those of nobody", () => {
  covers("BRIDGE-14", "COMPANY-22")
  it.live.each([
    [true, "ProviderFault"],
    [false, "rejected"]
  ] as const)("and that another command has taken meanwhile (found: %s) is %s", ([isChosen, says]) =>
    Effect.gen(function* () {
      const [books, entries] = [yield* openChainBooks("company"), companyEntries("company")]
      const [first, second] = [virtualAccountOf(1), virtualAccountOf(2)]
      const issued = { provider_resource_id: "va_0", target: "001", details: { network: "bank", address: "001" } }
      let meanwhile: Effect.Effect<unknown, ProviderFault> = Effect.void
      const issue = makeIssue(
        { books, entries, rounds: makeRounds(books, entries) },
        {
          company: "Company",
          ask: () => Effect.succeed({}),
          make: () =>
            Effect.suspend(() => {
              const hook = meanwhile
              meanwhile = Effect.void
              return Effect.as(hook, { accounts: [entries.keys.account("va_0")], issued, isChosen })
            })
        }
      )
      meanwhile = issue(second)
      assert.strictEqual(yield* wordOf(issue(first)), says)
      assert.strictEqual(yield* wordOf(issue(second)), "issued")
    }).pipe(Effect.provide(Layer.mergeAll(Layer.fresh(MemoryStorage.layer), JobNotifier.layer)))
  )
})
