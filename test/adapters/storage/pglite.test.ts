import { describe, expect, it } from "vitest"
import { freshPglite } from "../../support/stores/pglite.ts"
import { conformance } from "./conformance.ts"
import { change, fresh, opened } from "./support.ts"

const nodes = opened(async () => [await freshPglite()])

conformance(nodes)

describe("a store that is busy", () => {
  it.each([
    ["queries", () => nodes.a.setting("nothing")],
    ["commits", () => nodes.a.commit(change(fresh("mer")))]
  ])("yields to the event loop between %s, so that timers fire and requests arrive", async (_, ask) => {
    let turns = 0
    let isBusy = true
    const turn = (): void => {
      turns++
      if (isBusy) setImmediate(turn)
    }
    await ask()
    setImmediate(turn)
    for (let n = 0; n < 20; n++) await ask()
    isBusy = false
    expect(turns).toBeGreaterThanOrEqual(19)
  })
})
