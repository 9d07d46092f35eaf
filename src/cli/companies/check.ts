/**
 * `corridor check-provider paystack|circle|bridge`: asks a company's test environment about what its documents leave open, and runs those cases of
 * the conformance kit that it allows, against the built-in connector. A live key is refused, so nothing costs money.
 */
import { Cause, Clock, Effect, Exit, Layer } from "effect"
import { BridgeProvider } from "../../adapters/provider/bridge.ts"
import { bridgeProbes } from "../../adapters/provider/bridge/probes.ts"
import { headersOf } from "../../adapters/provider/bridge/provider.ts"
import { CircleProvider } from "../../adapters/provider/circle.ts"
import { circleProbes } from "../../adapters/provider/circle/probes.ts"
import { type CompanyOptions, makeCompanyClient } from "../../adapters/provider/company/client.ts"
import { idempotencyKey } from "../../adapters/provider/company/idempotency.ts"
import type { Probe } from "../../adapters/provider/company/probes.ts"
import { PaystackProvider } from "../../adapters/provider/paystack.ts"
import { currencies, type PaystackCurrency } from "../../adapters/provider/paystack/options.ts"
import { paystackProbes } from "../../adapters/provider/paystack/probes.ts"
import { MemoryStorage } from "../../adapters/storage/memory.ts"
import { type CheckExitCode, checkProvider, type Output } from "../../conformance/command.ts"
import type { ProviderFault, StorageFault } from "../../engine/ports/errors.ts"
import { Ids } from "../../engine/ports/Ids.ts"
import { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import { Provider, type StatementLine, type StatementPage, type Statements } from "../../engine/ports/Provider.ts"
import type { Storage } from "../../engine/ports/Storage.ts"
import { wallNow, WallTime } from "../../engine/ports/Time.ts"
import { makeTransport, type Transport } from "../../protocol/transport.ts"
import { readFirstLine } from "../failure.ts"
import { serveProvider } from "./connector.ts"

interface Asked {
  readonly key: string
  readonly url: string
  readonly currency: string
  /** Members of a destination that can be paid; undefined: none is known, and nothing is paid. */
  readonly account: Readonly<Record<string, string>> | undefined
  /** What the company's own options of this command say: the customer and the wallet. */
  readonly customer: string
  readonly wallet: string
}

interface CheckedCompany {
  readonly url: string
  readonly currency: string
  readonly account?: Readonly<Record<string, string>>
  /** Why the key or the currency cannot be used. */
  readonly fault: (asked: Asked) => string | undefined
  readonly layer: (asked: Asked) => Layer.Layer<Provider, StorageFault, Storage | JobNotifier>
  /** `run_id`: of this run alone, 32 hexadecimal digits. */
  readonly probes: (asked: Asked, transport: Transport, run_id: string) => ReadonlyArray<Probe>
}

const makeClient = (
  transport: Transport,
  { key, url }: Asked,
  headers: CompanyOptions["headers"] = { authorization: `Bearer ${key}` }
) => makeCompanyClient({ transport, base_url: url, headers, now: wallNow })

const isPaystackCurrency = (currency: string): currency is PaystackCurrency =>
  (currencies as ReadonlyArray<string>).includes(currency)

const companies: { readonly [name: string]: CheckedCompany } = {
  paystack: {
    url: "https://api.paystack.co",
    currency: "NGN",
    // The recipient of Paystack's test mode.
    account: { account_number: "0000000000", bank_code: "057" },
    fault: ({ currency, key }) =>
      !key.startsWith("sk_test_")
        ? "--key-env names a key that is no sk_test_…: this command moves money, and takes keys of the test mode only."
        : isPaystackCurrency(currency)
          ? undefined
          : `--currency takes ${currencies.join(", ")}; found ${JSON.stringify(currency)}.`,
    layer: ({ currency, key, url }) =>
      PaystackProvider.layer({
        ...{ keys: { [currency]: key }, url },
        payins: { email_domain: "corridor-check.example.com", bank: { NGN: "test-bank", GHS: "test-bank" } }
      }),
    probes: (asked, transport, run_id) => {
      const { account_number = "", bank_code = "" } = asked.account ?? {}
      const reference = `corridor-check-${run_id.slice(0, 16)}`
      const currency = asked.currency as PaystackCurrency
      return paystackProbes(makeClient(transport, asked), currency, { account_number, bank_code }, reference)
    }
  },
  circle: {
    url: "https://api-sandbox.circle.com",
    currency: "USDC",
    fault: ({ currency, key }) =>
      /^LIVE/i.test(key)
        ? "--key-env names a live key: this command moves money, and takes keys of the sandbox only."
        : currency === "USDC"
          ? undefined
          : `--currency takes USDC; found ${JSON.stringify(currency)}.`,
    layer: ({ key, url }) => CircleProvider.layer({ environment: "test", key, url, bank_countries: [] }),
    probes: (asked, transport, run_id) => circleProbes(makeClient(transport, asked), idempotencyKey(run_id))
  },
  bridge: {
    url: "https://api.sandbox.bridge.xyz/v0",
    currency: "USD",
    fault: ({ currency, customer, key, wallet }) =>
      !/^sk[-_]test/i.test(key)
        ? "--key-env names a key that is no sk-test-…: this command moves money, and takes keys of the sandbox only."
        : customer === "" || wallet === ""
          ? "--customer and --wallet are required: Bridge's ids of the customer that you are, and of its wallet."
          : currency === "USD" || currency === "EUR"
            ? undefined
            : `--currency takes USD, EUR; found ${JSON.stringify(currency)}.`,
    layer: ({ customer, key, url, wallet }) =>
      BridgeProvider.layer({ environment: "test", key, url, customer, wallet, payins: ["USD", "EUR"] }),
    probes: (asked, transport, run_id) =>
      bridgeProbes(makeClient(transport, asked, headersOf(asked.key)), asked.customer, run_id)
  }
}

export const companyNames: ReadonlyArray<string> = Object.keys(companies)

/** What the kit can ask of a connector that is asked in this process. Its own cases of signatures and restarts would check this command. */
const issuing = ["target", "details", "at-once", "repeat", "repeat-in-other-form", "unknown-is-absent"].map(
  (name) => `issues/${name}`
)
const paying = ["ends", "settled-stays", "repeat", "repeat-in-other-form", "at-once", "unknown-is-absent"].map(
  (name) => `payouts/${name}`
)

/** Takes an option of this command out of the arguments. Returns its value, and the other arguments. */
const takeOption = (
  args: ReadonlyArray<string>,
  name: string
): readonly [string | undefined, ReadonlyArray<string>] => {
  const at = args.findIndex((one) => one === name || one.startsWith(`${name}=`))
  if (at < 0) return [undefined, args]
  const found = args[at]!
  return found === name ? [args[at + 1], args.toSpliced(at, 2)] : [found.slice(name.length + 1), args.toSpliced(at, 1)]
}

/** What is younger than a minute may be listed late. Until it cannot be, statements are read again, milliseconds. */
const lateMs = 2 * 60_000
/** The most lines of a page. */
const pageSize = 500

/** Makes a statement that covers the time from the start of the run to now. It is read anew for each request. */
const makeRecentStatements = Effect.fnUntraced(function* ({ balances, lines }: Statements) {
  const readFrom = Effect.fnUntraced(function* (start: string | null) {
    const found: Array<StatementLine> = []
    let cursor = start
    // One page without lines may be of times in which nothing happened.
    for (let empty = 0; empty < 2; ) {
      const page = yield* lines(cursor)
      found.push(...page.lines)
      empty = page.lines.length === 0 ? empty + 1 : 0
      cursor = page.cursor
    }
    return { found, cursor }
  })
  const { cursor: start } = yield* readFrom(null)
  const known = new Map<string, StatementLine>()
  const ahead = Effect.map(Clock.currentTimeMillis, (now) => now + lateMs)
  return {
    balances,
    lines: Effect.fnUntraced(function* (after: string | null): Effect.fn.Return<StatementPage, ProviderFault> {
      const { found } = yield* Effect.provideService(readFrom(start), WallTime, ahead)
      for (const line of found) if (!known.has(line.id)) known.set(line.id, line)
      const from = Number(after ?? 0)
      const page = [...known.values()].slice(from, from + pageSize)
      return { lines: page, cursor: String(from + page.length) }
    })
  } satisfies Statements
})

/** Starts a company's connector over a store in memory, and runs the checks against it. Errors: dies if the company rejects the key. */
const checkConnector = (
  company: CheckedCompany,
  asked: Asked,
  args: ReadonlyArray<string>,
  isJson: boolean,
  output: Output
) =>
  Effect.gen(function* () {
    const say = isJson ? () => undefined : output.say
    const provider = yield* Provider
    const ids = yield* Ids
    const run_id = Buffer.from(yield* ids.secret(16)).toString("hex")
    const secret = `whsec_${Buffer.from(yield* ids.secret(32)).toString("base64")}`
    for (const { sentence, status } of yield* provider.check ?? Effect.succeed([]))
      say(`${status.padEnd(5)}  ${sentence}`)
    const probes = company.probes(asked, yield* makeTransport({ timeout_ms: 15_000 }), run_id)
    for (const { ask, question } of probes) say(`found  ${question}: ${yield* ask}`)
    const statements = provider.statements && (yield* makeRecentStatements(provider.statements))
    const served = { provider: { ...provider, statements }, secret, hasStatements: statements !== undefined }
    const { url } = yield* serveProvider(served, (effect) => effect)
    const { account, currency } = asked
    const only = [
      "manifest",
      "directory",
      ...issuing,
      ...(account === undefined ? [] : [...paying, "amounts", "events"])
    ]
    const paid =
      account === undefined
        ? []
        : [
            "--account",
            Object.entries(account)
              .map((one) => one.join("="))
              .join()
          ]
    if (account === undefined) say("note   no payout is tried: name a destination that can be paid with --account")
    return yield* Effect.promise(() =>
      checkProvider(
        [
          ...["--url", url, "--secret", secret, "--currency", currency, "--callbacks", "off", ...paid],
          ...(args.includes("--only") ? [] : only.flatMap((name) => ["--only", name])),
          ...args
        ],
        {},
        output
      )
    )
  })

/** Runs the command. `args`: the arguments after `check-provider`; the first one is the name of a company. */
export const checkCompany = async (
  [name = "", ...args]: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>,
  output: Output
): Promise<CheckExitCode> => {
  const company = companies[name]!
  const [keyName, withoutKey] = takeOption(args, "--key-env")
  const [url = company.url, withoutUrl] = takeOption(withoutKey, "--url")
  const [currency = company.currency, withoutCurrency] = takeOption(withoutUrl, "--currency")
  const [destination, withoutAccount] = takeOption(withoutCurrency, "--account")
  const [customer = "", withoutCustomer] = takeOption(withoutAccount, "--customer")
  const [wallet = "", others] = takeOption(withoutCustomer, "--wallet")
  const key = env[keyName ?? ""] ?? ""
  const account =
    destination === undefined
      ? company.account
      : Object.fromEntries(destination.split(",").map((pair) => pair.split("=", 2) as [string, string]))
  const asked: Asked = { key, url: url.replace(/\/+$/, ""), currency, account, customer, wallet }
  const fault =
    keyName === undefined
      ? `--key-env is required: the environment variable with a test key of ${name}.`
      : key === ""
        ? `--key-env names ${JSON.stringify(keyName)}, which is not set.`
        : company.fault(asked)
  if (fault !== undefined) {
    output.complain(fault)
    return 2
  }
  const around = Layer.mergeAll(MemoryStorage.layer, Ids.layer, JobNotifier.layer)
  const exit = await Effect.runPromiseExit(
    checkConnector(company, asked, others, others.includes("--json"), output).pipe(
      Effect.provide(
        Layer.provideMerge(
          Layer.suspend(() => company.layer(asked)),
          around
        )
      ),
      Effect.scoped
    )
  )
  if (Exit.isSuccess(exit)) return exit.value
  output.complain(`${name}: ${readFirstLine(Cause.squash(exit.cause))}`)
  return 3
}
