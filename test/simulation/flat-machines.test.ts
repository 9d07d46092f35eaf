/** The steps of every machine are those of XState's own interpreter, in lives of all kinds and for events that no life has. */
import { deepStrictEqual } from "node:assert"
import { globSync } from "node:fs"
import { resolve } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type AnyStateMachine, initialTransition, transition } from "xstate"
import { collectOutcome, type Lifecycle, type Step } from "../../src/machines/kernel/lifecycle.ts"
import { live, programOf } from "../../src/testing/index.ts"

type Event = { readonly type: string }
type AnyLifecycle = { -readonly [K in keyof Lifecycle<unknown, Event>]: Lifecycle<unknown, Event>[K] }

const isLifecycle = (value: unknown): value is AnyLifecycle =>
  typeof value === "object" && value !== null && "machines" in value && "hasEnded" in value

/** A step, or what was thrown instead. */
type Taken = { readonly step: Step<unknown> | undefined } | { readonly thrown: string }

const taken = (step: () => Step<unknown> | undefined): Taken => {
  try {
    return { step: step() }
  } catch (error) {
    // XState puts more before the message of a guard that throws.
    return {
      thrown: (error as Error).message.split("\n").at(-1)!
    }
  }
}

type Interpreted = ReturnType<typeof transition>

const stepOf = ([snapshot, actions]: Interpreted): Step<unknown> => {
  if (snapshot.status === "error") throw snapshot.error
  return {
    state: snapshot.value as string,
    data: snapshot.context,
    outcome: collectOutcome(actions),
    ended: snapshot.status === "done"
  }
}

const begunBy = (machine: AnyStateMachine, input: unknown): Taken =>
  taken(() => stepOf(initialTransition(machine, input as never) as Interpreted))

const steppedBy = (machine: AnyStateMachine, state: string, data: unknown, event: Event): Taken =>
  taken(() => {
    const before = machine.resolveState({ value: state, context: data as never })
    return before.can(event) ? stepOf(transition(machine, before, event)) : undefined
  })

const machinesFolder = resolve(import.meta.dirname, "../../src/machines")
const originals = new Map<AnyLifecycle, Pick<AnyLifecycle, "begin" | "step">>()
/** The data that each state of a kind was seen with last. */
const seen = new Map<AnyLifecycle, Map<string, unknown>>()
let compared = 0

/** Each step of the lifecycle is compared with XState's from now on. */
const watch = (lifecycle: AnyLifecycle): void => {
  const { begin, machine, step, version } = lifecycle
  const states = new Map<string, unknown>()
  originals.set(lifecycle, { begin, step })
  seen.set(lifecycle, states)
  const keep = (ours: Taken): void => {
    compared++
    if ("step" in ours && ours.step !== undefined) states.set(ours.step.state, ours.step.data)
  }
  lifecycle.begin = (input) => {
    const ours = taken(() => begin(input))
    deepStrictEqual(ours, begunBy(machine, input))
    keep(ours)
    return begin(input)
  }
  lifecycle.step = (state, data, event, stored = version) => {
    if (stored === version) {
      const ours = taken(() => step(state, data, event))
      deepStrictEqual(ours, steppedBy(machine, state, data, event))
      keep(ours)
    }
    return step(state, data, event, stored)
  }
}

beforeAll(async () => {
  for (const file of globSync("**/*.ts", { cwd: machinesFolder })) {
    const module: Readonly<Record<string, unknown>> = await import(resolve(machinesFolder, file))
    for (const one of Object.values(module)) if (isLifecycle(one) && !originals.has(one)) watch(one)
  }
})

afterAll(() => {
  for (const [lifecycle, original] of originals) Object.assign(lifecycle, original)
})

it("takes the steps of XState, whatever happens to a resource", async () => {
  for (const seed of [3, 11]) await live(programOf(seed))
  expect(compared).toBeGreaterThan(2_000)
  expect([...seen.values()].filter((states) => states.size > 0).length).toBeGreaterThan(25)
})

it("takes the steps of XState for every event in every state that was seen, and refuses what it refuses", () => {
  let steps = 0
  for (const [lifecycle, states] of seen) {
    const { step } = originals.get(lifecycle)!
    const { machine } = lifecycle
    for (const state of Object.keys(machine.states)) {
      const data = states.get(state) ?? [...states.values()][0]
      if (data === undefined) continue
      for (const type of [...machine.events, "no_such_event"]) {
        const event = { type, at: 1, patch: {}, amount: "1" }
        const ours = taken(() => step(state, data, event))
        deepStrictEqual(ours, steppedBy(machine, state, data, event), `${lifecycle.kind}: ${state}, ${type}`)
        if ("step" in ours && ours.step !== undefined) steps++
      }
    }
  }
  expect(steps).toBeGreaterThan(150)
})
