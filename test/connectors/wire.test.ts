/** What the reference connectors take from a socket, and what they refuse. */
import { request as httpRequest } from "node:http"
import { connect } from "node:net"
import { expect, it } from "vitest"
import { sign } from "../../src/engine/crypto/signing.ts"
import { protocolClient } from "../support/connectors/client.ts"
import { payoutOf } from "../support/connectors/commands.ts"
import { onEachConnector, type Subject, onEachImplementation } from "../support/connectors/each-connector.ts"
import { connectorAdminToken, connectorSecret, startConnector } from "../support/connectors/launcher.ts"
import { covers } from "../support/repository/covers.ts"

const nowSeconds = (): number => Math.floor(Date.now() / 1000)
const body = (id: string, members: object = {}) => ({ operation: "payout", id, ...payoutOf(), ...members })
const stranger = `whsec_${Buffer.from("the secret of somebody else").toString("base64")}`

/** Nothing of what was refused is recorded. */
const expectNothing = async ({ client, connector }: Subject, id: string): Promise<void> => {
  expect(connector.executions()).toEqual([])
  expect(await client.get(`/payouts/${encodeURIComponent(id)}`, "payout_status", id)).toEqual({ status: "absent" })
}

onEachConnector("the wire", {}, (subject) => {
  covers("CONNECTOR-4")
  it.each([
    ["signed by another", { secret: stranger }, 401],
    ["signed 301 seconds ago", { timestamp_seconds: nowSeconds() - 10_301 }, 401],
    ["signed in the future", { timestamp_seconds: nowSeconds() + 10_301 }, 401],
    ["whose body was changed", { text: JSON.stringify(body("refused")), headers: {} }, 401],
    ["with an empty signature", { headers: { "webhook-signature": "" } }, 401],
    ["with a signature of another version", { headers: { "webhook-signature": "v2,AAAA" } }, 401],
    ["whose timestamp is no number", { headers: { "webhook-timestamp": "now" } }, 401],
    ["without an id of its own", { headers: { "webhook-id": "" } }, 401]
  ])("refuses a request %s, and answers without a signature", async (title, otherwise, status) => {
    const changed = title === "whose body was changed"
    const sent = changed
      ? await subject.client.send("PUT", "/payouts/refused", undefined, {
          text: JSON.stringify(body("refused", { amount: "9.00" })),
          headers: { "webhook-signature": sign([subject.connector.secret], "msg_1", nowSeconds(), "other") }
        })
      : await subject.client.send("PUT", "/payouts/refused", body("refused"), otherwise)
    expect(sent.status).toBe(status)
    expect(sent.headers.get("webhook-signature")).toBeNull()
    await expectNothing(subject, "refused")
  })

  it("takes a signature among several, and a timestamp within five minutes", async () => {
    const text = ""
    const timestamp = nowSeconds() - 290
    const valid = sign([subject.connector.secret], "msg_several", timestamp, text)
    const headers = {
      "webhook-id": "msg_several",
      "webhook-signature": `v1,${Buffer.from("of another secret").toString("base64")} v9,x ${valid}`
    }
    const sent = await subject.client.send("GET", "/manifest", undefined, { headers, timestamp_seconds: timestamp })
    expect(sent.status).toBe(200)
    expect(JSON.parse(sent.text)).toMatchObject({ request_id: "msg_several", operation: "manifest", id: null })
  })

  covers("CONNECTOR-4")
  it.each([
    [
      "with the operation of another path",
      "/payouts/refused",
      body("refused", { operation: "refund" }),
      /^operation: /
    ],
    ["with the id of another path", "/payouts/refused", body("other"), /^id: found "other".*refused/],
    ["without an id", "/payouts/refused", { ...body("x"), id: undefined }, /^id: /],
    ["whose amount is a number", "/payouts/refused", body("refused", { amount: 5 }), /^amount: found 5; .*"12\.50"/],
    ["whose amount is negative", "/payouts/refused", body("refused", { amount: "-5.00" }), /^amount: found "-5.00"/],
    ["whose amount has an exponent", "/payouts/refused", body("refused", { amount: "1e3" }), /^amount: found "1e3"/],
    ["whose amount has a blank", "/payouts/refused", body("refused", { amount: "5.00\n" }), /^amount: found/],
    ["without a destination", "/payouts/refused", body("refused", { destination: null }), /^destination: found null/],
    ["with a NUL in a text", "/payouts/refused", body("refused", { reference: "a\0b" }), /^reference: /],
    ["with half a character", "/payouts/refused", body("refused", { narration: "\ud800" }), /^narration: /],
    ["with an id of 201 characters", `/payouts/${"x".repeat(201)}`, body("x".repeat(201)), /^id: .*1 to 200/],
    ["with an id that is badly encoded", "/payouts/%zz", body("%zz"), /^id: /],
    ["that is a list", "/payouts/refused", [], /no JSON object/]
  ])("refuses a signed body %s, and names what is wrong", async (_title, path, members, message) => {
    const sent = await subject.client.send("PUT", path, members)
    expect([sent.status, sent.headers.get("webhook-signature")]).toEqual([400, null])
    expect(JSON.parse(sent.text).error).toMatch(message)
    await expectNothing(subject, "refused")
  })

  it.each([
    ["DELETE", "/payouts/refused", 404],
    ["POST", "/payouts/refused", 404],
    ["PUT", "/payouts", 404],
    ["PUT", "/payouts/a/b", 404],
    ["GET", "/nothing", 404],
    ["GET", "/manifest/x", 404],
    ["GET", "/events?after=x", 400],
    ["GET", "/statements?after=-1", 400]
  ])("does not know %s %s", async (method, path, status) => {
    const sent = await subject.client.send(method, path, method === "GET" ? undefined : body("refused"))
    expect(sent.status).toBe(status)
  })

  it("refuses what is no JSON, and a body without an end", async () => {
    for (const text of ["{", '"text"', "NaN", "nonsense"])
      expect((await subject.client.send("PUT", "/payouts/refused", undefined, { text })).status).toBe(400)
    const large = await subject.client
      .send("PUT", "/payouts/refused", body("refused", { narration: "x".repeat(1_100_000) }))
      .then(({ status }) => status)
      .catch(() => "cut off")
    expect([400, "cut off"]).toContain(large)
    await expectNothing(subject, "refused")
  })

  it("takes no part of a request that is cut off, and serves the next", async () => {
    const { hostname, port } = new URL(subject.connector.url)
    const text = JSON.stringify(body("refused"))
    const signature = sign([subject.connector.secret], "msg_cut", nowSeconds(), text)
    const head = `PUT /payouts/refused HTTP/1.1\r\nhost: x\r\ncontent-length: ${text.length}\r\nwebhook-id: msg_cut\r\nwebhook-timestamp: ${nowSeconds()}\r\nwebhook-signature: ${signature}\r\n\r\n`
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(head + text.slice(0, -1), () => socket.destroy())
      })
      socket.once("close", () => resolve())
    })
    await expectNothing(subject, "refused")
  })

  it("pays what was sent whole, though its caller went away", async () => {
    const text = JSON.stringify(body("went away"))
    const timestamp = String(nowSeconds())
    await new Promise<void>((resolve) => {
      const sent = httpRequest(`${subject.connector.url}/payouts/went%20away`, {
        method: "PUT",
        headers: {
          "content-length": Buffer.byteLength(text),
          "webhook-id": "msg_away",
          "webhook-timestamp": timestamp,
          "webhook-signature": sign([subject.connector.secret], "msg_away", Number(timestamp), text)
        }
      })
      sent.once("error", () => resolve())
      sent.once("close", () => resolve())
      sent.end(text, () => setImmediate(() => sent.destroy()))
    })
    expect(["accepted", "settled"]).toContain(
      (await subject.client.put("/payouts", "payout", "went away", payoutOf())).status
    )
    expect(subject.connector.executions("went away")).toHaveLength(1)
  })

  covers("CONNECTOR-3")
  it("refuses a payout that was signed before its id was said to be absent or unavailable, also after a restart", async () => {
    const put = (id: string, age_seconds: number) =>
      subject.client.send("PUT", `/payouts/${id}`, body(id), { timestamp_seconds: nowSeconds() - age_seconds })
    expect(await subject.client.get("/payouts/late", "payout_status", "late")).toEqual({ status: "absent" })
    const refused = await put("late", 60)
    expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(/webhook-timestamp: .*absent/)])
    await subject.connector.restart()
    expect((await put("late", 60)).status).toBe(400)
    expect(subject.connector.executions("late")).toEqual([])
    expect((await put("late", 0)).status).toBe(200)
    expect((await put("late", 60)).status).toBe(200)
    expect(subject.connector.executions("late")).toHaveLength(1)

    await subject.connector.admin("settings", { availability: "closed" })
    expect(await subject.client.put("/payouts", "payout", "closed", payoutOf())).toEqual({ status: "unavailable" })
    await subject.connector.admin("settings", { availability: "open" })
    expect((await put("closed", 60)).status).toBe(400)
    expect(subject.connector.executions("closed")).toEqual([])
    expect((await put("another", 60)).status).toBe(200)
  })

  it.each([["tfr_01/2?x=%41&y#z"], ["überweisung … 支払い"], ["x".repeat(200)], ["a+b c"]])(
    "keeps the id %j as it is",
    async (id) => {
      expect((await subject.client.put("/payouts", "payout", id, payoutOf())).status).toBe("accepted")
      expect(subject.connector.executions(id)).toHaveLength(1)
      const path = `/payouts/${encodeURIComponent(id)}`
      expect((await subject.client.get(path, "payout_status", id)).status).not.toBe("absent")
    }
  )

  it("keeps its admin interface to those with the token", async () => {
    const post = async (token: string, path = "/admin/payins", method = "POST"): Promise<number> => {
      const text = JSON.stringify({ target: "t", amount: "1.00", currency: "NGN" })
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(
        subject.connector.url + path,
        method === "POST" ? { method, headers, body: text } : { headers }
      )
      await response.arrayBuffer()
      return response.status
    }
    expect(await post("guess")).toBe(404)
    expect(await post("")).toBe(404)
    expect(await post(connectorAdminToken, "/admin/nothing")).toBe(404)
    expect(await post(connectorAdminToken, "/admin/payins", "GET")).toBe(404)
    expect(await post(connectorAdminToken)).toBe(200)
  })
})

onEachConnector(
  "a rotation of secrets",
  { CONNECTOR_SECRET: `${stranger} ${connectorSecret}`, CONNECTOR_ADMIN_TOKEN: "" },
  (subject) => {
    it("takes either secret, and signs with both", async () => {
      const { url } = subject.connector
      for (const secret of [stranger, connectorSecret]) {
        const manifest = await protocolClient(url, secret).get("/manifest", "manifest")
        expect(manifest).toMatchObject({ protocol: "1", events: { callbacks: false, readable: true } })
      }
    })

    it("has no admin interface without a token", async () => {
      await expect(subject.connector.admin("payins", { target: "t", amount: "1.00", currency: "NGN" })).rejects.toThrow(
        "404"
      )
    })
  }
)

onEachImplementation("settings", (implementation) => {
  it("does not start with settings that it cannot use", async () => {
    const started = startConnector(implementation, {
      CONNECTOR_SECRET: "secret",
      PORT: "http",
      CONNECTOR_OFFERS: "{}",
      CONNECTOR_BALANCES: '{"NGN":5}',
      CONNECTOR_EVENTS_URL: "nowhere"
    })
    const message = await started.then(
      () => "it started",
      (error: unknown) => String(error)
    )
    for (const name of ["CONNECTOR_SECRET", "PORT", "CONNECTOR_OFFERS", "CONNECTOR_BALANCES", "CONNECTOR_EVENTS_URL"])
      expect(message).toMatch(new RegExp(`^(?:.*: )?${name}: .* taken`, "m"))
    expect(message).toContain("ended with 1")
  })
})
