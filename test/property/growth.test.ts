/** What walks over the statements of an account cost grows as their number does: counted in steps, never in time. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import type { Steps } from "../support/statements/long-walks.ts"
import { covers } from "../support/repository/covers.ts"

const program = fileURLToPath(new URL("../support/statements/long-walks.ts", import.meta.url))

covers("INGEST-6", "INGEST-9")
it("a walk over four times as many statements takes about four times as many steps", () => {
  const steps = JSON.parse(execFileSync(process.execPath, [program], { encoding: "utf8" })) as Steps
  for (const [walk, [few, many]] of Object.entries(steps)) {
    expect(many / few, walk).toBeGreaterThan(2)
    expect(many / few, walk).toBeLessThan(6)
  }
})
