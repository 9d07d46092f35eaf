/** Writes `docs/machines.md`: a diagram of every machine, drawn from its definition. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { AnyStateNode, AnyTransitionDefinition } from "xstate"
import { type Specimen, specimens } from "../test/support/machines/specimens.ts"

export const path = fileURLToPath(new URL("../docs/machines.md", import.meta.url))

const guardOf = (guard: AnyTransitionDefinition["guard"]): string => {
  if (guard === undefined) return ""
  if (typeof guard === "string") return ` [${guard}]`
  const { type, params } = guard as { type: string; params?: Readonly<Record<string, unknown>> }
  return ` [${type}${params === undefined ? "" : ` ${Object.values(params).join(" ")}`}]`
}

interface Arrow {
  readonly from: string
  readonly to: string
  readonly label: string
}

const heading = (kind: string): string => {
  const words = kind.replaceAll("_", " ")
  return words[0]!.toUpperCase() + words.slice(1)
}

const diagram = ({ kind }: Specimen): string => {
  const { machine } = kind.lifecycle
  const states = Object.values(machine.states) as ReadonlyArray<AnyStateNode>
  const everywhere = [...machine.root.transitions].flatMap(([event]) => event)
  const shown = states.flatMap((state) => {
    const status = kind.status?.(state.key, {}) ?? state.key
    return status === state.key || (state.always ?? []).length > 0 ? [] : [`| \`${state.key}\` | \`${status}\` |`]
  })
  // Merges arrows between the same two states, so that a diagram stays legible.
  const arrows = states.flatMap((node) => {
    const arrows =
      (label: string) =>
      (transition: AnyTransitionDefinition): ReadonlyArray<Arrow> => {
        const targets = transition.target ?? [node]
        return targets.map((target) => ({
          from: node.key,
          to: target.key,
          label: `${label}${guardOf(transition.guard)}`.trim()
        }))
      }
    return [
      ...(node.always ?? []).flatMap(arrows("")),
      ...[...node.transitions].flatMap(([event, transitions]) => transitions.flatMap(arrows(event)))
    ]
  })
  const labels = new Map<string, Array<string>>()
  for (const { from, to, label } of arrows) {
    const key = `${from} ${to}`
    labels.set(key, [...(labels.get(key) ?? []), ...(label === "" ? [] : [label])])
  }
  return [
    `## ${heading(kind.kind)}`,
    "",
    "```mermaid",
    "stateDiagram-v2",
    `  [*] --> ${(machine.root.initial.target?.[0] as AnyStateNode | undefined)?.key ?? ""}`,
    ...[...labels]
      .map(([key, all]) => {
        const [from = "", to = ""] = key.split(" ")
        return { from, to, label: [...new Set(all)].join("<br/>") }
      })
      .map(({ from, to, label }) => `  ${from} --> ${to}${label === "" ? "" : `: ${label}`}`),
    ...states.filter(({ type }) => type === "final").map(({ key }) => `  ${key} --> [*]`),
    "```",
    ...(everywhere.length === 0
      ? []
      : ["", `In every state: ${everywhere.map((event) => `\`${event}\``).join(", ")}.`]),
    ...(shown.length === 0 ? [] : ["", "| State | Status in `/v1` |", "|---|---|", ...shown])
  ].join("\n")
}

export const machinesDocument = (): string =>
  [
    "# Machines",
    "",
    "The lifecycle of each resource. `npm run docs` generates this page from the machines in `src/machines`; a test fails if it",
    "is stale.",
    "",
    "An arrow is an event, with the guard of the transition in brackets. An arrow without an event is taken at once.",
    "[ledger.md](ledger.md) has the postings of each step.",
    "",
    ...Object.values(specimens).map((specimen) => `${diagram(specimen)}\n`)
  ].join("\n")

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(path, machinesDocument())
