/** Several providers in an application: their callbacks, the events that it tells, and the routing between them. */
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../src/adapters/clock/movable.ts"
import { defineProvider, type ProviderDefinition } from "../../src/adapters/provider/custom.ts"
import { simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../../src/adapters/storage/memory.ts"
import { memoryWebhooks } from "../../src/adapters/webhook/memory.ts"
import { sign } from "../../src/engine/crypto/signing.ts"
import { statuses } from "../../src/engine/calls/codes.ts"
import { layerOf } from "../../src/engine/ports/adapter.ts"
import { mount } from "../../src/http/index.ts"
import {
  Corridor,
  CorridorError,
  type PayoutCommand,
  type RunningSandbox,
  type SandboxOptions,
  type SubmissionResult
} from "../../src/index.ts"
import { covers } from "../support/repository/covers.ts"

const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`
const cipher = aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] })

const running: Array<RunningSandbox> = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((corridor) => corridor.close()))
})

const options = (): SandboxOptions => ({
  storage: memoryStorage(),
  provider: simulatedProvider({ mode: "manual", callback_secret: secret }),
  webhooks: memoryWebhooks(),
  cipher,
  clock: movableClock()
})
const start = async (over: Partial<SandboxOptions> = {}): Promise<RunningSandbox> => {
  const corridor = await Corridor.start({ ...options(), ...over })
  running.push(corridor)
  return corridor
}

const reason = async (asked: Promise<unknown>): Promise<CorridorError> => {
  const error = await asked.then(
    (answer) => answer,
    (why: unknown) => why
  )
  expect(error).toBeInstanceOf(CorridorError)
  return error as CorridorError
}

const payin = (event_id: string, target = "nowhere") => ({
  _tag: "payin" as const,
  event_id,
  payin_id: `payin-of-${event_id}`,
  stage: "confirmed" as const,
  target,
  amount: "5.00",
  currency: "NGN",
  observed_at: 0
})

const signed = (body: string) => {
  const now = Math.floor(Date.now() / 1000)
  return {
    "Webhook-Id": "msg_1",
    "Webhook-Timestamp": String(now),
    "Webhook-Signature": sign([secret], "msg_1", now, body)
  }
}

describe("providers.receive", () => {
  covers("OPERATOR-5")
  it.each([
    ["an object", (headers: Record<string, string>) => headers],
    ["web headers", (headers: Record<string, string>) => new Headers(headers)],
    [
      "Node's lists",
      (headers: Record<string, string>) => Object.fromEntries(Object.entries(headers).map(([n, v]) => [n, [v]]))
    ]
  ])("verifies a callback with %s, as text and as bytes, once", async (_, headersOf) => {
    const corridor = await start()
    const body = ` ${JSON.stringify(payin("evt-1"))}\r\n`
    const headers = headersOf(signed(body))
    const first = await corridor.providers.receive("simulated", headers, body)
    const again = await corridor.providers.receive("simulated", headers, new TextEncoder().encode(body))
    expect([first, again]).toEqual([
      { event_id: "evt-1", result: "ignored" },
      { event_id: "evt-1", result: "duplicate" }
    ])
    expect((await corridor.operator.exceptions.list()).items).toHaveLength(1)
  })

  it("has the errors of HTTP, typed", async () => {
    const corridor = await start()
    const { fetch } = mount(corridor)
    const body = JSON.stringify(payin("evt-1"))
    const cases = [
      ["nobody", signed(body), body],
      ["simulated", {}, body],
      ["simulated", signed(body), `${body} `]
    ] as const
    for (const [name, headers, text] of cases) {
      const error = await reason(corridor.providers.receive(name, headers, text))
      const response = await fetch(
        new Request(`http://127.0.0.1/providers/${name}/events`, { method: "POST", headers, body: text })
      )
      const { code, message } = (await response.json()) as CorridorError
      expect([error.code, error.message, error.status]).toEqual([code, message, response.status])
    }
    expect((await corridor.operator.exceptions.list()).items).toEqual([])
  })

  it("says that a parsed body is not what was signed", async () => {
    const corridor = await start()
    const parsed = payin("evt-1") as never
    await expect(corridor.providers.receive("simulated", signed("{}"), parsed)).rejects.toThrow(
      new TypeError("providers.receive: body is of type object; it takes the bytes as they were sent, or their text")
    )
  })

  it("has no callbacks of a provider that has none", async () => {
    const corridor = await start({ providers: [bank({})] })
    const error = await reason(corridor.providers.receive("bank", {}, "{}"))
    expect([error.code, error.status]).toEqual(["authentication_failed", 401])
  })

  it("accepts nothing after close", async () => {
    const corridor = await start()
    await corridor.close()
    expect((await reason(corridor.providers.tell("simulated", payin("evt-1")))).status).toBe(500)
  })
})

describe("providers.tell", () => {
  it("handles an event once, and absent members as null", async () => {
    const corridor = await start()
    const { merchant } = await corridor.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
    const lagos = corridor.as(merchant.id)
    const wallet = await lagos.wallets.create({ currency: "USDC" })
    const address = await lagos.depositAddresses.create(wallet.id, { network: "solana" })
    await corridor.sandbox.as(merchant.id).settle()
    const target = (await lagos.depositAddresses.get(wallet.id, address.id)).details.address!
    const event = { ...payin("evt-1", target), currency: "USDC", network: "solana" }
    expect(await corridor.providers.tell("simulated", event)).toEqual({ event_id: "evt-1", result: "applied" })
    expect(await corridor.providers.tell("simulated", event)).toEqual({ event_id: "evt-1", result: "duplicate" })
    expect((await lagos.wallets.get(wallet.id)).balance.available).toBe("5.00")
  })

  it.each([
    ["no event", 5, ["body"]],
    ["an unknown kind", { _tag: "payment", event_id: "e" }, ["_tag"]],
    ["members that are wrong", { ...payin("evt-1"), amount: "-1", observed_at: "now" }, ["amount", "observed_at"]],
    ["a member that is missing", { ...payin("evt-1"), target: undefined }, ["target"]],
    ["a member that is misspelt", { ...payin("evt-1"), narative: "x" }, ["narative"]]
  ])("names every fault of %s", async (_, event, fields) => {
    const corridor = await start()
    const error = await reason(corridor.providers.tell("simulated", event as never))
    expect([error.code, error.status, error.errors.map(({ field }) => field)]).toEqual(["bad_request", 400, fields])
    expect((await corridor.operator.exceptions.list()).items).toEqual([])
  })

  it("knows the configured providers only", async () => {
    const corridor = await start()
    const error = await reason(corridor.providers.tell("simulatde", payin("evt-1")))
    expect([error.code, error.status]).toEqual(["not_found", 404])
  })

  it("is an Effect with typed errors, too", async () => {
    const { cipher: given, clock, provider, storage, webhooks } = options()
    const layer = Corridor.layer({
      storage: layerOf("storage", storage),
      providers: [layerOf("provider", provider!)],
      webhooks: layerOf("webhook", webhooks),
      cipher: layerOf("cipher", given),
      clock: layerOf("clock", clock)
    })
    const both = Effect.gen(function* () {
      const first = yield* Corridor.providers.tell("simulated", payin("evt-1"))
      const refused = yield* Corridor.providers
        .receive("nobody", {}, "")
        .pipe(Effect.catchTag("NotFound", ({ message }) => Effect.succeed(message)))
      return [first.result, refused]
    })
    expect(await Effect.runPromise(Effect.provide(both, layer))).toEqual(["ignored", 'There is no provider "nobody".'])
  })
})

it("CorridorError has the status of each code", () => {
  for (const [code, status] of Object.entries(statuses))
    expect(new CorridorError(code as keyof typeof statuses, "").status).toBe(status)
})

/** A bank that accepts every payout and pays none by itself. */
const bank = ({ name = "bank", ...over }: Partial<ProviderDefinition> & { readonly submitted?: Array<string> }) =>
  defineProvider({
    name,
    payouts: {
      submit: (command: PayoutCommand): SubmissionResult => {
        over.submitted?.push(command.id)
        return { _tag: "accepted" }
      },
      lookup: () => ({ _tag: "pending" })
    },
    ...Object.fromEntries(Object.entries(over).filter(([key]) => key !== "submitted"))
  })

describe("several providers", () => {
  const paying = async (over: Partial<SandboxOptions>) => {
    const corridor = await start(over)
    const { merchant } = await corridor.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
    const [lagos, sandbox] = [corridor.as(merchant.id), corridor.sandbox.as(merchant.id)]
    const wallet = await lagos.wallets.create({ currency: "USDC" })
    await sandbox.deposit({ wallet_id: wallet.id, amount: "100.00" })
    const beneficiary = await lagos.beneficiaries.create({
      type: "crypto",
      name: "Supplier",
      currency: "USDC",
      details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
    })
    await lagos.transfers.create({ wallet_id: wallet.id, beneficiary_id: beneficiary.id, amount: "10.00" })
    await sandbox.settle()
  }

  it.each([
    ["in the order of the configuration", undefined, "one"],
    ["by priority, the lower first", { priorities: { one: 2, two: 1, simulated: 3 } }, "two"],
    ["by priority, 0 if not named", { priorities: { one: 1, simulated: 1 } }, "two"],
    ["by a policy", { order: () => ["two"] }, "two"],
    [
      "by a policy over priorities",
      {
        priorities: { one: 1 },
        order: (_: unknown, all: ReadonlyArray<{ name: string; priority: number }>) =>
          all.filter(({ priority }) => priority === 1).map(({ name }) => name)
      },
      "one"
    ]
  ] as const)("are chosen %s", async (_, routing, chosen) => {
    const submitted: Record<string, Array<string>> = { one: [], two: [] }
    const providers = [
      bank({ name: "one", submitted: submitted["one"]! }),
      bank({ name: "two", submitted: submitted["two"]! })
    ]
    const { provider } = options()
    await paying({ provider: undefined as never, providers: [...providers, provider!], routing: routing as never })
    expect([submitted["one"]!.length, submitted["two"]!.length]).toEqual(chosen === "one" ? [1, 0] : [0, 1])
  })

  it.each([
    ["none", { provider: undefined, providers: [] }, "a provider is required: provider or providers"],
    ["two of one name", { providers: [bank({}), bank({})] }, "two providers have the name bank"],
    [
      "a priority of none of them",
      { providers: [bank({})], routing: { priorities: { bnak: 1 } } },
      'routing.priorities names "bnak", which is not a configured provider (simulated, bank). Did you mean "bank"?'
    ],
    [
      "what is no provider",
      { providers: [memoryStorage()] },
      "provider must be an adapter made by a function of corridor/adapters/provider/*"
    ]
  ])("are refused: %s", async (_, over, message) => {
    await expect(start(over as never)).rejects.toThrow(new TypeError(message))
  })
})
