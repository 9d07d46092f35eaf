import { describe, expect, it } from "vitest"
import { assign, createMachine, initialTransition, raise, setup } from "xstate"
import { lifecycle, outcomes } from "../../src/machines/kernel/lifecycle.ts"

interface LampData {
  readonly pressed: number
  readonly broken: boolean
}
type LampEvent = { readonly type: "press" } | { readonly type: "smash" } | { readonly type: "timer.dim" }

const parts = setup({
  types: { context: {} as LampData, events: {} as LampEvent, input: {} as LampData },
  guards: { whole: ({ context }) => !context.broken },
  actions: outcomes
})

const lamp = parts.createMachine({
  id: "lamp",
  version: "2",
  context: ({ input }) => input,
  initial: "dark",
  states: {
    dark: {
      on: {
        press: {
          target: "bright",
          guard: "whole",
          actions: [
            assign({ pressed: ({ context }) => context.pressed + 1 }),
            { type: "post", params: [{ debit: "fx", credit: "fees", amount: "1", currency: "NGN" }] },
            { type: "publish", params: { type: "lit" } },
            { type: "timer", params: { name: "dim", after_ms: 1000 } },
            { type: "command", params: { operation: "submit", name: "warm" } }
          ]
        }
      }
    },
    bright: {
      on: {
        press: { target: "dark", actions: { type: "cancel", params: { name: "dim" } } },
        "timer.dim": { target: "dark" },
        smash: { target: "gone", actions: assign({ broken: true }) }
      }
    },
    gone: { type: "final" }
  }
})

const first = parts.createMachine({
  id: "lamp",
  version: "1",
  context: ({ input }) => input,
  initial: "off",
  states: { off: { on: { press: { target: "on" } } }, on: { on: { press: { target: "off" } } } }
})

const whole: LampData = { pressed: 0, broken: false }
const Lamp = lifecycle<LampData, LampEvent>("lamp", lamp, { "1": first })
const nothing = { postings: [], events: [], commands: [], timers: [], cancels: [] }

describe("a lifecycle", () => {
  it("begins in the first state with the data it is given, and asks for nothing by itself", () => {
    expect(Lamp.begin(whole)).toEqual({ state: "dark", data: whole, outcome: nothing, ended: false })
    expect(Lamp.version).toBe("2")
  })

  it("tells for a row of a version that is not loaded whether it has ended by the states of the current version", () => {
    expect(["dark", "gone"].map((state) => Lamp.hasEnded(state, "3"))).toEqual([false, true])
    expect(["dark", "gone"].map((state) => Lamp.hasEnded(state, "2"))).toEqual([false, true])
    expect(Lamp.hasEnded("gone", "1")).toBe(false)
  })

  it("answers a step with the next state, the next data and what is to be done, as data", () => {
    expect(Lamp.step("dark", whole, { type: "press" })).toEqual({
      state: "bright",
      data: { pressed: 1, broken: false },
      ended: false,
      outcome: {
        postings: [{ debit: "fx", credit: "fees", amount: "1", currency: "NGN" }],
        events: [{ type: "lit" }],
        commands: [{ operation: "submit", name: "warm" }],
        timers: [{ name: "dim", after_ms: 1000 }],
        cancels: []
      }
    })
    expect(Lamp.step("bright", whole, { type: "press" })?.outcome.cancels).toEqual(["dim"])
  })

  it("gives the same step for the same row, however often it is asked", () => {
    const step = () => Lamp.step("dark", whole, { type: "press" })
    expect(step()).toEqual(step())
    expect(whole).toEqual({ pressed: 0, broken: false })
  })

  it("gives nothing for an event the state does not accept, or whose guard does not hold", () => {
    expect(Lamp.step("dark", whole, { type: "timer.dim" })).toBeUndefined()
    expect(Lamp.step("dark", { ...whole, broken: true }, { type: "press" })).toBeUndefined()
    expect(Lamp.step("dark", whole, { type: "no such event" } as never)).toBeUndefined()
  })

  it("ends in a final state, and accepts nothing there", () => {
    expect(Lamp.step("bright", whole, { type: "smash" })).toMatchObject({ state: "gone", ended: true })
    for (const type of ["press", "smash", "timer.dim"] as const) {
      expect(Lamp.step("gone", whole, { type })).toBeUndefined()
    }
  })

  it("steps a row of an older version with the machine that wrote it", () => {
    expect(Lamp.step("off", whole, { type: "press" }, "1")).toMatchObject({ state: "on" })
    expect(() => Lamp.step("off", whole, { type: "press" })).toThrow()
    expect(() => Lamp.step("off", whole, { type: "press" }, "3")).toThrow("unknown version 3 of machine lamp")
  })

  it("throws for an unknown machine action", () => {
    const stray = setup({ types: { events: {} as LampEvent }, actions: { shout: () => {} } }).createMachine({
      initial: "one",
      states: { one: { on: { press: { target: "two" } } }, two: { entry: { type: "shout" } } }
    })
    const Stray = lifecycle<unknown, LampEvent>("stray", stray)
    expect(() => Stray.step("one", {}, { type: "press" })).toThrow("unknown machine action: shout")
  })

  it("exits and enters a state anew by a transition that says so, and by one of the root", () => {
    const entry = { type: "publish", params: { type: "entered" } } as const
    const exit = { type: "cancel", params: { name: "left" } } as const
    const again = parts.createMachine({
      context: ({ input }) => input,
      initial: "one",
      on: { smash: ".one" },
      states: { one: { entry, exit, on: { press: "one", "timer.dim": { target: "one", reenter: true } } } }
    })
    const Again = lifecycle<LampData, LampEvent>("again", again)
    const doneBy = (type: LampEvent["type"]) => Again.step("one", whole, { type })?.outcome
    expect(doneBy("press")).toEqual(nothing)
    for (const type of ["timer.dim", "smash"] as const)
      expect(doneBy(type)).toEqual({ ...nothing, cancels: ["left"], events: [{ type: "entered" }] })
  })

  it("does the actions of the way into the first state before those of the state, as XState does", () => {
    const begun = (type: string) => ({ type: "publish", params: { type } }) as const
    const machine = parts.createMachine({
      context: ({ input }) => input,
      initial: { target: "one", actions: begun("first") },
      states: { one: { entry: begun("second") } }
    })
    const { events } = lifecycle<LampData, LampEvent>("initial", machine).begin(whole).outcome
    expect(events.map(({ type }) => type)).toEqual(["first", "second"])
    const [, actions] = initialTransition(machine, whole)
    expect(actions.map(({ params }) => params)).toEqual(events)
  })

  it.each([
    ["a state in a state", { one: { initial: "two", states: { two: {} } } }, "one is compound"],
    ["a raised event", { one: { entry: raise({ type: "press" }) } }, "one has an action other than an assignment"],
    ["a delay", { one: { after: { 10: "one" } } }, "one waits by itself"],
    ["an actor", { one: { invoke: { src: "lighter" } } }, "one invokes an actor"],
    ["events by a pattern", { one: { on: { "timer.*": "one" } } }, "one takes events by a pattern"],
    ["exit actions of an end", { one: { type: "final", exit: assign({}) } }, "one is final and has exit actions"]
  ] as const)("refuses a machine with %s", (_, states, reason) => {
    const machine = createMachine({ id: "odd", initial: "one", states: states as never })
    expect(() => lifecycle("odd", machine)).toThrow(`the machine odd is not flat: ${reason}`)
  })

  it("throws what a machine throws on its way into its first state", () => {
    const broken = setup({ types: { input: {} as LampData, context: {} as LampData } }).createMachine({
      context: ({ input }) => input,
      initial: "one",
      states: {
        one: {
          entry: assign(() => {
            throw new Error("no bulb")
          })
        }
      }
    })
    expect(() => lifecycle<LampData, LampEvent>("broken", broken).begin(whole)).toThrow("no bulb")
  })

  it("is of version 1 unless its machine says otherwise", () => {
    const unnamed = setup({}).createMachine({ initial: "one", states: { one: {} } })
    expect(lifecycle<object, LampEvent>("unnamed", unnamed).version).toBe("1")
  })
})
