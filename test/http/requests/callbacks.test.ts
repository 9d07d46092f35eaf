/** The provider's own entry point (OPERATOR-5): `POST /providers/simulated/events`, over a socket. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sign } from "../../../src/engine/crypto/signing.ts"
import { covers } from "../../support/repository/covers.ts"
import { serveHere, type ServedHere } from "../../support/http/served-here.ts"
import { apiKey, operatorToken } from "../../support/http/served-process.ts"

const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`
let server: ServedHere
beforeAll(async () => {
  server = await serveHere({ CORRIDOR_PROVIDER_SECRET: secret, CORRIDOR_SANDBOX_MODE: "manual" })
})
afterAll(async () => {
  await server.stop()
})

const ask = async (path: string, body?: object): Promise<any> => {
  const answer = await fetch(server.url + path, {
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  const json = (await answer.json()) as any
  if (!answer.ok) throw new Error(json.message)
  return json.data
}

const callback = async (event: object, key = secret, provider = "simulated") => {
  const body = JSON.stringify(event)
  const seconds = Math.floor(Date.now() / 1000)
  const answer = await fetch(`${server.url}/providers/${provider}/events`, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": "msg_1",
      "webhook-timestamp": String(seconds),
      "webhook-signature": sign([key], "msg_1", seconds, body)
    }
  })
  return { status: answer.status, json: (await answer.json()) as any }
}

const transfer = async (): Promise<string> => {
  const wallet = await ask("/v1/wallets", { currency: "USDC" })
  await ask("/sandbox/deposits", { wallet_id: wallet.id, amount: "50" })
  const beneficiary = await ask("/v1/beneficiaries", {
    type: "crypto",
    name: "Supplier",
    currency: "USDC",
    details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
  })
  const { id } = await ask("/v1/transfers", { wallet_id: wallet.id, beneficiary_id: beneficiary.id, amount: "10" })
  await ask("/sandbox/settle", {})
  return id
}

covers("OPERATOR-5")
describe("a callback", () => {
  it("that is signed moves what it is about, once, and is acknowledged however often it comes", async () => {
    const id = await transfer()
    const event = {
      _tag: "movement",
      event_id: `their_${id}`,
      resource_id: id,
      outcome: "success",
      transaction_hash: "0xfeed"
    }
    for (let time = 0; time < 3; time++) {
      expect(await callback(event)).toMatchObject({
        status: 200,
        json: { code: "ok", data: { event_id: event.event_id } }
      })
    }
    expect(await ask(`/v1/transfers/${id}`)).toMatchObject({ status: "success", transaction_hash: "0xfeed" })
    const events = await ask(`/v1/notifications/events?event_object_id=${id}`)
    expect(events.map((one: any) => one.event_type)).toEqual(["transfer.success", "transfer.processing"])
  })

  it("that somebody else signed, or for another provider, moves nothing", async () => {
    const id = await transfer()
    const event = { _tag: "movement", event_id: `theirs_${id}`, resource_id: id, outcome: "success" }
    const stranger = `whsec_${Buffer.alloc(32, 6).toString("base64")}`
    expect(await callback(event, stranger)).toMatchObject({ status: 401, json: { code: "authentication_failed" } })
    expect(await callback(event, secret, "acme")).toMatchObject({ status: 404, json: { code: "not_found" } })
    expect((await ask(`/v1/transfers/${id}`)).status).toBe("processing")
  })

  covers("PROTOCOL-10")
  it("that is signed and no event is acknowledged, and the operator sees why; unsigned, it is refused and nothing is recorded", async () => {
    const id = await transfer()
    const unreadable = async (): Promise<ReadonlyArray<any>> => {
      const answer = await fetch(`${server.url}/operator/v1/exceptions?reason=unreadable_event&per_page=100`, {
        headers: { authorization: `Bearer ${operatorToken}` }
      })
      return ((await answer.json()) as any).data
    }
    const event_id = `amiss_${id}`
    const amiss = { _tag: "movement", event_id, resource_id: id, outcome: "successful" }
    const stranger = `whsec_${Buffer.alloc(32, 6).toString("base64")}`
    expect((await callback(amiss, stranger)).status).toBe(401)
    expect(await unreadable()).toEqual([])
    for (let time = 0; time < 2; time++)
      expect(await callback(amiss)).toMatchObject({ status: 200, json: { code: "ok", data: { event_id } } })
    const [exception, ...others] = await unreadable()
    expect(others).toEqual([])
    expect(exception).toMatchObject({ resource_id: id, resource_kind: "transfer", provider_event: amiss })
    expect(exception.detail).toMatch(/^outcome is "successful"; it takes one of "success"/)
    // Bytes that are not UTF-8 have another text than the one that was signed.
    const body = Buffer.concat([Buffer.from('{"event_id":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
    const seconds = Math.floor(Date.now() / 1000)
    const answer = await fetch(`${server.url}/providers/simulated/events`, {
      method: "POST",
      body,
      headers: {
        "webhook-id": "msg_2",
        "webhook-timestamp": String(seconds),
        "webhook-signature": sign([secret], "msg_2", seconds, body)
      }
    })
    expect(answer.status).toBe(200)
    expect((await unreadable()).length).toBe(2)
    expect(await callback({ ...amiss, outcome: "success" })).toMatchObject({ status: 200 })
    expect((await ask(`/v1/transfers/${id}`)).status).toBe("success")
  })

  covers("DEPOSIT-8", "ONRAMP-9")
  it("that contradicts another is acknowledged, and the operator sees both versions and what is at risk", async () => {
    const wallet = await ask("/v1/wallets", { currency: "USDC" })
    const { payin_id } = await ask("/sandbox/deposits", { wallet_id: wallet.id, amount: "1" })
    const [address] = await ask(`/v1/wallets/${wallet.id}/deposit-addresses`)
    const payin = (n: number, more: object) => ({
      _tag: "payin",
      event_id: `${payin_id}.${n}`,
      payin_id: `${payin_id}.bank`,
      stage: "confirmed",
      target: address.details.address,
      amount: "100",
      currency: "USDC",
      observed_at: 1,
      ...more
    })
    const reply = [
      payin(1, { stage: "detected" }),
      payin(2, { currency: "USDT" }),
      payin(3, {}),
      payin(3, { amount: "7" }),
      payin(4, { stage: "failed" })
    ]
    for (const event of [...reply, ...reply]) expect(await callback(event)).toMatchObject({ status: 200 })
    expect((await ask(`/v1/wallets/${wallet.id}`)).balance.available).toBe("101.00")
    const answer = await fetch(`${server.url}/operator/v1/exceptions?status=open&per_page=200`, {
      headers: { authorization: `Bearer ${operatorToken}` }
    })
    const { data } = (await answer.json()) as any
    const raised = data.filter((one: any) => one.provider_event?.payin_id === `${payin_id}.bank`)
    expect(raised.toReversed()).toMatchObject([
      { reason: "another_currency", severity: "low", exposure: null, recorded: { currency: "USDC", amount: null } },
      { reason: "event_id_reused", severity: "high", exposure: { amount: "93.00" }, recorded: { amount: "100" } },
      { reason: "recalled", severity: "high", exposure: { amount: "100.00", currency: "USDC" } }
    ])
  })

  covers("CIRCLE-11")
  it("is announced by HEAD, which a provider that is configured answers with 200", async () => {
    const head = async (provider: string) =>
      (await fetch(`${server.url}/providers/${provider}/events`, { method: "HEAD" })).status
    expect([await head("simulated"), await head("nobody")]).toEqual([200, 404])
  })
})
