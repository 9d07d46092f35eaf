/** The process is killed in the middle of its work, twice; a later one finds everything that was acknowledged, and ends it. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { Clock, Effect, Layer } from "effect"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { type Row, Storage } from "../../../src/engine/ports/Storage.ts"
import { movementsOf } from "../../support/merchants/merchant-at-work.ts"
import { crashingEngine } from "../../support/faults/crashing-node.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { fillDirectory } from "../../support/stores/pglite.ts"
import { receiver } from "../../support/webhooks/receivers.ts"
import { booksBalance } from "../../support/engines/every-store.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { wallClock } from "../../support/engines/wall-clock.ts"

const script = fileURLToPath(new URL("../../support/faults/crashing-node.ts", import.meta.url))

interface Killed {
  readonly merchant_id: string
  readonly wallet_id: string
  readonly acknowledged: ReadonlyArray<string>
}

/** Starts a node, and kills it with SIGKILL once it has acknowledged `count` movements. */
const killedAfter = (count: number, args: ReadonlyArray<string>): Promise<Killed> =>
  new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    let [, , , merchant_id = "", wallet_id = ""] = args
    const acknowledged: Array<string> = []
    let errors = ""
    child.stderr!.on("data", (chunk: Buffer) => {
      errors += chunk.toString()
    })
    const lines = createInterface({ input: child.stdout! })
    lines.on("line", (line) => {
      const message = JSON.parse(line) as { id?: string; merchant_id?: string; wallet_id?: string }
      merchant_id = message.merchant_id ?? merchant_id
      wallet_id = message.wallet_id ?? wallet_id
      if (message.id !== undefined) acknowledged.push(message.id)
      if (acknowledged.length >= count) child.kill("SIGKILL")
    })
    const bound = setTimeout(() => child.kill("SIGKILL"), 60_000)
    child.once("exit", (code, signal) => {
      clearTimeout(bound)
      if (signal === "SIGKILL" && acknowledged.length >= count) resolve({ merchant_id, wallet_id, acknowledged })
      else
        reject(
          new Error(
            `the node ended by itself (${code ?? signal}) after ${acknowledged.length}:\n${errors.slice(-4000)}`
          )
        )
    })
  })

/** Two minutes later: whatever the dead processes had claimed is free again. */
const later = wallClock(() => Date.now() + 120_000)

const survives = (database: string) =>
  Effect.gen(function* () {
    let count = 0
    let recovered = false
    // Down for every other delivery while the nodes are being killed.
    const hook = yield* receiver(
      (_, response) => void response.writeHead(recovered || ++count % 2 === 0 ? 204 : 503).end()
    )
    const first = yield* Effect.promise(() => killedAfter(70, [database, hook.url, "1"]))
    const second = yield* Effect.promise(() =>
      killedAfter(70, [database, hook.url, "2", first.merchant_id, first.wallet_id])
    )
    recovered = true
    const { merchant_id, wallet_id } = first

    yield* Effect.gen(function* () {
      const storage = yield* Storage
      const sandbox = yield* SandboxOperations
      const clock = yield* ServiceClock
      const provider = yield* Sandbox
      const wallets = yield* Wallets
      const make = yield* movementsOf(merchant_id, wallet_id)
      const third = yield* Effect.all(
        Array.from({ length: 60 }, (_, n) => make(n % 2 === 0 ? null : "0123456789", `run3-${n}`)),
        { concurrency: 8 }
      )
      // In leaps, which cost less than a stop at every deadline on the way.
      for (const seconds of [0, 15, 15, 60, 60, 300, 300, 3600, 3600, 86_400, 86_400]) {
        yield* clock.moveTo((yield* Clock.currentTimeMillis) + seconds * 1000)
        yield* sandbox.settle({ merchant_id })
      }

      const acknowledged = [...first.acknowledged, ...second.acknowledged, ...third.map(({ id }) => id)]
      assert.isAtLeast(acknowledged.length, 200)
      const { items } = yield* storage.list({
        merchant_id,
        kinds: ["transfer", "offramp"],
        index_keys: [],
        offset: 0,
        limit: 1000
      })
      const byId = new Map(items.map((row) => [row.id, row]))
      assert.deepEqual(
        acknowledged.filter((id) => !byId.has(id)),
        [],
        "acknowledged and gone"
      )
      for (const row of items as ReadonlyArray<Row>) {
        assert.strictEqual(row.status, "success", row.id)
        assert.strictEqual(yield* provider.executionsOf(row.id), 1, row.id)
      }
      const classes = yield* booksBalance
      assert.strictEqual(classes.get("clearing/USDC") ?? "0", "0")
      assert.strictEqual(classes.get("reserved/USDC") ?? "0", "0")
      const { body } = yield* wallets.get(yield* call(merchant_id), wallet_id)
      assert.strictEqual(body.balance.available, `${100_000 - 10 * items.length}.00`)

      // One event for each transition that has one, in an unbroken sequence, and every one of them arrived.
      const events = yield* storage.events({ merchant_id, offset: 0, limit: 10_000 })
      for (const { id } of items) {
        const types = events.items
          .filter(({ object_id }) => object_id === id)
          .toReversed()
          .map(({ type }) => type.split(".")[1])
        assert.deepEqual(
          types,
          id.startsWith("tfr_") ? ["processing", "success"] : ["created", "funds_received", "processing", "success"]
        )
      }
      const arrived = new Set(hook.received.map(({ headers }) => String(headers["webhook-id"]).replace("msg_", "")))
      const expected = events.items.filter(({ object_id }) => byId.has(object_id))
      assert.deepEqual(
        expected.filter(({ id }) => !arrived.has(id)).map(({ type }) => type),
        []
      )
      const { total } = yield* storage.jobs({
        merchant_id,
        queue: "delivery",
        status: "delivered",
        offset: 0,
        limit: 1
      })
      assert.strictEqual(total, expected.length)
    }).pipe(Effect.provide(crashingEngine(database).pipe(Layer.provide(later))))
  }).pipe(Effect.scoped, Effect.runPromise)

covers("IDEM-7", "SERVICE-2")
describe("a process killed in the middle of 200 movements", () => {
  it("leaves nothing half done on Postgres", async () => {
    await survives(await freshDatabase())
  })

  it("leaves nothing half done on PGlite, in a directory", async () => {
    const folder = mkdtempSync(join(tmpdir(), "corridor-crash-"))
    try {
      await fillDirectory(join(folder, "store"))
      await survives(join(folder, "store"))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
