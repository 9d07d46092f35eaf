/** `corridor verify` and `doctor` on a store whose cells are on Citus. */
import { expect, inject, it } from "vitest"
import { corridor } from "../support/cli/command-line.ts"
import { serve } from "../support/http/served-process.ts"
import { citusDatabase } from "../support/stores/citus.ts"

it("a store that served on Citus has no difference", async () => {
  const url = `${await citusDatabase(inject("citus"))}?cells=2`
  const server = await serve({ DATABASE_URL: url })
  const headers = { authorization: "Bearer op_test_token_of_a_served_process", "content-type": "application/json" }
  for (let n = 0; n < 4; n++) {
    const body = JSON.stringify({ name: `Merchant ${n}`, country_code: "NG", status: "active" })
    const { status } = await fetch(`${server.url}/operator/v1/merchants`, { method: "POST", headers, body })
    expect(status).toBe(200)
  }
  server.child.kill("SIGTERM")
  await server.exit
  const { errors, out } = await corridor(["verify", "--json"], { DATABASE_URL: url })
  expect(errors).toEqual([])
  const { ok, stores } = JSON.parse(out)
  expect([ok, stores.length]).toEqual([true, 4])
  const { report } = await corridor(["doctor", "--json"], { DATABASE_URL: url }).then((found) => ({
    report: JSON.parse(found.out)
  }))
  expect(
    report.findings.filter((one: { about: string; status: string }) => one.about === "store" && one.status !== "ok")
  ).toEqual([])
})
