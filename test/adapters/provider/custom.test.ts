/** A provider written with promises, on the port: results, faults, and what a definition must be. */
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { defineProvider, type ProviderDefinition } from "../../../src/adapters/provider/custom.ts"
import { layerOf } from "../../../src/engine/ports/adapter.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { type PayoutCommand, Provider } from "../../../src/engine/ports/Provider.ts"
import { covers } from "../../support/repository/covers.ts"

const payouts = {
  submit: () => ({ _tag: "accepted" as const }),
  lookup: () => ({ _tag: "absent" as const })
}

/** The port of a definition, in a scope of its own. */
const opened = async (definition: Partial<ProviderDefinition>) => {
  const scope = Effect.runSync(Scope.make())
  const layer = layerOf("provider", defineProvider({ name: "bank", payouts, ...definition }))
  const context = await Effect.runPromise(Layer.buildWithScope(layer as unknown as Layer.Layer<Provider>, scope))
  return { port: Context.get(context, Provider), close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
const command = { id: "cmd_1", merchant_id: "mer_1" } as PayoutCommand

describe("a provider of one's own", () => {
  covers("SERVICE-22")
  it.each([
    ["a promise", async () => ({ _tag: "accepted" as const })],
    ["a value", () => ({ _tag: "accepted" as const })]
  ])("answers with %s", async (_, submit) => {
    const { port } = await opened({ payouts: { ...payouts, submit } })
    expect(await Effect.runPromise(port.payouts!.submit(command))).toEqual({ _tag: "accepted" })
  })

  it.each([
    ["a rejected promise", () => Promise.reject(new Error("connection reset")), "connection reset"],
    [
      "a thrown error",
      () => {
        throw new RangeError("no such account")
      },
      "no such account"
    ],
    ["a rejection that is no error", () => Promise.reject("offline"), "offline"]
  ])("has not answered with %s: the outcome is unknown", async (_, submit, text) => {
    const { port } = await opened({ payouts: { ...payouts, submit } })
    const fault = await Effect.runPromise(Effect.flip(port.payouts!.submit(command)))
    expect(fault).toBeInstanceOf(ProviderFault)
    expect(fault.message).toBe(`payouts.submit of bank failed: ${text}`)
  })

  it("is told when nobody waits any longer", async () => {
    let aborted = false
    const submit = (_: PayoutCommand, { signal }: { readonly signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborted = true
          reject(new Error("aborted"))
        })
      })
    const { port } = await opened({ payouts: { ...payouts, submit } })
    const waiting = Effect.runFork(port.payouts!.submit(command))
    await Effect.runPromise(Fiber.interrupt(waiting))
    expect(aborted).toBe(true)
  })

  it("has the capabilities that it defines, and serves what they can do", async () => {
    const { port } = await opened({
      screening: { screen: async () => "cleared" },
      directory: {
        banks: () => [],
        resolveAccount: () => ({ _tag: "unresolved" }),
        resolveProxy: () => ({ _tag: "switched_off" })
      },
      statements: { balances: async () => [], lines: async (after) => ({ lines: [], cursor: after }) }
    })
    expect(port.manifest.offers.map(({ operation }) => operation)).toEqual(["payout", "directory", "screening"])
    expect([port.payins, port.liquidity, port.verification, port.events, port.ready]).toEqual(Array(5).fill(undefined))
    expect(await Effect.runPromise(port.statements!.balances)).toEqual([])
    expect(await Effect.runPromise(port.statements!.lines("c"))).toEqual({ lines: [], cursor: "c" })
    expect(await Effect.runPromise(port.directory!.banks("NG"))).toEqual([])
  })

  covers("ROUTE-12")
  it("may say which recipients it can pay", async () => {
    const { port } = await opened({
      payouts: { ...payouts, serves: async ({ currency }) => (currency === "NGN" ? "yes" : "no") }
    })
    const serves = (currency: string) => Effect.runPromise(port.payouts!.serves!({ currency } as PayoutCommand))
    expect([await serves("NGN"), await serves("KES")]).toEqual(["yes", "no"])
    expect((await opened({})).port.payouts!.serves).toBeUndefined()
  })

  it("may be an instance of a class, whose methods use each other", async () => {
    class Bank {
      readonly known = new Set<string>()
      submit({ id }: PayoutCommand) {
        this.known.add(id)
        return { _tag: "accepted" as const }
      }
      async lookup({ id }: PayoutCommand) {
        return this.known.has(id) ? { _tag: "pending" as const } : { _tag: "absent" as const }
      }
    }
    const { port } = await opened({ payouts: new Bank() })
    const { lookup, submit } = port.payouts!
    expect(await Effect.runPromise(lookup(command))).toEqual({ _tag: "absent" })
    await Effect.runPromise(submit(command))
    expect(await Effect.runPromise(lookup(command))).toEqual({ _tag: "pending" })
  })

  it("decodes callbacks; one that it cannot decode is not its own", async () => {
    const { port } = await opened({
      events: {
        interval_ms: 5,
        decode: (headers, body) => {
          if (headers["x-signature"] !== "right") return undefined
          return JSON.parse(body) as never
        },
        after: async (cursor) => ({ events: [], cursor: `${cursor}+` })
      }
    })
    const decode = (signature: string, body: string) =>
      Effect.runPromise(port.events!.decode!({ "x-signature": signature }, body))
    expect(await decode("right", '{"event_id":"e"}')).toEqual({ event_id: "e" })
    expect([await decode("wrong", "{}"), await decode("right", "no JSON")]).toEqual([undefined, undefined])
    expect(await Effect.runPromise(port.events!.after!("a"))).toEqual({ events: [], cursor: "a+" })
    expect(port.events!.interval_ms).toBe(5)
  })

  it("is closed with the engine, and an error of that ends nothing", async () => {
    let closed = 0
    const { close } = await opened({
      close: async () => {
        closed++
        throw new Error("already gone")
      }
    })
    await close()
    expect(closed).toBe(1)
  })
})

describe("a definition", () => {
  it.each<[string, unknown, string]>([
    [
      "no name",
      { name: undefined },
      "name is not set; it takes a lower-case letter, and then up to 63 letters, digits, _ or -"
    ],
    [
      "a name that a path cannot have",
      { name: "My Bank" },
      'name is "My Bank"; it takes a lower-case letter, and then up to 63 letters, digits, _ or -'
    ],
    [
      "the simulated provider's name",
      { name: "simulated" },
      'name is "simulated", which is the name of the simulated provider'
    ],
    [
      "a capability without its look-up",
      { payouts: { submit: payouts.submit } },
      "payouts.lookup is not set; it takes a function"
    ],
    [
      "a capability that is a function",
      { payouts: () => 1 },
      "payouts is a function; it takes an object of submit, lookup"
    ],
    ["a misspelt capability", { payout: payouts }, "payout is not a member of a provider; did you mean payouts?"],
    [
      "a misspelt event source",
      { events: { decoed: () => undefined } },
      "events.decoed is not a member of a provider; did you mean events.decode?"
    ],
    [
      "no capability",
      { payouts: undefined },
      "no capability is set; a provider has at least one of payouts, liquidity, payins, directory, screening, verification, statements"
    ],
    [
      "an offer that nothing serves",
      { manifest: { offers: [{ operation: "payin" }] } },
      'manifest.offers[0].operation is "payin"; the provider has no capability for it'
    ],
    [
      "an offer of nothing",
      { manifest: { offers: [{ operation: "payuot" }] } },
      'manifest.offers[0].operation is "payuot"; it takes payout, conversion, payin, issue, directory, screening, verification'
    ],
    ["a manifest without offers", { manifest: {} }, "manifest.offers is not set; it takes a list of offers"],
    ["a close that is none", { close: true }, "close is true; it takes a function"]
  ])("with %s is refused", (_, over, fault) => {
    const define = () => defineProvider({ name: "bank", payouts, ...(over as object) })
    expect(define).toThrow(new TypeError(`the provider cannot be defined: ${fault}`))
  })

  it("is refused with all of its faults at once", () => {
    expect(() => defineProvider({ name: "A", payuots: payouts } as never)).toThrow(
      /name is "A".*; payuots is not a member of a provider; did you mean payouts\?; no capability is set/
    )
    expect(() => defineProvider(undefined as never)).toThrow("the provider cannot be defined: it is not set")
  })
})
