/** The commands of treasurers and of payers: statements, breaks, close and batch. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readTable } from "../../src/statements/csv/table.ts"
import { writeCsv } from "../../src/statements/csv/write.ts"
import { corridor } from "../support/cli/command-line.ts"
import { type ServedHere, serveHere } from "../support/http/served-here.ts"
import { apiKey, operatorToken } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"
import { mt940 } from "../support/statements/mt940.ts"

const folder = mkdtempSync(join(tmpdir(), "corridor-desk-"))
let server: ServedHere
beforeAll(async () => {
  server = await serveHere({ CORRIDOR_RATE_LIMIT_PER_SECOND: "0" })
})
afterAll(() => {
  void server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const operator = (...args: ReadonlyArray<string>) =>
  corridor(args, { CORRIDOR_URL: server.url, CORRIDOR_OPERATOR_TOKEN: operatorToken }, folder)
const merchant = (...args: ReadonlyArray<string>) =>
  corridor(args, { CORRIDOR_URL: server.url, CORRIDOR_API_KEY: apiKey }, folder)

const asked = async (path: string, body?: object, key = apiKey): Promise<any> => {
  const answer = await fetch(server.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const { data, message } = (await answer.json()) as { readonly data: unknown; readonly message: string }
  expect([path, answer.status, message]).toEqual([path, 200, message])
  return data
}

const write = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content)
  return name
}

const accountOf = async (value: string): Promise<string> => {
  const made = await asked(
    "/operator/v1/external-accounts",
    {
      provider: "simulated",
      currency: "NGN",
      kind: "bank",
      identifiers: [{ scheme: "account_number", value }],
      opening: { date: "2026-01-01", balance: "0" },
      time_zone: "Africa/Lagos"
    },
    operatorToken
  )
  return made.id
}

/** An account with one line that the books do not have, and its break. */
const withBreak = async (value: string) => {
  const account = await accountOf(value)
  const file = write(`${value}.sta`, mt940(value, `REF-${value}`))
  expect((await operator("statements", "import", file)).code).toBe(0)
  const listed = async (): Promise<ReadonlyArray<{ readonly id: string; readonly kind: string }>> =>
    JSON.parse((await operator("breaks", "list", "--account", account, "--json")).out).breaks
  await expect.poll(async () => (await listed()).length).toBe(1)
  return { account, file, listed, breakId: (await listed())[0]!.id }
}

describe("corridor statements", () => {
  covers("CLI-19")
  it("gives a file to the server, says that the same file was taken before, and lists what was taken", async () => {
    const account = await accountOf("1001")
    const file = write("day.sta", mt940("1001", "UP-1"))
    const dry = await operator("statements", "import", file, "--dry-run")
    expect([dry.errors, dry.code, dry.out.split("\n")[0]]).toEqual([[], 0, "Dry run: nothing is written."])
    expect((await operator("statements", "list", "--account", account)).out).toBe("There are no statements.\n")
    const first = await operator("statements", "import", file)
    expect([first.code, first.errors]).toEqual([0, []])
    expect(first.out).toMatch(
      new RegExp(`^stm_\\w+ {2}${account} {2}mt940 {2}number 1 {2}.*0.00 to 10.00 NGN {2}1 lines\n`)
    )
    const again = JSON.parse((await operator("statements", "import", file, "--json")).out)
    expect([again.replayed, first.out.startsWith(again.statements[0].id)]).toEqual([true, true])
    expect((await operator("statements", "import", file)).out).toMatch(/^The same file was taken before/)
    expect((await operator("statements", "list", "--account", account)).out).toBe(first.out)
  })

  covers("CLI-19")
  it("shows a refusal with its place, and takes nothing of the file", async () => {
    const account = await accountOf("1002")
    const wrong = new TextDecoder().decode(mt940("1002", "UP-2")).replace("C10,00", "C10,00,5")
    const { code, errors, out } = await operator("statements", "import", write("wrong.sta", wrong))
    expect([code, out]).toEqual([1, ""])
    expect(errors.join("\n")).toMatch(/POST \/operator\/v1\/statements: 400 invalid_input: .*line 5/s)
    expect((await operator("statements", "list", "--account", account)).out).toBe("There are no statements.\n")
  })

  it.each([
    [["import", "none.xml"], 2, "none.xml: there is no such file."],
    [["import", "."], 2, ".: it is a directory."],
    [["import"], 2, "file is required."]
  ])("%j ends with its code and one line", async (args, code, line) => {
    const ended = await operator("statements", ...args)
    expect([ended.code, ended.out, ended.errors[0]]).toEqual([code, "", line])
  })

  it("passes the account, the mapping and the format on", async () => {
    const file = write("table.csv", "a,b\n1,2\n")
    const args = ["--account", "xac_01j9z3k4m5n6p7q8r9s0t1v2w3", "--format", "csv"]
    const { code, errors } = await operator("statements", "import", file, ...args)
    expect([code, errors[0]]).toEqual([
      1,
      expect.stringMatching(/statements\?external_account_id=xac_\w+&format=csv: /)
    ])
    const unknown = await operator("statements", "import", file, "--mapping", "stp_01j9z3k4m5n6p7q8r9s0t1v2w3")
    expect([unknown.code, unknown.errors[0]]).toEqual([1, expect.stringMatching(/stp_01j9z3k4m5n6p7q8r9s0t1v2w3/)])
  })
})

describe("corridor breaks", () => {
  covers("CLI-20")
  it("lists and exports breaks, resolves an edited file row by row, and writes the results", async () => {
    const { account, breakId, listed } = await withBreak("2001")
    expect((await operator("breaks", "list", "--account", account)).out).toMatch(
      new RegExp(`^${breakId} .*missing_in_books {2}10.00 NGN .*can: match, explain, dismiss`)
    )
    expect((await operator("breaks", "list", "--account", account, "--status", "resolved")).out).toBe(
      "There are no such breaks.\n"
    )
    const printed = await operator("breaks", "export", "--account", account)
    expect((await operator("breaks", "export", "breaks.csv", "--account", account)).out).toBe("breaks.csv: 1 breaks.\n")
    const text = readFileSync(join(folder, "breaks.csv"), "utf8")
    expect(printed.out.trim()).toBe(text.trim())

    const table = readTable(text)
    if (typeof table === "string") throw new Error(table)
    const rowOf = (changes: Readonly<Record<string, string>>) =>
      table.columns.map((name) => changes[name] ?? table.rows[0]!.cells[name] ?? "")
    const edited = write(
      "edited.csv",
      writeCsv(table.columns, [
        rowOf({ action: "explain", note: "x", from: "nowhere", to: "suspense" }),
        rowOf({}),
        rowOf({ action: "explain", note: "Unknown payer", from: "world:simulated", to: "suspense" })
      ])
    )
    const dry = await operator("breaks", "resolve", edited, "--dry-run")
    expect(dry.out).toMatch(/^Dry run: nothing is written\./)
    expect((await listed()).length).toBe(1)
    const done = await operator("breaks", "resolve", edited, "--output", "results.csv")
    expect(done.code).toBe(1)
    expect(done.out).toMatch(
      new RegExp(
        `^line 2 {2}${breakId} {2}.*nowhere.*\nline 4 {2}${breakId} {2}ok\n1 resolved, 0 waiting for approval, 1 refused, 1 without`
      )
    )
    expect(await listed()).toEqual([])
    const results = readTable(readFileSync(join(folder, "results.csv"), "utf8"))
    expect(typeof results === "string" ? [] : results.rows.map(({ cells }) => cells["result"])).toEqual([
      expect.stringContaining("nowhere"),
      "skipped",
      "ok"
    ])
    // The same file again does nothing twice.
    const again = await operator("breaks", "resolve", edited, "--json")
    expect([again.code, JSON.parse(again.out)]).toMatchObject([1, { succeeded: 0, failed: 2, skipped: 1 }])
  })

  it("counts a row that waits for approval as neither resolved nor refused", async () => {
    const { account, breakId } = await withBreak("2002")
    const rule = { operations: ["break_resolution"], approvals: 1, roles: ["treasury"] }
    const { id } = await asked("/operator/v1/approval-rules", rule, operatorToken)
    const edited = write("waits.csv", `id,action,note\n${breakId},dismiss,seen\n`)
    const done = await operator("breaks", "resolve", edited)
    const listed = await operator("breaks", "list", "--account", account)
    await fetch(`${server.url}/operator/v1/approval-rules/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${operatorToken}` }
    })
    expect([done.code, done.out]).toEqual([
      0,
      expect.stringMatching(/waits for approval apr_\w+\n0 resolved, 1 waiting for approval, 0 refused, 0 without/)
    ])
    expect(listed.out).toContain(breakId)
  })

  it("refuses a file that is no table of breaks, and a filter of no kind", async () => {
    const wrong = await operator("breaks", "resolve", write("other.csv", "a,b\n1,2\n"))
    expect([wrong.code, wrong.errors[0]]).toEqual([1, expect.stringMatching(/400 bad_request: .*id and action/)])
    const kind = await operator("breaks", "list", "--kind", "odd")
    expect([kind.code, kind.errors[0]]).toEqual([1, expect.stringMatching(/kind/)])
    const status = await operator("breaks", "list", "--status", "odd")
    expect([status.code, status.errors[0]]).toEqual([2, '--status is "odd"; it takes open or resolved or all.'])
  })
})

describe("corridor close", () => {
  covers("CLI-21")
  it("seals a day when all is explained, or when that is accepted with a note", async () => {
    const { account } = await withBreak("3001")
    const day = ["close", account, "2026-01-05"]
    const refused = await operator(...day)
    expect([refused.code, refused.out, refused.errors[0]]).toEqual([
      1,
      "",
      expect.stringMatching(/409 invalid_status: .*10\.00 NGN/)
    ])
    expect((await operator(...day, "--accept")).code).toBe(1)
    const accepted = [...day, "--accept", "--note", "The payer is asked"]
    expect((await operator(...accepted, "--dry-run")).out).toMatch(/^Dry run/)
    expect((await operator(...day)).code).toBe(1)
    const sealed = await operator(...accepted)
    expect([sealed.code, sealed.errors]).toEqual([0, []])
    expect(sealed.out).toMatch(
      new RegExp(`^${account} 2026-01-05: sealed although not all is explained, cls_\\w+\n.*closing 10.00 NGN`)
    )
    expect(sealed.out).toContain("The payer is asked")
    // A sealed day answers its seal.
    expect((await operator(...day)).out).toBe(sealed.out)
  })

  it("refuses what is no day", async () => {
    const { code, errors } = await operator("close", "xac_01j9z3k4m5n6p7q8r9s0t1v2w3", "5 January")
    expect([code, errors[0]]).toEqual([1, expect.stringMatching(/^POST \/operator\/v1\/closings: 4\d\d .*date/)])
  })
})

describe("corridor batch", () => {
  let wallet: string
  let beneficiary: string
  beforeAll(async () => {
    const { out } = await merchant("trigger", "transfer.success", "--json")
    const { event_object_id } = JSON.parse(out)
    const movement = await asked(`/v1/transfers/${event_object_id}`)
    ;[wallet, beneficiary] = [movement.wallet.id, movement.beneficiary.id]
    await asked("/sandbox/deposits", { wallet_id: wallet, amount: "500" })
    await asked("/sandbox/settle", {})
  })

  const file = (name: string, ...rows: ReadonlyArray<string>): string =>
    write(name, ["operation,wallet_id,beneficiary_id,amount", ...rows].join("\n"))

  covers("CLI-22")
  it("checks a file, says what is wrong by row and column, pays the valid rows once, and writes the results", async () => {
    const csv = file(
      "pay.csv",
      `transfer,${wallet},${beneficiary},25.00`,
      `transfer,${wallet},b-17,30.00`,
      `transfer,${wallet},${beneficiary},10.00`
    )
    const dry = await merchant("batch", "check", csv, "--reference", "pay-1", "--dry-run")
    expect([dry.code, dry.out]).toEqual([
      1,
      expect.stringMatching(/^Dry run: nothing is written\.\nrow 2, beneficiary_id: /)
    ])
    expect(await asked("/v1/batches")).toEqual([])
    const checked = await merchant("batch", "check", csv, "--reference", "pay-1")
    expect(checked.code).toBe(1)
    const [, id = ""] = /(bat_\w+) {2}pay-1 {2}draft\n {2}3 rows: 2 valid, 1 invalid\n/.exec(checked.out) ?? []
    expect(checked.out).toMatch(/^row 2, beneficiary_id: .*"b-17".* \(\w+\)\n/)
    expect(checked.out).toContain(`Pay the valid rows with: corridor batch pay ${id}\n`)
    expect((await merchant("batch", "pay", id, "--dry-run")).out).toMatch(/^Dry run/)
    expect((await asked(`/v1/batches/${id}`)).status).toBe("draft")
    const paid = await merchant("batch", "pay", id)
    expect([paid.errors, paid.code]).toEqual([[], 0])
    expect(paid.out).toContain(
      `${id}  pay-1  completed\n  3 rows: 2 valid, 1 invalid, 2 created, 0 failed, 0 cancelled\n`
    )
    expect((await merchant("batch", "pay", id)).out).toBe(paid.out)
    expect(
      (await asked(`/v1/transfers?per_page=100`)).filter((one: any) => one.reference.startsWith("pay-1-")).length
    ).toBe(2)
    const status = await merchant("batch", "status", id, "--results", "paid.csv")
    expect(status.out).toContain("completed")
    expect(status.out).toMatch(/\n {2}2 (?:processing|success): 35\.00 USDC\n/)
    const table = readTable(readFileSync(join(folder, "paid.csv"), "utf8"))
    expect(typeof table === "string" ? [] : table.rows.map(({ cells }) => cells["status"])).toEqual([
      "created",
      "invalid",
      "created"
    ])
  })

  covers("CLI-22")
  it("names the rows that are refused when they are paid, and ends with 1", async () => {
    const { balance } = await asked(`/v1/wallets/${wallet}`)
    const csv = file("late.csv", `transfer,${wallet},${beneficiary},${balance.available.split(".")[0] - 10}`)
    const first = JSON.parse((await merchant("batch", "check", csv, "--reference", "late-1", "--json")).out)
    const second = JSON.parse((await merchant("batch", "check", csv, "--reference", "late-2", "--json")).out)
    expect((await merchant("batch", "pay", first.id)).code).toBe(0)
    const refused = await merchant("batch", "pay", second.id)
    expect([refused.code, refused.out]).toEqual([1, expect.stringMatching(/^row 1, .*\(ledger_insufficient_funds\)\n/)])
    expect((await merchant("batch", "status", second.id)).out).toBe(refused.out)
  })

  covers("CLI-22")
  it("says that a batch was cancelled while it waited for its rows, and ends with 1", async () => {
    const { id: wallet_id } = await asked("/v1/wallets", { currency: "USDC", network: "base" })
    await asked("/sandbox/deposits", { wallet_id, amount: "50" })
    await asked("/sandbox/settle", {})
    // The screening of this address is held.
    const payee = { type: "crypto", name: "Ada Obi", currency: "USDC", details: { network: "base" } }
    const beneficiary = { ...payee, details: { ...payee.details, address: `0x${"1".repeat(36)}dead` } }
    const rows = [{ operation: "transfer", wallet_id, beneficiary, amount: "5.00" }]
    const { id } = await asked("/v1/batches", { reference: "cancelled-1", rows })
    const paying = merchant("batch", "pay", id)
    await expect.poll(async () => (await asked(`/v1/batches/${id}`)).status, { interval: 20 }).toBe("processing")
    await asked(`/v1/batches/${id}/cancel`, {})
    const { code, errors, out } = await paying
    expect([code, errors]).toEqual([1, []])
    expect(out).toContain(
      `${id}  cancelled-1  cancelled\n  1 rows: 1 valid, 0 invalid, 0 created, 0 failed, 1 cancelled\n`
    )
  })

  it.each([
    [["check", "none.csv", "--reference", "x"], 2, /^none\.csv: there is no such file\.$/],
    [["check", "none.csv"], 2, /^--reference is required\.$/],
    [["pay", "bat_01j9z3k4m5n6p7q8r9s0t1v2w3"], 1, /404 not_found/],
    [["status", "bat_01j9z3k4m5n6p7q8r9s0t1v2w3"], 1, /404 not_found/]
  ])("%j ends with its code", async (args, code, line) => {
    const ended = await merchant("batch", ...args)
    expect([ended.code, ended.out, ended.errors[0]]).toEqual([code, "", expect.stringMatching(line)])
  })

  it("refuses a file that is not UTF-8, whose names would be others", async () => {
    const latin = Buffer.from("operation,amount\ntransfer,José\n", "latin1")
    const { code, errors, out } = await merchant("batch", "check", write("latin.csv", latin), "--reference", "x")
    expect([code, out, errors]).toEqual([
      2,
      "",
      ["latin.csv: line 2: found bytes that are not utf-8, where text in utf-8 is taken."]
    ])
  })

  it("refuses a column that no row takes", async () => {
    const { code, errors } = await merchant(
      "batch",
      "check",
      write("odd.csv", "operation,amout\ntransfer,1\n"),
      "--reference",
      "x"
    )
    expect([code, errors.join("\n")]).toEqual([1, expect.stringContaining("amout")])
  })
})

describe("an act that waits for approval", () => {
  covers("CLI-23")
  it("is told with its approval and an exit code of its own, and is done once it is approved", async () => {
    const served = server
    server = await serveHere({ CORRIDOR_RATE_LIMIT_PER_SECOND: "0" })
    try {
      const made = async (...args: ReadonlyArray<string>) =>
        JSON.parse((await operator("operators", "create", "--role", "admin", "--json", ...args)).out)
      const ada = await made("--name", "Ada", "--email", "ada@example.com")
      const leaked = await made("--name", "Eve", "--email", "eve@example.com")
      const event = JSON.parse((await merchant("trigger", "transfer.success", "--json")).out)
      const { beneficiary, wallet } = await asked(`/v1/transfers/${event.event_object_id}`)
      await asked("/sandbox/deposits", { wallet_id: wallet.id, amount: "500" })
      await asked("/sandbox/settle", {})
      const row = `transfer,${wallet.id},${beneficiary.id},25.00`
      const csv = write("waits.csv", `operation,wallet_id,beneficiary_id,amount\n${row}`)
      const draft = JSON.parse((await merchant("batch", "check", csv, "--reference", "waits-1", "--json")).out)
      await asked("/operator/v1/approval-rules", { operations: ["operator", "batch"], roles: ["admin"] }, operatorToken)

      const waits =
        /^It waits for approval: apr_\w+, by 1 person until \d{4}-\d\d-\d\dT[\d:.]+Z\. Nothing is done before\.\n$/
      const acts: ReadonlyArray<readonly [typeof operator, ReadonlyArray<string>]> = [
        [operator, ["operators", "create", "--name", "Bisi", "--role", "viewer"]],
        [operator, ["operators", "rotate-token", ada.id]],
        [operator, ["operators", "revoke", leaked.id]],
        [merchant, ["batch", "pay", draft.id]]
      ]
      for (const [run, args] of acts) {
        const printed = await run(...args)
        expect([args, printed.code, printed.errors, printed.out]).toEqual([args, 4, [], expect.stringMatching(waits)])
        const { approval, token } = JSON.parse((await run(...args, "--json")).out)
        expect([approval.status, token]).toEqual(["pending", undefined])
        const dry = await run(...args, "--dry-run")
        expect([dry.code, dry.out.split("\n").slice(0, 2)]).toEqual([
          0,
          ["Dry run: nothing is written.", "It would wait for approval, by 1 person."]
        ])
      }
      expect((await asked(`/v1/batches/${draft.id}`)).status).toBe("draft")
      const pending = await asked("/operator/v1/approvals?status=pending", undefined, operatorToken)
      const revocation = pending.find((one: any) => one.resource_id === leaked.id)
      expect((await asked("/operator/v1/me", undefined, leaked.token)).id).toBe(leaked.id)
      await asked(`/operator/v1/approvals/${revocation.id}/approve`, {}, ada.token)
      expect((await operator("operators", "list")).out).toMatch(new RegExp(`${leaked.id} {2}admin {5}revoked`))
    } finally {
      void server.stop()
      server = served
    }
  })
})
