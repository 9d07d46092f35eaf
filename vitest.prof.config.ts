/** `npm test`: the run of a person. A law is tried for a fifth of its cases. */
import { configDefaults, defineConfig } from "vitest/config"
import { SHARE } from "./test/support/properties/tries.ts"
import { mainRun } from "./test/support/repository/main-run.ts"
import base from "./vitest.config.ts"

export default defineConfig({
  test: {
    ...base.test,
    include: [...mainRun()],
    exclude: configDefaults.exclude, execArgv: ["--max-semi-space-size=64","--cpu-prof","--cpu-prof-dir=/tmp/prof","--cpu-prof-interval=2000"],
    env: { ...base.test?.env, [SHARE]: "0.2" }
  }
})
