/** What the seeds have visited: every transition of every machine, every word of the provider's in every state, every operation. */
import type { Op } from "./program.ts"
import type { Answered } from "./world.ts"

const count = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1)

export class Coverage {
  /** `machine: from --event--> to`. */
  readonly transitions = new Map<string, number>()
  /** `machine state: outcome`. */
  readonly words = new Map<string, number>()
  /** `operation: success`, `operation: Refusal`. */
  readonly operations = new Map<string, number>()

  transition(kind: string, from: string | null, via: string, to: string): void {
    count(this.transitions, `${kind}: ${from ?? "—"} --${via}--> ${to}`)
  }

  heard(where: string, what: string): void {
    count(this.words, `${where}: ${what}`)
  }

  op(op: Op, answer: Answered): void {
    count(this.operations, `${op.call}: ${answer._tag === "refused" ? answer.error._tag : answer._tag}`)
  }
}
