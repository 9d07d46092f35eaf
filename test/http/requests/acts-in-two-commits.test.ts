/** Acts that write their own resource twice, in two commits: they wait as others do, and are done once (APPROVAL-3, LIMITS-10). */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { sign } from "../../../src/engine/crypto/signing.ts"
import { type ServedHere, serveHere } from "../../support/http/served-here.ts"
import { apiKey, operatorToken } from "../../support/http/served-process.ts"
import { covers } from "../../support/repository/covers.ts"

const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`
const today = (): string => new Date().toISOString().slice(0, 10)

describe("an act in two commits", () => {
  let server: ServedHere
  let [ada, bisi] = ["", ""]
  let n = 0
  const ended: Array<() => Promise<unknown>> = []
  const ask = async (key: string, path: string, body?: object, method = body === undefined ? "GET" : "POST") => {
    const answer = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const json: any = await answer.json()
    return { status: answer.status, data: json.data, meta: json.meta, message: json.message }
  }
  const operate = (path: string, body?: object, method?: string) =>
    ask(operatorToken, `/operator/v1/${path}`, body, method)
  beforeAll(async () => {
    server = await serveHere({ CORRIDOR_PROVIDER_SECRET: secret, CORRIDOR_SANDBOX_MODE: "manual" })
    const person = async (name: string) =>
      (await operate("operators", { name, email: `${name}@acts.example`, role: "admin" })).data.token as string
    ;[ada, bisi] = [await person("ada"), await person("bisi")]
  })
  afterEach(async () => {
    for (const end of ended.splice(0)) await end()
  })
  afterAll(() => server.stop())

  const ruled = async (word: string) => {
    const { id } = (await operate("approval-rules", { operations: [word] })).data
    ended.push(() => operate(`approval-rules/${id}`, undefined, "DELETE"))
  }
  const limited = async (word: string, more: object) => {
    const body = { scope: "platform", operations: [word], window: { rolling: "P7D" }, ...more }
    const { id } = (await operate("limits", body)).data
    ended.push(() => operate(`limits/${id}`, { status: "disabled" }, "PATCH"))
  }
  const controls: Readonly<Record<string, (word: string, currency: string) => Promise<void>>> = {
    "a rule": (word) => ruled(word),
    "a rule and a limit": async (word, currency) => {
      await ruled(word)
      await limited(word, { currency, max_amount: "900000000" })
    },
    "a limit that asks": (word, currency) => limited(word, { currency, max_amount: "1", action: "approve" })
  }

  /** Money of nobody that a merchant's wallet is credited with: the exception is the platform's. */
  const credit = async () => {
    const { id } = (await ask(apiKey, "/v1/wallets", { currency: "USDC" })).data
    const body = JSON.stringify({
      ...{
        _tag: "payin",
        stage: "confirmed",
        event_id: `e${++n}`,
        payin_id: `p${n}`,
        target: `nobody ${n}`,
        amount: "9"
      },
      ...{ currency: "USDC", network: null, transaction_hash: null, from_address: null, sender: null, narration: null },
      observed_at: Date.now()
    })
    const seconds = Math.floor(Date.now() / 1000)
    await fetch(`${server.url}/providers/simulated/events`, {
      method: "POST",
      body,
      headers: {
        ...{ "content-type": "application/json", "webhook-id": "m", "webhook-timestamp": String(seconds) },
        "webhook-signature": sign([secret], "m", seconds, body)
      }
    })
    const [open] = (await operate("exceptions?status=open")).data
    return { path: `exceptions/${open.id}/resolve`, input: { action: "credit", wallet_id: id, note: "found" } }
  }

  covers("APPROVAL-3", "LIMITS-10", "APPROVAL-15")
  it.each(Object.keys(controls))("that credits money of nobody waits for %s, and is done once", async (name) => {
    const { input, path } = await credit()
    await controls[name]!("exception_credit", "USDC")
    const dry = await ask(ada, `/operator/v1/${path}?dry_run=true`, input)
    const done = await ask(ada, `/operator/v1/${path}`, input)
    expect([dry.status, done.status, done.message]).toEqual([200, 200, "OK"])
    const { approval } = done.meta
    expect(approval.status).toBe("pending")
    const last = await ask(bisi, `/operator/v1/approvals/${approval.id}/approve`, { note: "seen" })
    expect([last.data.status, last.data.refusal], last.message).toEqual(["approved", null])
    expect((await ask(apiKey, `/v1/wallets/${input.wallet_id}`)).data.balance.available).toBe("9.00")
  })

  /** A payout under way that a line of a statement says was paid. */
  const adopt = async () => {
    const [account] = (await operate("external-accounts")).data
    if (account === undefined)
      await operate("external-accounts", {
        ...{ provider: "simulated", currency: "NGN", kind: "bank", time_zone: "UTC" },
        ...{ identifiers: [{ scheme: "account_number", value: "00991" }], opening: { date: today(), balance: "0" } }
      })
    const wallet_id = (await ask(apiKey, "/v1/wallets", { currency: "USDC" })).data.id
    await ask(apiKey, "/sandbox/deposits", { wallet_id, amount: "100" })
    const [bank] = (await ask(apiKey, "/v1/providers?country_code=NG")).data
    const own = { network: "bank", account_number: "0123456789", provider_id: bank.id }
    const details = { country_code: "NG", ...own }
    const payee = { type: "fiat", name: "Ada Obi", currency: "NGN", details }
    const beneficiary = (await ask(apiKey, "/v1/beneficiaries", payee)).data
    await ask(apiKey, "/sandbox/settle", {})
    const quoted = { wallet_id, beneficiary_id: beneficiary.id, source_amount: `${20 + ++n}` }
    const quote = (await ask(apiKey, "/v1/offramps/quotes", quoted)).data
    const { id } = (await ask(apiKey, "/v1/offramps", { quote_id: quote.id })).data
    await ask(apiKey, "/sandbox/settle", {})
    const day = today().slice(2).replaceAll("-", "")
    const left = (900_000 - Number(quote.received_amount)).toFixed(2)
    const file = [
      ...[`:20:A${n}`, ":25:00991", `:28C:${n}/1`, `:60F:C${day}NGN900000,`],
      `:61:${day}${day.slice(2)}D${quote.received_amount.replace(".", ",")}NTRFNONREF//B${n}`,
      ...[`:86:${id}.payout`, `:62F:C${day}NGN${left.replace(".", ",")}`, "-"]
    ].join("\r\n")
    const taken = await fetch(`${server.url}/operator/v1/statements`, {
      method: "POST",
      body: file,
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/octet-stream" }
    })
    expect(taken.status, await taken.text()).toBe(200)
    const found = (await operate(`breaks?status=open&resource_id=${id}`)).data.find((one: any) => one.adopt !== null)
    return { id, path: `breaks/${found.id}/resolve`, input: { action: "adopt", note: "paid" } }
  }

  covers("APPROVAL-3", "LIMITS-10", "APPROVAL-15")
  it.each(Object.keys(controls))("that adopts an outcome waits for %s, and is done once", async (name) => {
    const { id, input, path } = await adopt()
    await controls[name]!("break_resolution", "NGN")
    const done = await ask(ada, `/operator/v1/${path}`, input)
    expect([done.status, done.message]).toEqual([200, "OK"])
    const { approval } = done.meta
    expect(approval.status).toBe("pending")
    const last = await ask(bisi, `/operator/v1/approvals/${approval.id}/approve`, { note: "seen" })
    expect([last.data.status, last.data.refusal], last.message).toEqual(["approved", null])
    expect((await ask(apiKey, `/v1/offramps/${id}`)).data.status).toBe("success")
  })
})
