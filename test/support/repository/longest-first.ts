/** The order of the test files: those that end last begin first, so that no core idles while one of them ends the run alone. */
import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { costOf } from "./seconds.ts"

/** Seconds from the start of a file to its end, alone, where it waits most of them: for deadlines, and for processes that start. */
const waits: Readonly<Record<string, number>> = {
  "test/adapters/storage/postgres-silence.test.ts": 26,
  "test/cli/server.test.ts": 23,
  "test/cli/verify-findings.test.ts": 20,
  "test/adapters/storage/cells-set.test.ts": 18,
  "test/adapters/storage/cells-hosts.test.ts": 14,
  "test/cli/usage.test.ts": 13,
  "test/console/acts.test.ts": 12,
  "test/console/docs.test.ts": 11,
  "test/http/process/connections.test.ts": 9
}

const weight = ({ moduleId, project }: TestSpecification): number => {
  const path = relative(project.config.root, moduleId)
  return Math.max(costOf(path), waits[path] ?? 0)
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted((a, b) => weight(b) - weight(a))
  }
}
