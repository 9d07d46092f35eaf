/** The commands on a store with cells. */
import { type AddressInfo, connect, createServer } from "node:net"
import { beforeAll, describe, expect, it } from "vitest"
import { migrationNames } from "../../src/adapters/storage/migrations.ts"
import { clientOf, type Node } from "../faults/cluster.ts"
import { payerOf } from "../faults/merchant.ts"
import { corridor } from "../support/cli/command-line.ts"
import { serveHere } from "../support/http/served-here.ts"
import { serve } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"
import { query } from "../support/stores/database.ts"
import { addMerchants, fillCells } from "../support/stores/filled-cells.ts"
import { serverUrl } from "../support/stores/run-server.ts"

/** A proxy of a server on loopback that does `meanwhile` before it passes the connection of this number on. */
const holding = async (to: number, nth: number, meanwhile: () => Promise<unknown>) => {
  let [count, held] = [0, false]
  const proxy = createServer((client) => {
    const passed = async (): Promise<void> => {
      if (++count === nth) {
        await meanwhile()
        held = true
      }
      const server = connect(to, "127.0.0.1")
      client.pipe(server).pipe(client)
      for (const one of [client, server]) one.on("error", () => [client, server].forEach((each) => each.destroy()))
    }
    void passed()
  })
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done))
  return {
    port: (proxy.address() as AddressInfo).port,
    held: () => held,
    close: () => new Promise((done) => proxy.close(done))
  }
}

describe("on a store with cells", () => {
  let database: string
  let url: string
  const name = `cells_${crypto.randomUUID().replaceAll("-", "")}`
  const run = async (...args: ReadonlyArray<string>) => {
    const { code, errors, out } = await corridor([...args, "--json"], { DATABASE_URL: url })
    return { code, errors, report: out === "" ? undefined : JSON.parse(out) }
  }
  const stores = ["", " corridor_1", " corridor_2"].map((schema) =>
    expect.stringMatching(new RegExp(`/${name}${schema}$`))
  )

  beforeAll(async () => {
    await query(await serverUrl(), `create database ${name}`)
    database = (await serverUrl()).replace(/\/postgres$/, `/${name}`)
    url = `${database}?cells=2`
  })

  covers("CELLS-5")
  it("migrate applies every migration to each cell, once", async () => {
    const { report } = await run("migrate")
    expect(report.databases).toEqual(stores.map((store) => ({ store, applied: [...migrationNames] })))
    const { report: again } = await run("migrate")
    expect(again.databases).toEqual(stores.map((store) => ({ store, applied: [] })))
  })

  it("verify finds a store right that served, and what the directory and a cell disagree on", async () => {
    const server = await serveHere({ DATABASE_URL: url })
    await fillCells(server.url, database, ["1", "2"])
    await server.stop()
    const right = await run("verify")
    expect([right.code, right.report.ok]).toEqual([0, true])
    expect(right.report.stores.map(({ store }: { store: string }) => store)).toEqual([...stores, "all cells"])
    const [moved] = await query<{ key: string }>(
      database,
      `update setting set value = '2' where key = (
        select key from setting where key like 'merchant_database/%' and value = '1' limit 1) returning key`
    )
    const wrong = await run("verify")
    expect(wrong.code).toBe(1)
    const { checks } = wrong.report.stores.at(-1)
    const subject = moved!.key.replace("merchant_database/", "")
    expect(checks[0].differences).toEqual([
      { subject, merchant_id: subject, expected: "in cell 2", found: "in cell 1" }
    ])
    await query(database, `update setting set value = '1' where key = '${moved!.key}'`)
  })

  covers("VERIFY-3")
  it("verify finds nothing of merchants that come while it opens the cells, one after the other", async () => {
    const server = await serveHere({ DATABASE_URL: url })
    const proxy = await holding(Number(new URL(database).port || 5432), 3, () => addMerchants(server.url, 8))
    const through = new URL(url)
    through.hostname = "127.0.0.1"
    through.port = `${proxy.port}`
    const { code, out } = await corridor(["verify", "--json"], { DATABASE_URL: through.href })
    await proxy.close()
    await server.stop()
    expect([proxy.held(), code, JSON.parse(out).ok]).toEqual([true, 0, true])
  })

  covers("CELLS-5", "VERIFY-1")
  it.each(["verify", "upgrade --check", "migrate", "doctor"])(
    "%s does not pass a part of the store for all of it",
    async (command) => {
      for (const [given, why] of [
        [database, "the store has 2 cells; add ?cells=2 to its URL"],
        [`${database}?cells=1`, "cells=1 is too few: cell 2 holds merchants"]
      ] as const) {
        const { code, errors, out } = await corridor(command.split(" "), { DATABASE_URL: given })
        expect([code, `${errors.join()}${out}`]).toEqual([command === "doctor" ? 1 : 3, expect.stringContaining(why)])
      }
    }
  )

  it("doctor and upgrade --check look at each cell", async () => {
    const { report } = await run("doctor")
    const about = (report.findings as ReadonlyArray<{ about: string; sentence: string }>).filter(
      (one) => one.about === "store"
    )
    expect(about.map(({ sentence }) => sentence)).toEqual(
      stores.map(({ sample }) =>
        expect.stringMatching(new RegExp(`${String(sample).slice(1, -2)} can be read, and is migrated$`))
      )
    )
    const { code, report: check } = await run("upgrade", "--check")
    expect(code).toBe(0)
    expect(check.databases.map(({ store }: { store: string }) => store)).toEqual(stores)
  })

  covers("CELLS-7")
  it("a restored copy of all schemas pays nothing until it is accepted", async () => {
    const env = { CORRIDOR_RATE_LIMIT_PER_SECOND: "0" }
    const pays = async (node: Node, reference: string) => {
      const { data } = clientOf([node])
      const body = { wallet_id: payer.wallet_id, beneficiary_id: payer.payee_id, amount: "10.00", reference }
      const { id } = await data("/v1/transfers", { body, key: `transfer-${reference}` })
      return async () => (await data(`/v1/transfers/${id}`)).status
    }
    const original = await serveHere({ ...env, DATABASE_URL: url })
    const node = { name: "original", url: () => original.url } as Node
    const payer = await payerOf(clientOf([node]), "http://127.0.0.1:9/", 100)
    await expect.poll(await pays(node, "first")).toBe("success")
    await original.stop()

    await query(await serverUrl(), `create database ${name}_copy template ${name}`)
    const copy = url.replace(name, `${name}_copy`)
    const served = await serve({ ...env, DATABASE_URL: copy })
    const statusOf = await pays({ name: "copy", url: () => served.url } as Node, "second")
    await expect.poll(served.output).toContain("restored copy")
    const { report } = await run("doctor")
    expect(report.findings.filter(({ sentence }: { sentence: string }) => sentence.includes("restored copy"))).toEqual(
      []
    )
    const about = await corridor(["doctor", "--json"], { DATABASE_URL: copy })
    expect(
      JSON.parse(about.out).findings.filter(({ sentence }: { sentence: string }) => sentence.includes("restored copy"))
    ).toHaveLength(1)
    expect((await corridor(["reconcile"], { DATABASE_URL: copy })).errors.join()).toContain("restored copy")
    expect(await statusOf()).toBe("processing")
    const accepted = await corridor(["reconcile", "accept", "--json"], { DATABASE_URL: copy })
    expect(JSON.parse(accepted.out).accepted).toHaveLength(1)
    await expect.poll(statusOf).toBe("success")
    served.child.kill("SIGTERM")
    await served.exit
  })

  covers("VERIFY-3")
  it("verify takes deleted events of a cell for what they are, by the clock of the whole store", async () => {
    const eventsOf = async (env: Readonly<Record<string, string>>) => {
      const { out } = await corridor(["verify", "--json"], { DATABASE_URL: url, ...env })
      const checks = JSON.parse(out).stores.flatMap((one: any) => one.checks)
      return checks.filter((one: any) => one.name === "events" && one.count > 0).length
    }
    for (const cell of [1, 2]) await query(database, `delete from corridor_${cell}.event where sequence = 1`)
    expect(await eventsOf({})).toBeGreaterThan(0)
    const offset = 400 * 86_400_000
    await query(database, `insert into setting (key, value) values ('clock_offset_ms', '${offset}')`)
    expect(await eventsOf({ CORRIDOR_KEEP_EVENTS_DAYS: "30" })).toBe(0)
  })

  it("a node without cells does not start, and says what is missing", async () => {
    const { code, errors } = await corridor(["serve"], { DATABASE_URL: database, PORT: "0" })
    expect(code).not.toBe(0)
    expect(errors.join("\n")).toContain("the store has 2 cells; add ?cells=2 to its URL")
  })
})
