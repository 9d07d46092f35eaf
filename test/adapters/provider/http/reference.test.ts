/** The provider of the reference connector: what it executes by its own records, and what it reports. */
import { readable } from "../../../support/engines/readable-events.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PayoutCommand } from "../../../../src/engine/ports/Provider.ts"
import { examples } from "../../../../scripts/provider-protocol/examples.ts"
import { startProvider } from "../../../support/protocol/http-provider.ts"
import { startConnector } from "../../../support/connectors/launcher.ts"
import { covers } from "../../../support/repository/covers.ts"
import { POLL_TIMEOUT_MS } from "../../../support/repository/poll-timeout.ts"

const command = (n: number, more: object = {}): PayoutCommand =>
  ({ id: `off_${n}.payout`, ...examples.payout.input, resource_id: `off_${n}`, ...more }) as never

const connected = Effect.gen(function* () {
  const connector = yield* Effect.acquireRelease(
    Effect.promise(() => startConnector("node")),
    ({ stop }) => Effect.promise(stop)
  )
  return { connector, provider: yield* startProvider(connector.url, { secret: connector.secret }) }
})

/** Asks until the answer is there. */
const until = <A, E>(ask: Effect.Effect<A, E>, isDone: (answer: A) => boolean): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const end = performance.now() + POLL_TIMEOUT_MS
    while (performance.now() < end) {
      const answer = yield* ask
      if (isDone(answer)) return answer
      yield* Effect.sleep(50)
    }
    return yield* Effect.die(new Error("it is not done"))
  })

describe("the provider of the reference connector", () => {
  covers("PROTOCOL-4", "PROTOCOL-5")

  it.live("pays a payout once, however often and by however many callers it is submitted", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { connector, provider } = yield* connected
        const { submit, lookup } = provider.payouts!
        assert.deepStrictEqual(yield* lookup(command(1)), { _tag: "absent" })
        const attempts = Array.from({ length: 12 }, (_, attempt) => submit(command(1, { attempt })))
        for (const { _tag } of yield* Effect.all(attempts, { concurrency: 6 })) {
          assert.include(["accepted", "settled"], _tag)
        }
        const settled = yield* until(lookup(command(1)), ({ _tag }) => _tag === "settled")
        assert.deepInclude((settled as { outcome: object }).outcome, { outcome: "success" })
        assert.lengthOf(connector.executions("off_1.payout"), 1)
        const conflict = yield* Effect.flip(submit(command(1, { amount: "1.00" })))
        assert.include(conflict.message, "conflict")
        assert.lengthOf(connector.executions(), 1)
      })
    )
  )

  it.live("knows what it has after a restart in the middle, and is unknown meanwhile", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { connector, provider } = yield* connected
        const { submit, lookup } = provider.payouts!
        yield* submit(command(2))
        yield* Effect.promise(() => connector.kill())
        assert.strictEqual((yield* Effect.flip(lookup(command(2))))._tag, "ProviderFault")
        assert.strictEqual((yield* Effect.flip(submit(command(3))))._tag, "ProviderFault")
        yield* Effect.promise(() => connector.restart())
        yield* until(lookup(command(2)), ({ _tag }) => _tag === "settled")
        assert.deepStrictEqual(yield* lookup(command(3)), { _tag: "absent" })
        assert.lengthOf(connector.executions("off_2.payout"), 1)
      })
    )
  )

  it.live("lists each outcome as an event, once for each cursor", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { provider } = yield* connected
        const { after } = provider.events!
        const empty = yield* after!(null)
        assert.deepStrictEqual(empty.events, [])
        for (const n of [4, 5, 6]) yield* provider.payouts!.submit(command(n))
        const all = yield* until(after!(null), ({ events }) => events.length === 3)
        const resources = (events: Parameters<typeof readable>[0]) =>
          readable(events)
            .map((event) => (event._tag === "movement" ? event.resource_id : event._tag))
            .sort()
        assert.deepStrictEqual(resources(all.events), ["off_4", "off_5", "off_6"])
        assert.deepStrictEqual((yield* after!(all.cursor)).events, [])
        assert.deepStrictEqual(resources((yield* after!(empty.cursor)).events), ["off_4", "off_5", "off_6"])
      })
    )
  )

  it.live("serves what its manifest offers: banks, accounts, screening, balances, statements", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { provider } = yield* connected
        assert.include(
          provider.manifest.offers.map(({ operation }) => operation),
          "payout"
        )
        const banks = yield* provider.directory!.banks("NG")
        assert.isNotEmpty(banks)
        const account = { country_code: "NG", bank: banks[0]!, account_number: "0123456789", account_name: null }
        assert.strictEqual((yield* provider.directory!.resolveAccount(account))._tag, "resolved")
        const screening = { screening_id: "scr_1", ...examples.screen.input } as never
        assert.strictEqual(yield* provider.screening!.screen(screening), "cleared")
        assert.isNotEmpty(yield* provider.statements!.balances)
        yield* provider.payouts!.submit(command(7))
        const { lines, cursor } = yield* until(provider.statements!.lines(null), ({ lines }) =>
          lines.some(({ command_id }) => command_id === "off_7.payout")
        )
        assert.isTrue(lines.every(({ booked_at }) => Number.isSafeInteger(booked_at)))
        assert.deepStrictEqual((yield* provider.statements!.lines(cursor)).lines, [])
      })
    )
  )
})
