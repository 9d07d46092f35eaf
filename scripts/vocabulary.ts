/**
 * Writes what is derived from the registry for files that cannot import it: the words of `/v1` that resources declare, which
 * the schemas of resources need, and the statuses that end an object, for the receiver, which imports no machine.
 */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { AnyStateMachine } from "xstate"
import type { Kind } from "../src/engine/commit/kind.ts"
import { kinds } from "../src/engine/registry.ts"

const at = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url))
export const vocabularyPath = at("engine/reference/vocabulary.ts")
export const statusesPath = at("receiver/statuses.ts")

const made = "Written by `npm run docs` from the registry; a test fails when it is stale."
const list = (words: Iterable<string>): string => `[${[...words].map((word) => JSON.stringify(word)).join(", ")}]`

/** Those of transactions first. */
const categories = new Set(
  [...kinds.transactions, ...kinds.byName.values()].flatMap(({ events }) =>
    events === undefined ? [] : [events.category]
  )
)

export const vocabularySource = (): string =>
  `/** Words of \`/v1\` that resources declare. ${made} */

/** Categories of events that webhook endpoints subscribe to. */
export const categories = ${list(categories)} as const
export type Category = (typeof categories)[number]

/** Kinds whose resources are shown as transactions. */
export const transactionTypes = ${list(kinds.transactions.map(({ kind }) => kind))} as const
`

/** The states that a machine can come to rest in after a state. */
const findReachable = (machine: AnyStateMachine, state: string): ReadonlyArray<string> => {
  const reached = new Set<string>()
  const follow = (key: string): void => {
    const { always = [], transitions } = machine.states[key]!
    for (const { target = [] } of [...always, ...[...transitions.values()].flat()])
      for (const next of target) {
        if (reached.has(next.key)) continue
        reached.add(next.key)
        follow(next.key)
      }
  }
  follow(state)
  return [...reached].filter((key) => (machine.states[key]!.always ?? []).length === 0)
}

/**
 * The statuses that end an object of a kind, each with those that a correction can bring, at once or later: events come in any
 * order. A status that a state shows which has not ended ends nothing.
 */
const endsOf = ({ events, lifecycle, status }: Kind): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
  const shown = events?.status ?? status ?? ((state: string) => state)
  const states = Object.keys(lifecycle.machine.states).map((key) => ({
    status: shown(key, {}),
    hasEnded: lifecycle.hasEnded(key),
    corrections: findReachable(lifecycle.machine, key).map((next) => shown(next, {}))
  }))
  const ended = states.filter((one) => one.hasEnded && states.every((two) => two.hasEnded || two.status !== one.status))
  const statuses = new Set(ended.flatMap((one) => one.status ?? []))
  return [...statuses].map((ending) => {
    const next = ended.filter((one) => one.status === ending).flatMap(({ corrections }) => corrections)
    return [ending, [...new Set(next)].filter((word): word is string => word !== null && word !== ending)] as const
  })
}

export const statusesSource = (): string => {
  const rows = [...categories].map((category) => {
    const kind = [...kinds.byName.values()].find(({ events }) => events?.category === category)!
    return `  ${category}: { ${endsOf(kind)
      .map(([status, next]) => `${status}: ${list(next)}`)
      .join(", ")} }`
  })
  return `/**
 * The statuses that end an object, by event category, each with the statuses that a correction can still bring.
 * ${made}
 */
export const terminalStatuses: {
  readonly [category: string]: { readonly [status: string]: ReadonlyArray<string> }
} = {
${rows.join(",\n")}
}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(vocabularyPath, vocabularySource())
  writeFileSync(statusesPath, statusesSource())
}
