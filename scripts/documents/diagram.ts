/** Draws a machine as SVG without styles: the console's stylesheet colors it by `data-state` and `data-edge`. */
import { Graph, layout } from "@dagrejs/dagre"
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate"

interface Point {
  readonly x: number
  readonly y: number
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
export const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character]!)

const round = (value: number): string => String(Math.round(value * 10) / 10)

/** A smooth path: through the middle of each segment, bent at the points of the layout. */
const pathOf = (points: ReadonlyArray<Point>): string => {
  const [first, ...rest] = points
  const at = ({ x, y }: Point): string => `${round(x)} ${round(y)}`
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1]!
    const isLast = index === rest.length - 2
    return `Q${at(point)} ${at(isLast ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}`
  })
  return `M${at(first!)}${bends.length === 0 ? `L${at(rest[0]!)}` : bends.join("")}`
}

const arrowOf = (points: ReadonlyArray<Point>): string => {
  const [before, tip] = points.slice(-2) as [Point, Point]
  const angle = Math.atan2(tip.y - before.y, tip.x - before.x)
  const corner = (turn: number): string =>
    `${round(tip.x - 8 * Math.cos(angle + turn))},${round(tip.y - 8 * Math.sin(angle + turn))}`
  return `${round(tip.x)},${round(tip.y)} ${corner(0.45)} ${corner(-0.45)}`
}

/** `title` names the drawing for people who do not see it. */
export const diagramOf = (machine: AnyStateMachine, title: string): string => {
  const graph = new Graph()
  graph.setGraph({ rankdir: "LR", nodesep: 22, ranksep: 34, edgesep: 12, marginx: 24, marginy: 12 })
  graph.setDefaultEdgeLabel(() => ({}))
  const states = Object.values(machine.states) as ReadonlyArray<AnyStateNode>
  for (const { key } of states) graph.setNode(key, { width: Math.max(64, key.length * 7.6 + 28), height: 34 })
  // The events that lead from each state to each other state. An event that stays is not drawn.
  const edges = new Map<string, Set<string>>()
  const add = (from: AnyStateNode, event: string, { target }: AnyTransitionDefinition): void => {
    for (const to of target ?? []) {
      if (to.key === from.key) continue
      const key = `${from.key} ${to.key}`
      edges.set(key, (edges.get(key) ?? new Set()).add(event))
    }
  }
  for (const state of Object.values(machine.states) as ReadonlyArray<AnyStateNode>) {
    for (const transition of state.always ?? []) add(state, "at once", transition)
    for (const [event, transitions] of state.transitions) for (const each of transitions) add(state, event, each)
  }
  for (const key of edges.keys()) {
    const [from = "", to = ""] = key.split(" ")
    graph.setEdge(from, to, { width: 20, height: 18, labelpos: "c" })
  }
  layout(graph)

  const initial = (machine.root.initial.target?.[0] as AnyStateNode | undefined)?.key
  const drawnEdges = [...edges].map(([key, events]) => {
    const [from = "", to = ""] = key.split(" ")
    const { points, x, y } = graph.edge(from, to) as { points: ReadonlyArray<Point>; x: number; y: number }
    return (
      `<g data-edge="${escape(`${from}>${to}`)}"><title>${escape(`${from} to ${to}: ${[...events].join(", ")}`)}</title>` +
      `<path d="${pathOf(points)}"/><polygon points="${arrowOf(points)}"/>` +
      `<circle cx="${round(x)}" cy="${round(y)}" r="9"/><text x="${round(x)}" y="${round(y)}"></text></g>`
    )
  })
  const drawnStates = states.map(({ key, tags, type }) => {
    const { height, width, x, y } = graph.node(key) as Point & { height: number; width: number }
    const box = (inset: number): string =>
      `<rect x="${round(x - width / 2 + inset)}" y="${round(y - height / 2 + inset)}" width="${round(width - 2 * inset)}" ` +
      `height="${height - 2 * inset}" rx="${8 - inset}"/>`
    const isEnd = type === "final" || tags.length > 0
    const entry =
      key === initial
        ? `<path class="entry" d="M${round(x - width / 2 - 20)} ${round(y)}h18"/><circle class="entry" cx="${round(x - width / 2 - 20)}" cy="${round(y)}" r="4"/>`
        : ""
    return (
      `<g data-state="${escape(key)}"${isEnd ? ` data-end=""` : ""}>${entry}${box(0)}${isEnd ? box(3) : ""}` +
      `<text x="${round(x)}" y="${round(y)}">${escape(key.replaceAll("_", " "))}</text></g>`
    )
  })
  const { height, width } = graph.graph() as { height: number; width: number }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="machine" role="img" viewBox="0 0 ${round(width)} ${round(height)}" ` +
    `width="${round(width)}" height="${round(height)}"><title>${escape(title)}</title>${drawnEdges.join("")}${drawnStates.join("")}</svg>`
  )
}
