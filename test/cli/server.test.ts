/** Commands that call a running server: trigger, events tail, listen, explain, search and operators. */
import { spawn } from "node:child_process"
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse
} from "node:http"
import { readFileSync } from "node:fs"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { walks } from "../../src/cli/server/walks.ts"
import { corridor } from "../support/cli/command-line.ts"
import { bare, main } from "../support/cli/environment.ts"
import type { Merchant } from "../../src/client/index.ts"
import { serveHere, type ServedHere } from "../support/http/served-here.ts"
import { apiKey, operatorToken } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"

let server: ServedHere
const servers: Array<Server> = []
beforeAll(async () => {
  // The simulated provider decides after five seconds what a walk has not decided before.
  server = await serveHere({ CORRIDOR_SANDBOX_DELAY_MS: "5000", CORRIDOR_RATE_LIMIT_PER_SECOND: "0" })
})
afterAll(() => {
  void server.stop()
  for (const one of servers) one.close()
})

const merchant = (...args: ReadonlyArray<string>) =>
  corridor(args, { CORRIDOR_URL: server.url, CORRIDOR_API_KEY: apiKey })
const operator = (...args: ReadonlyArray<string>) =>
  corridor(args, { CORRIDOR_URL: server.url, CORRIDOR_OPERATOR_TOKEN: operatorToken })

const listening = async (listener: RequestListener): Promise<string> => {
  const made = createServer(listener)
  servers.push(made)
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", () => resolve()))
  return `http://127.0.0.1:${(made.address() as { readonly port: number }).port}`
}

/** The server behind a proxy, which notes when the feed was read to its end, and ends every connection while it is away. */
const between = async (isAway: () => boolean = () => false) => {
  const seen: Array<string> = []
  const passOn = async (path: string, response: ServerResponse): Promise<void> => {
    const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${apiKey}` } })
    const text = await answer.text()
    const { data } = JSON.parse(text) as { readonly data: unknown }
    if (path.includes("/feed?") && Array.isArray(data) && data.length === 0) seen.push("feed read to its end")
    response.writeHead(answer.status, { "content-type": "application/json" }).end(text)
  }
  const url = await listening((request, response) => {
    if (isAway()) request.socket.destroy()
    else void passOn(request.url ?? "", response)
  })
  return { url, asked: () => seen }
}

interface Triggered {
  readonly event_type: string
  readonly event_id: string
  readonly event_object_id: string
}

const triggered = async (type: string): Promise<Triggered> => {
  const { code, errors, out } = await merchant("trigger", type, "--json")
  expect([errors, code]).toEqual([[], 0])
  return JSON.parse(out) as Triggered
}

describe("corridor trigger", () => {
  covers("CLI-6")
  it("knows the event types that the rules name, and no others", async () => {
    const { out } = await merchant("trigger", "--list")
    expect(out.trim().split("\n")).toEqual(Object.keys(walks))
    const tour = readFileSync("examples/newcomer.ts", "utf8")
    for (const type of Object.keys(walks)) expect(tour).toContain(`"${type.split(".")[1]}"`)
    expect(Object.keys(walks).length).toBeGreaterThanOrEqual(27)
  })

  const publishes = async (type: string): Promise<void> => {
    const { event_id, event_object_id } = await triggered(type)
    const answer = await fetch(`${server.url}/v1/notifications/events/${event_id}`, {
      headers: { authorization: `Bearer ${apiKey}` }
    })
    expect((await answer.json()) as object).toMatchObject({ data: { event_type: type, event_object_id } })
  }
  // It moves the clock of the server.
  it("has a test server publish onramp.failed", () => publishes("onramp.failed"))

  // Several wait for the provider together.
  it.concurrent.each(Object.keys(walks).filter((type) => type !== "onramp.failed"))(
    "has a test server publish %s",
    publishes
  )

  it("works where a person decides every outcome", async () => {
    const manual = await serveHere({ CORRIDOR_SANDBOX_MODE: "manual" })
    const env = { CORRIDOR_URL: manual.url, CORRIDOR_API_KEY: apiKey }
    for (const type of ["offramp.success", "conversion.returned", "onramp.success"]) {
      const { code, errors } = await corridor(["trigger", type], env)
      expect([type, errors, code]).toEqual([type, [], 0])
    }
    await manual.stop()
  })

  covers("CLI-7")
  it("refuses a live key without a call, and a live server", async () => {
    let calls = 0
    const live = await listening((_, response) => {
      calls++
      response.setHeader("content-type", "application/json")
      response.end(
        JSON.stringify({
          status: true,
          code: "ok",
          message: "",
          data: { environment: "live" },
          meta: { request_id: "req_1" }
        })
      )
    })
    const refusal = ["the server is live; trigger moves money in the test environment only."]
    const byKey = await corridor(["trigger", "offramp.success", "--url", live, "--key", `sk_live_${"l".repeat(43)}`])
    expect([byKey.code, byKey.errors, calls]).toEqual([1, refusal, 0])
    const byServer = await corridor(["trigger", "offramp.success", "--url", live, "--key", apiKey])
    expect([byServer.code, byServer.errors, calls]).toEqual([1, refusal, 1])
  })

  it.each([
    [["trigger"], "event_type is required, or --list."],
    [
      ["trigger", "offramp.succes"],
      'event_type is "offramp.succes"; it takes a type that --list has. Did you mean offramp.success?'
    ],
    [["trigger", "toString"], 'event_type is "toString"; it takes a type that --list has.']
  ])("%j ends with 2", async (args, line) => {
    expect(await merchant(...args)).toEqual({ code: 2, out: "", errors: [line] })
  })
})

describe("corridor events tail", () => {
  covers("CLI-8")
  it("prints all events from the start, in the order of the feed, and continues after one of them", async () => {
    await triggered("offramp.success")
    const all = await merchant("events", "tail", "--from-start", "--count", "5", "--json")
    const ids = all.out
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as Triggered).event_id)
    expect([all.code, ids.length, new Set(ids).size]).toEqual([0, 5, 5])
    const rest = await merchant("events", "tail", "--after", ids[2]!, "--count", "2")
    expect(rest.errors).toEqual([`continue with --after ${ids[4]}`])
    expect(
      rest.out
        .trim()
        .split("\n")
        .map((line) => line.split("  ").at(-1))
    ).toEqual(ids.slice(3))
  })

  it("begins with the next event, of the types asked for", async () => {
    const { asked, url } = await between()
    const options = ["--events", "kyc,deposit.held", "--count", "2", "--json"]
    const tail = corridor(["events", "tail", ...options], { CORRIDOR_URL: url, CORRIDOR_API_KEY: apiKey })
    await expect.poll(asked).toContain("feed read to its end")
    await triggered("deposit.held")
    await triggered("deposit.confirmed")
    await triggered("kyc.rejected")
    const { code, out } = await tail
    const types = out
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as Triggered).event_type)
    expect([code, types]).toEqual([0, ["deposit.held", "kyc.rejected"]])
  })

  it.each([
    [["--from-start", "--after", "evt_01j9z3k4m5n6p7q8r9s0t1v2w3"], 2, /exclude each other/],
    [["--count", "0"], 2, /it takes a whole number from 1/],
    [["--after", "evt_01j9z3k4m5n6p7q8r9s0t1v2w3"], 1, /404 not_found/],
    [["--key", "sk_test_wrong_wrong_wrong_wrong"], 1, /401 authentication_failed/],
    [["--key", "sk_test with spaces"], 2, /--key is malformed; a text without spaces is required/],
    [["--url", "http://127.0.0.1:1"], 3, /cannot be reached/],
    [["--url", "ftp://x"], 2, /it takes an http or https URL/],
    [["--url", "http://u:hunter2@x/?y=1"], 2, /^--url has credentials; it takes an http or https URL without/]
  ])("%j ends at once", async (args, code, line) => {
    const ended = await merchant("events", "tail", ...args)
    expect([ended.code, ended.out]).toEqual([code, ""])
    expect(ended.errors[0]).toMatch(line)
    expect(ended.errors.join()).not.toContain(apiKey)
  })
})

describe("a list that others add to while it is printed", () => {
  covers("CLI-12")
  it("has each item once", async () => {
    const made = (n: number) => ({
      id: `opr_${n}`,
      name: "Ada Obi",
      role: "viewer",
      status: "active",
      email: null,
      created_at: new Date(1_800_000_000_000 + n).toISOString()
    })
    const operators = Array.from({ length: 450 }, (_, n) => made(n)).toReversed()
    const url = await listening((request, response) => {
      const { searchParams: asked } = new URL(request.url!, "http://127.0.0.1")
      const [page, per_page] = [Number(asked.get("page") ?? 1), Number(asked.get("per_page"))]
      const before = asked.get("created_before") ?? "9"
      const all = operators.filter(({ created_at }) => created_at <= before)
      const data = all.slice((page - 1) * per_page, page * per_page)
      const meta = { request_id: "req_1", page, per_page, total: all.length, has_more: page * per_page < all.length }
      operators.unshift(made(operators.length))
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ status: true, message: "OK", code: "ok", data, meta }))
    })
    const env = { CORRIDOR_URL: url, CORRIDOR_OPERATOR_TOKEN: operatorToken }
    const { code, out } = await corridor(["operators", "list", "--json"], env)
    const listed = (JSON.parse(out) as { readonly operators: ReadonlyArray<{ readonly id: string }> }).operators
    expect([code, listed.length, new Set(listed.map(({ id }) => id)).size]).toEqual([0, 450, 450])
  })
})

describe("corridor listen", () => {
  covers("CLI-9")
  it("forwards events, signed as the server signs them, and shows what the receiver answers", async () => {
    const received: Array<{ readonly headers: IncomingHttpHeaders; readonly body: string }> = []
    const url = await listening((request, response) => {
      let body = ""
      request.on("data", (chunk) => (body += String(chunk)))
      request.on("end", () => {
        received.push({ headers: request.headers, body })
        response.writeHead(received.length === 2 ? 500 : 204).end()
      })
    })
    const args = [
      "listen",
      "--forward-to",
      `${url}/hooks`,
      "--from-start",
      "--events",
      "offramp",
      "--count",
      "3",
      "--json"
    ]
    await triggered("offramp.success")
    const { code, errors, out } = await merchant(...args)
    expect([code, errors]).toEqual([0, []])
    const [first, ...lines] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    expect(lines.map(({ status_code }) => status_code)).toEqual([204, 500, 204])
    const webhook = new Webhook(String(first!["signing_secret"]))
    for (const [at, { body, headers }] of received.entries()) {
      expect(webhook.verify(body, headers as Record<string, string>)).toMatchObject({
        event_id: lines[at]!["event_id"]
      })
      expect(headers["webhook-id"]).toBe(`msg_${String(lines[at]!["event_id"])}`)
    }
  })

  it("takes a secret by the name of its variable, and does not print it", async () => {
    const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`
    const url = await listening((_, response) => void response.end())
    const args = ["listen", "--forward-to", url, "--from-start", "--count", "1", "--secret-env", "HOOK"]
    const env = { CORRIDOR_URL: server.url, CORRIDOR_API_KEY: apiKey, HOOK: secret }
    const { code, errors, out } = await corridor(args, env)
    expect([code, out.includes(secret), errors.join().includes(secret)]).toEqual([0, false, false])
    expect(out).toMatch(/ {2}200 {2}\d+ ms\n$/)
    const wrong = await corridor(args, { ...env, HOOK: "whsec_c2hvcnQ=" })
    expect([wrong.code, wrong.errors]).toEqual([2, ["--secret-env: the secret has 5 bytes; it takes 24 to 64."]])
  })

  covers("CLI-9")
  it.each([
    [500, "internal_error"],
    [429, "rate_limited"]
  ])("goes on after the server has answered %i", async (status, code) => {
    let feeds = 0
    const event = { event_type: "transfer.success", event_object_id: "tfr_1" }
    const url = await listening((request, response) => {
      const isFeed = request.url!.includes("/feed")
      const fails = isFeed && ++feeds === 2
      const data =
        isFeed && feeds > 2 ? [{ ...event, event_id: "evt_2" }] : isFeed ? [] : [{ ...event, event_id: "evt_1" }]
      const meta = { request_id: "req_1" }
      response.writeHead(fails ? status : 200, { "content-type": "application/json" })
      response.end(
        JSON.stringify(
          fails
            ? { status: false, message: "Not now.", code, data: null, meta }
            : { status: true, message: "OK", code: "ok", data: feeds === 1 ? [] : data, meta }
        )
      )
    })
    const env = { CORRIDOR_URL: url, CORRIDOR_API_KEY: apiKey }
    const ended = await corridor(["events", "tail", "--from-start", "--count", "1", "--json"], env)
    expect([ended.code, ended.errors.length]).toEqual([0, 2])
    expect(ended.errors[0]).toContain(`${status} ${code}: Not now.; trying again`)
  })

  it("shows a receiver that is away, and goes on when the server is back", async () => {
    let isAway = false
    const { asked, url: proxy } = await between(() => isAway)
    const child = spawn(
      process.execPath,
      [
        main,
        "listen",
        "--forward-to",
        "http://127.0.0.1:1/",
        "--url",
        proxy,
        "--key",
        apiKey,
        "--events",
        "kyc",
        "--count",
        "2"
      ],
      { env: bare }
    )
    let output = ""
    child.stdout.on("data", (chunk) => (output += String(chunk)))
    child.stderr.on("data", (chunk) => (output += String(chunk)))
    const exit = new Promise((resolve) => child.once("close", resolve))
    const shows = async (pattern: RegExp) => {
      await expect.poll(() => output).toMatch(pattern)
    }
    await shows(/Signing secret of this run: whsec_/)
    await expect.poll(asked).toContain("feed read to its end")
    await triggered("kyc.approved")
    await shows(/kyc\.approved .*(?:ECONNREFUSED|bad port)/)
    isAway = true
    await shows(/cannot be reached: .*; trying again/)
    await triggered("kyc.rejected")
    isAway = false
    await shows(/is back/)
    await shows(/kyc\.rejected/)
    expect(await exit).toBe(0)
  })

  it.each([
    [["listen"], "--forward-to is required."],
    [["listen", "--forward-to", "localhost"], '--forward-to is "localhost"; it takes an http or https URL.']
  ])("%j ends with 2", async (args, line) => {
    const { code, errors } = await merchant(...args)
    expect([code, errors[0]]).toEqual([2, line])
  })

  it("needs a key, and says which", async () => {
    const { code, errors } = await corridor(["listen", "--forward-to", "http://127.0.0.1:1"])
    expect([code, errors]).toEqual([
      2,
      ["--key or CORRIDOR_API_KEY is required: a merchant's API key; or corridor login stores one."]
    ])
  })
})

describe("corridor explain", () => {
  covers("CLI-10")
  it("prints the story of a movement, for its merchant and for an operator", async () => {
    const { event_object_id: id } = await triggered("offramp.success")
    const own = await merchant("explain", id)
    expect(own.code).toBe(0)
    expect(own.out).toMatch(new RegExp(`^offramp ${id}: success\n`))
    expect(own.out).toContain("The event offramp.success was published.")
    expect(own.out).not.toMatch(/provider_call|\u001b/)
    const whole = await operator("explain", id)
    expect(whole.out).toContain("provider_call")
    const json = JSON.parse((await operator("explain", id, "--json")).out) as {
      readonly entries: ReadonlyArray<object>
    }
    expect(json.entries.length).toBeGreaterThan(8)
  })

  it.concurrent.each(["transfer.success", "onramp.awaiting_deposit", "conversion.success", "deposit.confirmed"])(
    "finds the resource of %s by its id",
    async (type) => {
      const { event_object_id } = await triggered(type)
      expect((await merchant("explain", event_object_id)).out).toContain(event_object_id)
    }
  )

  it("says that there is no such resource, and which credential is missing", async () => {
    const none = await operator("explain", "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3")
    expect([none.code, none.errors[0]]).toEqual([1, expect.stringContaining("404 not_found")])
    expect((await merchant("explain")).code).toBe(2)
    const bare = await corridor(["explain", "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3"])
    expect([bare.code, bare.errors[0]]).toEqual([2, expect.stringContaining("CORRIDOR_OPERATOR_TOKEN")])
  })
})

describe("corridor search", () => {
  covers("CLI-11")
  it("of a hash that nothing has prints up to where each chain was read", async () => {
    const events = {
      last_block: { number: "4182", at: "2026-01-31T09:29:00.000Z" },
      last_fault: null,
      read_at: "2026-01-31T09:30:00.000Z"
    }
    const silent = { last_block: null, last_fault: null, read_at: null }
    const url = await listening((request, response) => {
      const data =
        request.url?.includes("/providers") === true
          ? [
              { configured_name: "base", events },
              { configured_name: "bank", events: silent }
            ]
          : []
      response.setHeader("content-type", "application/json")
      const meta = { request_id: "req_1", page: 1, per_page: 200, total: data.length, has_more: false }
      response.end(JSON.stringify({ status: true, code: "ok", message: "", data, meta }))
    })
    const { out } = await corridor(["search", `0x${"ab".repeat(32)}`, "--url", url, "--token", operatorToken])
    expect(out).toContain("  base: block 4182 of 2026-01-31T09:29:00.000Z, read at 2026-01-31T09:30:00.000Z\n")
    expect(out).not.toContain("bank")
    const other = await corridor(["search", "nothing", "--url", url, "--token", operatorToken])
    expect(other.out).toBe('Nothing has "nothing".\n')
  })

  covers("CLI-11")
  it("asks the server for a text, and prints what it found", async () => {
    const asked: Array<string> = []
    const hit = {
      id: "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3",
      kind: "offramp",
      merchant_id: "mer_1",
      merchant_name: "Lagos Trading",
      customer_id: null,
      status: "success",
      matched: ["provider_reference"],
      title: "Offramp to Ada Obi",
      amount: "10.00",
      currency: "USDC",
      created_at: "2026-01-31T09:30:00.000Z"
    }
    const url = await listening((request, response) => {
      asked.push(request.url ?? "")
      const data = request.url?.includes("nothing") ? [] : [hit]
      response.setHeader("content-type", "application/json")
      response.end(
        JSON.stringify({
          status: true,
          code: "ok",
          message: "",
          data,
          meta: { request_id: "req_1", total: data.length * 3 }
        })
      )
    })
    const found = await corridor([
      "search",
      "inv 1&2",
      "--kind",
      "offramp",
      "--page",
      "2",
      "--url",
      url,
      "--token",
      operatorToken
    ])
    expect([found.code, found.errors]).toEqual([0, []])
    expect(asked).toEqual(["/operator/v1/search?q=inv+1%262&kind=offramp&page=2"])
    expect(found.out).toBe(
      "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3  offramp  success  10.00 USDC\n" +
        "  Offramp to Ada Obi; of Lagos Trading, 2026-01-31T09:30:00.000Z; found by provider reference\n" +
        "1 of 3; --page has the others.\n"
    )
    const none = await corridor(["search", "nothing", "--url", url, "--token", operatorToken])
    expect([none.code, none.out]).toEqual([0, 'Nothing has "nothing".\n'])
  })

  it("ends with 3 where something else answers", async () => {
    const url = await listening((_, response) => void response.end("<!doctype html>"))
    const { code, errors } = await corridor(["search", "x", "--url", url, "--token", operatorToken])
    expect([code, errors]).toEqual([3, [expect.stringMatching(/is no Corridor server: GET \/operator\/v1\/search/)]])
  })
})

describe("corridor list", () => {
  covers("CLI-24")
  it("prints a page as lines of members, as JSON, or all that match as CSV", async () => {
    const merchants = ["list", "merchants", "--where", "status=active"]
    const page = await operator(...merchants, "--fields", "name,status")
    expect([page.code, page.errors]).toEqual([0, []])
    const { data, meta } = JSON.parse((await operator(...merchants, "--json")).out) as {
      readonly data: ReadonlyArray<Merchant>
      readonly meta: { readonly total: number }
    }
    expect(page.out).toBe(data.map((one) => `${one.name}  active\n`).join(""))
    expect(meta.total).toBe(data.length)
    const file = await operator(...merchants, "--csv")
    const [header, ...rows] = file.out.trimEnd().split("\r\n")
    expect(header).toMatch(/^id,name,country_code,status,/)
    expect(rows.map((row) => row.split(",")[0])).toEqual(data.map((one) => one.id))
    const none = await operator("list", "merchants", "--where", "status=suspended")
    expect([none.code, none.out]).toEqual([0, "Nothing matches.\n"])
    const own = await merchant("list", "customers", "--fields", "is_default")
    expect(own.out.split("\n")).toContain("true")
  })

  covers("CLI-24")
  it("prints a report as the lines of its rows, as JSON, or as CSV", async () => {
    const balance = ["list", "ledger/trial-balance"]
    const { data } = JSON.parse((await operator(...balance, "--json")).out)
    const { classes, currencies } = data as Readonly<Record<string, ReadonlyArray<Readonly<Record<string, string>>>>>
    expect(currencies!.length).toBeGreaterThan(0)
    const lines = await operator(...balance, "--fields", "currency,debits,class")
    expect([lines.code, lines.errors]).toEqual([0, []])
    expect(lines.out.trimEnd().split("\n")).toEqual([
      "currency  debits  class",
      ...currencies!.map(({ currency, debits }) => `${currency}  ${debits}  -`),
      ...classes!.map((one) => `${one["currency"]}  -  ${one["class"]}`)
    ])
    const rows = (text: string) => text.trimEnd().split("\r\n")
    const file = rows((await operator(...balance, "--csv")).out)
    expect(file.length).toBe(1 + classes!.length + currencies!.length)
    const totals = rows((await merchant("list", "transactions/totals", "--where", "by=status", "--csv")).out)
    expect(totals[0]).toMatch(/^type,status,/)
    expect(totals.length).toBeGreaterThan(1)
    // What no row has is left out of the lines.
    const shown = (await merchant("list", "transactions/totals", "--where", "by=status")).out.split("\n")
    expect(shown[0]).toMatch(/^status {2}count {2}/)
    expect(shown[0]).not.toContain("recipient")
  })

  covers("CLI-24")
  it("names the resources and the members that there are, and asks nothing", async () => {
    const wrong = await merchant("list", "movements")
    expect([wrong.code, wrong.errors]).toEqual([
      2,
      [expect.stringMatching(/with an API key it takes one of api-keys, .*transactions/)]
    ])
    const field = await operator("list", "merchants", "--fields", "naem")
    expect([field.code, field.errors]).toEqual([
      2,
      [expect.stringMatching(/--fields has "naem"; merchants have id, name, /)]
    ])
  })
})

describe("corridor operators", () => {
  covers("CLI-12")
  it("creates, lists, replaces the token of and revokes an operator", async () => {
    const args = ["operators", "create", "--name", "Ada Obi", "--email", "ada@example.com", "--role", "viewer"]
    const created = await operator(...args)
    const [, id, token] =
      /^(opr_\w+) {2}viewer {4}active {3}Ada Obi {2}ada@example\.com\nToken, shown this once: (op_\S+)\n$/.exec(
        created.out
      ) ?? []
    expect([created.code, typeof id]).toEqual([0, "string"])
    const asAda = (secret: string) => corridor(["operators", "list", "--url", server.url, "--token", secret])
    expect((await asAda(token!)).out).toContain("Ada Obi")
    const rotated = await operator("operators", "rotate-token", id!, "--json")
    const next = (JSON.parse(rotated.out) as { readonly token: string }).token
    expect((await asAda(token!)).code).toBe(1)
    expect((await asAda(next)).code).toBe(0)
    const list = await operator("operators", "list")
    expect(list.out).not.toContain(next)
    expect((await operator("operators", "revoke", id!)).out).toContain("revoked")
    expect((await asAda(next)).code).toBe(1)
  })

  covers("CLI-18")
  it("shows what a command would do with --dry-run, and does nothing", async () => {
    const create = ["operators", "create", "--name", "Bisi", "--role", "support", "--dry-run"]
    const tried = await operator(...create)
    expect(tried.out).toMatch(/^Dry run: nothing is written\.\nopr_\w+ {2}support {3}active {3}Bisi\n$/)
    const { dry_run, ...shown } = JSON.parse((await operator(...create, "--json")).out) as Record<string, unknown>
    expect(shown).toMatchObject({ name: "Bisi", role: "support" })
    expect(shown).not.toHaveProperty("token")
    expect(dry_run).toMatchObject({ postings: [], events: [], approval: null })
    expect((await operator("operators", "list")).out).not.toContain("Bisi")
    const made = await operator("operators", "create", "--name", "Chi", "--role", "viewer", "--json")
    const { id } = JSON.parse(made.out) as { readonly id: string }
    for (const command of ["rotate-token", "revoke"])
      expect((await operator("operators", command, id, "--dry-run")).out).toContain("Dry run")
    expect((await operator("operators", "list")).out).toMatch(new RegExp(`${id} {2}viewer {4}active`))
  })

  it("says once what the server found wrong", async () => {
    const { code, errors } = await operator(
      "operators",
      "create",
      "--name",
      "Eve",
      "--email",
      "nope",
      "--role",
      "viewer"
    )
    expect([code, errors.filter((line) => line.includes("email"))]).toEqual([
      1,
      [expect.stringMatching(/^POST \/operator\/v1\/operators: 400 bad_request: .*email/)]
    ])
  })

  it.each([
    [["operators", "create", "--name", "Eve"], /^--role is required\.$/],
    [
      ["operators", "create", "--name", "Eve", "--role", "boss"],
      /^--role is "boss"; it takes viewer or support or treasury or admin\.$/
    ],
    [["operators", "revoke"], /^id is required\.$/]
  ])("%j ends with 2", async (args, line) => {
    const { code, errors } = await operator(...args)
    expect([code, errors[0]]).toEqual([2, expect.stringMatching(line)])
  })
})
