/**
 * A bank behind Corridor's provider protocol, version 1: a server of its own that needs Node 22.19 or later and nothing else.
 *
 *   CONNECTOR_SECRET=whsec_… node connector.ts
 *
 * The README of this folder lists the settings, and says how to put a real bank behind it.
 */
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { open as openAccount } from "./accounts.ts"
import { type Bank, type Command, due } from "./commands.ts"
import { type Config, ConfigFault, configFrom } from "./config.ts"
import { openDatabase } from "./database.ts"
import { deliverer } from "./events.ts"
import { open as openLedger } from "./ledger.ts"
import { operationsOf } from "./operations.ts"
import { settle } from "./payments.ts"
import { partsOf, serverOf } from "./server.ts"

/** Waits that find nothing to do, between two looks at the database. */
const idle_ms = 20

const read = (): Config => {
  try {
    return configFrom(process.env)
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

const config = read()
const bank: Bank = { config, db: openDatabase(config.database) }
const clean = partsOf(bank, operationsOf(bank))
// Defects on purpose, for tests: see faults.ts.
const fault = process.env["CONNECTOR_FAULT"]
const parts = fault ? (await import("./faults.ts")).withFault(fault, clean) : clean
openLedger(parts.bank)

const finish = (command: Command): void => {
  try {
    if (command.operation === "issue") openAccount(parts.bank, command)
    else settle(parts.bank, command)
  } catch (error) {
    // The others do not wait for it.
    console.error(command.operation, command.id, error)
  }
}

let isRunning = true
/** Repeats `work`, whatever becomes of it: what it has to do is in the database, and stays there until it is done. */
const repeat = async (work: () => unknown): Promise<void> => {
  while (isRunning) {
    try {
      await work()
    } catch (error) {
      console.error(error)
    }
    await pause(idle_ms)
  }
}

const server = serverOf(parts)
server.listen(config.port, config.host, () => {
  const { address, port } = server.address() as AddressInfo
  console.log(`connector listens on http://${address.includes(":") ? `[${address}]` : address}:${port}`)
})
const working = Promise.all([
  repeat(() => due(parts.bank.db, Date.now()).forEach(finish)),
  repeat(deliverer(parts.bank))
])

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    isRunning = false
    server.close()
    server.closeAllConnections()
    void working.then(() => {
      parts.bank.db.close()
      process.exit(0)
    })
  })
