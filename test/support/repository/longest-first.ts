/** The order of the test files: those that take longest begin first, so that no core idles while one of them ends the run alone. */
import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Seconds that a file takes on two idle cores, where its size does not show it. A file that is not here follows, the
 * larger first. What takes over ten seconds belongs here.
 */
export const secondsOf: Readonly<Record<string, number>> = {
  "test/scenarios/work/crash-sweep-postgres.long.test.ts": 112,
  "test/simulation/seeds.long.test.ts": 61,
  "test/ops/restore.test.ts": 47,
  "test/conformance/faults.long.test.ts": 38,
  "test/scenarios/movements/differing-amounts.test.ts": 36,
  "test/scenarios/work/crash-sweep.long.test.ts": 35,
  "test/ops/snippets.test.ts": 35,
  "test/ops/runbooks.test.ts": 33,
  "test/faults/chain-kills.long.test.ts": 33,
  "test/scenarios/movements/routing.test.ts": 32,
  "test/scenarios/work/database-away.test.ts": 31,
  "test/faults/torture.long.test.ts": 30,
  "test/cli/verify.test.ts": 30,
  "test/http/process/main.test.ts": 30,
  "test/faults/lost-nodes.test.ts": 30,
  "test/scenarios/work/retention-year.long.test.ts": 23,
  "test/scenarios/deposits/refunds.test.ts": 23,
  "test/http/process/config-file.test.ts": 21,
  "test/package/new.test.ts": 20,
  "test/scenarios/work/settle.test.ts": 20,
  "test/ops/installed.test.ts": 20,
  "test/adapters/provider/evm-faults.test.ts": 20,
  "test/scenarios/work/races.test.ts": 18,
  "test/adapters/storage/cells.long.test.ts": 18,
  "test/simulation/seeds.test.ts": 17,
  "test/scenarios/work/stuck.test.ts": 17,
  "test/cli/server.test.ts": 16,
  "test/embedded/live.test.ts": 16,
  "test/scenarios/movements/waiting.test.ts": 16,
  "test/scenarios/deposits/deposits.test.ts": 16,
  "test/scenarios/movements/unknown.test.ts": 15,
  "test/http/requests/many-callers.test.ts": 15,
  "test/http/process/demo-live.test.ts": 15,
  "test/scenarios/parties/verification.test.ts": 13,
  "test/scenarios/movements/onramp-refunds.test.ts": 13,
  "test/scenarios/movements/brakes.test.ts": 13,
  "test/scenarios/deposits/auto-conversion.test.ts": 13,
  "test/property/storage.test.ts": 13,
  "test/package/package.test.ts": 12,
  "test/conformance/connectors.test.ts": 12,
  "test/scenarios/movements/onramp.test.ts": 12,
  "test/scenarios/movements/movements.test.ts": 12,
  "test/simulation/adapters.long.test.ts": 11,
  "test/scenarios/work/timeline-records.test.ts": 11,
  "test/console/operator-pages.test.ts": 10,
  "test/embedded/hover.test.ts": 10,
  "test/cli/before-start.test.ts": 10,
  "test/simulation/determinism.test.ts": 10,
  "test/property/inbox.test.ts": 10,
  "test/connectors/services.test.ts": 10,
  "test/adapters/storage/postgres-nodes.test.ts": 10,
  "test/adapters/storage/pglite.test.ts": 10,
  "test/adapters/storage/cells-set.test.ts": 10
}

const weight = ({ moduleId, project }: TestSpecification): number =>
  secondsOf[relative(project.config.root, moduleId)] ?? 0

export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted((a, b) => weight(b) - weight(a))
  }
}
