/** Prints, for each failed test, the command that runs it alone: on the same stores, and with the same turn. */
import { relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"
import { TURN, turnHere } from "./turns.ts"

const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The commands that run what failed in a file. A file that could not be loaded is run whole. */
export const commandsOf = (
  { children, ...module }: Pick<TestModule, "children" | "moduleId" | "project">,
  turn: string
): ReadonlyArray<string> => {
  const path = relative(process.cwd(), module.moduleId)
  const stores = module.project.config.env["CORRIDOR_TEST_STORES"]
  const settings = [
    ...(stores === undefined ? [] : [`CORRIDOR_TEST_STORES=${stores}`]),
    ...(turn === "all" ? [] : [`${TURN}=${turn}`])
  ]
  const run = [...settings, "npx vitest run", path].join(" ")
  const failed = [...children.allTests("failed")]
  // A title as a pattern that matches it alone.
  return failed.length === 0
    ? [run]
    : failed.map(
        ({ fullName }) =>
          `${run} -t ${quoteForShell(fullName.replaceAll(" > ", " ").replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))}`
      )
}

export class AloneReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const commands = modules.filter((module) => !module.ok()).flatMap((module) => commandsOf(module, turnHere()))
    if (commands.length > 0)
      process.stdout.write(`\nOne failed test alone:\n${commands.map((one) => `  ${one}\n`).join("")}\n`)
  }
}
