/** A Restate server of its own: one node in a new directory, which listens on Unix sockets only. */
import { spawn } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Pool } from "undici"

export const SERVER = `@restatedev/restate-server-${process.platform}-${process.arch}`
const NODE = "bench"
/** The fastest of 1, 4 and 24, the default, on two cores. */
const PARTITIONS = "1"
const STARTED_IN_MS = 60_000
/** A life that takes longer is an error, because Restate itself repeats what fails for hours. */
const ANSWERED_IN_MS = 60_000

/** Ends the server, and removes its directory, when this process has ended or closes the pipe. */
const WATCHDOG = `"$0" --no-logo & cat > /dev/null; kill -KILL $!; wait $! 2> /dev/null; rm -rf "$RESTATE_BASE_DIR"`

export interface RestateServer {
  /** Posts to the ingress, with JSON or nothing. Gives the text of the answer. Rejects when it is not a success. */
  readonly call: (path: string, input?: unknown, headers?: Readonly<Record<string, string>>) => Promise<string>
  /** Makes the handlers of an endpoint known. */
  readonly register: (uri: string) => Promise<void>
  readonly close: () => Promise<void>
}

const asking = (socketPath: string, connections: number) => {
  const pool = new Pool("http://localhost", { socketPath, connections, headersTimeout: ANSWERED_IN_MS })
  return {
    ask: async (method: "GET" | "POST", path: string, input?: unknown, headers = {}): Promise<string> => {
      const sent =
        input === undefined
          ? { headers }
          : { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(input) }
      const { statusCode, body } = await pool.request({ method, path, ...sent })
      const text = await body.text()
      if (statusCode >= 300) throw new Error(`${path}: ${statusCode} ${text}`)
      return text
    },
    end: () => pool.destroy()
  }
}

/** Errors: rejects when the server is not ready in a minute. */
export const startRestate = async (connections: number): Promise<RestateServer> => {
  const home = mkdtempSync(join(tmpdir(), "corridor-restate-"))
  const binary = fileURLToPath(import.meta.resolve(`${SERVER}/bin/restate-server`))
  const child = spawn("/bin/sh", ["-c", WATCHDOG, binary], {
    detached: true,
    env: {
      PATH: process.env["PATH"],
      RESTATE_BASE_DIR: home,
      RESTATE_NODE_NAME: NODE,
      RESTATE_DEFAULT_NUM_PARTITIONS: PARTITIONS,
      RESTATE_LISTEN_MODE: "unix",
      // It asks for its latest release at the start, whatever is set, and says so when it cannot.
      RESTATE_LOG_FILTER: "error,octocrab=off",
      RESTATE_DISABLE_TELEMETRY: "true"
    },
    stdio: ["pipe", 2, 2]
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  const ingress = asking(join(home, NODE, "ingress.sock"), connections)
  const admin = asking(join(home, NODE, "admin.sock"), 1)
  const close = async (): Promise<void> => {
    await Promise.all([ingress.end(), admin.end()])
    child.stdin?.end()
    await ended
  }
  const isReady = () =>
    Promise.all([admin.ask("GET", "/health"), ingress.ask("GET", "/restate/health")]).then(
      () => true,
      () => false
    )
  for (const began = performance.now(); !(await isReady()); await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (performance.now() - began < STARTED_IN_MS) continue
    await close()
    throw new Error("the Restate server is not ready")
  }
  return {
    call: (path, input, headers) => ingress.ask("POST", path, input, headers),
    register: async (uri) => {
      await admin.ask("POST", "/deployments", { uri })
    },
    close
  }
}
