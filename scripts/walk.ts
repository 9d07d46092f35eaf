/**
 * Lists the files of `src` that run for one of the main walks, from the route to the store, with how many of their functions are called:
 * `npm run walk -- offramp`. `--count` prints how many files and functions each walk touches. A walk runs in this process, on the memory
 * store, after it has run once: what is made once and kept is not in it.
 */
import { parseArgs } from "node:util"
import { type Answer, startApi } from "../test/support/http/server.ts"
import { type Stock, stockOf } from "../test/support/http/stocked-server.ts"
import { approver, conversionQuote, onrampQuote, waitingPayout } from "../test/support/http/successful-requests.ts"
import { type FunctionsRun, startCoverage, takeCoverage } from "../test/support/repository/coverage.ts"
import { mt940 } from "../test/support/statements/mt940.ts"

/** Prepares a walk, and returns what is counted of it. */
type Walk = (s: Stock) => Promise<() => Promise<unknown>>

/** Names what each run makes apart: references, accounts. */
let runs = 0

const require200 = async (answer: Promise<Answer>): Promise<any> => {
  const { json, status, text } = await answer
  if (status !== 200) throw new Error(`a call of the walk was refused: ${text}`)
  return json
}

const transferOf = (s: Stock): object => ({ wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" })

const walks: Readonly<Record<string, Walk>> = {
  transfer: async (s) => () => s.make("/v1/transfers", transferOf(s)),
  onramp: async (s) => {
    const quote_id = await onrampQuote(s)
    return () => s.make("/v1/onramps", { quote_id })
  },
  offramp: async (s) => {
    const { id: quote_id } = await s.quote({ source_amount: "10" })
    return () => s.make("/v1/offramps", { quote_id })
  },
  conversion: async (s) => {
    const quote_id = await conversionQuote(s)
    return () => s.make("/v1/conversions", { quote_id })
  },
  payout: async (s) => async () => {
    const { id: resource_id } = await s.make("/v1/transfers", transferOf(s))
    await s.settle()
    await s.make("/sandbox/outcomes", { resource_id, outcome: "success" })
    await s.settle()
  },
  deposit: async (s) => () => s.make("/sandbox/deposits", { wallet_id: s.wallet, amount: "100" }),
  delivery: async (s) => {
    await s.settle()
    await s.make("/sandbox/deposits", { wallet_id: s.wallet, amount: "1" })
    return s.settle
  },
  statement: async (s) => {
    const number = `77${++runs}`
    const account = {
      provider: "simulated",
      currency: "NGN",
      kind: "bank",
      identifiers: [{ scheme: "account_number", value: number }],
      opening: { date: "2026-01-01", balance: "-1.50" },
      time_zone: "Africa/Lagos"
    }
    await require200(s.operate("/operator/v1/external-accounts", { body: account }))
    const raw = mt940(number, `W-${runs}`)
    return () => require200(s.operate("/operator/v1/statements", { method: "POST", raw }))
  },
  batch: async (s) => async () => {
    const rows = [{ operation: "transfer", ...transferOf(s) }]
    const { id } = await s.make("/v1/batches", { reference: `walk-${++runs}`, rows })
    await s.make(`/v1/batches/${id}/confirm`, {})
    await s.settle()
  },
  approval: async (s) => {
    const id = await waitingPayout(s, "/operator/v1")
    const key = await approver(s)
    return () => require200(s.api.ask(`/operator/v1/approvals/${id}/approve`, { body: { note: "checked" }, key }))
  },
  "dry-run": async (s) => () => s.make("/v1/transfers?dry_run=true", transferOf(s))
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { count: { type: "boolean" } } })
const names = values.count === true ? Object.keys(walks) : positionals
const unknown = names.filter((name) => !Object.hasOwn(walks, name))
if (names.length === 0 || unknown.length > 0) {
  console.error(`npm run walk -- WALK | --count; a walk is one of ${Object.keys(walks).join(", ")}`)
  process.exit(1)
}

const session = startCoverage()
const api = await startApi({ rate_per_second: 0 })
const stock = await stockOf(api)

const run = async (name: string): Promise<FunctionsRun> => {
  await (await walks[name]!(stock))()
  const act = await walks[name]!(stock)
  takeCoverage(session)
  await act()
  return Object.fromEntries(Object.entries(takeCoverage(session)).filter(([, called]) => called.length > 0))
}

for (const name of names) {
  const files = Object.entries(await run(name)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const functions = files.reduce((sum, [, called]) => sum + called.length, 0)
  if (values.count !== true)
    for (const [file, called] of files) console.log(`${String(called.length).padStart(4)}  ${file}`)
  console.log(`${name.padEnd(10)} ${String(files.length).padStart(4)} files ${String(functions).padStart(5)} functions`)
}
await api.close()
