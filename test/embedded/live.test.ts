/**
 * The live environment: every way to put something of the test environment into it, by each entry point, and what each is
 * told. `right` runs.
 */
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect, Layer, Logger } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../src/adapters/clock/movable.ts"
import { defineProvider } from "../../src/adapters/provider/custom.ts"
import { simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../../src/adapters/storage/memory.ts"
import { pgliteStorage } from "../../src/adapters/storage/pglite.ts"
import { memoryWebhooks } from "../../src/adapters/webhook/memory.ts"
import { developmentKeyId } from "../../src/engine/crypto/EncryptionKeys.ts"
import { adapter, layerOf, type StorageAdapter } from "../../src/engine/ports/adapter.ts"
import { type Manifest, Provider } from "../../src/engine/ports/Provider.ts"
import { Pricing } from "../../src/engine/ports/Pricing.ts"
import { Rates } from "../../src/engine/ports/Rates.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { developmentKey } from "../../src/http/config/live.ts"
import { mount, serve, type ServerConfig } from "../../src/http/index.ts"
import {
  Corridor,
  type CorridorError,
  type LayerOptions,
  ratesOf,
  pricingOf,
  type RunningCorridor,
  type StartOptions
} from "../../src/index.ts"
import { corridor } from "../support/cli/command-line.ts"
import { startFile } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"
import { emptyImage, fillDirectory } from "../support/stores/pglite.ts"

const directory = mkdtempSync(join(tmpdir(), "corridor-live-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
/** An empty store, which one server after another opens. */
const place = join(directory, "store")
beforeAll(() => fillDirectory(place))

/** A store that outlives its engine, as far as anybody can tell. */
const lasting = (from: StorageAdapter = memoryStorage()): StorageAdapter =>
  adapter(
    "storage",
    Layer.effect(
      Storage,
      Effect.map(Storage, ({ volatile: _, ...storage }) => Storage.of(storage))
    ).pipe(Layer.provide(layerOf("storage", from)))
  )

const bank = defineProvider({
  name: "bank",
  payouts: { submit: () => ({ _tag: "accepted" }), lookup: () => ({ _tag: "pending" }) }
})
/** The simulated provider without its mark, under another name. */
const disguised = adapter(
  "provider",
  Layer.effect(
    Provider,
    Effect.map(Provider, (provider) => ({ ...provider, name: "honest" }))
  ).pipe(Layer.provide(layerOf("provider", simulatedProvider())))
)

const key = Buffer.alloc(32, 7).toString("base64")
const rates = { mids: { USD: "1", USDC: "1", NGN: "1500" }, spread: "0" }
const pricing = { fees: () => ({ gateway: "0", network: "0" }), outbound: () => ({ minimum: null, maximum: null }) }
const cipherOf = (...keys: ReadonlyArray<string>) => {
  const [current, ...older] = keys.map(aesKey)
  return aesGcmCipher({ keys: [current!, ...older] })
}

const right = (): StartOptions => ({
  environment: "live",
  storage: lasting(),
  providers: [bank],
  webhooks: memoryWebhooks(),
  cipher: cipherOf(key),
  rates,
  pricing,
  screening: "none"
})

const running: Array<{ readonly close: () => Promise<void> }> = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()))
})
const start = async (over: Partial<StartOptions> = {}): Promise<RunningCorridor> => {
  const corridor = await Corridor.start({ ...right(), ...over })
  running.push(corridor)
  return corridor
}

const layersOf = (options: StartOptions): LayerOptions => ({
  environment: options.environment,
  screening: options.screening,
  storage: layerOf("storage", options.storage) as never,
  provider: options.provider === undefined ? undefined : (layerOf("provider", options.provider) as never),
  providers: options.providers?.map((one) => layerOf("provider", one)) as never,
  webhooks: layerOf("webhook", options.webhooks),
  cipher: layerOf("cipher", options.cipher),
  rates: options.rates === undefined ? undefined : ratesOf(options.rates),
  pricing: options.pricing === undefined ? undefined : pricingOf(options.pricing),
  clock: options.clock === undefined ? undefined : (layerOf("clock", options.clock) as never),
  dispatcher: false
})
/** Builds a layer, and nothing more. It rejects with what the layer dies of. */
const build = async (over: Partial<LayerOptions>): Promise<void> => {
  await Effect.runPromise(Effect.scoped(Layer.build(Corridor.layer({ ...layersOf(right()), ...over }))))
}

const needsScreening =
  'the live environment requires a provider that screens beneficiaries: without one, each of them would be cleared. If this is meant, set screening to "none"'
const screener = (offers?: Manifest["offers"]) =>
  defineProvider({
    name: "screener",
    ...(offers === undefined ? {} : { manifest: { offers } }),
    payouts: { submit: () => ({ _tag: "accepted" }), lookup: () => ({ _tag: "pending" }) },
    screening: { screen: async () => "cleared" }
  })
const prices = "the defaults are those of the simulated market"
const wrong: ReadonlyArray<readonly [string, () => Partial<StartOptions> | Promise<Partial<StartOptions>>, string]> = [
  [
    "the simulated provider",
    () => ({ providers: [simulatedProvider()] }),
    "the live environment does not accept a simulated provider (simulated)"
  ],
  [
    "the simulated provider as the only one",
    () => ({ provider: simulatedProvider(), providers: undefined }),
    "the live environment does not accept a simulated provider (simulated)"
  ],
  [
    "the simulated provider behind a real one",
    () => ({ providers: [bank, simulatedProvider()] }),
    "the live environment does not accept a simulated provider (simulated)"
  ],
  [
    "a simulated provider in disguise",
    () => ({ providers: [bank, disguised] }),
    "the live environment does not accept a simulated provider (honest)"
  ],
  ["nobody who screens", () => ({ screening: undefined }), needsScreening],
  [
    "a provider that could screen and does not offer it",
    () => ({ screening: undefined, providers: [screener([{ operation: "payout" }])] }),
    needsScreening
  ],
  ["no provider", () => ({ providers: [] }), "a provider is required: provider or providers"],
  // TypeScript refuses it; JavaScript would run `production` as the test environment.
  [
    "an environment of another name",
    () => ({ environment: "production" as "live" }),
    'environment is "production"; it takes test or live'
  ],
  ["no rates", () => ({ rates: undefined }), `the live environment requires rates: ${prices}`],
  ["no pricing", () => ({ pricing: undefined }), `the live environment requires pricing: ${prices}`],
  [
    "neither",
    () => ({ rates: undefined, pricing: undefined }),
    `the live environment requires rates and pricing: ${prices}`
  ],
  [
    "a movable clock",
    () => ({ clock: movableClock() }),
    "the live environment does not accept a clock that can be moved"
  ],
  [
    "a store in memory",
    () => ({ storage: memoryStorage() }),
    "the live environment does not accept a store that ends with the process"
  ],
  [
    "an embedded Postgres in memory",
    async () => ({ storage: pgliteStorage({ image: await emptyImage() }) }),
    "the live environment does not accept a store that ends with the process"
  ],
  [
    "the fixed key",
    () => ({ cipher: cipherOf(developmentKey) }),
    "the live environment does not accept the fixed encryption key of the test environment, which is public"
  ],
  [
    "the fixed key as an older one",
    () => ({ cipher: cipherOf(key, developmentKey) }),
    "the live environment does not accept the fixed encryption key of the test environment, which is public"
  ],
  [
    "several at once",
    () => ({ clock: movableClock(), storage: memoryStorage(), providers: [simulatedProvider()] }),
    "the live environment does not accept a clock that can be moved, or a store that ends with the process"
  ]
]

describe("Corridor in live", () => {
  covers("SERVICE-3")
  it.each(wrong)("does not start with %s", async (_, over, message) => {
    await expect(start(await over())).rejects.toThrow(new TypeError(message))
  })

  it.each(wrong)("is no layer with %s", async (_, over, message) => {
    const layers = async (): Promise<void> => build(layersOf({ ...right(), ...(await over()) }))
    await expect(layers()).rejects.toThrow(message)
  })

  it("is no layer with the simulated market passed as rates", async () => {
    await expect((async () => build({ rates: Rates.layer }))()).rejects.toThrow("the live environment requires rates")
  })

  it("is no layer with the default fees passed as pricing", async () => {
    await expect((async () => build({ pricing: Pricing.layer }))()).rejects.toThrow(
      "the live environment requires pricing"
    )
  })

  it("runs with real parts: live keys, and no sandbox by any path", async () => {
    const corridor = await start()
    expect("sandbox" in corridor).toBe(false)
    const { api_key } = await corridor.merchants.create({ name: "Ada Ltd", country_code: "NG", status: "active" })
    expect(api_key.secret).toMatch(/^sk_live_/)
    const { fetch } = mount(corridor)
    const headers = { authorization: `Bearer ${api_key.secret}`, "content-type": "application/json" }
    const ask = (path: string, method = "POST") =>
      fetch(new Request(`http://127.0.0.1${path}`, { headers, method, ...(method === "POST" ? { body: "{}" } : {}) }))
    for (const path of ["/sandbox/settle", "/sandbox/deposits", "/sandbox/clock/advance"])
      expect((await ask(path)).status).toBe(404)
    expect((await ask("/v1/me", "GET")).status).toBe(200)
    expect(await (await ask("/openapi.json", "GET")).text()).not.toContain("/sandbox")
  })

  covers("SERVICE-29")
  it.each([
    ["which offers everything that it can", undefined],
    ["which offers it among others", [{ operation: "payout" }, { operation: "screening" }]],
    ["whose offers are not known yet", []]
  ] as const)("starts with a provider that screens, %s", async (_, offers) => {
    await start({ screening: undefined, providers: [bank, screener(offers)] })
  })

  it.each([
    [undefined, "No configured provider screens beneficiaries on solana."],
    ["required", "No configured provider screens beneficiaries on solana."],
    ["none", "active"]
  ] as const)("with screening %s, a beneficiary whose destination nobody screens is: %s", async (screening, result) => {
    const corridor = await start({ screening, providers: [screener([{ operation: "screening", network: "base" }])] })
    const { merchant } = await corridor.merchants.create({ name: "Ada Ltd", country_code: "NG", status: "active" })
    const made = (network: string, address: string) =>
      corridor
        .as(merchant.id)
        .beneficiaries.create({ type: "crypto", name: "Ada", currency: "USDC", details: { network, address } })
        .then(
          ({ status }) => status,
          (why: CorridorError) => [why.code, why.message].join(": ").replace("invalid_input: ", "")
        )
    expect([
      await made("base", "0x52908400098527886E0F7030069857D2E4169EE7"),
      await made("solana", "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV")
    ]).toEqual(["active", result])
  })

  it("says in its log that nobody screens, if that is meant", async () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
    const observability = Logger.layer([logger])
    const line = 'Warn screening is "none", and no provider screens beneficiaries: every beneficiary is cleared'
    await start({ observability })
    expect(lines).toEqual([line])
    await start({ observability, providers: [screener()] })
    expect(lines).toEqual([line])
  })

  it("knows the fixed key by its id", () => {
    expect(aesKey(developmentKey).id).toBe(developmentKeyId)
    expect(developmentKey).toBe(createHash("sha256").update("corridor development key").digest("base64"))
  })

  covers("SERVICE-21")
  it.each(["test", "live"] as const)("and test never share a store: one of %s", async (first) => {
    const kept = Effect.runSync(Effect.scoped(Layer.build(layerOf("storage", lasting()) as Layer.Layer<Storage>)))
    const storage = adapter("storage", Layer.succeedContext(kept))
    const second = first === "test" ? "live" : "test"
    await (await Corridor.start({ ...right(), environment: first, storage })).close()
    await expect(start({ environment: second, storage })).rejects.toThrow(
      `The store cannot be used: it was written in the ${first} environment; the ${second} environment takes a store of its own`
    )
    await start({ environment: first, storage })
  })
})

const served = (): ServerConfig => ({
  environment: "live",
  port: 0,
  database: `pglite:${place}`,
  encryptionKeys: [key],
  providers: [bank],
  rates,
  pricing,
  screening: "none"
})
const requires = (what: string): string => `${what}, in a configuration (corridor serve --config FILE).`
const real = "the live environment takes real providers only."
const inMemory =
  "the database is in memory (DATABASE_URL or database), and ends with the process; the live environment requires one that lasts."
const fixed = "the encryption key is the fixed key of the test environment, which is public; generate one of your own."

const misconfigured: ReadonlyArray<
  readonly [string, Partial<Record<keyof ServerConfig, unknown>>, Record<string, string>, ReadonlyArray<string>]
> = [
  [
    "no providers",
    { providers: undefined },
    {},
    [requires("providers is not set; the live environment requires at least one provider adapter")]
  ],
  [
    "an empty list of providers",
    { providers: [] },
    {},
    ["providers is an empty list; it takes a list of at least one provider adapter."]
  ],
  [
    "the simulated provider",
    { providers: [simulatedProvider()] },
    {},
    [`providers[0] is a simulated provider, which moves no money; ${real}`]
  ],
  [
    "the simulated provider behind a real one",
    { providers: [bank, simulatedProvider()] },
    {},
    [`providers[1] is a simulated provider, which moves no money; ${real}`]
  ],
  [
    "the simulated provider from a function",
    { providers: [bank, () => simulatedProvider()] },
    {},
    [`providers[1] is a simulated provider, which moves no money; ${real}`]
  ],
  [
    "a simulated provider in disguise",
    { providers: [bank, disguised] },
    {},
    ["the live environment does not accept a simulated provider (honest)"]
  ],
  ["nobody who screens", { screening: undefined }, {}, [needsScreening]],
  ["a screening that does not exist", { screening: "off" }, {}, ['screening is "off"; it takes required or none.']],
  [
    "no rates",
    { rates: undefined },
    {},
    [requires("rates is not set; the live environment requires rates of your own")]
  ],
  [
    "no pricing",
    { pricing: undefined },
    {},
    [requires("pricing is not set; the live environment requires fees and ranges of your own")]
  ],
  [
    "no encryption key",
    { encryptionKeys: undefined },
    {},
    ["CORRIDOR_ENCRYPTION_KEY is not set; it takes 32 bytes in base64, and is required in the live environment."]
  ],
  ["the fixed key", { encryptionKeys: [developmentKey] }, {}, [fixed]],
  ["the fixed key as an older one", { encryptionKeys: [key, developmentKey] }, {}, [fixed]],
  ["the fixed key from the environment", {}, { CORRIDOR_ENCRYPTION_KEY: developmentKey }, [fixed]],
  ["a store in memory", { database: "memory:" }, {}, [inMemory]],
  ["an embedded Postgres in memory", { database: "pglite:memory" }, {}, [inMemory]],
  ["a store in memory from the environment", {}, { DATABASE_URL: "memory:" }, [inMemory]],
  [
    "settings of the sandbox",
    { sandbox: { mode: "manual" } },
    {},
    [`sandbox is set; it configures the simulated provider, and ${real}`]
  ],
  [
    "a mode of the sandbox",
    {},
    { CORRIDOR_SANDBOX_MODE: "auto" },
    [`CORRIDOR_SANDBOX_MODE is set; it configures the simulated provider, and ${real}`]
  ],
  [
    "a delay of the sandbox",
    {},
    { CORRIDOR_SANDBOX_DELAY_MS: "0" },
    [`CORRIDOR_SANDBOX_DELAY_MS is set; it configures the simulated provider, and ${real}`]
  ],
  [
    "a secret of the simulated provider",
    {},
    { CORRIDOR_PROVIDER_SECRET: `whsec_${key}` },
    [`CORRIDOR_PROVIDER_SECRET is set; it configures the simulated provider, and ${real}`]
  ],
  [
    "a key of the test environment",
    { apiKey: `sk_test_${"a".repeat(43)}` },
    {},
    [
      "apiKey is a string of 51 characters; it takes an API key of the live environment: sk_live_ and at least 16 letters, digits, underscores or hyphens."
    ]
  ],
  [
    "the test environment in a variable",
    {},
    { CORRIDOR_ENVIRONMENT: "test" },
    ['CORRIDOR_ENVIRONMENT is "test", but environment is "live" in the configuration; set only one.']
  ]
]

describe("a server in live", () => {
  covers("SERVICE-3", "SERVICE-7", "SERVICE-18")
  it.each(misconfigured)("does not start with %s", async (_, over, env, lines) => {
    const error = await serve({ ...served(), ...over } as ServerConfig, env).then(
      (server) => server.close(),
      (why: unknown) => why as Error
    )
    expect((error as Error | undefined)?.message.split("\n")).toEqual(lines)
  })

  it("says all that it lacks, when it has nothing but its environment", async () => {
    const { code, errors } = await corridor([], { CORRIDOR_ENVIRONMENT: "live", DATABASE_URL: "memory:", PORT: "0" })
    expect(code).toBe(1)
    expect(errors.map((line) => line.split(" ")[0])).toEqual([
      "CORRIDOR_ENCRYPTION_KEY",
      "providers",
      "rates",
      "pricing",
      "the"
    ])
  })

  it("runs from a file, with secrets by name, and has no sandbox", async () => {
    const root = resolve("src")
    const file = join(directory, "corridor.config.ts")
    writeFileSync(
      file,
      `import { defineConfig } from "${root}/http/config/index.ts"
       import { defineProvider } from "${root}/adapters/provider/custom.ts"
       export default defineConfig(({ secret }) => ({
         environment: "live",
         port: 0,
         database: "pglite:${place}",
         apiKey: secret("ADMIN_KEY"),
         encryptionKeys: [secret("STORE_KEY")],
         providers: [() => defineProvider({
           name: secret("BANK_NAME"),
           payouts: { submit: () => ({ _tag: "accepted" }), lookup: () => ({ _tag: "pending" }) }
         })],
         screening: "none",
         routing: { priorities: { bank: 1 } },
         rates: { mids: { USD: "1", USDC: "1" }, spread: "0" },
         pricing: { fees: () => ({ gateway: "0", network: "0" }), outbound: () => ({ minimum: null, maximum: null }) }
       }))`
    )
    const apiKey = `sk_live_${"l".repeat(43)}`
    const env = { ADMIN_KEY: apiKey, STORE_KEY: key, BANK_NAME: "bank" }
    const { child, exit, output, printed } = startFile("src/cli/main.ts", env, ["serve", "--config", file])
    const url = await printed(/listens on (http:\S+) \(live,/)
    const ask = async (method: string, path: string) =>
      (await fetch(url + path, { method, headers: { authorization: `Bearer ${apiKey}` } })).status
    expect([await ask("GET", "/v1/me"), await ask("POST", "/sandbox/settle")]).toEqual([200, 404])
    expect(await ask("POST", "/providers/bank/events")).toBe(401)
    expect(await ask("POST", "/providers/simulated/events")).toBe(404)
    child.kill("SIGTERM")
    expect([await exit, output().includes("fixed key")]).toEqual([0, false])
  })
})
