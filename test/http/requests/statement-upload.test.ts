/** The upload of bank statements: raw bytes to 64 MiB, refusals with their place, and the same bytes again (INGEST-1, INGEST-3). */
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CorridorError } from "../../../src/embedded/error.ts"
import { promises } from "../../support/engines/entry-points.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { type Change, Storage } from "../../../src/engine/ports/Storage.ts"
import { type Api, operatorToken, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"
import { mt940 } from "../../support/statements/mt940.ts"

const MiB = 1024 * 1024
const route = "/operator/v1/statements"

let api: Api
let account: string
beforeAll(async () => {
  api = await startApi({})
  const { json } = await api.ask("/operator/v1/external-accounts", { key: operatorToken, body: accountOf("00123") })
  account = json.data.id
})
afterAll(() => api.close())

const accountOf = (value: string) =>
  ({
    provider: "simulated",
    currency: "NGN",
    kind: "bank",
    identifiers: [{ scheme: "account_number", value }],
    opening: { date: "2026-01-01", balance: "0" },
    time_zone: "Africa/Lagos"
  }) as const

const uploadTo = (api: Api, raw: Uint8Array, query = "", headers: Record<string, string> = {}) =>
  api.ask(route + query, {
    key: operatorToken,
    method: "POST",
    raw,
    headers: { "content-type": "application/octet-stream", ...headers }
  })

const upload = (raw: Uint8Array, query = "", headers: Record<string, string> = {}) => uploadTo(api, raw, query, headers)

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe("a file of statements", () => {
  covers("INGEST-3")
  it.each([
    ["without a booking", ["Opening;100;", "Closing;100;"]],
    ["with pending rows alone", ["Opening;100;", ";5;pending", "Closing;100;"]]
  ])("whose balances have no date says so: %s", async (_, rows) => {
    const mapping = await api.ask("/operator/v1/statement-mappings", {
      key: operatorToken,
      body: {
        ...{ name: `Export ${rows.length}`, external_account_id: account, separator: ";", decimal: ".", dates: "ymd" },
        columns: { booked_on: "Date", amount: "Amount", remittance: "Text" },
        ...{ opening: { column: 1, text: "Opening" }, closing: { column: 1, text: "Closing" } }
      }
    })
    expect(mapping.status, mapping.text).toBe(200)
    const refused = await upload(
      bytes(["Date;Amount;Text", ...rows].join("\n")),
      `?format=csv&mapping=${mapping.json.data.id}`
    )
    expect([refused.status, refused.json.meta.errors[0].message]).toEqual([
      400,
      expect.stringMatching(
        /no date of the opening balance, and no booking that has one.*a date in the row of the balance/
      )
    ])
  })

  covers("INGEST-1")
  it("is taken as it is, of any content type, and the same bytes again are the same statements", async () => {
    const first = await upload(mt940("00123", "UP-1"))
    expect([first.status, first.json.data], first.text).toMatchObject([
      200,
      [{ external_account_id: account, format: "mt940", number: "1", lines: 1, closing_balance: "10.00" }]
    ])
    expect(first.headers.get("idempotent-replayed")).toBeNull()
    const again = await upload(mt940("00123", "UP-1"), "?format=mt940", { "content-type": "text/plain" })
    expect([again.headers.get("idempotent-replayed"), again.json.data]).toEqual(["true", first.json.data])
    const { json } = await api.ask(`/operator/v1/statement-lines?reference=UP-1`, { key: operatorToken })
    expect(json.data).toMatchObject([{ amount: "10.00", remittance: "Invoice 77", status: "unmatched" }])
    expect(json.meta).toMatchObject({ total: 1, has_more: false })
  })

  covers("INGEST-1", "IDEM-7")
  it("keeps its Idempotency-Key as every call does", async () => {
    const key = { "idempotency-key": "statement-0001" }
    const first = await upload(mt940("00123", "UP-2"), "", key)
    const again = await upload(mt940("00123", "UP-2"), "", key)
    expect([again.headers.get("idempotent-replayed"), again.text]).toEqual(["true", first.text])
    expect((await upload(mt940("00123", "UP-3"), "", key)).json.code).toBe("idempotency_conflict")
    expect((await upload(mt940("00123", "UP-2"), "?format=mt940", key)).json.code).toBe("idempotency_conflict")
  })

  covers("INGEST-1", "HTTP-8")
  it("may have 64 MiB, and no other body more than 1", async () => {
    const long = `${new TextDecoder().decode(mt940("00123", "UP-4"))}${"\r\n".repeat(MiB)}`
    expect((await upload(bytes(long))).status).toBe(200)
    const over = await upload(new Uint8Array(64 * MiB + 1))
    expect([over.status, over.json.code, over.json.meta.errors[0]]).toMatchObject([
      400,
      "bad_request",
      { field: "body", code: "too_long", message: expect.stringContaining("64 MiB") }
    ])
    const other = await api.ask("/v1/wallets", { raw: " ".repeat(MiB + 1), method: "POST" })
    expect([other.json.code, other.json.meta.errors[0].code]).toEqual(["bad_request", "too_long"])
  })

  covers("INGEST-3")
  it("is refused with its place, what was found and what is taken", async () => {
    const wrong = new TextDecoder().decode(mt940("00123", "UP-5")).replace(":62F:C260105NGN10,", ":62F:C260105NGN11,")
    const { json, status } = await upload(bytes(wrong))
    expect([status, json.code]).toEqual([400, "invalid_input"])
    const [error] = json.meta.errors
    expect(error).toMatchObject({ field: "file", code: "invalid_format", place: "line 7", message: json.message })
    expect(error.found).toContain("11")
    expect(error.taken).toContain("10")
    const unknown = await upload(mt940("00999", "UP-6"))
    expect([unknown.json.code, unknown.json.meta.errors[0].found]).toEqual(["invalid_input", "…0999 in NGN"])
    const empty = await upload(new Uint8Array())
    expect([empty.json.code, empty.json.meta.errors[0].code]).toEqual(["bad_request", "required"])
    for (const [query, field] of [
      ["?format=pdf", "format"],
      ["?external_account_id=wal_1", "external_account_id"],
      ["?format=csv", "mapping"]
    ] as const) {
      const refused = await upload(mt940("00123", "UP-7"), query)
      expect([refused.json.code, refused.json.meta.errors[0].field]).toEqual(["invalid_input", field])
    }
    expect((await upload(mt940("00123", "UP-7"), "?external_account_id=xac_unknown")).json.code).toBe("not_found")
    const ignored = await upload(mt940("00123", "UP-7"), "?formt=mt940")
    expect(ignored.json.meta.warnings).toMatchObject([{ field: "formt" }])
  })

  it("is not read of a caller without the role", async () => {
    const { json } = await api.ask("/operator/v1/operators", {
      key: operatorToken,
      body: { name: "A viewer", role: "viewer" }
    })
    const { status } = await api.ask(route, { key: json.data.token, method: "POST", raw: mt940("00123", "UP-8") })
    expect(status).toBe(403)
    expect((await api.ask(route, { key: null, method: "POST", raw: mt940("00123", "UP-8") })).status).toBe(401)
  })

  covers("HTTP-8")
  it.each(["from", "to"])("is not listed by a day that the calendar does not have: %s", async (filter) => {
    const listed = (day: string) => api.ask(`${route}?${filter}=${day}`, { key: operatorToken })
    expect((await listed("2026-01-05")).status).toBe(200)
    for (const day of ["2026-02-30", "05.01.2026", "yesterday"]) {
      const { json } = await listed(day)
      expect([json.code, json.meta.errors?.[0].field]).toEqual(["invalid_input", filter])
    }
  })

  covers("MAPPING-1")
  it("of columns is read by a mapping, for its account", async () => {
    const csv = (amount: string) => bytes(`Date;Text;Amount\n05.01.2026;Rent;${amount}\n06.01.2026;Fee;-1,50\n`)
    const body = {
      name: "Online export",
      external_account_id: account,
      columns: { booked_on: "Date", amount: "Amount", remittance: "Text" },
      separator: ";",
      decimal: ",",
      thousands: ".",
      dates: "dmy"
    }
    const made = await api.ask("/operator/v1/statement-mappings", { key: operatorToken, body })
    expect(made.json.data, made.text).toMatchObject(body)
    const mapping = made.json.data.id
    const found = async (name: string) =>
      (await api.ask(`/operator/v1/statement-mappings?name=${name}`, { key: operatorToken })).json.data.length
    expect([await found("Online%20export"), await found("Online")]).toEqual([1, 0])
    const { json, text } = await upload(csv("1.234,56"), `?mapping=${mapping}`)
    expect(json.data, text).toMatchObject([{ format: "csv", external_account_id: account, lines: 2, currency: "NGN" }])
    const lines = await api.ask(`/operator/v1/statement-lines?statement_id=${json.data[0].id}`, { key: operatorToken })
    expect(lines.json.data).toMatchObject([
      { amount: "1.50", direction: "debit", remittance: "Fee", booked_on: "2026-01-06" },
      { amount: "1234.56", direction: "credit", remittance: "Rent", booked_on: "2026-01-05" }
    ])
    const again = await upload(csv("1.234,56"), `?mapping=${mapping}`)
    expect([again.headers.get("idempotent-replayed"), again.json.data]).toEqual(["true", json.data])
    const named = await upload(csv("1.234,56"), `?mapping=${mapping}&external_account_id=${account}`)
    expect([named.headers.get("idempotent-replayed"), named.json.data]).toEqual(["true", json.data])
    const wrong = await upload(csv("1,2,3"), `?mapping=${mapping}`)
    expect(wrong.json.meta.errors[0]).toMatchObject({ place: expect.stringContaining("line 2") })
    expect((await upload(csv("1"), `?format=mt940&mapping=${mapping}`)).json.code).toBe("invalid_input")
    expect((await upload(csv("1"), `?mapping=stp_unknown`)).json.code).toBe("not_found")
  })

  covers("MAPPING-2")
  it("of columns is previewed: its first rows, then its first lines by a mapping, or why it is refused; nothing is kept", async () => {
    const text =
      'Account 00123;;\n\nDate;Text;Amount\n05.01.2026;"Rent; B";1.234,56\n06.01.2026;Fee;-1,50\n07.01.2026;A;1\n08.01.2026;B;2\n'
    const preview = async (more: object, of = text) => {
      const body = { external_account_id: account, start: Buffer.from(of).toString("base64"), ...more }
      return (await api.ask("/operator/v1/statement-mappings/preview", { key: operatorToken, body })).json
    }
    const { data: first } = await preview({})
    expect(first).toMatchObject({ separator: ";", lines: [], count: 0, fault: null })
    expect(first.rows.slice(0, 3)).toEqual([
      { line: 1, cells: ["Account 00123", "", ""] },
      { line: 3, cells: ["Date", "Text", "Amount"] },
      { line: 4, cells: ["05.01.2026", "Rent; B", "1.234,56"] }
    ])
    const mapping = {
      columns: { booked_on: "Date", amount: "Amount", remittance: "Text" },
      ...{ separator: ";", decimal: ",", thousands: ".", dates: "dmy" }
    }
    const { data: read } = await preview({ mapping })
    expect([read.count, read.fault]).toEqual([4, null])
    expect(read.lines).toMatchObject([
      { amount: "1234.56", direction: "credit", booked_on: "2026-01-05", remittance: "Rent; B", place: "line 4" },
      { amount: "1.50", direction: "debit" },
      { amount: "1.00" }
    ])
    const { data: wrong } = await preview({ mapping: { ...mapping, thousands: undefined } })
    expect(wrong).toMatchObject({
      lines: [],
      fault: { place: expect.stringContaining("line 4"), message: expect.stringContaining("1.234,56") }
    })
    const { data: unusable } = await preview({ mapping: { ...mapping, columns: { booked_on: "Date" } } })
    expect(unusable.fault).toEqual({ place: null, message: expect.stringContaining("columns has the amounts") })
    expect((await preview({}, 'a;b\n"open;1\n')).data.fault).toMatchObject({ message: expect.any(String) })
    expect((await preview({ start: "%%%" })).code).toBe("bad_request")
    expect((await preview({ start: Buffer.alloc(256 * 1024 + 1, 65).toString("base64") })).code).toBe("bad_request")
    expect((await preview({ external_account_id: "xac_01j9z3k4m5n6p7q8r9s0t1v2w3" })).code).toBe("not_found")
    const { data: none } = await preview({ mapping: { ...mapping, columns: { booked_on: "Date", amount: "Sum" } } })
    expect(none.fault.message).toContain("Sum")
  })

  covers("MAPPING-2")
  it.each([
    ["a booking date beyond what is possible", "05.01.2226;;05.01.2026;1\n"],
    ["a value date beyond what is possible", "05.01.2026;;05.01.2226;1\n"],
    ["bookings of too many days", "05.01.2010;;05.01.2010;1\n05.01.2026;;05.01.2026;2\n"],
    ["an amount that the ledger does not keep", "05.01.2026;;05.01.2026;0,00000000000000000001\n"]
  ])("with %s is refused by the preview as by the upload", async (_, rows) => {
    const text = `Date;Text;Value;Amount\n${rows}`
    const mapping = {
      columns: { booked_on: "Date", value_on: "Value", amount: "Amount" },
      ...{ separator: ";", decimal: ",", thousands: ".", dates: "dmy" }
    }
    const body = { name: `Preview of ${_}`, external_account_id: account, ...mapping }
    const { json: kept } = await api.ask("/operator/v1/statement-mappings", { key: operatorToken, body })
    const { json: refused } = await upload(Buffer.from(text), `?mapping=${kept.data.id}`)
    const [{ place, message }] = refused.meta.errors
    const asked = { external_account_id: account, start: Buffer.from(text).toString("base64"), mapping }
    const preview = await api.ask("/operator/v1/statement-mappings/preview", { key: operatorToken, body: asked })
    expect(preview.json.data).toMatchObject({ lines: [], count: 0, fault: { place, message } })
  })

  covers("MAPPING-1")
  it.each([
    ["without amounts", { columns: { booked_on: 1 } }, "columns"],
    ["with amounts twice", { columns: { booked_on: 1, amount: 2, credit: 3, debit: 4 } }, "columns"],
    ["with credits alone", { columns: { booked_on: 1, credit: 3 } }, "columns"],
    ["with a direction without words", { columns: { booked_on: 1, amount: 2, direction: 3 } }, "words"],
    ["with words without a direction", { words: { credit: ["C"], debit: ["D"] } }, "words"],
    [
      "with a word for both directions",
      { columns: { booked_on: 1, amount: 2, direction: 3 }, words: { credit: ["C", "X"], debit: ["X"] } },
      "words"
    ],
    ["with one sign for decimals and for thousands", { thousands: "." }, "thousands"],
    ["with names where no row has them", { columns: { booked_on: "Date", amount: 2 }, header: false }, "columns"]
  ])("is read by no mapping %s", async (_, different, field) => {
    const body = {
      name: "Online export",
      external_account_id: account,
      columns: { booked_on: 1, amount: 2 },
      separator: ",",
      decimal: ".",
      dates: "ymd",
      ...different
    }
    const { json } = await api.ask("/operator/v1/statement-mappings", { key: operatorToken, body })
    expect([json.code, json.meta.errors[0].field]).toEqual(["invalid_input", field])
  })
})

describe("a file of statements of an application that embeds the engine", () => {
  covers("INGEST-1")
  it("is its bytes, with the same results, refusals and repeats", async () => {
    const embedded = await promises(MemoryStorage.layer)
    try {
      const { externalAccounts, statementLines, statements } = embedded.operator
      const { id } = await externalAccounts.create(accountOf("00123"))
      const file = mt940("00123", "EM-1")
      const first = await statements.take({ file }, { idempotencyKey: "statement-0001" })
      expect(first).toMatchObject([{ external_account_id: id, lines: 1 }])
      expect(await statements.take({ file }, { idempotencyKey: "statement-0001" })).toEqual(first)
      expect(await statements.take({ file, format: "mt940" })).toEqual(first)
      expect((await statementLines.list({ external_account_id: id })).total).toBe(1)
      const reused = statements.take({ file: mt940("00123", "EM-2") }, { idempotencyKey: "statement-0001" })
      await expect(reused).rejects.toMatchObject({ code: "idempotency_conflict" })
      const refused = statements.take({ file: mt940("00999", "EM-3") })
      await expect(refused).rejects.toBeInstanceOf(CorridorError)
      await expect(refused).rejects.toMatchObject({ code: "invalid_input", errors: [{ found: "…0999 in NGN" }] })
      const none = statements.take({} as { file: Uint8Array })
      await expect(none).rejects.toMatchObject({ code: "invalid_input", errors: [{ field: "file", code: "required" }] })
    } finally {
      await embedded.close()
    }
  })
})

/** A statement, the same again under another message, and one that does not follow on them. */
const filesOf = (number: string): ReadonlyArray<Uint8Array> => {
  const text = new TextDecoder().decode(mt940(number, "ONE"))
  const later = [
    [":20:ONE", ":20:GAP"],
    [":28C:1/1", ":28C:5/1"],
    ["C260104NGN0,", "C260106NGN30,"],
    [":61:2601050105C10,00NTRFINV-1//ONE", ":61:2601070107C10,00NTRFINV-2//TWO"],
    ["C260105NGN10,", "C260107NGN40,"]
  ] as const
  return [
    text,
    text.replace(":20:ONE", ":20:AGAIN"),
    later.reduce((made, [from, to]) => made.replace(from, to), text)
  ].map(bytes)
}

/** A store that fails, once, the commit of a kind of row. */
const failing = () => {
  const state = { kind: "" }
  const isNext = ({ rows }: Change): boolean => rows.some(({ kind }) => kind === state.kind)
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        commit: (change) =>
          Effect.suspend(() => {
            if (!isNext(change)) return store.commit(change)
            state.kind = ""
            return Effect.fail(new StorageFault({ message: "away", retryable: false }))
          })
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { layer, fails: (kind: string) => Object.assign(state, { kind }) }
}

describe("the answer to a file of statements", () => {
  const { fails, layer } = failing()
  let own: Api
  beforeAll(async () => {
    own = await startApi({}, layer)
  })
  afterAll(() => own.close())

  const opened = (number: string) =>
    own.ask("/operator/v1/external-accounts", { key: operatorToken, body: accountOf(number) })
  interface Shown {
    readonly created_at: string
    readonly id: string
    readonly lines_own: number
    readonly lines_shared: ReadonlyArray<unknown>
    readonly warnings: ReadonlyArray<{ readonly code: string }>
  }
  const timeless = ({ created_at: _, id: __, ...statement }: Shown) => statement
  const shown = async (id: string) => (await own.ask(`${route}/${id}`, { key: operatorToken })).json.data

  covers("INGEST-1", "INGEST-4", "INGEST-6", "APPROVAL-15", "DRYRUN-6")
  it("is the same to the call, to its dry run, to a repeat of its key and to a read, with its warnings and what it shares", async () => {
    await opened("00777")
    const found: Array<unknown> = []
    for (const [n, file] of filesOf("00777").entries()) {
      const key = { "idempotency-key": `one-answer-${n}` }
      const dry = await uploadTo(own, file, "?dry_run=true")
      const first = await uploadTo(own, file, "", key)
      const [made] = first.json.data as readonly [Shown]
      expect(dry.json.data.map(timeless), dry.text).toEqual([timeless(made)])
      expect(made, first.text).toEqual(await shown(made.id))
      expect((await uploadTo(own, file, "", key)).text).toBe(first.text)
      found.push([made.lines_own, made.lines_shared.length, made.warnings.map(({ code }) => code)])
    }
    expect(found).toEqual([
      [1, 0, []],
      [0, 1, ["replaced"]],
      [1, 0, ["gap", "gap"]]
    ])
    // What was taken before is stored under the key of whoever sends it again.
    const key = { "idempotency-key": "one-answer-again" }
    const again = await uploadTo(own, filesOf("00777")[0]!, "", key)
    expect([again.headers.get("idempotent-replayed"), again.json.data[0].lines_own]).toEqual(["true", 1])
    expect((await uploadTo(own, filesOf("00777")[1]!, "", key)).json.code).toBe("idempotency_conflict")
    expect((await uploadTo(own, filesOf("00777")[0]!, "", key)).text).toBe(again.text)
  })

  covers("INGEST-5", "APPROVAL-15")
  it("is finished by whoever asks again with its key, where a process ended before its lines were made", async () => {
    await opened("00778")
    const [first, ...others] = filesOf("00778")
    await uploadTo(own, first!)
    for (const [n, file] of others.entries()) {
      const key = { "idempotency-key": `dies-before-lines-${n}` }
      fails("statement_line")
      const cut = await uploadTo(own, file, "", key)
      expect(cut.status, cut.text).toBeGreaterThanOrEqual(500)
      const again = await uploadTo(own, file, "", key)
      const [made] = again.json.data
      expect(made, again.text).toEqual(await shown(made.id))
      expect((await uploadTo(own, file, "", key)).text).toBe(again.text)
      expect(made.warnings).not.toEqual([])
    }
  })
})
