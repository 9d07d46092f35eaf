/** The drawings of the machines that the engine runs. */
import { globSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import type { AnyStateMachine } from "xstate"
import { diagramOf } from "./diagram.ts"

const root = dirname(dirname(import.meta.dirname))

interface Drawn {
  readonly kind: string
  readonly version: string
  readonly machines: ReadonlyMap<string, AnyStateMachine>
}

const isLifecycle = (value: unknown): value is Drawn =>
  typeof value === "object" && value !== null && "machines" in value && "hasEnded" in value

export interface Drawing {
  /** That of the version that new resources are written with. */
  readonly current: string
  /** Those of all loadable versions. */
  readonly versions: ReadonlyMap<string, string>
}

/** The drawings of all machines, by kind, in the order of their names: a loader may give the members of a module in another order. */
export const drawings = async (): Promise<ReadonlyMap<string, Drawing>> => {
  const files = globSync("src/machines/**/*.ts", { cwd: root }).toSorted()
  const modules = await Promise.all(
    files.map((file) => import(pathToFileURL(join(root, file)).href) as Promise<Readonly<Record<string, unknown>>>)
  )
  const lifecycles = modules
    .flatMap((module) => Object.values(module))
    .filter(isLifecycle)
    .toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
  return new Map(
    lifecycles.map(({ kind, machines, version }) => {
      const title = (of: string) => `The lifecycle of the ${kind.replaceAll("_", " ")}, version ${of}`
      const versions = new Map([...machines].map(([of, machine]) => [of, diagramOf(machine, title(of))]))
      return [kind, { current: versions.get(version)!, versions }]
    })
  )
}
