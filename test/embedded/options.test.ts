/** JavaScript has no types: a misspelt option is refused, and is not dropped. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../src/adapters/clock/movable.ts"
import { evmProvider } from "../../src/adapters/provider/evm.ts"
import { httpProvider } from "../../src/adapters/provider/http.ts"
import { simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { solanaProvider } from "../../src/adapters/provider/solana.ts"
import { treasuryProvider } from "../../src/adapters/provider/treasury.ts"
import { httpRates } from "../../src/adapters/rates/http.ts"
import { kmsSigner } from "../../src/adapters/signer/kms.ts"
import { localSigner } from "../../src/adapters/signer/local.ts"
import { cellsStorage } from "../../src/adapters/storage/cells/cells.ts"
import { MemoryStorage, memoryStorage } from "../../src/adapters/storage/memory.ts"
import { pgliteStorage } from "../../src/adapters/storage/pglite.ts"
import { postgresStorage } from "../../src/adapters/storage/postgres.ts"
import { httpWebhooks } from "../../src/adapters/webhook/http.ts"
import { memoryWebhooks } from "../../src/adapters/webhook/memory.ts"
import { mount } from "../../src/http/index.ts"
import { Corridor, type MerchantCalls, pricingOf, ratesOf, type RunningSandbox } from "../../src/index.ts"
import { covers } from "../support/repository/covers.ts"

const key = aesKey(Buffer.alloc(32, 7).toString("base64"))
const parts = () => ({
  storage: memoryStorage(),
  provider: simulatedProvider(),
  webhooks: memoryWebhooks(),
  cipher: aesGcmCipher({ keys: [key] }),
  clock: movableClock()
})

let corridor: RunningSandbox
let lagos: MerchantCalls
beforeAll(async () => {
  corridor = await Corridor.start(parts())
  const { merchant } = await corridor.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
  lagos = corridor.as(merchant.id)
})
afterAll(() => corridor.close())

/** A value as JavaScript gives it. */
const js = (value: unknown) => value as never
const wallet = { currency: "USDC", network: "base" } as const

describe("an option of a call", () => {
  const named = "is not an option of this call"
  it.each<[string, () => Promise<unknown>, string]>([
    [
      "a misspelt idempotencyKey",
      () => lagos.wallets.create(wallet, js({ idempotencykey: "key-0001" })),
      `\`idempotencykey\` ${named}. Did you mean \`idempotencyKey\`?`
    ],
    [
      "a misspelt dryRun of a call without input",
      () => lagos.batches.confirm("bat_1", js({ dry_run: true })),
      `\`dry_run\` ${named}. Did you mean \`dryRun\`?`
    ],
    [
      "a name like none",
      () => lagos.wallets.list({}, js({ retries: 3 })),
      `\`retries\` ${named}. It takes \`strict\`, \`idempotencyKey\`.`
    ],
    [
      "a version where none is compared",
      () => lagos.wallets.create(wallet, js({ ifMatch: "1" })),
      `\`ifMatch\` ${named}. It takes \`strict\`, \`dryRun\`, \`idempotencyKey\`.`
    ],
    [
      "a dry run of a read",
      () => lagos.wallets.list({}, js({ dryRun: true })),
      `\`dryRun\` ${named}. It takes \`strict\`, \`idempotencyKey\`.`
    ],
    [
      "an actor, of a merchant",
      () => lagos.wallets.list({}, js({ actor: "ada" })),
      `\`actor\` ${named}. It takes \`strict\`, \`idempotencyKey\`.`
    ],
    [
      "a word for a boolean",
      () => lagos.wallets.create(wallet, js({ dryRun: "yes" })),
      "this call: dryRun is a string; it takes a boolean"
    ],
    [
      "a text for the options",
      () => lagos.wallets.create(wallet, js("key-0001")),
      "the options of this call are a string; they are an object"
    ]
  ])("is refused: %s", async (_, call, message) => {
    await expect(call()).rejects.toThrow(new TypeError(message))
  })

  it("is refused before anything is written", async () => {
    const before = await lagos.wallets.list()
    await expect(lagos.wallets.create(wallet, js({ idempotencykey: "key-0002" }))).rejects.toThrow(TypeError)
    expect((await lagos.wallets.list()).total).toBe(before.total)
  })

  it("may be a key where none is needed: what can be repeated anyway takes one", async () => {
    const { id } = await lagos.wallets.create(wallet, { idempotencyKey: "key-0003" })
    const update = lagos.wallets.update(id, { label: "payroll" }, js({ idempotencyKey: "key-0004" }))
    await expect(update).resolves.toMatchObject({ label: "payroll" })
  })

  it("may be undefined, of whatever name", async () => {
    await expect(lagos.wallets.list({}, js({ strict: undefined, retries: undefined }))).resolves.toBeDefined()
    await expect(lagos.wallets.list({}, undefined)).resolves.toBeDefined()
  })

  it("of the operator names who acts", async () => {
    await expect(corridor.operator.approvals.list({}, { actor: "ada" })).resolves.toBeDefined()
  })
})

describe("an option of a start", () => {
  it.each<[unknown, string]>([
    [{ enviroment: "live" }, "`enviroment` is not an option of Corridor.start. Did you mean `environment`?"],
    [{ nameMatch: "refused" }, 'Corridor.start: nameMatch is "refused"; it takes show or refuse'],
    [{ screening: "off" }, 'Corridor.start: screening is "off"; it takes required or none'],
    [{ dispatcher: "off" }, "Corridor.start: dispatcher is a string; it takes a boolean"],
    [{ retention: { delivery: 7 } }, "`delivery` is not an option of retention. Did you mean `deliveries`?"],
    [{ limits: { writes: 8 } }, "limits: reads is not set; it takes a number"],
    [{ routing: { priority: {} } }, "`priority` is not an option of routing. Did you mean `priorities`?"],
    [{ rateBand: { minutes: "0.1" } }, "`minutes` is not an option of rateBand. Did you mean `minute`?"],
    [{ pricing: {} }, "pricing: fees is not set; it takes a function"],
    [{ rates: {} }, "rates: rate is not set; it takes a function"],
    [{ rates: { mids: {}, spraed: "0" } }, "`spraed` is not an option of rates. Did you mean `spread`?"]
  ])("is refused: %j", async (over, message) => {
    await expect(Corridor.start({ ...parts(), ...(over as object) })).rejects.toThrow(new TypeError(message))
  })

  // What `Number(process.env.UNSET)` is: no comparison would stop it.
  it.each<[unknown, string]>([
    [{ limits: { writes: Number.NaN, reads: 8 } }, "limits.writes is NaN; it takes a whole number from 1 to 1000000"],
    [{ limits: { writes: 8, reads: 0 } }, "limits.reads is 0; it takes a whole number from 1 to 1000000"],
    [{ webhookRetrySeconds: [5, Number.NaN] }, "webhookRetrySeconds has NaN; it takes seconds above 0, up to 2592000"],
    [{ webhookRetrySeconds: [-5] }, "webhookRetrySeconds has -5; it takes seconds above 0, up to 2592000"],
    [{ webhookRetrySeconds: ["5"] }, "webhookRetrySeconds has 5; it takes seconds above 0, up to 2592000"]
  ])("is refused where its number is out of range: %j", async (over, message) => {
    await expect(Corridor.start({ ...parts(), ...(over as object) })).rejects.toThrow(new RangeError(message))
  })

  covers("LIMIT-4")
  it.each([Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY])("is refused of a mount, too: %j writes a second", (rate) => {
    expect(() => mount(corridor, { ratePerSecond: rate })).toThrow(
      new RangeError(`ratePerSecond is ${rate}; it takes a whole number from 0 to 1000000`)
    )
  })

  it("that is refused leaves nothing running", async () => {
    const directory = mkdtempSync(join(tmpdir(), "corridor-options-"))
    const whole = () => ({ ...parts(), storage: pgliteStorage({ directory }) })
    await expect(Corridor.start({ ...whole(), metricsIntervalSeconds: 0 })).rejects.toThrow(RangeError)
    // The store is free again.
    await (await Corridor.start(whole())).close()
    rmSync(directory, { recursive: true })
  })

  it("is refused of a layer, too", () => {
    const given = js({ storage: MemoryStorage.layer, baseURI: "https://pay.example.com" })
    expect(() => Corridor.layer(given)).toThrow(
      new TypeError("`baseURI` is not an option of Corridor.layer. Did you mean `baseUrl`?")
    )
  })

  it("is refused of a mount, too", () => {
    expect(() => mount(corridor, js({ operatorTokens: "x" }))).toThrow(
      new TypeError("`operatorTokens` is not an option of mount. Did you mean `operatorToken`?")
    )
  })

  it.each<[() => unknown, string]>([
    [() => pricingOf(js({ fees: () => "0" })), "pricing: outbound is not set; it takes a function"],
    [() => ratesOf(js({ rate: () => "1" })), "rates: perUsd is not set; it takes a function"]
  ])("is refused of a policy of functions", (make, message) => {
    expect(make).toThrow(new TypeError(message))
  })

  it("may be an object of the caller's own class, with whatever else it has", () => {
    class Book {
      seen = 0
      rate = () => "1"
      perUsd = () => "1"
      fees = () => ({}) as never
      outbound = () => ({}) as never
    }
    expect(() => [ratesOf(new Book()), pricingOf(new Book())]).not.toThrow()
  })
})

const signer = kmsSigner({ client: js({}) })
const evm = {
  name: "base",
  chain_id: 8453,
  network: "base",
  rpc_urls: ["https://a.example"],
  hot_wallet: "hot",
  signer
} as const
const usdc = { address: "0x0", decimals: 6 }
const connector = { url: "http://127.0.0.1:1", secret: `whsec_${Buffer.alloc(32).toString("base64")}` }
const database = "postgres://u:hunter2@127.0.0.1/corridor"

describe("an option of an adapter", () => {
  it("may be a URL of several hosts, or of a socket", () => {
    const urls = ["postgres://u@a:5432,b:5432/corridor", "postgresql:///corridor?host=/run/postgresql"]
    expect(() => urls.map((url) => postgresStorage({ url }))).not.toThrow()
  })

  it.each<[string, () => unknown, string]>([
    ["pgliteStorage", () => pgliteStorage(js({ dir: "x" })), "It takes `directory`, `image`."],
    ["postgresStorage", () => postgresStorage(js({ url: database, connection: 4 })), "Did you mean `connections`?"],
    ["cellsStorage", () => cellsStorage(js({ url: database, cells: 2, cell: 2 })), "Did you mean `cells`?"],
    ["simulatedProvider", () => simulatedProvider(js({ delayMS: 1, delay: 1 })), "Did you mean `delay_ms`?"],
    ["treasuryProvider", () => treasuryProvider(js({ nmae: "fx" })), "Did you mean `name`?"],
    [
      "httpProvider",
      () => httpProvider(js({ ...connector, name: "bank", timeoutMs: 1 })),
      "Did you mean `timeout_ms`?"
    ],
    ["evmProvider", () => evmProvider(js({ ...evm, tokens: {}, confirmation: 3 })), "Did you mean `confirmations`?"],
    [
      "tokens.USDC of evmProvider",
      () => evmProvider(js({ ...evm, tokens: { USDC: { ...usdc, sweepMinimum: "9", sweep_min: "9" } } })),
      "Did you mean `sweep_minimum`?"
    ],
    [
      "solanaProvider",
      () => solanaProvider(js({ ...evm, chain_id: undefined, tokens: {}, deposit_keys: "x" })),
      "Did you mean `deposit_key`?"
    ],
    [
      "tokens.USDC of solanaProvider",
      () =>
        solanaProvider(js({ ...evm, chain_id: undefined, tokens: { USDC: { mint: "m", decimals: 6, sweep: "1" } } })),
      "It takes `mint`, `decimals`, `sweep_from`."
    ],
    ["httpRates", () => httpRates(js({ ...connector, spread: "0", maxAge: 1 })), "Did you mean `max_age_ms`?"],
    ["kmsSigner", () => kmsSigner(js({ client: {}, polcy: null })), "Did you mean `policy`?"],
    ["localSigner", () => localSigner(js({ keys: {}, polices: null })), "Did you mean `policy`?"],
    [
      "keys.hot of localSigner",
      () => localSigner(js({ keys: { hot: { curve: "ed25519", secert: "x" } } })),
      "Did you mean `secret`?"
    ],
    ["aesGcmCipher", () => aesGcmCipher(js({ keys: [key], key })), "Did you mean `keys`?"],
    ["httpWebhooks", () => httpWebhooks(js({ retries: 1 })), "It takes `timeout_ms`, `user_agent`, `resolve`."],
    ["memoryWebhooks", () => memoryWebhooks(js({ answers: () => {} })), "Did you mean `answer`?"]
  ])("is refused: %s", (name, make, proposal) => {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(`is not an option of ${name}. ${proposal}`)
  })

  it.each<[() => unknown, string]>([
    [() => simulatedProvider(js({ mode: "manuel" })), 'simulatedProvider: mode is "manuel"; it takes auto or manual'],
    [() => pgliteStorage(js({ directory: null })), "pgliteStorage: directory is null; it takes a string"],
    [() => pgliteStorage(js("data")), "the options of pgliteStorage are a string; they are an object"],
    [() => postgresStorage(js({})), "postgresStorage: url is not set; it takes a string"],
    [() => postgresStorage(js(undefined)), "the options of postgresStorage are not set; they are an object"],
    [
      () => postgresStorage({ url: "mysql://u:hunter2@h/d" }),
      "postgresStorage: url is no postgres:// URL; it takes postgres://USER:PASSWORD@HOST:PORT/DATABASE"
    ],
    [
      () => cellsStorage({ url: `${database},${database}`, cells: 2 }),
      "cellsStorage: url is no postgres:// URL; it takes postgres://USER:PASSWORD@HOST:PORT/DATABASE"
    ],
    [() => cellsStorage(js({ url: database, cells: "2" })), "cellsStorage: cells is a string; it takes a number"],
    [
      () => localSigner(js({ keys: { hot: { curve: "secp256r1" } } })),
      'keys.hot of localSigner: curve is "secp256r1"; it takes secp256k1 or ed25519'
    ]
  ])("is refused where it is none of the words or types that it takes", (make, message) => {
    expect(make).toThrow(new TypeError(message))
  })
})
