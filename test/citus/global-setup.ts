/** For `npm run test:citus`: Citus beside the server that every run has. */
import type { TestProject } from "vitest/node"
import { citusBin, startCitus } from "../support/stores/citus.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** URLs of the coordinator and of the workers. */
    readonly citus: ReadonlyArray<string>
  }
}

export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const { coordinator, stop, workers } = await startCitus(citusBin()!, { fsync: "off" })
  project.provide(
    "citus",
    [coordinator, ...workers].map(({ url }) => url)
  )
  return stop
}
