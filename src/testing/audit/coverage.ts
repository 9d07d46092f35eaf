/**
 * What the seeds have visited: the transitions of every machine, every provider event in every state, every operation.
 */
import type { Op } from "../program/program.ts"
import { listTransitions, impossible, possibleWords, rare } from "./universe.ts"
import type { Answered } from "../world/observer.ts"

type Counts = ReadonlyArray<readonly [key: string, count: number]>

const increment = (map: Map<string, number>, key: string, by = 1): void => void map.set(key, (map.get(key) ?? 0) + by)

const names = ["transitions", "words", "operations"] as const

export class Coverage {
  /** `machine: from --event--> to`. */
  readonly transitions = new Map<string, number>()
  /** `machine state: outcome`. */
  readonly words = new Map<string, number>()
  /** `operation: success`, `operation: Refusal`. */
  readonly operations = new Map<string, number>()

  transition(kind: string, from: string | null, via: string, to: string): void {
    increment(this.transitions, from === null ? `${kind}: — --> ${to}` : `${kind}: ${from} --${via}--> ${to}`)
  }

  report(where: string, what: string): void {
    increment(this.words, `${where}: ${what}`)
  }

  op(op: Op, answer: Answered): void {
    increment(this.operations, `${op.call}: ${answer._tag === "refused" ? answer.error._tag : answer._tag}`)
  }

  /** Everything that is possible and was never visited. */
  missing(): ReadonlyArray<string> {
    return [
      ...listTransitions().filter((key) => !this.transitions.has(key)),
      ...possibleWords().filter((key) => !this.words.has(key))
    ].filter((key) => !(key in impossible))
  }

  /** What was visited and what is missing, in a line. */
  summary(): string {
    const visited = this.transitions.size + this.words.size
    const missing = this.missing()
    const rarely = missing.filter((key) => key in rare).length
    return `visited ${visited} transitions and reports; ${missing.length} are missing, of which ${rarely} are rare`
  }

  /** All counts, as data. */
  entries(): Readonly<Record<(typeof names)[number], Counts>> {
    return { transitions: [...this.transitions], words: [...this.words], operations: [...this.operations] }
  }

  /** Adds the counts of another instance. */
  merge(entries: ReturnType<Coverage["entries"]>): void {
    for (const name of names) for (const [key, count] of entries[name]) increment(this[name], key, count)
  }

  /** The counts as lines, sorted by key. */
  lines(): ReadonlyArray<string> {
    const missing = this.missing()
    const gaps = missing.map((key) => (key in rare ? `${key} (rare: ${rare[key]})` : key))
    return [...this.#counted(), missing.length === 0 ? "nothing is missing" : "missing:", ...gaps]
  }

  #counted(): ReadonlyArray<string> {
    return names.flatMap((name) => [
      `${name}:`,
      ...[...this[name]]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, count]) => `${String(count).padStart(8)}  ${key}`)
    ])
  }
}
