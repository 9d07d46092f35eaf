/**
 * A provider that goes wrong on purpose, in every way the port allows, around one that does not.
 *
 * Submissions and look-ups fail as planned; what the provider has to say of a movement is told twice, late, in the wrong
 * order or not at all, as planned for the submission it answers.
 */
import { methodsOf, type ProviderMethods, withMethods } from "../engines/provider-methods.ts"
import { Clock, Context, Effect, Layer } from "effect"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import {
  type ConversionCommand,
  type PayoutCommand,
  Provider,
  type ProviderEvent
} from "../../../src/engine/ports/Provider.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { EMPTY, type Job, Storage } from "../../../src/engine/ports/Storage.ts"

/**
 * - `temporary`: answers unavailable, and was not asked.
 * - `timeout_executed`, `timeout_absent`: no answer; it was taken, or never arrived.
 * - `duplicate`: every word twice. `late`: a day later. `never`: not at all.
 * - `reversed`: a word is kept back until the next one was told, or until `release`.
 */
export const faults = [
  "temporary",
  "timeout_executed",
  "timeout_absent",
  "duplicate",
  "reversed",
  "late",
  "never"
] as const
export type Fault = (typeof faults)[number]

/** What goes wrong with the n-th submission of a command (n from 1) or its n-th look-up; `undefined`: nothing. */
export interface Plan {
  readonly submission: (command: PayoutCommand | ConversionCommand, n: number) => Fault | undefined
  /** True: the look-up fails too. */
  readonly lookup?: (command: PayoutCommand | ConversionCommand, n: number) => boolean
}

/** The same faults one after the other, over all commands; none once they are used up. */
export const inTurn = (list: ReadonlyArray<Fault | undefined>): Plan => {
  const left = [...list]
  return { submission: () => left.shift() }
}

const day = 24 * 60 * 60 * 1000
const lateMark = ".late"
const timeout = new ProviderFault({ message: "the faulty provider did not answer in time" })

const counter = () => {
  const counts = new Map<string, number>()
  return (id: string): number => {
    const n = (counts.get(id) ?? 0) + 1
    counts.set(id, n)
    return n
  }
}

export class FaultyProvider extends Context.Service<
  FaultyProvider,
  {
    /** The words that were kept back and have not been told yet; they are told now. */
    readonly release: Effect.Effect<ReadonlyArray<ProviderEvent>>
  }
>()("corridor/test/FaultyProvider") {
  static readonly layer = (
    plan: Plan
  ): Layer.Layer<FaultyProvider | Provider | Sandbox, never, Provider | Sandbox | Storage> =>
    Layer.effectContext(
      Effect.gen(function* () {
        const provider = yield* Provider
        const sandbox = yield* Sandbox
        const storage = yield* Storage
        const submissions = counter()
        const lookups = counter()
        /** By resource: what goes wrong with what is said of it, and the words kept back. */
        const tellings = new Map<string, Fault>()
        const kept = new Map<string, ReadonlyArray<ProviderEvent>>()

        const postpone = (job: Job) =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const { lease: _, merchant_id, ...rest } = job
            const id = `${job.id}${lateMark}`
            yield* storage.commit({
              merchant_id,
              at: now,
              idempotency: { key: `faulty/${id}`, fingerprint: id, response: null, expires_at: null },
              ...EMPTY,
              jobs: [{ ...rest, id, due_at: now + day, attempt: 0, status: "pending" }]
            })
          })

        const run = (job: Job) =>
          Effect.gen(function* () {
            const events = yield* sandbox.run(job)
            const fault = tellings.get(job.partition_key)
            if (fault === "duplicate") return [...events, ...events]
            if (fault === "never") return []
            if (fault === "late" && !job.id.endsWith(lateMark)) {
              yield* postpone(job)
              return []
            }
            if (fault !== "reversed") return events
            const before = kept.get(job.partition_key)
            if (before === undefined) {
              kept.set(job.partition_key, events)
              return []
            }
            kept.delete(job.partition_key)
            return [...events.toReversed(), ...before]
          })

        const submit: ProviderMethods["submit"] = (command) =>
          Effect.suspend(() => {
            const fault = plan.submission(command, submissions(command.id))
            if (fault === "temporary") return Effect.succeed({ _tag: "unavailable" } as const)
            if (fault === "timeout_absent") return Effect.fail(timeout)
            if (fault !== undefined) tellings.set(command.resource_id, fault)
            const asked = methodsOf(provider).submit(command)
            return fault === "timeout_executed" ? Effect.andThen(asked, Effect.fail(timeout)) : asked
          })

        const lookup: ProviderMethods["lookup"] = (command) =>
          Effect.suspend(() =>
            plan.lookup?.(command, lookups(command.id)) ? Effect.fail(timeout) : methodsOf(provider).lookup(command)
          )

        const release = Effect.sync(() => {
          const events = [...kept.values()].flat()
          kept.clear()
          return events
        })

        const faulty = Sandbox.of({ ...sandbox, run })
        return Context.make(Provider, { ...withMethods(provider, { submit, lookup }), sandbox: faulty }).pipe(
          Context.add(Sandbox, faulty),
          Context.add(FaultyProvider, FaultyProvider.of({ release }))
        )
      })
    )
}
