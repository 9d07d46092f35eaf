/** Each line of `corridor doctor`, `explain` and `search` by an answer of the server, or a setting, that alone makes it. */
import { createServer } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { corridor } from "../support/cli/command-line.ts"
import { operatorToken } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"
import { freshDatabase, query } from "../support/stores/database.ts"

/** A server that answers every request with the same data, and notes what it was asked. */
let data: unknown
let total: number | undefined
let failure: { readonly status: number; readonly code: string } | undefined
const asked: Array<string> = []
const server = createServer((request, response) => {
  asked.push(`${request.headers.authorization?.slice(7, 14)} ${request.url}`)
  response.setHeader("content-type", "application/json")
  if (failure !== undefined) {
    const { code, status } = failure
    response.statusCode = status
    response.end(
      JSON.stringify({ status: false, code, message: "Not now.", data: null, meta: { request_id: "req_1" } })
    )
    return
  }
  response.end(JSON.stringify({ status: true, code: "ok", message: "", data, meta: { request_id: "req_1", total } }))
}).listen(0, "127.0.0.1")
afterAll(() => server.close())
const url = (): string => `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`

const answered = async (body: unknown, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  data = body
  asked.length = 0
  const { code, errors, out } = await corridor(args, {
    CORRIDOR_URL: url(),
    CORRIDOR_OPERATOR_TOKEN: operatorToken,
    ...env
  })
  return { code, errors, lines: out.trimEnd().split("\n"), asked: [...asked] }
}

describe("corridor explain", () => {
  const id = "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3"
  const bare = {
    id,
    kind: "offramp",
    merchant_id: "mer_1",
    status: "processing",
    state: "processing",
    created_at: "2026-01-31T09:30:00.000Z",
    ended_at: null,
    waits_for: null,
    explanation: { reason: null, message: null, provider_reason: null, money: [], next_step: null },
    entries: [],
    truncated: false
  }
  const waits = { sentence: "It waits.", since: "S", until: null, next_attempt_at: null, attempts: 0 }
  const head = [`offramp ${id}: processing`, "mer_1, created 2026-01-31T09:30:00.000Z"]

  covers("CLI-10")
  it.each<readonly [string, object, ReadonlyArray<string>]>([
    ["nothing else", {}, head],
    ["the state where it says more", { state: "unknown" }, [`offramp ${id}: processing (unknown)`, head[1]!]],
    ["its end", { ended_at: "E" }, [head[0]!, `${head[1]}, ended E`]],
    ["what it waits for", { waits_for: waits }, [...head, "Waiting since S: It waits."]],
    ["until when", { waits_for: { ...waits, until: "U" } }, [...head, "Waiting since S: It waits.", "  until U"]],
    [
      "the next attempt",
      { waits_for: { ...waits, next_attempt_at: "N" } },
      [...head, "Waiting since S: It waits.", "  next attempt at N"]
    ],
    [
      "its attempts",
      { waits_for: { ...waits, attempts: 1 } },
      [...head, "Waiting since S: It waits.", "  attempts so far: 1"]
    ],
    ["what is left out", { truncated: true }, [...head, "", "(older entries are left out)"]],
    [
      "its entries",
      { entries: [{ at: "A", type: "timer", summary: "A timer." }] },
      [...head, "", "A  timer           A timer."]
    ]
  ])("prints %s", async (_, more, lines) => {
    expect((await answered({ ...bare, ...more }, ["explain", id])).lines).toEqual(lines)
  })

  it.each([
    ["onr_1", "/v1/onramps/onr_1/timeline"],
    ["ofr_1", "/v1/offramps/ofr_1/timeline"],
    ["con_1", "/v1/conversions/con_1/timeline"],
    ["tfr_1", "/v1/transfers/tfr_1/timeline"],
    ["txn_1", "/v1/transactions/txn_1/timeline"]
  ])("asks a merchant's server about %s, and an operator's about any resource", async (one, path) => {
    const merchant = await answered(bare, ["explain", one], {
      CORRIDOR_OPERATOR_TOKEN: "",
      CORRIDOR_API_KEY: "sk_test_1234567890abcdef"
    })
    expect(merchant.asked).toEqual([`sk_test ${path}`])
    expect((await answered(bare, ["explain", one])).asked).toEqual([
      `${operatorToken.slice(0, 7)} /operator/v1/resources/${one}/timeline`
    ])
  })

  it("takes a key that is given before a token of the environment", async () => {
    const { asked: by } = await answered(bare, ["explain", "ofr_1", "--key", "sk_test_1234567890abcdef"])
    expect(by).toEqual(["sk_test /v1/offramps/ofr_1/timeline"])
  })
})

describe("corridor search", () => {
  const hit = {
    id: "tfr_1",
    kind: "transfer",
    merchant_id: "mer_1",
    merchant_name: null,
    status: "failed",
    matched: ["reference", "transaction_hash"],
    title: "Transfer",
    amount: null,
    currency: null,
    created_at: "T"
  }

  covers("CLI-11")
  it("sends each option under its own name, and shows what there is", async () => {
    total = 1
    const { asked: by, lines } = await answered([hit], ["search", "x", "--kind", "transfer", "--merchant", "mer_1"])
    expect(by[0]).toContain("/operator/v1/search?q=x&kind=transfer&merchant_id=mer_1")
    expect(lines).toEqual(["tfr_1  transfer  failed", "  Transfer; of mer_1, T; found by reference, transaction hash"])
  })

  it("says how many there are on other pages, if there are any", async () => {
    total = 2
    const { lines } = await answered([hit], ["search", "x"])
    expect(lines.at(-1)).toBe("1 of 2; --page has the others.")
  })
})

describe("corridor doctor", () => {
  const events = { callbacks: true, readable: true, last_read_at: null, last_fault: null }
  const provider = { name: "bank", health: "healthy", paused: false, simulated: false, events }
  const memory = { DATABASE_URL: "memory:" }
  const examined = async (body: unknown, env: Readonly<Record<string, string>>, args: ReadonlyArray<string> = []) => {
    const { code, lines } = await answered(body, ["doctor", ...args], env)
    return { code, lines: lines.map((line) => line.replace(/ {2,}/g, " ")) }
  }

  covers("EVM-21")
  it("says what a rescan has still to read, beside what the provider is", async () => {
    const left = { ...events, rescan: "blocks 7 to 9 are still to be read again" }
    const { lines } = await examined([{ ...provider, events: left }], memory)
    expect(lines).toContain("ok rescan bank: blocks 7 to 9 are still to be read again")
    expect(lines).toContain("ok provider bank is healthy")
  })

  covers("EXTERNAL-2")
  it("names an account on a chain with an address that its adapter does not have", async () => {
    const foreign_addresses = [{ external_account_id: "xac_1", address: "0xabc" }]
    const { code, lines } = await examined([{ ...provider, foreign_addresses }], memory)
    expect(lines).toContain(
      "warn account xac_1 has the address 0xabc, which is not of bank: no statement is of it. Correct the account's identifiers."
    )
    expect(code).toBe(0)
  })

  covers("CLI-14")
  it.each([
    [500, "internal_error"],
    [429, "rate_limited"]
  ])("fails for a server that answers %i, and does not say that it is to be started", async (status, code) => {
    failure = { status, code }
    const found = await examined([], memory)
    failure = undefined
    const [line, ...more] = found.lines.filter((one) => one.includes(" server "))
    expect([found.code, more, line]).toEqual([1, [], expect.stringMatching(/^fail server .*Not now\.$/)])
  })

  covers("CLI-14")
  it.each<readonly [string, object, number, RegExp]>([
    ["is well", {}, 0, /^ok provider bank is healthy$/],
    ["is simulated", { simulated: true }, 0, /^ok provider bank \(simulated\) is healthy$/],
    ["is paused", { paused: true }, 0, /^warn provider bank is paused: /],
    [
      "does not answer",
      { health: "failing" },
      1,
      /^fail provider bank does not answer, and its circuit breaker is open\./
    ],
    ["is stopped and does not answer", { health: "failing", paused: true }, 0, /^warn provider bank is paused: /]
  ])("says that a provider %s", async (_, more, code, line) => {
    const found = await examined([{ ...provider, ...more }], memory)
    expect(found.lines.filter((one) => one.includes(" provider "))).toEqual([expect.stringMatching(line)])
    expect(found.code).toBe(code)
  })

  it("says which settings will surprise, each by its own line, and nothing where they are set", async () => {
    const set = {
      ...memory,
      CORRIDOR_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
      CORRIDOR_METRICS_TOKEN: "op_0123456789abcdef0123",
      CORRIDOR_PUBLIC_URL: url()
    }
    const abouts = async (env: Readonly<Record<string, string>>) =>
      (await examined([], env)).lines
        .filter((line) => line.startsWith("warn"))
        .map((line) => /^warn (.*?)(?= the | CORRIDOR_| this )/.exec(line)?.[1])
    expect(await abouts(set)).toEqual(["store"])
    expect(await abouts({ ...set, DATABASE_URL: "pglite:memory" })).toEqual(["store"])
    expect(await abouts({ ...set, CORRIDOR_DISPATCHER: "off" })).toEqual(["dispatcher", "store"])
    for (const [name, about] of [
      ["CORRIDOR_ENCRYPTION_KEY", "encryption key"],
      ["CORRIDOR_METRICS_TOKEN", "metrics token"],
      ["CORRIDOR_PUBLIC_URL", "base URL"]
    ] as const)
      expect((await abouts({ ...set, [name]: "" })).toSorted()).toEqual([about, "store"].toSorted())
  })

  it("asks no server where the operator token is off, which is no token, and says so", async () => {
    const { lines } = await examined([], { ...memory, CORRIDOR_OPERATOR_TOKEN: "off" })
    expect(lines).toContainEqual(expect.stringMatching(/^warn server no operator's token is given/))
    expect(lines).toContainEqual(
      expect.stringMatching(/^warn metrics token .*Prometheus needs an operator's token to read/)
    )
    expect(lines.filter((line) => line.includes(" operator token "))).toEqual([])
    expect(asked).toEqual([])
  })

  it("says that no token was given, and that the base URL cannot be reached", async () => {
    const { lines } = await examined([], {
      ...memory,
      CORRIDOR_OPERATOR_TOKEN: "",
      CORRIDOR_PUBLIC_URL: "http://127.0.0.1:1"
    })
    expect(lines).toContainEqual(expect.stringMatching(/^warn server no operator's token is given/))
    expect(lines).toContainEqual(expect.stringMatching(/^warn operator token CORRIDOR_OPERATOR_TOKEN is not set/))
    expect(lines).toContainEqual(expect.stringMatching(/^warn base URL http:\/\/127\.0\.0\.1:1 cannot be reached/))
  })

  describe("on a database", () => {
    let database: string
    beforeAll(async () => {
      database = await freshDatabase()
    })
    const clock = async (body: string): Promise<ReadonlyArray<string>> => {
      const own = await freshDatabase(database)
      // A function of the same name in the first schema of the path is the one that is called.
      await query(own, `create function clock_timestamp() returns timestamptz language sql as $$ select ${body} $$`)
      await query(own, `alter database "${new URL(own).pathname.slice(1)}" set search_path = public, pg_catalog`)
      return (await examined([], { DATABASE_URL: own })).lines.filter((line) => / clock /.test(line))
    }

    it.each([
      [
        "ahead by 3 s",
        "pg_catalog.clock_timestamp() + interval '3 s'",
        /^warn clock the clock .* differ by (?:2\.\d|3\.0) s/
      ],
      [
        "behind by 3 s",
        "pg_catalog.clock_timestamp() - interval '3 s'",
        /^warn clock the clock .* differ by (?:2\.\d|3\.0) s/
      ],
      ["ahead by 9 s", "pg_catalog.clock_timestamp() + interval '9 s'", /^fail clock .*this node claims no jobs/],
      ["behind by 9 s", "pg_catalog.clock_timestamp() - interval '9 s'", /^fail clock .*this node claims no jobs/],
      ["right", "pg_catalog.clock_timestamp()", /^ok clock /]
    ])("says that its clock is %s", async (_, body, line) => {
      expect(await clock(body)).toEqual([expect.stringMatching(line)])
    })

    it("says that a migration came from another file, and that one is missing", async () => {
      const own = await freshDatabase(database)
      await query(own, "update migration set hash = 'x' where name = '0002_commit.sql'")
      const different = await examined([], { DATABASE_URL: own })
      expect(different.lines).toContainEqual(
        expect.stringMatching(/^fail store .*0002_commit\.sql came from another file/)
      )
      expect(different.code).toBe(1)
      await query(own, "delete from migration where name = '0002_commit.sql'")
      const missing = await examined([], { DATABASE_URL: own })
      expect(missing.lines).toContainEqual(expect.stringMatching(/^warn store .* lacks 0002_commit\.sql/))
      expect(missing.code).toBe(0)
      const { code, errors } = await corridor(["verify"], { DATABASE_URL: own })
      expect([code, errors]).toEqual([3, [expect.stringMatching(/it lacks 0002_commit\.sql/)]])
    })

    it("names receivers that are away where none can be reached", async () => {
      const own = await freshDatabase(database)
      await query(
        own,
        `insert into resource (merchant_id, kind, id, version, machine, state, status, created_at, updated_at, hidden, event_count, index_keys, data)
         values ('mer_1', 'webhook_endpoint', 'whe_1', 1, '1', 'active', 'active', 0, 0, false, 0, '{}', '{"url":"http://127.0.0.1:1/hook"}')`
      )
      const { lines } = await examined([], { DATABASE_URL: own })
      expect(lines.filter((line) => line.includes(" webhooks "))).toEqual([
        expect.stringMatching(/^warn webhooks http:\/\/127\.0\.0\.1:1, of whe_1, cannot be reached/)
      ])
    })
  })
})

describe("corridor verify", () => {
  it("refuses a store with a migration from another file", async () => {
    const own = await freshDatabase()
    await query(own, "update migration set hash = 'x' where name = '0002_commit.sql'")
    const { code, errors } = await corridor(["verify"], { DATABASE_URL: own })
    expect([code, errors]).toEqual([3, [expect.stringMatching(/0002_commit\.sql came from another file/)]])
  })

  it("counts what it does not list", async () => {
    const own = await freshDatabase()
    await query(
      own,
      "insert into unique_key (merchant_id, scope, key, owner) select 'mer_1', 's', n::text, 'tfr_00000000000000000000000000' from generate_series(1, 103) n"
    )
    const { code, out } = await corridor(["verify"], { DATABASE_URL: own })
    const lines = out.split("\n").filter((line) => line.startsWith("unique keys: "))
    expect([code, lines.length, lines.at(-1)]).toEqual([1, 101, "unique keys: 3 more."])
    expect(out).toContain(": 103 differences")
  })
})
