/** `npm run test:long`: what is exhaustive, and the scenarios on the stores that `npm test` leaves out. */
import { readdirSync, readFileSync } from "node:fs"
import { configDefaults, defineConfig } from "vitest/config"
import base from "./vitest.config.ts"

const scenarios = readdirSync("test/scenarios", { recursive: true, encoding: "utf8" })
  .map((name) => `test/scenarios/${name}`)
  .filter((path) => path.endsWith(".test.ts") && /\bon(?:EveryStore|Servers)\(/.test(readFileSync(path, "utf8")))

export default defineConfig({
  test: {
    ...base.test,
    include: ["test/**/*.long.test.ts", ...scenarios],
    exclude: configDefaults.exclude,
    env: { ...base.test?.env, CORRIDOR_TEST_STORES: "pglite,cells" }
  }
})
