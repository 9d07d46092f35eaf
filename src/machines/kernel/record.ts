/** The lifecycle of a resource with a single state. `update` replaces members of its data. */
import { assign, setup } from "xstate"
import { lifecycle, type Lifecycle } from "./lifecycle.ts"

export interface Update<Data> {
  readonly type: "update"
  readonly patch: Partial<Data>
}

export const record = <Data extends object>(kind: string): Lifecycle<Data, Update<Data>> =>
  lifecycle<Data, Update<Data>>(
    kind,
    setup({ types: { context: {} as Data, events: {} as Update<Data>, input: {} as Data } }).createMachine({
      id: kind,
      version: "1",
      context: ({ input }) => input,
      initial: "active",
      states: {
        active: { on: { update: { actions: assign(({ context, event }) => ({ ...context, ...event.patch })) } } }
      }
    })
  )
