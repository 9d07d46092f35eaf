/**
 * Compares what the connectors of companies send, and what their fakes answer, with the companies' own OpenAPI documents.
 *
 * Run: node scripts/company-openapi.ts FOLDER, with `paystack-official.yaml` and `circle-mint-openapi.json` in the folder. They are not part
 * of this project. It prints each difference once, with where it is, and fails if there is one that {@link accepted} does not explain.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv } from "ajv"
import { Effect } from "effect"
import { parse } from "yaml"
import { type Received, serveLoopback } from "../src/cli/companies/connector.ts"
import type { Provider } from "../src/engine/ports/Provider.ts"
import { approved, circleWorld, transferOf } from "../test/support/companies/circle-world.ts"
import { paystackWorld, payoutOf } from "../test/support/companies/paystack-world.ts"
import { ngnKey } from "../test/support/companies/fake-paystack.ts"

interface Exchange {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<string>
  readonly sent: unknown
  readonly status: number
  readonly answered: unknown
}

/** Differences that are the document's fault, or that it leaves open; the reason stands beside each. */
const accepted: ReadonlyArray<readonly [difference: RegExp, reason: string]> = [
  [
    /^paystack .* query: (?:per_page|perPage) is not/,
    "its pages call the size of a list by both names, and both are sent"
  ],
  [
    /^paystack GET \/refund query: transaction is not/,
    "a filter that may be ignored: the connector reads all refunds, and compares"
  ],
  [
    /^paystack .* answer\/code: must be equal to one of/,
    "the category is in `type`, and a word in `code`, by its guide and its answers"
  ]
]

/** Passes requests on to a fake, and keeps both sides. */
const record = (target: () => string) => {
  const exchanges: Array<Exchange> = []
  const pass = async ({ body: bytes, headers: given, method, url }: Received) => {
    const body = bytes.toString("utf8")
    const { authorization = "", "content-type": type = "application/json" } = given
    const answer = await fetch(target() + url, {
      ...{ method, headers: { authorization, "content-type": type } },
      ...(body === "" ? {} : { body })
    })
    const { status } = answer
    const text = await answer.text()
    const { pathname, searchParams } = new URL(url, "http://proxy.invalid")
    const json = (value: string): unknown => (value === "" ? undefined : JSON.parse(value))
    exchanges.push({
      ...{ method, path: pathname, query: [...searchParams.keys()], status },
      ...{ sent: json(body), answered: json(text) }
    })
    return { status, headers: { "content-type": "application/json" }, text }
  }
  return Effect.map(serveLoopback(pass), ({ url }) => ({ exchanges, url }))
}

/** Reads an account at a provider until nothing is new. */
const readAll = ({ events, statements }: Provider["Service"]) =>
  Effect.gen(function* () {
    yield* events!.after!(null)
    yield* statements!.balances
    yield* statements!.lines(null)
  })

const issue = { merchant_id: "mer_1", resource_id: "wcr_1", kind: "wallet_credential", holder: "Ada Obi" } as const

const askPaystack = Effect.gen(function* () {
  const world = yield* paystackWorld({ payins: { email_domain: "pay.example.com" } })
  const { exchanges, url } = yield* record(() => world.fake.url)
  const zar = "sk_test_cccccccccccccccccccc"
  world.fake.integrations.set(zar, { ...world.fake.integrations.get(ngnKey)!, number: 3, currency: "ZAR" })
  const { provider } = yield* world.start({ url, keys: { NGN: ngnKey, ZAR: zar } })
  yield* world.inWorld(
    Effect.gen(function* () {
      yield* provider.payouts!.submit(payoutOf(1))
      yield* provider.payouts!.lookup(payoutOf(1))
      const account = yield* provider.payins!.issue({
        ...{ ...issue, id: "wcr_1.issue", type: "fiat", currency: "NGN", country_code: "NG", network: "bank" }
      })
      if (account._tag !== "issued") throw new Error("no account was issued")
      const charge = world.fake.pay(account.issued.target, 500_000n)
      yield* readAll(provider)
      const refund = {
        ...{ id: "txn_01k6x0b7z2c4v6n8m1q3w5e7rt.refund", merchant_id: "mer_1", resource_id: "txn_1" },
        ...{ statement_reference: "01K6X0B7Z26VDFC6", payin_id: String(charge.id), amount: "5000.00", currency: "NGN" }
      }
      yield* provider.payins!.refund(refund)
      yield* provider.payins!.lookupRefund(refund)
      world.pass(10 * 60_000)
      yield* readAll(provider)
      const [bank] = yield* provider.directory!.banks("NG")
      const query = { bank: bank!, account_number: "0001234567", account_name: "Ada Obi" }
      yield* provider.directory!.resolveAccount({ ...query, country_code: "NG" })
      yield* provider.directory!.resolveAccount({
        ...{ ...query, country_code: "ZA", holder_document: { id_type: "national_id", id_number: "8001015009087" } }
      })
    })
  )
  return exchanges
})

const askCircle = Effect.gen(function* () {
  const world = yield* circleWorld()
  const { exchanges, url } = yield* record(() => world.fake.url)
  const { provider } = yield* world.start({ url })
  yield* world.inWorld(
    Effect.gen(function* () {
      world.fake.addRecipient(approved)
      yield* provider.payouts!.submit(transferOf(1))
      yield* provider.payouts!.lookup(transferOf(1))
      yield* provider.payins!.issue({
        ...{ ...issue, id: "da_1.issue", type: "crypto", currency: "USDC", country_code: null, network: "base" }
      })
      yield* provider.directory!.banks(null)
      yield* readAll(provider)
    })
  )
  return exchanges
})

type Members = Readonly<Record<string, unknown>>
const memberOf = (value: unknown, name: string): Members => ((value as Members | undefined)?.[name] ?? {}) as Members

/** `nullable` of OpenAPI 3.0 as JSON Schema has it. */
const withNull = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withNull)
  if (typeof value !== "object" || value === null) return value
  const { nullable, ...members } = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withNull(one)]))
  return nullable === true ? { anyOf: [{ type: "null" }, members] } : members
}

/** The differences of exchanges from a document, each once. */
const compare = (document: Members, exchanges: ReadonlyArray<Exchange>): ReadonlySet<string> => {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false })
  ajv.addSchema({ ...document, $id: "company" })
  const found = new Set<string>()
  const templates = Object.keys(document["paths"] as object).map((template) => {
    const pattern = template.replaceAll(/[.]/g, "\\.").replaceAll(/\{[^}]+\}/g, "[^/]+")
    return { template, pattern: new RegExp(`^${pattern}$`), variables: template.split("{").length }
  })
  const resolve = (value: unknown): Members => {
    const reference = (value as { readonly $ref?: string } | undefined)?.$ref
    if (reference === undefined) return (value ?? {}) as Members
    return reference
      .slice(2)
      .split("/")
      .reduce<Members>((at, name) => memberOf(at, name), document)
  }
  for (const { answered, method, path, query, sent, status } of exchanges) {
    const [match] = templates.filter(({ pattern }) => pattern.test(path)).toSorted((a, b) => a.variables - b.variables)
    const operation = memberOf(memberOf(document["paths"], match?.template ?? ""), method.toLowerCase())
    const name = `${method} ${match?.template ?? path}`
    if (Object.keys(operation).length === 0) {
      found.add(`${name}: it is not in the document`)
      continue
    }
    const check = (what: string, holder: unknown, value: unknown): void => {
      const { schema } = memberOf(memberOf(resolve(holder), "content"), "application/json")
      if (schema === undefined) return
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"company#/')) as object
      const validate = ajv.compile(absolute)
      if (validate(value)) return
      // A fake has the members that matter, and leaves out others.
      for (const { instancePath, keyword, message = "", params } of validate.errors ?? [])
        if (what === "request" || keyword !== "required")
          found.add(`${name} ${what}${instancePath.replaceAll(/\/\d+/g, "/*")}: ${message} ${JSON.stringify(params)}`)
    }
    const shared = memberOf(memberOf(document["paths"], match!.template), "parameters")
    const parameters = [operation["parameters"], shared].flatMap((list) =>
      Array.isArray(list) ? list.map(resolve) : []
    )
    for (const one of query)
      if (!parameters.some(({ in: place, name: known }) => place === "query" && known === one))
        found.add(`${name} query: ${one} is not in the document`)
    if (sent !== undefined) check("request", operation["requestBody"], sent)
    const responses = memberOf(operation, "responses")
    if (status < 300 && responses[String(status)] === undefined) found.add(`${name}: it does not answer ${status}`)
    check("answer", responses[String(status)], answered)
  }
  return found
}

const folder = process.argv[2]
if (folder === undefined) throw new Error("node scripts/company-openapi.ts FOLDER")
let unexplained = 0
for (const [company, file, asked] of [
  ["paystack", "paystack-official.yaml", askPaystack],
  ["circle", "circle-mint-openapi.json", askCircle]
] as const) {
  const document = withNull(parse(readFileSync(join(folder, file), "utf8"))) as Members
  const exchanges = await Effect.runPromise(Effect.scoped(Effect.map(asked, (all): ReadonlyArray<Exchange> => all)))
  const found = compare(document, exchanges)
  console.log(`${company}: ${exchanges.length} requests, ${found.size} differences`)
  for (const one of [...found].toSorted()) {
    const reason = accepted.find(([difference]) => difference.test(`${company} ${one}`))?.[1]
    if (reason === undefined) unexplained++
    console.log(`${reason === undefined ? "NOT OK" : "known "} ${one}${reason === undefined ? "" : ` (${reason})`}`)
  }
}
process.exitCode = unexplained === 0 ? 0 : 1
