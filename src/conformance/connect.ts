/** Finds out what a connector serves, and puts together what the cases share. */
import { execFile } from "node:child_process"
import { makeRequest } from "../protocol/messages.ts"
import type { InputOf, Operation } from "../protocol/operations.ts"
import { Chance } from "../testing/program/random.ts"
import type { Bench } from "./bench.ts"
import { requireResult } from "./breach.ts"
import { CannotRun } from "./cannot-run.ts"
import { Callbacks } from "./callbacks.ts"
import { now } from "./clock.ts"
import { drawId } from "./draw.ts"
import { type WireResponse, type JsonMembers, Wire } from "./exchange.ts"
import { Follower } from "./follower.ts"
import { Journal } from "./journal.ts"
import type { Options } from "./options.ts"
import { type Balance, StatementReader } from "./records.ts"
import { NotStarted, Restarts } from "./restarts.ts"
import { type SubjectManifest, parseManifest, Subject } from "./subject.ts"

/** The connector cannot be reached, or what answers is no connector. */
export class Unreachable extends Error {}

/** How long the connector may take to serve its manifest after a start. */
const START_MS = 30_000
/** For bytes that were sent on a connection to have arrived. */
const ARRIVAL_MS = 100
const FOLLOW_MS = 400

export type ConnectorEnvironment = Readonly<Record<string, string | undefined>>

/** What the kit opened, and closes at the end. */
export interface OpenedBench {
  readonly bench: Bench
  readonly close: () => Promise<void>
}

/** Reads the manifest of an answer, even of one that Corridor rejects: the cases then report what is wrong with it. */
const readManifest = (answer: WireResponse): SubjectManifest => {
  if (answer.kind === "result") return parseManifest(answer.result)
  const { status, answer: text } = answer.exchange
  if (answer.kind === "refused")
    throw new Unreachable(
      `GET /manifest is refused with HTTP status ${status}. Is --secret the secret of the connector, and is its clock right?`
    )
  if (status === null) throw new Unreachable(`${answer.fault}.`)
  try {
    const body = JSON.parse(text) as { readonly result?: JsonMembers } | null
    if (typeof body?.result?.["protocol"] === "string") return parseManifest(body.result)
  } catch {
    // Not JSON: no connector.
  }
  const begin = text.slice(0, 60).replace(/\s+/g, " ")
  throw new Unreachable(
    `What answers is no connector: GET /manifest has HTTP status ${status} and ${JSON.stringify(begin)}.`
  )
}

/**
 * Connects to a connector, and opens the bench of the checks. Errors: throws {@link Unreachable}, and `NotStarted` if the kit
 * cannot start the connector.
 */
export const connectTo = async (options: Options, seed: string, env: ConnectorEnvironment): Promise<OpenedBench> => {
  const { url, secret } = options
  const deadline = now() + options.max_s * 1000
  const wire = new Wire({ url, secret, timeout_ms: options.timeout_s * 1000, max_calls: options.max_calls, deadline })
  const chance = new Chance(`${seed} connect`)
  const ask = (operation: Operation, input: JsonMembers = {}): Promise<WireResponse> => {
    const signing = { secrets: [secret], now_ms: now() }
    return wire.send(makeRequest(operation, null, input as InputOf<typeof operation>, drawId(chance, "req"), signing))
  }
  const read = async (operation: Operation, input: JsonMembers = {}): Promise<JsonMembers> =>
    requireResult(await ask(operation, input))
  const after = (operation: Operation) => (cursor: string | null) =>
    read(operation, cursor === null ? {} : { after: cursor })

  const isUp = async (): Promise<boolean> => (await ask("manifest")).exchange.status !== null
  const restarts = new Restarts(
    options.restart,
    async () => {
      await wire.renew()
      return isUp()
    },
    START_MS
  )
  const callbacks = options.callbacks === null ? null : new Callbacks(secret, seed)
  const close = async (): Promise<void> => {
    await follower?.stop()
    await callbacks?.close()
    await wire.close()
    await restarts.end()
  }
  let follower: Follower | null = null
  try {
    if (options.callbacks !== null) {
      const { host, port } = options.callbacks
      await callbacks?.listen(host, port).catch((error: Error) => {
        throw new Unreachable(`--callback-listen ${host}:${port} cannot be listened on: ${error.message}.`)
      })
    }
    await restarts.begin().catch((error: unknown) => {
      throw error instanceof NotStarted ? new Unreachable(`${error.message}.`) : error
    })
    const manifest = readManifest(await ask("manifest"))

    const served = new Set<string>()
    const found = new Map<string, JsonMembers>()
    for (const operation of ["banks", "rates", "balances", "statements"] as const) {
      const answer = await ask(operation)
      const service = operation === "banks" ? "directory" : operation === "rates" ? "rates" : "statements"
      const isOffered = manifest.offers.some((offer) => offer.operation === service)
      if (answer.kind === "result" ? answer.result["status"] !== "unsupported" : isOffered) served.add(operation)
      if (answer.kind === "result") found.set(operation, answer.result)
    }
    const banks = (found.get("banks")?.["banks"] ?? []) as ReadonlyArray<JsonMembers>
    const rates = (found.get("rates")?.["rates"] ?? []) as ReadonlyArray<JsonMembers>
    const subject = new Subject(manifest, options.wishes, { served, banks, rates })

    const records = new StatementReader(after("statements"))
    const opening = subject.serves("statements")
      ? await records.lines().then(
          (lines) => ({
            balances: (found.get("balances")?.["balances"] ?? []) as ReadonlyArray<Balance>,
            lines: lines.length
          }),
          () => null
        )
      : null
    if (manifest.events.readable) {
      follower = new Follower(after("events"), FOLLOW_MS)
      await follower.begin().catch(() => undefined)
    }
    const bench: Bench = {
      wire,
      journal: new Journal(),
      subject,
      records,
      restarts,
      follower,
      opening,
      callbacks,
      no_callbacks: "--callback-listen is not given",
      waits: {
        settle_ms: options.settle_s * 1000,
        callback_ms: options.callback_s * 1000,
        watch_ms: options.watch_ms,
        arrival_ms: ARRIVAL_MS
      },
      payIn: options.pay_in === null ? null : payInWith(options.pay_in, options.settle_s * 1000, env),
      proxy: options.proxy,
      rejected: options.rejected,
      waiting: options.waiting
    }
    return { bench, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Runs the command of --pay-in. Errors: rejects when it ends with another code than 0. */
const payInWith =
  (command: string, timeout: number, env: ConnectorEnvironment): NonNullable<Bench["payIn"]> =>
  ({ target, amount, currency }) =>
    new Promise((resolve, reject) => {
      const given = { ...env, TARGET: target, AMOUNT: amount, CURRENCY: currency }
      execFile("/bin/sh", ["-c", command], { env: given, timeout }, (error, _, stderr) =>
        error === null
          ? resolve()
          : reject(new CannotRun(`the command of --pay-in failed: ${stderr.trim() || error.message}`))
      )
    })
