/**
 * The crash sweep of one request: it is made, and the work it leaves is done, by a process that ends before its first call of
 * a port, and again by one that ends after the first call that changes something, and so on until one comes through. After each
 * the request is repeated with its key on a node that knows nothing but the store, and everything is compared with what
 * happened undisturbed.
 */
import { Effect, Layer } from "effect"
import { expect } from "vitest"
import { kinds } from "../../../src/engine/registry.ts"
import type { Posting } from "../../../src/machines/kernel/ledger.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import type { Answer } from "../http/server.ts"
import type { Request } from "../http/successful-requests.ts"
import type { Repeatable } from "../stores/journaled.ts"
import { type End, Life } from "./ending-process.ts"
import { type Node, startNode } from "../engines/in-process-node.ts"
import { type Stock, stockAt, stockOf } from "../http/stocked-server.ts"
import { T0 } from "../engines/wall-clock.ts"

export type Prepare = (s: Stock) => Request | Promise<Request>

/** Calls that leave everything outside the process as it was: one that ends at them has done what it had done before them. */
const reading =
  /^(?:(?:cipher|pricing|rates)\.\w+|storage\.(?:accounts|claim of nothing|clock|event|find|get|idempotencyRecord|identity|job|jobs|list|lookup|nextDue|pending|setting|uniqueKeyOwner))$/

/** Past every lease that the ended process held. */
const LATER = T0 + 120_000
const DAYS = 3 * 86_400
const key = "sweep-0123456789"

/** A node over a store, at the time that sweeps begin unless told otherwise. */
export const nodeOver = (store: Repeatable, more: { known?: Node; life?: Life; wall?: number } = {}): Promise<Node> => {
  const { wall = T0, ...rest } = more
  return startNode({ storage: Layer.succeed(Storage, store.storage), wall: () => wall, ...rest })
}

/** A store with something of everything in it, and who asks there. */
export const prepared = async (store: Repeatable): Promise<{ readonly node: Node; readonly stock: Stock }> => {
  const node = await nodeOver(store)
  const stock = await stockOf(node)
  await node.close()
  return { node, stock }
}

const ask = (node: Node, { path, headers, ...rest }: Request): Promise<Answer> =>
  node.ask(path, { ...rest, headers: { ...headers, "idempotency-key": key } })

const run = <A>(effect: Effect.Effect<A, unknown>): Promise<A> => Effect.runPromise(Effect.orDie(effect))

/** Ids are drawn anew by everyone who makes one; what they name stays. */
const named = (text: string): string => text.replace(/_[0-9a-hjkmnp-tv-z]{26}/g, "_")

const posted = ({ debit, credit, amount, currency }: Posting): string =>
  named(`${debit} > ${credit} ${amount} ${currency}`)

interface Picture {
  /** Each row that the request, and the work it left, made or changed: what it is, what it published, and how it came there. */
  readonly rows: ReadonlyArray<string>
  /** What is still to be done. */
  readonly jobs: ReadonlyArray<string>
  readonly books: ReadonlyArray<string>
  /** What was paid out at the provider, over all movements. */
  readonly executions: number
}

const versionsOf = async ({ storage, merchant_id }: Node): Promise<ReadonlyMap<string, number>> => {
  const query = { merchant_id, kinds: [...kinds.byName.keys()], index_keys: [], offset: 0, limit: 10_000 }
  return new Map((await run(storage.list(query))).items.map(({ id, kind, version }) => [`${kind}/${id}`, version]))
}

/** What a store shows, beside what was in it `before`: with every step on the way, or with the ends alone. */
const pictureOf = async (
  node: Node,
  before: ReadonlyMap<string, number>,
  steps: "steps" | "ends"
): Promise<Picture> => {
  const { storage, merchant_id, sandbox } = node
  const query = { merchant_id, kinds: [...kinds.byName.keys()], index_keys: [], offset: 0, limit: 10_000 }
  const rows: Array<string> = []
  let executions = 0
  for (const { id, kind, status, version } of (await run(storage.list(query))).items) {
    const known = before.get(`${kind}/${id}`) ?? 0
    executions += await run(sandbox.executionsOf(id))
    if (known === version) continue
    const { transitions, postings, events } = await run(storage.history(merchant_id, id))
    const reported = events.map(({ type, sequence }) => `${sequence} ${type}`)
    const way = transitions.filter((one) => one.kind === kind && one.version > known)
    const moves = way.map(({ from, to, via }) => `${from}>${to} ${via}`)
    rows.push(
      [kind, status, ...reported, ...(steps === "steps" ? [...moves, ...postings.map(posted)] : [])].join(" | ")
    )
  }
  const jobs: Array<string> = []
  for (const queue of ["command", "timer", "simulated", "delivery"] as const) {
    const { items } = await run(storage.jobs({ merchant_id, queue, status: "pending", offset: 0, limit: 10_000 }))
    jobs.push(
      ...items.map(({ partition_key, body }) =>
        named(`${queue} ${partition_key} ${JSON.stringify({ ...body, payload: null })}`)
      )
    )
  }
  const { classes } = await run(storage.trialBalance)
  return {
    rows: rows.toSorted(),
    jobs: jobs.toSorted(),
    books: classes.map((one) => `${one.class} ${one.balance} ${one.currency}`).toSorted(),
    executions
  }
}

/** Lets everything end that has begun. */
const ended = async (node: Node, before: ReadonlyMap<string, number>): Promise<Picture> => {
  await node.ask("/sandbox/clock/advance", { body: { seconds: DAYS } })
  return pictureOf(node, before, "ends")
}

export interface Sweep {
  /** The calls of the undisturbed run: those that make the answer, and those that do the work it leaves. */
  readonly creating: ReadonlyArray<string>
  readonly working: ReadonlyArray<string>
  /** How often a process was ended. */
  readonly ends: number
}

/**
 * Sweeps one request over copies of `store`, which `prepared` has filled. `working`: after which of the calls after the answer
 * a process ends; after all that change something unless it says otherwise. `atOnce`: processes that live side by side, each on a copy of its
 * own, where they wait for their store.
 */
export const sweep = async (
  store: Repeatable,
  { node: known, stock }: { readonly node: Node; readonly stock: Stock },
  prepare: Prepare,
  { working = () => true, atOnce = 1 }: { working?: (call: string) => boolean; atOnce?: number } = {}
): Promise<Sweep> => {
  const own = await store.again()
  const readied = await nodeOver(own, { known })
  const request = await prepare(stockAt(readied, stock))
  const before = await versionsOf(readied)
  await readied.close()

  /** The answer, and then the work; how many calls the answer took. */
  const live = async (node: Node) => {
    const answer = await ask(node, request)
    const creating = node.life.calls.length
    return { answer, creating, settled: node.ask("/sandbox/settle", { body: {} }) }
  }

  const calm = await own.again()
  const undisturbed = await nodeOver(calm, { known })
  const { answer: expected, creating } = await live(undisturbed).then(async ({ settled, ...rest }) => {
    await settled
    return rest
  })
  const calls = [...undisturbed.life.calls]
  const done = await ended(undisturbed, before)
  await undisturbed.close()
  await calm.close()
  const still = await own.again()
  const quiet = await nodeOver(still, { known })
  await ask(quiet, request)
  const made = await pictureOf(quiet, before, "steps")
  await quiet.close()
  await still.close()

  const once = async (end: End): Promise<boolean> => {
    const copy = await own.again()
    const life = new Life(end)
    const dying = await nodeOver(copy, { known, life })
    let answered: Answer | undefined
    const whole = live(dying).then(async ({ answer, settled }) => {
      answered = answer
      await settled
      return "lived" as const
    })
    const outcome = await Promise.race([whole, life.ended])
    const where = `${end.moment} ${life.calls.at(-1)} (${end.call} of ${calls.length})`
    if (outcome === "ended") {
      const node = await nodeOver(copy, { known, wall: LATER })
      const kept = await run(copy.storage.idempotencyRecord(known.merchant_id, `idem/${key}`, LATER))
      const first = await ask(node, request)
      expect([first.status, first.json.code], where).toEqual([expected.status, expected.json.code])
      expect(first.headers.get("idempotent-replayed"), where).toBe(kept === undefined ? null : "true")
      // What was committed is what is answered, to whoever heard it first. An act that ended between its commits is finished first.
      if (kept !== undefined && !/^(sealed|begun):/.test(kept.response!)) expect(first.text, where).toBe(kept.response)
      if (answered !== undefined) expect(first.text, where).toBe(answered.text)
      else expect(await pictureOf(node, before, "steps"), where).toEqual(made)
      const again = await ask(node, request)
      expect([again.text, again.headers.get("idempotent-replayed")], where).toEqual([first.text, "true"])
      expect(await ended(node, before), where).toEqual(done)
      await node.close()
    }
    // A process that has ended does not take its leave: it would wait for an answer for ever.
    if (outcome === "ended") void dying.close()
    else await dying.close()
    await copy.close()
    return outcome === "ended"
  }

  let ends = 0
  const wanted = calls.flatMap((name, at): ReadonlyArray<End> => {
    const call = at + 1
    return [
      ...(at === 0 || at === creating ? [{ call, moment: "before" } as const] : []),
      ...(!reading.test(name) && (at < creating || working(name)) ? [{ call, moment: "after" } as const] : [])
    ]
  })
  const next = wanted.values()
  const swept = async (): Promise<void> => {
    for (const end of next) {
      if (await once(end)) ends++
      // On a database the work is done side by side, and may take a call less than it did undisturbed.
      else if (end.call <= creating)
        throw new Error(`no process ended ${end.moment} call ${end.call} of ${calls.length}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, swept))
  await own.close()
  return { creating: calls.slice(0, creating), working: calls.slice(creating), ends }
}
