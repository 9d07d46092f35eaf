/** Configuration files: what each member takes, what a variable overrides, and every fault in one line. */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, describe, expect, it } from "vitest"
import { simulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import type { Config } from "../../../src/http/config/config.ts"
import { type DecodedConfig, decodeConfig } from "../../../src/http/config/decode.ts"
import { type ConfigDefinition, type ConfigSources, defineConfig } from "../../../src/http/config/define.ts"
import { type Env, resolveConfig } from "../../../src/http/config/resolve.ts"
import { corridor } from "../../support/cli/command-line.ts"
import { serveHere } from "../../support/http/served-here.ts"
import { covers } from "../../support/repository/covers.ts"

const decode = async (definition: unknown, env: Env = {}, isServing = false): Promise<DecodedConfig> =>
  decodeConfig(env, await resolveConfig(definition, env, "corridor.config.ts"), { literals: "refused", isServing })
const read = async (definition: ConfigDefinition, env: Env = {}): Promise<Config> => {
  const decoded = await decode(definition, env)
  if ("faults" in decoded) throw new Error(decoded.faults.join("\n"))
  return decoded.config
}
const faults = async (definition: unknown, env: Env = {}): Promise<ReadonlyArray<string>> => {
  const decoded = await decode(definition, env)
  return "faults" in decoded ? decoded.faults : []
}
const bytes = (n: number): string => Buffer.alloc(32, n).toString("base64")
const rates = { mids: { USD: "1", NGN: "1500" }, spread: "0.005" }
const pricing = { fees: () => ({ gateway: "0", network: "0" }), outbound: () => ({ minimum: null, maximum: null }) }
describe("a configuration", () => {
  covers("SERVICE-17")
  it("has a member for every setting", async () => {
    const provider = simulatedProvider()
    const env = {
      DB: "postgres://u:p@h/d",
      KEY: `sk_test_${"a".repeat(43)}`,
      TOKEN: "op_0123456789abcdef",
      SCRAPER: "a-token-for-prometheus",
      CURRENT: bytes(1),
      OLDER: bytes(2),
      CALLBACK: `whsec_${bytes(3)}`
    }
    const config = await read(
      ({ secret }) => ({
        environment: "test",
        host: "::",
        port: 0,
        database: secret("DB"),
        statementTimeoutMs: 0,
        apiKey: secret("KEY"),
        operatorToken: secret("TOKEN"),
        metricsToken: secret("SCRAPER"),
        metricsIntervalSeconds: 60,
        encryptionKeys: [secret("CURRENT"), secret("OLDER")],
        providers: [provider],
        rates,
        pricing,
        routing: { priorities: { simulated: 1 } },
        limits: { writes: 9, reads: 8, ratePerSecond: 0 },
        webhooks: { retrySeconds: [1, 2], timeoutMs: 5 },
        retention: { deliveries: null, providerEvents: 31, events: 32 },
        baseUrl: "https://pay.example.com/",
        docsUrl: "https://docs.example.com",
        dispatcher: false,
        console: false,
        keepAliveSeconds: 620,
        sendTimeoutSeconds: 30,
        openMetrics: false,
        leaseSeconds: 5,
        logLevel: "none",
        payshap: false,
        nameMatch: "refuse",
        sandbox: { mode: "manual", delayMs: 7, callbackSecret: secret("CALLBACK") }
      }),
      env
    )
    expect(config).toEqual({
      environment: "test",
      host: "::",
      port: 0,
      database: { _tag: "postgres", url: env.DB },
      statement_timeout_ms: 0,
      api_key: env.KEY,
      operator_token: env.TOKEN,
      metrics_token: env.SCRAPER,
      metrics_interval_seconds: 60,
      encryption_keys: [env.CURRENT, env.OLDER],
      providers: [provider],
      rates,
      pricing,
      routing: { priorities: { simulated: 1 } },
      max_writes: 9,
      max_reads: 8,
      rate_per_second: 0,
      webhook_retry_seconds: [1, 2],
      webhook_timeout_ms: 5,
      keep_deliveries: null,
      keep_provider_events: 31,
      keep_events: 32,
      public_url: "https://pay.example.com",
      docs_url: "https://docs.example.com",
      dispatcher: false,
      console: false,
      keep_alive_seconds: 620,
      send_timeout_seconds: 30,
      open_metrics: false,
      lease_seconds: 5,
      log_level: "None",
      payshap: false,
      name_match: "refuse",
      sandbox_mode: "manual",
      sandbox_delay_ms: 7,
      provider_secret: env.CALLBACK
    })
  })

  it("may be a function, also one that waits, and may leave members undefined", async () => {
    const waiting = async ({ secret }: ConfigSources) => ({ host: await Promise.resolve(secret("ADDRESS")), port: 1 })
    expect(await read(waiting, { ADDRESS: "0.0.0.0" })).toMatchObject({ host: "0.0.0.0", port: 1 })
    expect(await read({ port: undefined, limits: { writes: undefined } } as never)).toEqual(decoded(decodeConfig({})))
  })

  it("gives way to the variables that are set", async () => {
    const both = await read({ port: 1, payshap: true, database: "memory:" }, { PORT: "2", CORRIDOR_PAYSHAP: "off" })
    expect(both).toMatchObject({ port: 2, payshap: false, database: { _tag: "memory" } })
    expect(await read({ port: 1 }, { PORT: "" })).toMatchObject({ port: 1 })
  })

  it("takes a database without a password as it is", async () => {
    const url = "postgres://h/a"
    expect(await read({ database: url })).toMatchObject({ database: { _tag: "postgres", url } })
  })

  it("makes its providers, each by its own function", async () => {
    const [one, two] = [simulatedProvider(), simulatedProvider()]
    expect((await read({ providers: [one, () => two] })).providers).toEqual([one, two])
  })
})

const decoded = (result: DecodedConfig): Config => {
  if ("faults" in result) throw new Error(result.faults.join("\n"))
  return result.config
}

describe("a fault of a configuration", () => {
  covers("SERVICE-18")
  it.each<[string, unknown, string]>([
    ["a text for a number", { port: "8080" }, 'port is "8080"; it takes a port from 0 to 65535.'],
    ["a fraction", { port: 80.5 }, "port is 80.5; it takes a port from 0 to 65535."],
    ["null", { host: null }, "host is null; it takes a host name or an address to listen on."],
    ["another environment", { environment: "prod" }, 'environment is "prod"; it takes test or live.'],
    ["a text for a flag", { dispatcher: "off" }, 'dispatcher is "off"; it takes true or false.'],
    [
      "a URL without a scheme",
      { baseUrl: "pay.example.com" },
      'baseUrl is "pay.example.com"; it takes an http or https URL without credentials and a query.'
    ],
    [
      "no delays",
      { webhooks: { retrySeconds: [] } },
      "webhooks.retrySeconds is an empty list; it takes a list of seconds from 1 to 2592000."
    ],
    [
      "a delay of zero",
      { webhooks: { retrySeconds: [5, 0] } },
      "webhooks.retrySeconds is a list of 2; it takes a list of seconds from 1 to 2592000."
    ],
    [
      "a retention too short",
      { retention: { events: 1 } },
      "retention.events is 1; it takes days from 30 to 36500, or null (forever)."
    ],
    [
      "a retention of zero",
      { retention: { deliveries: 0 } },
      "retention.deliveries is 0; it takes days from 1 to 36500, or null (forever)."
    ],
    ["a group that is none", { limits: 25 }, "limits is 25; it takes an object of ratePerSecond, writes, reads."],
    [
      "another store",
      { database: "sqlite:x" },
      "database is a string of 8 characters; it takes memory:, pglite:memory, pglite:DIR, or postgres://USER:PASSWORD@HOST:PORT/DATABASE, a single one, with ?cells=N from 1 to 64 if it has cells."
    ],
    [
      "several databases",
      { database: ["postgres://h/a", "postgres://h/b"] },
      "database is a list of 2; it takes memory:, pglite:memory, pglite:DIR, or postgres://USER:PASSWORD@HOST:PORT/DATABASE, a single one, with ?cells=N from 1 to 64 if it has cells."
    ],
    ["an unknown member", { prot: 1 }, "`prot` is not a member of the configuration. Did you mean `port`?"],
    ["an unknown member, far from all", { zebra: 1 }, "`zebra` is not a member of the configuration."],
    [
      "a misspelt list of providers",
      { provider: [] },
      "`provider` is not a member of the configuration. Did you mean `providers`?"
    ],
    [
      "an unknown member of a group",
      { limits: { write: 1 } },
      "`limits.write` is not a member of the configuration. Did you mean `limits.writes`?"
    ],
    [
      "no providers",
      { providers: [] },
      "providers is an empty list; it takes a list of at least one provider adapter."
    ],
    [
      "one provider without its list",
      { providers: simulatedProvider() },
      "providers is an object; it takes a list of at least one provider adapter."
    ],
    [
      "what is no provider",
      { providers: [{ name: "bank" }] },
      "providers[0] is an object; it takes a provider adapter, made by a function of corridor/adapters/provider/*."
    ],
    [
      "a function that makes none",
      { providers: [() => undefined] },
      "providers[0] is not set; it takes a provider adapter, made by a function of corridor/adapters/provider/*."
    ],
    [
      "a provider that cannot be made",
      {
        providers: [
          () => {
            throw new TypeError("url is missing\nat x")
          }
        ]
      },
      "providers[0] cannot be evaluated: url is missing"
    ],
    [
      "rates that are none",
      { rates: "1500" },
      'rates is "1500"; it takes a table of mids and spread, or an object with the functions rate and perUsd.'
    ],
    [
      "rates with half of their functions",
      { rates: { rate: () => "1" } },
      "rates.perUsd is not set; it takes a function."
    ],
    [
      "a rate as a number",
      { rates: { mids: { NGN: 1500 }, spread: "0" } },
      'rates.mids.NGN is 1500; it takes the units of NGN for one US dollar, as text, such as "1500.25".'
    ],
    [
      "a rate of zero",
      { rates: { mids: { NGN: "0.0" }, spread: "0" } },
      'rates.mids.NGN is "0.0"; it takes the units of NGN for one US dollar, as text, such as "1500.25".'
    ],
    [
      "a rate of no currency",
      { rates: { mids: { NGM: "1500" }, spread: "0" } },
      "`rates.mids.NGM` is not a currency. Did you mean `rates.mids.NGN`?"
    ],
    [
      "a spread in percent",
      { rates: { mids: {}, spread: "1" } },
      'rates.spread is "1"; it takes a fraction from 0 to below 1, as text, such as "0.005".'
    ],
    [
      "a table with more",
      { rates: { mids: {}, spread: "0", spreads: 1 } },
      "`rates.spreads` is not a member of the configuration. Did you mean `rates.spread`?"
    ],
    ["pricing without ranges", { pricing: { fees: () => ({}) } }, "pricing.outbound is not set; it takes a function."],
    [
      "pricing that is none",
      { pricing: () => 1 },
      "pricing is a function; it takes an object with the functions fees and outbound."
    ],
    [
      "routing that is none",
      { routing: "cheapest" },
      'routing is "cheapest"; it takes an object with priorities or the function order.'
    ],
    [
      "a priority as a text",
      { routing: { priorities: { bank: "1" } } },
      'routing.priorities.bank is "1"; it takes a number, a lower one going first.'
    ],
    [
      "priorities that are none",
      { routing: { priorities: ["bank"] } },
      "routing.priorities is a list of 1; it takes an object of numbers by provider."
    ],
    ["an order that is none", { routing: { order: ["bank"] } }, "routing.order is a list of 1; it takes a function."],
    [
      "routing with more",
      { routing: { priority: {} } },
      "`routing.priority` is not a member of the configuration. Did you mean `routing.priorities`?"
    ],
    [
      "a secret as a literal",
      { apiKey: `sk_test_${"a".repeat(43)}` },
      'apiKey is a literal; it takes secret("NAME"), the name of an environment variable.'
    ],
    [
      "an encryption key as a literal",
      { encryptionKeys: [bytes(1)] },
      'encryptionKeys is a literal; it takes secret("NAME"), the name of an environment variable.'
    ],
    [
      "a token as a literal",
      { operatorToken: "op_0123456789abcdef" },
      'operatorToken is a literal; it takes secret("NAME"), the name of an environment variable.'
    ],
    [
      "a password as a literal",
      { database: "postgres://u:hunter2@h/d" },
      'database is a literal; it takes secret("NAME"), the name of an environment variable.'
    ],
    [
      "a secret that is not set",
      ({ secret }: ConfigSources) => ({ apiKey: secret("NOWHERE") }),
      "apiKey reads NOWHERE, which is not set in the environment."
    ],
    [
      "a nested secret that is not set",
      ({ secret }: ConfigSources) => ({ encryptionKeys: [secret("EMPTY")] }),
      "encryptionKeys[0] reads EMPTY, which is not set in the environment."
    ],
    [
      "a provider's secret that is not set",
      ({ secret }: ConfigSources) => ({
        providers: [simulatedProvider(), () => simulatedProvider({ callback_secret: secret("NOWHERE") })]
      }),
      "providers[1] reads NOWHERE, which is not set in the environment."
    ],
    [
      "a secret of another form",
      ({ secret }: ConfigSources) => ({ apiKey: secret("WRONG") }),
      "apiKey is a string of 7 characters; it takes an API key of the test environment: sk_test_ and at least 16 letters, digits, underscores or hyphens."
    ],
    [
      "a function that throws",
      () => {
        throw new Error("no such desk")
      },
      "the configuration cannot be evaluated: no such desk"
    ],
    [
      "a function that returns nothing",
      () => undefined,
      "the configuration is not set; it takes an object, as of defineConfig({ … })."
    ],
    ["a list", [{}], "the configuration is a list of 1; it takes an object, as of defineConfig({ … })."]
  ])("is one line: %s", async (_, definition, line) => {
    expect(await faults(definition, { EMPTY: "", WRONG: "hunter2" })).toEqual([line])
  })

  it("is reported with all others, those of the environment included, and shows no secret", async () => {
    const definition = ({ secret }: ConfigSources) => ({
      port: -1,
      hots: "x",
      apiKey: secret("A"),
      operatorToken: secret("B"),
      encryptionKeys: ["hunter2"],
      providers: [
        () => {
          secret("C")
          throw new Error("a key of 32 bytes is required")
        },
        () => simulatedProvider({ callback_secret: secret("D") }),
        7
      ],
      rates: { mids: 1, spread: "2" }
    })
    const all = await faults(definition, { B: "hunter2", CORRIDOR_PAYSHAP: "yes" })
    expect(all.map((line) => line.split(" ")[0])).toEqual([
      "apiKey",
      "providers[0]",
      "providers[1]",
      "providers[2]",
      "port",
      "operatorToken",
      "CORRIDOR_PAYSHAP",
      "encryptionKeys",
      "`hots`",
      "rates.mids",
      "rates.spread"
    ])
    expect(all.join()).not.toContain("hunter2")
    expect(all.every((line) => !line.includes("\n"))).toBe(true)
  })

  it("is a variable that contradicts the environment of the file", async () => {
    const contradictory = await faults({ environment: "live" }, { CORRIDOR_ENVIRONMENT: "test" })
    expect(contradictory).toEqual([
      'CORRIDOR_ENVIRONMENT is "test", but environment is "live" in corridor.config.ts; set only one.'
    ])
    expect(await faults({ environment: "test" }, { CORRIDOR_ENVIRONMENT: "test" })).toEqual([])
  })
})

const directory = mkdtempSync(join(tmpdir(), "corridor-config-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
let files = 0
const written = (text: string, extension = ".ts"): string => {
  const name = `config-${files++}${extension}`
  writeFileSync(join(directory, name), text)
  return name
}

/** Loads a file in plain Node: the loader of the tests would compile it. */
const loaded = async (name: string): Promise<unknown> => {
  const loader = resolve("src/http/config/resolve.ts")
  const script = `import(${JSON.stringify(loader)}).then((m) => m.loadConfigFile(${JSON.stringify(name)}, process.cwd())).then((l) => console.log(JSON.stringify(l)))`
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], { cwd: directory })
  return JSON.parse(stdout)
}

describe("a configuration file", () => {
  it.each([".ts", ".mts", ".js", ".mjs"])("may end in %s", async (extension) => {
    writeFileSync(join(directory, "package.json"), '{"type":"module"}')
    const typed = extension.includes("ts") ? " satisfies { port: number }" : ""
    const name = written(`export default { port: 9 }${typed}`, extension)
    expect(await loaded(name)).toEqual({ source: name, definition: { port: 9 } })
  })

  it.each([
    [
      "nothing at its path",
      () => "missing.ts",
      /^missing\.ts does not exist; --config takes the path of a file\. Looked for \/.*\/missing\.ts\.$/
    ],
    ["a directory", () => (mkdirSync(join(directory, "folder.ts")), "folder.ts"), /^folder\.ts is a directory; /],
    [
      "another ending",
      () => written("{}", ".json"),
      /^config-\d+\.json is not a program; --config takes a file that ends in \.ts, \.mts, \.js, \.mjs\.$/
    ],
    [
      "no default export",
      () => written("export const config = { port: 1 }"),
      /^config-\d+\.ts has no default export; it takes export default defineConfig\(\{ … \}\)\.$/
    ],
    [
      "a syntax error",
      () => written("export default {\n  port: 1,,\n}"),
      /^config-\d+\.ts cannot be read in line 2: \S/
    ],
    [
      "a syntax error in JavaScript",
      () => written("export default {\n  port: 1,,\n}", ".mjs"),
      /^config-\d+\.mjs cannot be read in line 2: \S/
    ],
    [
      "TypeScript that must be compiled",
      () => written("enum A { B }\nexport default { port: A.B }"),
      /^config-\d+\.ts has TypeScript that Node cannot run as it is, such as an enum or a namespace: \S/
    ],
    [
      "an import of nothing",
      () => written(["import", '"./nowhere.ts"\nexport default {}'].join(" ")),
      /^config-\d+\.ts imports what does not exist: .*nowhere\.ts/
    ],
    [
      "an error of its own",
      () => written('throw new Error("no such desk\\nat all")'),
      /^config-\d+\.ts cannot be evaluated: no such desk$/
    ]
  ])("with %s is refused in one line", async (_, file, line) => {
    expect(await loaded(file())).toMatchObject({ faults: [expect.stringMatching(line)] })
  })

  it("runs a server, which a variable can still change", async () => {
    const config = join(process.cwd(), "src/http/config/index.ts")
    const name = written(
      `import { defineConfig } from ${JSON.stringify(config)}
       export default defineConfig(({ secret }) => ({ port: 1, database: "memory:", apiKey: secret("MY_KEY") }))`
    )
    const key = `sk_test_${"f".repeat(43)}`
    const env = { DATABASE_URL: undefined, CORRIDOR_API_KEY: undefined, MY_KEY: key, CORRIDOR_KEEP_ALIVE_SECONDS: "20" }
    const served = await serveHere(env, ["serve", "--config", join(directory, name)])
    const me = await fetch(`${served.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })
    expect([me.status, me.headers.get("keep-alive")]).toEqual([200, "timeout=20"])
    expect(await served.stop()).toBe(0)
    expect(served.output()).not.toContain("shown this once: sk_")
  })

  it("with faults starts nothing: every line is printed, and the exit code is 1", async () => {
    const name = written('export default { port: "x", databse: "memory:", sandbox: { mode: "slow" } }')
    const args = ["--config", join(directory, name)]
    expect(await corridor(args, { CORRIDOR_LEASE_SECONDS: "0" })).toEqual({
      code: 1,
      out: "",
      errors: [
        'port is "x"; it takes a port from 0 to 65535.',
        'sandbox.mode is "slow"; it takes auto or manual.',
        'CORRIDOR_LEASE_SECONDS is "0"; it takes seconds from 1 to 3600.',
        "`databse` is not a member of the configuration. Did you mean `database`?"
      ]
    })
  })

  it.each([
    [["serve", "--confg", "x.ts"], "--confg is not an option of corridor serve. Did you mean --config?"],
    [["serve", "--config"], "--config takes FILE; found nothing."],
    [["serve", "x.ts"], 'unexpected argument "x.ts".'],
    [["keys", "status", "now"], 'unexpected argument "now".']
  ])("is named by --config: %j is refused", async (args, text) => {
    const { code, errors } = await corridor(args)
    expect(code).toBe(2)
    expect(errors.join("\n")).toContain(text)
  })
})

const port = { port: 1 }
it("types a configuration without changing it", () => expect(defineConfig(port)).toBe(port))
