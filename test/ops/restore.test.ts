/** The drill of docs/runbooks/backup-and-restore.md, on real Postgres and with a bank that has executed what the copy does not know. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { corridor } from "../support/cli/command-line.ts"
import { main } from "../support/cli/environment.ts"
import { type Connector, startConnector } from "../support/connectors/launcher.ts"
import { type Served, serve } from "../support/http/served-process.ts"
import {
  binaries,
  type Cluster,
  folderFor,
  newCluster,
  removeCluster,
  startCluster,
  tool
} from "../support/ops/cluster.ts"
import { configFor, customer, merchant, operator, pays } from "../support/ops/payments.ts"
import { covers } from "../support/repository/covers.ts"
import { query } from "../support/stores/database.ts"

const folder = mkdtempSync(join(tmpdir(), "corridor-restore-"))
const archive = folderFor("archive")
const config = join(folder, "corridor.config.ts")
const nodes = new Set<Served>()
let bank: Connector
let cluster: Cluster

beforeAll(async () => {
  if (binaries === undefined) return
  bank = await startConnector("node")
  writeFileSync(config, configFor(bank))
  cluster = await newCluster({
    wal_level: "replica",
    archive_mode: "on",
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`
  })
  await tool("createdb", "--maintenance-db", cluster.urlOf("postgres"), "corridor")
})

afterAll(async () => {
  for (const { child } of nodes) child.kill("SIGKILL")
  await cluster?.stop()
  await bank?.stop()
  if (cluster !== undefined) removeCluster(cluster)
  for (const path of [folder, join(archive, "..")]) rmSync(path, { recursive: true, force: true })
})

const node = async (url: string, env: Readonly<Record<string, string>> = {}): Promise<Served> => {
  const served = await serve({ DATABASE_URL: url, CORRIDOR_RATE_LIMIT_PER_SECOND: "0", ...env }, main, [
    "serve",
    "--config",
    config
  ])
  nodes.add(served)
  return served
}
const end = async (served: Served, signal: NodeJS.Signals): Promise<void> => {
  served.child.kill(signal)
  await served.exit
  nodes.delete(served)
}

const status = async (served: Served, id: string): Promise<string> =>
  (await merchant(served, `/v1/offramps/${id}`)).data.status
const succeeds = async (served: Served, id: string): Promise<void> => {
  await expect.poll(() => status(served, id)).toBe("success")
}
const brake = async (served: Served): Promise<string> =>
  (await operator(served, "/operator/v1/brakes", { scope: "all" })).data.id

const attempted = (url: string) =>
  query<{ readonly id: string }>(
    url,
    "select id from job where attempt > 0 and status = 'pending' or lease is not null"
  )
const command = (url: string, ...args: ReadonlyArray<string>) =>
  corridor([...args, "--config", config], { DATABASE_URL: url })

interface Reconciled {
  readonly ok: boolean
  readonly open: ReadonlyArray<{
    readonly id: string
    readonly finding: string
    readonly amount: string
    readonly command_id: string
    readonly resource_id: string | null
    readonly candidates: ReadonlyArray<{ readonly id: string; readonly reference: string | null }>
  }>
}
const reconciled = async (url: string): Promise<Reconciled> => {
  const { code, errors, out } = await command(url, "reconcile", "--json")
  const found = JSON.parse(out) as Reconciled
  expect([code, errors.filter((line) => !line.includes("restored copy"))]).toEqual([found.ok ? 0 : 1, []])
  return found
}
const adopt = (url: string, line: string, movement: string) =>
  command(url, "reconcile", "adopt", "--provider", "bank", "--note", "the drill", line, movement)

const isBalanced = async (served: Served): Promise<void> => {
  const { data } = await operator(served, "/operator/v1/ledger/trial-balance")
  expect(JSON.stringify(data)).not.toContain('"balanced":false')
}

describe.skipIf(binaries === undefined)("a restored copy (Postgres's own tools)", () => {
  covers("RESTORE-1", "RESTORE-2", "RESTORE-3")
  it("pays nothing, and nothing twice: dump, restore, compare with the bank, accept, go on", async () => {
    const url = cluster.urlOf("corridor")
    const original = await node(url)
    const ada = await customer(original)
    const first = await pays(original, ada, "invoice-1", "10000.00")
    await succeeds(original, first)

    // The dump has one payout that waits, and not the one that a client makes afterwards.
    const stopped = await brake(original)
    const waiting = await pays(original, ada, "invoice-2", "20000.00")
    const dump = join(folderFor("dump"), "corridor.dump")
    await tool("pg_dump", "--format=custom", "--file", dump, url)
    await operator(original, `/operator/v1/brakes/${stopped}/release`, {})
    await succeeds(original, waiting)
    const lost = await pays(original, ada, "invoice-3", "30000.00")
    await succeeds(original, lost)
    expect(bank.executions()).toHaveLength(3)
    await end(original, "SIGKILL")

    const copy = cluster.urlOf("restored")
    await tool("createdb", "--maintenance-db", cluster.urlOf("postgres"), "restored")
    await tool("pg_restore", "--no-owner", "--exit-on-error", "--dbname", copy, dump)
    expect((await command(copy, "verify")).code).toBe(0)
    const untouched = await attempted(copy)

    // Without a dispatcher nothing is paid, whatever is called.
    const looking = await node(copy, { CORRIDOR_DISPATCHER: "off" })
    expect([await status(looking, waiting), (await merchant(looking, `/v1/offramps/${lost}`)).status]).toEqual([
      "created",
      404
    ])
    for (const path of ["/sandbox/settle", "/sandbox/clock/advance"])
      expect((await merchant(looking, path, path.endsWith("settle") ? {} : { seconds: 60 })).status).toBe(403)
    // With one, by mistake: the copy knows that it is one, also when no pause covers it.
    const [old] = (await operator(looking, "/operator/v1/brakes?status=active")).data
    await operator(looking, `/operator/v1/brakes/${old.id}/release`, {})
    const mistaken = await node(copy)
    await expect.poll(() => mistaken.output()).toContain("restored copy")
    expect((await merchant(mistaken, "/sandbox/settle", {})).status).toBe(500)
    expect((await merchant(mistaken, "/v1/wallets")).status).toBe(200)
    await end(mistaken, "SIGTERM")
    expect(await attempted(copy)).toEqual(untouched)
    expect(bank.executions()).toHaveLength(3)
    const doctor = await corridor(["doctor", "--config", config], { DATABASE_URL: copy })
    expect(doctor.out).toMatch(/^fail\s+store\s+.*restored copy/m)

    // What the bank executed against the copy: one that it would submit again, one that it does not know.
    const before = await reconciled(copy)
    const [known, unknown] = before.open
    expect(before.open.map(({ finding, resource_id }) => [finding, resource_id])).toEqual([
      ["not_submitted", waiting],
      ["unknown", null]
    ])
    expect([unknown!.command_id.split(".")[0], unknown!.candidates]).toEqual([lost, []])
    const unbraked = await adopt(copy, known!.id, waiting)
    expect([unbraked.code, unbraked.errors]).toEqual([1, [expect.stringContaining("No pause covers")]])
    const held = await brake(looking)
    const another = await adopt(copy, unknown!.id, waiting)
    expect([another.code, another.errors]).toEqual([1, [expect.stringContaining("not what")]])
    const adopted = await adopt(copy, known!.id, waiting)
    expect([adopted.errors, adopted.out]).toEqual([[], expect.stringContaining(`${waiting} is success`)])

    // The client repeats its payment: the copy has no record of its key, and makes another movement.
    const repeated = await pays(looking, ada, "invoice-3", "30000.00")
    expect(repeated).not.toBe(lost)
    const [open] = (await reconciled(copy)).open
    expect(open?.candidates).toMatchObject([{ id: repeated, reference: "invoice-3" }])
    const adoptions = await Promise.all([adopt(copy, open!.id, repeated), adopt(copy, open!.id, repeated)])
    expect(adoptions.map(({ code }) => code).toSorted()).toEqual([0, 1])
    const second = await pays(looking, ada, "invoice-4", "30000.00")
    const twice = await adopt(copy, open!.id, second)
    expect([twice.code, twice.errors]).toEqual([1, [`Line ${open!.id} belongs to ${repeated}.`]])
    expect(await reconciled(copy)).toMatchObject({ ok: true, open: [] })
    const { data: audit } = await operator(looking, "/operator/v1/audit?action=adoptExecution")
    expect(audit).toMatchObject([
      { resource: { id: repeated }, note: "the drill" },
      { resource: { id: waiting }, note: "the drill" }
    ])

    // Accepted, with the original stopped: what waits is paid now, once.
    await end(looking, "SIGTERM")
    expect((await command(copy, "reconcile", "accept")).out).toContain("is accepted, instead of")
    const resumed = await node(copy)
    expect(await status(resumed, second)).toBe("created")
    expect(bank.executions()).toHaveLength(3)
    await operator(resumed, `/operator/v1/brakes/${held}/release`, {})
    await succeeds(resumed, second)
    for (const id of [first, waiting, repeated]) expect(await status(resumed, id)).toBe("success")
    const commands = bank.executions().map(({ command_id }) => command_id)
    expect([commands.length, new Set(commands).size]).toEqual([4, 4])
    expect(bank.executions().reduce((sum, { minor }) => sum + minor, 0n)).toBe(9_000_000n)

    // The bank reports again what it paid for the movement that is gone. It is for a person to see, and moves nothing.
    await expect
      .poll(async () => (await operator(resumed, "/operator/v1/exceptions?status=open")).data)
      .toMatchObject([{ reason: "unknown_resource", resource_id: lost, amount: null }])
    await isBalanced(resumed)
    const { data: clearing } = await operator(resumed, "/operator/v1/ledger/accounts?class=clearing&per_page=100")
    expect(clearing.filter(({ balance }: { readonly balance: string }) => Number(balance) !== 0)).toEqual([])
    await end(resumed, "SIGTERM")
    const verified = await command(copy, "verify")
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining("no difference")])
  })

  covers("RESTORE-1")
  it("begins another timeline when it is recovered to a point in time", async () => {
    await tool("createdb", "--maintenance-db", cluster.urlOf("postgres"), "recovered")
    const url = cluster.urlOf("recovered")
    const original = await node(url)
    const ada = await customer(original)
    const backup = folderFor("backup")
    await tool(
      "pg_basebackup",
      "--dbname",
      cluster.urlOf("postgres"),
      "--pgdata",
      backup,
      "--checkpoint=fast",
      "--no-sync"
    )
    const kept = await pays(original, ada, "invoice-1", "10000.00")
    await succeeds(original, kept)
    await query(url, "select pg_create_restore_point('before_the_mistake')")
    const gone = await pays(original, ada, "invoice-2", "20000.00")
    await succeeds(original, gone)
    await query(url, "select pg_switch_wal()")
    await end(original, "SIGTERM")

    writeFileSync(join(backup, "recovery.signal"), "")
    const recovered = await startCluster(backup, {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_name: "before_the_mistake",
      recovery_target_action: "promote"
    })
    try {
      const copy = recovered.urlOf("recovered")
      expect((await command(copy, "verify")).code).toBe(0)
      const executions = bank.executions().length
      const mistaken = await node(copy)
      await expect.poll(() => mistaken.output()).toContain("restored copy")
      expect([await status(mistaken, kept), (await merchant(mistaken, `/v1/offramps/${gone}`)).status]).toEqual([
        "success",
        404
      ])
      const [line] = (await reconciled(copy)).open.filter(({ command_id }) => command_id.startsWith(gone))
      expect(line).toMatchObject({ finding: "unknown", resource_id: null })
      expect(bank.executions()).toHaveLength(executions)
      await brake(mistaken)
      const repeated = await pays(mistaken, ada, "invoice-2", "20000.00")
      expect((await adopt(copy, line!.id, repeated)).code).toBe(0)
      expect((await command(copy, "reconcile", "accept", "--promotable")).out).toMatch(/\/\* is accepted, instead of/)
      // The running node sees it.
      await expect.poll(() => mistaken.output()).toContain("is accepted: this node runs jobs again")
      expect(await status(mistaken, repeated)).toBe("success")
      await end(mistaken, "SIGTERM")
      expect((await command(copy, "verify")).code).toBe(0)
    } finally {
      await recovered.stop()
      removeCluster(recovered)
    }
  })
})

it("has the tools of Postgres where they are expected", () => {
  if (process.env["CI"] === "true") expect([binaries, existsSync(binaries ?? "")]).toEqual([binaries, true])
  else if (binaries === undefined)
    console.log("Postgres's own tools are not installed: the drill of a restore is left out")
})
