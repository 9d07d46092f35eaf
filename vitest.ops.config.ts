/** `npm run test:ops`: what an operator uses: files for deployment, runbooks, drills, the installed package. Run `npm run build` first. */
import { configDefaults, defineConfig } from "vitest/config"
import base from "./vitest.config.ts"

export default defineConfig({
  test: { ...base.test, include: ["test/ops/**/*.test.ts"], exclude: configDefaults.exclude }
})
