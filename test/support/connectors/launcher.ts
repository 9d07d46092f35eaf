/** A reference connector as a process of its own on loopback, over a database that outlives it. */
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Running, startCommand } from "../http/served-process.ts"
import { scratchFolder } from "../repository/scratch.ts"

export type Implementation = "node" | "python"

const root = join(import.meta.dirname, "../../..")
const commands: Readonly<Record<Implementation, readonly [command: string, file: string]>> = {
  node: [process.execPath, join(root, "examples/connector-node/connector.ts")],
  python: ["python3", join(root, "examples/connector-python/connector.py")]
}

/** What runs an implementation: a program and its file. */
export const commandOf = (implementation: Implementation): readonly [command: string, file: string] =>
  commands[implementation]

/** Why an implementation cannot run here. Undefined: it can. */
export const missing = (implementation: Implementation): string | undefined => {
  if (implementation === "node") return undefined
  const program = "import sqlite3, sys; sys.exit(0 if sys.version_info >= (3, 9) else 1)"
  try {
    execFileSync("python3", ["-c", program], { stdio: "ignore" })
    return undefined
  } catch {
    return "python3 3.9 or later, with sqlite3, is not installed"
  }
}

export const connectorSecret = `whsec_${Buffer.from("the secret of a reference connector").toString("base64")}`
export const connectorAdminToken = "the_admin_token_of_a_reference_connector"

/** One execution as the connector's own records have it. Amounts are minor units. */
export interface Execution {
  readonly command_id: string
  readonly entry: "payout" | "conversion" | "refund"
  readonly minor: bigint
  readonly currency: string
}

export interface Connector {
  /** The same after a restart. */
  readonly url: string
  readonly secret: string
  /** The file of its database. */
  readonly database: string
  /** What the present process has written to either stream. */
  readonly output: () => string
  /** Ends the process with SIGKILL, and returns when it has ended. */
  readonly kill: () => Promise<void>
  /** Ends the process with SIGTERM, and returns its exit code. */
  readonly terminate: () => Promise<number | null>
  /** Starts it again on its database and port, with the environment of its start and `env`. Kills it if it runs. */
  readonly restart: (env?: Readonly<Record<string, string>>) => Promise<void>
  /** Ends the process and deletes the database. */
  readonly stop: () => Promise<void>
  /** What it has executed, from its database: of one command, or all. */
  readonly executions: (command_id?: string) => ReadonlyArray<Execution>
  /** Makes the world outside act: `POST /admin/<path>`. Throws when the connector refuses. */
  readonly admin: (path: string, body: object) => Promise<any>
}

/**
 * Starts a connector on a free port of loopback, and returns when it is ready. Outcomes follow at once: `env` may say
 * otherwise with `CONNECTOR_DELAY_MS`.
 */
export const startConnector = async (
  implementation: Implementation,
  env: Readonly<Record<string, string>> = {}
): Promise<Connector> => {
  const folder = scratchFolder("connector-")
  const database = join(folder, "connector.sqlite")
  const [command, file] = commands[implementation]
  let settings: Record<string, string> = {
    PORT: "0",
    CONNECTOR_SECRET: connectorSecret,
    CONNECTOR_ADMIN_TOKEN: connectorAdminToken,
    CONNECTOR_DATABASE: database,
    CONNECTOR_DELAY_MS: "0",
    CONNECTOR_RETRY_MS: "50",
    ...env
  }
  const start = async (): Promise<readonly [Running, string]> => {
    const running = startCommand(command, [file], settings)
    return [running, await running.printed(/listens on (http:\S+)/)]
  }
  let [running, url] = await start()
  settings = { ...settings, PORT: new URL(url).port }
  const kill = async (): Promise<void> => {
    running.child.kill("SIGKILL")
    await running.exit
  }
  return {
    url,
    secret: settings["CONNECTOR_SECRET"]!.split(" ")[0]!,
    database,
    output: () => running.output(),
    kill,
    terminate: async () => {
      running.child.kill("SIGTERM")
      return running.exit
    },
    restart: async (more = {}) => {
      await kill()
      settings = { ...settings, ...more }
      ;[running] = await start()
    },
    stop: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
    executions: (command_id) => {
      const db = new DatabaseSync(database, { readOnly: true })
      try {
        const statement = db.prepare(
          "select command_id, entry, minor, currency from executions where ?1 in (command_id, '')"
        )
        statement.setReadBigInts(true)
        return statement.all(command_id ?? "") as unknown as ReadonlyArray<Execution>
      } finally {
        db.close()
      }
    },
    admin: async (path, body) => {
      const response = await fetch(`${url}/admin/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${settings["CONNECTOR_ADMIN_TOKEN"]}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      const answer = (await response.json()) as { readonly error?: string }
      if (response.status !== 200) throw new Error(`admin/${path}: ${response.status} ${answer.error}`)
      return answer
    }
  }
}
