/** Webhooks and sweeps of Bridge: what is heard, what is believed, and what is found without either. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import type { ProviderEvent } from "../../../../src/engine/ports/Provider.ts"
import { bridgeWorld, type BridgeWorld, usdOf } from "../../../support/companies/bridge-world.ts"
import { minutes, wordOf } from "../../../support/companies/paystack-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const command = usdOf(1)
const inWorld = <A>(test: (world: BridgeWorld) => Effect.Effect<A, unknown>, options = {}) =>
  Effect.scoped(Effect.flatMap(bridgeWorld(options), (world) => world.inWorld(test(world))))

const started = (world: BridgeWorld) =>
  Effect.map(world.start(), ({ provider }) => {
    let cursor: string | null = null
    return {
      provider,
      submit: (one = command) => wordOf(provider.payouts!.submit(one)),
      lookup: (one = command) => wordOf(provider.payouts!.lookup(one)),
      receive: ({ body, headers }: ReturnType<BridgeWorld["fake"]["message"]>) =>
        provider.events!.decode!(headers, body, Buffer.from(body)),
      /** The outcomes since the last sweep. */
      sweep: Effect.suspend(() =>
        Effect.map(provider.events!.after!(cursor), (page) => {
          cursor = page.cursor
          return page.events.map((event) => (event as Extract<ProviderEvent, { readonly _tag: "movement" }>).outcome)
        })
      )
    }
  })

/** The vector of Bridge's page about signatures. */
const vector = {
  key: "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtqsEE4eI7EmzhcquGJXt\nLX9PMK0UH6Kl1WIR21sv8HtueG8BuvvpP3MiN7ltzmIhS8KaynCjN4l+620PnXeu\nxWG+CSnEdkinL9hCqbEid5vv9zl0j9LWiJx3FkKHqADU7cgm46aa8dKUdIQYF2X+\nO7WmyLkC4wUM/mWhBPMsIQBznashRMZxx7XJjsVp27ACUE4eNIjEXbVYN6U8jSbU\nhG++CfL8xXu+GHDqKmFE6Po6HnuURvLFVnCtE3mXXBcVFlPy+octfx8nOMLT3X8O\n9UehIigJ34o2yMm/Fq3HUJzg2BsiAiGgtr0vmeoV9Q7upSNj9TuOumAzZFi4pYA+\nqwIDAQAB\n-----END PUBLIC KEY-----\n",
  at: 1_705_854_411_204,
  signature:
    "jz/0dmHJ63FAzacGutrDTEoq+iSz/PHm/ugdooXDQu5NwuVIT2LmZGjsnCsBHgR9Py6OBP9zurzW4dHgygU4EDqmMPTUOvhvndYb4lWt+TY66LihaFI2whL6DAf/jb1QjYjNU0A6x9SLzC45dgE6X7zTDUM+2Z+scG/WEQf6SxQMt4E2sEipl5PqMK5lYUe3otdJV+X2c9D64bGwCEE7QSia+Vhozg8QNOQEk/rdz2IEONIg6oC43CeiN4E2kF9XLAGuy9uAHx9O9OJH5ZPLJZjyo4VcXYeWQgxaQ1gZ1Qu6hEEzgiPSff/1nou58dm4bIIazgCWli/mO0NyGcpfFw==",
  body: '{"message":"Hello World!"}'
}

describe("a webhook", () => {
  covers("BRIDGE-7", "COMPANY-8")
  it.live("is a reason to look up: what it says is not believed", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { receive, submit } = yield* started(world)
        yield* submit()
        const transfer = world.transferOf(command)
        world.fake.become(transfer, "payment_processed")
        const early = world.fake.message(transfer)
        world.fake.become(transfer, "undeliverable")
        assert.deepStrictEqual(yield* receive(early), { _tag: "none" })
        world.fake.become(transfer, "payment_processed")
        assert.deepInclude(
          (yield* receive(world.fake.message(transfer, { over: { event_object_status: "canceled" } }))) as object,
          {
            ...{ _tag: "movement", outcome: "success", resource_id: command.resource_id }
          }
        )
      })
    )
  )

  covers("BRIDGE-7")
  it.live("before the answer to its POST finds the command by its reference", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { receive, submit } = yield* started(world)
        world.fake.first = "payment_processed"
        world.fake.mishap = ({ method, path }) => (method === "POST" && path === "/transfers" ? "lost" : undefined)
        yield* submit()
        const transfer = world.transferOf(command)
        assert.deepInclude((yield* receive(world.fake.message(transfer))) as object, { outcome: "success" })
        const byHand = world.fake.payByHand("another", 1n)
        assert.deepStrictEqual(yield* receive(world.fake.message(byHand)), { _tag: "none" })
      })
    )
  )

  covers("BRIDGE-7")
  for (const [what, options] of [
    ["of a stranger", { isStranger: true }],
    ["signed over the text", { isOnce: true }],
    ["that was changed", { tampered: (text: string) => text.replace("transfer", "transfe_") }],
    ["that is too old", { at: Date.UTC(2026, 10, 29) - minutes(11) }],
    ["that is from the future", { at: Date.UTC(2026, 10, 29) + minutes(11) }]
  ] as const)
    it.live(`${what} does not count`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { receive, submit } = yield* started(world)
          yield* submit()
          assert.isUndefined(yield* receive(world.fake.message(world.transferOf(command), options)))
        })
      )
    )

  covers("BRIDGE-7")
  it.live(
    "without a signature, or with half of one, does not count, and one that is none of Bridge's is recorded",
    () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { provider, receive, submit } = yield* started(world)
          yield* submit()
          const { body, headers } = world.fake.message(world.transferOf(command))
          const signature = headers["x-webhook-signature"]!
          for (const header of [undefined, "", signature.slice(0, 30), signature.replace("v0", "v1"), `${signature},`])
            assert.isUndefined(yield* provider.events!.decode!({ "x-webhook-signature": header }, body))
          const other = world.fake.message(world.transferOf(command), { over: { event_category: undefined } })
          assert.deepInclude((yield* receive(other)) as object, { _tag: "unreadable" })
          const customer = world.fake.message(world.transferOf(command), { over: { event_category: "customer" } })
          assert.deepStrictEqual(yield* receive(customer), { _tag: "none" })
        })
      )
  )

  covers("BRIDGE-7")
  it.live("is signed as in the vector of Bridge's page", () =>
    inWorld(
      (world) =>
        Effect.gen(function* () {
          const { provider } = yield* started(world)
          world.time.now = vector.at
          const header = (signature: string) => ({ "x-webhook-signature": `t=${vector.at},v0=${signature}` })
          const read = (body: string) => provider.events!.decode!(header(vector.signature), body, Buffer.from(body))
          assert.deepInclude((yield* read(vector.body)) as object, { _tag: "unreadable" })
          assert.isUndefined(yield* read(`${vector.body} `))
        }),
      { webhook_keys: [vector.key] }
    )
  )

  covers("COMPANY-8")
  it.live("is not acknowledged while Bridge cannot be asked", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { receive, submit } = yield* started(world)
        yield* submit()
        world.fake.mishap = () => "html"
        assert.strictEqual(
          (yield* Effect.flip(receive(world.fake.message(world.transferOf(command)))))._tag,
          "ProviderFault"
        )
      })
    )
  )
})

describe("a sweep", () => {
  covers("BRIDGE-8", "BRIDGE-4", "COMPANY-9")
  it.live("tells what was paid, and days later that it came back, once each, and not before it is refunded", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit, sweep } = yield* started(world)
        yield* submit()
        assert.deepStrictEqual(yield* sweep, [])
        const transfer = world.transferOf(command)
        world.fake.become(transfer, "payment_processed")
        assert.deepStrictEqual(yield* sweep, ["success"])
        world.pass(minutes(60 * 24 * 5))
        for (const state of ["returned", "refund_in_flight", "missing_return_policy", "refund_in_flight"]) {
          world.fake.become(transfer, state)
          assert.deepStrictEqual(yield* sweep, [])
          assert.strictEqual(yield* lookup(), "pending")
        }
        world.fake.become(transfer, "refunded", "policy")
        assert.deepStrictEqual(yield* sweep, ["returned"])
        assert.deepStrictEqual(yield* sweep, [])
        assert.strictEqual(yield* lookup(), "settled returned")
        assert.strictEqual(world.fake.policy, 250_500_000n)
      })
    )
  )

  covers("BRIDGE-8")
  it.live("gives each of many payouts its turn", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit, sweep } = yield* started(world)
        world.fake.first = "payment_processed"
        for (let n = 1; n <= 45; n++) yield* submit(usdOf(n))
        yield* sweep
        for (const transfer of world.fake.transfers) world.fake.become(transfer, "refunded")
        let count = 0
        for (let n = 0; n < 6; n++) count += (yield* sweep).length
        assert.strictEqual(count, 45)
      })
    )
  )

  covers("BRIDGE-8", "COMPANY-17")
  it.live("tells that what was cancelled is paid after all", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit, sweep } = yield* started(world)
        yield* submit()
        world.fake.become(world.transferOf(command), "canceled")
        assert.deepStrictEqual(yield* sweep, ["failed"])
        world.fake.become(world.transferOf(command), "payment_processed")
        assert.deepStrictEqual(yield* sweep, ["success"])
      })
    )
  )

  covers("BRIDGE-8")
  it.live("finds a payout whose answer was lost, and sends nothing", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit, sweep } = yield* started(world)
        world.fake.first = "payment_processed"
        world.fake.mishap = ({ method, path }) => (method === "POST" && path === "/transfers" ? "lost" : undefined)
        yield* submit()
        world.pass(minutes(60 * 24 * 3))
        assert.deepStrictEqual(yield* sweep, ["success"])
        assert.strictEqual(world.fake.transfers.length, 1)
      })
    )
  )
})
