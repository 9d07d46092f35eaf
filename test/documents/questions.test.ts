/**
 * The pages about questions: their commands are run as they are, one after the other in one shell, against a server on which the
 * question has come up. What a page shows as output is compared; `…` stands for any text of a line, and on a line of its own for any lines.
 */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { basename } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { bare, main } from "../support/cli/environment.ts"
import { snippetsOf } from "../support/documents/snippets.ts"
import { serveHere, type ServedHere } from "../support/http/served-here.ts"
import { apiKey, operatorToken } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"
import { filesIn } from "../support/repository/source.ts"
import { inTurn } from "../support/repository/turns.ts"

const run = promisify(execFile)

/** What a page shows: commands, each with the output below it. */
const stepsOf = (page: string): ReadonlyArray<{ readonly code: string; readonly output: string }> =>
  [...readFileSync(page, "utf8").matchAll(/^```sh\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm)].map(
    ([, code = "", output = ""]) => ({ code, output })
  )

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** The output that a page shows, as a pattern. */
const patternOf = (shown: string): RegExp =>
  new RegExp(
    `^${shown
      .split(/(?<=\n)/)
      .map((line) => (line === "…\n" ? "(?:.*\\n)*?" : escaped(line).replaceAll("…", ".*")))
      .join("")}$`
  )

const [helpers] = snippetsOf("docs/guides/quickstart.md").flatMap(({ code, language }) =>
  language === "sh" ? [/^api\(\) \{[\s\S]*?^\}\nfield\(\) .*\n/m.exec(code)![0]] : []
)

const [operator] = /^operator\(\) \{[\s\S]*?^\}\n/m.exec(readFileSync("docs/runbooks/README.md", "utf8"))!

/** Calls the server: the `data` of the answer. */
const callerOf =
  ({ url }: ServedHere) =>
  async (path: string, body?: object, token: string = apiKey, method = "POST"): Promise<any> => {
    const response = await fetch(url + path, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { method, body: JSON.stringify(body) })
    })
    const { code, data, message } = (await response.json()) as { code: string; data: unknown; message: string }
    if (!response.ok) throw new Error(`${path}: ${code}: ${message}`)
    return data
  }
type Call = ReturnType<typeof callerOf>

const endings = { reviewed: "0123450010", rejected: "0123450002", returned: "0123450006", paid: "0123456789" }

/** A wallet with money, and a function that makes an active beneficiary, and a quote or an offramp to it. */
const fund = async (call: Call) => {
  const wallet = await call("/v1/wallets", { currency: "USDC" })
  await call("/sandbox/deposits", { wallet_id: wallet.id, amount: "500.00" })
  const [bank] = await call("/v1/providers?country_code=NG")
  const name = async (ends: keyof typeof endings) => {
    const details = { country_code: "NG", network: "bank", account_number: endings[ends], provider_id: bank.id }
    const made = await call("/v1/beneficiaries", { type: "fiat", name: "Ada Obi", currency: "NGN", details })
    await call("/sandbox/settle", {})
    return made.id as string
  }
  const quote = async (beneficiary_id: string, amounts: object = { target_amount: "5000.00" }) =>
    (await call("/v1/offramps/quotes", { wallet_id: wallet.id, beneficiary_id, ...amounts })).id as string
  const pay = async (beneficiary_id: string) => {
    const { id } = await call("/v1/offramps", { quote_id: await quote(beneficiary_id) })
    await call("/sandbox/settle", {})
    return id as string
  }
  return { wallet: wallet.id as string, name, quote, pay }
}

/** On which server a question has come up: what the variables of its page hold, and what must be true when its commands have run. */
interface Scenario {
  readonly variables: Readonly<Record<string, string>>
  readonly after?: () => Promise<void>
}

const scenarios: Readonly<Record<string, (call: Call) => Promise<Scenario>>> = {
  "pay-again": async (call) => {
    const { name, pay, quote, wallet } = await fund(call)
    const BENEFICIARY = await name("reviewed")
    const FAILED = await pay(await name("rejected"))
    const before = (await call("/v1/offramps")).length as number
    return {
      variables: { WALLET: wallet, BENEFICIARY, FAILED, QUOTE: await quote(BENEFICIARY) },
      after: async () => expect((await call("/v1/offramps")).length).toBe(before + 1)
    }
  },
  "missed-webhooks": async (call) => {
    const got: Array<string> = []
    let isDown = true
    const receiver = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk) => (body += String(chunk)))
      request.on("end", () => {
        if (!isDown) got.push((JSON.parse(body) as { event_id: string }).event_id)
        response.writeHead(isDown ? 500 : 204).end()
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const endpoint = await call("/v1/notifications/webhooks", { url })
    await call(`/v1/notifications/webhooks/${endpoint.id}`, { active: true }, apiKey, "PATCH")
    await fund(call)
    await call("/sandbox/clock/advance", { seconds: 86_400 })
    await call("/sandbox/settle", {})
    const [missed] = await call("/v1/notifications/events")
    isDown = false
    return {
      variables: { ENDPOINT: endpoint.id, SINCE: missed.event_created_at },
      after: async () => {
        receiver.close()
        expect(new Set(got)).toEqual(new Set([missed.event_id]))
      }
    }
  },
  "not-received": async (call) => {
    const { name, pay } = await fund(call)
    const BENEFICIARY = await name("paid")
    const [OFFRAMP, RETURNED] = [await pay(BENEFICIARY), await pay(await name("returned"))]
    await call("/sandbox/clock/advance", { seconds: 3 * 86_400 })
    await call("/sandbox/settle", {})
    return { variables: { BENEFICIARY, OFFRAMP, RETURNED } }
  },
  "deposit-not-credited": async (call) => {
    const wallet = await call("/v1/wallets", { currency: "USDC" })
    const address = await call(`/v1/wallets/${wallet.id}/deposit-addresses`, { network: "base" })
    await call(`/operator/v1/deposit-addresses/${address.id}/freeze`, { reason: "It is looked into." }, operatorToken)
    const paid = await call("/sandbox/deposits", { deposit_address_id: address.id, amount: "25.00" })
    const { transaction_hash: HASH } = await call(`/v1/transactions/${paid.transaction_id}`)
    return { variables: { WALLET: wallet.id, HASH, UNKNOWN_HASH: `0x${"a1".repeat(32)}` } }
  },
  "who-may-pay": async (call) => {
    const { name, quote, wallet } = await fund(call)
    const address = await call(`/v1/wallets/${wallet}/deposit-addresses`, { network: "base" })
    await call(`/operator/v1/deposit-addresses/${address.id}/freeze`, { reason: "It is looked into." }, operatorToken)
    const QUOTE = await quote(await name("paid"), { source_amount: "150.00" })
    return {
      variables: { QUOTE },
      after: async () => {
        await call("/sandbox/settle", {})
        expect((await call("/v1/offramps")).map(({ status }: { status: string }) => status)).toEqual(["success"])
      }
    }
  }
}

const pages = filesIn("docs/questions", ".md")

covers("DOCS-6")
describe("the pages about questions", () => {
  it("have a scenario each, an output below every command, and a title that people ask", () => {
    expect(pages.map((page) => basename(page, ".md")).toSorted()).toEqual(Object.keys(scenarios).toSorted())
    for (const page of pages) {
      const blocks = snippetsOf(page).filter(({ language }) => language === "sh")
      expect([page, blocks.length]).toEqual([page, stepsOf(page).length])
      expect(blocks.length, page).toBeGreaterThan(2)
      expect([page, new Set(blocks.map(({ by }) => by))]).toEqual([page, new Set(["test/documents/questions.test.ts"])])
    }
  })

  it.each(inTurn("a question", pages, String))("%s says what its commands do", { timeout: 120_000 }, async (page) => {
    const server = await serveHere()
    try {
      const { after, variables } = await scenarios[basename(page, ".md")]!(callerOf(server))
      const end = "\u001e"
      const steps = stepsOf(page)
      const script = [
        helpers!,
        operator!,
        `corridor() { node "$MAIN" "$@"; }`,
        ...steps.map(({ code }) => `${code}printf '${end}'`)
      ].join("\n")
      const env = {
        ...bare,
        ...{ CORRIDOR_URL: server.url, CORRIDOR_API_KEY: apiKey, MAIN: main, HOME: "/nowhere" },
        ...{ CORRIDOR_OPERATOR_TOKEN: operatorToken, ...variables }
      }
      const { stderr, stdout } = await run("bash", ["--norc", "-euc", script], { env })
      expect(stderr).toBe("")
      const outputs = stdout.split(end)
      for (const [at, { code, output }] of steps.entries()) expect(outputs[at], code).toMatch(patternOf(output))
      await after?.()
    } finally {
      await server.stop()
    }
  })
})
