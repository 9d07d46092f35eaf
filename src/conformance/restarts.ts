/** Stops and starts the connector: it must know afterwards what it knew before. */
import { type ChildProcess, spawn } from "node:child_process"
import { CannotRun } from "./cannot-run.ts"
import { now, sleep, raceTimeout } from "./clock.ts"

/** How the connector is restarted. `start`: a command of a shell that runs it. `pid`: the process that runs at first. */
export type RestartOptions =
  | { readonly restart: string }
  | { readonly start: string; readonly pid: number | null }
  | null

/** The connector could not be started. */
export class NotStarted extends CannotRun {}

/** How much of the connector's output is kept, to explain why it does not start. */
const OUTPUT_MAX = 2000

export class Restarts {
  readonly #options: RestartOptions
  /** Whether the connector serves its manifest again. */
  readonly #isUp: () => Promise<boolean>
  /** The longest wait for the connector. */
  readonly #limit_ms: number
  #child: ChildProcess | undefined
  #output = ""
  #count = 0

  constructor(options: RestartOptions, isUp: () => Promise<boolean>, limit_ms: number) {
    this.#options = options
    this.#isUp = isUp
    this.#limit_ms = limit_ms
  }

  get isPossible(): boolean {
    return this.#options !== null
  }

  /** How often the connector was restarted. */
  get count(): number {
    return this.#count
  }

  /** Starts the connector where the kit runs it. Errors: throws {@link NotStarted} when it serves no manifest in time. */
  async begin(): Promise<void> {
    if (this.#options === null || "restart" in this.#options || this.#options.pid !== null) return
    this.#spawn(this.#options.start)
    await this.#untilUp()
  }

  /** Ends the process that the kit started. */
  async end(): Promise<void> {
    await this.#kill()
  }

  /** Kills the connector, without notice where the kit runs it, and waits until it serves its manifest again. */
  async restart(): Promise<void> {
    if (this.#options === null) throw new NotStarted("nothing restarts the connector")
    this.#count += 1
    if ("restart" in this.#options) {
      this.#spawn(this.#options.restart)
      const child = this.#child
      const code = await raceTimeout(
        this.#limit_ms,
        new Promise<number | null>((resolve) => child?.once("exit", (code) => resolve(code))),
        () => undefined
      )
      this.#child = undefined
      if (code === undefined) child?.kill("SIGKILL")
      if (code !== 0)
        throw new NotStarted(
          code === undefined
            ? `the command of --restart has not ended after ${this.#limit_ms / 1000} s`
            : `the command of --restart ended with ${code}${this.#words()}`
        )
    } else {
      const { pid } = this.#options
      if (this.#child === undefined && pid !== null) {
        process.kill(pid, "SIGKILL")
        await this.#untilGone(pid)
      } else await this.#kill()
      this.#spawn(this.#options.start)
    }
    await this.#untilUp()
  }

  #words(): string {
    const text = this.#output.trim()
    return text === "" ? "" : `: ${text.slice(-OUTPUT_MAX)}`
  }

  #spawn(command: string): void {
    // A group of its own, so that what the shell starts ends with it.
    const child = spawn(command, { shell: true, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    this.#output = ""
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + String(chunk)).slice(-OUTPUT_MAX)
    }
    child.stdout?.on("data", keep)
    child.stderr?.on("data", keep)
    this.#child = child
    // A connector that the kit started must not outlive it.
    const stop = (signal: NodeJS.Signals): void => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, "SIGKILL")
      process.kill(process.pid, signal)
    }
    process.once("SIGINT", stop)
    process.once("SIGTERM", stop)
    child.once("close", () => {
      process.off("SIGINT", stop)
      process.off("SIGTERM", stop)
    })
  }

  async #kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise<void>((resolve) => child.once("close", () => resolve()))
    try {
      process.kill(-child.pid, "SIGKILL")
    } catch {
      return
    }
    await raceTimeout(5000, gone, () => undefined)
  }

  async #untilGone(pid: number): Promise<void> {
    const end = now() + 5000
    while (now() < end) {
      try {
        process.kill(pid, 0)
      } catch {
        return
      }
      await sleep(20)
    }
  }

  async #untilUp(): Promise<void> {
    const end = now() + this.#limit_ms
    while (now() < end) {
      if (await this.#isUp()) return
      const child = this.#child
      if (child !== undefined && child.exitCode !== null)
        throw new NotStarted(`the command of --start ended with ${child.exitCode}${this.#words()}`)
      await sleep(50)
    }
    throw new NotStarted(`the connector serves no manifest ${this.#limit_ms / 1000} s after its start${this.#words()}`)
  }
}

/** Makes several cases wait for one action: it happens when all of them have come to it, or have ended. */
export class Meeting {
  readonly #action: () => Promise<void>
  #expected: number
  #waiting: Array<{ readonly resolve: () => void; readonly reject: (error: unknown) => void }> = []

  constructor(expected: number, action: () => Promise<void>) {
    this.#expected = expected
    this.#action = action
  }

  /** Waits for the action. Each participant comes at most once. */
  come(): Promise<void> {
    this.#expected -= 1
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#begin()
    })
  }

  /** Says that a participant has ended without coming. */
  leave(): void {
    this.#expected -= 1
    this.#begin()
  }

  #begin(): void {
    if (this.#expected > 0 || this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#action().then(
      () => waiting.forEach(({ resolve }) => resolve()),
      (error: unknown) => waiting.forEach(({ reject }) => reject(error))
    )
  }
}
