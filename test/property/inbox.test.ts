/**
 * What the provider says of one resource, in every order, each word twice, through the Inbox. What is said in order, and
 * again, ends as if it had been said once; said in another order it ends so too, or a person is told.
 */
import { Clock, Effect, ManagedRuntime } from "effect"
import { assert, describe, it } from "vitest"
import { Dispatcher } from "../../src/engine/work/queue/Dispatcher.ts"
import { Inbox } from "../../src/engine/work/providers/Inbox.ts"
import { kinds } from "../../src/engine/registry.ts"
import type { MovementOutcomeType, PayinEvent, ProviderEvent } from "../../src/engine/ports/Provider.ts"
import { Beneficiaries } from "../../src/engine/resources/parties/beneficiary.ts"
import { Customers } from "../../src/engine/resources/parties/customer.ts"
import { DepositAddresses } from "../../src/engine/resources/wallets/deposit-address.ts"
import { Verifications } from "../../src/engine/resources/parties/verification.ts"
import { WalletCredentials } from "../../src/engine/resources/wallets/wallet-credential.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { sumChanges, type Posting } from "../../src/machines/kernel/ledger.ts"
import { type MerchantAtWork, merchantAtWork } from "../support/merchants/merchant-at-work.ts"
import { covers } from "../support/repository/covers.ts"
import { openWay, ways } from "../support/merchants/credentials.ts"
import { overtaken } from "../support/stores/overtaken.ts"
import { merchantConverting, onrampsOf } from "../support/merchants/ramps.ts"
import type { SimulatedEngine } from "../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { payinEvent } from "../support/merchants/payins.ts"

type Word =
  | MovementOutcomeType
  | PayinEvent["stage"]
  | "issued"
  | "screened"
  | "refused"
  | "opened"
  | "approved"
  | "rejected"
type Words = ReadonlyArray<Word>

interface Begun {
  readonly merchant_id: string
  readonly say: (word: Word, event_id: string) => ProviderEvent
}

interface Story {
  /** The kinds of resource whose machines hear it. */
  readonly of: ReadonlyArray<string>
  readonly begin: Effect.Effect<Begun, unknown, SimulatedEngine>
  /** Runs as a provider may tell them in order. */
  readonly runs: ReadonlyArray<Words>
  /** What the wallet has of what is moved or comes in, by how the resource ended; absent: the wallet is none of it. */
  readonly left?: (status: string, reason: string | null) => string
}

const movement = (merchant_id: string | null, resource_id: string, outcome: Word, event_id: string): ProviderEvent => ({
  _tag: "movement",
  event_id,
  merchant_id,
  resource_id,
  outcome: outcome as MovementOutcomeType,
  reason: null,
  transaction_hash: outcome === "success" ? "0xfeed" : null
})

const payin =
  (payin_id: string, to: Pick<PayinEvent, "target" | "amount" | "currency" | "network">, observed_at: number) =>
  (stage: Word, event_id: string): ProviderEvent =>
    payinEvent({
      event_id,
      payin_id,
      stage: stage as PayinEvent["stage"],
      ...to,
      observed_at
    })

const payouts: ReadonlyArray<Words> = [
  ["success"],
  ["failed"],
  ["failed", "cancelled"],
  ["temporarily_unavailable", "success"],
  ["refund_failed"]
]
const banked: ReadonlyArray<Words> = [...payouts, ["success", "returned"], ["returned"]]
const arrivals: ReadonlyArray<Words> = [
  ["detected", "confirmed"],
  ["confirmed"],
  ["detected", "failed"],
  ["detected", "confirmed", "failed"]
]

/** Nothing is left of what went out, or could not be given back. */
const spent = (status: string, reason: string | null): string =>
  status === "success" || reason === "refund_failed" ? "0.00" : "10.00"

/** A place that the provider issues and money comes to. */
const place = (
  kind: "deposit_address" | "wallet_credential",
  network: string,
  asked: (m: MerchantAtWork) => Effect.Effect<{ readonly id: string }, unknown, SimulatedEngine>
): Story => ({
  of: [kind],
  begin: Effect.gen(function* () {
    const m = yield* merchantAtWork("0")
    const { id } = yield* asked(m)
    const target = `${network}.${id}`
    const to = { target, network, amount: "10", currency: "USDC" }
    const paid = payin(`p.${m.merchant_id}`, to, yield* Clock.currentTimeMillis)
    return {
      ...m,
      say: (word, event_id): ProviderEvent =>
        word === "issued"
          ? {
              _tag: "issued",
              event_id,
              merchant_id: null,
              kind,
              resource_id: id,
              provider_resource_id: "cdw_1",
              target,
              details: { network, address: target }
            }
          : paid(word, event_id)
    }
  }),
  runs: [["issued"], ["issued", "confirmed"], ["issued", "detected", "confirmed"]]
})

const stories: Readonly<Record<string, Story>> = {
  "a transfer": {
    of: ["transfer"],
    begin: Effect.gen(function* () {
      const m = yield* merchantAtWork("10")
      const { id } = yield* m.transfer("10", { retry_on_failure: true })
      return { ...m, say: (word, event_id) => movement(null, id, word, event_id) }
    }),
    runs: [...payouts, ["cancelled", "reversed"]],
    left: spent
  },
  "an offramp": {
    of: ["offramp"],
    begin: Effect.gen(function* () {
      const m = yield* merchantAtWork("10")
      const { id } = yield* m.offramp("10", { retry_on_failure: true })
      return { ...m, say: (word, event_id) => movement(null, id, word, event_id) }
    }),
    runs: banked,
    left: spent
  },
  "a conversion": {
    of: ["conversion"],
    begin: Effect.gen(function* () {
      const c = yield* merchantConverting("10")
      const { id } = yield* c.conversion("10")
      return { ...c, say: (word, event_id) => movement(null, id, word, event_id) }
    }),
    runs: [...payouts, ["returned"]],
    left: spent
  },
  "an onramp and its payment": {
    of: ["onramp"],
    begin: Effect.gen(function* () {
      const m = yield* merchantAtWork("0")
      const { id, deposit_instruction } = yield* (yield* onrampsOf(m)).onramp("150000")
      const target = deposit_instruction!.depositReference
      const paid = payin(
        `p.${m.merchant_id}`,
        { target, amount: "150000", currency: "NGN", network: "bank" },
        yield* Clock.currentTimeMillis
      )
      return {
        ...m,
        say: (word, event_id) =>
          word === "detected" || word === "confirmed" ? paid(word, event_id) : movement(null, id, word, event_id)
      }
    }),
    runs: [
      ["confirmed", "success"],
      ["detected", "confirmed", "success"],
      ["confirmed", "failed"],
      ["confirmed", "returned"],
      ["confirmed", "refund_failed"],
      ["confirmed", "temporarily_unavailable", "success"]
    ],
    left: (status) => (status === "success" ? "98.90" : "0.00")
  },
  "a pay-in to an address": {
    of: ["deposit"],
    begin: Effect.gen(function* () {
      const m = yield* merchantAtWork("0")
      yield* m.deposit({ amount: "1", stage: "failed" })
      const storage = yield* Storage
      const query = { merchant_id: m.merchant_id, kinds: ["deposit_address"], index_keys: [], offset: 0, limit: 1 }
      const { address: target, network } = (yield* storage.list(query)).items[0]!.data as Record<string, string>
      const to = { target: target!, network: network!, amount: "10", currency: "USDC" }
      return { ...m, say: payin(`p.${m.merchant_id}`, to, yield* Clock.currentTimeMillis) }
    }),
    runs: arrivals
  },
  "a pay-in that is converted": {
    of: ["deposit", "conversion"],
    begin: Effect.gen(function* () {
      const m = yield* openWay(ways[0]!)
      const storage = yield* Storage
      const [row] = yield* storage.get([{ merchant_id: m.merchant_id, kind: "wallet_credential", id: m.credential_id }])
      const { target } = row!.data as { readonly target: string }
      const to = { target, network: "bank", amount: "150750", currency: "NGN" }
      return { ...m, say: payin(`p.${m.merchant_id}`, to, yield* Clock.currentTimeMillis) }
    }),
    runs: arrivals
  },
  "a deposit address and what is paid to it": place("deposit_address", "base", (m) =>
    Effect.flatMap(DepositAddresses, (addresses) => addresses.create(m.caller, m.wallet.id, { network: "base" }))
  ),
  "a wallet credential and what is paid to it": place("wallet_credential", "solana", (m) =>
    Effect.flatMap(WalletCredentials, (credentials) =>
      credentials.create(m.caller, m.wallet.id, { type: "crypto", network: "solana" })
    )
  ),
  "a beneficiary": {
    of: ["beneficiary"],
    begin: Effect.gen(function* () {
      const m = yield* merchantAtWork("0")
      const { id: resource_id, screening_id } = yield* (yield* Beneficiaries).create(m.caller, {
        type: "crypto",
        name: "Later",
        currency: "USDC",
        details: { network: "base", address: "0x000000000000000000000000000000000000dead" }
      })
      return {
        ...m,
        say: (word, event_id): ProviderEvent => ({
          _tag: "screened",
          event_id,
          merchant_id: null,
          resource_id,
          screening_id,
          cleared: word === "screened"
        })
      }
    }),
    runs: [["screened"], ["screened", "refused"], ["refused"]]
  },
  "a verification": {
    of: ["verification", "customer"],
    begin: Effect.gen(function* () {
      const m = yield* merchantAtWork("0")
      const customers = yield* Customers
      const bisi = { type: "individual", name: "Bisi", email: "bisi@example.com", country_code: "NG" } as const
      const { id: customer } = yield* customers.create(m.caller, bisi)
      const { id: resource_id } = yield* (yield* Verifications).create(m.caller, customer, {})
      return {
        ...m,
        say: (word, event_id): ProviderEvent => ({
          _tag: "verification",
          event_id,
          merchant_id: null,
          resource_id,
          outcome: word as "opened" | "approved" | "rejected",
          reason: word === "rejected" ? "declined" : null
        })
      }
    }),
    runs: [["opened", "approved"], ["opened", "rejected"], ["approved"], ["rejected"]]
  }
}

const named = (text: string): string => text.replace(/_[0-9a-hjkmnp-tv-z]{26}/g, "_")

/** All that a merchant has: each resource, how it stands and what was published of it; and what every account holds. */
const shown = Effect.fnUntraced(function* (merchant_id: string) {
  const storage = yield* Storage
  const query = { merchant_id, kinds: [...kinds.byName.keys()], index_keys: [], offset: 0, limit: 1000 }
  const { items } = yield* storage.list(query)
  const postings: Array<Posting> = []
  const resources: Array<string> = []
  const published: Array<string> = []
  const ends: Array<{ readonly kind: string; readonly status: string; readonly reason: string | null }> = []
  for (const { id, kind, status, data } of items) {
    const history = yield* storage.history(merchant_id, id)
    postings.push(...history.postings)
    const reported = history.events.map(({ type }) => type)
    assert.strictEqual(new Set(reported).size, reported.length, `${id} told ${reported.join(" ")}`)
    const { failure_reason: reason = null } = data as { readonly failure_reason?: string | null }
    ends.push({ kind, status, reason })
    // Why it ended, of several words that say the same, is the first one's to say.
    if (kind !== "exception") resources.push(`${kind} ${status}`)
    published.push(...reported)
  }
  const books = [...sumChanges(postings)]
    .filter(([, sum]) => sum !== 0n)
    .map(([account, sum]) => `${named(account)} ${sum}`)
  const raised = items
    .filter(({ kind }) => kind === "exception")
    .map(({ data }) => (data as { readonly reason: string }).reason)
  return { resources: resources.toSorted(), books: books.toSorted(), published: published.toSorted(), raised, ends }
})

/** What is due is done. What the provider would say by itself is held back: only the story speaks. */
const settled = Effect.flatMap(Dispatcher, ({ drain }) => drain())

/** Every order in which each of `n` words comes twice. */
const orders = (n: number): ReadonlyArray<ReadonlyArray<number>> => {
  const found: Array<ReadonlyArray<number>> = []
  const left = Array.from({ length: n }, () => 2)
  const go = (before: ReadonlyArray<number>): void => {
    if (before.length === 2 * n) found.push(before)
    for (let word = 0; word < n; word++) {
      if (left[word] === 0) continue
      left[word]!--
      go([...before, word])
      left[word]!++
    }
  }
  go([])
  return found
}

const inOrder = (order: ReadonlyArray<number>): boolean => {
  const first = [...new Set(order)]
  return first.every((word, index) => word === index)
}

const reported = Effect.fnUntraced(function* ({ begin }: Story, words: Words, order: ReadonlyArray<number>) {
  const inbox = yield* Inbox
  const m = yield* begin
  yield* settled
  for (const index of order) {
    yield* inbox.receive("simulated", m.say(words[index]!, `${m.merchant_id}.${index}`))
    yield* settled
  }
  return yield* shown(m.merchant_id)
})

covers("DEPOSIT-7")
describe.each(Object.entries(stories))("the words on %s", (_, story) => {
  it.each(story.runs.map((words) => [words.join(", "), words] as const))(
    "%s, in every order and each twice",
    async (_, words) => {
      const runtime = ManagedRuntime.make(makeSimulatedEngine())
      const run = (order: ReadonlyArray<number>) => runtime.runPromise(reported(story, words, order))
      const { ends: __, ...expected } = await run(words.map((_, index) => index))
      for (const order of orders(words.length)) {
        const { ends, ...actual } = await run(order)
        const message = order.map((index) => words[index]).join(", ")
        const isKept = actual.raised.some((reason) => reason !== "refund_failed")
        if (inOrder(order)) assert.deepEqual(actual, expected, message)
        else if (!isKept) {
          // What was not heard in its time is not told of afterwards.
          const { published, ...rest } = actual
          const { published: all, ...same } = expected
          assert.deepEqual(rest, same, message)
          assert.includeMembers([...all], [...published], message)
        }
        const end = ends.find(({ kind }) => kind === story.of[0])!
        if (story.left === undefined || !/^(?:success|failed|returned)$/.test(end.status)) continue
        const available = actual.books.find((line) => /^available:\w+\/USDC /.test(line))?.split(" ")[1] ?? "0"
        assert.strictEqual(
          BigInt(available),
          BigInt(story.left(end.status, end.reason).replace(".", "")) * 10_000n,
          message
        )
      }
      await runtime.dispose()
    }
  )

  const pairs = story.runs.flatMap((words) => words.slice(1).map((word, index) => ({ words, word, index })))
  it.each(pairs)("$words: the $word is weighed before the word that precedes it is written", async (pair) => {
    const { words, index } = pair
    const { layer, first } = overtaken()
    const runtime = ManagedRuntime.make(makeSimulatedEngine({ storage: layer }))
    const { ends: _, ...expected } = await runtime.runPromise(reported(story, words, [...words.keys()]))
    const { ends: __, ...actual } = await runtime.runPromise(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const context = yield* Effect.context<SimulatedEngine>()
        const m = yield* story.begin
        yield* settled
        const say = (n: number) => inbox.receive("simulated", m.say(words[n]!, `${m.merchant_id}.${n}`))
        for (let n = 0; n < words.length; n++) {
          if (n === index) continue
          if (n === index + 1)
            first.before = Effect.orDie(Effect.provideContext(Effect.andThen(say(index), settled), context))
          yield* say(n)
          yield* settled
        }
        return yield* shown(m.merchant_id)
      })
    )
    assert.deepEqual(actual, expected)
    await runtime.dispose()
  })
})

it("every machine that hears the provider has its words here", () => {
  const handles = [...kinds.byName.values()].filter(({ lifecycle: { machine }, issue }) => {
    const types = Object.values(machine.states).flatMap(({ on }) => Object.keys(on ?? {}))
    return issue !== undefined || types.some((type) => /^(?:provider|payin)\./.test(type))
  })
  // A recall's exception hears what its pay-in says: test/scenarios/deposits/recalled-again.test.ts tells it in drawn histories.
  const reported = new Set(["exception", ...Object.values(stories).flatMap(({ of }) => of)])
  assert.deepEqual(
    handles.map(({ kind }) => kind).filter((kind) => !reported.has(kind)),
    []
  )
  assert.isAtLeast(handles.length, 9)
})
