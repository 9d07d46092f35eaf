/** `npm run demo:live`: a chain, a bank and Corridor in `live`, as processes of their own. */
import { expect, it } from "vitest"
import { missing } from "../../support/connectors/launcher.ts"
import { startFile } from "../../support/http/served-process.ts"

const reason = missing("python")

it.skipIf(reason !== undefined)(
  `real money ends right, and once, through kills and reorganisations${reason === undefined ? "" : ` (${reason})`}`,
  async () => {
    const demo = startFile("examples/live/demo.ts", {})
    expect(await demo.exit, demo.output()).toBe(0)
    expect(demo.output()).toContain("Every check passed.")
    expect(demo.output()).toContain("ok each payout is one line of it, matched by its command")
    expect(demo.output().match(/^ok /gm)?.length).toBeGreaterThanOrEqual(20)
  }
)
