/** `npm run test:built`: the tests of the command, with the built one. Run `npm run build` first. */
import { defineConfig } from "vitest/config"
import base from "./vitest.config.ts"

export default defineConfig({
  test: { ...base.test, include: ["test/cli/**/*.test.ts"], env: { ...base.test?.env, CORRIDOR_CLI: "built" } }
})
