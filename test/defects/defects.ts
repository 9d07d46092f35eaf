/**
 * Defects that are seeded on purpose, to prove that the tests notice them: half of a condition, one member of a set, one setting
 * wired to another, one direction of a gauge, one end of a range. They are of what the simulations do not run; the others are in
 * test/simulation/defects.ts. `npm run defects` runs the named tests on a copy of the sources with each.
 */
import { adapters } from "./adapters.ts"
import { companies } from "./companies.ts"
import { cli } from "./cli.ts"
import { consolePages } from "./console.ts"
import { controls } from "./controls.ts"
import type { TestedDefect } from "./defect.ts"
import { desk } from "./desk.ts"
import { engine } from "./engine.ts"
import { http } from "./http.ts"
import { outside } from "./outside.ts"
import { protocol } from "./protocol.ts"
import { survivors } from "./survivors.ts"

export const defects: ReadonlyArray<TestedDefect> = [
  ...engine,
  ...controls,
  ...desk,
  ...adapters,
  ...companies,
  ...http,
  ...cli,
  ...consolePages,
  ...protocol,
  ...outside,
  ...survivors
]
