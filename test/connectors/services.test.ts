/** Accounts, pay-ins, directory, checks of people, rates and events of the reference connectors. */
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import { Result } from "effect"
import { readEvent } from "../../src/protocol/messages.ts"
import { protocolClient } from "../support/connectors/client.ts"
import { instructionOf, issueOf, payoutOf, screeningOf, verificationOf } from "../support/connectors/commands.ts"
import { onEachConnector, type Subject, onEachImplementation } from "../support/connectors/each-connector.ts"
import { until } from "../support/repository/poll-timeout.ts"
import { startConnector } from "../support/connectors/launcher.ts"
import { covers } from "../support/repository/covers.ts"

const events = async ({ client }: Subject, resource_id?: string): Promise<ReadonlyArray<any>> => {
  const all: Array<any> = []
  let cursor = ""
  for (let pages = 0; pages < 20; pages += 1) {
    const page = await client.get(`/events${cursor === "" ? "" : `?after=${cursor}`}`, "events")
    if (page.events.length === 0) break
    all.push(...page.events)
    cursor = page.cursor
  }
  return all.filter((event) => resource_id === undefined || event.resource_id === resource_id)
}

onEachConnector("services", {}, (subject) => {
  it("opens one account for an id, however often it is asked, and reports it", async () => {
    const issue = (id: string, members: object = {}) => subject.client.put("/issues", "issue", id, issueOf(members))
    const status = (id: string) => subject.client.get(`/issues/${id}`, "issue_status", id)
    expect(await status("acc.1")).toEqual({ status: "absent" })
    expect(await Promise.all([issue("acc.1"), issue("acc.1"), issue("acc.1")])).toContainEqual({ status: "pending" })
    const first = await until(
      () => status("acc.1"),
      (one) => one.status === "issued"
    )
    expect(first).toEqual({
      status: "issued",
      provider_resource_id: `acct_${first.target}`,
      target: expect.stringMatching(/^8\d{9}$/),
      details: {
        account_number: first.target,
        account_name: "Ada Obi",
        bank_name: "Example Bank",
        bank_code: "EXB",
        reference: null
      }
    })
    expect(await issue("acc.1")).toEqual(first)
    expect(await issue("acc.1", { holder: "Eve" })).toEqual({ status: "conflict" })
    const { status: _, ...issued } = first
    expect(await events(subject, "cred_1")).toEqual([
      {
        operation: "event",
        id: expect.stringMatching(/^evt_/),
        type: "issued",
        merchant_id: "mer_1",
        resource_id: "cred_1",
        kind: "wallet_credential",
        ...issued
      }
    ])
    await issue("acc.2", { resource_id: "cred_2" })
    const second = await until(
      () => status("acc.2"),
      (one) => one.status === "issued"
    )
    expect(second.target).not.toBe(first.target)
    const chain = { type: "crypto", network: "base", currency: "USDC" }
    expect(await issue("acc.3", chain)).toEqual({ status: "rejected", reason: "not_offered" })
    expect(await status("acc.3")).toEqual({ status: "rejected", reason: "not_offered" })
  })

  it("gives one deposit reference for an id, and another for another", async () => {
    const instruct = (id: string, members: object = {}) =>
      subject.client.put("/instructions", "instruction", id, instructionOf(members))
    const first = await instruct("ins.1")
    expect(first).toEqual({
      status: "issued",
      account_name: expect.any(String),
      account_number: expect.any(String),
      bank_name: "Example Bank",
      bank_code: "EXB",
      deposit_reference: expect.stringMatching(/^EX[0-9A-F]{14}$/)
    })
    expect(await instruct("ins.1")).toEqual(first)
    expect(await subject.client.get("/instructions/ins.1", "instruction_status", "ins.1")).toEqual(first)
    expect(await instruct("ins.1", { amount: "5000.01" })).toEqual({ status: "conflict" })
    expect((await instruct("ins.2")).deposit_reference).not.toBe(first.deposit_reference)
    expect(await instruct("ins.3", { currency: "EUR", country_code: null })).toEqual({ status: "unsupported" })
    expect(await subject.client.get("/instructions/ins.3", "instruction_status", "ins.3")).toEqual({ status: "absent" })
  })

  it("credits a pay-in once, when it is confirmed, and reports each stage once", async () => {
    const payin = (members: object = {}) =>
      subject.connector.admin("payins", {
        payin_id: "pay_1",
        target: "8000000001",
        amount: "250.50",
        currency: "NGN",
        sender: { name: "Ada Obi", bank: "Access Bank", account_number: "0123456789" },
        narration: "rent",
        ...members
      })
    const { lines: before } = await subject.client.get("/statements", "statements")
    await payin({ stage: "detected" })
    expect((await subject.client.get("/statements", "statements")).lines).toEqual(before)
    await payin()
    await payin()
    await expect(payin({ stage: "failed" })).rejects.toThrow(/stage: .*confirmed/)
    await expect(payin({ amount: "250.51" })).rejects.toThrow(/amount: .*250.50 NGN/)
    await expect(payin({ payin_id: "pay_2", amount: "0" })).rejects.toThrow(/amount: found "0"/)
    await expect(payin({ payin_id: "pay_2", stage: "lost" })).rejects.toThrow(/stage: found "lost"/)
    const { lines } = await subject.client.get("/statements", "statements")
    expect(lines.slice(before.length)).toMatchObject([
      { direction: "credit", amount: "250.50", currency: "NGN", payin_id: "pay_1", command_id: null, narration: "rent" }
    ])
    const seen = (await events(subject)).filter(({ type }) => type === "payin")
    expect(seen.map(({ stage }) => stage)).toEqual(["detected", "confirmed"])
    expect(seen[1]).toEqual({
      operation: "event",
      id: expect.stringMatching(/^evt_/),
      type: "payin",
      payin_id: "pay_1",
      stage: "confirmed",
      target: "8000000001",
      amount: "250.50",
      currency: "NGN",
      network: "bank",
      transaction_hash: null,
      from_address: null,
      sender: { name: "Ada Obi", bank: "Access Bank", account_number: "6789" },
      narration: "rent",
      observed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })
  })

  it("screens a name under its id, and gives the verdict on a held one later", async () => {
    const screen = (id: string, name: string) => subject.client.post("/screen", "screen", id, screeningOf(id, name))
    expect(await screen("scr.1", "Bola Ade")).toEqual({ status: "cleared" })
    expect(await screen("scr.2", "A Sanctioned Person")).toEqual({ status: "refused" })
    expect(await screen("scr.3", "Review Me")).toEqual({ status: "held" })
    await expect(screen("scr.3", "Bola Ade")).rejects.toThrow(/^400: .*scr.3 is known with other content/)
    await subject.connector.admin("screenings/scr.3", { cleared: true })
    await expect(subject.connector.admin("screenings/scr.3", { cleared: false })).rejects.toThrow(/no held screening/)
    await expect(subject.connector.admin("screenings/scr.1", { cleared: "yes" })).rejects.toThrow(
      /cleared: found "yes"/
    )
    expect(await screen("scr.3", "Review Me")).toEqual({ status: "cleared" })
    expect(await events(subject, "ben_1")).toMatchObject([{ type: "screened", screening_id: "scr.3", cleared: true }])
  })

  it("verifies a customer on its own page, once", async () => {
    const start = (id: string) =>
      subject.client.put("/verifications", "verification", id, verificationOf({ resource_id: id }))
    const status = (id: string) => subject.client.get(`/verifications/${id}`, "verification_status", id)
    expect(await status("kyc.1")).toEqual({ status: "absent" })
    const { hosted_url, ...rest } = await start("kyc.1")
    expect(rest).toEqual({ status: "started", expires_at: expect.stringMatching(/Z$/) })
    expect(await start("kyc.1")).toEqual({ hosted_url, ...rest })
    expect(await status("kyc.1")).toEqual({ status: "pending" })
    expect(
      (await fetch(hosted_url.replace(/token=(.)/, (_: string, first: string) => `token=${first === "_" ? "-" : "_"}`)))
        .status
    ).toBe(410)
    const page = await fetch(hosted_url)
    expect([page.status, await page.text()]).toEqual([200, expect.stringMatching(/Ada &(?:#60|lt);Obi&(?:#62|gt);/)])
    expect(await status("kyc.1")).toEqual({ status: "opened" })
    const send = (url: string, document_number: string) =>
      fetch(url, { method: "POST", body: new URLSearchParams({ document_number }), redirect: "manual" })
    const sent = await send(hosted_url, "A1234567")
    expect([sent.status, sent.headers.get("location")]).toEqual([303, "https://example.com/done"])
    await send(hosted_url, "A0000")
    expect(await status("kyc.1")).toEqual({ status: "approved" })
    expect((await events(subject, "kyc.1")).map(({ outcome }) => outcome)).toEqual(["opened", "approved"])
    await send((await start("kyc.2")).hosted_url, "A0000")
    expect(await status("kyc.2")).toEqual({ status: "rejected", reason: "declined" })
    expect(await events(subject, "kyc.2")).toMatchObject([{ outcome: "rejected", reason: "declined" }])
    await start("kyc.3")
    await subject.connector.admin("verifications/kyc.3", { outcome: "rejected", reason: "identity_mismatch" })
    await expect(subject.connector.admin("verifications/kyc.3", { outcome: "approved" })).rejects.toThrow(/rejected/)
    expect(await status("kyc.3")).toEqual({ status: "rejected", reason: "identity_mismatch" })
  })

  it("knows banks, accounts and proxies", async () => {
    const { banks } = await subject.client.get("/banks?country_code=NG", "banks")
    expect(banks).toContainEqual({ country_code: "NG", code: "058", name: "Guaranty Trust Bank" })
    expect(banks.filter(({ country_code }: any) => country_code !== "NG")).toEqual([])
    expect((await subject.client.get("/banks", "banks")).banks.length).toBeGreaterThan(banks.length)
    const account = (members: object) =>
      subject.client.post("/resolve-account", "resolve_account", "q", {
        country_code: "NG",
        bank: { code: "058", name: "Guaranty Trust Bank", country_code: "NG" },
        account_number: "0123456789",
        account_name: null,
        ...members
      })
    expect(await account({})).toEqual({ status: "resolved", account_name: "Holder of 6789" })
    expect(await account({ account_name: "Bola Ade" })).toEqual({ status: "resolved", account_name: "Bola Ade" })
    expect(await account({ account_number: "0000000000" })).toEqual({ status: "unresolved" })
    expect(await account({ country_code: "KE" })).toEqual({ status: "unresolved" })
    const proxy = (proxy: string) => subject.client.post("/resolve-proxy", "resolve_proxy", "q", { proxy })
    expect(await proxy("+27821234567")).toEqual({ status: "resolved", account_name: "Holder of 4567" })
    expect(await proxy("+27000000000")).toEqual({ status: "unregistered" })
    expect(await proxy("+27000000001")).toEqual({ status: "no_answer" })
    expect(await proxy("+27000000002")).toEqual({ status: "unavailable" })
  })

  it("quotes rates of now, or those and the time that were set", async () => {
    const { rates } = await subject.client.get("/rates", "rates")
    expect(rates).toContainEqual({ base: "USD", quote: "NGN", rate: "1500.25", at: expect.stringMatching(/Z$/) })
    expect(Math.abs(Date.parse(rates[0].at) - Date.now())).toBeLessThan(60_000)
    await subject.connector.admin("settings", { rates: { KES: "130.5" }, rates_at: "2020-01-31T12:00:00Z" })
    expect((await subject.client.get("/rates", "rates")).rates).toEqual([
      { base: "USD", quote: "KES", rate: "130.5", at: "2020-01-31T12:00:00Z" }
    ])
    await expect(subject.connector.admin("settings", { rates: { KES: 130.5 } })).rejects.toThrow(/rates: found/)
    await expect(subject.connector.admin("settings", { rates_at: "yesterday" })).rejects.toThrow(/rates_at: found/)
  })

  covers("CONNECTOR-6")
  it("lists events page by page, oldest first, none twice and none missing", async () => {
    for (let n = 0; n < 230; n += 1)
      await subject.connector.admin("payins", { payin_id: `page_${n}`, target: "t", amount: "1.00", currency: "NGN" })
    const all = await events(subject)
    const numbers = all.flatMap(({ payin_id }) => (payin_id?.startsWith("page_") ? [Number(payin_id.slice(5))] : []))
    expect(numbers).toEqual(Array.from({ length: 230 }, (_, n) => n))
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    const end = await subject.client.get("/events?after=100000", "events")
    expect(end).toEqual({ events: [], cursor: "100000" })
  })
})

interface Callback {
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Corridor's callbacks: answers each with the status that `decide` says, or never. */
const listener = async (
  decide: (seen: number, callback: Callback) => number | undefined
): Promise<{ readonly url: string; readonly callbacks: Array<Callback>; readonly server: Server }> => {
  const callbacks: Array<Callback> = []
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (chunk) => (text += chunk))
    request.on("end", () => {
      const callback = { headers: request.headers, text }
      callbacks.push(callback)
      const status = decide(callbacks.length, callback)
      if (status !== undefined) response.writeHead(status, { location: "/elsewhere" }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/providers/bank/events`, callbacks, server }
}

onEachImplementation("callbacks", (implementation) => {
  covers("CONNECTOR-6")
  it("repeats a callback until it is acknowledged, also after a kill", async () => {
    let isUp = false
    const refusals = [500, 404, 302, 204]
    const { callbacks, server, url } = await listener((seen) => (isUp ? 200 : refusals[seen % refusals.length]!))
    const connector = await startConnector(implementation, { CONNECTOR_EVENTS_URL: url })
    try {
      const client = protocolClient(connector.url, connector.secret)
      expect((await client.get("/manifest", "manifest")).events).toEqual({ callbacks: true, readable: true })
      await client.put("/payouts", "payout", "told", payoutOf())
      await until(
        async () => callbacks.length,
        (length) => length >= 4
      )
      await connector.kill()
      const sentBefore = callbacks.length
      isUp = true
      await connector.restart()
      await until(
        async () => callbacks.length,
        (length) => length > sentBefore
      )
      const bodies = new Set(callbacks.map(({ text }) => text))
      expect(bodies.size).toBe(1)
      const [text = ""] = bodies
      const { events: listed } = await client.get("/events", "events")
      expect(listed).toEqual([JSON.parse(text)])
      for (const { headers } of callbacks) {
        expect(headers["webhook-id"]).toBe(listed[0].id)
        const received = { headers: headers as Record<string, string>, body: Buffer.from(text) }
        const read = readEvent(received, { secrets: [connector.secret], now_ms: Date.now() })
        expect(Result.getOrThrow(read!)).toMatchObject(listed[0])
      }
      // Acknowledged: a further payout brings its own event, and not the first again.
      await client.put("/payouts", "payout", "told too", payoutOf())
      await until(
        async () => callbacks.at(-1)?.text,
        (last) => last !== text
      )
      expect(callbacks.filter((one) => one.text === text)).toHaveLength(sentBefore + 1)
    } finally {
      await connector.stop()
      server.close()
    }
  })

  it("sends one callback while others hang", async () => {
    const { callbacks, server, url } = await listener((_, { text }) => (text.includes("hung") ? undefined : 200))
    const connector = await startConnector(implementation, { CONNECTOR_EVENTS_URL: url })
    try {
      for (const payin_id of ["hung.1", "hung.2", "hung.3", "sent"])
        await connector.admin("payins", { payin_id, target: "t", amount: "1.00", currency: "NGN" })
      const countOf = (payin_id: string) => callbacks.filter(({ text }) => text.includes(`"${payin_id}"`)).length
      // Sent beside each other, in no order: none waits for the answer of another.
      await until(
        async () => ["hung.1", "hung.2", "hung.3", "sent"].map(countOf),
        (counts) => counts.every((count) => count > 0)
      )
    } finally {
      await connector.stop()
      server.close()
      server.closeAllConnections()
    }
  })
})
