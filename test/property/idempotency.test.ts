/** Idempotency keys against a model: any requests of any merchants under any keys, at any time, through any node. */
import { Layer } from "effect"
import fc from "fast-check"
import { beforeAll, expect, it } from "vitest"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { type Answer, operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"
import { makeJournaledStore, type Repeatable } from "../support/stores/journaled.ts"
import { agrees, command } from "../support/properties/model.ts"
import { type Node, startNode } from "../support/engines/in-process-node.ts"
import { T0 } from "../support/engines/wall-clock.ts"
import { triesOf } from "../support/properties/tries.ts"

const lifetime = 24 * 60 * 60

const paths = ["/v1/wallets", "/v1/api-keys"] as const
const bodies = ['{"currency":"USDC"}', '{ "currency":"USDC"}', '{"role":"viewer"}', '{"currency":"NOPE"}', "{"] as const

/** What a request is answered that nobody has made before. */
const anew = (path: string, body: string): readonly [status: number, code: string] => {
  if (body === "{") return [400, "bad_request"]
  if (path === "/v1/api-keys") return body.includes("role") ? [200, "ok"] : [400, "bad_request"]
  if (body.includes("NOPE")) return [404, "not_found"]
  return body.includes("currency") ? [200, "ok"] : [400, "bad_request"]
}

interface Model {
  /** Seconds since the beginning. */
  now: number
  /** What was answered under each merchant's keys, to what, and until when it is kept. */
  readonly kept: Map<string, { readonly request: string; readonly text: string; readonly until: number }>
  /** Every answer that was not a repeat. */
  readonly answers: Set<string>
  /** How many of each merchant's there are, by path. */
  readonly made: Map<string, number>
}

interface Real {
  readonly store: Repeatable
  readonly merchants: ReadonlyArray<string>
  node: Node
}

interface Ask {
  readonly merchant: number
  readonly key: string | null
  readonly path: (typeof paths)[number]
  readonly body: (typeof bodies)[number]
}

const asks: fc.Arbitrary<Ask> = fc.record({
  merchant: fc.nat(1),
  key: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("key-0000", "key-1111") },
    { weight: 1, arbitrary: fc.constant(null) }
  ),
  path: fc.constantFrom(...paths),
  body: fc.constantFrom(...bodies)
})

const message = ({ merchant, key, path, body }: Ask): string =>
  `merchant ${merchant} ${key ?? "no key"} ${path} ${body}`

const send = ({ merchants }: Real, node: Node, { merchant, key, path, body }: Ask): Promise<Answer> =>
  node.ask(path, { raw: body, key: merchants[merchant]!, headers: key === null ? {} : { "idempotency-key": key } })

const outcome = ({ status, json, headers }: Answer) => [status, json.code, headers.get("idempotent-replayed")]

/** What has been made is what the model counts, for each merchant. */
const counted = async (model: Model, { node, merchants }: Real): Promise<void> => {
  for (const [merchant, key] of merchants.entries())
    for (const path of paths) {
      const { json } = await node.ask(`${path}?per_page=1`, { key })
      expect(json.meta.total, `${path} of merchant ${merchant}`).toBe(model.made.get(`${merchant} ${path}`))
    }
}

const expectAnew = (model: Model, ask: Ask, answer: Answer): void => {
  const { merchant, key, path, body } = ask
  expect(outcome(answer), message(ask)).toEqual([...anew(path, body), null])
  expect(model.answers.has(answer.text)).toBe(false)
  model.answers.add(answer.text)
  const made = `${merchant} ${path}`
  if (answer.status === 200) model.made.set(made, model.made.get(made)! + 1)
  if (key !== null)
    model.kept.set(`${merchant} ${key}`, { request: `${path} ${body}`, text: answer.text, until: model.now + lifetime })
}

const keptOf = (model: Model, { merchant, key }: Ask) => {
  const kept = model.kept.get(`${merchant} ${key}`)
  return kept !== undefined && model.now < kept.until ? kept : undefined
}

const once = (ask: Ask) =>
  command<Model, Real>(message(ask), async (model, real) => {
    const answer = await send(real, real.node, ask)
    const kept = keptOf(model, ask)
    if (kept === undefined) expectAnew(model, ask, answer)
    else if (kept.request === `${ask.path} ${ask.body}`) {
      expect(outcome(answer)).toEqual([...anew(ask.path, ask.body), "true"])
      expect(answer.text).toBe(kept.text)
    } else expect(outcome(answer)).toEqual([409, "idempotency_conflict", null])
    await counted(model, real)
  })

/** Several at once, half of them at another node: one has an effect, and the others its answer, or are told to wait. */
const together = (ask: Ask) =>
  command<Model, Real>(
    `3 at once: ${message(ask)}`,
    async (model, real) => {
      const other = await nodeOf(real.store, real.node)
      const answers = await Promise.all([real.node, other, real.node].map((node) => send(real, node, ask)))
      await other.close()
      const handled = answers.filter(({ json }) => json.code !== "idempotency_in_progress")
      expect(handled.length).toBeGreaterThanOrEqual(1)
      for (const { status } of answers.filter((one) => !handled.includes(one))) expect(status).toBe(409)
      expect(new Set(handled.map(({ text }) => text)).size).toBe(1)
      const first = handled.filter(({ headers }) => headers.get("idempotent-replayed") === null)
      expect(first).toHaveLength(1)
      expectAnew(model, ask, first[0]!)
      await counted(model, real)
    },
    (model) => ask.key !== null && keptOf(model, ask) === undefined
  )

const later = (seconds: number) =>
  command<Model, Real>(`${seconds} s later`, async (model, { node }) => {
    await node.ask("/sandbox/clock/advance", { body: { seconds } })
    model.now += seconds
  })

const restart = command<Model, Real>("a restart", async (_, real) => {
  await real.node.close()
  real.node = await nodeOf(real.store, real.node)
})

const nodeOf = (store: Repeatable, known?: Node): Promise<Node> =>
  startNode({
    storage: Layer.succeed(Storage, store.storage),
    wall: () => T0,
    ...(known === undefined ? {} : { known })
  })

let base: Repeatable
let known: Node
let merchants: ReadonlyArray<string>
beforeAll(async () => {
  base = await makeJournaledStore()
  known = await nodeOf(base)
  const body = { name: "Other", country_code: "GH", status: "active" }
  const { json } = await known.ask("/operator/v1/merchants", { body, key: operatorToken })
  merchants = [known.key, json.data.api_key.secret]
  await known.close()
})

covers("IDEM-7", "IDEM-1", "IDEM-2", "IDEM-5")
it("a key has one effect and one response for a day, for any sequence of requests", () =>
  agrees<Model, Real>(
    async () => {
      const store = await base.again()
      const real: Real = { store, merchants, node: await nodeOf(store, known) }
      const made = new Map(
        merchants.flatMap((_, n) => [[`${n} /v1/wallets`, 0] as const, [`${n} /v1/api-keys`, 1] as const])
      )
      return { model: { now: 0, kept: new Map(), answers: new Set(), made }, real, end: () => real.node.close() }
    },
    [
      asks.map(once),
      asks.map(once),
      asks.map(once),
      asks.map(together),
      // To the second: a key of 24:00:00 ago is free, of 23:59:59 ago it is not.
      fc.constantFrom(1, 3600, lifetime - 1, lifetime - 1, lifetime, lifetime + 1).map(later),
      fc.constant(restart)
    ],
    { numRuns: triesOf(100) }
  ))
