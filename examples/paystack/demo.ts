/**
 * A payout to Lagos through Paystack, in the words of the quickstart: a customer, a wallet, a deposit, a beneficiary, a quote, an offramp.
 *
 * Run: node examples/paystack/demo.ts. It starts `corridor serve` with the configuration of this folder, and a Paystack on loopback. With a
 * key of the test mode, PAYSTACK_NGN=sk_test_…, Paystack itself is asked; in its test mode nothing is sent to any bank. It exits with 1 if the
 * payout does not succeed.
 */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { FakePaystack, ngnKey } from "../../test/support/companies/fake-paystack.ts"
import { type Call, callWith } from "../support/client.ts"

const root = join(import.meta.dirname, "../..")
const api_key = `sk_test_${randomBytes(32).toString("base64url")}`
const operator_token = randomBytes(32).toString("base64url")
const given = process.env["PAYSTACK_NGN"]

/** The recipient of Paystack's test mode, and one that the Paystack on loopback has. */
const recipient =
  given === undefined ? { account_number: "0001234567", code: "044" } : { account_number: "0000000000", code: "057" }

/** Asks until `isDone`, at most for a minute. */
const until = async <T>(ask: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> => {
  for (const end = Date.now() + 60_000; ; ) {
    const value = await ask()
    if (isDone(value)) return value
    if (Date.now() > end) throw new Error(`not within a minute: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const startServer = async (paystack: Readonly<Record<string, string>>) => {
  const config = join(import.meta.dirname, "corridor.config.ts")
  const child = spawn(process.execPath, ["src/cli/main.ts", "serve", "--config", config], {
    cwd: root,
    env: {
      PATH: process.env["PATH"],
      ...{ PORT: "0", DATABASE_URL: "memory:", CORRIDOR_API_KEY: api_key, CORRIDOR_OPERATOR_TOKEN: operator_token },
      ...paystack
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ""
    const listen = (chunk: Buffer): void => {
      output += String(chunk)
      const [, address] = /listens on (http:\S+)/.exec(output) ?? []
      if (address !== undefined) resolve(address)
    }
    child.stdout.on("data", listen)
    child.stderr.on("data", listen)
    child.once("close", () => reject(new Error(`corridor serve ended: ${output}`)))
  })
  return { url, stop: () => child.kill("SIGTERM") }
}

const payLagos = async (v1: Call, operator: Call): Promise<void> => {
  const customer = await v1("POST", "/v1/customers", {
    ...{ type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG" }
  })
  const wallet = await v1("POST", "/v1/wallets", { currency: "USDC", customer_id: customer.id })
  await v1("POST", "/sandbox/deposits", { wallet_id: wallet.id, amount: "500.00" })
  console.log("ok a wallet with 500.00 USDC")
  const banks: ReadonlyArray<{ id: string; code: string; name: string }> = await v1(
    "GET",
    "/v1/providers?country_code=NG&per_page=200"
  )
  const bank = banks.find(({ code }) => code === recipient.code)!
  const payee = await v1("POST", "/v1/beneficiaries", {
    ...{ type: "fiat", name: "Ada Obi", currency: "NGN", customer_id: customer.id },
    details: {
      ...{ country_code: "NG", network: "bank", account_number: recipient.account_number, provider_id: bank.id }
    }
  })
  console.log(`ok a beneficiary at ${bank.name}: ${payee.details.account_name}, ${payee.status}`)
  const quote = await v1("POST", "/v1/offramps/quotes", {
    ...{ wallet_id: wallet.id, beneficiary_id: payee.id, target_amount: "50000.00" }
  })
  const offramp = await v1("POST", "/v1/offramps", { quote_id: quote.id })
  const paid = await until(
    () => v1("GET", `/v1/offramps/${offramp.id}`),
    ({ status }) => status === "success" || status === "failed"
  )
  const { entries } = await operator("GET", `/operator/v1/resources/${offramp.id}/timeline`)
  for (const { summary, type } of entries) if (type === "provider_call") console.log(`   ${summary}`)
  if (paid.status !== "success") throw new Error(`the payout is ${paid.status}: ${paid.failure_reason_message}`)
  console.log(`ok a payout of ${paid.received_amount} NGN to ${recipient.account_number} is ${paid.status}`)
}

const fake = given === undefined ? await new FakePaystack().start() : undefined
if (fake !== undefined) fake.now = Date.now
try {
  const server = await startServer(
    fake === undefined ? { PAYSTACK_NGN: given! } : { PAYSTACK_NGN: ngnKey, PAYSTACK_URL: fake.url }
  )
  try {
    await payLagos(callWith(server.url, api_key), callWith(server.url, operator_token))
  } finally {
    server.stop()
  }
} catch (error) {
  console.log(`NOT OK ${String(error)}`)
  process.exitCode = 1
} finally {
  await fake?.stop()
}
